"""Whether a submission is within the rules of its campaign, which the official script does not all check.

The rules are those of ``Edition.campaign``, each with its source. This verdict stands beside the official
script's, and neither changes the other: 2017's script scores a file that its page forbids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.imageclef.editions import CampaignRule, Edition
    from evalcore.features.imageclef.result import Result
    from evalcore.values.errors import Report

UNKNOWN = "no rules known"


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule of the campaign that a submission breaks, and in how many places."""

    rule: CampaignRule
    cases: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules of the campaign say of a submission; ``known`` False where no source states any."""

    known: bool
    breaches: tuple[Breach, ...]

    @property
    def within(self) -> bool | None:
        """Whether no rule is broken; None where no rule is known."""
        return not self.breaches if self.known else None

    @property
    def words(self) -> str:
        """The verdict for a table."""
        if not self.known:
            return UNKNOWN
        return f"breaks {len(self.breaches)}" if self.breaches else "within"


def verdict_of(report: Report, edition: Edition, *, n_runs: int = 1) -> Verdict:
    """The verdict on a submission with these problems; ``n_runs`` how many its group has handed in."""
    cases = dict.fromkeys((rule for _, _, rule in report.counts), 0)
    for (_, _, rule), n in report.counts.items():
        cases[rule] += n
    breaches = []
    for published in edition.campaign:
        n = sum(cases.get(name, 0) for name in published.broken_by)
        n += max(n_runs - published.most_runs, 0) if published.most_runs else 0
        if n:
            breaches.append(Breach(published, n))
    return Verdict(bool(edition.campaign), tuple(breaches))


def verdicts(results: Sequence[Result[Any]]) -> dict[str, Verdict]:
    """The verdict on each run; runs that are given together count as those of one group."""
    return {one.name: verdict_of(one.report, one.edition, n_runs=len(results)) for one in results}
