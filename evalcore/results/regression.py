"""What a comparison with saved scores found: its columns, its sentences, and a comment in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.regression import LEVEL
from evalcore.results.rows import Column, Table, decimals, difference_of, p_values_of, plain, signed
from evalcore.results.writers import escape_markdown, markdown
from evalcore.values.writing import p_equals

if TYPE_CHECKING:
    from evalcore.evaluate.regression import Change, Regression


def changes_table(found: Regression) -> Table:
    """The rows, then and now; with a bound also the test against it."""
    correction = found.changes[0].change.correction
    renamed = any(one.change.system != one.change.baseline for one in found.changes)
    about_bound: tuple[Column, ...] = ()
    if found.bound is not None:
        about_bound = (
            Column("p_below", None, f"p (below {found.bound:g})", decimals),
            Column("declined", None, "declined", lambda declined: "yes" if declined else "no"),
        )
    return Table(
        found.changes,
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


def verdict(found: Regression) -> str:
    """In one line what was established about a decline; "" where none was asked about."""
    if found.bound is None:
        return ""
    n = len(found.changes)
    if not found.declined:
        over = "1 comparison" if n == 1 else f"{n:,} comparisons"
        return f"No decline below {found.bound:g} is established ({over})."
    return f"Declined: {'; '.join(map(_declined, found.declined))} (below {found.bound:g})."


def _declined(one: Change) -> str:
    of = one.change
    return (
        f"{of.system} under {of.metric} from {one.then:.4f} to {one.now:.4f}, {signed(of.difference)} "
        f"with {p_equals(one.p_below)}"
    )


def rule(found: Regression) -> str:
    """How a decline is established, in a sentence; "" where none was asked about."""
    if found.bound is None:
        return ""
    n = len(found.changes)
    corrected = f", corrected by Holm over {n:,} comparisons" if n > 1 else ""
    return (
        f"A decline is established where the mean difference is below {found.bound:g} in a one-sided "
        f"paired permutation test{corrected}, p < {LEVEL:g}."
    )


def not_compared(found: Regression) -> list[str]:
    """Which systems only one of both has."""
    said = []
    if found.only_now:
        said.append(f"Not in {found.file} and not compared: {', '.join(found.only_now)}.")
    if found.only_then:
        said.append(f"In {found.file} and not scored now: {', '.join(found.only_then)}.")
    return [plain(one) for one in said]


def as_comment(found: Regression) -> str:
    """For a comment on a pull request: the verdict, the rows as a table, and what has to be known."""
    said = verdict(found)
    above = f"**{escape_markdown(said)}**\n\n" if said else ""
    below = filter(None, ("Now minus then, paired by query.", rule(found), *not_compared(found)))
    return above + markdown(changes_table(found), caption=" ".join(below))
