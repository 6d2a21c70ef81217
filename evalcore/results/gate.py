"""What a gate says of one system against another: whether a decline below its bound is established."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.evaluate.comparison import FALSE_ALARMS
from evalcore.results.rows import plain, signed
from evalcore.values.writing import p_equals, pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.comparison import Gated


def gate_facts(rows: Sequence[Gated], bound: float) -> dict[str, Any]:
    """For JSON: the bound, and by metric the test against it."""
    return {
        "bound": bound,
        "significance": FALSE_ALARMS,
        "declined": any(row.declined for row in rows),
        "metrics": [
            {"metric": row.comparison.metric, "p_below": row.p_below, "declined": row.declined}
            for row in rows
        ],
    }


def gate_in_words(rows: Sequence[Gated], bound: float | None) -> list[str]:
    """How a decline is established, and which are; the verdict is last. Nothing without a bound."""
    if bound is None:
        return []
    n = len(rows)
    corrected = f", corrected by Holm over {n:,} metrics" if n > 1 else ""
    lower = any(row.comparison.lower_is_better for row in rows)
    ranks = f" (of ranks: above {abs(bound):g})" if lower else ""
    rule = (
        f"A decline is established where the mean difference is below {bound:g}{ranks} in a one-sided paired "
        f"permutation test{corrected}, p < {FALSE_ALARMS:g}."
    )
    declined = sorted((row for row in rows if row.declined), key=lambda row: row.comparison.lead)
    if not declined:
        return [rule, f"No decline below {bound:g} is established ({pluralize(n, 'comparison')})."]
    named = "; ".join(
        f"{of.system} under {of.metric}, {signed(of.difference)} from {of.baseline} with {p_equals(p)}"
        for of, p, _ in declined
    )
    return [rule, plain(f"Declined: {named} (below {bound:g}).")]
