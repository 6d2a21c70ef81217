"""The tab “Find concepts” of the Data page: from captions to concepts, each step to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd
import streamlit as st

from evalcore.features.annotate.page import review, work
from evalcore.features.annotate.read import concept_lines, match_lines
from evalcore.features.annotate.values import (
    AMBIGUOUS,
    NEGATED,
    AnnotatedCaption,
    AnnotateSettings,
    Annotation,
    Match,
)
from evalcore.study.workspace.uploads import add_part, has_part
from evalcore.ui.components import download, fold, intake, messages, select, table, tiles
from evalcore.ui.frame import pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.model import Study
from evalcore.values.writing import count, md_escape, plain, pluralize

# A caption as Markdown with the terms found in it marked; whatever it holds shows as it is written.

KEPT, DENIED, DOUBTED, UNCLEAR, OTHER = "green", "gray", "orange", "violet", "gray"
LEGEND = (
    f":{KEPT}-background[**counts**]  :{DOUBTED}-background[*in doubt*]  :{DENIED}-background[~~denied~~]  "
    f":{UNCLEAR}-background[means several concepts]  :{OTHER}-background[left out for another reason]"
)


def marked(caption: str, matches: Sequence[Match]) -> str:
    """The caption on one line; a term is coloured by what became of it: bold where it counts, struck through
    where it is denied, in italics where it is in doubt."""
    parts, at = [], 0
    for one in sorted(matches, key=lambda match: match.start):
        if one.start < at:
            continue
        parts.append(_plain(caption[at : one.start]))
        parts.append(_term(caption[one.start : one.end], one))
        at = one.end
    return "".join([*parts, _plain(caption[at:])]).strip()


def _plain(text: str) -> str:
    """Escaped, the white space at its ends kept as one space."""
    body = md_escape(text)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and body else ""
    return f"{before}{body}{after}"


def _term(text: str, one: Match) -> str:
    body = md_escape(text)
    if not body:
        return ""
    if one.why == NEGATED or (one.negated is not None and one.kept):
        body = f"~~{body}~~"
    elif one.uncertain is not None:
        body = f"*{body}*"
    elif one.kept:
        body = f"**{body}**"
    return f":{_colour(one)}-background[{body}]"


def _colour(one: Match) -> str:
    if one.kept:
        return DOUBTED if one.uncertain is not None or one.negated is not None else KEPT
    return {NEGATED: DENIED, AMBIGUOUS: UNCLEAR}.get(one.why, OTHER)


def reason(one: Match, caption: str) -> str:
    """Why a term counts or is left out, in a sentence; plain text."""
    if one.why == AMBIGUOUS:
        return f"left out: the name of {len(one.concepts)} concepts"
    if one.why.startswith("section: "):
        return f"left out: it is under “{one.section}”"
    flag, what = (one.negated, "denied") if one.negated is not None else (one.uncertain, "in doubt")
    if flag is None:
        return (
            "counts"
            if one.past is None
            else f"counts; past, because of “{caption[one.past.start : one.past.end]}”"
        )
    trigger = caption[flag.start : flag.end] if flag.trigger else ""
    by = f", because of “{trigger}”" if trigger else ", as the tool says"
    return f"{'counts, though ' if one.kept else 'left out: '}{what}{by}"


# One caption after the other: its picture, the text with its terms marked, and why each counts or not.

ALL = "All"
FILTERS: dict[str, Callable[[AnnotatedCaption], bool]] = {
    ALL: lambda one: one.caption is not None,
    "Something left out": lambda one: any(not match.kept for match in one.matches),
    "In doubt": lambda one: any(match.uncertain is not None for match in one.matches),
    "Nothing found": lambda one: one.caption is not None and not one.matches,
}


@state.fragment()
def captions_section(context: Context, made: Annotation) -> None:
    """The captions of a kind, and the one that is looked at."""
    st.subheader("What was found in each caption", anchor=False)
    offered = [name for name, holds in FILTERS.items() if name == ALL or any(map(holds, made.captions))]
    wanted = select.segments(
        "Captions",
        offered,
        keep=work.SHOWN,
        label_visibility="collapsed",
        shown=lambda name: f"{name} ({count(sum(map(FILTERS[name], made.captions)))})",
    )
    some = [caption for caption in made.captions if FILTERS[wanted](caption)]
    if not some:
        st.info("No captions match.", icon=":material/search_off:")
        return
    images = [one.image for one in some]
    image = _walk(images)
    _one(context.study, some[images.index(image)])
    st.caption(LEGEND)


def _walk(images: Sequence[str]) -> str:
    """The image that is looked at: picked from the list, or the one before or after."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        image = select.one("Image", images, keep=work.IMAGE)
        at = images.index(image)
        for way, icon, to in (("Previous", "chevron_left", at - 1), ("Next", "chevron_right", at + 1)):
            st.button(
                way,
                icon=f":material/{icon}:",
                key=f"caption-{way}",
                disabled=not 0 <= to < len(images),
                on_click=state.set_value,
                args=(work.IMAGE, images[max(0, min(to, len(images) - 1))]),
            )
        st.markdown(f":gray[{at + 1:,} of {len(images):,}]", width="content")
    return image


def _one(study: Study, caption: AnnotatedCaption) -> None:
    place = study.image_ids.index(caption.image)
    picture = tiles.tile(study, place)
    if picture is None:
        _text(study, caption)
        return
    left, right = st.columns([1, 3], gap="medium")
    with left:
        st.image(picture, width="stretch", alt=f"Picture of {plain(caption.image, limit=80)}")
    with right:
        _text(study, caption)


def _text(study: Study, one: AnnotatedCaption) -> None:
    caption = one.caption or ""
    with st.container(border=True, key="marked-caption"):
        st.markdown(marked(caption, one.matches))
    st.markdown(f"**{_becomes(study, one)}**")
    if one.matches:
        rows = {
            "Term": [md_escape(match.text, limit=80) for match in one.matches],
            "Concept": [
                md_escape(", ".join(work.named(study, concept) for concept in match.concepts), limit=160)
                for match in one.matches
            ],
            "Why": [md_escape(reason(match, caption), limit=160) for match in one.matches],
        }
        alt = f"{pluralize(len(one.matches), 'term')} of this caption and why each counts or not"
        table.wrapped(pd.DataFrame(rows), alt=alt)


def _becomes(study: Study, caption: AnnotatedCaption) -> str:
    """What the image gets, Markdown."""
    if caption.concepts is None:
        return "Not annotated: the caption contains no known term that counts."
    if not caption.concepts:
        return "No concepts: the caption only denies known terms."
    names = "; ".join(md_escape(study.names.get(concept, concept), limit=60) for concept in caption.concepts)
    return f"Gets {pluralize(len(caption.concepts), 'concept')}: {names}"


MAX_MB = 100
"""Largest file of results."""

# From concepts found to concepts of the study: put into it where it may be changed, else saved as files.


def use_section(context: Context, made: Annotation) -> None:
    """The button that puts them in, and both files."""
    st.subheader("Use these concepts", anchor=False)
    some = sum(bool(caption.concepts) for caption in made.captions)
    if not some:
        st.caption("No concepts to use: none were found in any caption.")
        return
    folder = context.entry.path
    given = has_part(folder, "concepts")
    may = studies.ask(context.entry, key="annotate")
    sure = True
    if may and given:
        sure = st.checkbox(
            "Replace the concepts this study has",
            key=f"{work.SURE}-{context.study.content}",
            help="The present file of concepts is removed. Save it first if you have no other copy.",
        )
    with st.container(horizontal=True):
        if may:
            st.button(
                "Use these concepts",
                key="use-concepts",
                icon=":material/check:",
                type="primary",
                disabled=not sure,
                on_click=put,
                args=(context, made),
            )
        download.file(
            "concepts.csv",
            _bytes(lambda: concept_lines(made)),
            "concepts.csv",
            "text/csv",
            key="save-concepts",
        )
        download.file(
            "Every term found",
            _bytes(lambda: match_lines(made)),
            "matches.csv",
            "text/csv",
            key="save-matches",
        )
    if not may:
        st.caption(
            "This study cannot be changed here. Save concepts.csv and put it into a copy of the folder, or "
            "use the command:"
        )
        st.code(work.command(folder, made.tool, "--out concepts.csv"), language=None, wrap_lines=True)


def _bytes(lines: Callable[[], Iterator[str]]) -> Callable[[], bytes]:
    return lambda: "".join(lines()).encode("utf-8", "replace")


@intake.guarded
def put(context: Context, made: Annotation) -> None:
    """Callback: these concepts become those of the study, as an upload of them would."""
    folder = context.entry.path
    data = _bytes(lambda: concept_lines(made))()
    report = add_part(folder, "concepts", "concepts.csv", data, in_place=studies.given(folder))
    if messages.refused_outcome(report):
        intake.say("bad", "The concepts were not saved; nothing has changed.", report)
        return
    study = studies.opened(folder)
    state.change_study(context.entry.slug)
    some = sum(bool(concept) for concept in made.concepts.values())
    intake.say(
        "good",
        f"**{md_escape(study.name)}** has concepts now: {pluralize(some, 'image')} of "
        f"{study.concepts.n_images:,}.",
    )


def section(context: Context) -> None:
    """Ask, find, look, review, use."""
    study = context.study
    texts = study.captions.count if study.captions else 0
    if not texts:
        messages.empty(
            "Concepts from captions.", "This study has no captions.", label="Add captions", key="no-captions"
        )
        return
    st.markdown(
        f"Find the concepts named in the {pluralize(texts, 'caption')}, check them, and use them in this "
        "study. The captions stay on this computer."
    )
    if study.concepts.annotated.any() and not study.systems:
        messages.empty(
            "Next: systems to compare.",
            "This study has concepts and no systems yet.",
            label="Make first systems",
            key="next-systems",
            params={state.TAB: pages.SYSTEMS},
        )
    tool = select.segments("Find them with", work.WAYS, keep=work.TOOL)
    chosen = work.chosen(context)
    if chosen.report.problems:
        messages.problems(chosen.report, key="annotate-toml")
    if tool == work.OF_TOOL:
        made = _from_file(context, chosen.settings)
    elif not work.has_names(study):
        _without_names()
        return
    elif not work.begun(context):
        _ask(context)
        return
    else:
        made = work.found(context, chosen.settings)
    if made is not None:
        _found(context, chosen, tool, made)
    review.options_section(context, chosen, tool)


def _found(context: Context, chosen: work.Chosen, tool: str, made: Annotation) -> None:
    """What came of it, a caption to look at, and what to do with it; closed, the names."""
    _headline(made)
    captions_section(context, made)
    use_section(context, made)
    if tool == work.DICTIONARY:
        fold.section("Names to check", review.section, context, chosen, made, keep=work.NAMES_FOUND)


def _from_file(context: Context, settings: AnnotateSettings) -> Annotation | None:
    """What a tool that was run elsewhere found, from its file."""
    st.file_uploader(
        "Results of MedCAT or QuickUMLS",
        key=state.emptied(work.file_key(context)),
        max_upload_size=MAX_MB,
        help='JSON or JSON lines: {"image_1": result}, with the whole result of MedCAT’s get_entities or '
        "QuickUMLS’s match of each caption.",
    )
    made, report = work.read(context, settings)
    if report.problems:
        messages.problems(report, key="annotate-file")
    return made


def _ask(context: Context) -> None:
    n = len(context.study.names)
    names = f" The study names {pluralize(n, 'concept')}." if n else ""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="annotate-ask"):
        st.markdown(
            f"**Dictionary** :gray[Every name of every concept, the longest match first.{names}]",
            width="stretch",
        )
        st.button(
            "Find concepts in the captions",
            key="annotate-find",
            icon=":material/search:",
            type="primary",
            on_click=work.begin,
            args=(context.entry.path,),
        )


def _without_names() -> None:
    with st.container(border=True, key="annotate-cannot"):
        st.markdown("**This study has no names of concepts to look for.**")
        st.caption("Add a table cui,name (several rows for synonyms), MRCONSO.RRF or an ontology with names.")
        messages.go_to("data", label="Add names or an ontology", params=messages.UPLOAD)


def _headline(made: Annotation) -> None:
    """What came of it, in numbers."""
    concepts = [caption.concepts for caption in made.captions]
    some, nothing = sum(bool(concept) for concept in concepts), sum(concept == () for concept in concepts)
    different = len({concept for one in concepts for concept in one or ()})
    st.markdown(
        f"#### {count(some)} of {pluralize(len(concepts), 'image')} get "
        f"{pluralize(different, 'different concept')}"
    )
    left = "; ".join(f"{count(n)} {_reason(why)}" for why, n in made.left_out.items())
    st.caption(
        f"{pluralize(made.n_matches, 'term')} found{f', left out: {left}' if left else ''}. "
        f"{pluralize(nothing, 'image')} with denied terms only: no concepts. "
        f"{pluralize(sum(concept is None for concept in concepts), 'image')} without any known term: not "
        "annotated."
        + (
            f" Looked for {pluralize(made.names.n_names, 'name')} of "
            f"{pluralize(len(made.names.concepts), 'concept')}."
            if made.names.n_names
            else ""
        )
    )


def _reason(why: str) -> str:
    named = {"negated": "denied", "uncertain": "in doubt", "ambiguous": "with several meanings"}
    return named.get(why, f"under “{md_escape(why.removeprefix('section: '), limit=40)}”")
