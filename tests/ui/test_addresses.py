"""No address breaks a page: what it cannot mean is replaced by the usual value, and the page opens."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore.ui
from evalcore.features.review.page_desk import READER
from evalcore.ui.frame.pages import FIND
from evalcore.ui.frame.state import METRIC, STUDY, Key

from .conftest import said

Open = Callable[..., AppTest]


def _keys() -> list[str]:
    """Every key that some page of the program carries in its address."""
    found = set()
    for info in pkgutil.walk_packages(evalcore.ui.__path__, "evalcore.ui."):
        found |= {one for one in vars(importlib.import_module(info.name)).values() if isinstance(one, Key)}
    return sorted(found)


KEYS = _keys()
OF_ANY_TEXT = {STUDY, FIND, METRIC, READER}
"""Another study, words to search for, a measure to mend and a reader are no mistake: they have tests of their
own."""
OPEN = {"closer": "open", "export": "open"}
"""Folds that links to what is in them open, also links with a wrong value."""
VIEWS = [
    ("app.py", OPEN),
    *(("app.py", {"look": look, **OPEN}) for look in ("cutoffs", "paper")),
    *(
        ("pages/5_Data.py", {"part": part, "near": "open"})
        for part in ("files", "coverage", "systems", "new")
    ),
    ("app.py", {"every_query": "open"}),
    ("app.py", {"part": "groups", "every_system": "open", "groups_table": "open"}),
    ("pages/1_Queries.py", {"listed": "open"}),
    ("pages/1_Queries.py", {"q": "q1"}),
    ("pages/1_Queries.py", {"q": "q1", "why": "q2"}),
    ("pages/2_Robustness.py", {"part": "settings"}),
    *(
        ("pages/2_Robustness.py", {"part": "paper", "paper": part})
        for part in ("table1", "readings", "curves")
    ),
    *(
        ("pages/2_Robustness.py", {"part": "measures", "view": view})
        for view in ("agreement", "ranking", "power", "definitions")
    ),
    ("pages/3_Concepts.py", {"near": "open"}),
    ("pages/3_Concepts.py", {"covered": "open"}),
    ("pages/6_Challenge.py", {}),
    ("pages/6_Challenge.py", {"task": "captions"}),
    ("pages/4_Readers.py", {"part": "satisfaction"}),
]
"""Every page in every view, with the address that opens it."""
LONGEST, MOST = 500_000, 1_000
"""Characters and values beyond which Streamlit itself drops an address (512 thousand characters)."""
HOSTILE = {
    "digits": "9" * 5000,
    "nan": "nan",
    "infinite": "-1e999",
    "controls": "\x00\x1f\x7f\u202e\ufffd",
    "long": "x" * 5000,
    "markdown": "![x](http://evil.invalid) $a$ <b>",
    "many": ["x", "-1", "None"] * 3,
}


def widgets(app: AppTest) -> dict[str, object]:
    """What every widget of the page says."""
    kinds = (app.number_input, app.slider, app.selectbox, app.multiselect, app.toggle, app.text_input)
    groups = [(one.key, one.value) for one in app.get("button_group")]
    return {str(one.key): one.value for kind in kinds for one in kind} | dict(groups)


Addresses = Iterator[tuple[str, dict[str, object]]]


def mixed(view: dict[str, str]) -> Addresses:
    """Three addresses in which every key of the program has a hostile value, another one in each.

    Which three of the values a key has is another choice in the next view.
    """
    keys = [key for key in KEYS if key not in {*view, *OF_ANY_TEXT}]
    first = [view for _, view in VIEWS].index(view)
    for turn in range(3 * first, 3 * first + 3):
        asked = {key: [*HOSTILE.values()][(at + turn) % len(HOSTILE)] for at, key in enumerate(keys)}
        values = [one for value in asked.values() for one in ([value] if isinstance(value, str) else value)]
        assert sum(map(len, values)) < LONGEST and len(values) + len(view) < MOST, "Streamlit drops it"
        yield f"mixed, {turn}", asked


def each(view: dict[str, str]) -> Addresses:
    """Every hostile value for every key of the program, in as few addresses as Streamlit lets through."""
    keys = [key for key in KEYS if key not in {*view, *OF_ANY_TEXT}]
    for name, value in HOSTILE.items():
        size = LONGEST // max(len(value), 1) if isinstance(value, str) else (MOST - len(view)) // len(value)
        for start in range(0, len(keys), size):
            yield name, dict.fromkeys(keys[start : start + size], value)


@pytest.mark.parametrize("addresses", [mixed, pytest.param(each, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_the_page_opens_as_if_nothing_was_asked(
    open_app: Open,
    study_folder: Path,
    page: str,
    view: dict[str, str],
    addresses: Callable[[dict[str, str]], Addresses],
) -> None:
    usual = open_app(page, study=study_folder, **view)
    assert not usual.exception
    for name, asked in addresses(view):
        app = open_app(page, study=study_folder, link={**asked, **view})
        assert not app.exception and not app.error, name
        said, first = widgets(app), widgets(usual)  # a key can open the part of the page it is about
        assert {key: said[key] for key in first} == first, name
        assert [one.value for one in app.title] == [one.value for one in usual.title], name


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


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_a_study_nobody_knows_is_reported(open_app: Open, study_folder: Path, value: str) -> None:
    app = open_app(study=study_folder, link={"study": value})
    assert not app.exception
    assert "which is not in this workspace" in said(app)


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
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
