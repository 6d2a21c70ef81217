"""The tables of a report that are asked for: systems slice by slice, and their order under other settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.slices.conditions import LABEL
from evalcore.evaluate.slices.every_slice import over_slices
from evalcore.figures.numbers import count, fixed, p_value, span
from evalcore.report import html
from evalcore.report.tables import signed
from evalcore.results.board import by_score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.evaluate.sweep.stability import Stability
    from evalcore.report.found import Found, OfMetric


def tables(found: Found) -> str:
    """Of every way of slicing and measure: means of systems x slices, and differences from the baseline."""
    if found.slices is None:
        return ""
    ways = dict.fromkeys(row.by for row in found.slices.means)
    return "".join(part for by in ways for of in found.metrics for part in _of_way(found, by, of))


def _of_way(found: Found, by: str, of: OfMetric) -> Iterator[str]:
    assert found.slices is not None, "slices were asked for"
    parts = [row for row in found.slices.means if (row.by, row.scores.metric) == (by, of.metric)]
    means = {(row.scores.system, row.name): row.mean for row in parts}
    systems = by_score({name: mean.mean for name, mean in of.intervals.items()})
    names = dict.fromkeys(row.name for row in parts)
    rows = [
        (
            name, count(max(means[one, name].n for one in systems)),
            *(fixed(means[one, name].mean) for one in systems),
        )
        for name in names
    ]  # fmt: skip
    way = by.removeprefix(LABEL)
    remarks = " ".join(remark for one, remark in found.slices.remarks if one == by)
    caption = (
        f"{of.metric} by {way}: means, best system first; n is the number of queries with a value. {remarks}"
    )
    yield html.table((way, "n", *systems), rows, caption=caption.strip())
    against = [row for row in found.slices.differences if (row.by, row.found.metric) == (by, of.metric)]
    body = [
        (
            row.found.system, row.name, signed(row.found.difference),
            span(row.found.low, row.found.high, places=4), p_value(row.found.p),
            p_value(row.found.p_corrected), count(row.found.n_pairs),
        )
        for row in against
    ]  # fmt: skip
    head = ("System", way, "Difference", "Interval", "p", "p corrected", "n")
    said = f"{of.metric} by {way}: each system minus {found.view.baseline}; {over_slices(against)}."
    yield html.table(head, body, caption=said, words=2)


def sweep(found: Found) -> str:
    """Of every measure that they change: the order of the systems at each \u03b1 and maximum distance."""
    return "".join(_standings(one) for one in found.sweeps)


def _standings(of: Stability) -> str:
    rows = [
        (
            f"{one.settings.threshold}", f"{one.settings.alpha:g}",
            ", ".join(f"{name} {fixed(mean.mean)}" for name, mean in zip(one.order, one.means, strict=True)),
            signed(one.lead), span(one.low, one.high, places=4),
        )
        for one in of.standings
    ]  # fmt: skip
    caption = (
        f"{of.metric} at other weights of related concepts: the systems in order of their mean, and the lead "
        "of the first over the second with its interval."
    )
    head = ("Maximum distance", "\u03b1", "Order", "Lead", "Interval")
    return html.table(head, rows, caption=caption, words=3)
