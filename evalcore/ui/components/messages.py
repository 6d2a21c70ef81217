"""Sentences that are the same on every page: the banner, empty states, problems, refused links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Literal, ParamSpec

import pandas as pd
import streamlit as st

from evalcore.ranking.metrics import lower_is_better
from evalcore.results.method import too_few_shared, too_narrow
from evalcore.study.parts.recognise import RUN_RULE
from evalcore.study.reads_captions import describe
from evalcore.study.workspace.home import without_home
from evalcore.ui.components import table
from evalcore.ui.frame import state
from evalcore.ui.frame.pages import BRING, page_info
from evalcore.values.errors import CuiscopeError, Report
from evalcore.values.grouping import count_left_out
from evalcore.values.grouping import describe as in_words_of_groups
from evalcore.values.model import ComparedOver, Scores, Study
from evalcore.values.settings import OPTIONS
from evalcore.values.writing import listed, md_escape, pluralize

P = ParamSpec("P")

BANNER = "Research tool. Not for diagnosis. Use de-identified images only."
PROBLEMS_SHOWN = 200
UPLOAD: state.Values = {state.TAB: BRING}
"""Opens the part of the Data page where files are uploaded."""
NONE = ":gray[–]"
"""An empty cell of the table of problems; as a card on a narrow screen, a problem leaves it out."""


def banner(status: str) -> None:
    """The line above every page: what this is not, and what is open."""
    with st.container(horizontal=True, horizontal_alignment="distribute", gap="small", key="banner"):
        st.markdown(f":material/health_and_safety: {BANNER}", width="content")
        st.markdown(status, width="content")


def headline(sentence: str, *, key: str = "lead") -> None:
    """The main sentence of a page, larger than the rest. ``sentence`` is Markdown with escaped names.

    A second one on the page has a ``key`` of its own, which the style sheet knows.
    """
    with st.container(key=key):
        st.markdown(sentence)


def small_sample_warning(counts: Iterable[int], *, unit: str = "queries") -> None:
    """A warning beside intervals over so few queries that they are too narrow; by how much under Expert."""
    if warning := too_narrow(counts, units=unit):
        why = warning.partition(":")[0]
        st.caption(f":material/warning: {f'{why}. Read them with caution.' if _simple() else warning}")


def _simple() -> bool:
    """Whether the level of detail is Simple."""
    return bool(state.get(state.READING, "Simple") == "Simple")


def on_the_left(setting: str) -> str:
    """Where the sidebar has a setting, which under Simple is in the panel More."""
    return f"“{setting}” on the left{', under “More”' if _simple() else ''}"


def unanswered(scores: Sequence[Scores]) -> None:
    """Systems that leave queries unanswered are named, with what that does to their score."""
    partial = [s for s in scores if s.missing]
    if not partial:
        return
    names = listed([f"**{md_escape(s.system)}** ({pluralize(s.missing, 'query')})" for s in partial])
    counted = "the last place" if lower_is_better(partial[0].metric) else "0"
    st.markdown(
        f":orange[:material/rule:] Left unanswered and counted as {counted}: {names}. To compare only over "
        f"the queries that every system answers, use {on_the_left('Queries counted')}."
    )


def readers(study: Study, systems: Iterable[str]) -> None:
    """Which of these systems read captions, from which the concepts come."""
    if sentence := describe(systems, study.reads):
        st.caption(f":material/subtitles: {md_escape(sentence)}")


def groups_proposed(study: Study) -> None:
    """Says that a label column looks like groups of images, where the study names none."""
    if study.groups is None and (sentence := in_words_of_groups(study)):
        st.markdown(f":orange[:material/groups:] {md_escape(sentence, limit=400)}")


def faults(study: Study) -> None:
    """Says on every page that some of the study could not be used; nothing where all could."""
    if text := study.report.faults():
        with st.container(horizontal=True, vertical_alignment="center", key="faults"):
            st.warning(md_escape(text, limit=400), icon=":material/error:", width="stretch")
            go_to("data", label="See the problems")


def not_read(study: Study) -> None:
    """Says first that files which look like rankings are not read, where a study has no systems."""
    left = [problem for problem in study.report.problems if problem.rule == RUN_RULE]
    if left and not study.systems:
        names = listed([f"**{md_escape(problem.value, limit=60)}**" for problem in left], limit=3)
        st.warning(
            f"No systems are loaded, although {pluralize(len(left), 'file')} "
            f"{'looks' if len(left) == 1 else 'look'} like rankings: {names}. {md_escape(left[0].remedy)}",
            icon=":material/folder_off:",
        )


def limits(over: ComparedOver, study: Study) -> None:
    """What the comparison is limited to, in one line: where the systems search different images, which; what
    becomes of candidates of the query's own group; which labels do not count because readers judged them
    wrong. A warning where the averages do not compare like with like."""
    parts, details, warning = [], [], ""
    smaller = [pool for pool in over.pools if pool.n < over.n_all]
    sizes = listed([f"**{md_escape(pool.system)}** {pool.n:,}" for pool in smaller])
    if over.differ and over.which == "common-pool" and over.n_shared > 1:
        parts.append(
            f"Compared over the {pluralize(len(over.queries), 'query')} and "
            f"{pluralize(len(over.candidates), 'image')} that all systems cover ({sizes} of "
            f"{over.n_all:,} images)."
        )
        details.append(_how_limited(over))
    elif over.differ:
        remedy = f"Select “Pool” for {on_the_left('Queries counted')}."
        if over.n_shared < 2:
            remedy = f"{too_few_shared(over)}; select other systems on the left."
        warning = (
            f"The systems search different images: {sizes} of {over.n_all:,}. The averages below do not "
            f"compare like with like. {remedy}"
        )
    if study.groups is not None:
        name, left = md_escape(study.groups.name, limit=40), study.groups.left_out
        pairs, queries = count_left_out(study)
        parts.append(
            f"Images from the query’s own {name} "
            + (
                f"do not count as results ({pluralize(pairs, 'image')}, {pluralize(queries, 'query')})."
                if left
                else "count like others, though they may be similar for trivial reasons."
            )
        )
        details.append(f"Intervals and tests take each {name} as a whole.")
    if not warning and not parts:
        return
    with st.container(key="page-notes"):
        if warning:
            st.warning(warning, icon=":material/balance:")
        if parts:
            st.caption(f":material/filter_center_focus: {' '.join(parts)}", help=" ".join(details) or None)


def _how_limited(over: ComparedOver) -> str:
    """How the rankings came to contain no other images; "" where they contained none."""
    if not over.filtered:
        return "The results are ranked again by the systems’ vectors." if over.by_vectors else ""
    names = listed([md_escape(name) for name in over.filtered])
    others = "; the others are ranked again by their vectors" if over.by_vectors else ""
    return f"The lists of {names} were shortened to these images{others}."


def empty(
    what: str, why: str, *, label: str, key: str, page: str = "data", params: state.Values = UPLOAD
) -> None:
    """An empty state: what would be here, why it is not, and the one click that gets there.

    By default that is where files are uploaded; ``params`` are {} on a page without parts.
    """
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"empty-{key}"):
        st.markdown(f"**{what}** :gray[{why}]", width="stretch")
        go_to(page, label=label, params=params)


def go_to(page: str, *, label: str, icon: str = "", params: state.Values = MappingProxyType({})) -> None:
    """A link to another page that keeps the sidebar's choices."""
    info = page_info(page)
    st.page_link(info.file, label=label, icon=icon or info.icon, query_params=state.link_params(params))


def failed(error: CuiscopeError, *, key: str) -> None:
    """What cannot be used or computed, with every problem of it; ``key`` names the place."""
    st.error(md_escape(as_labels(without_home(str(error))), limit=600), icon=":material/error:")
    if error.report is not None:
        problems(error.report, key=key)


_SETTING = re.compile(r"`(\w+)` must|\b(\w+) = ([\w-]+)")


def as_labels(text: str) -> str:
    """The same text with its settings by their labels on pages.

    >>> as_labels("Average: ties = expected. `ties` must be id for MAX.")
    'Average: “Equal scores”: Averaged over all orders. “Equal scores” must be id for MAX.'
    """

    def written(match: re.Match[str]) -> str:
        option = OPTIONS.get(match[1] or match[2])
        if option is None or not option.label:
            return match[0]
        if match[1]:
            return f"“{option.label}” must"
        shown = option.shown.get(match[3])
        return f"“{option.label}”: {shown}" if shown else match[0]

    return _SETTING.sub(written, text)


def kinds_of_problems(report: Report) -> tuple[int, int]:
    """(errors, remarks), each file and rule once, however many cases it has."""
    return report.kinds("error"), report.kinds("warning")


def problems(report: Report, *, key: str) -> None:
    """Every problem with file, line, cause and way out, errors first."""
    result = sorted(report.problems, key=lambda p: p.severity != "error")
    if not result:
        return
    shown = result[:PROBLEMS_SHOWN]
    lines = [NONE if p.line is None else str(p.line) for p in shown]
    rows = pd.DataFrame(
        {
            "": ["Error" if p.severity == "error" else "Remark" for p in shown],
            "File": [md_escape(p.file) for p in shown],
            **({"Line": lines} if any(line != NONE for line in lines) else {}),
            "What is wrong": [md_escape(p.message, limit=400) for p in shown],
            "What to do": [md_escape(as_labels(p.remedy), limit=400) or NONE for p in shown],
        }
    )
    table.wrapped(
        rows,
        cards=key,
        height="content" if len(shown) <= 10 else 460,
        alt=f"{pluralize(len(result), 'problem')} with file, line and remedy",
    )
    if len(result) > PROBLEMS_SHOWN:
        st.caption(f"The first {PROBLEMS_SHOWN:,} of {len(result):,} are shown.")


# What became of an upload or another change: shown above the page when it is drawn again.
#
# A page keeps it under a key of its own (``kept``). Its callbacks are ``@messages.guarded(kept)`` and
# `announce` the outcome; the page calls `show` where the outcome belongs.

Kind = Literal["good", "mixed", "bad"]


def announce(kept: str, kind: Kind, sentence: str, report: Report | None = None) -> None:
    """Callback: the sentence, Markdown, and the problems of a report that has some."""
    state.set_plain(kept, (kind, sentence, report if report is not None and report.problems else None))


def guarded(kept: str) -> Callable[[Callable[P, object]], Callable[P, None]]:
    """A callback whose errors that the user can mend become a message; nothing loaded is lost by them."""

    def decorate(act: Callable[P, object]) -> Callable[P, None]:
        @wraps(act)
        def guarded_act(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                act(*args, **kwargs)
            except CuiscopeError as error:
                announce(kept, "bad", md_escape(as_labels(without_home(str(error)))), error.report)
                state.redraw_page()
            except OSError as error:
                announce(kept, "bad", f"That did not work: {md_escape(error.strerror or str(error))}.")
                state.redraw_page()

        return guarded_act

    return decorate


def refused_outcome(report: Report) -> bool:
    """Whether an upload was not kept, because nothing in it could be used."""
    return any(rule == "not-kept" for _, _, rule in report.counts)


def show(kept: str) -> None:
    """The last outcome, with its problems; gone when the reader comes back from another page."""
    if state.navigated():
        state.drop(kept)
    result = state.get(kept)
    if result is None:
        return
    kind, sentence, report = result
    {"good": st.success, "bad": st.error, "mixed": st.warning}[kind](sentence)
    if report is not None:
        problems(report, key=kept)
