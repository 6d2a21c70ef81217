"""Where ratings come from on the page: simulated users, two files, or a file about the open study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.satisfaction.from_files import from_files, from_study
from evalcore.features.satisfaction.page import keys as keys
from evalcore.features.satisfaction.read import kept as workspace
from evalcore.features.satisfaction.read import relevance_file, satisfaction_file
from evalcore.features.satisfaction.read.satisfaction_file import parse_satisfaction
from evalcore.features.satisfaction.simulated import simulated
from evalcore.figures.numbers import things
from evalcore.relevance.registry import describe, offered
from evalcore.ui.components import kept_file, messages, select
from evalcore.ui.frame import cache, state
from evalcore.values.errors import CuiscopeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalcore.features.satisfaction.data import Satisfaction
    from evalcore.features.satisfaction.read.kept import Kept
    from evalcore.ui.frame.context import Context
    from evalcore.values.problems import Report

SIMULATED, FILES, STUDY = "simulated", "files", "study"
SOURCES = {SIMULATED: "Simulated users", FILES: "My files", STUDY: "Ratings of this study"}
KINDS = {"comparing": "They compare each image with the best so far", "indifferent": "They do not compare"}
SEED = 0
MAX_MB = 100
SCALES = {
    "auto": "0 to the highest in the file", "0:1": "0 to 1", "0:2": "0 to 2", "0:3": "0 to 3",
    "0:4": "0 to 4", "1:5": "1 to 5", "0:100": "0 to 100",
}  # fmt: skip
TEMPLATES = {
    "relevance": relevance_file.TEMPLATE, "satisfaction": satisfaction_file.TEMPLATE,
    "of_study": satisfaction_file.TEMPLATE_OF_STUDY,
}  # fmt: skip
EXPECTED = {
    "relevance": "One row per image: query, its position and its row on the page, both counted from 1, and "
    "how relevant it is. −1 or −2: could not be judged.",
    "satisfaction": "One row per query and person: query, user, satisfaction (any scale, higher is better).",
    "of_study": "One row per query and person: the query’s image id, user, satisfaction, and the system "
    "whose results were rated.",
}  # fmt: skip


def section(context: Context) -> Satisfaction | None:
    """The ratings of the chosen source; None, with what is missing, while there are none."""
    kept = workspace.kept()
    first = (
        FILES if {"relevance", "satisfaction"} <= set(kept) else STUDY if "of_study" in kept else SIMULATED
    )
    state.follow_default(keys.SOURCE)
    source = select.segments("Ratings", SOURCES, keep=keys.SOURCE, first=first, label_visibility="collapsed")
    if source == SIMULATED:
        return _simulated()
    return _files(kept) if source == FILES else _study(context, kept)


def _simulated() -> Satisfaction:
    kind = select.segments("Simulated users", KINDS, keep=keys.USERS, label_visibility="collapsed")
    st.warning(
        "**Simulated data.** No person was asked. The users are computed, so that their behaviour is known; "
        "they show what this page can find, not what people think. Upload ratings to see that.",
        icon=":material/smart_toy:",
    )  # fmt: skip
    return cache.share(
        ("simulated users", kind, SEED), lambda: simulated(seed=SEED, compare=kind == "comparing")
    )


def _files(kept: Mapping[str, Kept]) -> Satisfaction | None:
    left, right = st.columns(2, gap="medium")
    with left:
        _uploader("relevance", "Relevance of what was shown", kept)
    with right:
        _uploader("satisfaction", "Satisfaction", kept)
    kept_file.not_done(keys.NOT_DONE)
    scale = select.one(
        "Relevance scale", SCALES, keep=keys.SCALE, width=260,
        help="The lowest and the highest relevance there can be. Values off this scale are reported.",
    )  # fmt: skip
    if not {"relevance", "satisfaction"} <= set(kept):
        _empty("Upload both files.")
        return None
    one, other = kept["relevance"], kept["satisfaction"]
    ends = None if scale == "auto" else tuple(float(end) for end in scale.split(":"))

    def work() -> tuple[Satisfaction | None, Report]:
        names = (one.name, other.name)
        return from_files(workspace.content(one), workspace.content(other), names=names, scale=ends)  # type: ignore[arg-type]

    return _read(lambda: cache.share(("satisfaction files", one.mark, other.mark, scale), work))


def _study(context: Context, kept: Mapping[str, Kept]) -> Satisfaction | None:
    study, settings = context.study, context.choice.settings
    left, right = st.columns(2, gap="medium")
    with left:
        _uploader("of_study", "Satisfaction with results of this study", kept)
    with right:
        by = select.one(
            "Relevance by", offered(study), keep=keys.BY, first="nn-iou" if study.graph else "iou",
            shown=lambda name: describe(name).title,
        )  # fmt: skip
        system = select.one(
            "System rated", ["", *study.systems], keep=keys.SYSTEM,
            shown=lambda name: name or "As the file says",
        )  # fmt: skip
        width = select.whole("Images in a row of the page", 1, 20, keep=keys.WIDTH, first=1)
    kept_file.not_done(keys.NOT_DONE)
    if "of_study" not in kept:
        _empty("Upload how satisfied people were with results of this study.")
        return None
    file = kept["of_study"]

    def work() -> tuple[Satisfaction | None, Report]:
        ratings, report = parse_satisfaction(workspace.content(file), file=file.name)
        found, more = from_study(study, ratings, by=by, system=system or None, width=width, settings=settings)
        return found, report + more

    key = ("satisfaction of study", study.digest, file.mark, by, system, width, repr(settings))
    return _read(lambda: cache.share(key, work))


def _read(work: Callable[[], tuple[Satisfaction | None, Report]]) -> Satisfaction | None:
    """What could be read, with every problem; the rest of the page uses what is sound."""
    try:
        found, report = work()
    except CuiscopeError as error:
        messages.failed(error, key="satisfaction-unread")
        return None
    errors = report.total("error")
    if errors:
        left_out = "The rows concerned are left out." if found is not None else "Nothing can be used."
        st.error(f"{things(errors, 'problem')} in the files. {left_out}", icon=":material/error:")
    messages.problems(report, key="satisfaction-problems")
    if found is None and not errors:
        st.info("No query has both a list and a rating.", icon=":material/info:")
    return found


def _uploader(part: str, label: str, kept: Mapping[str, Kept]) -> None:
    kept_file.uploader(
        part, label, kept.get(part), template=TEMPLATES[part], max_mb=MAX_MB, help=EXPECTED[part],
        wrong=keys.NOT_DONE,
    )  # fmt: skip


def _empty(what: str) -> None:
    with st.container(border=True, key="empty-satisfaction"):
        st.markdown(f"**{what}**")
        st.caption(
            "Nothing is sent anywhere: files stay in the workspace of this program until you remove them. "
            "Every problem is listed with its line. To see an example, select “Simulated users”."
        )
