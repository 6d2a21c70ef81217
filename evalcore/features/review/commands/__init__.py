"""``review``: tasks for readers who judge results blind, and what they said."""

from __future__ import annotations

import click

from evalcore.cli.groups import WithModes
from evalcore.features.review.commands.readers import readers
from evalcore.features.review.commands.tasks import export, list_tasks, make, show, take_in
from evalcore.features.review.commands.verdicts import leave_out, verdicts


@click.group()
def review() -> None:
    """Let readers judge results blind, and read what they said.

    A task is the file review/NAME.toml of the study; readers work on it on the page Review.
    """


for command in (
    make,
    WithModes(show, {"--tasks": (list_tasks, "all tasks, and how much readers judged of each.")}),
    export,
    take_in,
    WithModes(verdicts, {"--leave-out": (leave_out, "labels judged wrong count no more.")}),
    readers,
):
    review.add_command(command)
COMMANDS = (review,)
