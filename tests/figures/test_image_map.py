"""The map of images: every image once, a look per value, scores on one scale."""

from __future__ import annotations

import numpy as np

from evalcore.figures.image_map import VALUES, image_map
from evalcore.figures.theme import LIGHT

AXES = ("component 1: 40% of the variance", "component 2: 9% of the variance")


def drawn(n, **how):
    rng = np.random.default_rng(0)
    ids = [f"i{k}" for k in range(n)]
    places = rng.normal(size=(n, 2))
    return ids, places, image_map(ids, places, by="organ", system="hog", axes=AXES, theme=LIGHT, **how)


def test_every_image_once_where_it_lies() -> None:
    ids, places, found = drawn(6, labels=[("a",), ("b",), ("a",), (), ("a", "b"), ("b",)])
    marks = {i: (x, y) for t in found.figure.data for i, x, y in zip(t.customdata, t.x, t.y, strict=True)}
    assert marks == {i: tuple(np.round(place, 5)) for i, place in zip(ids, places, strict=True)}
    assert found.figure.layout.xaxis.title.text == AXES[0]
    texts = [note.text.split("</span> ")[1] for note in found.figure.layout.annotations]
    assert texts == ["a (2)", "b (2)", "several values (1)", "no value (1)"]


def test_only_the_most_frequent_values_have_a_look_of_their_own() -> None:
    labels = [(f"v{k:02}",) for k in range(12) for _ in range(12 - k)]
    _, _, found = drawn(len(labels), labels=labels)
    looks = [(t.marker.color, t.marker.symbol) for t in found.figure.data]
    assert len(set(looks)) == VALUES + 1
    assert "other values (10)" in found.figure.layout.annotations[-1].text


def test_scores_are_one_scale_and_those_without_stand_apart() -> None:
    _, _, found = drawn(4, values=np.array([0.2, np.nan, 0.8, 0.5]))
    scored, without = found.figure.data
    assert scored.marker.color.tolist() == [0.2, 0.8, 0.5]
    assert (scored.marker.cmin, scored.marker.cmax) == (0.2, 0.8)
    assert list(without.customdata) == ["i1"]
    assert found.alt.endswith("from 0.200 to 0.800, 1 without a value.")


def test_no_score_at_all() -> None:
    _, _, found = drawn(2, values=np.full(2, np.nan))
    assert len(found.figure.data) == 1 and "none has a value" in found.alt
