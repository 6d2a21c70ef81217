"""Scores against people who say which of two images is better, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evalcore.features.synthetic.people import agreement, parse_pairs


def scores(**values):
    """Scores of images of one group."""
    return pd.DataFrame({"group": "g", "image": list(values), "wsi": list(values.values())})


def matrix(confusion):
    """Rows: people chose the first, the second, neither; columns: the score."""
    assert [row["people"] for row in confusion] == ["first", "second", "tie"]
    return [[row[choice] for choice in ("first", "second", "tie")] for row in confusion]


def test_choices_between_two_by_hand():
    """People: a, b, tie, a, c. The score prefers a to b and to c, calls b and c equal: right about a-b, tie
    b-c, a-c."""
    text = "first,second,better,rater\na,b,a,x\na,b,b,y\nb,c,tie,x\na,c,first,x\nc,a,c,y\na,z,a,x\n"
    pairs, report = parse_pairs(text.encode(), file="p.csv")
    assert not report.problems and len(pairs) == 6
    (row,), confusion = agreement(scores(a=0.9, b=0.5, c=0.5), pairs)
    assert (row["score"], row["n"], row["agreement"]) == ("wsi", 5, 3 / 5)  # z has no score
    assert matrix(confusion) == [[2, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert 0 <= row["low"] <= row["agreement"] <= row["high"] <= 1
    (few,), _ = agreement(scores(a=1.0, b=0.0), pairs)
    assert few["n"] == 2 and np.isnan(few["agreement"])


def test_images_of_one_id_in_two_groups_are_written_with_their_group():
    pairs, _ = parse_pairs(b"first,second,better\ng/a,h/a,h/a\nb,h/a,tie\na,b,a\n", file="p.csv")
    both = scores(a=0.1, b=0.2)
    both.loc[2] = ("h", "a", 0.3)
    assert matrix(agreement(both, pairs)[1]) == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
