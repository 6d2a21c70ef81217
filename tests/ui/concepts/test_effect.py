"""What the graph does to a study, and what leaving a link out changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.before_after import BeforeAfter
from evalcore.evaluate.graph_effect import graph_effect, working_pairs
from evalcore.study import open_study
from evalcore.ui.components import vocabulary
from evalcore.ui.concepts import effect as without
from evalcore.values.model import Comparison, Interval
from evalcore.values.settings import Settings
from evalcore.values.writing import count, percent
from tests.ui.concepts.conftest import PAGE, carried, figures
from tests.ui.conftest import HEAD, NODULE, said, table_with

Open = Callable[..., AppTest]


def test_what_the_graph_does(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=vocabulary.EFFECT, numbers="open", links="open")
    study = open_study(study_folder)
    effect, pairs = graph_effect(study, settings=Settings()), working_pairs(study, settings=Settings())
    assert not app.exception
    assert f"**{percent(effect.n_changed, effect.n_pairs)}** of all image pairs" in said(app)
    assert app.metric[0].value == count(effect.n_changed) != "0"
    table = table_with(app, "Image pairs")
    assert table["Image pairs"].tolist() == [pair.image_pairs for pair in pairs]
    assert carried(figures(app)[0]) == [[pair.a, pair.b] for pair in pairs]


def test_a_link_left_out_and_used_again(open_app: Open, study_folder: Path) -> None:
    before = (study_folder / "graph" / "edges.csv").read_bytes()
    app = open_app(PAGE, study=study_folder, about=vocabulary.EFFECT, numbers="open", of_link="open")
    whole = app.metric[0].value
    first = working_pairs(open_study(study_folder), settings=Settings())[0]
    (button,) = [b for b in app.button if str(b.key).startswith("off-")]
    assert {first.a, first.b} == set(button.key.removeprefix("off-").split("-"))
    button.click().run()
    assert not app.exception and app.metric[0].value != whole
    assert [app.query_params["off"]] == [button.key.removeprefix("off-")]
    scores = table_with(app, "With all links ↑")
    assert scores["System"].tolist() == ["alpha", "beta"]
    assert (study_folder / "graph" / "edges.csv").read_bytes() == before
    (back,) = [b for b in app.button if str(b.key).startswith("on-")]
    back.click().run()
    assert app.metric[0].value == whole and "off" not in app.query_params


def test_a_link_of_the_address_that_is_none(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=vocabulary.EFFECT, off=f"{NODULE}-{HEAD}")
    assert not app.exception
    assert "off = " in said(app).replace("\\", "")


def test_only_identical_concepts_count(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=vocabulary.EFFECT, threshold="0")
    assert "Only identical concepts count" in said(app) and not app.get("plotly_chart")


def changed(**means: tuple[float, float]) -> tuple[BeforeAfter, ...]:
    """{system: mean before, mean after}."""

    def interval(mean: float) -> Interval:
        return Interval(mean, mean, mean, 0.95, "", 9, 0, 0)

    return tuple(
        BeforeAfter(
            name,
            interval(old),
            interval(new),
            Comparison("b", name, "m", new - old, 0, 0, 0.95, 1, 1, "holm", "test", 9, 0, 0, 0, 0, 0, 0.0),
        )
        for name, (old, new) in means.items()
    )


@pytest.mark.parametrize(
    ("means", "ranking"),
    [
        ({"a": (0.75, 0.5), "b": (0.25, 0.25)}, "stays the same"),
        ({"a": (0.75, 0.5), "b": (0.5, 0.625)}, r"changes: \*\*b\*\* now leads"),
        ({"a": (0.75, 0.75), "b": (0.5, 0.25), "c": (0.375, 0.375)}, r"changes: \*\*a\*\* still leads"),
    ],
)
def test_who_leads_without_the_links(means: dict[str, tuple[float, float]], ranking: str) -> None:
    sentence = without.sentence(changed(**means))
    assert ranking.replace("\\", "") in sentence
    assert "−0.250" in sentence, "the largest change, whatever its sign"
