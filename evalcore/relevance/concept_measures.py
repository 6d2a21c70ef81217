"""The registries of concept similarities, of the information they use, and of set measures over them.

A relevance is called SET:CONCEPT, as in ``matching:path`` or ``best-match:lin-seco``; a similarity by
information content is called after both, as in ``lin-seco``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from types import MappingProxyType

from evalcore.relevance import set_similarity
from evalcore.relevance.set_similarity import Side, Similar

SetValue = Callable[[Set[str], Set[str], Similar], float]
SetPairs = Callable[[Set[str], Set[str], Similar], Iterator[tuple[Side, str, str]]]

_JIA = "Jia et al. 2019, doi:10.1186/s12911-019-0807-y"


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationContent:
    """What is known about a way to say how specific a concept is (see ``evalcore.graph.taxonomy``).

    ``plain`` says when a *broader concept*, one that two concepts are both kinds of, is specific.
    """

    name: str
    title: str
    formula: str
    reference: str
    plain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptMeasure:
    """What is known about a similarity of two concepts, in [0, 1].

    ``content`` names its information content ("" where it uses none); ``one_with_itself``: 1 for every
    concept with itself. ``edges``: (case, value) pairs. ``relatedness``: it says which concepts are used
    together rather than which are alike.
    """

    name: str
    title: str
    formula: str
    reference: str
    plain: str
    content: str
    one_with_itself: bool
    edges: tuple[tuple[str, str], ...]
    relatedness: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMeasure:
    """What is known about a way to compare two sets by the similarities s of their concepts.

    ``monotone_in_shared``: a concept new to both sets never lowers the value, as long as s is 1 for a
    concept with itself; ``one_with_itself`` likewise for a set. ``value`` is the plain function, ``pairs``
    which concepts it holds against each other.
    """

    name: str
    title: str
    formula: str
    reference: str
    plain: str
    monotone_in_shared: bool
    one_with_itself: bool
    edges: tuple[tuple[str, str], ...]
    value: SetValue
    pairs: SetPairs = set_similarity.nearest


_UNKNOWN = ("a concept not in the graph", "1 with itself, 0 with all others")
_CYCLE = ("two concepts of one cycle", "as one concept with itself")
_NOTHING_COMMON = ("nothing but the root in common", "0")

INFORMATION: Mapping[str, InformationContent] = MappingProxyType(
    {
        "seco": InformationContent(
            name="seco",
            title="Seco",
            formula="1 - ln(hypo + 1) / ln N",
            reference="Seco, Veale & Hayes 2004",
            plain="A broader concept is more specific the fewer concepts are below it.",
        ),
        "sanchez": InformationContent(
            name="sanchez",
            title="Sánchez",
            formula="-ln((leaves / subs + 1) / (all leaves + 1))",
            reference="Sánchez et al. 2011, doi:10.1016/j.knosys.2010.10.001 (IC2 of Jia et al. 2019)",
            plain="A broader concept is more specific the fewer end points of the tree are below it.",
        ),
        "zhou": InformationContent(
            name="zhou",
            title="Zhou",
            formula="½ (1 - ln(hypo + 1) / ln N) + ½ ln depth / ln D",
            reference="Zhou, Wang & Gu 2008, doi:10.1109/FGCNS.2008.16",
            plain="A broader concept is more specific the deeper it is and the fewer concepts are below it.",
        ),
        "corpus": InformationContent(
            name="corpus",
            title="corpus",
            formula="-ln(occurrences of it and all below / all)",
            reference="Resnik 1995, arXiv cmp-lg/9511007",
            plain="A broader concept is more specific the rarer it and those below it are in this study.",
        ),
        "levels": InformationContent(
            name="levels",
            title="levels",
            formula="depth - 1",
            reference="IC1 of Jia et al. 2019",
            plain="A broader concept is more specific the deeper it is.",
        ),
    }
)
"""The ways to say how specific a concept is, by name."""


def _by_structure() -> tuple[ConceptMeasure, ...]:
    return (
        ConceptMeasure(
            name="path",
            title="path",
            formula="1 / (1 + d)",
            content="",
            one_with_itself=True,
            reference="Rada et al. 1989, doi:10.1109/21.24528",
            plain="Two concepts are more similar the fewer links separate them.",
            edges=(("no path", "0"), _UNKNOWN),
        ),
        ConceptMeasure(
            name="wu-palmer",
            title="Wu-Palmer",
            content="",
            one_with_itself=True,
            formula="2 dep(LCS) / (dep'(a) + dep'(b))",
            reference="Wu & Palmer 1994, doi:10.3115/981732.981751",
            plain="Two concepts are more similar the deeper their branches separate.",
            edges=(("nothing but the root in common", "above 0: the root has depth 1"), _CYCLE, _UNKNOWN),
        ),
        ConceptMeasure(
            name="leacock-chodorow",
            title="Leacock-Chodorow",
            content="",
            one_with_itself=True,
            formula="-ln((d + 1) / 2D) / ln 2D",
            reference="Leacock & Chodorow 1998, divided by its maximum",
            plain="Two concepts are more similar the fewer links separate them; the first links count most.",
            edges=(("no path, or one of 2D - 1 links and more", "0"), _UNKNOWN),
        ),
        ConceptMeasure(
            name="cs1",
            title="CS1",
            formula="1 if a = b, else 0",
            content="",
            one_with_itself=True,
            reference=f"{_JIA} (as 1 - CS1)",
            plain="Two concepts are the same or have nothing in common.",
            edges=(("any two different concepts", "0"),),
        ),
    )


def _by_information(content: str) -> tuple[ConceptMeasure, ...]:
    word, how = INFORMATION[content].title, INFORMATION[content].plain
    return (
        ConceptMeasure(
            name=f"resnik-{content}",
            title=f"Resnik ({word})",
            formula="IC(MICA) / max IC",
            content=content,
            one_with_itself=False,
            reference="Resnik 1995, arXiv cmp-lg/9511007, divided by its maximum",
            plain=f"Two concepts are similar when the broader concept they share is specific. {how}",
            edges=(("a concept with itself", "IC / max IC, not 1"), _NOTHING_COMMON, _UNKNOWN),
        ),
        ConceptMeasure(
            name=f"lin-{content}",
            title=f"Lin ({word})",
            formula="2 IC(MICA) / (IC(a) + IC(b))",
            content=content,
            one_with_itself=True,
            reference="Lin 1998",
            plain=f"Two concepts are similar when a broader concept they share is almost as specific. {how}",
            edges=(("the root with itself", "1"), _NOTHING_COMMON, _CYCLE, _UNKNOWN),
        ),
        ConceptMeasure(
            name=f"jiang-conrath-{content}",
            title=f"Jiang-Conrath ({word})",
            formula="1 / (1 + IC(a) + IC(b) - 2 IC(MICA))",
            content=content,
            one_with_itself=True,
            reference="Jiang & Conrath 1997, arXiv cmp-lg/9709008",
            plain=f"Two concepts are similar when they add little to the broader concept they share. {how}",
            edges=(("nothing but the root in common", "above 0"), _CYCLE, _UNKNOWN),
        ),
    )


def _by_jia(content: str) -> tuple[ConceptMeasure, ...]:
    word, how = INFORMATION[content].title, INFORMATION[content].plain
    return (
        ConceptMeasure(
            name=f"cs2-{content}",
            title=f"CS2 ({word})",
            formula="2 IC(c) / (IC(a) + IC(b))",
            content=content,
            one_with_itself=True,
            reference=f"{_JIA} (as 1 - CS2)",
            plain=f"Two concepts are similar when a broader concept they share is almost as specific. {how}",
            edges=(("the root with itself", "1"), _NOTHING_COMMON, _CYCLE, _UNKNOWN),
        ),
        ConceptMeasure(
            name=f"cs3-{content}",
            title=f"CS3 ({word})",
            formula="exp(-0.2 (IC(a) + IC(b) - 2 IC(c))) · tanh(0.6 IC(c))",
            content=content,
            one_with_itself=False,
            reference=f"{_JIA} (as 1 - CS3, the sign corrected); Li et al. 2003",
            plain=f"Two concepts are similar when both are close to a specific broader concept. {how}",
            edges=(("a concept with itself", "tanh(0.6 IC), not 1"), _NOTHING_COMMON, _UNKNOWN),
        ),
        ConceptMeasure(
            name=f"cs4-{content}",
            title=f"CS4 ({word})",
            formula="IC(c) / max IC; 1 if a = b",
            content=content,
            one_with_itself=True,
            reference=f"{_JIA} (as 1 - CS4)",
            plain="Two different concepts are similar when the broader concept they share is "
            f"specific. {how}",
            edges=(_NOTHING_COMMON, _CYCLE, _UNKNOWN),
        ),
    )


def _all() -> dict[str, ConceptMeasure]:
    """Path measures, then Resnik, Lin and Jiang-Conrath by each information content, then CS1 to CS4."""
    path, wu_palmer, leacock_chodorow, cs1 = _by_structure()
    by_content = zip(*map(_by_information, ("seco", "sanchez", "zhou", "corpus")), strict=True)
    by_jia = zip(*map(_by_jia, ("levels", "sanchez")), strict=True)
    listed = [path, wu_palmer, leacock_chodorow, *sum(by_content, ()), cs1, *sum(by_jia, ())]
    return {measure.name: measure for measure in listed}


CONCEPT_MEASURES: Mapping[str, ConceptMeasure] = MappingProxyType(_all())
"""The similarities of two concepts, by name."""

_EMPTY = (("both images without concepts", "0"), ("one image without concepts", "0"))

SET_MEASURES: Mapping[str, SetMeasure] = MappingProxyType(
    {
        "best-match": SetMeasure(
            name="best-match",
            title="Best match",
            reference=f"{_JIA} (as 1 - SS5)",
            formula="(Σ_a max_b s(a,b) + Σ_b max_a s(a,b)) / (|A|+|B|)",
            plain="Each concept is matched with the most similar one of the other image, then averaged.",
            monotone_in_shared=True,
            one_with_itself=True,
            edges=(*_EMPTY, ("one set contains the other", "below 1")),
            value=set_similarity.best_match,
        ),
        "hierarchical": SetMeasure(
            name="hierarchical",
            title="Hierarchical",
            reference=f"{_JIA} (as 1 - SS6)",
            formula="(|A∩B| + Σ_{a∈A\\B} mean_b s(a,b) + Σ_{b∈B\\A} mean_a s(a,b)) / |A∪B|",
            plain="Shared concepts count in full, each other one by its average similarity "
            "to the concepts of the other image.",
            monotone_in_shared=False,
            one_with_itself=True,
            edges=(*_EMPTY, ("equal sets", "1, whatever s")),
            value=set_similarity.hierarchical,
        ),
        "average-link": SetMeasure(
            name="average-link",
            title="Average link",
            reference=f"{_JIA} (as 1 - SS7)",
            formula="Σ_a Σ_b s(a,b) / (|A| |B|)",
            plain="The average similarity of a concept of one image and a concept of the other.",
            monotone_in_shared=False,
            one_with_itself=False,
            edges=(*_EMPTY, ("equal sets of several concepts", "below 1")),
            value=set_similarity.average_link,
        ),
        "matching": SetMeasure(
            name="matching",
            title="Matching",
            reference=f"{_JIA} (as 1 - SS8)",
            formula="max Σ s(a,b) over one-to-one pairs / min(|A|, |B|)",
            plain="The concepts of the two images are paired off as well as possible, each used once.",
            monotone_in_shared=True,
            one_with_itself=True,
            edges=(*_EMPTY, ("one set contains the other", "1, however much larger it is")),
            value=set_similarity.matching,
            pairs=set_similarity.one_to_one,
        ),
    }
)
"""The ways to compare two sets by the similarities of their concepts, by name."""

CURATED = (
    "best-match:path",
    "best-match:wu-palmer",
    "best-match:leacock-chodorow",
    "best-match:resnik-seco",
    "best-match:lin-seco",
    "best-match:lin-corpus",
    "best-match:jiang-conrath-seco",
    "matching:path",
    "matching:lin-seco",
    "matching:lin-corpus",
    "matching:cs2-levels",
    "matching:cs4-sanchez",
    "hierarchical:cs2-sanchez",
    "average-link:cs2-levels",
)
"""Relevances by a taxonomy that are offered where not all can be."""
