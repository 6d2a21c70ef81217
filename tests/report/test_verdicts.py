"""The sentences of the verdict: who leads, how sure that is, and what was left out; every wording by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.report.verdicts import Words, best_system, estimate, in_terms, matters
from tests.toy import comparison_of, interval_of

GAP = replace(comparison_of("cnn", "hog", metric="P(organ)@5"), low=0.06, high=0.14)
PLAIN, TECHNICAL = Words("“Same organ”", plain=True), in_terms("P(organ)@5")
LIES = "The true difference probably lies between 0.060 and 0.140."


MEANS = {"hog": interval_of(0.4), "cnn": interval_of(0.5), "@iou": interval_of(0.9)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, f"{LIES} A gap this large is unlikely to be chance."),
        ({"p_corrected": 0.05}, f"{LIES} It may still be due to chance."),
        (
            {"p_corrected": 0.05, "n_family": 2, "family": "pairs"},
            f"{LIES} Among 2 comparisons, a gap like this may be due to chance.",
        ),
        ({"low": 0.0}, "The true difference probably lies within 0.000 to +0.140: it may be due to chance."),
        ({"low": np.nan, "high": np.nan}, "There are too few queries for an interval."),
    ],
)
def test_how_sure_a_difference_is(change, words):
    sentence = estimate(replace(GAP, **change), PLAIN)
    assert sentence == f"On average **cnn** scores **0.100** higher than **hog** over 40 queries. {words}"


@pytest.mark.parametrize(
    ("change", "corrected"),
    [
        ({}, ""),
        (
            {"n_family": 3, "family": "pairs"},
            " (p corrected by holm over all 3 pairs of the systems compared: 0.020)",
        ),
        (
            {"n_family": 3, "family": "pairs", "p_corrected": 0.0001},
            " (p corrected by holm over all 3 pairs of the systems compared: < 0.001)",
        ),
    ],
)
def test_experts_read_the_corrected_p_only_where_several_were_tested(change, corrected):
    assert estimate(replace(GAP, **change), TECHNICAL).endswith(
        "95% interval +0.060 to +0.140 (paired bootstrap, seed 0); p = 0.010 by paired permutation"
        f"{corrected}; effect size 0.400."
    )


def test_the_leader_is_a_real_system():
    assert best_system(MEANS, GAP, PLAIN).startswith(
        "**cnn** scores highest on “Same organ”: 0.500, ahead of **hog** by **0.100** over 40 queries."
    )
    close = best_system(MEANS, replace(GAP, p_corrected=0.05), TECHNICAL)
    assert close.startswith(
        r"**cnn** and **hog** are too close to call on P\(organ\)\@5: 0.500 and 0.400 over 40 queries."
    )
    alone = "**cnn** scores **0.500** on “Same organ” over 1 query."
    assert best_system({"cnn": interval_of(0.5, n=1)}, None, PLAIN) == alone
    assert best_system({"@iou": interval_of(0.9)}, None, PLAIN).startswith(r"**\@iou** scores **0.900**")
    assert "no system can be called better" in best_system({"cnn": interval_of(np.nan)}, None, PLAIN)


@pytest.mark.parametrize(
    ("smallest", "words"),
    [
        (0, ""),
        (0.05, "That is larger than **0.05**, the smallest difference that matters to you."),
        (0.06, "It may or may not be larger than **0.06**, the smallest difference that matters to you."),
        (0.14, "It may or may not be larger than **0.14**, the smallest difference that matters to you."),
        (0.15, "That is too small to matter: within **0.15** in either direction."),
    ],
)
def test_whether_a_difference_matters(smallest, words):
    assert matters(GAP, PLAIN._replace(smallest=smallest)) == words
