"""``--flips``: how many sign flips a test takes."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import main, run
from evalcore.cli.program import iter_commands

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


def test_every_command_that_corrects_p_takes_flips():
    corrects = {name for name, one in iter_commands(main) if "correction" in {p.name for p in one.params}}
    flips = {name for name, one in iter_commands(main) if "flips" in {p.name for p in one.params}}
    assert {"score", "compare", "report", "figures", "discrimination", "table1"} == corrects
    assert flips == corrects | {"readers"}
