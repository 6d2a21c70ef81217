"""``measures``, ``agreement``, ``discrimination``, ``table1``: which relevance measure to trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, sampled_queries
from evalcore.cli.emit import Table
from evalcore.cli.measures_output import (
    MEASURES,
    agreement_document,
    described,
    disagreements_table,
    power_document,
    shown_agreement,
    shown_power,
    shown_table_one,
    table_document,
)
from evalcore.cli.options import ALL, Number, Whole, all_but, corrected, options, with_flips, with_seed
from evalcore.cli.output import TEXT_FILE, few, progress_line, write_file, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked
    from evalcore.evaluate.measures.agreement import Disagreement
    from evalcore.values.model import Study
    from evalcore.values.settings import Correction

Chosen = tuple[int | None, str | None]
"""How many queries are asked, and which of them; None for each that is left to the command."""
BY_HELP = "A relevance, such as iou, matching:path or cosine:NAME. Repeat for several; all on offer if none."
SYSTEM_HELP = "A folder of systems/. Repeat for several; all systems of the study when none is given."


_OF_LISTS = all_but("pool", "interval")
"""What acts on lists scored by relevance: no labels, and no interval of a mean is reported."""


_by = click.option("--by", "names", multiple=True, metavar="R", help=BY_HELP)
_systems = click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
_sampled = options(sampled_queries, with_seed("Seed of draws."))
"""How many queries are asked, and the seed of every draw."""


@on_study()
@_by
def measures(asked: Asked, names: Sequence[str]) -> None:
    """What the relevance measures are that STUDY can be looked at with: formula, range, edge cases."""
    from evalcore.relevance.registry import describe

    rows = [(name, describe(name)) for name in _measures(asked.study, names)]
    asked.emit({"measures": Table(rows, MEASURES)}, described(rows))


@on_study(*_OF_LISTS, cluster=True)
@_by
@click.option(
    "--level", type=click.Choice(["results", "queries", "systems"]), default="results", show_default=True,
    help="What is put in order: pairs of images, the queries of each system, or the systems.",
)  # fmt: skip
@click.option(
    "--pairs", "drawn", type=click.Choice(["images", "results"]), default="images", show_default=True,
    help="Level results: any two images, or pairs some system returns in its first ten.",
)  # fmt: skip
@click.option("--sample", type=Whole(1), default=10_000, show_default=True, help="Maximum number of pairs.")
@click.option(
    "--differ", nargs=2, metavar="A B", help="List the pairs that two of the measures place most apart."
)
@_systems
@click.option("--score", "list_score", type=click.Choice(["nDCG", "mean"]), default="nDCG", show_default=True,
              help="Score of a list at the levels queries and systems.")  # fmt: skip
@click.option("--k", type=Whole(1), default=10, show_default=True, help="Results compared.")
@_sampled
def agreement(
    asked: Asked, names: Sequence[str], level: str, drawn: Any, sample: int, differ: tuple[str, str] | None,
    systems: Sequence[str], list_score: Any, k: int, queries: Chosen, seed: int,
) -> None:  # fmt: skip
    """Do relevance measures agree? Rank correlation of every two of them on STUDY.

    Kendall's tau-b and Spearman's rho. Level queries: over the queries of each system, averaged over
    the systems. Rows without a value under one measure are left out under all, and counted.
    """
    from evalcore.evaluate.measures import agreement as of
    from evalcore.evaluate.measures.sampling import sample_pairs, sample_queries
    from evalcore.evaluate.measures.under_measures import score_under

    opened, settings = asked.study, asked.settings
    chosen = _measures(opened, names, also=differ or ())
    facts: dict[str, Any] = {"seed": seed}
    pools: dict[str, Any] = {}
    said: list[str] = []
    listed: tuple[Disagreement, ...] = ()
    if level == "results":
        pairs = sample_pairs(
            opened, drawn=drawn, n=sample, systems=systems or None, settings=settings, seed=seed
        )
        values = of.pair_values(opened, chosen, pairs, settings=settings, progress=progress_line())
        found = of.agree_on_results(values)
        listed = of.disagreements(values, *differ, concepts=opened.concepts) if differ else ()
        facts |= {"pairs": drawn, "population": pairs.population}
    else:
        over, limited = compared(asked, systems, queries[1])
        drawn_queries = sample_queries(limited, n=queries[0], seed=seed)
        scores = score_under(
            limited, chosen, systems=systems or None, form=list_score, k=k, settings=settings,
            queries=drawn_queries, progress=progress_line(),
        )  # fmt: skip
        found = of.agree_on_queries(scores) if level == "queries" else of.agree_on_systems(scores)
        facts |= {
            "systems": list(scores.systems),
            "metrics": list(scores.metrics),
            "asked": len(drawn_queries),
        }
        pools, said = over.facts(), over.lines()
    apart = disagreements_table(opened, listed)
    asked.emit(
        agreement_document(asked.facts(), found, facts, apart) | pools,
        [*said, *shown_agreement(opened, found, facts, apart)],
    )


@on_study(*_OF_LISTS, cluster=True)
@_by
@_systems
@click.option("--score", "list_score", type=click.Choice(["nDCG", "mean"]), default="nDCG", show_default=True,
              help="Score of a list: nDCG(R)@K or mean(R)@K.")  # fmt: skip
@click.option("--k", type=Whole(1), default=10, show_default=True, help="Results compared.")
@click.option(
    "--level", type=Number(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
    help="Corrected p below which a pair counts as separated.",
)  # fmt: skip
@click.option("--against", metavar="R", help="List the systems that swap ranks compared with this measure.")
@_sampled
@corrected
@with_flips
def discrimination(
    asked: Asked, names: Sequence[str], systems: Sequence[str], list_score: Any, k: int, level: float,
    against: str | None, queries: Chosen, seed: int, correction: Correction, flips: int,
) -> None:  # fmt: skip
    """Which measure tells the systems of STUDY apart? Discriminative power (Sakai 2006).

    Every two systems are compared by a paired permutation test (--flips) over the queries all
    measures have a value for, corrected over the pairs of a measure (--correction). Power is not correctness.
    --against R lists the pairs of systems that a measure puts in the other order than R does.
    """
    from evalcore.evaluate.measures.discrimination import discriminative_power
    from evalcore.evaluate.measures.rank_swaps import rank_swaps
    from evalcore.evaluate.measures.sampling import sample_queries
    from evalcore.evaluate.measures.under_measures import score_under

    opened, settings = asked.study, asked.settings
    chosen = _measures(opened, names, also=[against] if against else ())
    over, limited = compared(asked, systems, queries[1])
    scores = score_under(
        limited, chosen, systems=systems or None, form=list_score, k=k, settings=settings,
        queries=sample_queries(limited, n=queries[0], seed=seed), progress=progress_line(),
    )  # fmt: skip
    powers = discriminative_power(scores, level=level, seed=seed, correction=correction, n_resamples=flips)
    crossings = rank_swaps(scores, reference=against) if against else ()
    asked.emit(
        power_document(asked.facts(), powers, scores, crossings) | over.facts(),
        [*over.lines(), *shown_power(opened, scores, powers, crossings)],
    )


@on_study(*ALL, cluster=True)
@_by
@click.option("--metric", "metrics", multiple=True, metavar="M",
              help="Columns; P@5, 10, 30 of all label types and pairs of them if none.")  # fmt: skip
@_sampled
@corrected
@with_flips
@click.option(
    "--latex",
    type=TEXT_FILE,
    metavar="FILE.tex",
    help="Write measures x labels in percent as a LaTeX table (booktabs); - for standard output.",
)
@click.option("--csv", type=TEXT_FILE, metavar="FILE.csv", help="Write one row per measure and column.")
def table1(
    asked: Asked, names: Sequence[str], metrics: Sequence[str], queries: Chosen, seed: int,
    correction: Correction, flips: int, latex: str | None, csv: str | None,
) -> None:  # fmt: skip
    """Every measure as a retrieval system, judged by labels: Table 1 of arXiv 2506.13509 for STUDY.

    * is the highest of a column, ~ does not differ significantly from it (paired permutation test,
    corrected over the column by --correction, p >= .05). --ties expected averages over the orders of
    equal values.
    """
    from evalcore.evaluate.measures.sampling import sample_queries
    from evalcore.evaluate.measures.table_one import table_one
    from evalcore.results.table_one import table_one as latex_of
    from evalcore.results.table_one import table_rows

    opened, settings = asked.study, asked.settings
    chosen = _measures(opened, names)
    over, limited = compared(asked, [f"@{name}" for name in chosen], queries[1])
    found = table_one(
        limited, chosen, metrics=metrics or None, settings=settings,
        queries=sample_queries(limited, n=queries[0], seed=seed), seed=seed, correction=correction,
        n_resamples=flips, progress=progress_line(),
    )  # fmt: skip
    if latex:
        write_file(latex, latex_of(found, chosen).splitlines(keepends=True))
    if csv:
        rows = table_rows(limited, found, settings=settings, queries=over.found.which)
        write_table(csv, tuple(rows[0]), (row.values() for row in rows))
    warning = few([cell.interval.n for row in found.cells for cell in row], settings)
    asked.emit(
        table_document(asked.facts(), found) | over.facts(),
        [*over.lines(), *shown_table_one(opened, found), *warning],
    )


def _measures(study: Study, names: Sequence[str], *, also: Sequence[str] = ()) -> tuple[str, ...]:
    """The measures named, or all that are on offer for the study; and those an option names besides."""
    from evalcore.relevance.registry import offered

    return tuple(dict.fromkeys([*(names or offered(study)), *also]))
