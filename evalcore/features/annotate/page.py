"""The tab “Find concepts” of the Data page: from captions to concepts, checked and corrected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.features.annotate.captions import (
    AMBIGUOUS,
    AnnotatedCaption,
    Annotation,
    annotate,
    captions_of,
    concept_lines,
    describe,
    version_of_names,
)
from evalcore.features.annotate.settings import (
    KEEP,
    LEAVE_OUT,
    STOP,
    TOML,
    AnnotateSettings,
    read_settings,
    settings_text,
)
from evalcore.features.annotate.terms import Term, dictionary
from evalcore.features.annotate.tool_output import parse_tool_output
from evalcore.study.naming import names_of_study
from evalcore.study.workspace.change import changed
from evalcore.study.workspace.uploads import add_part, has_part
from evalcore.ui.components import download, fold, intake, messages, select, table, tiles
from evalcore.ui.components.places import step_button
from evalcore.ui.frame import jobs, state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.writing import md_escape, plain, pluralize

TOOL, SHOWN = Key("tool", of_study=True), Key("captions", of_study=True)
IMAGE, CORRECT = Key("caption", of_study=True), Key("names_found")
DICTIONARY, OF_TOOL = "dictionary", "file"
WAYS = {DICTIONARY: "Names of concepts", OF_TOOL: "Results of MedCAT or QuickUMLS"}
MAX_MB = 100
"""Largest file of results."""


def section(context: Context) -> None:
    """Find concepts in the captions of the study, look at them, correct and use them."""
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
    tool = select.segments("Find them with", WAYS, param=TOOL)
    settings, report = read_settings(context.entry.path)
    if report.problems:
        messages.problems(report, key="annotate-toml")
    annotation = (_from_file if tool == OF_TOOL else _from_names)(context, settings)
    if annotation is None:
        return
    headline, *details = describe(annotation)
    st.markdown(f"#### {headline}")
    st.caption(" ".join(details))
    captions_section(context, annotation)
    if not studies.why_read_only(context.entry):
        fold.section("Correct the concepts", correct_section, context, annotation, param=CORRECT)
    use_section(context, annotation)


# What is computed: the terms of all captions, by names in a job of its own, or from the file of a tool.


def _from_names(context: Context, settings: AnnotateSettings) -> Annotation | None:
    """The terms of all captions by the dictionary; None while they are looked for, and without names."""
    study = context.study
    if not study.names and not any(part.kind == "names" for part in study.parts):
        messages.empty(
            "No names of concepts to look for.",
            "Add a table cui,name (several rows for synonyms), MRCONSO.RRF or an ontology with names.",
            label="Add names or an ontology",
            key="no-names",
        )
        return None

    def work(progress: Progress) -> Annotation:
        progress(0.0, "names of concepts")
        names = dictionary(names_of_study(study), settings)
        return annotate(captions_of(study), names, settings, progress=progress)

    key = f"annotate {digest_of(repr((version_of_names(study), settings)))}"
    return jobs.run(key, work, label="Finding concepts", shared=True)


def _from_file(context: Context, settings: AnnotateSettings) -> Annotation | None:
    """What a tool that was run elsewhere found, from its file; None without one, or with errors."""
    key = f"annotate_file_{context.entry.slug}"
    st.file_uploader(
        "Results of MedCAT or QuickUMLS",
        key=state.uploader_key(key),
        max_upload_size=MAX_MB,
        help='JSON or JSON lines: {"image_1": result}, with the whole result of MedCAT’s get_entities or '
        "QuickUMLS’s match of each caption.",
    )
    file, captions = state.uploaded_file(key), captions_of(context.study)
    if file is None:
        return None
    output, report = parse_tool_output(file.getvalue(), file=file.name, captions=captions)
    if report.problems:
        messages.problems(report, key="annotate-file")
    return None if report.total("error") else annotate(captions, output, settings)


# One caption after the other: its picture, the text with its terms marked, and why each counts or not.

LEGEND = (
    ":green-background[**counts**]  :orange-background[*in doubt*]  :gray-background[~~denied~~]  "
    ":violet-background[means several concepts]"
)
FILTERS: dict[str, Callable[[AnnotatedCaption], bool]] = {
    "All": lambda caption: caption.caption is not None,
    "Something left out": lambda caption: any(term.why for term in caption.terms),
    "In doubt": lambda caption: any(term.uncertain is not None for term in caption.terms),
    "Nothing found": lambda caption: caption.caption is not None and not caption.terms,
}


@state.fragment()
def captions_section(context: Context, annotation: Annotation) -> None:
    """The captions of a kind, and the one that is looked at."""
    st.subheader("What was found in each caption", anchor=False)
    numbers = {name: sum(map(holds, annotation.captions)) for name, holds in FILTERS.items()}
    wanted = select.segments(
        "Captions",
        [name for name, n in numbers.items() if n or name == "All"],
        param=SHOWN,
        label_visibility="collapsed",
        shown=lambda name: f"{name} ({numbers[name]:,})",
    )
    by_image = {caption.image: caption for caption in annotation.captions if FILTERS[wanted](caption)}
    caption = by_image[_walk([*by_image])]
    picture = tiles.tile(context.study, context.study.image_ids.index(caption.image))
    if picture is None:
        _text(context.study, caption)
    else:
        left, right = st.columns([1, 3], gap="medium")
        left.image(picture, width="stretch", alt=f"Picture of {plain(caption.image, limit=80)}")
        with right:
            _text(context.study, caption)
    st.caption(LEGEND)


def _walk(images: Sequence[str]) -> str:
    """The image that is looked at: picked from the list, or the one before or after."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        image = select.selectbox("Image", images, param=IMAGE)
        go = partial(state.set_value, IMAGE)
        step_button(-1, images, IMAGE, go, name="caption", keyboard=False)
        step_button(1, images, IMAGE, go, name="caption", keyboard=False)
        st.markdown(f":gray[{images.index(image) + 1:,} of {len(images):,}]", width="content")
    return image


def _text(study: Study, caption: AnnotatedCaption) -> None:
    """The caption with its terms marked, what its image gets, and why each term counts or not."""
    with st.container(border=True, key="marked-caption"):
        st.markdown(marked(caption.caption or "", caption.terms))
    if caption.concepts:
        names = "; ".join(md_escape(study.name_of(concept), limit=60) for concept in caption.concepts)
        becomes = f"Gets {pluralize(len(caption.concepts), 'concept')}: {names}"
    elif caption.concepts is None:
        becomes = "Not annotated: the caption contains no known term that counts."
    else:
        becomes = "No concepts: the caption only denies known terms."
    st.markdown(f"**{becomes}**")
    if caption.terms:
        text = caption.caption or ""
        named = [", ".join(_named(study, concept) for concept in term.concepts) for term in caption.terms]
        rows = {
            "Term": [md_escape(text[term.start : term.end], limit=80) for term in caption.terms],
            "Concept": [md_escape(names, limit=160) for names in named],
            "Why": [md_escape(reason(term), limit=160) for term in caption.terms],
        }
        alt = f"{pluralize(len(caption.terms), 'term')} of this caption and why each counts or not"
        table.wrapped(pd.DataFrame(rows), alt=alt)


def _named(study: Study, concept: str) -> str:
    """A concept by its name, where it has one, and its id; plain text."""
    name = study.names.get(concept, "")
    return f"{name} ({concept})" if name else concept


def marked(caption: str, terms: Sequence[Term]) -> str:
    """The caption as Markdown on one line, ``terms`` in order; whatever it holds shows as it is written.

    A term is coloured by what became of it: bold where it counts, struck through where it is denied, in
    italics where it is in doubt.
    """
    parts, at = [], 0
    for term in terms:
        parts += [_escaped(caption[at : term.start]), _mark(md_escape(caption[term.start : term.end]), term)]
        at = term.end
    return "".join([*parts, _escaped(caption[at:])]).strip()


def _escaped(text: str) -> str:
    """Escaped, the white space at its ends kept as one space."""
    body = md_escape(text)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and body else ""
    return f"{before}{body}{after}"


def _mark(body: str, term: Term) -> str:
    sign = "~~" if term.negated is not None else "*" if term.uncertain is not None else "**"
    colour = "gray" if term.why else "green" if sign == "**" else "orange"
    if term.why == AMBIGUOUS:
        sign, colour = "", "violet"
    return f":{colour}-background[{sign}{body}{sign}]" if body else ""


def reason(term: Term) -> str:
    """Why a term counts or is left out, in a sentence; plain text."""
    if term.why == AMBIGUOUS:
        return f"left out: the name of {len(term.concepts)} concepts"
    trigger, what = (term.uncertain, "in doubt") if term.negated is None else (term.negated, "denied")
    if trigger is None:
        return "counts"
    by = f", because of “{trigger}”" if trigger else ", as the tool says"
    return f"{'left out: ' if term.why else 'counts, though '}{what}{by}"


# Corrections: how captions are read, and the names found, each used, ignored or given one of its meanings.

MOST, MOST_AMBIGUOUS = 100, 12
"""Names that are listed."""
NOTHING = "Nothing"
FLAGS = {
    "negated": "Leave out denied terms (“no effusion”)",
    "uncertain": "Leave out uncertain terms (“possible effusion”)",
}


def correct_section(context: Context, annotation: Annotation) -> None:
    """One form, where the study may be changed; nothing changes before it is sent."""
    if not studies.ask(context.entry, key="correct"):
        return
    study, settings, by_names = context.study, annotation.settings, annotation.tool == DICTIONARY
    counts = annotation.counts if by_names else ()
    clear = [row for row in counts if len(row.concepts) == 1][:MOST]
    unclear = [row for row in counts if len(row.concepts) > 1][:MOST_AMBIGUOUS]
    ignored = [name for name in settings.stop if name not in STOP]
    st.caption("For all captions at once. Nothing changes before you apply it.")
    # Other settings make another form, so it always shows what is in use.
    with st.form(f"annotate-{digest_of(repr(settings), study.content, annotation.tool)[:12]}", border=False):
        left_out = {
            name: st.checkbox(label, getattr(settings, name) == LEAVE_OUT) for name, label in FLAGS.items()
        }
        if by_names and (clear or ignored):
            labels = {
                row.name: f"{_named(study, row.concepts[0])}, {pluralize(row.n, 'time')}" for row in clear
            }
            ignored = st.multiselect(
                "Names to ignore, as they mean something else here",
                list(dict.fromkeys([*ignored, *labels])),
                ignored,
                placeholder="None: every name found counts",
                help=f"The list has the {MOST} names found most often.",
                format_func=lambda name: plain(
                    f"{name}: {labels[name]}" if name in labels else name, limit=160
                ),
            )
        if unclear:
            st.caption(
                "Names with several meanings are ignored until you select the one meant in this study."
            )
        grid = st.grid(2, min_column_width=260)
        means = {
            row.name: grid.container().selectbox(
                f"“{plain(row.name, limit=60)}” ({pluralize(row.n, 'time')}) means",
                (NOTHING, *row.concepts),
                format_func=lambda concept: concept if concept == NOTHING else _named(study, concept),
            )
            for row in unclear
        }
        if st.form_submit_button(
            "Apply and find again", key="apply-corrections", icon=":material/sync:", type="primary"
        ):
            lines = [f"{name} = {concept}" for name, concept in means.items() if concept != NOTHING]
            corrected: dict[str, Any] = {
                "stop": (*(name for name in settings.stop if name in STOP), *ignored),
                "meanings": (*settings.meanings, *lines),
                **{name: LEAVE_OUT if leave else KEEP for name, leave in left_out.items()},
            }
            _save(context, replace(settings, **corrected))
            state.show_again()
            st.rerun()


@intake.guarded
def _save(context: Context, settings: AnnotateSettings) -> None:
    """Write the settings of the form beside the study."""
    folder = context.entry.path
    with changed(folder, in_place=studies.is_allowed(folder), file=TOML, what="The settings") as change:
        change.put(TOML, settings_text(settings, folder).encode())
    intake.announce("good", f"Saved in {TOML} in the study’s folder.")


# From concepts found to concepts of the study: put into it where it may be changed, else saved as files.


def use_section(context: Context, annotation: Annotation) -> None:
    """The button that puts them in, and their file."""
    st.subheader("Use these concepts", anchor=False)
    if not annotation.totals["with_concepts"]:
        st.caption("No concepts to use: none were found in any caption.")
        return
    folder = context.entry.path
    may = studies.ask(context.entry, key="annotate")
    sure = True
    if may and has_part(folder, "concepts"):
        sure = st.checkbox(
            "Replace the concepts this study has",
            key=f"annotate_replace-{context.study.content}",
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
                on_click=_use,
                args=(context, annotation),
            )
        download.file(
            "concepts.csv", partial(_file, annotation), "concepts.csv", "text/csv", key="save-concepts"
        )
    if not may:
        st.caption("Save concepts.csv and put it into a copy of the folder.")


def _file(annotation: Annotation) -> bytes:
    return "".join(concept_lines(annotation)).encode("utf-8", "replace")


@intake.guarded
def _use(context: Context, annotation: Annotation) -> None:
    """Callback: these concepts become those of the study, as an upload of them would."""
    folder, data = context.entry.path, _file(annotation)
    _, report = add_part(folder, "concepts", "concepts.csv", data, in_place=studies.is_allowed(folder))
    if messages.refused_outcome(report):
        intake.announce("bad", "The concepts were not saved; nothing has changed.", report)
        return
    study = studies.opened(folder)
    state.change_study(context.entry.slug)
    some = pluralize(annotation.totals["with_concepts"], "image")
    intake.announce(
        "good", f"**{md_escape(study.name)}** has concepts now: {some} of {study.concepts.n_images:,}."
    )
