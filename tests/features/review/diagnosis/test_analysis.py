"""Diagnoses analysed: a table worked out by hand, naive loops, and other programs."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

import evalcore
from evalcore.features.review.diagnosis import tables, words
from evalcore.features.review.diagnosis.analysis import analyse
from evalcore.features.review.diagnosis.reading import ALONE, Diagnosis
from tests.benchmarks.diagnosis import DESIGNS, RIGHT, of_areas, of_differences, of_scores

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def diagnosis(reader, case, arm, answer, confidence, seconds=100.0, truth="A", **more):
    return Diagnosis(
        task="t",
        reader=reader,
        case=case,
        arm=arm,
        session=1,
        order=1,
        answer=answer,
        truth=truth,
        confidence=confidence,
        seconds=seconds,
        at=NOW,
        **more,
    )


# Two readers, two cases (c1 is A, c2 is B), alone and with hog.
EIGHT = [
    diagnosis("r1", "c1", ALONE, "A", 0.8, 100.0),
    diagnosis("r1", "c2", ALONE, "A", 0.4, 200.0, "B"),
    diagnosis("r2", "c1", ALONE, "B", 0.6, 100.0),
    diagnosis("r2", "c2", ALONE, "B", 0.6, 400.0, "B"),
    diagnosis("r1", "c1", "hog", "A", 0.9, 50.0),
    diagnosis("r1", "c2", "hog", "B", 0.6, 100.0, "B"),
    diagnosis("r2", "c1", "hog", "A", 0.5, 100.0),
    diagnosis("r2", "c2", "hog", "A", 0.2, 200.0, "B"),
]
SHOWN = {"hog": {"c1": [True, False], "c2": [False, False]}}


def test_eight_answers_by_hand():
    of = analyse(EIGHT, shown=SHOWN, scores={"hog": {"CUI@2": {"c1": 0.9, "c2": 0.1}}})
    values = {(row.outcome, row.arm): row.value.value for row in of.values}
    assert values["right", ALONE] == 0.5 and values["right", "hog"] == 0.75
    assert values["seconds", ALONE] == 200 and values["seconds", "hog"] == 112.5
    assert values["confidence", ALONE] == pytest.approx(0.6)
    # Right before wrong: r1 .8 against .4, r2 .6 against .6; with hog only r2, .5 against .2.
    assert values["area", ALONE] == pytest.approx(0.75) and values["area", "hog"] == pytest.approx(1)
    # Three of four times are halved.
    assert of.difference("time", "hog").value.value == pytest.approx(2**-0.75)
    assert [(row.arm, row.median) for row in of.arms] == [("hog", 100), (ALONE, 150)]
    every = of.changes[0]
    assert (every.n, every.both, every.gained, every.lost, every.neither) == (4, 1, 2, 1, 0)
    assert every.gained_share.value == 0.5 and every.net.value == 0.25
    assert of.difference("right", "hog").value.value == 0.25
    # Products of the changes (0, 1; 1, -1): .25 (.75 - .5 - .5 + .5) - .5 is negative; the plug-in is not.
    assert of.difference("right", "hog").value.at_most
    by = {(row.by, row.name): (row.gained, row.lost) for row in of.changes[1:]}
    assert by == {
        ("reader", "r1"): (1, 0),
        ("reader", "r2"): (1, 1),
        ("case", "c1"): (1, 0),
        ("case", "c2"): (1, 1),
    }
    first, none = of.help
    assert (first.shown, first.cases, first.with_results, first.alone, first.gained) == (
        "first",
        1,
        1,
        0.5,
        1,
    )
    assert (none.shown, none.help.value, none.gained, none.lost) == ("none", 0, 1, 1)
    assert words.headline(of).startswith("With hog 75% right, alone 50%: 25 points more (95% interval")
    assert words.headline(of).endswith("; 88 s less per case.")


def test_two_choices_have_an_area_under_the_roc_curve_that_either_choice_gives():
    # Alone: r1 .8 for A of c1 above .4 for A of c2; r2 equally sure of B. With hog both put c1 first.
    for positive in ("A", "B"):
        of = analyse(EIGHT, positive=positive)
        assert (of.value("area", ALONE).value.value, of.value("area", "hog").value.value) == (0.75, 1)
    assert np.isnan(of.value("area", ALONE).value.low), "one case of each kind says nothing of others"


def random_answers(seed, n_readers=5, n_cases=12, share=0.7):
    """Answers of three arms of which some are missing, and without a truth or a time."""
    rng = np.random.default_rng(seed)
    result = []
    for arm in (ALONE, "hog", "texture"):
        for reader in range(n_readers):
            for case in range(n_cases):
                if rng.random() < share:
                    result.append(
                        diagnosis(
                            f"r{reader}",
                            f"c{case}",
                            arm,
                            rng.choice(["A", "B"], p=[0.6, 0.4]),
                            float(rng.integers(0, 11) / 10),
                            None if rng.random() < 0.1 else float(rng.integers(20, 300)),
                            "" if case == 0 else "AB"[case % 2],
                        )
                    )
    return result


def test_arms_are_those_of_the_reader_study():
    answers = random_answers(1)
    of = analyse(answers)
    rows = [(one.reader, one.arm, one.case, float(one.right)) for one in answers if one.truth]
    known = evalcore.mrmc(rows, measure="mean", moments="unbiased").study
    for row in known.differences:
        own = of.difference("right", *sorted((row.a, row.b), key=lambda arm: (arm == ALONE, arm)))
        sign = 1 if own.a == row.a else -1
        assert own.value.value == pytest.approx(sign * row.of.value)
        ends = sorted(sign * end for end in (row.of.low, row.of.high))
        assert [own.value.low, own.value.high] == pytest.approx(ends)
        assert (own.value.p, own.p_corrected) == pytest.approx((row.of.p, row.p_corrected))
    signed = [one.confidence if one.answer == "A" else -one.confidence for one in answers]
    of_areas = [
        (one.reader, one.arm, one.case, int(one.truth == "A"), rating)
        for one, rating in zip(answers, signed, strict=True)
        if one.truth
    ]
    areas = evalcore.mrmc(of_areas, measure="auc").study
    own = analyse(answers, positive="A")
    for row, plug_in in zip(areas.rows, (areas.plug_in or areas).rows, strict=True):
        value, known = own.value("area", row.system).value, plug_in.of if row.of.variance < 0 else row.of
        assert (value.value, value.low) == pytest.approx((known.value, max(known.low, 0)))
        each = own.value("area", row.system).per_reader
        assert [*each.values()] == pytest.approx([x for x in row.per_reader if x == x])
    mine = [
        (one.confidence if one.answer == "A" else -one.confidence, one.truth == "A")
        for one in answers
        if (one.reader, one.arm) == ("r2", "hog") and one.truth
    ]
    area = roc_auc_score([truth for _, truth in mine], [rating for rating, _ in mine])
    assert own.value("area", "hog").per_reader["r2"] == pytest.approx(area)
    counts = {arm.arm: (arm.readings, arm.without_truth, arm.without_seconds) for arm in of.arms}
    for arm, numbers in counts.items():
        mine = [one for one in answers if one.arm == arm]
        truthless = sum(not one.truth for one in mine)
        assert numbers == (len(mine), truthless, sum(one.seconds is None for one in mine)) and truthless


def test_changes_and_help_by_a_loop():
    answers = random_answers(2)
    shown = {"hog": {f"c{i}": [i % 3 == 0, i % 2 == 0] for i in range(12)}}
    of = analyse(answers, shown=shown)
    right = {(one.reader, one.case, one.arm): one.right for one in answers if one.truth}
    kinds = {"both": 0, "gained": 0, "lost": 0, "neither": 0}
    by_kind = {}
    for (reader, case, arm), with_results in right.items():
        alone = right.get((reader, case, ALONE))
        if arm == "hog" and alone is not None:
            name = {(1, 1): "both", (1, 0): "gained", (0, 1): "lost", (0, 0): "neither"}[with_results, alone]
            kinds[name] += 1
            first, second = shown["hog"][case]
            kind = "first" if first else "below" if second else "none"
            by_kind.setdefault(kind, []).append(name)
    every = next(row for row in of.changes if (row.a, row.b, row.by) == ("hog", ALONE, ""))
    assert {name: getattr(every, name) for name in kinds} == kinds
    pattern = {"first": (True, False), "below": (False, True), "none": (False, False)}
    for row in of.help:
        names = by_kind[row.shown]
        assert (row.pairs, row.gained, row.lost) == (len(names), names.count("gained"), names.count("lost"))
        cases = {case for case, (a, b) in shown["hog"].items() if pattern[row.shown] == (a, b and not a)}
        for arm, value in (("hog", row.with_results), (ALONE, row.alone)):
            answered = [x for (_, case, of_arm), x in right.items() if of_arm == arm and case in cases]
            assert value == pytest.approx(np.mean(answered))


def test_more_help_is_the_difference_of_two_lines():
    answers = random_answers(3)
    score = {f"c{i}": float(x) for i, x in enumerate(np.random.default_rng(4).random(12))} | {"c5": np.nan}
    of = analyse(answers, scores={"hog": {"nnCUI@5": score}})
    row = next(row for row in of.against if (row.outcome, row.measure) == ("confidence", "nnCUI@5"))
    cases = [case for case in score if case != "c5" and all(
        any((one.case, one.arm) == (case, arm) for one in answers) for arm in ("hog", ALONE))]  # fmt: skip
    lines, means = {}, {}
    for arm in ("hog", ALONE):
        own = [one for one in answers if one.arm == arm and one.case in cases]
        lines[arm] = np.polyfit([score[one.case] for one in own], [one.confidence for one in own], 1)[0]
        means[arm] = [np.mean([one.confidence for one in own if one.case == case]) for case in cases]
    spread = np.std([score[case] for case in cases])
    assert row.more.value == pytest.approx((lines["hog"] - lines[ALONE]) * spread)
    help_ = np.subtract(means["hog"], means[ALONE])
    assert row.rho == pytest.approx(spearmanr([score[case] for case in cases], help_)[0])
    assert (row.cases, row.undefined) == (len(cases), 1)
    assert words.more_help(of).startswith(("No measure goes clearly", "A higher score means"))


def test_too_little_to_analyse():
    nobody_right = analyse([diagnosis("r1", "c1", "hog", "A", 0.5, truth="")])
    assert "No answer has a known truth" in words.headline(nobody_right)
    assert not nobody_right.changes and not nobody_right.against
    one_reader = analyse([one for one in EIGHT if one.reader == "r1"])
    value = one_reader.difference("right", "hog").value
    assert value.value == 0.5 and np.isnan(value.low) and np.isnan(value.p)
    apart = analyse([one for one in EIGHT if (one.arm == ALONE) == (one.reader == "r1")])
    assert "No reader answered the same case" in words.changed(apart)[0]
    all_right = analyse([one for one in EIGHT if one.right])
    assert np.isnan(all_right.value("right", "hog").value.low), "100% of few answers are not 100% of others"
    assert tables.document(all_right)["values"][0]["value"] == 1


@pytest.mark.nightly
def test_intervals_cover_and_tests_keep_their_level():
    """400 studies a row; .05 is between .03 and .075 in 99% of such rows, and .95 between .92 and .975."""
    design = DESIGNS[2]
    effect = of_differences("right", design, RIGHT, RIGHT[0] - RIGHT[1], 400, 5)
    none = of_differences("right", design, (RIGHT[1],) * 2, 0.0, 400, 5)
    assert 0.92 < effect.covered < 0.98 and effect.below > 0.95 and 0.02 < none.below < 0.08
    assert 0.92 < of_scores(design, 0.5, 400, 5).covered < 0.98
    assert 0.92 < of_areas(design, 1.2, 400, 5).covered < 0.98
