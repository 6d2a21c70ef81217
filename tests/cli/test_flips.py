"""``--flips``: how many sign flips a test takes, and what is said where that decides p."""

from __future__ import annotations

import json
import re

import pytest

from evalcore.cli import main, run
from evalcore.cli.groups import leaves

SCORE = ("score", "data", "--metric", "nnCUI@10", "--metric", "P(organ)@5", "--baseline", "hog")


@pytest.fixture
def text(capsys):
    def go(*arguments):
        assert run([*map(str, arguments)]) == 0
        return capsys.readouterr().out

    return go


@pytest.fixture
def rows(text):
    """The comparisons in the JSON of a command."""
    return lambda *arguments: json.loads(text(*arguments, "--json"))["comparisons"]


def corrected_by_holm(p):
    ordered = sorted(range(len(p)), key=p.__getitem__)
    steps = [min(1, (len(p) - place) * p[i]) for place, i in enumerate(ordered)]
    highest = [max(steps[: place + 1]) for place in range(len(p))]
    return [highest[ordered.index(i)] for i in range(len(p))]


def test_p_falls_no_lower_than_the_flips_allow(rows):
    for flips in (99, 999):
        found = rows(*SCORE, "--flips", f"{flips}")
        p = [row["p"] for row in found]
        assert {row["n_resamples"] for row in found} == {flips}
        assert min(p) == pytest.approx(1 / (flips + 1)), "the sample's systems differ clearly"
        metrics = [row["metric"] for row in found]
        expected = []
        for metric in dict.fromkeys(metrics):
            expected += corrected_by_holm([one for one, of in zip(p, metrics, strict=True) if of == metric])
        assert [row["p_corrected"] for row in found] == pytest.approx(expected)
        assert min(row["p_corrected"] for row in found) == pytest.approx(found[0]["n_family"] / (flips + 1))
    assert {row["n_resamples"] for row in rows(*SCORE)} == {10_000}


def test_a_p_that_the_flips_decide_is_said_to_be_one(rows, text):
    found = rows(*SCORE, "--flips", "99")
    low = sum(row["p"] < 0.0101 for row in found)
    n = len(found)
    said = f"{low} of {n} p-values are as low as 99 flips allow: 1/100, by Holm 4/100 = .04. "
    assert f"{said}More flips (--flips) can lower them." in text(*SCORE, "--flips", "99")
    few = text(*SCORE, "--flips", "49")
    assert "by Holm 4/50 = .08" in few and "With so few flips no difference can be clear" in few
    assert "With so few" not in text(*SCORE, "--flips", "99")
    by_maxt = text(*SCORE, "--flips", "99", "--correction", "maxt")
    assert f"{low} of {n} p-values are as low as 99 flips allow: 1/100, by MaxT .01." in by_maxt
    level = text("score", "data", "--metric", "RR(modality)", "--system", "@iou", "--baseline", "@nn-iou")
    assert "flips allow" not in level, "equal systems: every flip comes as far"


def test_tests_of_all_patterns_have_no_such_floor(rows, text, tmp_path):
    """Few queries: all 2^n sign patterns are tried, and more flips change nothing."""
    few = ("--where", "id=" + ";".join(f"SYN_{i:03}" for i in range(1, 9)))
    found = rows(*SCORE, *few)
    assert {row["test"] for row in found} == {"paired permutation (all sign flips)"}
    assert "flips allow" not in text(*SCORE, *few)


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "data", "--all", "--metric", "CUI@10"),
        ("score", "data", "--metric", "CUI@10", "--baseline", "hog", "--by", "organ"),
        ("discrimination", "data", "--relevance", "iou"),
    ],
)
def test_it_is_said_where_p_is_read(text, command):
    said = re.findall(r"p-values are as low as 499 flips allow: 1/500, ", text(*command, "--flips", "499"))
    assert len(said) == 1 + ("--by" in command and command[0] == "score")


def test_every_command_that_corrects_p_takes_flips():
    corrects = {name for name, one in leaves(main) if "correction" in {p.name for p in one.params}}
    flips = {name for name, one in leaves(main) if "flips" in {p.name for p in one.params}}
    assert {"score", "compare", "report", "figures", "discrimination", "table1"} == corrects
    assert flips == corrects | {"readers"}


def test_no_flips_are_refused():
    assert run([*SCORE, "--flips", "0"]) == 2


def test_a_settings_file_says_the_flips(rows, tmp_path):
    (tmp_path / "s.toml").write_text("flips = 250\n")
    found = rows(*SCORE, "--settings", str(tmp_path / "s.toml"))
    assert {row["n_resamples"] for row in found} == {250}
