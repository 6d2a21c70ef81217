"""What settings of nn-IoU decide and cost: sweeps, standings of systems, times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.evaluate.sweep import tau_of
from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    ends,
    named,
    only_saved,
    only_shown,
    system_name,
    titled,
    whole,
)
from evalcore.results.tidy import of_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.cost import Cost
    from evalcore.evaluate.sweep import Standing, SweepRow
    from evalcore.values.model import Interval

_SCORE = "%.4f"


def mean_with_ends(of: str, head: str = "interval") -> tuple[Column, ...]:
    """A mean with both ends of its interval, each a column on pages, and in files how it was found."""
    between, low, high = ends(of, head=head)
    return (
        Column("mean", f"{of}mean", "mean", decimals).on_page("Score ↑", _SCORE),
        between,
        low.on_page("From", _SCORE),
        high.on_page("To", _SCORE),
        *(only_saved(f"ci_{name}", f"{of}{name}") for name in ("level", "method")),
        only_saved("ci_resamples", f"{of}n_resamples"),
        only_saved("seed", f"{of}seed"),
    )


def sweep_table(rows: Sequence[SweepRow], *, heads: Sequence[str] = ()) -> Table:
    """One row per setting, system and metric; ``heads``: settings that the terminal names too."""
    columns = (
        *(also(name, name) for name in heads),
        Column("alpha", None, "alpha", "{:g}".format).on_page("α"),
        Column("threshold", head="threshold").on_page("Steps"),
        Column("system", head="system"),
        Column("metric", head="metric").on_page("Metric"),
        only_saved("k", lambda row: of_metric(row.metric)["k"]),
        *mean_with_ends("interval.", "95% interval"),
        Column("n_scored", None, "n", whole).on_page("Queries"),
        Column("count_rule").on_page("Count rule"),
        Column("direction").on_page("Direction"),
    )
    return Table(rows, columns)


def standings_columns(reference: Standing, heads: Sequence[str] = ()) -> tuple[Column, ...]:
    """Who leads at a setting, by how much, and how alike the order is to that at the reference.

    ``heads``: the settings that stand first in the terminal.
    """

    def systems(standing: Standing) -> list[dict[str, Any]]:
        return [
            {"system": name, "mean": mean.mean, "ci_low": mean.low, "ci_high": mean.high, "n": mean.n}
            for name, mean in zip(standing.order, standing.means, strict=True)
        ]

    def short(value: Any) -> str:
        return f"{value:g}" if isinstance(value, float) else str(value)

    return (
        *(also(name, f"settings.{name}", short) for name in heads),
        *(Column(name, f"settings.{name}") for name in ("alpha", "threshold", "count_rule", "direction")),
        Column("leader", lambda standing: standing.order[0], "leader"),
        Column("second", lambda standing: (*standing.order, None)[1], "second", lambda name: name or "-"),
        Column("lead", None, "lead", decimals),
        *ends(head="95% interval"),
        *named("clear"),
        Column("tau", lambda standing: tau_of(reference, standing), "tau", lambda value: decimals(value, 3)),
        Column("systems", systems).in_file(""),
    )


class Placed(NamedTuple):
    """A system at one setting."""

    standing: Standing
    place: int
    system: str
    mean: Interval


def places_table(standings: Sequence[Standing], metric: str, *, rules: bool = False) -> Table:
    """One row per setting and system; ``rules``: pages show count rule and direction too."""
    rows = [
        Placed(standing, place, system, mean)
        for standing in standings
        for place, (system, mean) in enumerate(zip(standing.order, standing.means, strict=True), start=1)
    ]
    shown = {"count_rule": "Count rule", "direction": "Direction"} if rules else {}
    columns = (
        *(only_shown(title, f"standing.settings.{name}") for name, title in shown.items()),
        only_shown("α", "standing.settings.alpha"),
        only_shown("Steps", "standing.settings.threshold"),
        Column("system").on_page("System", cell=system_name),
        Column("place").on_page("Rank"),
        *mean_with_ends("mean."),
        Column("n", "mean.n").on_page("Queries"),
        *_settings(standings),
    )
    return Table(rows, columns, of_metric(metric))


def _settings(standings: Sequence[Standing]) -> list[Column]:
    """Every setting of a row."""

    def column(name: str) -> Column:
        return only_saved(name, lambda row: getattr(row.standing.settings, name))

    return list(map(column, standings[0].settings.as_dict())) if standings else []


def cost_table(times: Sequence[Cost], machine: str) -> Table:
    """Seconds that relevances take."""
    columns = (
        *titled("relevance", "threshold"),
        Column("dictionary", None, "neighbours, s", decimals),
        Column("scoring", None, "scoring, s", decimals),
        Column("scoring_cpu", None, "processor s", decimals),
        Column("pairs"),
        Column("n_queries", None, "queries", whole),
        Column("repeats"),
        only_saved("machine", lambda _: machine),
    )
    return Table(times, columns)
