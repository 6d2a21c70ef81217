"""What readers say of the links of the terminology and of labels, and what follows from several of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evalcore.features.review.judgments import Judgment, current

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Verdict = Literal["right", "wrong", "level"]
Of = tuple[str, str, str]
LINKS, LABELS = "links", "labels"
"""The task that judgments on links and on labels bear: they are asked on pages of their own."""
MISSING = "missing"
"""The criterion of a judgment on a label that an image should carry and does not."""


@dataclass(frozen=True, slots=True)
class Votes:
    """Of one link or label: how many readers find it right, wrong, or cannot say; the last of each counts."""

    right: int
    wrong: int
    cannot_say: int
    readers: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """What more readers say; "level" where as many say the one as the other, or nobody could say."""
        if self.right == self.wrong:
            return "level"
        return "right" if self.right > self.wrong else "wrong"


def link_judgment(
    child: str, parent: str, sense: bool | None, *, reader: str, id: str, at: datetime, comment: str = ""
) -> Judgment:
    """That a link from a concept to one above it makes sense, does not, or (None) that one cannot say."""
    return Judgment(
        id=id, task=LINKS, reader=reader, kind="link", query=child, result=parent,
        said="cannot-say" if sense is None else "value", value=None if sense is None else float(sense),
        comment=comment, at=at,
    )  # fmt: skip


def label_judgment(
    image: str, label: str, said: Literal["right", "wrong", "missing"] | None, *, reader: str, id: str,
    at: datetime, comment: str = "",
) -> Judgment:  # fmt: skip
    """That a label of an image (``organ=chest``, or a CUI) is right, wrong, or missing; None: cannot say."""
    return Judgment(
        id=id, task=LABELS, reader=reader, kind="label", query=image, result=label,
        criterion=MISSING if said == MISSING else "", said="cannot-say" if said is None else "value",
        value=None if said is None else float(said != "wrong"), comment=comment, at=at,
    )  # fmt: skip


def link_votes(judgments: Iterable[Judgment]) -> dict[tuple[str, str], Votes]:
    """{(child, parent): votes} of all links that somebody judged."""
    return {(child, parent): votes for (child, parent, _), votes in _votes(judgments, "link").items()}


def label_votes(judgments: Iterable[Judgment]) -> dict[Of, Votes]:
    """{(image, label, "" or "missing"): votes}; "right" of a missing label: the image should carry it."""
    return _votes(judgments, "label")


def senseless_links(judgments: Iterable[Judgment]) -> frozenset[tuple[str, str]]:
    """The links (child, parent) that more readers find senseless than sensible: to be left out of a graph.

    The graph at hand may lack some of them, as its files may have changed since.
    """
    return frozenset(of for of, votes in link_votes(judgments).items() if votes.verdict == "wrong")


def _votes(judgments: Iterable[Judgment], kind: str) -> dict[Of, Votes]:
    """A reader has one vote on a thing, the last, in whatever task; a decision that settles counts alone."""
    last: dict[Of, dict[str, Judgment]] = {}
    decided: dict[Of, Judgment] = {}
    for one in current(judgments):
        if one.kind == kind:
            of = (one.query, one.result, one.criterion)
            last.setdefault(of, {})[one.reader] = one
            if one.adjudicated:
                decided[of] = one
    return {of: _counted([decided[of]] if of in decided else [*said.values()]) for of, said in last.items()}


def _counted(judgments: list[Judgment]) -> Votes:
    counts = Counter(one.value for one in judgments)
    return Votes(counts[1.0], counts[0.0], counts[None], tuple(sorted(one.reader for one in judgments)))
