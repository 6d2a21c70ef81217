"""Every named relevance, with what a page, the reference and the tests need to know about it.

To add one: a function in a family file, a row in ``measures.toml`` (the property tests then cover it), and
a golden row.
The relevances SET:CONCEPT are put together from the two registries of ``concept_measures``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.relevance.concept_measures import (
    CONCEPT_MEASURES,
    CURATED,
    INFORMATION,
    ROWS,
    SET_MEASURES,
    Edges,
)
from evalcore.relevance.concept_vectors import PREFIX, concept_measure, vectors_named, vectors_of
from evalcore.relevance.neighbour import nn_iou
from evalcore.relevance.overlap import Overlap, cosine, dice, iou, overlap_coefficient
from evalcore.relevance.weighting import Weighting, parse_weighting
from evalcore.values import plugins
from evalcore.values.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set

    from evalcore.relevance.neighbour import Near
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings

    Value = Callable[[Set[str], Set[str], Near, Settings], float]

EMBEDDING = "embedding"
"""``Relevance.kind`` of ``cosine:SYSTEM``."""
QRELS = "qrels"
"""``Relevance.kind`` of ``qrels:NAME``, the judgments of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceMeasure:
    """What is known about a relevance between two images.

    ``symmetric``, ``monotone_in_shared`` (a concept new to both sets never lowers the value) and
    ``range`` hold for the default settings; of the other count rules `query` and `candidate` are not
    symmetric, and `pairs` and `pairs_all` can exceed 1. ``one_with_itself``: 1 for a set, not empty, with
    itself. ``family``: what it looks at, "overlap", "neighbours", "taxonomy", "vectors" or "embedding";
    "custom" are functions of a user.
    ``relatedness``: what belongs together, rather than what is alike. ``edges``: the edge table,
    (case, value). ``value`` is the plain function of a relevance that needs concepts and
    neighbours alone; None for an embedding and for SET:CONCEPT, whose plain function is
    ``SET_MEASURES[set].value`` with ``concept_table(study, concept).similar``. ``overlap``: the same of one
    that only counts shared concepts, as a formula of counts.
    """

    name: str
    title: str
    formula: str
    family: str
    reference: str
    plain: str
    edges: Edges
    range: Sequence[float] = (0.0, 1.0)
    symmetric: bool = True
    needs_graph: bool = False
    monotone_in_shared: bool = True
    one_with_itself: bool = True
    value: Value | None = None
    overlap: Overlap | None = None
    relatedness: bool = False


@dataclass(frozen=True, slots=True)
class Relevance:
    """A parsed relevance name: a key of `RELEVANCE`, ``EMBEDDING`` with the system that embeds, or a key of
    `SET_MEASURES` with a ``concept``: of `CONCEPT_MEASURES`, or ``vectors-NAME``; a key of `RELEVANCE` may
    have a ``weighting``; `QRELS` has the ``file`` of judgments. ``family``: as of `RelevanceMeasure`."""

    kind: str
    system: str | None = None
    concept: str | None = None
    weighting: Weighting | None = None
    file: str | None = None
    family: str = field(default="custom", compare=False)

    def __str__(self) -> str:
        if self.weighting is not None:
            return f"{self.kind}[{self.weighting}]"
        if self.concept is not None or self.file is not None:
            return f"{self.kind}:{self.concept or self.file}"
        return self.kind if self.system is None else f"cosine:{self.system}"


def _nn_iou(a: Set[str], b: Set[str], near: Near, settings: Settings) -> float:
    return nn_iou(a, b, near, alpha=settings.alpha, threshold=settings.threshold, rule=settings.count_rule)


def _measure(name: str, value: Value | None = None) -> RelevanceMeasure:
    """The row of a name in ``measures.toml`` with its function."""
    overlap = value if isinstance(value, Overlap) else None
    return RelevanceMeasure(name=name, value=value, overlap=overlap, **ROWS["relevance"][name])


NN_IOU = "nn-iou"
"""The relevance that is nothing but IoU where a study knows no related concepts, and so is refused there."""
_VALUES: Mapping[str, Value] = {
    "iou": iou,
    "dice": dice,
    "cosine": cosine,
    "overlap": overlap_coefficient,
    NN_IOU: _nn_iou,
}
RELEVANCE: Mapping[str, RelevanceMeasure] = MappingProxyType(
    {name: _measure(name, value) for name, value in _VALUES.items()}
)
"""The relevances computed from concepts, by name."""
EMBEDDING_COSINE = _measure("cosine:SYSTEM")
"""The relevance ``cosine:SYSTEM``: computed from a system's vectors, not from concepts."""
JUDGMENTS = _measure("qrels:NAME")
"""The relevance ``qrels:NAME``."""


def by_judgments(relevance: str | None) -> bool:
    """Whether a relevance is a table of judgments, ``qrels:NAME``.

    >>> by_judgments("qrels:trec"), by_judgments("iou"), by_judgments(None)
    (True, False, False)
    """
    return relevance is not None and relevance.startswith(f"{QRELS}:")


def parse_relevance(name: str) -> Relevance:
    """Which relevance does a name mean?

    A key of `RELEVANCE`, ``cosine:SYSTEM``, SET:CONCEPT, or ``qrels:NAME``.

    A key of `RELEVANCE` can be followed by what counts, in brackets: ``nn-iou[finding]`` (see ``weighting``).
    SET is a key of `SET_MEASURES`, CONCEPT one of `CONCEPT_MEASURES` or ``vectors-NAME``, as in
    ``matching:path``. Whether the system exists and has embeddings, and whether there are such vectors, is
    for the study to say (see `check_of`).

    Raises
    ------
    UnknownName
        With the names that exist.
    SettingError
        Weights that cannot be any.

    >>> parse_relevance("nn-iou").kind, parse_relevance("cosine:hog").system
    ('nn-iou', 'hog')
    >>> parse_relevance("matching:path").concept
    'path'
    """
    weighed, bracket, words = name.partition("[")
    if weighed in RELEVANCE and (not bracket or words.endswith("]")):
        weighting = parse_weighting(words[:-1]) if bracket else None
        return Relevance(weighed, weighting=weighting, family=RELEVANCE[weighed].family)
    kind, _, rest = name.partition(":")
    if kind == "cosine" and rest:
        return Relevance(EMBEDDING, rest, family=EMBEDDING_COSINE.family)
    if kind == QRELS and rest:
        return Relevance(QRELS, file=rest, family=JUDGMENTS.family)
    if kind in SET_MEASURES and (rest in CONCEPT_MEASURES or vectors_named(rest)):
        return Relevance(kind, concept=rest, family="taxonomy" if rest in CONCEPT_MEASURES else "vectors")
    if kind in SET_MEASURES and rest:
        raise UnknownName("similarity of two concepts", rest, CONCEPT_MEASURES, f"As in {kind}:path.")
    if name in own_measures():
        return Relevance(name)
    by_taxonomy = [f"{measure}:{concept}" for measure in SET_MEASURES for concept in CONCEPT_MEASURES]
    known = [*RELEVANCE, *own_measures(), EMBEDDING_COSINE.name, JUDGMENTS.name]
    more = by_taxonomy if ":" in name or kind in SET_MEASURES else []
    raise UnknownName("relevance", name, [*known, *more])


def check_of(study: Study, name: str) -> Relevance:
    """`parse_relevance`, and make sure that the study has what it goes by.

    Raises
    ------
    UnknownName
        The study lacks the embeddings that ``cosine:SYSTEM`` names, the vectors of concepts that
        ``vectors-NAME`` does, the judgments that ``qrels:NAME`` does.
    InputError
        nn-IoU where the study knows no related concepts: it is then nothing but IoU, and would pass for more.
    """
    relevance = parse_relevance(name)
    if relevance.system is not None and relevance.system not in study.embeddings:
        raise UnknownName("system with embeddings", relevance.system, study.embeddings)
    if relevance.file is not None and relevance.file not in study.qrels:
        way_out = "" if study.qrels else "Put judgments into the study as judgments/NAME.qrels or NAME.csv."
        raise UnknownName("file of judgments", relevance.file, study.qrels, way_out)
    if relevance.concept is not None and vectors_named(relevance.concept):
        vectors_of(study, relevance.concept)
    if relevance.kind == NN_IOU and study.neighbour_source is None:
        raise InputError(
            f"{name} counts related concepts, and this study has none. Add a graph (graph/edges.csv) or a "
            "neighbour dictionary (neighbours.csv), or ask for the concepts themselves: iou, CUI@10."
        )
    return relevance


def describe(name: str) -> RelevanceMeasure:
    """What is known about the relevance of a name, ``cosine:SYSTEM`` and SET:CONCEPT included."""
    relevance = parse_relevance(name)
    if relevance.concept is not None:
        return _by_taxonomy(relevance.kind, relevance.concept)
    if relevance.kind == QRELS:
        return replace(JUDGMENTS, name=name, title=f"Judgments: {relevance.file}")
    if relevance.weighting is not None:
        return weighed(RELEVANCE[relevance.kind], relevance.weighting)
    if relevance.system is not None:
        return EMBEDDING_COSINE
    return RELEVANCE.get(relevance.kind) or own_measures()[relevance.kind]


def own_measures() -> dict[str, RelevanceMeasure]:
    """The relevances that users registered, by name."""
    return plugins.registered("relevance")


BY_VECTORS = ("best-match", "matching")
"""Set measures that are offered for every set of vectors of concepts."""


def available(study: Study) -> tuple[str, ...]:
    """The relevances of concepts that a study can be looked at with, simplest first.

    Without a graph only those that need none; of the many SET:CONCEPT a curated dozen, and two for each of
    its vectors of concepts (all can be parsed). Those that users registered come last.
    Those of its systems, ``cosine:SYSTEM``, are not among them (see `offered`).
    """
    names = [name for name, m in RELEVANCE.items() if study.knows_neighbours or not m.needs_graph]
    by_vectors = [f"{vector}:{PREFIX}{name}" for name in study.concept_vectors for vector in BY_VECTORS]
    own = [name for name, m in own_measures().items() if study.knows_neighbours or not m.needs_graph]
    return (*names, *(CURATED if study.graph is not None else ()), *by_vectors, *own)


def weighted_relevances(study: Study) -> tuple[str, ...]:
    """A few relevances that look at some concepts more than at others, where the study's concepts have kinds.

    Any other can be named too (see ``weighting``).
    """
    if study.kinds is None:
        return ()
    base = "nn-iou" if study.knows_neighbours else "iou"
    there = {*study.kinds.kind_by_cui.values()}
    names = [kind for kind in ("finding", "anatomy") if kind in there]
    both = ["finding+anatomy", "finding=3,anatomy=1"] if len(names) == 2 else []
    return tuple(f"{base}[{words}]" for words in (*names[:1], *both))


def offered(study: Study) -> tuple[str, ...]:
    """Every relevance of a study: those `available`, then ``cosine:SYSTEM`` of each of its systems."""
    return (*available(study), *(f"cosine:{system}" for system in study.embeddings))


def same_by_definition(names: Iterable[str], settings: Settings) -> dict[str, str]:
    """{relevance: an earlier one of these that gives the same values whatever the images are}.

    nn-IoU is IoU at alpha 0 and at threshold 0; another spelling of a relevance is that relevance. What is
    the same tells nothing of how well measures agree.

    >>> from evalcore.values.settings import Settings
    >>> same_by_definition(["iou", "nn-iou", "dice"], Settings(alpha=0))
    {'nn-iou': 'iou'}
    """
    first: dict[Relevance, str] = {}
    same: dict[str, str] = {}
    for name in names:
        relevance = parse_relevance(name)
        if relevance.kind == NN_IOU and (settings.alpha == 0 or settings.threshold == 0):
            relevance = replace(relevance, kind="iou")
        if first.setdefault(relevance, name) != name:
            same[name] = first[relevance]
    return same


def in_words_of_same(same: Mapping[str, str]) -> str:
    """Which measures are left out of a comparison, and why; "" for none."""
    if not same:
        return ""
    pairs = ", ".join(f"{name} is {other}" for name, other in same.items())
    return f"Not compared, as the same by definition under these settings: {pairs}."


def _by_taxonomy(kind: str, concept: str) -> RelevanceMeasure:
    """A set measure over a similarity of concepts, or over their relatedness by vectors."""
    sets, concepts = SET_MEASURES[kind], concept_measure(concept)
    formula, references = f"{sets.formula} with s = {concepts.formula}", [sets.reference]
    if concepts.reference not in references:
        references.append(concepts.reference)
    if concepts.content:
        content = INFORMATION[concepts.content]
        formula += f" and IC = {content.formula}"
        references.append(content.reference)
    return RelevanceMeasure(
        name=f"{kind}:{concept}",
        title=f"{sets.title} by {concepts.title}",
        formula=formula,
        needs_graph=concept != "cs1" and not concepts.relatedness,
        monotone_in_shared=sets.monotone_in_shared and concepts.one_with_itself,
        one_with_itself=kind == "hierarchical" or (sets.one_with_itself and concepts.one_with_itself),
        family="vectors" if concepts.relatedness else "taxonomy",
        relatedness=concepts.relatedness,
        reference="; ".join(references),
        plain=f"{sets.plain} {concepts.plain}",
        edges=(*sets.edges, *concepts.edges),
    )


_NOTHING_WEIGHS = "nothing that weighs anything in the query"
_IN_WEIGHTS = (
    ("|A∩B|", "w(A∩B)"),
    ("|A∪B|", "w(A∪B)"),
    ("α·NN", "α·w(NN)"),
    ("√(|A||B|)", "√(w(A)·w(B))"),
    ("|A|", "w(A)"),
    ("|B|", "w(B)"),
)


def weighed(measure: RelevanceMeasure, weighting: Weighting) -> RelevanceMeasure:
    """What is known about a relevance of `RELEVANCE` in which some concepts count more than others."""
    name = f"{measure.name}[{weighting}]"
    what = weighting.in_words()
    formula = measure.formula
    for plain, heavy in _IN_WEIGHTS:
        formula = formula.replace(plain, heavy)
    return replace(
        measure,
        name=name,
        title=f"{measure.title}, {what}",
        formula=f"{formula}, w: {what}",
        value=None,
        plain=f"{measure.plain} What counts: {what}.",
        monotone_in_shared=False,
        one_with_itself=False,
        edges=((_NOTHING_WEIGHS, "undefined"), *measure.edges),
    )
