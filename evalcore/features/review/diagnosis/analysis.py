"""Does retrieval help the doctor? Accuracy, confidence and time by arm, for other readers and cases.

Arms are compared as systems of a reader study, readers and cases random, whatever each reader has read
(`evalcore.stats.mrmc`): sequential readings, crossover and split plots alike. Help is a difference of an arm
with results and the arm alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, inf, isfinite, log, nan
from typing import Literal, get_args

import numpy as np

from evalcore.features.review.diagnosis.reading import ALONE, Diagnosis
from evalcore.stats.correction import holm
from evalcore.stats.correlation import spearman
from evalcore.stats.mrmc.analysis import ReaderStudy, mrmc
from evalcore.stats.mrmc.estimate import Estimate
from evalcore.stats.mrmc.influence import right_from_wrong, slopes
from evalcore.stats.mrmc.readings import Readings
from evalcore.values.arrays import Ints, frozen

Outcome = Literal["right", "area", "confidence", "seconds", "time"]
"""right: share of right answers. area: see `Analysis.area_of`. confidence: its mean, 0 to 1. seconds: mean by
case. time: geometric mean of the seconds, whose difference of two arms is a ratio."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
HELPED: tuple[Outcome, ...] = ("right", "confidence", "time")
"""What is held against the measures: each changes from case to case."""
Shown = Literal["first", "below", "none", "unknown"]
SHOWN: tuple[Shown, ...] = ("first", "below", "none", "unknown")
FIRST_SAME, ANY_SAME = "@first same diagnosis", "@any same diagnosis"
"""In the place of a measure: whether the first result, or any shown, has the diagnosis of the case."""
BOUNDS: Mapping[str, tuple[float, float]] = {
    "right": (0.0, 1.0),
    "area": (0.0, 1.0),
    "confidence": (0.0, 1.0),
    "seconds": (0.0, inf),
}


@dataclass(frozen=True, slots=True)
class Value:
    """A value with its interval for other readers and cases; NaN where there is none.

    ``p``: that it is no difference (0, or 1 of a ratio), NaN where that is no question. ``at_most``: the
    unbiased variance was negative, so the wider plug-in interval is used.
    """

    value: float
    low: float
    high: float
    p: float = nan
    at_most: bool = False


NO_VALUE = Value(nan, nan, nan)


@dataclass(frozen=True, slots=True)
class ArmValue:
    """One outcome of one arm. ``n``: readings that count; ``per_reader``: {reader: value}."""

    outcome: Outcome
    arm: str
    value: Value
    n: int
    readers: int
    cases: int
    per_reader: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """One outcome of arm ``a`` minus that of ``b``; of ``time`` divided by it. Holm over pairs of arms."""

    outcome: Outcome
    a: str
    b: str
    value: Value
    p_corrected: float


@dataclass(frozen=True, slots=True)
class ArmCounts:
    """What there is of an arm. ``median``: of the seconds, NaN without."""

    arm: str
    readings: int
    readers: int
    cases: int
    without_truth: int
    without_seconds: int
    simulated: int
    median: float


@dataclass(frozen=True, slots=True)
class Change:
    """Cases that the same reader answered in both arms, ``b`` first: what became of the answers.

    ``gained``: wrong with b and right with a; ``lost``: the other way. ``by``: "" for all, else "reader" or
    "case", and ``name`` its name; those have no shares. ``net``: gained minus lost, as a share.
    """

    a: str
    b: str
    by: Literal["", "reader", "case"]
    name: str
    both: int
    gained: int
    lost: int
    neither: int
    gained_share: Value = NO_VALUE
    lost_share: Value = NO_VALUE
    net: Value = NO_VALUE

    @property
    def n(self) -> int:
        """Pairs of answers."""
        return self.both + self.gained + self.lost + self.neither


@dataclass(frozen=True, slots=True)
class Help:
    """Cases of an arm by what its results showed: right answers with them and alone, and the help.

    ``gained``, ``lost``: of ``pairs`` answers of the same reader and case in both arms.
    """

    arm: str
    shown: Shown
    cases: int
    n: int
    with_results: float
    alone: float
    help: Value
    pairs: int
    gained: int
    lost: int


@dataclass(frozen=True, slots=True)
class Against:
    """Does a higher score of the case go with more help?

    ``more``: help with a score higher by one standard deviation over the cases (of `FIRST_SAME` and
    `ANY_SAME`: with such a result against without), minus help at the mean; of ``time`` a ratio. ``rho``:
    Spearman's correlation of score and help by case. ``cases``: with a score and both arms; ``undefined``:
    cases of the arm without a score. ``p_corrected``: Holm over arms and measures of the outcome.
    """

    outcome: Outcome
    arm: str
    measure: str
    cases: int
    undefined: int
    rho: float
    more: Value
    p_corrected: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """All of it. ``arms``: with results, by name, and alone last.

    ``area_of``: "positive": the area under the ROC curve of the confidence in the positive of two choices;
    "right": how well confidence tells a reader's right answers from the wrong ones. ``against``: the measures
    the task was held against; empty without scores or without the arm alone.
    """

    arms: tuple[ArmCounts, ...]
    values: tuple[ArmValue, ...]
    differences: tuple[ArmDifference, ...]
    changes: tuple[Change, ...]
    help: tuple[Help, ...]
    against: tuple[Against, ...]
    area_of: Literal["positive", "right"]
    positive: str
    level: float
    readers: int
    cases: int

    def value(self, outcome: Outcome, arm: str) -> ArmValue | None:
        """One outcome of one arm; None where it has no reading."""
        return next((row for row in self.values if (row.outcome, row.arm) == (outcome, arm)), None)

    def difference(self, outcome: Outcome, a: str, b: str = ALONE) -> ArmDifference | None:
        """One difference; None where an arm has no reading."""
        key = (outcome, a, b)
        return next((row for row in self.differences if (row.outcome, row.a, row.b) == key), None)


def analyse(
    diagnoses: Sequence[Diagnosis],
    *,
    positive: str = "",
    shown: Mapping[str, Mapping[str, Sequence[bool | None]]] = {},
    scores: Mapping[str, Mapping[str, Mapping[str, float]]] = {},
    level: float = 0.95,
) -> Analysis:
    """Accuracy, confidence and time by arm, what changed, and when results helped.

    Parameters
    ----------
    diagnoses
        The last answer of each reader, case and arm.
    positive
        Of two choices the one whose area under the ROC curve is asked for; "" for more choices or free text.
    shown
        {arm: {case: whether each result shown, the first first, has the diagnosis of the case; None where
        that is not known}}.
    scores
        {arm: {measure: {case: score of the case as a query}}}; NaN or no entry where it is undefined.
    level
        Of the intervals, between 0 and 1.

    Answers without a truth count for confidence and time, those without seconds for the rest; `ArmCounts`
    has how many. With one reader or one case there are values and no intervals.
    """
    arms = arms_of(diagnoses)
    of = {name: readings_of(diagnoses, arms, name) for name in ("right", "confidence", "seconds", "time")}
    of["area"] = area_readings(diagnoses, arms, positive)
    values: list[ArmValue] = []
    differences: list[ArmDifference] = []
    for outcome in OUTCOMES:
        study = studied(of[outcome], level)
        if study is not None:
            values += _values(outcome, study)
            differences += differences_of(outcome, study)
    known = {arm: kinds_of(diagnoses, shown.get(arm, {})) for arm in arms}
    return Analysis(
        tuple(_counts(diagnoses, arm) for arm in arms),
        tuple(values),
        tuple(differences),
        tuple(row for a, b in combinations(arms, 2) for row in _changes(of["right"], a, b, level)),
        tuple(_help(of["right"], known, level)) if ALONE in arms else (),
        tuple(_against(of, known, scores, level)) if ALONE in arms else (),
        "positive" if positive else "right",
        positive,
        level,
        len({one.reader for one in diagnoses}),
        len({one.case for one in diagnoses}),
    )


def arms_of(diagnoses: Sequence[Diagnosis]) -> tuple[str, ...]:
    """Every arm with an answer: those with results by name, alone last."""
    return tuple(sorted({one.arm for one in diagnoses}, key=lambda arm: (arm == ALONE, arm)))


# Answers as readings.


def readings_of(diagnoses: Sequence[Diagnosis], arms: Sequence[str], outcome: str) -> Readings:
    """One outcome by arm, reader and case; NaN without an answer, and where it is not known."""
    of: dict[str, Callable[[Diagnosis], float]] = {
        "right": lambda one: nan if one.right is None else float(one.right),
        "confidence": lambda one: one.confidence,
        "seconds": lambda one: nan if one.seconds is None else one.seconds,
        "time": lambda one: log(one.seconds) if one.seconds else nan,
    }
    return _readings(diagnoses, arms, of[outcome])


def _readings(
    diagnoses: Sequence[Diagnosis], arms: Sequence[str], value: Callable[[Diagnosis], float]
) -> Readings:
    readers = sorted({one.reader for one in diagnoses})
    cases = sorted({one.case for one in diagnoses})
    place = [{name: i for i, name in enumerate(names)} for names in (arms, readers, cases)]
    ratings = np.full((len(arms), len(readers), len(cases)), np.nan)
    for one in diagnoses:
        ratings[place[0][one.arm], place[1][one.reader], place[2][one.case]] = value(one)
    return Readings(tuple(arms), tuple(readers), tuple(cases), frozen(ratings))


def area_readings(diagnoses: Sequence[Diagnosis], arms: Sequence[str], positive: str) -> Readings:
    """What the area is of, as readings.

    With a positive choice: confidence with a sign, above 0 for the positive choice, and the truth of each
    case. Else pseudo-values of `right_from_wrong`. Answers without a truth do not count.
    """
    known = [one for one in diagnoses if one.right is not None]
    if not positive:
        confidence = readings_of(known, arms, "confidence")
        right = readings_of(known, arms, "right").ratings == 1
        return right_from_wrong(confidence, right)
    signed = _readings(known, arms, lambda one: one.confidence if one.answer == positive else -one.confidence)
    truths = {one.case: one.truth == positive for one in known}
    truth = frozen(np.array([truths[case] for case in signed.cases], bool))
    return replace(signed, truth=truth)


def for_imrmc(diagnoses: Sequence[Diagnosis], positive: str) -> Readings:
    """What iMRMC's input format holds of the answers whose truth is known; empty where there are none.

    With a positive choice as `area_readings`. Else 1 for a right answer and 0 for a wrong one, every case
    written as positive: for the analysis of mean ratings, which does not use the truth.
    """
    known = [one for one in diagnoses if one.right is not None]
    if positive:
        return area_readings(known, arms_of(known), positive)
    right = readings_of(known, arms_of(known), "right")
    return replace(right, truth=frozen(np.ones(len(right.cases), bool)))


def studied(readings: Readings, level: float) -> ReaderStudy | None:
    """The readings analysed; None where there are none, values alone of one reader or one case."""
    there = readings.read
    truth = readings.truth
    if truth is not None:
        both = there[:, :, truth].any(axis=2) & there[:, :, ~truth].any(axis=2)
        there = there & np.any(both, axis=1)[:, None, None]
    if not there.any():
        return None
    kept = [np.flatnonzero(np.any(there, axis=other)) for other in ((1, 2), (0, 2), (0, 1))]
    part = Readings(
        tuple(readings.systems[i] for i in kept[0]),
        tuple(readings.readers[i] for i in kept[1]),
        tuple(readings.cases[i] for i in kept[2]),
        frozen(np.where(there, readings.ratings, np.nan)[np.ix_(*kept)]),
        None if truth is None else frozen(truth[kept[2]]),
    )
    kinds = [len(part.cases)] if part.truth is None else [int(part.truth.sum()), int((~part.truth).sum())]
    enough = len(part.readers) > 1 and min(kinds) > 1
    with np.errstate(all="ignore"):
        study = mrmc(part, level=level, as_imrmc=False)
    if enough:
        return study
    rows = tuple(replace(row, of=_unsure(row.of)) for row in study.rows)
    differences = tuple(replace(row, of=_unsure(row.of), p_corrected=nan) for row in study.differences)
    return replace(study, rows=rows, differences=differences, plug_in=None)


def _unsure(of: Estimate) -> Estimate:
    return Estimate(of.value, nan, nan, nan, nan, nan)


def _interval(of: Estimate, wider: Estimate, bounds: tuple[float, float] = (-inf, inf)) -> Value:
    """A variance of 0 has no interval: answers that are all the same do not say how others would vary."""
    used = wider if of.variance < 0 else of
    if not used.variance > 0:
        return Value(of.value, nan, nan)
    low, high = max(used.low, bounds[0]), min(used.high, bounds[1])
    return Value(of.value, low, high, used.p, used is not of)


def _as_ratio(value: Value) -> Value:
    """Of a logarithm."""
    return replace(value, value=exp(value.value), low=exp(value.low), high=exp(value.high))


def _rows(study: ReaderStudy, bounds: tuple[float, float] = (-inf, inf)) -> list[Value]:
    wider = (study.plug_in or study).rows
    return [_interval(row.of, other.of, bounds) for row, other in zip(study.rows, wider, strict=True)]


def _apart(study: ReaderStudy) -> list[Value]:
    wider = (study.plug_in or study).differences
    return [_interval(row.of, other.of) for row, other in zip(study.differences, wider, strict=True)]


def _values(outcome: Outcome, study: ReaderStudy) -> list[ArmValue]:
    used, ratio = study.readings, outcome == "time"
    pseudo = outcome == "area" and used.truth is None
    result = []
    values = _rows(study, BOUNDS.get(outcome, (-inf, inf)))
    for row, value, read in zip(study.rows, values, used.read, strict=True):
        # Pseudo-values have no value by reader.
        each = {} if pseudo else dict(zip(used.readers, row.per_reader, strict=True))
        result.append(
            ArmValue(
                outcome,
                row.system,
                _as_ratio(value) if ratio else value,
                int(read.sum()),
                int(read.any(axis=1).sum()),
                int(read.any(axis=0).sum()),
                {reader: exp(x) if ratio else x for reader, x in each.items() if isfinite(x)},
            )
        )
    return result


def differences_of(outcome: Outcome, study: ReaderStudy) -> list[ArmDifference]:
    apart = _apart(study)
    corrected = holm(np.array([value.p for value in apart], float))
    return [
        ArmDifference(outcome, row.a, row.b, _as_ratio(value) if outcome == "time" else value, float(p))
        for row, value, p in zip(study.differences, apart, corrected, strict=True)
    ]


def _counts(diagnoses: Sequence[Diagnosis], arm: str) -> ArmCounts:
    own = [one for one in diagnoses if one.arm == arm]
    seconds = [one.seconds for one in own if one.seconds is not None]
    return ArmCounts(
        arm,
        len(own),
        len({one.reader for one in own}),
        len({one.case for one in own}),
        sum(one.right is None for one in own),
        len(own) - len(seconds),
        sum(one.simulated for one in own),
        float(np.median(seconds)) if seconds else nan,
    )


# What became of an answer.


def _changes(right: Readings, a: str, b: str, level: float) -> list[Change]:
    """All pairs of answers; then by reader, and by case. Nothing where no reader answered a case in both."""
    with_, without = (right.ratings[right.systems.index(arm)] for arm in (a, b))
    paired = ~np.isnan(with_) & ~np.isnan(without)
    if not paired.any():
        return []
    kinds = (
        paired & (with_ == 1) & (without == 1),
        paired & (with_ > without),
        paired & (with_ < without),
        paired & (with_ == 0) & (without == 0),
    )
    moved = np.where(paired, np.stack(kinds[1:3]), np.nan)
    study = studied(replace(right, systems=("gained", "lost"), ratings=moved), level)
    assert study is not None, "there are pairs"
    gained, lost = _rows(study, (0.0, 1.0))
    right_in_both, better, worse, neither = (int(of.sum()) for of in kinds)
    net = _apart(study)[0]
    every = Change(a, b, "", "", right_in_both, better, worse, neither, gained, lost, net)
    return [
        every,
        *_changes_by(a, b, "reader", right.readers, [of.sum(axis=1) for of in kinds]),
        *_changes_by(a, b, "case", right.cases, [of.sum(axis=0) for of in kinds]),
    ]


def _changes_by(
    a: str, b: str, by: Literal["reader", "case"], names: Sequence[str], kinds: Sequence[Ints]
) -> list[Change]:
    counts = zip(names, *(each.tolist() for each in kinds), strict=True)
    return [
        Change(a, b, by, name, both, gained, lost, neither)
        for name, both, gained, lost, neither in counts
        if both + gained + lost + neither
    ]


# When results help.


def kinds_of(diagnoses: Sequence[Diagnosis], shown: Mapping[str, Sequence[bool | None]]) -> dict[str, Shown]:
    """What the results of each case showed; {} where nothing is known of any."""
    return {one.case: _kind(shown.get(one.case, ())) for one in diagnoses} if shown else {}


def _kind(same: Sequence[bool | None]) -> Shown:
    if not same or None in same[:1] or (None in same and True not in same):
        return "unknown"
    return "first" if same[0] else "below" if True in same else "none"


def _help(right: Readings, known: Mapping[str, Mapping[str, Shown]], level: float) -> list[Help]:
    result = []
    alone = right.systems.index(ALONE)
    for arm, kinds in known.items():
        for kind in SHOWN if kinds and arm != ALONE else ():
            at = [i for i, case in enumerate(right.cases) if kinds.get(case) == kind]
            cells = right.ratings[[right.systems.index(arm), alone]][:, :, at]
            read = ~np.isnan(cells)
            if not read[0].any():
                continue
            study = studied(
                Readings((arm, ALONE), right.readers, tuple(right.cases[i] for i in at), frozen(cells)), level
            )
            assert study is not None, "there are readings"
            pairs = read.all(axis=0)
            values = {row.system: row.of.value for row in study.rows}
            result.append(
                Help(
                    arm,
                    kind,
                    int(read[0].any(axis=0).sum()),
                    int(read[0].sum()),
                    values[arm],
                    values.get(ALONE, nan),
                    _apart(study)[0] if study.differences else NO_VALUE,
                    int(pairs.sum()),
                    int((pairs & (cells[0] > cells[1])).sum()),
                    int((pairs & (cells[0] < cells[1])).sum()),
                )
            )
    return result


def _against(
    of: Mapping[str, Readings],
    known: Mapping[str, Mapping[str, Shown]],
    scores: Mapping[str, Mapping[str, Mapping[str, float]]],
    level: float,
) -> list[Against]:
    rows = []
    for outcome in HELPED:
        part = []
        for arm in of[outcome].systems:
            same = {
                name: {case: float(kind in kinds) for case, kind in known[arm].items() if kind != "unknown"}
                for name, kinds in ((FIRST_SAME, ("first",)), (ANY_SAME, ("first", "below")))
            }
            if same[FIRST_SAME] == same[ANY_SAME]:
                del same[ANY_SAME]
            for measure, by_case in (same | dict(scores.get(arm, {}))).items() if arm != ALONE else ():
                if row := _one_against(outcome, of[outcome], arm, measure, by_case, level):
                    part.append(row)
        corrected = holm(np.array([row.more.p for row in part], float))
        rows += [replace(row, p_corrected=float(p)) for row, p in zip(part, corrected, strict=True)]
    return rows


def _one_against(
    outcome: Outcome, readings: Readings, arm: str, measure: str, by_case: Mapping[str, float], level: float
) -> Against | None:
    """None where the measure has no score for any case."""
    cells = readings.ratings[[readings.systems.index(arm), readings.systems.index(ALONE)]]
    read = ~np.isnan(cells)
    score = np.array([by_case.get(case, nan) for case in readings.cases])
    there = read.any(axis=1).all(axis=0)
    both = there & ~np.isnan(score)
    if not both.any():
        return None
    part = Readings(
        (arm, ALONE),
        readings.readers,
        tuple(case for case, kept in zip(readings.cases, both, strict=True) if kept),
        frozen(cells[:, :, both]),
    )
    score = score[both]
    spread = float(score.std()) if measure not in (FIRST_SAME, ANY_SAME) else 1.0
    means = np.nansum(part.ratings, axis=1) / part.read.sum(axis=1)
    rho = spearman(score, means[0] - means[1])
    more = NO_VALUE
    # With a line through two values, a value of one case has no variance.
    alone = len(np.unique(score)) == 2 and min(np.unique(score, return_counts=True)[1]) < 2
    if spread > 0 and not alone:
        study = studied(slopes(part, score / spread), level)
        if study is not None and study.differences:
            more = _apart(study)[0]
    return Against(
        outcome,
        arm,
        measure,
        int(both.sum()),
        int((there & ~both).sum()),
        rho,
        _as_ratio(more) if outcome == "time" else more,
        nan,
    )
