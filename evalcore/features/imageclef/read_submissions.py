"""All submissions of a campaign: a folder or a zip of them, and the table that says who sent which."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.organiser import Entry, entry_of, without_stamp
from evalcore.features.imageclef.read import rows_in
from evalcore.study.tables.archives import unpack
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError, Report

ENTRIES = "entries.csv"
"""A file of this name among the submissions says who sent them."""
COLUMNS = ("file", "team", "run", "run_type", "resources")
MOST = 2_000
"""Most submissions that are scored in one go."""


@contextmanager
def submissions(source: Path | bytes, *, file: str) -> Iterator[dict[str, Path]]:
    """{path in the folder or zip: where it is}, in their order; an outer folder that all share is left out.

    A zip is unpacked for as long as this lasts; zips in it are submissions of their own. Hidden files and
    links are passed over. A single file that is no folder and no zip is the only submission.

    Raises
    ------
    InputError
        The zip breaks a limit (see `archives.unpack`), or there are no submissions or more than ``MOST``.
    """
    with tempfile.TemporaryDirectory() as place:
        top = source if isinstance(source, Path) else None
        if top is None or (top.is_file() and _is_zip(top)):
            top = Path(place) / "unpacked"
            report = unpack(source, top, file=file)
            if report.total("error"):
                raise InputError(f"{file} cannot be used.", report)
        files = {top.name: top} if top.is_file() else _files(top)
        if not set(files) - {ENTRIES}:
            raise InputError(f"{file} contains no submissions. Give a folder or a zip of them.")
        if len(files) > MOST:
            message = f"{file} contains {len(files):,} files; at most {MOST:,} are scored in one go."
            raise InputError(f"{message} Score them in parts.")
        yield files


def _is_zip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def _files(top: Path) -> dict[str, Path]:
    if not top.is_dir():
        return {}
    listed = sorted(
        path
        for path in top.rglob("*")
        if path.is_file()
        and not path.is_symlink()
        and not any(part.startswith((".", "__MACOSX")) for part in path.relative_to(top).parts)
    )
    firsts = {path.relative_to(top).parts[0] for path in listed}
    if len(firsts) == 1 and listed[0].parent != top:
        return _files(top / firsts.pop())
    return {path.relative_to(top).as_posix(): path for path in listed}


def entries_of(
    files: Mapping[str, Path], edition: Edition, *, table: tuple[bytes, str] | None = None
) -> tuple[tuple[Entry, ...], Report]:
    """Who sent which submission: as file names say, and over that as the table does (content and name).

    Without a table the file ``entries.csv`` among the submissions is one. What the table says of files that
    are not there is a warning.

    Raises
    ------
    InputError
        The table lacks a column ``file``, or has no other that is known.
    """
    if table is None and ENTRIES in files:
        table = files[ENTRIES].read_bytes(), ENTRIES
    by_name = [entry_of(path, edition) for path in files if path != ENTRIES]
    if table is None:
        return tuple(by_name), Report()
    return read_entries(table[0], file=table[1], entries=by_name)


def read_entries(data: bytes, *, file: str, entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], Report]:
    """Entries with what a table says of them; a row names a file by its path, its name or its bare name."""
    problems = Problems(file)
    rows = rows_in(data, problems)
    header = [cell.strip().lower().replace(" ", "_") for cell in rows[0].cells] if rows else []
    if ("file" not in header or not set(header) & set(COLUMNS[1:])) and not problems.n_errors:
        message, remedy = "Columns are missing.", f"Name them {', '.join(COLUMNS)}; file is needed."
        problems.error("wrong-header", message, remedy, line=1)
    if problems.n_errors:
        raise InputError(f"The table of entries {file} cannot be used.", problems.report())
    at: dict[str, list[int]] = {}
    for i, entry in enumerate(entries):
        for name in {entry.file, PurePosixPath(entry.file).name, _bare(entry.file)}:
            at.setdefault(name, []).append(i)
    made = list(entries)
    for row in rows[1:]:
        cells = {name: cell.strip() for name, cell in zip(header, row.cells, strict=False)}
        named = cells.pop("file", "")
        meant = at.get(named) or at.get(_bare(named)) or []
        if len(meant) != 1:
            what = "There is no submission" if not meant else f"There are {len(meant)} submissions"
            message = f"{what} called {named!r}; the row has no effect."
            problems.warning("unknown-file", message, "Write its path.", line=row.line, value=named)
            continue
        given = {name: cell for name, cell in cells.items() if name in COLUMNS and cell}
        made[meant[0]] = replace(made[meant[0]], **given)
    return tuple(made), problems.report()


def _bare(path: str) -> str:
    """A file name without the platform's time stamp and its ending."""
    return PurePosixPath(without_stamp(PurePosixPath(path).name)).stem
