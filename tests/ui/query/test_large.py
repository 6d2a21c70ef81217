"""Query and result opened large: which pictures the viewer gets, and how the keys go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.query import large
from tests.ui.conftest import HOSTILE, write_study

Open = Callable[..., AppTest]
PAGE = "pages/1_Queries.py?q=q1"
PAIR = {"a": "alpha", "b": "beta", "also": "@none"}


def shown(app: AppTest) -> list[dict[str, Any]]:
    """What the viewer was given; nothing when it is not open."""
    found = [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json]
    return [one for one in found if "pair" in one]


def test_the_first_result_opens_beside_the_query(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    assert shown(app) == []
    app.button(key="open-large").click().run()
    assert not app.exception
    (given,) = shown(app)
    query, result = given["pair"]
    assert (query["words"], result["title"], result["words"]) == ("q1", "A · result 1", "alpha · q2")
    assert query["alt"] == "Query. q1: Nodule in the chest"
    assert query["src"].endswith(".jpg") and result["src"] not in ("", query["src"])
    assert (given["at"], given["before"], given["after"]) == ("1 of 8", False, True)
    assert len(given["soon"]) == 1, "only the next picture is fetched ahead, never all"


def test_a_link_opens_a_result_and_an_odd_one_opens_nothing(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR, large="B2")
    (given,) = shown(app)
    assert given["pair"][1]["words"] == "beta · q3" and given["at"] == "6 of 8"
    assert len(given["soon"]) == 2
    app = open_app(PAGE, study=study_folder, **PAIR, large="Z9")
    assert shown(app) == [] and not app.exception


def test_why_opens_its_result_large(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR, why="q5")
    app.button(key="open-large-why").click().run()
    (given,) = shown(app)
    assert given["pair"][1]["words"] == "alpha · q5"


def test_why_opens_an_image_that_is_on_no_list_here(open_app: Open, study_folder: Path) -> None:
    (given,) = shown(open_app(PAGE, study=study_folder, **PAIR, q="q6", large="q5"))
    assert (given["pair"][1]["title"], given["pair"][1]["words"]) == ("Result", "q5")
    assert (given["at"], given["before"], given["after"]) == ("1 of 1", False, False)


def test_without_pictures_nothing_is_offered(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, study=write_study(tmp_path / "bare", pictures=False), **PAIR, large="A1")
    assert shown(app) == [] and not app.exception
    assert "open-large" not in {button.key for button in app.button}


def test_an_image_without_a_picture_says_so_and_texts_stay_texts(open_app: Open, study_folder: Path) -> None:
    (study_folder / "images" / "q2.png").unlink()
    (given,) = shown(open_app(PAGE, study=study_folder, **PAIR, large="A1"))
    assert given["pair"][1]["src"] == "" and "no picture" in given["pair"][1]["none"]
    (given,) = shown(open_app(PAGE, study=study_folder, **PAIR, q="q6", large="A1"))
    assert HOSTILE in given["pair"][0]["alt"], "as text, which the viewer never reads as markup"


@pytest.mark.parametrize(("at", "by", "key"), [(1, 1, "A3"), (1, -1, "A1"), (2, 1, "A3"), (0, -1, "A1")])
def test_steps_through_large_pictures_stop_at_the_ends(
    monkeypatch: pytest.MonkeyPatch, at: int, by: int, key: str
) -> None:
    kept: list[object] = []
    monkeypatch.setattr(large.viewer, "step_of", lambda _: by)
    monkeypatch.setattr(large.state, "set_value", lambda _, value: kept.append(value))
    large._step(tuple(SimpleNamespace(key=f"A{n}") for n in (1, 2, 3)), at)  # type: ignore[arg-type]
    assert kept == [key]
