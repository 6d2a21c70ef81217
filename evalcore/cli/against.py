"""``score --against``: the same systems as in a file of an earlier run, and whether any declined."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli.comparing import How
from evalcore.cli.options import Number, gathered
from evalcore.cli.output import complain
from evalcore.evaluate.regression import LEVEL, Regression, regression
from evalcore.results.regression import changes_table, not_compared, rule, verdict
from evalcore.results.rows import Table, plain
from evalcore.study.saved_scores import SavedScores
from evalcore.values.model import Scores, Study

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


DECLINED = 3
"""The exit code where a decline is established."""


class Past(NamedTuple):
    """What was scored before: the file, None where none was given, and the bound of a decline."""

    file: str | None
    bound: float | None

    def read(self) -> SavedScores | None:
        """What the file holds; UsageError for a bound without a file."""
        from evalcore.study.saved_scores import read_saved

        if self.bound is not None and not self.file:
            raise click.UsageError("--fail-below goes with --against FILE.json: a decline since when?")
        return read_saved(Path(self.file)) if self.file else None


with_past = gathered(
    "past",
    Past,
    click.option(
        "--against",
        "file",
        metavar="FILE.json",
        help="What to compare with: the scores of an earlier run, query by query; a file that --per-query "
        "FILE.json wrote. Its metrics are used unless you name others.",
    ),
    click.option(
        "--fail-below",
        "bound",
        type=Number(max=0),
        metavar="D",
        help="With --against: exit with code 3 when a mean difference below D is established, such as -0.01. "
        "One-sided paired permutation test at 5%, corrected by Holm over systems and metrics.",
    ),
)
"""The command gets a `Past` called ``past``."""


def compared(
    study: Study,
    scores: Sequence[Scores],
    saved: SavedScores,
    past: Past,
    given: Collection[str],
    how: How,
    unknown: str,
) -> Regression:
    """The systems then and now; ``given``: those that came by ``--run``."""
    return regression(
        study,
        scores,
        saved,
        bound=past.bound,
        given=given,
        unknown=unknown,
        level=how.level,
        n_resamples=how.n_resamples,
        seed=how.seed,
    )


def document(regression: Regression) -> dict[str, Any]:
    """For JSON."""
    return {
        "against": {
            "file": regression.file,
            "bound": regression.bound,
            "significance": None if regression.bound is None else LEVEL,
            "declined": bool(regression.declined),
            "changes": changes_table(regression).records(),
            "only_now": list(regression.only_now),
            "only_then": list(regression.only_then),
        }
    }


def shown(regression: Regression) -> Iterator[str | Table]:
    """For people."""
    first = regression.changes[0].change
    yield f"\nAgainst {plain(regression.file)}, now minus then: {first.test}, seed {first.seed}."
    yield changes_table(regression)
    yield from filter(None, (rule(regression), plain(verdict(regression)), *not_compared(regression)))


def exit_code(regression: Regression | None) -> int:
    """0, or `DECLINED` with one line on standard error that says why."""
    if regression is None or not regression.declined:
        return 0
    complain(verdict(regression))
    return DECLINED
