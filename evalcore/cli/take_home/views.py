"""``views``: the views kept with a study, each with the commands that give its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table
from evalcore.cli.output import mention, plain
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked
    from evalcore.study.workspace.views import SavedView

_COLUMNS = (
    Column("name", head="view"), Column("page", head="page"),
    Column("tags", lambda one: list(one.tags), "tags", ", ".join), Column("note", head="note"),
    Column("saved", head="saved"), Column("settings", lambda one: dict(one.settings.chosen)),
    Column("address", lambda one: {key: list(values) for key, values in one.address.items()}),
)  # fmt: skip


@on_study()
@click.option("--delete", "names", multiple=True, metavar="NAME", help="Forget this view first.")
@click.option(
    "--tour", "metric", metavar="METRIC",
    help="First save up to five views worth showing, found by this measure, as Present does on the pages.",
)  # fmt: skip
def views(asked: Asked, names: Sequence[str], metric: str | None) -> None:
    """List the views saved with STUDY, with tags, notes and the commands that give the same numbers.

    Views are saved on the pages, in views.toml of the study's folder. A page of which no command gives the
    whole has none.
    """
    from evalcore.study.workspace import workspace
    from evalcore.study.workspace.views import delete_view, read_views

    folder = Path(asked.folder)
    for name in names:
        delete_view(folder, name, in_place=not workspace.is_uploaded(folder))
    if metric is not None:
        _save_tour(asked, folder, metric)
    found, report = read_views(folder)
    mention(report)
    commands = {one.name: command_of(one, asked.folder) for one in found}
    table = Table(found, (*_COLUMNS, Column("command", lambda one: commands[one.name])))
    lines = [f"\n# {plain(name)}\n{plain(line)}" for name, line in commands.items() if line]
    shown: list[str | Table] = [table, *lines] if found else ["The study has no saved views."]
    asked.emit({"study": asked.folder, "views": table}, shown)


def _save_tour(asked: Asked, folder: Path, metric: str) -> None:
    """A good case, a link to think about, a disagreement, another alpha and the verdict."""
    from datetime import date

    from evalcore.evaluate.tour import tour
    from evalcore.evaluate.view import View
    from evalcore.report.tour import views_of
    from evalcore.study.workspace import workspace
    from evalcore.study.workspace.views import save_view

    stops = tour(asked.study, metric=metric, settings=Settings())
    chosen = View(metrics=(metric,))
    for view in views_of(stops, chosen, base={"metric": (metric,)}, on=date.today().isoformat()):
        save_view(folder, view, in_place=not workspace.is_uploaded(folder))


def command_of(view: SavedView, folder: str) -> str | None:
    """The command that gives the numbers of a page; None where there is none."""
    from dataclasses import replace

    from evalcore.evaluate.view import command_line

    chosen = view.settings.view()
    if view.page == "compare":
        a, b = ((*view.address.get(key, ()), "")[0] for key in ("a", "b"))
        pair = tuple(dict.fromkeys((*chosen.systems, *filter(None, (a, b)))))
        chosen = replace(chosen, systems=pair, baseline=b or chosen.baseline)
    elif view.page != "home":
        return None
    return command_line("score", folder, *chosen.options()) if chosen.metrics else None
