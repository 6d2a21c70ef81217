"""What both tasks of ``imageclef`` are asked for, and the files that their options name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Command, as_json, gathered, with_seed
from evalcore.cli.output import TEXT_FILE
from evalcore.features.imageclef.editions import EDITIONS, Edition, edition_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.features.imageclef.editions import Task
    from evalcore.features.imageclef.result import Opened

FILE = click.Path(dir_okay=False)
in_models_folder = click.option(
    "--models-folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
    help="Where weights lie; else the folder models of the workspace.",
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """The values of the options that both tasks share, named like them."""

    edition: Edition
    truth: str
    runs: Sequence[str]
    published: str | None
    baseline: str | None
    per_image: str | None
    repaired: str | None
    seed: int
    json: bool

    @cached_property
    def opened(self) -> Opened:
        """Submissions by name; of files with equal names the later ones are called by their whole path."""
        from evalcore.features.imageclef.read.submissions import read_submission

        opened = {}
        for path in self.runs:
            name, data, report = read_submission(Path(path))
            opened[path if name in opened else name] = (data, report)
        return opened


def on_runs(task: Task, *, truth: str) -> Callable[[Command], Command]:
    """A command that scores runs: it gets one ``Asked``, then its own options by name.

    truth: the help text of ``--truth``.
    """

    def asked(edition: str, json_wanted: bool, **shared: Any) -> Asked:
        return Asked(edition_of(task, edition), json=json_wanted, **shared)

    return gathered(
        "asked", asked,
        click.option("--edition", type=click.Choice(EDITIONS), required=True, help="Whose rules and script."),
        click.option("--truth", type=FILE, required=True, metavar="F", help=truth),
        click.option("--run", "runs", type=FILE, multiple=True, required=True, metavar="F",
                     help="A submission, or a zip with one in it. Repeat for several."),
        click.option("--published", type=FILE, metavar="F",
                     help="Published results to place the runs among (columns team, run, score, resources, "
                     "source); else, for 2017, those of the task's page."),
        click.option("--baseline", metavar="RUN", help="Compare the others with this run; else the first."),
        click.option(
            "--per-image", type=TEXT_FILE, metavar="OUT.csv", help="Write the scores of every image."
        ),
        click.option("--repaired", metavar="FOLDER",
                     help="Write repaired files where the repair is unambiguous."),
        with_seed("Seed of intervals."), as_json,
    )  # fmt: skip


def file_of(path: str) -> dict[str, Any]:
    """``data`` and ``file`` of a file that must be there, as the readers take them; InputError otherwise."""
    from evalcore.features.imageclef.read.submissions import content_of

    data, report = content_of(Path(path))
    if report.total("error"):
        raise InputError(f"{path} cannot be used.", report)
    return {"data": data, "file": Path(path).name}
