"""The pool of an adaptive task out of its study, and its course out of what readers said."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from evalcore import engine
from evalcore.features.review.adaptive.course import FEWEST, Course, Pool, follow
from evalcore.features.review.adaptive.setup import NO_PRIOR, OF_FORMS, Adaptive
from evalcore.features.review.drawing import drawn, fingerprint
from evalcore.features.review.judgments import in_order
from evalcore.relevance.registry import available
from evalcore.values.arrays import position
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.settings import Settings
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evalcore.features.review.adaptive.course import Claim, Estimate, Round
    from evalcore.features.review.judgments import Judgment, Place
    from evalcore.features.review.tasks import Task
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Study

    Lists = Mapping[str, Mapping[str, tuple[str, ...]]]
    """{query: {system: its first results}}, as `items.lists_of` gives them."""

USUAL = ("nn-iou", "iou")


def usual_prior(study: Study) -> str:
    """The relevance that predicts answers where none is named: nn-IoU or IoU, "none" without concepts."""
    there = available(study)
    return next((name for name in USUAL if name in there), NO_PRIOR)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The pool of a task, and what each of its items is about."""

    pool: Pool
    task: Task
    lists: Lists
    places: tuple[Place, ...]

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(self.lists)


def design_of(study: Study, task: Task, lists: Lists) -> Design | None:
    """The design of a task; None for one that is not adaptive.

    Raises
    ------
    InputError
        Fewer queries than anything can be decided from, or no room for them; lists or labels that have
        changed since the task was made.
    UnknownName
        A prior that the study does not have.
    """
    if task.adaptive is None:
        return None
    prior = _prior(study, task, lists)
    known = task.adaptive.lists
    if known and known != _fingerprint(task, lists, prior):
        raise InputError(
            f"The results or labels of the study have changed since the task {task.name!r} was made, so the "
            "chances of its draws are no longer known. Put back the files, or make a new task."
        )
    names = [(query, place, asked) for query in lists for place, asked in _places(task, query, lists[query])]
    place_of = {query: i for i, query in enumerate(lists)}
    query_of = np.array([place_of[query] for query, _, _ in names], np.int32)
    member = np.array([[system in asked for system in task.systems] for _, _, asked in names], bool)
    pool = Pool(
        claim=task.adaptive.claim,
        apart=_apart(task, lists),
        asked=member.reshape(-1, len(task.systems)),
        query_of=query_of,
        at_most=task.adaptive.at_most,
        seed=int(fingerprint("adaptive", task.name, task.seed)[:15], 16),
        prior=_scores(task, lists, prior) if prior else None,
        within=task.adaptive.within,
        level=task.adaptive.level,
        middle=0.5 if task.form == "graded" else 0.0,
    )
    _check(pool)
    return Design(pool, task, lists, tuple(place for _, place, _ in names))


def with_design(
    study: Study,
    task: Task,
    lists: Lists,
    *,
    claim: Claim,
    at_most: int | None = None,
    within: float | None = None,
    prior: str | None = None,
) -> Task:
    """A task made adaptive, with the fingerprint of its lists and prior.

    ``at_most``: None for a third of the items, or those of the fewest queries where that is more. ``prior``:
    None for `usual_prior`. Raises as `design_of`; a task of another form stays as wrong as it is.
    """
    given = Adaptive(claim=claim, at_most=at_most or 1, prior=prior or usual_prior(study))
    if within is not None:
        given = replace(given, within=within)
    made = replace(task, adaptive=given)
    if task.form not in OF_FORMS:
        return made
    if at_most is None:
        items = sorted(sum(1 for _ in _places(task, query, of)) for query, of in lists.items())
        most = max(sum(items) // 3, sum(items[-FEWEST:]))
        made = replace(task, adaptive=replace(given, at_most=max(most, 1)))
    assert made.adaptive is not None
    design_of(study, made, lists)
    known = _fingerprint(task, lists, _prior(study, made, lists))
    return replace(made, adaptive=replace(made.adaptive, lists=known))


def _check(pool: Pool) -> None:
    if pool.n < FEWEST:
        message = f"An adaptive task needs at least {FEWEST} queries; this one has {pool.n}."
        raise InputError(f"{message} Ask about more queries, or let readers judge all of them.")
    needed = int(np.sort(pool.items(tuple(range(pool.n_systems))))[-FEWEST:].sum())
    if pool.at_most < needed:
        raise InputError(
            f"`at_most` must be at least {needed:,} for these lists, the items of {FEWEST} queries: nothing "
            f"can be decided from fewer. It is {pool.at_most:,}."
        )


def _places(
    task: Task, query: str, lists: Mapping[str, tuple[str, ...]]
) -> Iterable[tuple[Place, frozenset[str]]]:
    """What is asked about a query, and for which systems: results, or pairs of different lists."""
    if task.form == "graded":
        for result in sorted({result for results in lists.values() for result in results}):
            of = frozenset(system for system, results in lists.items() if result in results)
            yield ("graded", query, result, (), ""), of
        return
    for pair in combinations(sorted(task.systems), 2):
        if lists[pair[0]] != lists[pair[1]]:
            yield ("preference", query, "", pair, ""), frozenset(pair)


def _apart(task: Task, lists: Lists) -> Floats:
    """How much of two lists differs: the share of results that only one has; of votes, whether any does."""
    k = len(task.systems)
    result = np.zeros((len(lists), k, k))
    for i, of in enumerate(lists.values()):
        for a, b in combinations(range(k), 2):
            one, other = (of[task.systems[place]] for place in (a, b))
            size = len(one) + len(other)
            share = len({*one} ^ {*other}) / size if size else 0.0
            result[i, a, b] = result[i, b, a] = share if task.form == "graded" else float(one != other)
    return result


def _prior(study: Study, task: Task, lists: Lists) -> dict[tuple[str, str], float]:
    """What the prior says of each result of each query; nothing without a prior."""
    assert task.adaptive is not None, "an adaptive task"
    name = task.adaptive.prior
    if name == NO_PRIOR:
        return {}
    if name not in available(study):
        raise UnknownName("relevance for a prior", name, available(study), f"Or {NO_PRIOR}.")
    pairs = [
        (query, one) for query in lists for one in sorted({one for of in lists[query].values() for one in of})
    ]
    if not pairs:
        return {}
    queries, candidates = (
        np.array([position(study.image_ids, pair[side]) for pair in pairs], np.int32) for side in (0, 1)
    )
    values = engine.relevance_of_pairs(study, name, queries, candidates, Settings())
    known = values[~np.isnan(values)]
    values = np.where(np.isnan(values), known.mean() if len(known) else 0.0, values)
    return dict(zip(pairs, np.round(values, 4).tolist(), strict=True))


def _fingerprint(task: Task, lists: Lists, prior: Mapping[tuple[str, str], float]) -> str:
    parts: list[object] = [f"{value:.4f}" for value in prior.values()]
    for query, of in lists.items():
        parts += [query, *(part for system in task.systems for part in (len(of[system]), *of[system]))]
    return fingerprint(*parts)


def _scores(task: Task, lists: Lists, values: Mapping[tuple[str, str], float]) -> Floats:
    """The mean value of the results of each system, shape (queries, systems); of votes beyond that of the
    others."""
    means = np.array(
        [
            [_mean([values[query, one] for one in of[system]]) for system in task.systems]
            for query, of in lists.items()
        ]
    )
    if task.form == "graded":
        return means
    k = len(task.systems)
    beyond: Floats = (means * k - means.sum(axis=1, keepdims=True)) / max(k - 1, 1)
    return beyond


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


# What readers said, and what is open.


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """How far a task is, for all readers together.

    ``judged``: items with an answer; ``left``: about how many are still needed. ``unsure``: items that nobody
    could answer; ``stray``: answers about what no round asked for, which count for nothing here.
    """

    design: Design
    course: Course
    judged: int
    left: int
    unsure: int
    stray: int
    _answers: Mapping[Place, Mapping[str, float | None]]

    @property
    def stopped(self) -> bool:
        return self.course.reason is not None

    def asked(self, one: Round) -> list[Place]:
        """What the round asks, query by query."""
        return [self.design.places[i] for i in _asked(self.design, one)]

    def open_for(self, reader: str) -> Iterator[tuple[Place, tuple[int, int]]]:
        """What a reader may judge now, and its turn: the queries that all judge, those the reader has begun,
        those nobody has begun, and those others have begun; each in an order of the reader."""
        task = self.design.task
        assert task.adaptive is not None, "an adaptive task"
        order = {name: n for n, name in enumerate(drawn(self.design.queries, "round", task.seed, reader))}
        shared = {self.design.queries[i] for i in self.course.rounds[0].queries[: task.adaptive.shared]}
        asked = [place for one in self.course.rounds for place in self.asked(one)]
        begun: dict[str, set[str]] = defaultdict(set)
        for place in asked:
            begun[place[1]] |= {*self._answers.get(place, ())}
        for place in asked:
            said, of = self._answers.get(place, {}), begun[place[1]]
            common = place[1] in shared
            if not said or (common and not self.stopped and reader not in said):
                stage = 0 if common else 1 if reader in of else 2 if not of else 3
                yield place, (stage, order[place[1]])


def _asked(design: Design, one: Round) -> list[int]:
    wanted = design.pool.asked[:, list(one.active)].any(axis=1)
    of = design.pool.query_of
    return [int(i) for query in one.queries for i in np.flatnonzero(wanted & (of == query))]


def state_of(design: Design, judgments: Iterable[Judgment]) -> State:
    """How far a task is. Judgments of programs count where there are no others; what was settled between
    readers later does not.

    A round is over with the first answer to the last of its items. The next one follows from what counted at
    that moment: what is corrected later changes estimates, not what was drawn.
    """
    said = [one for one in judgments if one.task == design.task.name and not one.adjudicated]
    said = [one for one in said if not one.simulated] or said
    lists = {place: _shown(design, place) for place in design.places}
    events: dict[Place, list[tuple[int, str, Judgment]]] = defaultdict(list)
    n_stray = 0
    for n, one in enumerate(in_order(said)):
        place: Place = (one.kind, one.query, one.result, tuple(sorted(one.systems)), one.criterion)
        if place in lists and one.shown in ("", lists[place]):
            events[place].append((n, one.reader, one))
        else:
            n_stray += 1
    cut = -1

    def scores_of(rounds: list[Round]) -> list[Floats] | None:
        nonlocal cut
        first = [
            next((n for n, _, one in events[design.places[i]] if one.said != "undone"), None)
            for i in _asked(design, rounds[-1])
        ]
        if any(n is None for n in first):
            return None
        cut = max([cut, *(n for n in first if n is not None)])
        return _round_scores(design, rounds, {place: _answers(of, cut) for place, of in events.items()})

    course = follow(design.pool, scores_of)
    answers = {place: _answers(of, len(said)) for place, of in events.items()}
    answers = {place: of for place, of in answers.items() if of}
    asked = {design.places[i] for one in course.rounds for i in _asked(design, one)}
    if course.over:
        course.count(_round_scores(design, course.rounds[: course.over], answers))
    here = [place for place in asked if place in answers]
    now = {design.places[i] for one in course.rounds[course.over :] for i in _asked(design, one)}
    still = len(now) - sum(place in answers for place in now)
    return State(
        design,
        course,
        len(here),
        max(course.left - (len(now) - still), still),
        sum(all(value is None for value in answers[place].values()) for place in here),
        n_stray + sum(len(of) for place, of in answers.items() if place not in asked),
        answers,
    )


def _shown(design: Design, place: Place) -> str:
    """The fingerprint of the two lists of a vote, as `Item.shown` has it; "" for a result."""
    if place[0] == "graded":
        return ""
    lists = sorted(design.lists[place[1]][system] for system in place[3])
    return fingerprint(*(part for one in lists for part in (len(one), *one)))


def _answers(events: Sequence[tuple[int, str, Judgment]], cut: int) -> dict[str, float | None]:
    """What each reader's last word was up to a moment, None for "cannot say"; of a vote for the first system
    by name."""
    result: dict[str, float | None] = {}
    for n, reader, one in events:
        if n > cut:
            break
        if one.said == "undone":
            result.pop(reader, None)
        elif one.value is None or one.kind == "graded":
            result[reader] = one.value
        else:  # -1 is the left list
            result[reader] = one.value if one.systems != tuple(sorted(one.systems)) else -one.value
    return result


def _round_scores(
    design: Design, rounds: Sequence[Round], answers: Mapping[Place, Mapping[str, float | None]]
) -> list[Floats]:
    """What systems score for the queries of rounds: the mean grade of their results, 0 of an empty list; the
    mean vote for their list against every other, 0 against the same one. NaN where nobody could say."""
    systems = design.task.systems
    values: dict[Place, float] = {}
    for place, of in answers.items():
        known = [value for value in of.values() if value is not None]
        if known:
            values[place] = float(np.mean(known))
    result = []
    for one in rounds:
        scores = np.full((len(one.queries), len(systems)), np.nan)
        for row, query in enumerate(design.queries[i] for i in one.queries):
            for column in one.active:
                scores[row, column] = _score(design, query, systems[column], values)
        result.append(scores)
    return result


def _score(design: Design, query: str, system: str, values: Mapping[Place, float]) -> float:
    lists = design.lists[query]
    if design.task.form == "graded":
        places: list[Place] = [("graded", query, result, (), "") for result in lists[system]]
        known = [values[place] for place in places if place in values]
        return _mean(known) if known or not places else float("nan")
    known = []
    for other in design.task.systems:
        a, b = sorted((system, other))
        if other == system:
            continue
        place = ("preference", query, "", (a, b), "")
        if lists[a] == lists[b]:
            known.append(0.0)
        elif place in values:
            known.append(values[place] if system == a else -values[place])
    return _mean(known) if known else float("nan")


# In words, for readers (who learn no system), and for the organiser.


def progress_in_words(state: State) -> str:
    """How much is still to be judged.

    >>> from types import SimpleNamespace as Of
    >>> pool = Of(at_most=200)
    >>> progress_in_words(Of(stopped=False, left=40, judged=60, design=Of(pool=pool)))
    '60 judged, about 40 of at most 200 left'
    """
    if state.stopped:
        done = pluralize(state.judged, "item")
        return f"{done} judged, of at most {state.design.pool.at_most:,}: no more are needed"
    return f"{state.judged:,} judged, about {state.left:,} of at most {state.design.pool.at_most:,} left"


CLAIM_WORDS = {
    "best": "which system is best",
    "order": "the order of the systems",
    "value": "the score of each system",
}


def ending(state: State) -> str:
    """Why judging stopped, or that it goes on; names no system."""
    course, claim = state.course, CLAIM_WORDS[state.design.pool.claim]
    if course.reason is None:
        return f"Judging goes on: {claim} is not decided yet."
    if course.reason == "decided":
        return f"Judging stopped: {claim} is decided."
    why = "all queries are judged" if course.reason == "all judged" else "there is no room for another query"
    return f"Judging stopped because {why}. What was asked, {claim}, is not decided."


def verdict(state: State) -> str:
    """The claim in words, with the systems."""
    course, systems = state.course, state.design.task.systems
    if not course.over:
        return "Nothing is known before the first round is over."
    means = {one: course.mean(one).value for one in range(len(systems))}
    order = sorted(means, key=lambda one: (-np.nan_to_num(means[one], nan=-np.inf), one))
    claim, level = state.design.pool.claim, f"{state.design.pool.level:.0%}"
    if claim == "value":
        half = max((course.mean(one).high - course.mean(one).low) / 2 for one in order)
        return f"The scores are known to ± {half:.3f} or better, {level} intervals together."
    if claim == "order":
        parts = [systems[order[0]]]
        for a, b in pairwise(order):
            parts.append(f"{'>' if course.beats[a, b] else '≥?'} {systems[b]}")
        decided = "" if course.reason == "decided" else " (≥?: not decided)"
        return f"{' '.join(parts)}{decided}."
    lead = systems[course.leader]
    if course.reason == "decided":
        return f"{lead} is the best system ({level})."
    others = [systems[one] for one in course.active if systems[one] != lead]
    return f"{lead} is ahead, but not apart from {', '.join(others)}."


def estimate_rows(state: State) -> list[tuple[str, Estimate, Estimate | None, int]]:
    """(system, mean, by how much the leader is ahead of it, queries), the best first; the leader without a
    difference. Intervals hold at all looks, and for all that the claim is about."""
    course, systems = state.course, state.design.task.systems
    lead = course.leader
    rows = []
    for place, system in enumerate(systems):
        mean = course.mean(place)
        rows.append((system, mean, None if place == lead else course.difference(lead, place), mean.n))
    return sorted(rows, key=lambda row: (row[2] is not None, -np.nan_to_num(row[1].value, nan=-np.inf)))
