"""The list of pages: the one place to add another; and going from one to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from evalcore import extensions
from evalcore.extensions import Page
from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key

_CORE = (
    Page(
        key="results",
        file="app.py",
        title="Results",
        icon=":material/leaderboard:",
        question="Which system finds the better images?",
        guide="how-to/compare-systems",
        group="Study",
        place=10,
    ),
    Page(
        key="queries",
        file="pages/1_Queries.py",
        title="Queries",
        icon=":material/image_search:",
        question="Which queries are hard, and what did each system return for one of them?",
        guide="how-to/explain-a-result",
        group="Study",
        place=20,
    ),
    Page(
        key="robustness",
        file="pages/2_Robustness.py",
        title="Robustness",
        icon=":material/tune:",
        question="Would another setting or measure change the winner?",
        guide="how-to/check-robustness",
        group="Study",
        place=30,
        varied=True,
    ),
    Page(
        key="concepts",
        file="pages/3_Concepts.py",
        title="Concepts",
        icon=":material/hub:",
        question="How are concepts linked?",
        guide="how-to/explore-concepts",
        group="Study",
        place=40,
        compares=False,
    ),
    Page(
        key="data",
        file="pages/5_Data.py",
        title="Data",
        icon=":material/folder_open:",
        question="What is loaded, and are there problems?",
        guide="how-to/bring-your-data",
        group="Study",
        place=60,
        compares=False,
        related=False,
        about_files=True,
        filtered=False,
    ),
)
_READERS = Page(
    key="readers",
    file="pages/4_Readers.py",
    title="Readers",
    icon=":material/groups:",
    question="What do readers say, and do the measures agree with them?",
    guide="how-to/compare-with-people",
    group="Study",
    place=50,
    compares=False,
    about_files=True,
    filtered=False,
)
"""There where a feature adds a part of it."""
GROUPS = ("Study", "Other tasks")
"""The headings of the sidebar; others that features name come after them."""


def _in_sidebar(page: Page) -> tuple[int, str, int]:
    known = page.group in GROUPS
    return GROUPS.index(page.group) if known else len(GROUPS), "" if known else page.group, page.place


PAGES: tuple[Page, ...] = tuple(
    sorted(
        (*_CORE, *extensions.pages(), *([_READERS] if extensions.offers("readers part") else [])),
        key=_in_sidebar,
    )
)
"""Every page, in the order of the sidebar."""
_BY_KEY = {page.key: page for page in PAGES}


def go_to_queries(values: Mapping[Key, Any]) -> None:
    """Leave for the queries with these values set; ends the drawing of this page (not from a callback)."""
    for key, value in values.items():
        state.set_value(key, value)
    st.switch_page(page_info("queries").file, query_params=state.link_params(values))


def go_to_results() -> None:
    """Leave for the results, where files that were added just now are compared."""
    if st.session_state.pop(LEAVE_FOR_RESULTS, False):
        state.keep_acting()
        st.switch_page(page_info("results").file, query_params=state.link_params())


def page_info(key: str) -> Page:
    """The page of that key."""
    return _BY_KEY[key]


# Values of addresses that several pages share: systems, queries, results.

SYSTEM_A = Key("a", of_study=True, in_links=True)
SYSTEM_B = Key("b", of_study=True, in_links=True)
SHOW = Key("show", of_study=True)
BY = Key("by", of_study=True)
"""What the queries are sliced by."""
AT_ONCE = Key("at_once", of_study=True)
"""What is shown of all systems at once."""
DEPTH = Key("depth", of_study=True)
PERSISTENCE = Key("p", of_study=True)
"""Of rank-biased overlap: how many results are looked at, and the chance to go on to the next."""

# Which queries are listed, and in which order.

KIND = Key("kind", of_study=True)
QUERIES_ORDER = Key("sort", of_study=True)

# Which query and which question about a result.

QUERY = Key("q", of_study=True)
WHY = Key("why", of_study=True)
WHY_IN = Key("why_in", of_study=True)
"""The system whose result the drawer is about; the first that returned the image where it is not named."""
ALSO = Key("also", of_study=True)
"""Systems beside A and B."""
FIND = Key("find", of_study=True)
QUERY_ORDER = Key("order", of_study=True)
LARGE = Key("large", of_study=True)
"""The result that is open large, by its place (A3) or its image."""
WHY_BY = Key("why_by", of_study=True)
ASK = Key("ask")
"""Find by a text or a picture; what is typed or dropped there is in no address."""

WALK = "walk"
"""The fragment of the query on view."""
PICKERS = "query-pickers"
WHAT_IF = "what_if"

# The parts of the Data page, and what its forms hold, which is never in the address.

LABELLING = Key("labels_from_concepts", of_study=True)
REACH = Key("reach")
READ, COVERAGE, SYSTEMS, FIND_CONCEPTS, BRING = "files", "coverage", "systems", "concepts", "new"
TABS = {
    READ: "Files",
    COVERAGE: "Coverage",
    SYSTEMS: "Systems",
    FIND_CONCEPTS: "Find concepts",
    BRING: "New study",
}
"""The tabs, by their names in the address."""
OUTCOME, LEAVE_FOR_RESULTS = "outcome", "leave_for_results"
FOLDER = "folder_path"
FILES, RECOGNISED = "files", "recognised"
TARGET, DELETED_STUDY = "target", "deleted_study"
NEW_NAME = "new_name"
KIND_OF_FILE, SYSTEM_OF_FILE = "kind_of_file", "system_of_file"
ENCODING = "systems_being_made"
