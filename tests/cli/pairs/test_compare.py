"""``compare``: the numbers of the library and of scipy, as text, JSON and CSV; what it refuses."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from evalcore.cli import run
from evalcore.evaluate import score
from evalcore.study import open_study
from tests.ui.conftest import RUNS, write_study

METRIC = "nDCG(nn-iou)@3"
GAMMA = {query: images[1:] + images[:1] for query, images in RUNS["alpha"].items()}
"""alpha with its first result last."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = write_study(tmp_path_factory.mktemp("studies") / "tiny", pictures=False)
    lines = [
        f"{query} Q0 {image} {rank} {1 / rank:.6f} gamma\n"
        for query, images in GAMMA.items()
        for rank, image in enumerate(images, start=1)
    ]
    (made / "systems" / "gamma").mkdir()
    (made / "systems" / "gamma" / "run.trec").write_text("".join(lines))
    return made


@pytest.fixture
def call(folder, capsys):
    def call(*arguments):
        code = run(["compare", str(folder), *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def document(call):
    def document(*arguments):
        code, out, err = call(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    return document


@pytest.fixture(scope="module")
def values(folder):
    """{system: value of each of the five queries that have one}"""
    found = score(open_study(folder), metrics=[METRIC])
    return {one.system: one.values[~np.isnan(one.values)] for one in found}


def test_every_pair(document, values):
    found = document("--all", "--metric", METRIC)
    order = sorted(values, key=lambda name: -values[name].mean())
    pairs = found["comparisons"]
    assert [(one["system"], one["baseline"]) for one in pairs] == list(combinations(order, 2))
    for one in pairs:
        column = values[one["system"]] - values[one["baseline"]]
        assert one["difference"] == pytest.approx(column.mean())
        oracle = stats.permutation_test(
            (column,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
        )
        assert one["p"] == pytest.approx(oracle.pvalue)
        assert (one["n_pairs"], one["correction"], one["seed"]) == (5, "Holm", 0)
        assert one["better"] == np.count_nonzero(column > 1e-9)
    # Holm: the smallest p times 3, the next times 2, never less than the one before, at most 1.
    first, second, third = sorted(one["p"] for one in pairs)
    held = [min(1, 3 * first)]
    held += [max(held[0], min(1, 2 * second))]
    held += [max(held[1], third)]
    assert sorted(one["p_corrected"] for one in pairs) == pytest.approx(held)
    systems = found["systems"]
    assert [one["system"] for one in systems] == order
    assert [one["rank"] for one in systems] == [1, 2, 3]
    assert {(one["n_scored"], one["n_undefined"]) for one in systems} == {(5, 1)}
    assert found["equals"] == [{"metric": METRIC, "letter": "a", "systems": order, "level": 0.05}], (
        "five queries cannot tell three systems apart: the least p is 1/16"
    )
    assert {one["letters"] for one in systems} == {"a"}


def test_two_systems(document, values):
    found = document("beta", "alpha", "--metric", METRIC, "--metric", "CUI@2")
    assert [(one["system"], one["baseline"], one["metric"]) for one in found["comparisons"]] == [
        ("beta", "alpha", METRIC),
        ("beta", "alpha", "CUI@2"),
    ]
    one = found["comparisons"][0]
    assert one["difference"] == pytest.approx(values["beta"].mean() - values["alpha"].mean())
    assert "equals" not in found and "rank" not in found["systems"][0]
    assert [row["system"] for row in found["systems"]] == ["alpha", "alpha", "beta", "beta"]
    # Each metric by itself, over all pairs of the three systems of the study.
    assert {(c["correction"], c["family"], c["n_family"]) for c in found["comparisons"]} == {
        ("Holm", "pairs", 3)
    }
    every = document("--all", "--metric", METRIC)["comparisons"]
    (same,) = (c for c in every if {c["system"], c["baseline"]} == {"alpha", "beta"})
    assert (one["p"], one["p_corrected"]) == (same["p"], same["p_corrected"])
    # Who planned just these two names just these.
    alone = document("beta", "alpha", "--system", "alpha", "--metric", METRIC)["comparisons"][0]
    assert alone["p_corrected"] == alone["p"] == one["p"] and alone["n_family"] == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("alpha",), "Name two different systems"),
        ((), "Name two different systems"),
        (("alpha", "alpha"), "Name two different systems"),
        (("alpha", "beta", "--all"), "leave A, B and --fail-below out"),
        (("--all", "--system", "alpha"), "at least two systems"),
        (("alpha", "nobody"), "No system called 'nobody'"),
    ],
)
def test_what_is_refused(call, arguments, text):
    code, out, err = call(*arguments, "--metric", METRIC)
    assert code == 2 and text in err and out == ""
    assert "Traceback" not in err
