"""Every verdict on links and labels as rows: for a page, a table and a file alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.features.review.verdicts import MISSING, Verdict, label_votes, link_votes
from evalcore.graph.links import place_of
from evalcore.values.arrays import position

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.verdicts import Votes
    from evalcore.graph import ConceptGraph
    from evalcore.values.model import Study


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
    return tuple((one.concept, one.parent) for one in rows if one.verdict == "wrong" and one.in_graph)


def labels_judged_wrong(rows: Iterable[VerdictRow], study: Study) -> tuple[tuple[str, str], ...]:
    """(image, concept) of labels that more readers find wrong than right, and the image still carries."""
    return tuple(
        (one.image, one.concept)
        for one in rows
        if one.kind == "label" and one.verdict == "wrong" and carries(study, one.image, one.concept)
    )


def by_image(labels: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """{image: its labels} of (image, label), in the order given."""
    found: dict[str, tuple[str, ...]] = {}
    for image, label in labels:
        found[image] = (*found.get(image, ()), label)
    return found


def carries(study: Study, image: str, concept: str) -> bool:
    """Whether an image of the study carries a concept; False for an image it does not have."""
    at = position(study.image_ids, image)
    return at >= 0 and concept in study.concepts.of_image(at)


def _row(
    kind: str, image: str, concept: str, parent: str, votes: Votes, names: Mapping[str, str],
    in_graph: bool | None,
) -> VerdictRow:  # fmt: skip
    return VerdictRow(
        kind, image, concept, names.get(concept, ""), parent, names.get(parent, ""), votes.right,
        votes.wrong, votes.cannot_say, votes.verdict, votes.readers, in_graph,
    )  # fmt: skip
