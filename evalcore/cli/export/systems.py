"""Options of ``rank --system``: what a system returned, written for other programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.comparing import compared, over_queries
from evalcore.cli.options import gathered
from evalcore.cli.scoring.of_seeds import mention_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.cli.asked import Asked
    from evalcore.values.model import Run


@dataclass(frozen=True, slots=True)
class OfASystem:
    """What is written of a system: see the options."""

    judged_by: str | None
    scores: str
    queries: str | None

    def check(self, by: str | None, system: str | None, *, pool: str) -> None:
        """Refuse what could change nothing."""
        if bool(by) == bool(system):
            raise click.UsageError("Name one of --by R and --system S: what ranks the images.")
        unused = [
            flag
            for flag, given in (
                ("--judged-by", self.judged_by), ("--scores", self.scores != "own"),
                ("--queries", self.queries),
            )
            if given and not system
        ]  # fmt: skip
        if pool != "labelled" and not self.judged_by:
            raise click.UsageError("--pool: only with --judged-by LABELS.")
        if unused:
            raise click.UsageError(f"{' and '.join(unused)}: only with --system S.")

    def blocks(self, asked: Asked, system: str, top: int | None) -> tuple[Iterator[Run], tuple[str, ...]]:
        """The system's answers block by block, and the ids they are written with."""
        from evalcore.evaluate import resolve_systems
        from evalcore.results.system_run import ids_of, run_of

        resolve_systems(asked.study, [system])
        mention_first(asked.study, system)
        study = compared(asked, None, self.queries)[1] if self.queries else asked.study
        runs = run_of(
            study, system, settings=asked.settings, relevance=self.judged_by, top=top,
            by_place=self.scores == "places",
        )  # fmt: skip
        return runs, ids_of(study)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


of_a_system = gathered(
    "how", lambda judged_by, scores, which: OfASystem(judged_by, scores, which),
    click.option(
        "--judged-by", metavar="R",
        help="With --system: the relevance or labels it will be judged by, as in `export --relevance`; "
        "images without these labels are left out.",
    ),
    click.option(
        "--scores", type=click.Choice(["own", "places"]), default="own", show_default=True,
        help="With --system: its scores, or falling whole numbers, which keep the order in programs that "
        "break ties otherwise, such as trec_eval.",
    ),
    over_queries,
)  # fmt: skip
"""The command gets an `OfASystem` called ``how``."""
