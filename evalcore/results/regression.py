"""What a comparison with saved scores found: its columns, its sentences, and a comment in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.regression import LEVEL
from evalcore.results.rows import Column, Table, decimals, difference_of, p_values_of, plain, signed
from evalcore.results.writers import escape_markdown, markdown
from evalcore.values.writing import p_equals

if TYPE_CHECKING:
    from evalcore.evaluate.regression import Change, Regression


def changes_table(regression: Regression) -> Table:
    """The rows, then and now; with a bound also the test against it."""
    correction = regression.changes[0].change.correction
    renamed = any(row.change.system != row.change.baseline for row in regression.changes)
    about_bound: tuple[Column, ...] = ()
    if regression.bound is not None:
        about_bound = (
            Column("p_below", None, f"p (below {regression.bound:g})", decimals),
            Column("declined", None, "declined", lambda declined: "yes" if declined else "no"),
        )
    return Table(
        regression.changes,
        (
            Column("system", "change.system", "system"),
            Column("system_then", "change.baseline", "was" if renamed else None),
            Column("metric", "change.metric", "metric"),
            Column("then", None, "then", decimals),
            Column("now", None, "now", decimals),
            *difference_of("change."),
            Column("ci_level", "change.level"),
            *p_values_of(correction, "change."),
            *about_bound,
        ),
    )


def verdict(regression: Regression) -> str:
    """In one line what was established about a decline; "" where none was asked about."""
    if regression.bound is None:
        return ""
    n = len(regression.changes)
    if not regression.declined:
        over = "1 comparison" if n == 1 else f"{n:,} comparisons"
        return f"No decline below {regression.bound:g} is established ({over})."
    return f"Declined: {'; '.join(map(_declined, regression.declined))} (below {regression.bound:g})."


def _declined(row: Change) -> str:
    of = row.change
    return (
        f"{of.system} under {of.metric} from {row.then:.4f} to {row.now:.4f}, {signed(of.difference)} "
        f"with {p_equals(row.p_below)}"
    )


def rule(regression: Regression) -> str:
    """How a decline is established, in a sentence; "" where none was asked about."""
    if regression.bound is None:
        return ""
    n = len(regression.changes)
    corrected = f", corrected by Holm over {n:,} comparisons" if n > 1 else ""
    lower = any(change.change.lower_is_better for change in regression.changes)
    ranks = f" (of ranks: above {abs(regression.bound):g})" if lower else ""
    return (
        f"A decline is established where the mean difference is below {regression.bound:g}{ranks} in a "
        f"one-sided paired permutation test{corrected}, p < {LEVEL:g}."
    )


def not_compared(regression: Regression) -> list[str]:
    """Which systems only one of both has."""
    lines = []
    if regression.only_now:
        lines.append(f"Not in {regression.file} and not compared: {', '.join(regression.only_now)}.")
    if regression.only_then:
        lines.append(f"In {regression.file} and not scored now: {', '.join(regression.only_then)}.")
    return [plain(line) for line in lines]


def as_comment(regression: Regression) -> str:
    """For a comment on a pull request: the verdict, the rows as a table, and what has to be known."""
    outcome = verdict(regression)
    above = f"**{escape_markdown(outcome)}**\n\n" if outcome else ""
    below = filter(None, ("Now minus then, paired by query.", rule(regression), *not_compared(regression)))
    return above + markdown(changes_table(regression), caption=" ".join(below))
