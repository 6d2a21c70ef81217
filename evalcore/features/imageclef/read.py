"""Files of the ImageCLEF challenge."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, unquote

from evalcore.study.tables.archives import unpack
from evalcore.study.tables.limits import at_most, max_bytes
from evalcore.study.tables.lines import content_of, decode, read_bytes
from evalcore.study.tables.problems import Problems, attempt, report_unreadable
from evalcore.study.tables.tables import Row, guess_delimiter, read_rows
from evalcore.study.workspace.deleted import Deleted, all_deleted, put_aside, put_back
from evalcore.study.workspace.home import home, is_workspace, safe_name, write_whole
from evalcore.values import events
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report, UnknownName
from evalcore.values.limits import check_file
from evalcore.values.writing import pluralize

# Tables and word lists that come with the program; they lie beside the challenge.

STOP_WORDS = {"2017": "nltk_2016_to_2017_153_words", "later": "nltk_later_with_apostrophes"}
"""English stop words of NLTK: the 153 words of 2016 to 2017, and the later list with apostrophes.

NLTK's stopwords corpus, which took the words from the Snowball project (BSD licence, Porter and Boulton);
kept as ``stopwords.json``, so that nothing is downloaded.
"""


def bundled(name: str) -> bytes:
    """Content of a file such as ``published_2017.csv``."""
    return files("evalcore.features.imageclef").joinpath(name).read_bytes()


@cache
def stop_words(name: str) -> frozenset[str]:
    """One of the lists in ``STOP_WORDS``."""
    return frozenset(json.loads(bundled("stopwords.json"))[STOP_WORDS[name]])


# Files of a challenge kept in the workspace, so that a reload of the page loses none of them.
#
# They lie in ``challenge/<task>/<part>/``, those that belong to one run one folder further down; a number
# in front of each name keeps the order in which they came. A file is complete before it is called by its
# name, and what it replaces goes only then: whenever the program is stopped, the older or the newer file is
# there whole. Where both are, the newer one counts; ``sweep`` removes what is left over.

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "truth": "ground truth",
        "manual": "manually checked truth",
        "runs": "run",
        "published": "published results",
        "submissions": "submissions of all teams",
        "entries": "table of entries",
        "values": "scores of models for all submissions",
        "truth_concepts": "concepts of the true captions",
        "image_embeddings": "image embeddings",
        "scores": "scores of models",
        "run_concepts": "concepts of a run's captions",
        "caption_embeddings": "embeddings of a run's captions",
    }
)
"""What a file can be, in words."""
OF_A_RUN = ("scores", "run_concepts", "caption_embeddings")
MAX_NAME = 180
ABANDONED = 3600
"""Seconds after which an unfinished file is one that nobody writes any more."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept file: what it is, how it was called, the run it belongs to ("" for none), where it lies.

    ``mark`` changes when the file does, without reading it; ``age`` (number, time) orders files by when
    they came.
    """

    part: str
    name: str
    run: str
    path: Path
    size: int
    age: tuple[int, int]
    mark: str


def keep(task: str, part: str, name: str, data: bytes, *, run: str = "") -> None:
    """Keep a file; of the same name it takes the place of the older one, and only runs can be many.

    Raises
    ------
    UnknownName
        There is no such part.
    InputError
        It cannot be written; what was there before is unchanged.
    """
    if part not in PARTS:
        raise UnknownName("part of a challenge", part, PARTS)
    check_file(name, len(data))
    folder, written = _folder(task, part, run), _written(name)
    listed = _files(folder, part, run)
    old = [file for file in listed if part != "runs" or _written_of(file.path) == written]
    number = 1 + max((file.age[0] for file in listed), default=0)
    if part == "runs" and old:
        number = min(file.age[0] for file in old)
    elif part == "runs":  # what is left of a run of that name is about other captions
        _remove_what_belongs_to(task, name)
    new = folder / f"{number:04d}_{written}"
    write_whole(new, data)
    _remove(file.path for file in old if file.path != new)
    events.record("uploaded", kind=f"challenge {task} {part}", file=name, bytes=len(data))


def kept(task: str) -> tuple[Kept, ...]:
    """The files kept for a task, by part and in the order they came."""
    kept_files: list[Kept] = []
    if not is_workspace(home()):
        return ()
    for part in PARTS:
        if part not in OF_A_RUN:
            kept_files += _counting(_files(_folder(task, part, ""), part, ""))
            continue
        runs = {_folder(task, part, file.name): file.name for file in kept_files if file.part == "runs"}
        for folder in sorted(runs):
            kept_files += _counting(_files(folder, part, runs[folder]))
    return tuple(kept_files)


def forget(task: str, file: Kept) -> None:
    """Remove a kept file; with a run goes what belongs to it. One that is gone already does nothing.

    Raises InputError when it cannot be removed.
    """
    for one in _files(file.path.parent, file.part, file.run):  # the newest last: no older one comes back
        if file.part != "runs" or one.name == file.name:
            try:
                one.path.unlink(missing_ok=True)
            except OSError as reason:
                raise _stays(file.name, reason) from reason
    events.record("removed", kind=f"challenge {task} {file.part}")
    if file.part == "runs":
        _remove_what_belongs_to(task, file.name)


def forget_all(task: str) -> None:
    """Remove every file kept for a task, all at once, so that `restore` can bring them back.

    InputError when that is not possible; every file is still there then.
    """
    n = len(kept(task))
    if n:
        put_aside(_kind(task), pluralize(n, "file"), {task: home() / "challenge" / task})


def forgotten(task: str) -> list[Deleted]:
    """The files of a task that were removed all at once and can be brought back, the last ones first."""
    return all_deleted(_kind(task))


def restore(task: str, removed: Deleted) -> None:
    """Bring removed files back; InputError where there are others meanwhile, or they are no longer kept."""
    put_back(removed, {task: home() / "challenge" / task})


def _kind(task: str) -> str:
    return f"challenge {task}"


def sweep() -> None:
    """Remove what uploads and removals that were cut short have left; never a file that counts."""
    top = home() / "challenge"
    if not is_workspace(home()):
        return
    with suppress(OSError):
        for path in top.glob(".*.gone"):
            shutil.rmtree(path, ignore_errors=True)
        for path in top.glob("**/.*.tmp"):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()
        for task in top.iterdir():
            _sweep(task)


def content(file: Kept) -> bytes:
    """The bytes of a kept file; InputError when it cannot be read."""
    return content_of(file.path, file.name)


def _sweep(task: Path) -> None:
    """Files that a newer one replaced, and those of runs that are gone; each judged by one listing."""
    folders = {path: part for part in OF_A_RUN for path in (task / part).glob("of_*")}
    belonging = {path: _files(path, part, "") for path, part in folders.items()}
    belonging |= {task / part: _files(task / part, part, "") for part in PARTS if part not in OF_A_RUN}
    runs = {f"of_{_written(file.name)}" for file in _files(task / "runs", "runs", "")}
    for folder, listed in belonging.items():
        orphaned = folder in folders and folder.name not in runs
        counting = set() if orphaned else {file.path for file in _counting(listed)}
        _remove(file.path for file in listed if file.path not in counting)


def _files(folder: Path, part: str, run: str) -> list[Kept]:
    """Files that ``keep`` wrote, the newest last; those that vanish meanwhile are left out."""
    result = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for path in folder.iterdir():
            number = path.name.partition("_")[0]
            if not (number.isascii() and number.isdecimal()):
                continue
            with suppress(FileNotFoundError):
                facts = path.stat()
                stamp = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
                result.append(
                    Kept(
                        part,
                        unquote(_written_of(path)),
                        run,
                        path,
                        facts.st_size,
                        (int(number), facts.st_mtime_ns),
                        digest_of(str(path), stamp),
                    )
                )
    return sorted(result, key=lambda file: (file.age, file.path.name))


def _counting(files: Sequence[Kept]) -> list[Kept]:
    """Of files that take each other's place the newest: one run of each name, and one of any other part."""
    newest: dict[str, Kept] = {}
    for file in files:
        slot = file.name if file.part == "runs" else ""
        # Two servers can give one name two numbers; then the time decides, and the place stays the first.
        if slot not in newest or file.part != "runs" or file.age[1] >= newest[slot].age[1]:
            newest[slot] = file
    return list(newest.values())


def _remove(paths: Iterable[Path]) -> None:
    """Remove what no longer counts; what cannot be removed is left for the next sweep."""
    for path in paths:
        with suppress(OSError):
            path.unlink()


def _remove_what_belongs_to(task: str, run: str) -> None:
    for part in OF_A_RUN:
        shutil.rmtree(_folder(task, part, run), ignore_errors=True)


def _stays(what: str, reason: OSError) -> InputError:
    return InputError(
        f"{what} cannot be removed: {reason.strerror or reason}. Check that you may write there."
    )


def _folder(task: str, part: str, run: str) -> Path:
    place = home() / "challenge" / task / part
    return place / f"of_{_written(run)}" if part in OF_A_RUN else place


def _written(name: str) -> str:
    """A name as that of a file, from which it can be read back unless it is very long."""
    written = quote(name.encode("utf-8", "replace").decode(), safe=" ")
    return written if len(written) <= MAX_NAME else f"{safe_name(name)}_{digest_of(name)[:8]}"


def _written_of(path: Path) -> str:
    return path.name.partition("_")[2]


# Submitted files: a plain file, or the zip with one file in it that the platforms ask for.

MAX_SUBMISSION = 256 << 20
"""Largest submission once unpacked, in bytes: forty times the largest real one."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def within_cap() -> AbstractContextManager[None]:
    """While it lasts, no more than ``MAX_SUBMISSION`` bytes are read of a file, unpacked."""
    return at_most(min(max_bytes(), MAX_SUBMISSION))


def text_in(data: bytes, problems: Problems) -> str | None:
    """`lines.decode` of a file that may be packed with gzip, no larger than ``MAX_SUBMISSION``."""
    with within_cap():
        return decode(data, problems)


def rows_in(data: bytes, problems: Problems) -> list[Row]:
    """Rows of a table whose cells end at TABs, commas or semicolons; [] with an error without text."""
    text = text_in(data, problems)
    return read_rows(text, problems, delimiter=guess_delimiter(text)) if text else []


def content_of_submissions(path: Path) -> tuple[bytes, Report]:
    """Content of any other file of a challenge as it is; b"" with an error when it cannot be read."""
    problems = Problems(path.name)
    return read_bytes(path, problems) or b"", problems.report()


def read_submission(path: Path) -> tuple[str, bytes, Report]:
    """Name and content of a submission on disk; see `open_submission`."""
    problems = Problems(path.name)
    data = read_bytes(path, problems)
    return (path.name, b"", problems.report()) if data is None else open_submission(data, name=path.name)


def open_submission(data: bytes, *, name: str) -> tuple[str, bytes, Report]:
    """The submitted table.

    Parameters
    ----------
    data : the file, or a zip that holds a single one.
    name : how the file is called.

    Returns
    -------
    name, content, report : those of the file inside a zip; content b"" with an error when the zip
        breaks a limit (see ``archives``), holds none or several files, or too large a one. Another name
        than submission.csv inside a zip is a warning.
    """
    if not data.startswith(_ZIP):
        return name, data, Report()
    problems = Problems(name)
    if (_listed_size(data) or 0) > MAX_SUBMISSION:
        message = f"Unpacked it has more than {MAX_SUBMISSION >> 20} MB."
        problems.error("too-large", message, "Check the file.")
        return name, b"", problems.report()
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "zip"
        report, reason = attempt(lambda: unpack(data, into, file=name))
        if reason is not None:
            report_unreadable(problems, reason)
        if report is None or report.total("error"):
            return name, b"", report or problems.report()
        files = sorted(path for path in into.rglob("*") if path.is_file()) if into.exists() else []
        if len(files) != 1:
            message = f"The zip contains {len(files)} files; the platform takes exactly one."
            problems.error("zip", message, "Put only submission.csv into it.", value=len(files))
            return name, b"", problems.report()
        inside = files[0].relative_to(into).as_posix()
        if inside != "submission.csv":
            message = f"The file in the zip is called {inside!r}; the platform expects submission.csv."
            problems.warning("zip-name", message, "Rename it and zip it again.", value=inside)
        return name, files[0].read_bytes(), problems.report()


def _listed_size(data: bytes) -> int | None:
    """What the files of a zip say they are together; no more than that is ever read of them."""

    def total() -> int:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sum(info.file_size for info in archive.infolist())

    return attempt(total)[0]
