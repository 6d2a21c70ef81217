"""What a query's results say in one sentence: how many of the first of each system are of the kind sought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.evaluate.targets import metric_of
from evalcore.stats.levels import SAME
from evalcore.ui.components.results import YES, Result
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import Bools, rows_of
from evalcore.values.grouping import judging_columns, left_out, repeated_by, same_group
from evalcore.values.model import Judged, Study
from evalcore.values.own_queries import PAIRS
from evalcore.values.writing import count, listed, md_escape, number, pluralize

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
VALUES = 2
"""Values of the query named at most."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Of the first ``n`` results of a system, ``matching`` are of the kind sought; ``n`` is 0 for none."""

    system: str
    matching: int
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What makes a result a good one: ``like`` ends the sentence "4 of 5 images ...", Markdown.

    ``images``: who is of that kind, shape (images,), the query and its own group aside; None where the marks
    of the results say it. ``absent``: the query has matches, none of them among the candidates.
    """

    like: str
    images: Bools | None = None
    absent: bool = False


def sought(context: Context, query: int) -> Sought | None:
    """By what results are judged: judgments or labels of the measure in use, else findings, else other
    labels, else what the results earn under the measure. None where the query has nothing to be judged by."""
    study = context.study
    metric = metric_of(study, context.choice.metric, context.choice.settings)
    if (grades := study.judged_by(metric.relevance)) is not None:
        return _of_grades(study, query, grades)
    judged = metric.labels[:1] if metric.levels else metric.labels
    if judged == (PAIRS,) and study.pairs is not None:
        matches = study.pairs.of(query)
        absent = len(matches) > 0 and not np.isin(matches, study.candidates).any()
        return Sought("matched with the query", absent=absent)
    if judged and all(study.label_columns[name].of_image(query) for name in judged):
        return Sought(f"with the same {md_escape(listed(judged))}")
    columns = [name for name in judging_columns(study) if repeated_by(name, study.label_columns) is None]
    called = next((name for name in columns if name.casefold() in FINDING), None)
    if called and (values := study.label_columns[called].of_image(query)):
        return _of_labels(study, query, called, values, FINDING[called.casefold()])
    if study.kinds is not None:
        findings = [cui for cui in study.concepts.of_image(query) if study.kinds.kind_of(cui) == "finding"]
        if findings:
            return _of_findings(study, query, findings)
    columns = [name for name in columns if study.label_columns[name].of_image(query)]
    if columns:
        most = max(reversed(columns), key=lambda name: len(study.label_columns[name].values))
        values = study.label_columns[most].of_image(query)
        return _of_labels(study, query, most, values, most.replace("_", " "))
    if metric.labels or not study.concepts.sizes[query]:
        return None
    words = {"iou": "that share a concept", "nn-iou": "with the same or a related concept"}
    under = f"that earn credit under “{md_escape(context.choice.metric_shown)}”"
    return Sought(words.get(str(metric.relevance), under))


def _of_grades(study: Study, query: int, grades: Judged) -> Sought | None:
    row = slice(grades.indptr[query], grades.indptr[query + 1])
    relevant = grades.candidates[row][grades.values[row] >= grades.level - SAME]
    return Sought("judged relevant", _others(study, query, relevant)) if grades.graded[query] else None


def _of_labels(study: Study, query: int, column: str, values: Sequence[str], called: str) -> Sought:
    labels = study.label_columns[column]
    codes = labels.indices[labels.indptr[query] : labels.indptr[query + 1]]
    carriers = rows_of(labels.indptr)[np.isin(labels.indices, codes)]
    return Sought(_like(called, values), _others(study, query, carriers))


def _of_findings(study: Study, query: int, findings: Sequence[str]) -> Sought:
    sets = study.concepts
    codes = [sets.vocabulary.index(cui) for cui in findings]
    carriers = rows_of(sets.indptr)[np.isin(sets.indices, codes)]
    names = sorted(study.name_of(cui) for cui in findings)
    return Sought(_like("finding", names), _others(study, query, carriers))


def _like(called: str, values: Sequence[str]) -> str:
    """ "with the same finding (mass)"; of a query with several values one of them is enough."""
    same = "the same" if len(values) == 1 else "a matching"
    named = listed([md_escape(value, limit=60) for value in values], limit=VALUES)
    return f"with {same} {md_escape(called)} ({named})"


def _others(study: Study, query: int, carriers: np.ndarray) -> Bools:
    """Which candidates are among the carriers, the query and its own group aside, shape (images,)."""
    result = np.zeros(len(study.image_ids), np.bool_)
    result[np.intersect1d(carriers, study.candidates)] = True
    result[query] = False
    if (groups := left_out(study)) is not None:
        images = np.flatnonzero(result).astype(np.int32)
        result[images[same_group(groups, np.full(len(images), query, np.int32), images)]] = False
    return result


def tally(system: str, results: Sequence[Result], kind: Sought, *, most: int) -> Tally:
    """How many of the first ``most`` results of a system are of the kind sought."""
    first = results[:most]
    if kind.images is None:
        good = [r.mark is not None and r.mark.counted and _earns(r) for r in first]
    else:
        good = [r.image >= 0 and bool(kind.images[r.image]) for r in first]
    return Tally(system, sum(good), len(first))


def _earns(result: Result) -> bool:
    mark = result.mark
    return mark is not None and (mark.sign == YES or (not mark.sign and mark.gain > 0))


def sentence(tallies: Sequence[Tally], kind: Sought) -> str:
    """How the systems did on the query, best first; Markdown.

    What they cannot know is taken into account: how many such images there are, where these are fewer than
    the results looked at. Systems without an answer are named last.
    """
    answered = [one for one in tallies if one.n]
    silent = [f"**{md_escape(one.system)}**" for one in tallies if not one.n]
    if not answered:
        who = {1: "The system", 2: "Neither system"}.get(len(tallies), "No system")
        return f"{who} returned {'nothing' if len(tallies) == 1 else 'anything'} for this query."
    nothing = f"; {listed(silent)} returned nothing" if silent else ""
    if kind.absent:
        return f"The match of this query is not among the candidates, so no system can find it{nothing}."
    n = max(one.n for one in answered)
    there = n if kind.images is None else int(kind.images.sum())
    if not there:
        return f"The collection has no other image {kind.like}, so none can be found{nothing}."
    exist = ""
    if there < n:
        exist = f" Only {pluralize(there, 'such image exists', 'such images exist')}."
    return f"{_counts(answered, kind.like, n)}{nothing}.{exist}"


def _counts(answered: Sequence[Tally], like: str, n: int) -> str:
    first = max(answered, key=lambda one: one.matching)
    if not first.matching:
        who = {1: f"**{md_escape(answered[0].system)}** does not find", 2: "Neither system finds"}
        start = who.get(len(answered), f"None of the {len(answered)} systems finds")
        return f"{start} an image {like} in its top {count(n)}"
    if len(answered) > 1 and len({(one.matching, one.n) for one in answered}) == 1:
        who_all = "Both systems" if len(answered) == 2 else f"All {len(answered)} systems"
        return f"{who_all} find {_many(first)} {like}"
    ordered = sorted(answered, key=lambda one: -one.matching)
    rest = [_one(one, n=first.n) for one in ordered[1:]]
    return ", ".join([f"**{md_escape(first.system)}** finds {_many(first)} {like}", *rest])


def _many(of: Tally) -> str:
    return f"**{count(of.matching)} of {count(of.n)}** {'image' if of.n == 1 else 'images'}"


def _one(of: Tally, *, n: int) -> str:
    many = count(of.matching) if of.matching else "none"
    return f"**{md_escape(of.system)}** {many}" + (f" of {count(of.n)}" if of.n != n else "")


def values(context: Context, systems: Sequence[str], scores: Sequence[float]) -> str:
    """For experts: what each system scores on the query under the measure; "–" for no value."""
    each = [f"{md_escape(name)} **{number(score)}**" for name, score in zip(systems, scores, strict=True)]
    return f"{md_escape(context.choice.metric)}: {', '.join(each)}."
