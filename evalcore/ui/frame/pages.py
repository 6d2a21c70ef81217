"""The list of pages: the one place to add another; and going from one to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.ui.frame import state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.report.tour import PageView
    from evalcore.ui.frame.state import Key


@dataclass(frozen=True, slots=True)
class PageInfo:
    """One page: its file as Streamlit names it, its name in the sidebar, and the question it answers.

    ``compares``: it compares systems, over the queries and candidates that the sidebar counts.
    ``about_files``: about files that name images, so it shows their ids also while the program is shown to
    others, and needs no concepts. ``filtered``: the choice of queries changes it.
    """

    key: str
    file: str
    title: str
    icon: str
    question: str
    compares: bool = True
    about_files: bool = False
    filtered: bool = True


PAGES: tuple[PageInfo, ...] = (
    PageInfo("home", "app.py", "Overview", ":material/home:", "Which system finds the better images?"),
    PageInfo(
        "data",
        "pages/1_Data.py",
        "Data",
        ":material/folder_open:",
        "What is loaded, and is it sound?",
        compares=False,
        about_files=True,
        filtered=False,
    ),
    PageInfo(
        "compare",
        "pages/2_Compare.py",
        "Compare",
        ":material/compare_arrows:",
        "Where do two systems differ, and by how much?",
    ),
    PageInfo(
        "queries",
        "pages/8_Queries.py",
        "Queries",
        ":material/grid_on:",
        "Which queries are hard, and where does one system stand apart?",
    ),
    PageInfo(
        "query",
        "pages/3_Query.py",
        "Query",
        ":material/image_search:",
        "What did each system return for one image, and why does it count?",
    ),
    PageInfo(
        "ablation",
        "pages/4_Ablation.py",
        "Sensitivity",
        ":material/tune:",
        "Would different settings change the winner?",
    ),
    PageInfo(
        "measures",
        "pages/5_Measures.py",
        "Measures",
        ":material/straighten:",
        "Which measure should I trust?",
    ),
    PageInfo(
        "concepts",
        "pages/6_Concepts.py",
        "Concepts",
        ":material/hub:",
        "How are concepts connected, and what does that change?",
        compares=False,
    ),
    PageInfo(
        "challenge",
        "pages/7_Challenge.py",
        "Challenge",
        ":material/trophy:",
        "Would ImageCLEF accept these runs, and what would they score?",
        compares=False,
        about_files=True,
        filtered=False,
    ),
    PageInfo(
        "review",
        "pages/9_Review.py",
        "Review",
        ":material/rate_review:",
        "What do readers say about these results, not knowing which system found them?",
        compares=False,
        about_files=True,
        filtered=False,
    ),
    PageInfo(
        "people",
        "pages/10_People.py",
        "People",
        ":material/groups:",
        "Do the measures agree with readers and with satisfied users?",
        compares=False,
        about_files=True,
    ),
    PageInfo(
        "synthetic",
        "pages/11_Synthetic.py",
        "Synthetic images",
        ":material/auto_awesome:",
        "Do generated images have what real ones have, and do they copy them?",
        compares=False,
        about_files=True,
    ),
)

_BY_KEY = {page.key: page for page in PAGES}


def go(page: str, values: Mapping[Key, Any]) -> None:
    """Leave for another page with these values set; ends the drawing of this one (not from a callback)."""
    for key, value in values.items():
        state.set_value(key, value)
    st.switch_page(page_info(page).file, query_params=state.link_params(values))


def open_view(view: PageView, also: Mapping[str, str]) -> None:
    """Leave for the page of a view with its address and ``also``, and nothing of what was chosen since."""
    state.forget_choices()
    address = {key: list(values) for key, values in view.address.items()}
    st.switch_page(page_info(view.page).file, query_params={**address, **also})


def page_info(key: str) -> PageInfo:
    """The page of that key."""
    return _BY_KEY[key]
