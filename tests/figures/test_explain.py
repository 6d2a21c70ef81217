"""The match matrix and the parts of the score: every match once, the parts sum to the score."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from evalcore import explain, open_study
from evalcore.figures.explain import contribution_bars
from evalcore.figures.theme import LIGHT
from evalcore.values.settings import CountRule, Settings
from tests.figures.conftest import explanation

NAMES = {"C1": "Pneumonia", "C2": "Lower respiratory infection", "C3": "Plain x-ray"}


def test_the_parts_follow_each_other_and_make_the_score() -> None:
    why = explanation()
    fig = contribution_bars(why, names=NAMES, theme=LIGHT).figure
    parts, total = fig.data
    # C3 and C4 in both, C1-C2 from both sides, C6 from its own; C5 without anything: seven concepts.
    assert list(parts.x) == pytest.approx([1 / 7, 1 / 7, 1 / 7, 0.5 / 7])
    assert list(parts.base) == pytest.approx([i / 7 for i in range(4)])
    assert sum(parts.x) == pytest.approx(why.values["nn-iou"], abs=1e-12) == total.x[0]
    assert list(parts.marker.pattern.shape) == ["", "", "/", "/"]
    assert tuple(fig.layout.xaxis.range) == (0, 1)
    texts = [note.text for note in fig.layout.annotations]
    assert texts == [f"<b>{n} / 7</b>" for n in ("1", "1", "1", "0.5", "0", "3.5")]
    assert "(3 × 1 + 1 × 0.5) / 7 concepts in either image = 0.500" in fig.layout.title.text
    rows = fig.layout.yaxis.ticktext
    assert rows[2].startswith("Pneumonia<br>") and "1 concept without a match" in rows[4]


RULES = get_args(CountRule)


@pytest.fixture(scope="module")
def sample():
    return open_study("data")


@pytest.mark.parametrize("rule", RULES)
def test_what_is_read_off_the_figure_adds_up_on_random_pairs(sample, rule) -> None:
    random = np.random.default_rng(RULES.index(rule))
    for _ in range(6):
        places = random.choice(len(sample.image_ids), 2, replace=False)
        query, result = (sample.image_ids[place] for place in places)
        alpha = float(random.choice([0.0, 0.3, 0.5, 1.0]))
        settings = Settings(alpha=alpha, threshold=2, count_rule=rule)
        explained = explain(sample, query, result, settings=settings)
        fig = contribution_bars(explained, names=sample.names, theme=LIGHT).figure
        value = explained.values["nn-iou"]
        if not len(fig.data):
            assert value == 0
            continue
        *amounts, total = [note.text[3:-4] for note in fig.layout.annotations]
        read = [Fraction(text.partition(" / ")[0]) for text in amounts]
        union = int(total.split(" / ")[1])
        assert union == len(sample.concepts.of_image(places[0]) | sample.concepts.of_image(places[1]))
        assert sum(read) == Fraction(total.partition(" / ")[0])
        assert float(sum(read) / union) == pytest.approx(value, rel=1e-12)
        formula = re.search(r"\((.*)\) / (\d+) concepts", fig.layout.title.text)
        terms = [[Fraction(part) for part in term.split(" × ")] for term in formula[1].split(" + ")]
        assert sum(n * fill for n, fill in terms) == sum(read) and int(formula[2]) == union
