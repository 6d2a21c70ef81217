"""What ``satisfaction`` prints, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.cli.emit import Column, Table, named
from evalcore.cli.output import decimals, interval, plain, whole
from evalcore.features.satisfaction.choices import REASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcore.features.satisfaction.agreement import Agreement, Difference, Found
    from evalcore.features.satisfaction.cleansing import Clean
    from evalcore.features.satisfaction.data import Satisfaction
    from evalcore.features.satisfaction.variance import Split

NAMES = {
    "williams": "Williams' test", "steiger": "Steiger's test", "meng": "Meng's test",
    "hotelling": "Hotelling's test", "fisher": "Fisher's test for independent samples (for comparison only)",
}  # fmt: skip


def rows_table(found: Found) -> Table:
    """The correlations, one a row."""
    return Table(found.rows, named("metric", "gain", "depth", "spearman", "ci_low", "ci_high"))


def differences_table(found: Found) -> Table:
    """Context-aware minus original."""
    return Table(
        found.differences,
        named("metric", "depth", "difference", "r12", "test", "statistic", "p", "p_corrected"),
    )


def variance_table(halves: Split | None) -> Table:
    """The correlations among the queries whose relevance varies least, and most."""
    of = [] if halves is None else halves.rows
    n = 0 if halves is None else halves.n
    return Table(of, (
        Column("subset", lambda one: one[0]),
        *(Column(name, _fact(name)) for name in _FACTS),
        Column("n_queries", lambda _: n),
    ))  # fmt: skip


def shown(data: Satisfaction, clean: Clean, found: Found, halves: Split | None) -> Iterator[str | Table]:
    """For people: what counts, the table of the paper beside its values, the split by variance."""
    from evalcore.features.satisfaction.agreement import too_narrow

    if data.origin == "simulated":
        yield "SIMULATED USERS: no real data; they show what the method can find."
    yield (
        f"{whole(found.n_queries)} queries of {whole(found.n_users)} participants ({plain(data.what)}; "
        f"relevance {data.scale[0]:g} to {data.scale[1]:g} as 0 to 1)"
    )
    gone = [f"{n:,} {REASONS[reason]}" for reason, n in clean.dropped.items() if n]
    yield f"Left out: {'; '.join(gone) or 'nothing'}."
    test = NAMES[found.differences[0].test]
    yield (
        f"\nSpearman's rho with satisfaction; {found.level:.0%} intervals: {found.n_resamples:,} resamples "
        f"of {'participants' if found.resample == 'users' else 'queries'}, seed {found.seed}; p: {test}, Holm"
    )
    yield Table(found.differences, _columns(found))
    if few := too_narrow(found):
        yield few
    yield f"Published: {_source()}, data sets 1 / 2, original -> context-aware, * significant"
    if halves is not None:
        yield (
            f"\nOriginal gain, rows {found.rows[-1].depth}, by the standard deviation of relevance in the "
            f"first {halves.n_rows} rows: the {whole(halves.n)} queries up to "
            f"{decimals(halves.border[0], 3)} and from {decimals(halves.border[1], 3)} "
            f"({whole(halves.tied[0])} and {whole(halves.tied[1])} share these values; the id decides)"
        )
        originals = [one for one in halves.rows if one[1].gain == "original"]
        n = len(originals) // 2
        yield Table(list(zip(originals[:n], originals[n:], strict=True)), (
            Column("", lambda pair: pair[0][1].metric, "metric"),
            Column("", lambda pair: _rho(pair[0][1]), "lowest variance"),
            Column("", lambda pair: _rho(pair[1][1]), "highest variance"),
            Column("", _published_split, "published, data set 1"),
        ))  # fmt: skip


_FACTS = ("metric", "gain", "depth", "spearman", "ci_low", "ci_high")


def _fact(name: str) -> Callable[[tuple[str, Agreement]], object]:
    return lambda one: getattr(one[1], name)


def _columns(found: Found) -> tuple[Column, ...]:
    def rho(gain: str) -> Column:
        return Column("", lambda d: _rho(found.row(d.metric, gain, d.depth)), gain)  # type: ignore[arg-type]

    return (
        Column("", "depth", "rows"), Column("", "metric", "metric"), rho("original"),
        rho("context-aware"), Column("", lambda d: f"{d.difference:+.4f}", "difference"),
        Column("", lambda d: decimals(d.r12), "r12"), Column("", lambda d: decimals(d.p_corrected), "p"),
        Column("", _published, "published"),
    )  # fmt: skip


def _rho(one: Agreement) -> str:
    return f"{decimals(one.spearman)} {interval(one.ci_low, one.ci_high)}"


def _published(d: Difference) -> str:
    """What the paper found, on either data set."""
    from evalcore.features.satisfaction.published import find

    cells = []
    for data_set in (1, 2):
        pair = [find(d.metric, gain, d.depth, data_set=data_set) for gain in ("original", "context-aware")]
        known = [one for one in pair if one is not None]
        star = "*" if known and known[-1].significant else ""
        cells.append(" -> ".join(f"{one.spearman:.3f}" for one in known) + star or "-")
    return " / ".join(cells)


def _published_split(pair: tuple[tuple[str, Agreement], tuple[str, Agreement]]) -> str:
    """What the paper found in its two quarters, on data set 1."""
    from evalcore.features.satisfaction.published import find

    said = [find(one.metric, one.gain, one.depth, data_set=1, subset=subset) for subset, one in pair]
    return " / ".join("-" if one is None else f"{one.spearman:.3f}" for one in said)


def _source() -> str:
    from evalcore.features.satisfaction.published import SOURCE

    return SOURCE
