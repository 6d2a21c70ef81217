"""What an address cannot mean is named on the page and replaced by the usual value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import HOSTILE_VALUES, said, widgets

Open = Callable[..., AppTest]


@pytest.mark.parametrize(
    ("page", "key", "given", "kept"),
    [
        ("app.py", "systems", ["beta", "beta", "nobody", "alpha", "beta"], ["beta", "alpha"]),
        ("pages/2_Robustness.py?part=measures", "yardsticks", ["iou", "iou", "x", "dice"], ["iou", "dice"]),
    ],
)
def test_a_value_said_twice_counts_once(
    open_app: Open, study_folder: Path, page: str, key: str, given: list[str], kept: list[str]
) -> None:
    app = open_app(page, study=study_folder, link={key: given, "tried": "open"})
    assert not app.exception
    assert list(widgets(app)[key]) == kept


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
def test_a_study_nobody_knows_is_reported(open_app: Open, study_folder: Path, value: str) -> None:
    app = open_app(study=study_folder, link={"study": value})
    assert not app.exception
    assert "which is not in this workspace" in said(app)


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
def test_words_nobody_wrote_are_not_found(open_app: Open, study_folder: Path, value: str) -> None:
    app = open_app("pages/1_Queries.py?q=q1", study=study_folder, link={"find": value})
    assert not app.exception
    assert "No query matches this search" in said(app)


@pytest.mark.parametrize(
    ("given", "k"),
    [
        ("7", 7),
        ("007", 7),
        ("1", 1),
        ("100", 100),
        ("0", 10),
        ("101", 10),
        ("1e1", 10),
        ("+7", 10),
        ("7.0", 10),
        (" 7", 10),
        ("²", 10),
        ("1" + "0" * 4299, 10),
        ("9" * 4301, 10),
        ("0" * 5000 + "7", 10),
    ],
    ids=lambda given: str(given)[:8],
)
def test_numbers_of_an_address(open_app: Open, study_folder: Path, given: str, k: int) -> None:
    app = open_app(study=study_folder, link={"k": given})
    assert not app.exception and app.number_input(key="k").value == k
    assert any("k = " in one.value for one in app.warning) == (k == 10)


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("app.py", {"k": "0", "metric": "zzz"}),
        ("app.py", {"a": "nobody", "systems": "nobody"}),
        ("pages/1_Queries.py?q=q1", {"also": "nobody"}),
        ("pages/1_Queries.py", {"kind": "odd", "sort": "luck"}),
        ("pages/2_Robustness.py", {"part": "Nothing"}),
        ("pages/2_Robustness.py?part=measures", {"view": "Nothing", "measure": "luck"}),
        ("pages/6_Challenge.py", {"edition": "2024", "task": "poems"}),
    ],
)
def test_what_an_address_cannot_mean_is_named_until_something_is_selected(
    open_app: Open, study_folder: Path, page: str, link: dict[str, str]
) -> None:
    """Widgets of the page are read after its head is drawn; the head names their values all the same."""
    app = open_app(page, study=study_folder, link=link)
    (named,) = [one.value for one in app.warning if "The link asks for" in one.value]
    assert all(f"{key} = {value}" in named for key, value in link.items())
    assert named in [one.value for one in app.run().warning]
    app.segmented_control(key="reading").set_value("Expert").run()
    assert not any("The link asks for" in one.value for one in app.warning)
