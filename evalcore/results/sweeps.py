"""What settings of nn-IoU decide and cost: sweeps, standings of systems, times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.evaluate.sweep import SweepRow, tau_of
from evalcore.results.method import of_metric
from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, system_name, titled, whole
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.cost import Cost
    from evalcore.evaluate.sweep import Stability, Standing

_SCORE = "%.4f"


def sweep_table(rows: Sequence[SweepRow], *, heads: Sequence[str] = ()) -> Table:
    """One row per setting, system and metric; ``heads``: settings that the terminal names too."""
    between, low, high = ends("interval.", head="95% interval")
    columns = (
        *(also(name, f"settings.{name}") for name in heads),
        Column("alpha", "settings.alpha", "alpha", "{:g}".format).on_page("α"),
        Column("threshold", "settings.threshold", "threshold").on_page("Steps"),
        Column("system", head="system").on_page("System", cell=system_name),
        Column("metric", head="metric").on_page("Metric"),
        only_saved("k", lambda row: of_metric(row.metric)["k"]),
        Column("mean", "interval.mean", "mean", decimals).on_page("Score ↑", _SCORE),
        between,
        low.on_page("From", _SCORE),
        high.on_page("To", _SCORE),
        *(only_saved(f"ci_{name}", f"interval.{name}") for name in ("level", "method")),
        only_saved("ci_resamples", "interval.n_resamples"),
        only_saved("seed", "interval.seed"),
        Column("n_scored", None, "n", whole).on_page("Queries"),
        Column("count_rule", "settings.count_rule").on_page("Count rule"),
        Column("direction", "settings.direction").on_page("Direction"),
    )
    return Table(rows, columns)


def identical(tried: int, different: int) -> str:
    """How many of the settings tried are not counted, and why; "" where all are different."""
    rest = tried - different
    if not rest:
        return ""
    if different == 1:
        return f"All {tried:,} settings are identical by definition."
    others = "others are" if rest > 1 else "other is"
    counted = f"{pluralize(tried, 'setting')} tried, {different:,} of them different"
    return f"{counted}; the {others} identical by definition."


def standings_table(
    standings: Sequence[Standing], in_use: Mapping[str, Standing], heads: Sequence[str]
) -> Table:
    """Who leads at a setting, by how much, and how similar the order is to that at the setting ``in_use``.

    ``in_use``: by metric. ``heads``: the settings that come first in the terminal.
    """

    mean = (
        Column("system"),
        Column("mean", "interval.mean"),
        *ends("interval.")[1:],
        Column("n", "n_scored"),
    )

    def short(value: Any) -> str:
        return f"{value:g}" if isinstance(value, float) else str(value)

    settings = ("alpha", "threshold", "count_rule", "direction")
    columns = (
        Column("metric", head="metric"),
        *(also(name, f"settings.{name}", short) for name in heads),
        *(Column(name, f"settings.{name}") for name in settings),
        Column("leader", "order.0", "leader"),
        Column("second", lambda row: (*row.order, None)[1], "second", lambda name: name or "-"),
        Column("lead", None, "lead", decimals),
        *ends(head="95% interval"),
        Column("clear"),
        Column("tau", lambda row: tau_of(in_use[row.metric], row), "tau", lambda tau: decimals(tau, 3)),
        Column("systems", lambda row: Table(sweep_rows([row]), mean)).in_file(""),
    )
    return Table(standings, columns)


def crossovers_table(stabilities: Sequence[Stability]) -> Table:
    """Where one system overtakes another as alpha grows, linear between the alphas tried."""
    rows = [(stability.metric, crossover) for stability in stabilities for crossover in stability.crossovers]

    columns = (
        Column("metric", "0", "metric"),
        Column("threshold", "1.threshold", "threshold"),
        Column("alpha", "1.alpha", "alpha", lambda alpha: decimals(alpha, 3)),
        Column("between", "1.between"),
        Column("winner", "1.winner", "overtakes"),
        Column("loser", "1.loser", "is overtaken"),
        Column("clear", "1.clear", "", lambda sure: "clear" if sure else "too close to call"),
    )
    return Table(rows, columns)


def sweep_rows(standings: Sequence[Standing]) -> list[SweepRow]:
    """A row per setting and system, the best first at each setting."""
    return [
        SweepRow(standing.settings, system, standing.metric, mean, mean.n)
        for standing in standings
        for system, mean in zip(standing.order, standing.means, strict=True)
    ]


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
