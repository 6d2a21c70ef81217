"""``--queries``: what systems are compared over, and what is said where they search different images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import click

from evalcore.cli import same_group
from evalcore.cli.options import Whole
from evalcore.cli.output import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked
    from evalcore.values.compared import ComparedOver, Which
    from evalcore.values.model import Study

CHOICES = ("all", "common", "common-pool")
_DEFAULT = "common-pool where the systems search different images, else all"
_TEXT = (
    "all: every query, unanswered ones count 0. common: those that every system answers. common-pool: "
    "these, with the candidates that every system searches."
)


over_queries = click.option(
    "--queries", "which", type=click.Choice(CHOICES), show_default=_DEFAULT, help=_TEXT
)
"""``--queries`` with its three choices, as ``which``; None when it is left out."""


def _split(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[int | None, str | None]:
    """The last number and the last choice among the values."""
    names = [one for one in given if one in CHOICES]
    numbers = [int(Whole(1)(one, param, ctx)) for one in given if one not in CHOICES]
    return (numbers[-1] if numbers else None), (names[-1] if names else None)


sampled_queries = click.option(
    "--queries", "queries", multiple=True, callback=_split,
    metavar="N|all|common|common-pool", show_default=_DEFAULT,
    help=f"N: ask N queries drawn at random. {_TEXT} Give it twice for a number of common ones.",
)  # fmt: skip
"""``--queries`` that takes a number, a choice, or one of each: ``queries`` is a pair, None for none."""


@dataclass(frozen=True)
class Over:
    """What systems are compared over: the ``study`` limited to it, which carries the decision as ``over``."""

    study: Study

    @property
    def found(self) -> ComparedOver:
        assert self.study.over is not None, "limiting a study decides"
        return self.study.over

    def facts(self) -> dict[str, Any]:
        """For JSON: what differs between the systems' images, and what the study's groups leave out."""
        return facts(self.found) | same_group.facts(self.study)

    def lines(self) -> list[str]:
        """The same for people."""
        from evalcore.study.left_out import in_words as labels_in_words

        of_labels = labels_in_words(self.study)
        return lines(self.found) + same_group.lines(self.study) + ([of_labels] if of_labels else [])


def compared(asked: Asked, systems: Sequence[str] | None, which: str | None) -> tuple[Over, Study]:
    """What the systems (None: all of the study) are compared over, and the study limited to it."""
    from evalcore.evaluate.common_pool import limited

    chosen = cast("Which | None", which)
    over = Over(limited(asked.study, systems or None, queries=chosen, settings=asked.settings))
    return over, over.study


def facts(found: ComparedOver) -> dict[str, Any]:
    """For JSON: what was compared over, and which images each system searches."""
    return {
        "compared_over": {
            "queries": found.which, "n_queries": len(found.queries),
            "n_candidates": len(found.candidates),
            "n_candidates_all": found.n_all,
            "pools": [{"system": one.system, "n": one.n, "source": one.source} for one in found.pools],
            "ranked_by_vectors": list(found.by_vectors), "runs_filtered": list(found.filtered),
        }
    }  # fmt: skip


def lines(found: ComparedOver) -> list[str]:
    """For people: nothing where all systems search the same images."""
    from evalcore.evaluate.common_pool import in_words

    return [plain(line) for line in in_words(found)]
