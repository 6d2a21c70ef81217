"""What is shown beside the scores of systems of several seeds; nothing where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.cli.emit import Column
from evalcore.cli.output import complain, decimals, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Scores, Study
    from evalcore.values.settings import Settings


def columns(scores: Sequence[Scores], settings: Settings) -> tuple[Column, ...]:
    """How many seeds each mean is that of, and the spread of their means, for rows that are `Scored`."""
    from evalcore.evaluate.seeds import seed_sd

    if not any(one.seeds for one in scores):
        return ()
    return (
        Column("n_seeds", lambda pair: len(pair.scores.seeds), "seeds", lambda n: str(n) if n else "-"),
        Column("seed_sd", lambda pair: seed_sd(pair.scores, settings), "sd of seeds", decimals),
    )


def lines(scores: Sequence[Scores]) -> list[str]:
    """Which systems have seeds, and what intervals say of them."""
    from evalcore.evaluate.seeds import about_means

    return [plain(line) for line in about_means(scores)]


def lines_of_lists(study: Study, systems: Sequence[str] | None) -> list[str]:
    """Whose first seed stands for it where lists are looked at."""
    from evalcore.evaluate.seeds import about_lists

    return [plain(line) for line in about_lists(study, systems)]


def mention_first(study: Study, system: str) -> None:
    """The same on standard error, where standard output takes the list."""
    for line in lines_of_lists(study, [system]):
        complain(line)
