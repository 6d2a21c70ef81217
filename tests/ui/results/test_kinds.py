"""Where the score comes from, on the overview."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.by_kind import from_kinds
from evalcore.study import open_study
from evalcore.ui.frame.measures import choices
from evalcore.ui.results.closer import KINDS, TITLES
from tests.ui.conftest import table_with
from tests.ui.results.test_page import figures

Open = Callable[..., AppTest]
SECTION = "Where the score comes from"


def ways(app: AppTest) -> list[str]:
    """What can be looked at more closely."""
    (look,) = [one for one in app.get("button_group") if one.key == "look"]
    return list(look.options)


def test_figures_and_table_say_what_evalcore_computes(open_app: Open) -> None:
    app = open_app(closer="open", look=KINDS)
    assert not app.exception
    titles = [one["layout"]["title"]["text"] for one in figures(app)]
    assert any(
        SECTION in title and "first 10 results by nn-iou · n = 157 queries" in title for title in titles
    )
    table = table_with(app, "Only modality, plane, anatomy").set_index("System")
    for one in from_kinds(open_study("data"), relevance="nn-iou"):
        assert table.loc[one.system, "Only modality, plane, anatomy"] == pytest.approx(100 * one.only_setting)
        assert table.loc[one.system, "Findings, share of score"] == pytest.approx(100 * one.shares["finding"])
    assert table.index[0] == "caption-tfidf", "best first, as the leaderboard"


def test_without_kinds_it_is_not_offered(open_app: Open, study_folder) -> None:
    app = open_app(study=study_folder, closer="open")
    assert TITLES[KINDS] not in ways(app) and TITLES[KINDS] in ways(open_app(closer="open"))
    assert not any("[" in one.family for one in choices(open_study(study_folder)))
