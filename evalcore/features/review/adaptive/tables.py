"""The state of an adaptive task as the command and the page show it."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

from evalcore.features.review.adaptive.design import ending, estimate_rows, progress_in_words, verdict
from evalcore.results.rows import Column, Table, decimals, interval, whole
from evalcore.values.markdown import plain
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.features.review.adaptive.course import Estimate
    from evalcore.features.review.adaptive.design import State
    from evalcore.features.review.tasks import Task

METHOD = (
    "Means over all queries of the task, weighted by the chances with which queries were drawn; intervals "
    "apply to all looks together."
)
EARLY = {
    "best": "The claim is about the best system only: judging stopped early, because of what was seen, and "
    "leads at such a moment tend to be too large.",
    "order": "The claim is about the order only: judging stopped early, because of what was seen, and "
    "differences at such a moment tend to be too large.",
}
"""What estimates are not good for when judging stopped because the claim was decided."""


def estimates_table(state: State) -> Table:
    """The weighted mean of each system with its interval, and by how much the leader is ahead."""

    def three(value: float | None) -> str:
        return "" if value is None else decimals(value, 3)

    def ends(one: Estimate | None) -> str:
        return "" if one is None or one.low != one.low else interval(one.low, one.high)

    columns = (
        Column("system", lambda row: row[0], "system", plain).on_page("System", cell=plain),
        Column("mean", partial(_end, 1, "value"), "mean", three).on_page("Mean ↑", "%.3f"),
        Column("interval", lambda row: ends(row[1]), "interval", str).on_page("Interval", cell=str),
        Column("behind", partial(_end, 2, "value"), "behind by", three).on_page("Behind by", "%.3f"),
        Column("behind_interval", lambda row: ends(row[2]), "interval of that", str).on_page(
            "Interval of that", cell=str
        ),
        Column("queries", lambda row: row[3], "queries", whole).on_page("Queries"),
        *(
            Column(f"{name}{end}", partial(_end, place, end))
            for name, place in (("", 1), ("behind_", 2))
            for end in ("low", "high")
        ),
    )
    return Table(estimate_rows(state) if state.course.over else [], columns)


def _end(place: int, name: str, row: Sequence[Any]) -> float | None:
    """A number of one of the estimates of a row; None where there is none, or no end to it."""
    value = None if row[place] is None else float(getattr(row[place], name))
    return value if value is not None and isfinite(value) else None


def state_lines(state: State) -> list[str]:
    """Progress, the reason to stop, the claim, and how the estimates are to be read."""
    lines = [f"{progress_in_words(state)}.", f"{ending(state)} {plain(verdict(state), limit=400)}"]
    if state.unsure:
        lines.append(
            f"{pluralize(state.unsure, 'item')} without a grade from any reader, left out of the lists."
        )
    if state.stray:
        lines.append(
            f"{pluralize(state.stray, 'answer')} to what the task did not ask for; not counted here."
        )
    if limits := limits_of(state):
        lines.append(limits)
    return [*lines, METHOD] if state.course.over else lines


def limits_of(state: State) -> str:
    """What the estimates of a task that stopped early are not good for; "" where there is no such limit."""
    return EARLY.get(state.design.pool.claim, "") if state.course.reason == "decided" else ""


def state_facts(state: State) -> dict[str, Any]:
    """The same for JSON."""
    return {
        "claim": state.design.pool.claim,
        "level": state.design.pool.level,
        "judged": state.judged,
        "left": state.left,
        "at_most": state.design.pool.at_most,
        "rounds": state.course.over,
        "stopped": state.course.reason,
        "why": ending(state),
        "verdict": verdict(state),
        "limits": limits_of(state),
        "unsure": state.unsure,
        "stray": state.stray,
    }


SEE = "Review (`review show STUDY TASK`) has weighted means of all queries."
"""The way out where judgments of adaptive tasks are not used."""

IN_QRELS = (
    "The task asked only what decides: programs that take qrels count results without a grade as not "
    "relevant and every query the same, so that their means would be biased. " + SEE
)
"""What qrels of an adaptive task are not for."""


def chosen_by_need(tasks: Iterable[Task]) -> str:
    """Why nothing is said of other readers, where queries were chosen by what they decide; "" elsewhere."""
    names = [task.title for task in tasks if task.adaptive is not None]
    if not names:
        return ""
    return (
        f"Queries and systems judged in {plain(', '.join(names), limit=200)} were chosen for what they "
        f"decide, with unequal chances, so their plain averages would be biased. {SEE}"
    )
