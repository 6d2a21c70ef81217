"""What readers say of the links of the terminology and of labels, and what follows from several of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evalcore.features.review.items import item_of
from evalcore.features.review.judgments import Judgment, current
from evalcore.graph.links import place_of
from evalcore.values.arrays import position

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from evalcore.features.review.items import Item, Plan
    from evalcore.graph import ConceptGraph
    from evalcore.values.model import Study

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
        id=id,
        task=LINKS,
        reader=reader,
        kind="link",
        query=child,
        result=parent,
        said="cannot-say" if sense is None else "value",
        value=None if sense is None else float(sense),
        comment=comment,
        at=at,
    )


def label_judgment(
    image: str,
    label: str,
    said: Literal["right", "wrong", "missing"] | None,
    *,
    reader: str,
    id: str,
    at: datetime,
    comment: str = "",
) -> Judgment:
    """That a label of an image (``organ=chest``, or a CUI) is right, wrong, or missing; None: cannot say."""
    return Judgment(
        id=id,
        task=LABELS,
        reader=reader,
        kind="label",
        query=image,
        result=label,
        criterion=MISSING if said == MISSING else "",
        said="cannot-say" if said is None else "value",
        value=None if said is None else float(said != "wrong"),
        comment=comment,
        at=at,
    )


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
    counts = Counter(judgment.value for judgment in judgments)
    return Votes(
        counts[1.0], counts[0.0], counts[None], tuple(sorted(judgment.reader for judgment in judgments))
    )


# Every verdict on links and labels as rows: for a page, a table and a file alike.


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """What readers say of one thing.

    ``kind``: "link", from ``concept`` to ``parent`` above it; "label", ``concept`` of ``image``; "missing", a
    label the image should carry. ``concept`` is a CUI, or a label such as ``organ=chest``. ``right`` readers
    find that the link makes sense, the label right, or that it is missing. ``verdict``: what more of them
    say. ``in_graph``: whether the graph at hand has the link, None for labels.
    """

    kind: str
    image: str
    concept: str
    concept_name: str
    parent: str
    parent_name: str
    right: int
    wrong: int
    cannot_say: int
    verdict: Verdict
    readers: tuple[str, ...]
    in_graph: bool | None


def verdict_rows(
    judgments: Iterable[Judgment], *, names: Mapping[str, str], graph: ConceptGraph | None
) -> tuple[VerdictRow, ...]:
    """All links that somebody judged, by their ids, then all labels by image; "" for a name nobody knows."""
    said = tuple(judgments)
    links = [
        _row("link", "", child, parent, votes, names, place_of(graph, child, parent) >= 0 if graph else False)
        for (child, parent), votes in sorted(link_votes(said).items())
    ]
    labels = [
        _row("missing" if asked == MISSING else "label", image, label, "", votes, names, None)
        for (image, label, asked), votes in sorted(label_votes(said).items())
    ]
    return (*links, *labels)


def links_left_out(rows: Iterable[VerdictRow]) -> tuple[tuple[str, str], ...]:
    """The links (child, parent) that more readers find senseless than sensible, and the graph still has."""
    return tuple((row.concept, row.parent) for row in rows if row.verdict == "wrong" and row.in_graph)


def labels_judged_wrong(rows: Iterable[VerdictRow], study: Study) -> tuple[tuple[str, str], ...]:
    """(image, concept) of labels that more readers find wrong than right, and the image still carries."""
    return tuple(
        (row.image, row.concept)
        for row in rows
        if row.kind == "label" and row.verdict == "wrong" and carries(study, row.image, row.concept)
    )


def by_image(labels: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """{image: its labels} of (image, label), in the order given."""
    result: dict[str, tuple[str, ...]] = {}
    for image, label in labels:
        result[image] = (*result.get(image, ()), label)
    return result


def carries(study: Study, image: str, concept: str) -> bool:
    """Whether an image of the study carries a concept; False for an image it does not have."""
    at = position(study.image_ids, image)
    return at >= 0 and concept in study.concepts.of_image(at)


def _row(
    kind: str,
    image: str,
    concept: str,
    parent: str,
    votes: Votes,
    names: Mapping[str, str],
    in_graph: bool | None,
) -> VerdictRow:
    return VerdictRow(
        kind,
        image,
        concept,
        names.get(concept, ""),
        parent,
        names.get(parent, ""),
        votes.right,
        votes.wrong,
        votes.cannot_say,
        votes.verdict,
        votes.readers,
        in_graph,
    )


# Where readers said different things: what is settled first is what they differ on most.


@dataclass(frozen=True, slots=True)
class Difference:
    """One item on which readers differ.

    ``said``: {reader: what they said}, by code; a value of a preference is turned so that -1 is the list
    left in ``item``. ``apart``: from 0 to 1, how far the values lie apart at most; None where one has a
    value and another could not say. ``settled``: what was decided, if anything was; turned in the same way.
    """

    item: Item
    said: dict[str, Judgment]
    values: dict[str, float | None]
    apart: float | None
    settled: float | None
    is_settled: bool


def differences(plan: Plan, judgments: Iterable[Judgment]) -> tuple[Difference, ...]:
    """The items of a plan on which two readers or more differ: the farthest apart first.

    Then those where only some could say, then in the order of the plan, which is the adjudicator's own. What
    was settled already stays in its place, and is marked. Diagnoses are no ratings, and not among them.
    """
    places = plan.places()
    said: dict[str, dict[str, Judgment]] = {}
    settled: dict[str, Judgment] = {}
    for one in current(judgments):
        item = item_of(places, one) if one.task == plan.task.name else None
        if item is not None and one.adjudicated:
            settled[item.key] = one
        elif item is not None:
            said.setdefault(item.key, {})[one.reader] = one
    result = []
    for item in plan.items:
        by_reader = dict(sorted(said.get(item.key, {}).items()))
        values = {reader: _turned(plan, item, one) for reader, one in by_reader.items()}
        if len(set(values.values())) > 1 and item.kind != "diagnosis":
            decided = settled.get(item.key)
            value = None if decided is None else _turned(plan, item, decided)
            far = _apart(item, values)
            result.append(Difference(item, by_reader, values, far, value, decided is not None))
    return tuple(sorted(result, key=lambda one: (one.apart is None, -(one.apart or 0.0))))


def _apart(item: Item, values: dict[str, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    far = (max(known) - min(known)) / (2 if item.kind == "preference" else 1) if len(known) > 1 else 0.0
    return far or None  # they differ, so somebody could not say


def _turned(plan: Plan, item: Item, judgment: Judgment) -> float | None:
    """The value as the item shows its lists; None for *cannot say*."""
    if judgment.said != "value" or judgment.value is None:
        return None
    if item.kind == "preference" and judgment.systems != plan.subjects(item)[0]:
        return -judgment.value or 0.0  # no minus zero
    return judgment.value
