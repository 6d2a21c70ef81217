"""Satisfaction on the page Readers: which measure agrees with satisfied users, does the gain help?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast, get_args

import streamlit as st

from evalcore.features.satisfaction import read
from evalcore.features.satisfaction.agreement import agreement
from evalcore.features.satisfaction.data import (
    STEPS,
    Clean,
    Resample,
    Satisfaction,
    Step,
    cleanse,
    usual_depths,
)
from evalcore.features.satisfaction.page import results as found_sections
from evalcore.features.satisfaction.published import from_files, from_study
from evalcore.features.satisfaction.read import parse_satisfaction
from evalcore.ranking.graded import WINDOW
from evalcore.ranking.grid import Reading
from evalcore.relevance.registry import describe, offered
from evalcore.stats.correlation import DependentTest
from evalcore.study.workspace import kept_files as workspace
from evalcore.study.workspace.kept_files import Kept
from evalcore.ui.components import download, fold, messages, select
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import Context
from evalcore.values.errors import CuiscopeError, Report
from evalcore.values.writing import md_escape, pluralize

# Where ratings come from on the page: two files, or a file about the open study.

FILES, STUDY = "files", "study"
SOURCES = {FILES: "My files", STUDY: "Ratings of this study"}
MAX_MB = 100
SCALES = {
    "auto": "0 to the highest in the file",
    "0:1": "0 to 1",
    "0:2": "0 to 2",
    "0:3": "0 to 3",
    "0:4": "0 to 4",
    "1:5": "1 to 5",
    "0:100": "0 to 100",
}
TEMPLATES = {
    "relevance": read.RELEVANCE_TEMPLATE,
    "satisfaction": read.SATISFACTION_TEMPLATE,
    "of_study": read.STUDY_TEMPLATE,
}
EXPECTED = {
    "relevance": "One row per image: query, its position and its row on the page, both counted from 1, and "
    "how relevant it is. −1 or −2: could not be judged. Columns `worker` and `column` are used where there "
    "are any; several workers are averaged.",
    "satisfaction": "One row per query and person: query, user, satisfaction (any scale, higher is better); "
    "`session` or `task` if known.",
    "of_study": "One row per query and person: the query’s image id, user, satisfaction, and the system "
    "whose results were rated.",
}


def section(context: Context) -> Satisfaction | None:
    """The ratings of the chosen source; None, with what is missing, while there are none."""
    kept = workspace.kept_files()
    first = STUDY if "of_study" in kept and not set(kept) >= _PAIR else FILES
    state.follow_default(found_sections.SOURCE_WORDS)
    source = select.segments("Ratings", SOURCES, keep=found_sections.SOURCE_WORDS, first=first)
    return _files(kept) if source == FILES else _study(context, kept)


_PAIR = {"relevance", "satisfaction"}


def _files(kept: Mapping[str, Kept]) -> Satisfaction | None:
    left, right = st.columns(2, gap="medium")
    with left:
        _uploader("relevance", "Relevance of what was shown", kept)
    with right:
        _uploader("satisfaction", "Satisfaction", kept)
    download.not_done(found_sections.NOT_DONE)
    scale = select.one(
        "Relevance scale",
        SCALES,
        keep=found_sections.SCALE,
        width=260,
        help="The lowest and the highest relevance there can be. Values off this scale are reported.",
    )
    if not set(kept) >= _PAIR:
        _empty("Upload both files.")
        return None
    one, other = kept["relevance"], kept["satisfaction"]
    ends = None if scale == "auto" else tuple(float(end) for end in scale.split(":"))

    def work() -> tuple[Satisfaction | None, Report]:
        names = (one.name, other.name)
        return from_files(workspace.content(one), workspace.content(other), names=names, scale=ends)  # type: ignore[arg-type]

    key = ("satisfaction files", one.mark, other.mark, scale)
    return _read(lambda: cache.share(key, work))


def _study(context: Context, kept: Mapping[str, Kept]) -> Satisfaction | None:
    study, settings = context.study, context.choice.settings
    left, right = st.columns(2, gap="medium")
    with left:
        _uploader("of_study", "Satisfaction with results of this study", kept)
    with right:
        by = select.one(
            "Relevance by",
            offered(study),
            keep=found_sections.BY,
            first="nn-iou" if study.graph else "iou",
            shown=lambda name: describe(name).title,
        )
        system = select.one(
            "System rated",
            ["", *study.systems],
            keep=found_sections.SYSTEM,
            shown=lambda name: name or "As the file says",
        )
        width = select.whole("Images in a row of the page", 1, 20, keep=found_sections.WIDTH, first=1)
    download.not_done(found_sections.NOT_DONE)
    if "of_study" not in kept:
        _empty("Upload how satisfied people were with results of this study.")
        return None
    file = kept["of_study"]

    def work() -> tuple[Satisfaction | None, Report]:
        ratings, report = parse_satisfaction(workspace.content(file), file=file.name)
        result, more = from_study(
            study, ratings, by=by, system=system or None, width=width, settings=settings
        )
        return result, report + more

    key = ("satisfaction of study", study.digest, file.mark, by, system, width, repr(settings))
    return _read(lambda: cache.share(key, work))


def _read(work: Callable[[], tuple[Satisfaction | None, Report]]) -> Satisfaction | None:
    """What could be read, with every problem; the rest of the page uses what is sound."""
    try:
        result, report = work()
    except CuiscopeError as error:
        messages.failed(error, key="satisfaction-unread")
        return None
    errors = report.total("error")
    if errors:
        left_out = "The rows concerned are left out." if result is not None else "Nothing can be used."
        st.error(f"{pluralize(errors, 'problem')} in the files. {left_out}", icon=":material/error:")
    messages.problems(report, key="satisfaction-problems")
    if result is None and not errors:
        st.info("No query has both a list and a rating.", icon=":material/info:")
    return result


def _uploader(part: str, label: str, kept: Mapping[str, Kept]) -> None:
    download.uploader(
        part,
        label,
        kept.get(part),
        template=TEMPLATES[part],
        max_mb=MAX_MB,
        help=EXPECTED[part],
        wrong=found_sections.NOT_DONE,
    )


def _empty(what: str) -> None:
    with st.container(border=True, key="empty-satisfaction"):
        st.markdown(f"**{what}**")
        st.caption(
            "Nothing is sent anywhere: files stay in the workspace of this program until you remove them. "
            "Every problem is listed with its line."
        )


OFFERED = (1, 3, 5, 10, 15, 20)
DRAWN = {"users": "Participants", "queries": "Queries"}
SHORT = {
    "invalid": "Leave out queries with more than 90% of images not judged",
    "short": "Leave out queries with fewer rows than counted",
    "few": "Leave out participants with fewer than three queries",
    "minmax": "Put each person’s satisfaction on a scale from 0 to 1",
}


def show(context: Context) -> None:
    """Draw it."""
    data = section(context)
    if data is None:
        return
    answer = st.container()
    depths, reading, test, resample = _counted(context, data)
    clean, without = _clean(context, data, depths[-1])
    if clean is None:
        return
    key = (data.digest, without, depths, repr(reading))
    with answer:
        result = cache.share(
            ("satisfaction", *key, test, resample),
            lambda: agreement(clean, depths=depths, reading=reading, test=test, resample=resample),
            spinner="Comparing the measures with satisfaction…",
        )
        messages.lead(found_sections.headline(result, plain=context.choice.plain))
        found_sections.section(context, data, result, reading.window)
        fold.section(
            "Windows",
            found_sections.sweep_section,
            context,
            clean,
            reading,
            depths[-1],
            resample,
            key,
            keep=found_sections.SWEPT,
        )
        fold.section(
            "When relevance varies from image to image",
            found_sections.variance_section,
            context,
            clean,
            reading,
            depths[-1],
            resample,
            key,
            keep=found_sections.VARIED,
            opened_by=(found_sections.VARIANCE,),
        )


def _counted(
    context: Context, data: Satisfaction
) -> tuple[tuple[int, ...], Reading, DependentTest, Resample]:
    """Rows counted and, in the technical reading, how gain and differences are computed."""
    usual = usual_depths(data)
    offered = [str(depth) for depth in sorted({*OFFERED, *usual})]
    state.follow_default(found_sections.DEPTHS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        depths = select.some(
            "Result rows counted",
            offered,
            keep=found_sections.DEPTHS,
            width=280,
            first=[str(depth) for depth in usual],
            help="Only the first rows count. Several depths are compared side by side.",
        )
        window, test, resample = WINDOW, "williams", "users"
        if not context.choice.plain:
            window = select.whole("Window", 1, 100, keep=found_sections.WINDOW, first=WINDOW, width=110)
            test = select.one(
                "Test",
                get_args(DependentTest),
                keep=found_sections.TEST,
                first="williams",
                width=150,
                shown=str.capitalize,
            )
            resample = select.one("Bootstrap draws", DRAWN, keep=found_sections.RESAMPLE, width=170)
    rows = tuple(sorted(int(depth) for depth in depths))
    reading = Reading(window=window, per_image=True)
    return rows, reading, cast("DependentTest", test), cast("Resample", resample)


def _clean(context: Context, data: Satisfaction, depth: int) -> tuple[Clean | None, tuple[Step, ...]]:
    """The ratings that count, None with a message where none is left; and the steps left out."""
    with st.expander("Which ratings count", icon=":material/filter_alt:"):
        without = tuple(
            step
            for step in STEPS
            if not select.switch(SHORT[step], keep=found_sections.STEP[step], first=True)
        )
        below = st.container()
        table_place = st.container()
    try:
        clean = cleanse(data, depth=depth, without=without)
    except CuiscopeError as error:
        st.error(md_escape(str(error)), icon=":material/error:")
        return None, without
    with table_place:
        found_sections.sizes(context, data, clean)
    below.caption(
        f"{found_sections.dropped(clean)} The steps are those of Shao et al. 2019. People who gave every "
        "list the same rating are left out by the last step."
    )
    return clean, without
