"""F1 of concept detection: golden values, the organisers' known answers, and a plain oracle."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
from evalcore.graph import build_graph
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.features.imageclef.scored import concepts


def evaluate(edition: str, truth: str, run: str, *, manual: str | None = None, name: str = "run.csv", **more):
    scored = concepts(edition, truth.encode(), {name: run.encode()}, manual=(manual or "").encode(), **more)
    return scored.results[0]


def table(rows: dict[str, str | None], cell: str) -> str:
    return "".join(image + ("" if value is None else cell + value) + "\n" for image, value in rows.items())


def test_golden_2017(spec_golden: dict) -> None:
    golden = spec_golden["D_f1_2017"]
    result = evaluate("2017", table(golden["gt"], "\t"), table(golden["run"], "\t"), name="DET_run.csv")
    assert result.accepted
    assert result.score == pytest.approx(golden["total"][2], abs=1e-12)
    assert (result.n_images, result.n_ignored) == (4, 1)
    assert result.secondary is None
    for image, value in zip(result.images, result.values["F1"], strict=True):
        wanted = golden["per"][image]
        assert math.isnan(value) if wanted == "ignored" else value == pytest.approx(wanted, abs=1e-12)


def test_golden_2025(spec_golden: dict) -> None:
    golden = spec_golden["D_f1_2025"]
    run = table(golden["run"], ",")
    result = evaluate("2025", "ID,CUIs\n" + table(golden["gt"], ","), "ID,CUIs\n" + run)
    values = dict(zip(result.images, result.values["F1"].tolist(), strict=True))
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
def test_known_answers_of_the_organisers(
    real_dir, folder: str, manual: str, primary: float, secondary: float
) -> None:
    files = [
        (real_dir / "imageclef" / folder / name).read_text()
        for name in ("ground_truth.csv", manual, "run.csv")
    ]
    result = evaluate("2025", files[0], files[2], manual=files[1])
    assert result.accepted
    assert result.report.problems == ()
    assert result.score == pytest.approx(primary, abs=1e-12)
    assert result.secondary == pytest.approx(secondary, abs=1e-12)


CELLS = st.lists(
    st.sampled_from(["C0000001", "c0000002", "C0000003", " C0000004", ""]), max_size=4, unique=True
)


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from(["2017", "2018", "2022", "2025"]),
)
def test_equals_the_scripts_written_out_with_sklearn(rows, edition: str) -> None:
    rules = CONCEPT_EDITIONS[edition]
    mark = rules.separator
    truth = {f"img{i}": mark.join(g) for i, (g, _) in enumerate(rows)}
    run = {f"img{i}": mark.join(p) for i, (_, p) in enumerate(rows)}
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
    result = evaluate(edition, table(truth, rules.run.cell), table(run, rules.run.cell), name="DET.csv")
    score = result.score
    if not counted:
        assert math.isnan(score)
    elif result.accepted:
        assert score == pytest.approx(total / counted, abs=1e-12)


def test_ten_thousand_images_in_under_a_second() -> None:
    rows = {f"img{i:05d}": ";".join(f"C{(i * k) % 2000:07d}" for k in range(1, 5)) for i in range(10_000)}
    text = table(rows, ",")
    spent = []
    for _ in range(3):
        began = time.process_time()
        result = evaluate("2025", text, text)
        spent.append(time.process_time() - began)
    assert result.score == 1.0
    assert min(spent) < 1.0


def test_no_run_row_is_known() -> None:
    result = evaluate("2025", "a,C0000001\n", "b,C0000001\n")
    assert not result.accepted
    assert math.isnan(result.score)


def test_secondary_needs_every_image() -> None:
    with pytest.raises(InputError, match="lacks 1 image of the ground truth, such as b"):
        evaluate("2025", "a,C0040405\nb,C0040405\n", "a,C0040405\nb,\n", manual="a,C0040405\n")


def test_images_that_only_the_manual_file_has_divide_too() -> None:
    result = evaluate("2025", "a,C0040405\n", "a,C0040405\n", manual="a,C0040405\nz,C0040405\n")
    assert result.secondary == 0.5


def test_detail_by_hand() -> None:
    graph, _ = build_graph(["C0000002", "C0000004"], ["C0000001", "C0000003"])
    result = evaluate(
        "2025", "a,C0000001;C0000009\nb,C0000003\nc,\n", "a,C0000002;C0000009\nb,C0000003\nc,\n", graph=graph
    )
    detail = result.detail
    assert detail.images == ("a", "b")
    assert detail.precision.tolist() == [0.5, 1.0]
    assert detail.recall.tolist() == [0.5, 1.0]
    # a: 1 of 2 exact, and the wrong C0000002 is a neighbour of the missed C0000001: (2*1 + 0.5*2) / 4
    assert detail.nn_f1.tolist() == [0.75, 1.0]
    assert detail.micro_f1 == pytest.approx(2 * 2 / 6)
    assert detail.macro_f1 == pytest.approx((1 + 0 + 0 + 1) / 4)
    assert [(c.true, c.predicted, c.distance, c.images) for c in detail.confusions] == [
        ("C0000001", "C0000002", 1, 1)
    ]
    assert [c.cui for c in detail.extremes(1, at_least=1, best=False)] == ["C0000001"]
    assert [c.cui for c in detail.extremes(2, at_least=1, best=True)] == ["C0000003", "C0000009"]


def test_nn_f1_is_f1_without_reach() -> None:
    graph, _ = build_graph(["C0000002"], ["C0000001"])
    result = evaluate("2025", "a,C0000001\n", "a,C0000002\n", graph=graph, settings=Settings(threshold=0))
    assert result.detail.nn_f1.tolist() == [0.0]
    assert result.score == 0.0
