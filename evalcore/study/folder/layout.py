"""Which file of a study folder is what: as ``study.toml`` says, else by convention.

No file outside the folder is ever read: every path is resolved, links followed, and refused when it
leaves. The one exception is ``images_root``, a folder of pictures that the user names in a study opened by
its path; what came by upload or in a zip lies in the workspace, and there it is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from evalcore.study.concepts.texts import FOLDERS as OF_TEXTS
from evalcore.study.folder.study_toml import StudyToml, parse_study_toml
from evalcore.study.folder.toml import line_of
from evalcore.study.parts.judgments import FOLDER, OF_PROGRAMS, SPLITS
from evalcore.study.parts.registry import KINDS, OF_A_STUDY, OF_A_SYSTEM
from evalcore.study.tables.files import read_bytes
from evalcore.study.tables.problems import Problems, truncate
from evalcore.study.workspace.file_names import place_in_words, readable
from evalcore.study.workspace.home import USERS, owner_of, server_home
from evalcore.values.bundled import SAMPLE
from evalcore.values.errors import InputError, Report

# Which names in a study folder stand for which part, and what lies in a folder at all.

MAX_LISTED = 200_000
"""Most files of one folder that are looked at; a folder of more is none of a study."""
OF_PARTS = ("concepts", "data", "graph", "concept_vectors", FOLDER, OF_PROGRAMS, SPLITS, *OF_TEXTS)
"""Folders of a study that hold parts; those of systems are looked through one by one."""
MAX_DIGITS = 9
"""Of the number of a seed."""


def content(folder: Path, problems: Problems) -> list[str]:
    """Names in a folder, in order, hidden files left out; nothing with an error when it is locked."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MAX_LISTED + 1)]
    except OSError as reason:
        message = f"The folder {truncate(folder.name)!r} cannot be read: {reason.strerror}."
        problems.error(
            "unreadable-folder",
            message,
            f"Allow reading it, as with: chmod u+rx {truncate(folder.name)}.",
            value=folder.name,
        )
        return []
    if len(names) > MAX_LISTED:
        message = (
            f"The folder {truncate(folder.name)!r} contains more than {MAX_LISTED:,} files; it is not read."
        )
        problems.error(
            "too-many-files", message, "Give a folder that contains only the study.", value=folder.name
        )
        return []
    return sorted(name for name in names if not name.startswith("."))


def listing(root: Path, problems: Problems) -> list[str]:
    """Names of the folder, and of the folders below it that hold parts; hidden ones left out."""
    names = content(root, problems)
    folders = [name for name in OF_PARTS if name in names and is_folder(root / name)]
    return sorted(
        [*names, *(f"{name}/{file}" for name in folders for file in content(root / name, problems))]
    )


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; False, not an error, where it cannot be seen."""
    return os.path.isdir(path)  # noqa: PTH112 -- never raises


def matches(name: str, pattern: str) -> bool:
    """Whether a path below the study folder is one a convention means; upper and lower case are one."""
    return name.count("/") == pattern.count("/") and fnmatchcase(name.lower(), pattern)


def seed_of(name: str) -> int | None:
    """The number in the name of the run of one seed, whatever its ending; None for any other name.

    >>> seed_of("run.3.trec"), seed_of("run.trec"), seed_of("run.3")
    (3, None, None)
    """
    first, _, rest = name.lower().partition(".")
    number, _, ending = rest.partition(".")
    is_number = number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS
    return int(number) if is_number and f"{first}.{ending}" in KINDS["run"].names[0] else None


def standing(root: Path, kind: str, place: str) -> list[Path]:
    """What counts before, or competes with, a file of a kind at this place of a study folder by its name."""
    listed = listing(root, Problems("study.toml"))
    for group in KINDS[kind].names:
        hits = [root / name for name in listed if any(matches(name, pattern) for pattern in group)]
        if hits or any(matches(place, pattern) for pattern in group):
            return hits
    return []


def standing_of_system(folder: Path, kind: str) -> list[Path]:
    """The files of a system's folder that are its run, or its embeddings, by their names."""
    names = content(folder, Problems("study.toml")) if folder.is_dir() else []
    return [folder / name for name in names if name.lower() in KINDS[kind].names[0]]


TOML = "study.toml"
OUTSIDE = "path-leaves-study"
"""Rule of a path, or a link, to what is not in the folder of the study."""
MAX_SYSTEMS = 10_000
LOOSE: Mapping[str, str] = {"runs": "run", "embeddings": "embeddings"}
"""Folders whose files are one system each, by their names: ``runs/hog.trec``, ``embeddings/hog.npz``."""
SEED = "run."
"""What the parts of a system that are runs of its seeds begin with; the number follows."""
_NO_PICTURES = tuple(map(Path, ("/proc", "/sys", "/dev")))


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a study, checked to lie inside its folder."""

    root: Path
    toml: StudyToml
    files: Mapping[str, tuple[Path, ...]]
    systems: Mapping[str, Mapping[str, Path]]
    names: Mapping[str, str]
    """What each system is called, by its key: its title, else the key."""
    text: str = ""
    """``study.toml`` as it stands there, for the lines that messages name."""

    def key_of(self, system: str) -> str | None:
        """The key of the system of this name, else of this key; None when there is none."""
        titled = next((key for key, name in self.names.items() if name == system), None)
        return system if titled is None and system in self.systems else titled

    def seeds_of(self, key: str) -> dict[str, Path]:
        """The runs of a system's seeds by their names (``cnn.2``), by number; none where it has one run."""
        runs = {part: path for part, path in self.systems[key].items() if part.startswith(SEED)}
        return {f"{self.names[key]}.{part.removeprefix(SEED)}": path for part, path in runs.items()}

    def files_of(self, key: str, kind: str) -> list[Path]:
        """The files of a system that are its run, those of its seeds with it, or its embeddings."""
        parts = self.systems[key].items()
        return [path for part, path in parts if part == kind or (kind == "run" and part.startswith(SEED))]

    def taken_seeds(self, key: str) -> list[str]:
        """Names of its seeds that another system has, as its name or its key."""
        names = self.names.items()
        seeds = self.seeds_of(key)
        return sorted(s for s in seeds if any(other != key and s in (other, name) for other, name in names))

    def name_of(self, path: Path) -> str:
        """A path as messages name it: relative to the study folder; of pictures outside `place_in_words`."""
        inside = path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if inside else place_in_words(path)

    @property
    def has_images_outside(self) -> bool:
        """Whether the pictures lie in a folder outside (``images_root``)."""
        return any(not path.is_relative_to(self.root) for path in self.files["images"])


def study_folder(path: str | Path) -> Path:
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


def read_layout(folder: Path) -> tuple[Layout, Report]:
    """The parts of a study folder, and what is wrong with finding them; InputError as `find_layout`."""
    problems = Problems(TOML)
    return find_layout(folder, problems), problems.report()


def find_layout(folder: Path, problems: Problems) -> Layout:
    """Find the parts of a study folder.

    Raises
    ------
    InputError
        There is no such folder.
    """
    root = study_folder(folder)
    toml, text = StudyToml(), ""
    if os.path.lexists(root / TOML) and (path := _inside(root, TOML, problems, text)):
        data = read_bytes(path, problems) or b""
        toml, report = parse_study_toml(data, file=TOML)
        problems.include(report)
        text = data.decode("utf-8", "replace")
    listed = listing(root, problems)
    files = {
        kind: _by_name(root, kind, toml.files[kind], problems, text)
        if kind in toml.files
        else _by_convention(root, kind, listed, problems)
        for kind in OF_A_STUDY
    }
    if any(path.suffix.lower() == ".parquet" for path in files["corpus"]) and "concepts" not in toml.files:
        # Beside texts in parquet, data/ contains the judgments of each split, not shards with concepts.
        splits = tuple(path for path in files["concepts"] if path.parent == root / "data")
        files["concepts"] = tuple(path for path in files["concepts"] if path not in splits)
        files["judgments"] += splits
    if toml.systems is None:
        systems = _systems_by_convention(root, problems)
    else:
        systems = {
            name: {
                key: path for key, value in parts.items() for path in _named(root, (value,), problems, text)
            }
            for name, parts in sorted(toml.systems.items())
            if not is_reserved(name, problems, line_of(text, name))
        }
    if toml.images_root and (outside := _images_root(root, toml.images_root, problems, text)):
        files["images"] = (outside,)
    layout = Layout(root, toml, files, systems, _names(systems, toml, problems, text), text)
    return replace(layout, systems=_apart(layout, problems))


def _apart(layout: Layout, problems: Problems) -> Mapping[str, Mapping[str, Path]]:
    """The systems; without the seeds of one where another system is called as one of them would be."""
    systems = dict(layout.systems)
    for key, files in layout.systems.items():
        for seed in layout.taken_seeds(key):
            message = (
                f"Seeds of {truncate(key)!r} and another system would both be called {truncate(seed)!r}."
            )
            remedy = "Rename one of the two folders; the seeds are left out."
            problems.error("same-name", message, remedy, value=seed)
            systems[key] = {part: path for part, path in files.items() if not part.startswith(SEED)}
    return systems


def _names(
    systems: Mapping[str, object], toml: StudyToml, problems: Problems, text: str
) -> Mapping[str, str]:
    """{key: title, else key}; a title that another system has already is reported, and the key stands."""
    titles = {key: look.title for key, look in toml.looks.items() if look.title and key in systems}
    names, given = {key: key for key in systems}, set[str]()
    for key, title in titles.items():
        if title in given or (title in systems and title != key):
            message = (
                f"Another system is already called {truncate(title)!r}; this one is called {truncate(key)!r}."
            )
            remedy = "Give it another title."
            problems.error("same-name", message, remedy, line=line_of(text, title), value=title)
        else:
            names[key] = title
            given.add(title)
    return names


def _images_root(root: Path, name: str, problems: Problems, text: str) -> Path | None:
    """The folder of pictures outside the study, else None with a problem.

    Remarks where it is not here or not followed: the study travels, and its scores need no pictures.
    """
    line = line_of(text, "images_root")
    studies = Path(os.path.realpath(server_home() / "studies"))
    users = Path(os.path.realpath(server_home() / USERS))
    if root.is_relative_to(studies) or owner_of(root):
        message = "images_root is not followed in a study that was uploaded; nothing outside it is read."
        remedy = "Open the study folder by its path, or put the pictures into its folder images."
        problems.warning(OUTSIDE, message, remedy, line=line, value=name)
        return None
    try:
        path = (root / name).resolve()
        there = path.is_dir()
    except (OSError, ValueError, RuntimeError):  # loops, names no system can hold, folders that are locked
        there, path = False, root
    if not there:
        message = f"There is no folder {truncate(name)!r} for images_root."
        problems.warning("missing-file", message, "Correct the path.", line=line, value=name)
        return None
    own = Path(os.path.realpath(Path("~").expanduser()))
    if (
        own.is_relative_to(path)
        or root.is_relative_to(path)
        or studies.is_relative_to(path)
        or users.is_relative_to(path)
        or any(path.is_relative_to(picture) for picture in (*_NO_PICTURES, studies, users))
    ):
        message = f"images_root = {truncate(name)!r} is no folder of pictures; it is not looked through."
        remedy = "Name the folder that contains them."
        problems.error("not-a-picture-folder", message, remedy, line=line, value=name)
        return None
    return path


def is_reserved(name: str, problems: Problems, line: int | None = None) -> bool:
    """Whether a system cannot have this name, which is then reported."""
    if not name.startswith("@"):
        return False
    reserved = "names with @ are reserved for the program's own rankings"
    message = f"No system can be called {truncate(name)!r}: {reserved}."
    problems.error(
        "reserved-name", message, "Rename it without the @; it is left out.", line=line, value=name
    )
    return True


def _inside(root: Path, name: str, problems: Problems, text: str = "") -> Path | None:
    """The path of a file of the study; None with an error when it is missing or leaves the folder."""
    line = line_of(text, name)
    try:
        path = (root / name).resolve()
        missing = not path.exists()
    except (OSError, ValueError, RuntimeError):  # loops, names no system can hold, folders that are locked
        missing, path = True, root
    if not path.is_relative_to(root):
        message = f"The path {truncate(name)!r} leaves the study folder; nothing outside it is read."
        problems.error(OUTSIDE, message, "Copy the file into the folder.", line=line, value=name)
        return None
    if missing:
        message = f"There is no file {truncate(name)!r}."
        problems.error(
            "missing-file",
            message,
            "Correct the path, or copy the file into the folder.",
            line=line,
            value=name,
        )
        return None
    return path


def _named(root: Path, names: Iterable[str], problems: Problems, text: str) -> tuple[Path, ...]:
    return tuple(path for name in names if (path := _inside(root, name, problems, text)))


def _by_name(root: Path, kind: str, names: Iterable[str], problems: Problems, text: str) -> tuple[Path, ...]:
    """The files that ``study.toml`` names; a folder stands for the files in it that can be such a part."""
    paths: list[Path] = []
    for path in _named(root, _expanded(root, names), problems, text):
        if kind == "images" or not path.is_dir():
            paths.append(path)
            continue
        inside = [
            path / name for name in content(path, problems) if name.lower().endswith(KINDS[kind].in_folder)
        ]
        if not inside:
            part = kind.replace("_", " ")
            message = f"The folder {truncate(path.name)!r} contains nothing that can be the {part}."
            remedy = f"Put a file into it that ends in {', '.join(KINDS[kind].in_folder[:5])}, or name one."
            problems.error("empty-folder", message, remedy, line=line_of(text, path.name), value=path.name)
        paths += _named(root, [file.relative_to(root).as_posix() for file in inside], problems, text)
    paths = list(dict.fromkeys(paths))
    if len(paths) > 1 and not KINDS[kind].many and any(path.suffix.lower() != ".parquet" for path in paths):
        _report_ambiguous(problems, kind, [path.relative_to(root).as_posix() for path in paths])
        return ()
    return tuple(paths)


def _expanded(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Names with ``*`` stand for the files they match, in order; what matches nothing stays as it is."""
    for name in names:
        pattern = "*" in name and ".." not in name and not name.startswith("/")
        try:
            hits = sorted(path.relative_to(root).as_posix() for path in root.glob(name)) if pattern else []
        except (OSError, ValueError):
            hits = []  # a file that went meanwhile, or no pattern: then it is the name of a file
        yield from hits or [name]


def _by_convention(root: Path, kind: str, listed: Sequence[str], problems: Problems) -> tuple[Path, ...]:
    if kind == "images" and "images" in listed and (root / "images").is_symlink():
        return _linked_images(root, problems)
    for group in KINDS[kind].names:
        hits = [name for name in listed if any(matches(name, pattern) for pattern in group)]
        if KINDS[kind].many or group[0].endswith("*.parquet") or len(hits) == 1:
            if hits:
                return _named(root, hits, problems, "")
        elif hits:
            _report_ambiguous(problems, kind, hits)
            return ()
    return ()


def _linked_images(root: Path, problems: Problems) -> tuple[Path, ...]:
    """The folder ``images`` where it is a link; one that leads outside is a remark: no score needs it."""
    try:
        path = (root / "images").resolve(strict=True)
    except (OSError, RuntimeError):
        path = None
    if path is not None and path.is_relative_to(root):
        return (path,)
    leads = "leads nowhere" if path is None else "leads outside the study folder, where nothing is read"
    remedy = (
        'Remove the link and write images_root = "/path/to/pictures" in study.toml, or copy the pictures.'
    )
    problems.warning(OUTSIDE, f"images/ is a link that {leads}.", remedy, value="images")
    return ()


def _systems_by_convention(root: Path, problems: Problems) -> dict[str, dict[str, Path]]:
    folder = root / "systems"
    systems: dict[str, dict[str, Path]] = {}
    listed = content(folder, problems) if is_folder(folder) else []
    if len(listed) > MAX_SYSTEMS:
        message = f"There are {len(listed):,} folders in systems; at most {MAX_SYSTEMS:,} are looked at."
        problems.error(
            "too-many-systems",
            message,
            "Move the others into the folder of another study.",
            count=len(listed) - MAX_SYSTEMS,
        )
    for name in listed[:MAX_SYSTEMS]:
        where = f"systems/{name}"
        if not is_folder(folder / name):
            remedy = "Put it into a folder of its own: systems/NAME/run.trec."
            problems.warning("not-a-system", f"{truncate(where)} is not a folder.", remedy, value=where)
        elif not is_reserved(name, problems):
            systems[readable(name)] = _files_of_system(root, where, problems)
    for name, parts in _loose_systems(root, problems).items():
        if name not in systems:
            systems[name] = parts
    return systems


def _loose_systems(root: Path, problems: Problems) -> dict[str, dict[str, Path]]:
    """Systems by files named after them in the folders of `LOOSE`."""
    systems: dict[str, dict[str, Path]] = {}
    for folder, kind in LOOSE.items():
        endings = [name.removeprefix(kind) for name in KINDS[kind].names[0]]
        for name in content(root / folder, problems) if is_folder(root / folder) else []:
            ending = max((ending for ending in endings if name.lower().endswith(ending)), key=len, default="")
            system = readable(name[: len(name) - len(ending)])
            if not ending or not system or (kind == "embeddings" and ending == ".npy"):
                continue  # said by `unread`; a .npy needs its ids beside it
            if kind in systems.get(system, {}):
                message = (
                    f"Several files could be the {kind} of {truncate(system)}; {truncate(name)} is not used."
                )
                problems.error("ambiguous-file", message, "Keep one.", value=f"{folder}/{name}")
            elif not is_reserved(system, problems) and (path := _inside(root, f"{folder}/{name}", problems)):
                systems.setdefault(system, {})[kind] = path
    return systems


def _files_of_system(root: Path, where: str, problems: Problems) -> dict[str, Path]:
    names = content(root / where, problems)
    parts: dict[str, Path] = {}
    for key in OF_A_SYSTEM:
        hits = [f"{where}/{name}" for name in names if name.lower() in KINDS[key].names[0]]
        if key == "run" and (seeds := [name for name in names if seed_of(name) is not None]):
            parts |= _seeds(root, where, hits, seeds, problems)
        elif len(hits) > 1:
            _report_ambiguous(problems, key, hits)
        elif hits and (path := _inside(root, hits[0], problems)):
            parts[key] = path
    if not parts:
        remedy = f"Name its files run.trec, run.csv or run.json, or {KINDS['embeddings'].names[0][0]}."
        message = f"{truncate(where)} contains no run and no embeddings."
        problems.warning("empty-system", message, remedy, value=where.partition("/")[2])
    return parts


def _seeds(root: Path, where: str, runs: list[str], seeds: list[str], problems: Problems) -> dict[str, Path]:
    """The runs of a system's seeds by number; none where there is another run, or two of one number."""
    by_number: dict[int, list[str]] = {}
    for name in seeds:
        by_number.setdefault(seed_of(name) or 0, []).append(f"{where}/{name}")
    twice = [names for names in by_number.values() if len(names) > 1]
    if runs or twice:
        those = [*runs, *(f"{where}/{name}" for name in seeds)] if runs else twice[0]
        listed = ", ".join(map(truncate, those[:5]))
        why = "one run and runs of seeds" if runs else "one seed twice"
        message = f"{truncate(where)} contains {why}: {listed}. None is used."
        remedy = "Keep either run.* or run.1.*, run.2.* and so on, each number once."
        problems.error("ambiguous-file", message, remedy, value=those[0])
        return {}
    paths = ((number, _inside(root, by_number[number][0], problems)) for number in sorted(by_number))
    return {f"{SEED}{number}": path for number, path in paths if path}


def _report_ambiguous(problems: Problems, kind: str, hits: list[str]) -> None:
    listed = ", ".join(map(truncate, hits[:5]))
    message = f"Several files could be the {kind.replace('_', ' ')}: {listed}. None is used."
    problems.error("ambiguous-file", message, f"Keep one, or name it in {TOML}.", value=hits[0])
