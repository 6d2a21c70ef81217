"""Which file of a study folder is what: as ``study.toml`` says, all of which is optional, else by convention.
No file outside the folder is ever read: every path is resolved, links followed, and refused when it leaves.

name = "ROCOv2 test"
description = "9,927 images, two systems"
baseline = "hog"    # the system that the others are compared with; without it, they are with the leader
group = "patient"   # the column of labels.csv (or groups.csv) that says which images belong together
scheme = "HP"       # which identifiers the concepts are: umls, a CURIE prefix, curie, wordnet or ids

[files]                       # paths inside the folder; "" for "there is none"
concepts = "test_concepts.csv"
graph = ["graph/edges.csv", "graph/part_of.csv"]

[systems.hog]                 # where no table names a file, the folders below systems/ are the systems
run = "runs/hog.txt.gz"
embeddings = "vectors/hog.npz"
reads = ["images"]            # images, captions, concepts, labels: a system that reads captions is marked

[graph]                       # keep only these sources and relations of the graph files
sources = ["MESH", "UBERON"]
rela = ["isa"]

[concept_vectors.cui2vec]     # of concept_vectors/cui2vec.csv: how two vectors become a similarity
metric = "cosine"             # or euclidean, poincare
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from evalcore.study.folder.toml import ANY, LINE, Model, Value, line_that_sets, one_of, read_toml, read_values
from evalcore.study.parts.kind import TOML, Layout, StudyToml, parse_source
from evalcore.study.parts.registry import KINDS, OF_A_STUDY, OF_A_SYSTEM
from evalcore.study.tables.files import read_bytes, reader
from evalcore.study.tables.problems import Problems, Rule, guarded, truncate
from evalcore.study.workspace.file_names import place_in_words, readable, without_ending
from evalcore.values.arrays import digest_of
from evalcore.values.bundled import SAMPLE
from evalcore.values.concept_scheme import NAMED, scheme_named
from evalcore.values.concept_values import METRICS
from evalcore.values.errors import InputError
from evalcore.values.model import READABLE

OUTSIDE = "path-leaves-study"
"""Rule of a path, or a link, to what is not in the folder of the study."""
MAX_LISTED = 200_000
"""Most files of one folder that are looked at; a folder of more is none of a study."""
OF_PARTS = dict.fromkeys(
    name.partition("/")[0]
    for kind in OF_A_STUDY
    for group in KINDS[kind].known
    for name in group
    if "/" in name
)
"""Folders of a study that hold parts; those of systems are looked through one by one."""
LOOSE: Mapping[str, str] = {"runs": "run", "embeddings": "embeddings"}
"""Folders whose files are one system each, by their names: ``runs/hog.trec``, ``embeddings/hog.npz``."""


AMBIGUOUS = Rule(
    "ambiguous-file",
    "Several files could be the {part}: {files}. None is used.",
    f"Keep one, or name it in {TOML}.",
)


MAX_TITLE = 120


def is_title(name: str) -> bool:
    """Whether a system can be called so on every page: one line, not like the program's own rankings."""
    return 0 < len(name) <= MAX_TITLE and name.isprintable() and name[0] != "@" and name == name.strip()


def _scheme(value: Any) -> str | None:
    """Which identifiers the concepts are; "" where nobody says."""
    if not isinstance(value, str):
        return None
    return scheme_named(value.strip()) if value.strip() else ""


def _stripped(items: list[str]) -> tuple[str, ...]:
    return tuple(item.strip() for item in items if item.strip())


def _readable(items: list[str]) -> tuple[str, ...] | None:
    return parts if {*(parts := _stripped(items))} <= {*READABLE} else None


_TEXTS = Value("a text or a list of texts", _stripped, of_texts=True)
"""``""`` means no file of that kind."""
_MODEL: Model = {
    **dict.fromkeys(("name", "description", "baseline", "group"), LINE),
    "scheme": Value(f"one of {', '.join(NAMED)}, or the prefix of CURIEs such as HP", _scheme),
    "files": dict.fromkeys(OF_A_STUDY, _TEXTS),
    "systems": {
        ANY: {
            **dict.fromkeys(OF_A_SYSTEM, LINE),
            "reads": Value(f"a list of {', '.join(READABLE)}", _readable, of_texts=True),
        }
    },
    "graph": {"sources": _TEXTS, "rela": _TEXTS},
    "concept_vectors": {ANY: {"metric": one_of(METRICS)}},
}


@reader(lambda _: StudyToml())
def parse_study_toml(data: bytes, problems: Problems) -> StudyToml:
    """Read a ``study.toml``; unknown keys are warnings, values of the wrong kind errors and left out.

    A file that is no TOML, nested too deeply or too large is an error, and nothing of it is used.
    """
    way_out = "Correct it; until then, parts of the study are recognised by their file names."
    top, content = read_toml(data, problems, way_out=way_out, may_be_empty=True)
    values = read_values(top, _MODEL, content, problems, remedy="It is ignored.", unknown="warning")
    systems = values.get("systems", {})
    # Tables that only say how systems are shown leave it to the folders which systems there are.
    by_table = "systems" in values and (
        not top["systems"] or any({*table} & {*OF_A_SYSTEM} for table in systems.values())
    )
    plain: dict[str, Any] = {key: value for key, value in values.items() if isinstance(value, str) and value}
    graph, vectors = values.get("graph", {}), values.get("concept_vectors", {})
    files = {
        name: {kind: table[kind] for kind in OF_A_SYSTEM if table.get(kind)}
        for name, table in systems.items()
    }
    return StudyToml(
        **plain,
        files=values.get("files", {}),
        systems=files if by_table else None,
        graph_sources=graph.get("sources"),
        graph_rela=graph.get("rela"),
        vector_metrics={name: table["metric"] for name, table in vectors.items() if table},
        reads={name: table["reads"] for name, table in systems.items() if "reads" in table},
    )


# Where the files are.


def existing_folder(path: str | Path) -> Path:
    """The folder of a study, links followed; ``sample`` is the sample study where no folder has that name.

    Raises
    ------
    InputError
        There is no such folder.
    """
    if os.path.isdir(path):  # noqa: PTH112 -- never raises, whatever was typed
        return Path(os.path.realpath(path))
    if str(path) == "sample":
        return SAMPLE
    there = "is a file, not a folder" if os.path.lexists(path) else "does not exist"
    where = truncate(place_in_words(Path(path)))
    raise InputError(f"There is no study: {where} {there}. Give the folder with concepts.csv.")


def find_layout(folder: Path, problems: Problems | None = None) -> Layout:
    """Find the parts of a study folder; what is wrong with finding them is added to ``problems``.

    Raises
    ------
    InputError
        There is no such folder.
    """
    root, problems = existing_folder(folder), problems or Problems(TOML)
    finder = _Finder(root, StudyToml(), "", problems)
    for path in finder.inside([TOML]) if os.path.lexists(root / TOML) else ():
        data = guarded(problems.of(TOML), partial(read_bytes, path), b"")
        toml = parse_source(parse_study_toml, data, problems.of(TOML)) or StudyToml()
        finder = _Finder(root, toml, data.decode("utf-8", "replace"), problems)
    listed = content(root, problems)
    inside = [f"{f}/{name}" for f in OF_PARTS if f in listed for name in content(root / f, problems)]
    listed = sorted([*listed, *inside])
    files = {kind: finder.files(kind, listed) for kind in OF_A_STUDY}
    named = finder.toml.files
    if any(path.suffix.lower() == ".parquet" for path in files["corpus"]) and "concepts" not in named:
        # Beside texts in parquet, data/ contains the judgments of each split, not shards with concepts.
        splits = tuple(path for path in files["concepts"] if path.parent == root / "data")
        files["concepts"] = tuple(path for path in files["concepts"] if path not in splits)
        files["judgments"] += splits
    return Layout(root, finder.toml, files, finder.systems())


# What lies in a folder, and which names stand for which part.


def content(folder: Path, problems: Problems) -> list[str]:
    """Names in a folder, in order, hidden files left out; nothing where there is no such folder, and with an
    error where it is locked."""
    if not os.path.isdir(folder):  # noqa: PTH112 -- never raises
        return []
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MAX_LISTED + 1)]
    except OSError as reason:
        message = "The folder '{value}' cannot be read: {reason}."
        remedy = "Allow reading it, as with: chmod u+rx {value}."
        problems.error("unreadable-folder", message, remedy, value=folder.name, reason=reason.strerror)
        return []
    if len(names) > MAX_LISTED:
        message = "The folder '{value}' contains more than {most} files; it is not read."
        remedy = "Give a folder that contains only the study."
        problems.error("too-many-files", message, remedy, value=folder.name, most=MAX_LISTED)
        return []
    return sorted(name for name in names if not name.startswith("."))


def matching(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The paths below a study folder that a convention means; upper and lower case are one."""
    wanted = _by_depth(tuple(patterns))
    return [
        name
        for name in names
        if (fits := wanted.get(name.count("/"))) is not None and fits.match(name.lower())
    ]


@cache
def _by_depth(patterns: tuple[str, ...]) -> dict[int, re.Pattern[str]]:
    """What paths of each depth must match."""
    by_depth: dict[int, list[str]] = {}
    for pattern in patterns:
        by_depth.setdefault(pattern.count("/"), []).append(translate(pattern))
    return {depth: re.compile("|".join(texts)) for depth, texts in by_depth.items()}


def is_reserved(name: str, problems: Problems, line: int | None = None) -> bool:
    """Whether a system cannot have this name, which is then reported."""
    if name.startswith("@"):
        message = (
            "No system can be called '{value}': names with @ are reserved for the program's own rankings."
        )
        remedy = "Rename it without the @; it is left out."
        problems.error("reserved-name", message, remedy, line=line, value=name)
    return name.startswith("@")


# The files of a folder that are those parts, each checked to lie inside.


@dataclass(frozen=True, slots=True)
class _Finder:
    """A study folder, what its ``study.toml`` says, and where what is wrong with its files is reported."""

    root: Path
    toml: StudyToml
    text: str
    problems: Problems

    def inside(self, names: Iterable[str], *key: str, is_needed: bool = True) -> tuple[Path, ...]:
        """The paths of files of the study, those that ``study.toml`` names under a ``key``; files that are
        missing or leave the folder are errors, or remarks where no score needs them."""
        paths: list[Path] = []
        for name in names:
            try:
                path = (self.root / name).resolve()
                there = path.exists()
            except (OSError, ValueError, RuntimeError):  # loops, names no system can hold, locked folders
                there, path = False, self.root
            if there and path.is_relative_to(self.root):
                paths.append(path)
                continue
            leaves = not path.is_relative_to(self.root)
            at = line_that_sets(self.text, *key, value=name) if key else None
            if not is_needed:
                to = "outside the study folder, where nothing is read" if leaves else "nowhere"
                message = f"{{value}}/ is a link that leads {to}."
                remedy = "Copy the pictures into the folder, or put a zip of them there: images.zip."
                self.problems.warning(OUTSIDE, message, remedy, value=name)
            elif leaves:
                message = "The path '{value}' leaves the study folder; nothing outside it is read."
                self.problems.error(OUTSIDE, message, "Copy the file into the folder.", line=at, value=name)
            else:
                message = "There is no file '{value}'."
                remedy = "Correct the path, or copy the file into the folder."
                self.problems.error("missing-file", message, remedy, line=at, value=name)
        return tuple(paths)

    def files(self, kind: str, listed: Sequence[str]) -> tuple[Path, ...]:
        """The files of a kind: those that ``study.toml`` names, else those of the first convention that any
        file of the folder is named by; of folders, the one of pictures alone."""
        is_named = kind in self.toml.files
        key = ("files", kind) if is_named else ()
        if is_named:
            names = list[str]()
            for name in self.toml.files[kind]:  # with a * it stands for those that match
                hits = list[Path]()
                with suppress(OSError, ValueError):  # a file that went meanwhile; no pattern, but a name
                    if "*" in name and ".." not in name and not name.startswith("/"):
                        hits = sorted(self.root.glob(name), key=Path.as_posix)
                names += [path.relative_to(self.root).as_posix() for path in hits] or [name]
        else:
            by_convention = (matching(listed, group) for group in KINDS[kind].names)
            names = next(filter(None, by_convention), [])
        paths: dict[str, Path] = {}
        for path in dict.fromkeys(self.inside(names, *key, is_needed=is_named or kind != "images")):
            name = path.relative_to(self.root).as_posix()
            if kind == "images" or not path.is_dir():
                paths[name] = path
            elif is_named:
                message = "'{value}' is a folder; [files] names files."
                remedy = "Name the files in it, such as {value}/*.csv."
                line = line_that_sets(self.text, *key, value=path.name)
                self.problems.error("named-folder", message, remedy, line=line, value=name)
        is_one = not KINDS[kind].many and any(path.suffix.lower() != ".parquet" for path in paths.values())
        if is_one and len(paths) > 1:
            first, part = next(iter(paths)), kind.replace("_", " ")
            self.problems.error(*AMBIGUOUS, value=first, part=part, files=[*paths])
            return ()
        return tuple(paths.values())

    def systems(self) -> dict[str, dict[str, Path]]:
        """The files of each system by what they are, one each: as tables say, or folders and names."""
        by_table, tables = self.toml.systems is not None, sorted((self.toml.systems or {}).items())
        named = {system: {kind: [file] for kind, file in files.items()} for system, files in tables}
        systems: dict[str, dict[str, Path]] = {}
        for system, files in (named if by_table else self.by_folders()).items():
            line = line_that_sets(self.text, "systems", system) if by_table else None
            if is_reserved(system, self.problems, line):
                continue
            systems[system] = of_system = dict[str, Path]()
            for kind, names in sorted(files.items(), key=lambda item: OF_A_SYSTEM.index(item[0])):
                if len(names) > 1:
                    self.problems.error(*AMBIGUOUS, value=names[0], part=kind, files=names)
                elif paths := self.inside(names, *(("systems", system, kind) if by_table else ())):
                    of_system[kind] = paths[0]
            if not (by_table or of_system):
                message, where = "{where} contains no run and no embeddings.", f"systems/{system}"
                vectors = KINDS["embeddings"].names[0][0]
                remedy = f"Name its files run.trec, run.csv or run.json, or {vectors}."
                self.problems.warning("empty-system", message, remedy, value=system, where=where)
        return systems

    def by_folders(self) -> dict[str, dict[str, list[str]]]:
        """The folders in ``systems``, and files named after their systems in the folders of `LOOSE`, where
        these lack such a file."""
        own: dict[str, dict[str, list[str]]] = {}
        loose: dict[str, dict[str, list[str]]] = {}
        kinds = {name: kind for kind in OF_A_SYSTEM for name in KINDS[kind].names[0]}
        for name in content(self.root / "systems", self.problems):
            where = f"systems/{name}"
            if not os.path.isdir(self.root / where):  # noqa: PTH112
                message = "{value} is not a folder."
                remedy = "Put it into a folder of its own: systems/NAME/run.trec."
                self.problems.warning("not-a-system", message, remedy, value=where)
                continue
            files = own.setdefault(readable(name), {})
            for file in content(self.root / where, self.problems):
                if kind := kinds.get(file.lower()):
                    files.setdefault(kind, []).append(f"{where}/{file}")
        for folder, kind in LOOSE.items():
            endings = {name.removeprefix(kind) for name in KINDS[kind].names[0]}
            for name in content(self.root / folder, self.problems):
                stem = without_ending(name, endings - {".npy"})  # which needs its ids beside it
                if stem != name:  # else `report_unread` names it
                    loose.setdefault(readable(stem), {}).setdefault(kind, []).append(f"{folder}/{name}")
        return {system: loose.get(system, {}) | own.get(system, {}) for system in (*own, *loose)}


# Has anything in a study folder changed since it was opened? Answered without opening a file.


def stamp(folder: Path) -> str:
    """Changes whenever a file that the study is read from does, even at the same size and time.

    Names, sizes, times of content and of any change, and the file's own number (a file moved over
    another one keeps size and time, not the number). What escapes is a second change of the same size within
    one tick of the file system's clock, some milliseconds. Only the parts of the study are looked at: of its
    pictures the folder alone, and nothing of what else lies below. InputError when there is no such folder.
    """
    problems = Problems(TOML)
    layout = find_layout(folder, problems)

    def facts(path: Path) -> str:
        try:
            fact = os.stat(path)  # noqa: PTH116
        except OSError as reason:
            return f"{path}:{reason.errno}"
        return f"{path}:{fact.st_size}:{fact.st_mtime_ns}:{fact.st_ctime_ns}:{fact.st_ino}"

    files = [(kind, *map(facts, paths)) for kind, paths in layout.files.items()]
    files += [
        (system, part, facts(path))
        for system, parts in layout.systems.items()
        for part, path in parts.items()
    ]
    report = problems.report()
    return digest_of(facts(layout.root / TOML), files, [str(problem) for problem in report.problems])
