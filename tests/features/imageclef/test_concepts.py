"""F1 of concept detection: golden values, the organisers' known answers, and a plain oracle."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
from evalcore.values.errors import InputError
from tests.features.imageclef.scored import concepts, table


def test_golden_2017(spec_golden):
    golden = spec_golden["D_f1_2017"]
    result = concepts("2017", table(golden["gt"], "\t"), table(golden["run"], "\t"))
    assert result.accepted
    assert result.score == pytest.approx(golden["total"][2], abs=1e-12)
    assert (result.n_images, result.n_ignored, result.secondary) == (4, 1, None)
    for image, value in zip(result.truth, result.values["F1"], strict=True):
        expected = golden["per"][image]
        assert math.isnan(value) if expected == "ignored" else value == pytest.approx(expected, abs=1e-12)


def test_golden_2025(spec_golden):
    golden = spec_golden["D_f1_2025"]
    truth, run = (table(golden[side], ",", "ID,CUIs\n") for side in ("gt", "run"))
    result = concepts("2025", truth, run)
    values = dict(zip(result.truth, result.values["F1"].tolist(), strict=True))
    assert result.accepted
    assert values == pytest.approx(golden["primary"][0], abs=1e-12)
    assert result.score == pytest.approx(golden["primary"][3], abs=1e-12)
    assert result.secondary == pytest.approx(golden["secondary"][3], abs=1e-12)


@pytest.mark.real
@pytest.mark.parametrize(
    ("folder", "manual", "primary", "secondary"),
    [
        ("pair_2024_valid", "ground_truth.csv", 0.5954437229437209, 0.9198009950248743),
        ("pair_2024_train", "ground_truth_manual.csv", 0.5778105564593623, 0.9444032575119395),
    ],
)
def test_known_answers_of_the_organisers(real_dir, folder, manual, primary, secondary):
    names = ("ground_truth.csv", "run.csv", manual)
    truth, run, checked = ((real_dir / "imageclef" / folder / name).read_text() for name in names)
    result = concepts("2025", truth, run, manual=checked)
    assert result.accepted and result.report.problems == ()
    assert result.score == pytest.approx(primary, abs=1e-12)
    assert result.secondary == pytest.approx(secondary, abs=1e-12)


CELLS = st.lists(
    st.sampled_from(["C0000001", "c0000002", "C0000003", " C0000004", ""]), max_size=4, unique=True
)


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from(["2017", "2018", "2022", "2025"]),
)
def test_equals_the_scripts_written_out_with_sklearn(rows, edition):
    rules = CONCEPT_EDITIONS[edition]
    mark = rules.separator
    truth = {f"img{i}": mark.join(true) for i, (true, _) in enumerate(rows)}
    run = {f"img{i}": mark.join(own) for i, (_, own) in enumerate(rows)}
    total, counted = 0.0, len(rows)
    for image, cell in run.items():
        true, predicted = truth[image].upper(), cell.upper()
        if edition in {"2017", "2018"}:
            g = [] if true.strip() == "" else true.split(mark)
            p = [] if predicted.strip() == "" else predicted.split(mark)
        else:
            g, p = ([c.strip() for c in text.split(mark)] for text in (true, predicted))
        if not g:
            counted -= 1
            continue
        words = sorted({*g, *p})
        total += f1_score([int(w in g) for w in words], [int(w in p) for w in words], zero_division=0.0)
    result = concepts(edition, table(truth, rules.cell), table(run, rules.cell))
    if not counted:
        assert math.isnan(result.score)
    elif result.accepted:
        assert result.score == pytest.approx(total / counted, abs=1e-12)


def test_a_run_of_other_images_has_no_score():
    result = concepts("2025", "a,C0000001\n", "b,C0000001\n")
    assert not result.accepted and math.isnan(result.score)


def test_the_secondary_score_counts_every_image_of_the_manual_file():
    with pytest.raises(InputError, match="lacks 1 image of the ground truth, such as b"):
        concepts("2025", "a,C0040405\nb,C0040405\n", "a,C0040405\nb,\n", manual="a,C0040405\n")
    result = concepts("2025", "a,C0040405\n", "a,C0040405\n", manual="a,C0040405\nz,C0040405\n")
    assert result.secondary == 0.5
