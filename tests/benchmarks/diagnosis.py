"""Do intervals of reader studies of diagnoses hold, and would the published study see its effect? Simulated.

    python -m tests.benchmarks.diagnosis [--studies 1000] [--seed 1]
    python -m tests.benchmarks.diagnosis --answers STUDY TASK [--readers 36] > answers.csv

Prints the tables of docs/results/diagnosis.md; or answers of readers R1, R2, ... to a task of a study,
as `review import` reads them. The effect is that of Rumberger et al. 2025
(doi:10.1038/s41598-025-94634-6): 36 radiologists, 48 cases, of which each reader had eight, four of them
with results; 55.88% right without and 70.59% with results alone, 334 and 236 seconds. What readers and cases
differ by is assumed: whether an answer is right has a logit with normal parts of the reader, the case, and
both of these once more for each arm; seconds are log-normal with the same parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from math import exp, log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from evalcore.features.review.diagnosis.analysis import Outcome, differences_of, studied
from evalcore.features.review.diagnosis.plan import readings_of
from evalcore.features.review.diagnosis.reading import ALONE, Diagnosis
from evalcore.features.review.diagnosis.setup import Setup
from evalcore.features.review.diagnosis.truth import truths_of
from evalcore.features.review.items import lists_of
from evalcore.features.review.read.diagnosis_files import diagnosis_lines
from evalcore.features.review.read.task_files import read_task
from evalcore.features.review.tasks import Task
from evalcore.stats.mrmc.influence import right_from_wrong, slopes
from evalcore.stats.mrmc.readings import Readings
from evalcore.study import open_study
from evalcore.values.arrays import Bools, Floats

RIGHT = (0.7059, 0.5588)
SECONDS = (236.0, 334.0)
"""With results, and without."""


class Spread(NamedTuple):
    """Standard deviations: of readers, cases, and of each of them once more in each arm; of what is left."""

    reader: float
    case: float
    reader_arm: float
    case_arm: float
    rest: float = 0.0


LOGIT = Spread(0.5, 1.2, 0.3, 0.5)
LOG_SECONDS = Spread(0.3, 0.3, 0.1, 0.1, 0.5)
OF_SCORE = 0.5
"""What one standard deviation of a measure adds to the logit of a right answer with results."""
CONFIDENCE = Spread(0.5, 0.3, 0.2, 0.2, 0.8)
APART, MORE_APART = 0.6, 1.2
"""How much surer readers are of right answers than of wrong ones, without results and with them."""
BEGAN = datetime(2026, 5, 1, 9, tzinfo=UTC)


class Design(NamedTuple):
    """``per_reader``: cases that each reads; ``both``: in both arms, else half of them in each."""

    name: str
    readers: int
    cases: int
    per_reader: int
    both: bool


DESIGNS = (
    Design("as published, 8 of 48 cases a reader", 36, 48, 8, False),
    Design("every case once a reader", 36, 48, 48, False),
    Design("every case in both arms", 36, 48, 48, True),
    Design("every case in both arms", 6, 24, 24, True),
    Design("every case once a reader", 8, 40, 40, False),
)


@cache
def read_in(design: Design) -> Bools:
    """Who reads what with results, and without, as tasks plan it: shape (2, readers, cases)."""
    setup = Setup(
        arms=(ALONE, "with"),
        design="sequential" if design.both else "split",
        per_reader=design.per_reader if design.per_reader < design.cases else 0,
    )
    result = np.zeros((2, design.readers, design.cases), bool)
    for reader in range(design.readers):
        cases = map(str, range(design.cases))
        for planned in readings_of(setup, cases, task="dx", seed=0, reader=f"R{reader + 1}"):
            result[int(planned.arm == ALONE), reader, int(planned.case)] = True
    return result


def parts(spread: Spread, design: Design, rng: np.random.Generator) -> Floats:
    """The sum of the random parts, shape (2, readers, cases)."""
    shape = design.readers, design.cases
    result = np.zeros((2, *shape))
    result += rng.normal(0, spread.reader, (1, shape[0], 1)) + rng.normal(0, spread.case, (1, 1, shape[1]))
    result += rng.normal(0, spread.reader_arm, (2, shape[0], 1))
    result += rng.normal(0, spread.case_arm, (2, 1, shape[1]))
    return result + (rng.normal(0, spread.rest, (2, *shape)) if spread.rest else 0.0)


def intercept(share: float, variance: float) -> float:
    """The mean logit at which that share of answers is right, over all readers and cases."""
    points, weights = np.polynomial.hermite_e.hermegauss(60)

    def above(mean: float) -> float:
        chance = 1 / (1 + np.exp(-(mean + points * variance**0.5)))
        return float(weights @ chance / weights.sum() - share)

    return float(brentq(above, -10, 10))


def variance_of(spread: Spread) -> float:
    return float(sum(part**2 for part in spread))


def right_answers(design: Design, shares: tuple[float, float], rng: np.random.Generator) -> Readings:
    """Right (1) and wrong (0) answers of a study."""
    means = np.array([intercept(share, variance_of(LOGIT)) for share in shares])
    chance = 1 / (1 + np.exp(-(means[:, None, None] + parts(LOGIT, design, rng))))
    return named(design, (rng.random(chance.shape) < chance).astype(float))


def log_seconds(design: Design, means: tuple[float, float], rng: np.random.Generator) -> Readings:
    """Logarithms of the seconds, whose means are those given."""
    centres = np.log(means)[:, None, None] - variance_of(LOG_SECONDS) / 2
    return named(design, centres + parts(LOG_SECONDS, design, rng))


def named(design: Design, values: Floats) -> Readings:
    names = ("with", "alone"), tuple(map(str, range(design.readers))), tuple(map(str, range(design.cases)))
    return Readings(*names, np.where(read_in(design), values, np.nan))


class Result(NamedTuple):
    """Shares of studies: whose interval holds the truth, with p < .05; and the mean width."""

    covered: float
    below: float
    width: float


def of_differences(
    outcome: Outcome, design: Design, means: tuple[float, float], truth: float, studies: int, seed: int
) -> Result:
    rng = np.random.default_rng([seed, design.readers, design.cases, design.per_reader, design.both])
    rows = []
    for _ in range(studies):
        made = right_answers(design, means, rng) if outcome == "right" else log_seconds(design, means, rng)
        if outcome == "seconds":
            made = named(design, np.exp(made.ratings))
        study = studied(made, 0.95)
        assert study is not None
        (row,) = differences_of(outcome, study)
        rows.append(row.value)
    return result_of(rows, truth)


def of_scores(design: Design, helps: float, studies: int, seed: int) -> Result:
    """More help with a higher score of the case: with such a slope on the logit with results, and without."""
    rng = np.random.default_rng([seed, design.readers, design.cases, design.per_reader, design.both, 1])
    variance = variance_of(LOGIT)
    means = [intercept(share, variance + of**2) for share, of in zip(RIGHT, (helps, 0.0), strict=True)]
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    logits = means[0] + helps * points[:, None] + points[None, :] * variance**0.5
    truth = float((weights * points) @ (1 / (1 + np.exp(-logits))) @ weights / weights.sum() ** 2)
    rows = []
    for _ in range(studies):
        score = rng.normal(size=design.cases)
        logits = np.array(means)[:, None, None] + parts(LOGIT, design, rng)
        logits[0] += helps * score
        made = named(design, (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(float))
        study = studied(slopes(made, score), 0.95)
        assert study is not None
        rows.append(differences_of("right", study)[0].value)
    return result_of(rows, truth)


def of_areas(design: Design, with_results: float, studies: int, seed: int) -> Result:
    """Confidence that is higher by so much where an answer is right, with results; by `APART` without."""
    rng = np.random.default_rng([seed, design.readers, design.cases, design.per_reader, design.both, 2])
    apart = np.array([with_results, APART])
    areas = ndtr(apart / np.sqrt(2 * (CONFIDENCE.case**2 + CONFIDENCE.case_arm**2 + CONFIDENCE.rest**2)))
    rows = []
    for _ in range(studies):
        right = right_answers(design, RIGHT, rng)
        confidence = apart[:, None, None] * (right.ratings == 1) + parts(CONFIDENCE, design, rng)
        study = studied(right_from_wrong(named(design, confidence), right.ratings == 1), 0.95)
        assert study is not None
        rows.append(differences_of("area", study)[0].value)
    return result_of(rows, float(areas[0] - areas[1]))


def result_of(rows: list, truth: float) -> Result:
    """NaN intervals, where all answers are the same, hold nothing and reject nothing."""
    low, high, p = (np.array([getattr(row, name) for row in rows]) for name in ("low", "high", "p"))
    return Result(
        float(((low <= truth) & (truth <= high)).mean()),
        float((np.nan_to_num(p, nan=1.0) < 0.05).mean()),
        float(np.nanmean(high - low)),
    )


def answers(folder: Path, task: Task, readers: int, seed: int) -> Iterator[Diagnosis]:
    """Simulated answers to all that a task with an arm alone and one with results asks of so many readers."""
    setup, study = task.diagnosis, open_study(folder)
    assert setup is not None and len(setup.systems) == 1 and setup.choices, "alone and one system, by choice"
    cases = [*lists_of(study, task)]
    truths = truths_of(study, task, cases)
    design, rng = Design("", readers, len(cases), len(cases), True), np.random.default_rng(seed)
    right = right_answers(design, RIGHT, rng).ratings == 1
    seconds = np.exp(log_seconds(design, SECONDS, rng).ratings)
    apart = np.array([MORE_APART, APART])[:, None, None]
    sure = np.round(4 * ndtr(apart * right + parts(CONFIDENCE, design, rng))) / 4
    for r in range(readers):
        for one in readings_of(setup, cases, task=task.name, seed=task.seed, reader=f"R{r + 1}"):
            at = int(one.arm == ALONE), r, cases.index(one.case)
            others = [choice for choice in setup.choices if choice != truths[one.case]]
            yield Diagnosis(
                task=task.name,
                reader=f"R{r + 1}",
                case=one.case,
                arm=one.arm,
                session=one.session,
                order=one.order,
                answer=truths[one.case] if right[at] else str(rng.choice(others)),
                confidence=float(sure[at]),
                seconds=round(float(seconds[at]), 1),
                at=BEGAN + timedelta(days=(setup.washout + 2) * one.session, minutes=6 * one.order),
                simulated=True,
            )


def tables(studies: int, seed: int) -> Iterator[str]:
    """The tables in Markdown, line by line."""
    yield "| difference in | readers | cases | design | covered | p < .05 | no effect: p < .05 | width |"
    yield "|---|---|---|---|---|---|---|---|"
    for design in DESIGNS:
        effect = of_differences("right", design, RIGHT, RIGHT[0] - RIGHT[1], studies, seed)
        none = of_differences("right", design, (RIGHT[1],) * 2, 0.0, studies, seed)
        yield line("right answers", design, effect, none, f"{100 * effect.width:.0f} points")
    for design in DESIGNS:
        ratio = log(SECONDS[0] / SECONDS[1])
        effect = of_differences("time", design, SECONDS, exp(ratio), studies, seed)
        none = of_differences("time", design, (SECONDS[1],) * 2, 1.0, studies, seed)
        yield line("time, as a ratio", design, effect, none, f"{effect.width:.2f}")
    for design in DESIGNS:
        effect = of_differences("seconds", design, SECONDS, SECONDS[0] - SECONDS[1], studies, seed)
        none = of_differences("seconds", design, (SECONDS[1],) * 2, 0.0, studies, seed)
        yield line("seconds", design, effect, none, f"{effect.width:.0f} s")
    for design in DESIGNS:
        effect, none = (of_scores(design, helps, studies, seed) for helps in (OF_SCORE, 0.0))
        yield line("more help per SD of a measure", design, effect, none, f"{100 * effect.width:.0f} points")
    for design in DESIGNS:
        effect, none = (of_areas(design, apart, studies, seed) for apart in (MORE_APART, APART))
        yield line("confidence: right from wrong", design, effect, none, f"{effect.width:.2f}")


def line(name: str, design: Design, effect: Result, none: Result, width: str) -> str:
    shares = " | ".join(f"{x:.3f}".removeprefix("0") for x in (effect.covered, effect.below, none.below))
    return f"| {name} | {design.readers} | {design.cases} | {design.name} | {shares} | {width} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", nargs=2, metavar=("STUDY", "TASK"))
    parser.add_argument("--readers", type=int, default=36)
    options = parser.parse_args()
    if options.answers:
        folder = Path(options.answers[0])
        made = answers(folder, read_task(folder, options.answers[1]), options.readers, options.seed)
        print(*diagnosis_lines(made), sep="", end="")
    else:
        for text in tables(options.studies, options.seed):
            print(text, flush=True)
