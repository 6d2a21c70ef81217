"""Every named relevance, with what a page, the README and the tests need to know about it.

Adding one: a function in a family file, an entry here (the property tests then cover it), a golden row.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.errors import UnknownName
from evalcore.relevance.neighbour import nn_iou
from evalcore.relevance.overlap import cosine, dice, iou, overlap_coefficient

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Set

    from evalcore.relevance.neighbour import Near
    from evalcore.settings import Settings

    Value = Callable[[Set[str], Set[str], Near, Settings], float]

EMBEDDING = "embedding"
"""``Relevance.kind`` of ``cosine:SYSTEM``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceMeasure:
    """What is known about a relevance between two images.

    ``symmetric``, ``monotone_in_shared`` (a concept new to both sets never lowers the value) and
    ``range`` hold for the default settings; ``neighbour.SYMMETRIC_RULES`` and ``BOUNDED_RULES`` say
    for which count rules they hold. ``value`` is the plain function; None where concepts play no part.
    """

    name: str
    title: str
    formula: str
    range: tuple[float, float]
    symmetric: bool
    needs_graph: bool
    monotone_in_shared: bool
    reference: str
    plain: str
    value: Value | None


@dataclass(frozen=True, slots=True)
class Relevance:
    """A parsed relevance name: a key of `RELEVANCE`, or ``EMBEDDING`` with the system that embeds."""

    kind: str
    system: str | None = None

    def __str__(self) -> str:
        return self.kind if self.system is None else f"cosine:{self.system}"


_IOU = RelevanceMeasure(
    name="iou",
    title="IoU",
    formula="|A∩B| / |A∪B|",
    range=(0.0, 1.0),
    symmetric=True,
    needs_graph=False,
    monotone_in_shared=True,
    reference="Jaccard 1901; arXiv 2506.13509 (CUI@K)",
    plain="Of all findings in either image, the share that both have.",
    value=lambda a, b, _near, _settings: iou(a, b),
)
_DICE = RelevanceMeasure(
    name="dice",
    title="Dice",
    formula="2|A∩B| / (|A|+|B|)",
    range=(0.0, 1.0),
    symmetric=True,
    needs_graph=False,
    monotone_in_shared=True,
    reference="Dice 1945; Jia et al. 2019, doi:10.1186/s12911-019-0807-y (SS1)",
    plain="The findings both images have, relative to how many an image of the two has on average.",
    value=lambda a, b, _near, _settings: dice(a, b),
)
_COSINE = RelevanceMeasure(
    name="cosine",
    title="Cosine of concept sets",
    formula="|A∩B| / √(|A||B|)",
    range=(0.0, 1.0),
    symmetric=True,
    needs_graph=False,
    monotone_in_shared=True,
    reference="Salton 1975; Jia et al. 2019, doi:10.1186/s12911-019-0807-y (SS3)",
    plain="Like Dice, but kinder to an image with few findings compared with one that has many.",
    value=lambda a, b, _near, _settings: cosine(a, b),
)
_OVERLAP = RelevanceMeasure(
    name="overlap",
    title="Overlap coefficient",
    formula="|A∩B| / min(|A|, |B|)",
    range=(0.0, 1.0),
    symmetric=True,
    needs_graph=False,
    monotone_in_shared=True,
    reference="Szymkiewicz 1934; Jia et al. 2019, doi:10.1186/s12911-019-0807-y (SS4)",
    plain="The share of the shorter list of findings that the other image has too.",
    value=lambda a, b, _near, _settings: overlap_coefficient(a, b),
)
_NN_IOU = RelevanceMeasure(
    name="nn-iou",
    title="nn-IoU",
    formula="(|A∩B| + α·NN) / |A∪B|",
    range=(0.0, 1.0),
    symmetric=True,
    needs_graph=True,
    monotone_in_shared=True,
    reference="arXiv 2506.13509, Eq. 2",
    plain="Like IoU, but findings that are close relatives in the concept graph earn partial credit.",
    value=lambda a, b, near, settings: nn_iou(
        a,
        b,
        near,
        alpha=settings.alpha,
        threshold=settings.threshold,
        rule=settings.count_rule,
        form=settings.form,
    ),
)

RELEVANCE: Mapping[str, RelevanceMeasure] = MappingProxyType(
    {"iou": _IOU, "dice": _DICE, "cosine": _COSINE, "overlap": _OVERLAP, "nn-iou": _NN_IOU}
)
"""The relevances computed from concepts, by name."""

EMBEDDING_COSINE = RelevanceMeasure(
    name="cosine:SYSTEM",
    title="Cosine of embeddings",
    formula="u·v / (‖u‖‖v‖)",
    range=(-1.0, 1.0),
    symmetric=True,
    needs_graph=False,
    monotone_in_shared=False,
    reference="cosine similarity of the system's own image vectors",
    plain="How alike the system itself finds the two images; it knows nothing about findings.",
    value=None,
)
"""The relevance ``cosine:SYSTEM``: computed from a system's vectors, not from concepts."""


def parse_relevance(name: str) -> Relevance:
    """Which relevance does a name mean? A key of `RELEVANCE`, or ``cosine:SYSTEM``.

    Whether the system exists and has embeddings is for the study to say (see `check_relevance`).

    Raises
    ------
    UnknownName
        With the names that exist.

    >>> parse_relevance("nn-iou"), parse_relevance("cosine:hog")
    (Relevance(kind='nn-iou', system=None), Relevance(kind='embedding', system='hog'))
    """
    if name in RELEVANCE:
        return Relevance(name)
    kind, _, system = name.partition(":")
    if kind == "cosine" and system:
        return Relevance(EMBEDDING, system)
    raise UnknownName("relevance", name, [*RELEVANCE, EMBEDDING_COSINE.name])


def check_relevance(name: str, embedded: Collection[str]) -> Relevance:
    """`parse_relevance`, and make sure that the system of ``cosine:SYSTEM`` is one of those ``embedded``."""
    relevance = parse_relevance(name)
    if relevance.system is not None and relevance.system not in embedded:
        raise UnknownName("system with embeddings", relevance.system, embedded)
    return relevance


def describe(name: str) -> RelevanceMeasure:
    """What is known about the relevance of a name, ``cosine:SYSTEM`` included."""
    relevance = parse_relevance(name)
    return EMBEDDING_COSINE if relevance.system is not None else RELEVANCE[relevance.kind]
