"""``concept-ratings``: do similarities of concepts agree with people?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table, ends
from evalcore.cli.options import Number, with_seed
from evalcore.cli.output import complain, decimals, plain, whole
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked


@on_study()
@click.option("--ratings", "file", required=True, metavar="FILE", help="Rated pairs: CUI1,CUI2,Mean.")
@click.option("--measure", "names", multiple=True, metavar="C",
              help="A similarity of concepts, such as path or vectors-NAME; default: all.")  # fmt: skip
@click.option("--level", type=Number(0, 1, min_open=True, max_open=True), default=0.95,
              show_default=True, help="Of the intervals.")  # fmt: skip
@with_seed("Seed of the resamples.")
def concept_ratings(asked: Asked, file: str, names: Sequence[str], level: float, seed: int) -> None:
    """Compare the similarities of concepts of STUDY with ratings of concept pairs by people.

    Spearman's rho over the pairs whose concepts are both known, with a bootstrap interval over pairs; a pair
    that nothing connects counts with similarity 0. Vectors measure relatedness, the graph similarity.
    """
    from evalcore.evaluate.measures.against_ratings import N_RESAMPLES, against_ratings
    from evalcore.study.concepts.ratings import read_ratings

    ratings, report = read_ratings(Path(file))
    if ratings is None or report.total("error"):
        raise InputError("The ratings cannot be used as they are.", report)
    for line in report.of_severity("warning"):
        complain(str(line))
    found = against_ratings(asked.study, ratings, names or None, level=level, seed=seed)
    said = f"{plain(ratings.file)}: {len(ratings):,} rated pairs; {N_RESAMPLES:,} resamples, seed {seed}."
    nothing = [] if found else ["The study has neither a graph nor vectors of concepts."]
    asked.emit(
        {
            "study": asked.study.name, "digest": asked.study.content, "ratings": ratings.file,
            "n_pairs": len(ratings), "level": level, "resamples": N_RESAMPLES, "seed": seed,
            "measures": Table(found, _ROWS),
        },
        [said, Table(found, _ROWS), *nothing],
    )  # fmt: skip


_ROWS = (
    Column("measure", head="measure"),
    Column("title"),
    Column("relatedness", None, "measures", lambda yes: "relatedness" if yes else "similarity"),
    Column("n_pairs", None, None),
    Column("n_known", None, "known", whole),
    Column("n_connected", None, "connected", whole),
    Column("spearman", None, "rho", decimals),
    *ends("ci_"),
    Column("spearman_connected", None, "rho, connected", decimals),
)
