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
    only_saved,
    only_shown,
    system_name,
    titled,
    whole,
)
from evalcore.results.scores import of_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.cost import Cost
    from evalcore.evaluate.sweep import Stability, Standing, SweepRow
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


class RankedAt(NamedTuple):
    """The systems at one setting under one metric; ``tau``: how similar the order is to that in use."""

    metric: str
    standing: Standing
    tau: float


def ranked_at(metric: str, standings: Sequence[Standing], reference: Standing) -> list[RankedAt]:
    """Rows of `standings_table`; ``reference``: what their order is compared with."""
    return [RankedAt(metric, standing, tau_of(reference, standing)) for standing in standings]


def standings_table(rows: Sequence[RankedAt], heads: Sequence[str] = ()) -> Table:
    """Who leads at a setting, by how much, and how similar the order is to that at the setting in use.

    ``heads``: the settings that stand first in the terminal.
    """

    def systems(row: RankedAt) -> list[dict[str, Any]]:
        of = row.standing
        return [
            {"system": name, "mean": mean.mean, "ci_low": mean.low, "ci_high": mean.high, "n": mean.n}
            for name, mean in zip(of.order, of.means, strict=True)
        ]

    def short(value: Any) -> str:
        return f"{value:g}" if isinstance(value, float) else str(value)

    settings = ("alpha", "threshold", "count_rule", "direction")
    columns = (
        Column("metric", head="metric"),
        *(also(name, f"standing.settings.{name}", short) for name in heads),
        *(Column(name, f"standing.settings.{name}") for name in settings),
        Column("leader", lambda row: row.standing.order[0], "leader"),
        Column("second", lambda row: (*row.standing.order, None)[1], "second", lambda name: name or "-"),
        Column("lead", "standing.lead", "lead", decimals),
        *ends("standing.", head="95% interval"),
        Column("clear", "standing.clear"),
        Column("tau", head="tau", text=lambda value: decimals(value, 3)),
        Column("systems", systems).in_file(""),
    )
    return Table(rows, columns)


def crossovers_table(found: Sequence[Stability]) -> Table:
    """Where one system overtakes another as alpha grows, linear between the alphas tried."""
    rows = [(of.metric, crossover) for of in found for crossover in of.crossovers]

    def of(name: str) -> Column:
        return Column(name, lambda row: getattr(row[1], name))

    columns = (
        Column("metric", lambda row: row[0], "metric"),
        of("threshold")._replace(head="threshold"),
        of("alpha")._replace(head="alpha", text=lambda alpha: decimals(alpha, 3)),
        of("between"),
        of("winner")._replace(head="overtakes"),
        of("loser")._replace(head="is overtaken"),
        of("clear")._replace(head="", text=lambda sure: "clear" if sure else "too close to call"),
    )
    return Table(rows, columns)


class Placed(NamedTuple):
    """A system at one setting."""

    standing: Standing
    place: int
    system: str
    mean: Interval


def places_table(standings: Sequence[Standing], metric: str, *, rules: bool = False) -> Table:
    """One row per setting and system; ``rules``: pages show the count rule too."""
    rows = [
        Placed(standing, place, system, mean)
        for standing in standings
        for place, (system, mean) in enumerate(zip(standing.order, standing.means, strict=True), start=1)
    ]
    shown = {"count_rule": "Count rule"} if rules else {}
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
        Column("pairs"),
        Column("n_queries", None, "queries", whole),
        Column("repeats"),
        only_saved("machine", lambda _: machine),
    )
    return Table(times, columns)
