"""``review``: tasks for readers who judge results blind, and what they said."""

from __future__ import annotations

import click

from evalcore.features.review.commands.tasks import export, list_tasks, make, show, take_in
from evalcore.features.review.commands.verdicts import leave_out, verdicts


@click.group()
def review() -> None:
    """Let readers judge results of STUDY without knowing where they come from, and take home what they said.

    A task is the file review/NAME.toml of the study; readers work on it on the page Review.
    """


for command in (make, list_tasks, show, export, take_in, verdicts, leave_out):
    review.add_command(command)
