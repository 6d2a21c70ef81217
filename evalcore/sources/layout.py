"""Which file of a study folder is what: as ``study.toml`` says, else by convention.

No file outside the folder is ever read: every path is resolved, links followed, and refused when it
leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from evalcore.errors import InputError
from evalcore.model import Report
from evalcore.sources.lines import read_bytes
from evalcore.sources.problems import Problems, shown
from evalcore.sources.study_toml import FILE_KINDS, StudyToml, line_of, parse_study_toml

TOML = "study.toml"
_GRAPH = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".rrf", ".rrf.gz", ".obo", ".obo.gz", ".graphml", ".xml")
_TABLE = ("csv", "tsv", "txt", "csv.gz", "tsv.gz", "txt.gz")
CONVENTIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "concepts": (
        tuple(f"concepts.{e}" for e in _TABLE), ("concepts.parquet",),
        tuple(f"*_concepts.{e}" for e in _TABLE),
        ("concepts/*.parquet",), ("data/*.parquet",), ("*.parquet",),
    ),
    "captions": (tuple(f"captions.{e}" for e in _TABLE), tuple(f"*_captions.{e}" for e in _TABLE)),
    "labels": (tuple(f"labels.{e}" for e in _TABLE), tuple(f"*_labels.{e}" for e in _TABLE)),
    "label_map": (("label_map.csv", "labels_map.csv", "label_map.tsv", "labels_map.tsv"),),
    "graph": (
        (*(f"graph/*{e}" for e in _GRAPH if "rrf" not in e), "graph/mrrel.rrf", "graph/mrrel.rrf.gz"),
        ("edges.csv", "edges.tsv", "edges.csv.gz", "mrrel.rrf", "mrrel.rrf.gz", "*.obo", "*.graphml"),
    ),
    "neighbours": (tuple(f"{name}.{e}" for name in ("neighbours", "neighbors") for e in _TABLE),),
    "names": (
        ("names.csv", "names.tsv", "names.csv.gz"),
        ("mrconso.rrf", "mrconso.rrf.gz", "graph/mrconso.rrf", "graph/mrconso.rrf.gz"),
    ),
    "images": (("images",), ("images.zip",)),
    "queries": (("queries.txt", "queries.csv"),),
    "candidates": (("candidates.txt", "candidates.csv"),),
}  # fmt: skip
"""Per kind the groups of names tried in turn, lower case; the first group found in the folder counts."""
SYSTEM_FILES: Mapping[str, tuple[str, ...]] = {
    "run": tuple(f"run.{e}{z}" for e in ("trec", "txt", "csv", "tsv", "json") for z in ("", ".gz")),
    "embeddings": ("embeddings.npz", "embeddings.npy", "embeddings.parquet"),
    "ids": ("ids.txt", "ids.csv", "embeddings.ids.txt", "embeddings_ids.txt", "embeddings.txt"),
}
_MANY = {"graph", "names"}
_ENDINGS = {
    "concepts": (".parquet",),
    "graph": _GRAPH,
    "names": (".csv", ".tsv", ".csv.gz", ".rrf", ".rrf.gz"),
}
"""What a folder named in ``study.toml`` is searched for."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a study, checked to lie inside its folder."""

    root: Path
    toml: StudyToml
    files: Mapping[str, tuple[Path, ...]]
    systems: Mapping[str, Mapping[str, Path]]

    def name_of(self, path: Path) -> str:
        """A path as messages name it: relative to the study folder."""
        return path.relative_to(self.root).as_posix()


def read_layout(folder: Path) -> tuple[Layout, Report]:
    """Find the parts of a study folder.

    Raises
    ------
    InputError
        There is no such folder.
    """
    if not folder.is_dir():
        there = "is a file, not a folder" if folder.exists() else "does not exist"
        raise InputError(
            f"There is no study: {shown(folder)} {there}. Give the folder that holds concepts.csv."
        )
    root = folder.resolve()
    found = Problems(TOML)
    toml, report, text = StudyToml(), Report(), ""
    if (root / TOML).exists() and (path := _inside(root, TOML, found, text)):
        data = read_bytes(path, found) or b""
        toml, report = parse_study_toml(data, file=TOML)
        text = data.decode("utf-8", "replace")
    listed = _listing(root, found)
    files = {
        kind: _by_name(root, kind, toml.files[kind], found, text)
        if kind in toml.files
        else _by_convention(root, kind, listed, found)
        for kind in FILE_KINDS
    }
    if toml.systems is None:
        systems = _systems_by_convention(root, found)
    else:
        systems = {
            name: {key: path for key, value in parts.items() for path in _named(root, (value,), found, text)}
            for name, parts in sorted(toml.systems.items())
        }
    return Layout(root, toml, files, systems), report + found.report()


def _inside(root: Path, name: str, found: Problems, text: str = "") -> Path | None:
    """The path of a file of the study; None with an error when it is missing or leaves the folder."""
    line = line_of(text, name)
    try:
        path = (root / name).resolve()
        missing = not path.exists()
    except (OSError, ValueError, RuntimeError):
        missing, path = True, root
    if not path.is_relative_to(root):
        message = f"The path {shown(name)!r} leaves the study folder; nothing outside it is read."
        found.error("path-leaves-study", message, "Copy the file into the folder.", line=line, value=name)
        return None
    if missing:
        found.error(
            "missing-file", f"There is no file {shown(name)!r}.", "Correct the path.", line=line, value=name
        )
        return None
    return path


def _named(root: Path, names: Iterable[str], found: Problems, text: str) -> tuple[Path, ...]:
    return tuple(path for name in names if (path := _inside(root, name, found, text)))


def _by_name(root: Path, kind: str, names: Iterable[str], found: Problems, text: str) -> tuple[Path, ...]:
    """The files that ``study.toml`` names; a folder stands for the files in it that can be such a part."""
    paths: list[Path] = []
    for path in _named(root, _expanded(root, names), found, text):
        if kind == "images" or not path.is_dir():
            paths.append(path)
            continue
        inside = [
            file for file in _content(path, found) if file.name.lower().endswith(_ENDINGS.get(kind, ()))
        ]
        if not inside:
            message = f"The folder {path.name!r} holds nothing that can be the {kind.replace('_', ' ')}."
            found.error(
                "empty-folder", message, "Name a file.", line=line_of(text, path.name), value=path.name
            )
        paths += _named(root, [file.relative_to(root).as_posix() for file in inside], found, text)
    if len(paths) > 1 and kind not in _MANY and any(path.suffix.lower() != ".parquet" for path in paths):
        _report_ambiguous(found, kind, [path.relative_to(root).as_posix() for path in paths])
        return ()
    return tuple(paths)


def _expanded(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Names with ``*`` stand for the files they match, in order; what matches nothing stays as it is."""
    for name in names:
        pattern = "*" in name and ".." not in name and not name.startswith("/")
        hits = sorted(path.relative_to(root).as_posix() for path in root.glob(name)) if pattern else []
        yield from hits or [name]


def _content(folder: Path, found: Problems) -> list[Path]:
    """What lies in a folder, by name, hidden files left out; nothing with an error when it is locked."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as reason:
        message = f"The folder {folder.name!r} cannot be read: {reason.strerror}."
        found.error("unreadable-folder", message, "Check its permissions.", value=folder.name)
        return []


def _by_convention(root: Path, kind: str, listed: Sequence[str], found: Problems) -> tuple[Path, ...]:
    for group in CONVENTIONS[kind]:
        hits = [name for name in listed if any(_matches(name, pattern) for pattern in group)]
        if kind in _MANY or group[0].endswith("*.parquet") or len(hits) == 1:
            if hits:
                return _named(root, hits, found, "")
        elif hits:
            _report_ambiguous(found, kind, hits)
            return ()
    return ()


def _listing(root: Path, found: Problems) -> list[str]:
    """Names of the folder, and of the two folders below it that hold parts; hidden ones left out."""
    folders = [root, *(root / name for name in ("concepts", "data", "graph") if (root / name).is_dir())]
    return sorted(path.relative_to(root).as_posix() for folder in folders for path in _content(folder, found))


def _matches(name: str, pattern: str) -> bool:
    return name.count("/") == pattern.count("/") and fnmatchcase(name.lower(), pattern)


def _systems_by_convention(root: Path, found: Problems) -> dict[str, dict[str, Path]]:
    folder = root / "systems"
    systems: dict[str, dict[str, Path]] = {}
    for system in _content(folder, found) if folder.is_dir() else ():
        where = f"systems/{system.name}"
        if not system.is_dir():
            way_out = "Put it into a folder of its own: systems/NAME/run.trec."
            found.warning("not-a-system", f"{where} is not a folder.", way_out, value=where)
            continue
        names = [path.name for path in _content(system, found)]
        parts: dict[str, Path] = {}
        for key, known in SYSTEM_FILES.items():
            hits = [f"{where}/{name}" for name in names if name.lower() in known]
            if len(hits) > 1:
                _report_ambiguous(found, key, hits)
            elif hits and (path := _inside(root, hits[0], found)):
                parts[key] = path
        if not parts:
            way_out = f"Name its files run.trec, run.csv or run.json, or {SYSTEM_FILES['embeddings'][0]}."
            found.warning(
                "empty-system", f"{where} holds no run and no embeddings.", way_out, value=system.name
            )
        systems[system.name] = parts
    return systems


def _report_ambiguous(found: Problems, kind: str, hits: list[str]) -> None:
    message = f"Several files could be the {kind.replace('_', ' ')}: {', '.join(hits[:5])}. None is used."
    found.error("ambiguous-file", message, f"Keep one, or name it in {TOML}.", value=hits[0])
