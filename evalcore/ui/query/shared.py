"""What the results of a query share with it, in words: the sentence on top, marks on cards, and Why.

One source: the concepts of the images and how they are related, where the kinds of concepts are known; else
labels. The sentence names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np

from evalcore.evaluate.targets import metric_of
from evalcore.figures.words import grouped, place_of
from evalcore.graph import shortest_paths, steps
from evalcore.graph.distances import NOT_IN_GRAPH, distance_table
from evalcore.stats.levels import SAME
from evalcore.ui.components.results import YES, Mark, Result
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import Bools, Ints, Offsets, rows_of
from evalcore.values.concept_values import UNKNOWN, ConceptKinds
from evalcore.values.grouping import judging_columns, may_find, repeated_by
from evalcore.values.model import Qrels, Study
from evalcore.values.own_queries import PAIRS
from evalcore.values.writing import listed, md_escape, number, pluralize

# Which concepts of a result are those of the query, or a kind of them?

Kin = tuple[str, str, bool]
"""A concept of the query, one of the result, and whether the first is a kind of the second or the reverse."""


def kin_of(study: Study, query: int) -> dict[str, tuple[str, bool]]:
    """{concept of another image: (concept of the query, whether that is a kind of it)}.

    Of the same kind, one an ancestor of the other in the graph, the nearest pair of each; those of the query
    itself are not among them.
    """
    return cache.cached(("kin", study.digest, query), lambda: _kin_of(study, query))


def _kin_of(study: Study, query: int) -> dict[str, tuple[str, bool]]:
    own, kinds = sorted(study.concepts.of_image(query)), study.kinds
    if study.graph is None or kinds is None or not own:
        return {}
    others = [cui for cui in study.concepts.vocabulary if cui not in own]
    table = distance_table(study.graph, own, others, direction="directed")
    result: dict[str, tuple[str, bool]] = {}
    for j, other in enumerate(others):
        same = [i for i, cui in enumerate(own) if kinds.kind_of(cui) == kinds.kind_of(other) != UNKNOWN]
        near = min(same, key=lambda i: int(table[i, j]), default=None)
        if near is not None and table[near, j] < NOT_IN_GRAPH:
            path = shortest_paths(study.graph, own[near], other, direction="directed", limit=1).paths[0]
            result[other] = own[near], steps(study.graph, path)[0].direction == "up"
    return result


def marks(context: Context, query: int, image: int) -> list[tuple[str, str]]:
    """(sign, name) of the concepts that a result shares with the query, findings first: "=" the same, "≈" a
    kind of one or the other way round."""
    study = context.study
    own, theirs = (study.concepts.of_image(at) for at in (query, image))
    kin = kin_of(study, query)
    shared = [(place_of(cui, study.kinds), "=", study.name_of(cui)) for cui in own & theirs]
    shared += [(place_of(cui, study.kinds), "≈", study.name_of(cui)) for cui in theirs if cui in kin]
    return [(sign, name) for _, sign, name in sorted(shared)]


# How many of the first results of each system show what decides the query?

FINDING = {
    "finding": "finding",
    "findings": "finding",
    "diagnosis": "diagnosis",
    "diagnoses": "diagnosis",
    "disease": "disease",
    "diseases": "disease",
    "pathology": "pathology",
}
"""{what a label column of findings is called: one of them}."""
SOUGHT = {"finding": "finding", "anatomy": "region", "modality": "modality"}
"""{kind of concepts: one of it in a sentence}, what decides a case first."""
VALUES = 2
"""Values of the query named at most."""


@dataclass(frozen=True, slots=True)
class MatchCount:
    """Of the first ``n`` results of a system, ``matching`` are of the kind sought; ``n`` is 0 for none."""

    system: str
    matching: int
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What makes a result a good one: ``like`` ends the sentence "4 of 5 images ...", Markdown.

    ``images``: who is of that kind, shape (images,), the query and its own group aside; None where the marks
    of the results say it. ``by``: what says so. ``absent``: the query has matches, none of them among the
    candidates. ``common``: nothing is news where all results are of this kind.
    """

    like: str
    images: Bools | None = None
    by: str = ""
    absent: bool = False
    common: bool = False


def headline(
    context: Context, query: int, answers: Sequence[tuple[str, Sequence[Result]]], *, judgments: bool
) -> str:
    """What the first results of each system share with the query, in a sentence or two of Markdown; "" where
    that is no news. ``judgments``: whether the measure in use goes by them."""
    kinds = sought(context, query)
    if not kinds:
        by = "judgments" if judgments else "labels and no concepts"
        return f"This query has no {by}, so its results cannot be judged."
    text = ""
    for kind in kinds:
        tallies = [tally(system, results, kind) for system, results in answers]
        if kind.common and all(tally.matching == tally.n for tally in tallies):
            break
        text = " ".join(filter(None, (text, sentence(tallies, kind))))
        if any(tally.matching for tally in tallies) or not any(tally.n for tally in tallies):
            break
    by = kinds[0].by
    return f"{text} Judged by {by}." if by and text else text


def sought(context: Context, query: int) -> list[Sought]:
    """What decides the query, and what comes next where no result shows it; empty where nothing is known.

    Judgments or labels of the measure in use; else the query's concepts by kind, findings first, then region,
    then modality; else its labels; else what the results earn under the measure.
    """
    study = context.study
    metric = metric_of(study, context.choice.metric, context.choice.settings)
    if (grades := study.judged_by(metric.relevance)) is not None:
        return _of_grades(study, query, grades)
    judged = metric.labels[:1] if metric.levels else metric.labels
    if judged == (PAIRS,) and study.pairs is not None:
        matches = study.pairs.matches_of(query)
        absent = len(matches) > 0 and not np.isin(matches, study.candidates).any()
        return [Sought("matched with the query", absent=absent)]
    if judged and all(study.labels[name].of_image(query) for name in judged):
        return [Sought(f"with the same {md_escape(listed(judged))}")]
    if study.kinds is not None and (by_kind := _of_concepts(study, query, study.kinds)):
        return by_kind
    columns = [
        name
        for name in judging_columns(study)
        if repeated_by(name, study.labels) is None and study.labels[name].of_image(query)
    ]
    if columns:
        named = [name for name in columns if name.casefold() in FINDING]
        most = max(reversed(columns), key=lambda name: len(study.labels[name].values))
        return [_of_labels(study, query, named[0] if named else most)]
    if metric.labels or not study.concepts.sizes[query]:
        return []
    words = {"iou": "that share a concept", "nn-iou": "with the same or a related concept"}
    under = f"that earn credit under “{md_escape(context.choice.metric_shown)}”"
    return [Sought(words.get(str(metric.relevance), under), common=True)]


def _of_grades(study: Study, query: int, grades: Qrels) -> list[Sought]:
    row = slice(grades.indptr[query], grades.indptr[query + 1])
    relevant = grades.candidates[row][grades.values[row] >= grades.level - SAME]
    if not grades.graded[query]:
        return []
    return [Sought("judged relevant", _others(study, query, relevant))]


def _of_concepts(study: Study, query: int, kinds: ConceptKinds) -> list[Sought]:
    """The query's findings, regions and modalities, each with what is a kind of it."""
    sets, kin, result = study.concepts, kin_of(study, query), []
    for kind, called in SOUGHT.items():
        own = [cui for cui in sets.of_image(query) if kinds.kind_of(cui) == kind]
        near = [cui for cui, (mine, _) in kin.items() if mine in own]
        if own:
            codes = [sets.vocabulary.index(cui) for cui in (*own, *near)]
            carriers = rows_of(sets.indptr)[np.isin(sets.indices, codes)]
            like = _like(called, sorted(study.name_of(cui) for cui in own))
            like += " or a kind of it" if near and kind == "finding" else ""
            images = _others(study, query, carriers)
            result.append(Sought(like, images, "concepts", common=kind == "modality"))
    return result


def _of_labels(study: Study, query: int, column: str) -> Sought:
    labels, values = study.labels[column], study.labels[column].of_image(query)
    codes = labels.indices[labels.indptr[query] : labels.indptr[query + 1]]
    carriers = rows_of(labels.indptr)[np.isin(labels.indices, codes)]
    called = FINDING.get(column.casefold(), column.replace("_", " "))
    return Sought(_like(called, values), _others(study, query, carriers), "labels")


def _like(called: str, values: Sequence[str]) -> str:
    """ "with the same finding (mass)"; of a query with several values one of them is enough."""
    same = "the same" if len(values) == 1 else "a matching"
    named = listed([md_escape(value, limit=60) for value in values], limit=VALUES)
    return f"with {same} {md_escape(called)} ({named})"


def _others(study: Study, query: int, carriers: Ints | Offsets) -> Bools:
    """Which candidates are among the carriers, the query and its own group aside, shape (images,)."""
    result = np.zeros(len(study.image_ids), np.bool_)
    result[np.intersect1d(carriers, study.candidates)] = True
    result[query] = False
    images = np.flatnonzero(result)
    result[images] = may_find(study, query, images)
    return result


def tally(system: str, results: Sequence[Result], kind: Sought) -> MatchCount:
    """How many of the results of a system are of the kind sought."""
    if kind.images is None:
        good = [_earns(r.mark) for r in results]
    else:
        good = [r.image >= 0 and bool(kind.images[r.image]) for r in results]
    return MatchCount(system, sum(good), len(results))


def _earns(mark: Mark) -> bool:
    return mark.counted and (mark.sign == YES or (not mark.sign and mark.gain > 0))


def sentence(tallies: Sequence[MatchCount], kind: Sought) -> str:
    """How the systems did on the query, best first; Markdown.

    What they cannot know is taken into account: how many such images there are, where these are fewer than
    the results looked at. Systems without an answer are named last.
    """
    answered = [tally for tally in tallies if tally.n]
    silent = [f"**{md_escape(tally.system)}**" for tally in tallies if not tally.n]
    if not answered:
        who = {1: "The system", 2: "Neither system"}.get(len(tallies), "No system")
        return f"{who} returned {'nothing' if len(tallies) == 1 else 'anything'} for this query."
    nothing = f"; {listed(silent)} returned nothing" if silent else ""
    if kind.absent:
        return f"The match of this query is not among the candidates, so no system can find it{nothing}."
    n = max(tally.n for tally in answered)
    there = n if kind.images is None else int(kind.images.sum())
    if not there:
        return f"The collection has no other image {kind.like}, so none can be found{nothing}."
    exist = f" Only {pluralize(there, 'such image exists', 'such images exist')}." if there < n else ""
    return f"{_counts(answered, kind.like, n)}{nothing}.{exist}"


def _counts(answered: Sequence[MatchCount], like: str, n: int) -> str:
    first = max(answered, key=lambda tally: tally.matching)
    if not first.matching:
        who = {1: f"**{md_escape(answered[0].system)}** does not find", 2: "Neither system finds"}
        start = who.get(len(answered), f"None of the {len(answered)} systems finds")
        return f"{start} an image {like} in its top {n:,}"
    many = f"**{first.matching:,} of {first.n:,}** {'image' if first.n == 1 else 'images'}"
    if len(answered) > 1 and len({(tally.matching, tally.n) for tally in answered}) == 1:
        who_all = "Both systems" if len(answered) == 2 else f"All {len(answered)} systems"
        return f"{who_all} find {many} {like}"
    ordered = sorted(answered, key=lambda tally: -tally.matching)
    rest = [
        f"**{md_escape(tally.system)}** {f'{tally.matching:,}' if tally.matching else 'none'}"
        + (f" of {tally.n:,}" if tally.n != first.n else "")
        for tally in ordered[1:]
    ]
    return ", ".join([f"**{md_escape(first.system)}** finds {many} {like}", *rest])


def values(context: Context, systems: Sequence[str], scores: Sequence[float]) -> str:
    """For experts: what each system scores on the query under the measure; "–" for no value."""
    each = [f"{md_escape(name)} **{number(score)}**" for name, score in zip(systems, scores, strict=True)]
    return f"{md_escape(context.choice.metric)}: {', '.join(each)}."


# What do the query and one result have in common, and in what do they differ?

ONE = {
    "finding": "finding",
    "modality": "modality",
    "plane": "plane",
    "anatomy": "region",
    "device": "device",
    "other": "other concept",
    UNKNOWN: "concept that is not classified",
}
"""{kind: one concept of it}, in a sentence."""
NAMED = 4
"""Concepts of one kind that are named at most."""


def in_common(
    shared: Iterable[str],
    query: Set[str],
    result: Set[str],
    kinds: ConceptKinds,
    named: Callable[[str], str],
    *,
    near: Sequence[tuple[str, str, int]],
    kin: Sequence[Kin],
) -> str:
    """What two images have in common and in which findings and planes they differ, findings first.

    Such as `Shared finding: Nodule. Same region (Chest) and modality (CT).`, or, where no finding is shared
    or related, which image has findings at all: a finding that is not listed is not another finding.

    ``shared``: concepts of both images. ``query``, ``result``: all concepts of each. ``named``: the name of a
    concept, as it is to be printed in the sentence. ``near``: related pairs, each once: (concept of the
    query, concept of the result, steps apart), in order. ``kin``: pairs of which one is a kind of the other.
    """
    by_kind = grouped(sorted(shared, key=named), kinds)
    findings = by_kind.pop("finding", [])
    beside = by_kind.pop("other", []) + by_kind.pop(UNKNOWN, [])
    a_kind_of = {(a, b): up for a, b, up in kin}

    def pair(a: str, b: str, steps: int) -> str:
        if (a, b) not in a_kind_of:
            return f"{named(a)} with {named(b)} ({pluralize(steps, 'step')})"
        lower, upper = (a, b) if a_kind_of[a, b] else (b, a)
        return f"{named(lower)} ({'query' if lower == a else 'result'}) is a kind of {named(upper)}"

    every = [*near, *((a, b, 0) for a, b, _ in kin if (a, b) not in {(x, y) for x, y, _ in near})]
    related = [link for link in every if all(kinds.kind_of(cui) == "finding" for cui in link[:2])]
    rest = [link for link in near if link not in related]
    sentences = []
    if findings:
        sentences.append(f"Shared finding{'s' * (len(findings) > 1)}: {_names(findings, named)}")
    if related:
        sentences.append(f"Related findings: {listed([pair(*link) for link in related], limit=4)}")
    if not findings and not related:
        sentences.append(
            _different_kinds("finding", query, result, kinds, named) or "Neither image has a finding listed"
        )
    if "device" not in by_kind:
        sentences.append(_different_kinds("device", query, result, kinds, named))
    if by_kind:
        same = [f"{ONE[kind]} ({_names(cuis, named)})" for kind, cuis in by_kind.items()]
        sentences.append(f"Same {listed(same)}")
    if rest:
        linked = listed([pair(*link) for link in rest], limit=4)
        sentences.append(f"{'Also linked' if related else 'Linked'}: {linked}")
    planes = [_of_kind("plane", cuis, kinds, named) for cuis in (query, result)]
    if all(planes) and "plane" not in by_kind:
        sentences.append(_different_kinds("plane", query, result, kinds, named))
    if beside:
        sentences.append(f"Also shared: {_names(beside, named)}")
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _of_kind(kind: str, concepts: Set[str], kinds: ConceptKinds, named: Callable[[str], str]) -> list[str]:
    """The concepts of a kind, by name."""
    return sorted((cui for cui in concepts if kinds.kind_of(cui) == kind), key=named)


def _different_kinds(
    kind: str, query: Set[str], result: Set[str], kinds: ConceptKinds, named: Callable[[str], str]
) -> str:
    """Which of two images without a concept of this kind in common have any; "" where neither has."""
    theirs = {who: _of_kind(kind, cuis, kinds, named) for who, cuis in (("query", query), ("result", result))}
    have = {who: f"{_names(cuis, named)}" for who, cuis in theirs.items() if cuis}
    if len(have) == 2:
        return f"Different {kind}s: {', '.join(f'{text} ({who})' for who, text in have.items())}"
    return "".join(f"Only the {who} has a {kind} listed: {text}" for who, text in have.items())


def _names(concepts: list[str], named: Callable[[str], str]) -> str:
    more = [f"{len(concepts) - NAMED} more"] if len(concepts) > NAMED else []
    return listed([*(named(concept) for concept in concepts[:NAMED]), *more])
