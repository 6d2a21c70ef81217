"""The organiser's board as one HTML file and as rows for a CSV file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evalcore import __version__
from evalcore.features.imageclef.organiser import By, Place, Standings, boards
from evalcore.features.imageclef.published import TEST_SET, Published
from evalcore.features.imageclef.tables import failures_table, places_table, title
from evalcore.results.rows import Column, Table
from evalcore.results.writers import html
from evalcore.values.bundled import bundled
from evalcore.values.writing import pluralize

BY_TITLE: Mapping[By, str] = {"all": "all runs", "team": "the best run of each team"}


def tables_of(
    made: Standings, *, published: Sequence[Published] = (), by: Sequence[By] = ("team", "all")
) -> dict[str, Table]:
    """The boards of a campaign by title: for each way of ranking, with and without external resources."""
    return {
        f"{name}: {BY_TITLE[one]}": places_table(rows, metric=made.metric)
        for one in by
        for name, rows in boards(made, by=one, published=published).items()
    }


def notes_of(made: Standings, *, included: bool) -> list[str]:
    """What the numbers are: the metric, and where it is not the one that the task ranks by."""
    edition, metric = made.edition, made.metric
    ranked, failed = len(made.ranked), len(made.failures)
    notes = [
        f"{edition.title}, {edition.task}. Ranked by {title(metric)}: {pluralize(ranked, 'run')}"
        + (f"; {pluralize(failed, 'submission')} without an official score." if failed else ".")
    ]
    if metric != edition.headline:
        notes.append(
            f"The task ranks by {title(edition.headline)}, which cannot be computed for every run here."
        )
    if included:
        notes.append(f"Published results were scored on {TEST_SET}.")
    return notes


def board_html(made: Standings, *, published: Sequence[Published] = (), included: bool = False) -> str:
    """The boards and the submissions without a score as one file that loads nothing from elsewhere."""
    tables = tables_of(made, published=published)
    drawn = [html(table, caption=name) for name, table in tables.items()]
    if made.failures:
        failed = failures_table(made.failures, metric=made.metric)
        drawn.append(html(failed, caption="Without an official score"))
    environment = Environment(
        loader=PackageLoader("evalcore.features", "imageclef"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("board.html.j2").render(
        title=f"{made.edition.title}: {made.edition.task}",
        style=Markup(bundled(__package__, "board.css")),
        notes=[*notes_of(made, included=included), f"CUIscope {__version__}"],
        tables=[Markup(table) for table in drawn],
    )


def board_rows(made: Standings, *, published: Sequence[Published] = ()) -> Table:
    """Every place of every board, one row each, and the failures below: the rows of a CSV file."""
    places: list[tuple[str, Place]] = [
        (f"{name}: {BY_TITLE[by]}", place)
        for by in ("team", "all")
        for name, rows in boards(made, by=by, published=published).items()
        for place in rows
    ]
    failed = [
        ("without an official score", replace(_NO_PLACE, team=one.entry.team, run=one.entry.file, of=one))
        for one in made.failures
    ]
    columns = [
        Column("board", lambda pair: pair[0]),
        *map(_second, places_table([place for _, place in places], metric=made.metric).columns),
    ]
    why = Column("refused_because_of", lambda pair: ";".join(pair[1].of.reasons) if pair[1].of else "")
    return Table([*places, *failed], [*columns, why], {"edition": made.edition.key, "version": __version__})


def _second(column: Column) -> Column:
    """A column of the second part of a pair."""
    return column._replace(value=lambda pair: column.of(pair[1]))


_NO_PLACE = Place(0, "", "", "", "", float("nan"), False)
