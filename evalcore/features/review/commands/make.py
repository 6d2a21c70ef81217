"""``review make``: write a task into a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.asked import on_study
from evalcore.cli.options import MOST_SEED, Whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked

_FORMS = ("graded", "preference", "panel", "ratings")


@on_study()
@click.option("--name", required=True, help="Of the task: letters, digits, - and _.")
@click.option("--title", help="What readers see above it; the name where there is none.")
@click.option(
    "--form", type=click.Choice(_FORMS), default="graded", show_default=True,
    help="graded: each result by itself. preference: two lists side by side. panel: a whole list. ratings: "
    "each result by several criteria.",
)  # fmt: skip
@click.option("--queries", "draw", type=Whole(1), help="How many the seed draws.", metavar="N")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Instead: this query. Repeat.")
@click.option("--system", "systems", multiple=True, help="Whose results are judged. Repeat. All with a run.")
@click.option("--depth", type=Whole(), default=5, show_default=True, help="Results of each list.")
@click.option(
    "--scale", type=click.Choice(["5", "100"]), default="5", show_default=True, help="5 steps, or 0 to 100."
)
@click.option(
    "--seed", type=Whole(-MOST_SEED, MOST_SEED), default=0, show_default=True,
    help="Draws queries, order and sides.",
)  # fmt: skip
@click.option("--instructions", default="", help="What readers are asked, in your words.")
@click.option(
    "--reason", "reasons", multiple=True, help="To tick. Repeat. Usual: modality, organ, finding, …"
)
@click.option("--criterion", "criteria", multiple=True, help="Of the form ratings. Repeat.")
@click.option("--panel", is_flag=True, help="Also ask how satisfying each list is as a whole.")
@click.option("--replace", is_flag=True, help="Replace the task of this name.")
def make(
    asked: Asked, name: str, title: str | None, draw: int | None, queries: Sequence[str],
    systems: Sequence[str], scale: str, reasons: Sequence[str], criteria: Sequence[str], replace: bool,
    **said: Any,
) -> None:  # fmt: skip
    """Write the task NAME into STUDY, and say what it will ask of a reader.

    A task that is judged already should not change: other seeds and systems ask other things.
    """
    from evalcore.features.review.items import plan_of
    from evalcore.features.review.pools import lists_of
    from evalcore.features.review.read.task_files import save_task
    from evalcore.features.review.read.task_toml import check_task
    from evalcore.features.review.tasks import REASONS, Task
    from evalcore.study.workspace import workspace

    if bool(draw) == bool(queries):
        raise click.UsageError("Give one of --queries N and --query ID: which queries are judged.")
    study = asked.study
    task = Task(
        name=name, title=title or name, draw=draw or 0, queries=tuple(queries),
        systems=tuple(systems) or tuple(one for one in study.systems if one in study.runs),
        scale=100 if scale == "100" else 5, reasons=tuple(reasons) or REASONS, criteria=tuple(criteria),
        **said,
    )  # fmt: skip
    check_task(task)
    plan = plan_of(task, lists_of(study, task), reader="")
    folder = Path(asked.folder)
    save_task(folder, task, in_place=not workspace.is_uploaded(folder), replace=replace)
    facts = {
        "task": name, "form": task.form, "queries": list(plan.lists), "systems": list(task.systems),
        "items": len(plan.items), "same_lists": len(plan.equal), "file": f"review/{name}.toml",
    }  # fmt: skip
    text = f"{len(plan.lists):,} queries, {len(plan.items):,} things to judge. Wrote {facts['file']}."
    if plan.equal:
        text += f" {len(plan.equal):,} pairs of lists are the same and not asked about."
    asked.emit(facts, [text])
