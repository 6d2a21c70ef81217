"""The material of a task: ``review/NAME.csv`` beside its file, and heat maps in the folder ``review/NAME``.

    image,team,caption,explanation,heat_map
    img_1,A,Chest nodule,The bright spot in the right lung.,a_1.png

image and team must be there, and one of the others. A heat map is a picture in that folder, or below it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.features.review.tasks import MAX_COMMENT, MAX_TEXT, Material, is_line, tidy
from evalcore.study.pictures.image_files import find_images, is_picture
from evalcore.study.tables import tables
from evalcore.study.tables.files import parse_file
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.errors import InputError, Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import ImageFiles

COLUMNS = ("image", "team", "caption", "explanation", "heat_map")
MOST = 20_000
"""Rows of a table."""


@reader(lambda _: ())
def parse_material(data: bytes, problems: Problems, *, teams: Sequence[str] = ()) -> tuple[Material, ...]:
    """Read the table; every row that cannot be used is an error, and so is a team that ``teams`` leaves out.

    Without ``teams`` any team can be there.
    """
    rows = tables.rows_of(data, problems)
    if not rows:
        return ()
    header = [cell.strip().lower().replace(" ", "_") for cell in rows[0].cells]
    if not {"image", "team"} <= set(header) or not set(header) & set(COLUMNS[2:]):
        message = "Columns are missing."
        problems.error("wrong-header", message, f"Name them {', '.join(COLUMNS)}.", line=1)
        return ()
    if len(rows) > MOST:
        problems.error("too-many-rows", f"There are {len(rows):,} rows; at most {MOST:,}.", "Leave some out.")
        return ()
    seen: dict[tuple[str, str], int] = {}
    made = []
    remedy = "Put a text that contains commas into double quotes."
    for row in tables.full_rows(rows[1:], problems, len(header), remedy):
        cells = dict(zip(header, row.cells, strict=True))
        long = next((name for name in COLUMNS[2:4] if len(cells.get(name, "").strip()) > MAX_COMMENT), None)
        if long is not None:
            message = f"The {long} is longer than {MAX_COMMENT:,} characters; the row is left out."
            problems.error("too-long", message, "Shorten it.", line=row.line, value=cells[long])
            continue
        entry = Material(
            cells.get("image", "").strip(),
            cells.get("team", "").strip(),
            tidy(cells.get("caption", ""), MAX_COMMENT),
            tidy(cells.get("explanation", ""), MAX_COMMENT),
            cells.get("heat_map", "").strip(),
        )
        if why := _wrong(entry, teams, seen):
            problems.error(why[0], why[1], why[2], line=row.line, value=entry.image)
            continue
        seen[entry.image, entry.team] = row.line
        made.append(entry)
    if not made and not problems.n_errors:
        problems.error("no-rows", "There are no rows below the header.", "Add some.", line=1)
    return tuple(made)


def _wrong(entry: Material, teams: Sequence[str], seen: dict[tuple[str, str], int]) -> tuple[str, ...]:
    """Rule, message and remedy of what is wrong with a row; () for nothing."""
    if not is_line(entry.image, MAX_TEXT):
        return "bad-id", f"The image {tables.quoted(entry.image)} is not an id.", "Write the id of an image."
    if not is_line(entry.team, MAX_TEXT):
        message = f"The team {tables.quoted(entry.team)} is not a name."
        return "bad-team", message, "Write the team, on one line."
    if teams and entry.team not in teams:
        message = f"{tables.quoted(entry.team)} is not a system of the task."
        return "unknown-team", message, f"The task names {', '.join(teams)}."
    if not (entry.text or entry.heat_map):
        return "empty-row", "The row has neither text nor heat map.", "Fill one of them."
    if (entry.image, entry.team) in seen:
        message = f"{entry.team} has {entry.image} on line {seen[entry.image, entry.team]} already."
        return "repeated-row", message, "Keep one row for an image of a team."
    return ()


def read_material(
    table: Path, *, teams: Sequence[str] = ()
) -> tuple[tuple[Material, ...], ImageFiles | None]:
    """A table anywhere and its heat maps, in the folder that is called like it without its ending.

    Raises
    ------
    InputError
        A row or a heat map cannot be used; the report has all of them.
    """
    nothing: tuple[Material, ...] = ()
    material, report = parse_file(parse_material, table, nothing, file=table.name, teams=teams)
    pictures, found = heat_maps(table.with_suffix(""), material, file=table.name)
    report += found
    if report.total("error"):
        raise InputError(f"The material {table.name} cannot be used.", report)
    return material, pictures


def uploaded_material(
    files: Sequence[tuple[str, bytes]], name: str
) -> tuple[tuple[Material, ...], dict[str, bytes]]:
    """The material of uploaded files, one table and its heat maps, as (name, content); and {place in a study:
    content} of them beside a task called ``name``.

    Raises
    ------
    InputError
        Not one table, a heat map that is missing, is in no row or is no picture by its name, or a row that
        cannot be used; the report has all of them.
    """
    given = [(file, data) for file, data in files if file.lower().endswith(".csv")]
    if len(given) != 1:
        raise InputError(f"Give one table (CSV) of explanations, with the columns {', '.join(COLUMNS)}.")
    (file, table), problems = given[0], Problems(given[0][0])
    material, report = parse_material(table, file=file)
    pictures = {other: data for other, data in files if not other.lower().endswith(".csv")}
    wanted = heat_map_names(material)
    for missing in sorted({*wanted} - {*pictures}):
        message = f"There is no heat map {tables.quoted(missing)}."
        problems.error("missing-picture", message, "Upload it with the table.", value=missing)
    for other in pictures:
        if other not in wanted:
            message = f"{tables.quoted(other)} is the heat map of no row."
            problems.error("unused-picture", message, "Name it in the table, or leave it out.", value=other)
        elif other != Path(other).name or "\\" in other or other.startswith(".") or not is_picture(other):
            message = f"{tables.quoted(other)} is not the name of a picture."
            problems.error("bad-picture", message, "Rename it, such as a_1.png.", value=other)
    report += problems.report()
    if report.total("error"):
        raise InputError(f"The table {file} cannot be used.", report)
    beside = {f"review/{name}/{other}": data for other, data in pictures.items()}
    return material, {**beside, f"review/{name}.csv": table}


def files_beside(name: str, table: Path, pictures: ImageFiles | None) -> dict[str, Path]:
    """{place in a study: file} of the table and heat maps of a task of this name, heat maps first."""
    entries = [entry for entry in pictures.entries if entry] if pictures else []
    maps = {f"review/{name}/{entry}": table.with_suffix("") / entry for entry in entries}
    return {**maps, f"review/{name}.csv": table}


def heat_maps(folder: Path, material: Sequence[Material], *, file: str) -> tuple[ImageFiles | None, Report]:
    """The pictures of the heat maps, in the order of their sorted names; an error for one that is missing."""
    names, problems = heat_map_names(material), Problems(file)
    files, report = None, Report()
    if names and folder.is_dir() and not folder.is_symlink():
        files, report = find_images(folder, names, file=file)
    for place, name in enumerate(names):
        if files is None or files.entries[place] is None:
            message, remedy = f"There is no heat map {tables.quoted(name)}.", f"Put it into {folder.name}."
            problems.error("missing-picture", message, remedy, value=name)
    return files, report + problems.report()


def heat_map_names(material: Sequence[Material]) -> list[str]:
    """The names of all heat maps, sorted, each once."""
    return sorted({entry.heat_map for entry in material if entry.heat_map})
