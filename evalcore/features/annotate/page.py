"""The tab “Find concepts” of the Data page: from captions to concepts, looked through and corrected."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.features.annotate.captions import (
    AMBIGUOUS,
    NEGATED,
    AnnotatedCaption,
    Annotation,
    Match,
    NameCount,
    annotate,
    annotation_of,
    captions_of,
)
from evalcore.features.annotate.read import (
    TOML,
    annotate_text,
    concept_lines,
    match_lines,
    read_annotate_toml,
)
from evalcore.features.annotate.settings import KEEP, LEAVE_OUT, STOP, AnnotateSettings
from evalcore.features.annotate.tool_output import parse_tool_output
from evalcore.study.naming import names_of_study
from evalcore.study.tables.writers import write_lines
from evalcore.study.workspace.file_names import place_in_words
from evalcore.study.workspace.uploads import add_part, has_part
from evalcore.ui.components import download, fold, intake, messages, select, table, tiles
from evalcore.ui.frame import jobs, pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.writing import count, md_escape, plain, pluralize

TOOL = Key("tool", of_study=True)
DICTIONARY, OF_TOOL = "dictionary", "file"
WAYS = {DICTIONARY: "Names of concepts", OF_TOOL: "Results of MedCAT or QuickUMLS"}
SHOWN, IMAGE = Key("captions", of_study=True), Key("caption", of_study=True)
CORRECT = Key("names_found")
"""What is closed at first."""
RUN, SETTINGS = "annotate_run", "annotate_settings"
"""Studies whose captions are to be read, and settings of this session that no file has; both by folder."""
MAX_MB = 100
"""Largest file of results."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The settings in use, and whether they are those of the file."""

    settings: AnnotateSettings
    kept: bool


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
    if study.concepts.annotated.any() and not study.systems:
        messages.empty(
            "Next: systems to compare.",
            "This study has concepts and no systems yet.",
            label="Make first systems",
            key="next-systems",
            params={state.TAB: pages.SYSTEMS},
        )
    tool = select.segments("Find them with", WAYS, keep=TOOL)
    kept, report = read_annotate_toml(context.entry.path)
    settings = _of_session().get(_folder(context), kept)
    if report.problems:
        messages.problems(report, key="annotate-toml")
    if tool == OF_TOOL:
        annotation = _from_file(context, settings)
    elif not study.names and not any(part.kind == "names" for part in study.parts):
        _without_names()
        return
    elif not _begun(context):
        _offer(context)
        return
    else:
        annotation = _from_names(context, settings)
    if annotation is None:
        return
    _headline(annotation)
    captions_section(context, annotation)
    chosen = Chosen(settings, settings == kept)
    fold.section("Correct what was found", correct_section, context, chosen, annotation, keep=CORRECT)
    use_section(context, annotation)


# What is computed: the terms of all captions, by names in a job of its own, or from the file of a tool.


def _folder(context: Context) -> str:
    return os.path.realpath(context.entry.path)


def _of_session() -> dict[str, AnnotateSettings]:
    return dict(state.get(SETTINGS) or {})


def _begun(context: Context) -> bool:
    """Whether the captions of this study were asked for in this session, or by a link to one of them."""
    # Not by `_begin`: the address counts on this run, which is none of a callback.
    folder = _folder(context)
    if folder not in (state.get(RUN) or ()) and IMAGE in st.query_params:
        st.session_state[RUN] = (*(state.get(RUN) or ()), folder)
    return folder in (state.get(RUN) or ())


def _begin(folder: str) -> None:
    """Callback: read the captions."""
    state.set_plain(RUN, (*(state.get(RUN) or ()), folder))


def _from_names(context: Context, settings: AnnotateSettings) -> Annotation | None:
    """The terms of all captions by the dictionary; None while they are looked for."""
    study = context.study

    def work(progress: Progress) -> Annotation:
        return annotate(captions_of(study), names_of_study(study), settings=settings, progress=progress)

    key = f"annotate {digest_of([study.content, settings.digest])}"
    return jobs.run(key, work, label="Finding concepts", shared=True)


def _from_file(context: Context, settings: AnnotateSettings) -> Annotation | None:
    """What a tool that was run elsewhere found, from its file; None without one, or with errors."""
    key = f"annotate_file_{context.entry.slug}"
    st.file_uploader(
        "Results of MedCAT or QuickUMLS",
        key=state.emptied(key),
        max_upload_size=MAX_MB,
        help='JSON or JSON lines: {"image_1": result}, with the whole result of MedCAT’s get_entities or '
        "QuickUMLS’s match of each caption.",
    )
    file, captions = state.given(key), captions_of(context.study)
    if file is None:
        return None
    output, report = parse_tool_output(file.getvalue(), file=file.name, captions=captions)
    if report.problems:
        messages.problems(report, key="annotate-file")
    return None if report.total("error") else annotation_of(captions, output, settings)


def _offer(context: Context) -> None:
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
            on_click=_begin,
            args=(_folder(context),),
        )


def _without_names() -> None:
    with st.container(border=True, key="annotate-cannot"):
        st.markdown("**This study has no names of concepts to look for.**")
        st.caption("Add a table cui,name (several rows for synonyms), MRCONSO.RRF or an ontology with names.")
        messages.go_to("data", label="Add names or an ontology", params=messages.UPLOAD)


def _headline(annotation: Annotation) -> None:
    """What came of it, in numbers."""
    n, names = annotation.totals, annotation.names
    st.markdown(
        f"#### {count(n['with_concepts'])} of {pluralize(n['images'], 'image')} get "
        f"{pluralize(n['concepts'], 'different concept')}"
    )
    reasons = {NEGATED: "denied", AMBIGUOUS: "with several meanings"}
    left_out = "; ".join(
        f"{count(k)} {reasons.get(why, 'in doubt')}" for why, k in annotation.left_out.items()
    )
    looked_for = (
        f" Looked for {pluralize(names.n_names, 'name')} of {pluralize(len(names.concepts), 'concept')}."
        if names.n_names
        else ""
    )
    st.caption(
        f"{pluralize(n['matches'], 'term')} found{f', left out: {left_out}' if left_out else ''}. "
        f"{pluralize(n['with_nothing'], 'image')} with denied terms only: no concepts. "
        f"{pluralize(n['not_annotated'], 'image')} without any known term: not annotated.{looked_for}"
    )


# One caption after the other: its picture, the text with its terms marked, and why each counts or not.

LEGEND = (
    ":green-background[**counts**]  :orange-background[*in doubt*]  :gray-background[~~denied~~]  "
    ":violet-background[means several concepts]"
)
ALL = "All"
FILTERS: dict[str, Callable[[AnnotatedCaption], bool]] = {
    ALL: lambda caption: caption.caption is not None,
    "Something left out": lambda caption: any(not match.kept for match in caption.matches),
    "In doubt": lambda caption: any(match.uncertain is not None for match in caption.matches),
    "Nothing found": lambda caption: caption.caption is not None and not caption.matches,
}


@state.fragment()
def captions_section(context: Context, annotation: Annotation) -> None:
    """The captions of a kind, and the one that is looked at."""
    st.subheader("What was found in each caption", anchor=False)
    captions = annotation.captions
    offered = [name for name, holds in FILTERS.items() if name == ALL or any(map(holds, captions))]
    wanted = select.segments(
        "Captions",
        offered,
        keep=SHOWN,
        label_visibility="collapsed",
        shown=lambda name: f"{name} ({count(sum(map(FILTERS[name], captions)))})",
    )
    by_image = {caption.image: caption for caption in captions if FILTERS[wanted](caption)}
    if not by_image:
        st.info("No captions match.", icon=":material/search_off:")
        return
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
        image = select.one("Image", images, keep=IMAGE)
        at = images.index(image)
        for way, icon, to in (("Previous", "chevron_left", at - 1), ("Next", "chevron_right", at + 1)):
            st.button(
                way,
                icon=f":material/{icon}:",
                key=f"caption-{way}",
                disabled=not 0 <= to < len(images),
                on_click=state.set_value,
                args=(IMAGE, images[max(0, min(to, len(images) - 1))]),
            )
        st.markdown(f":gray[{at + 1:,} of {len(images):,}]", width="content")
    return image


def _text(study: Study, caption: AnnotatedCaption) -> None:
    """The caption with its terms marked, what its image gets, and why each term counts or not."""
    with st.container(border=True, key="marked-caption"):
        st.markdown(marked(caption.caption or "", caption.matches))
    if caption.concepts:
        names = "; ".join(
            md_escape(study.names.get(concept, concept), limit=60) for concept in caption.concepts
        )
        becomes = f"Gets {pluralize(len(caption.concepts), 'concept')}: {names}"
    elif caption.concepts is None:
        becomes = "Not annotated: the caption contains no known term that counts."
    else:
        becomes = "No concepts: the caption only denies known terms."
    st.markdown(f"**{becomes}**")
    if caption.matches:
        named = [", ".join(_named(study, concept) for concept in match.concepts) for match in caption.matches]
        rows = {
            "Term": [md_escape(match.text, limit=80) for match in caption.matches],
            "Concept": [md_escape(names, limit=160) for names in named],
            "Why": [md_escape(reason(match), limit=160) for match in caption.matches],
        }
        alt = f"{pluralize(len(caption.matches), 'term')} of this caption and why each counts or not"
        table.wrapped(pd.DataFrame(rows), alt=alt)


def _named(study: Study, concept: str) -> str:
    """A concept by its name, where it has one, and its id; plain text."""
    name = study.names.get(concept, "")
    return f"{name} ({concept})" if name else concept


def marked(caption: str, matches: Sequence[Match]) -> str:
    """The caption as Markdown on one line; whatever it holds shows as it is written.

    A term is coloured by what became of it: bold where it counts, struck through where it is denied, in
    italics where it is in doubt.
    """
    parts, at = [], 0
    for match in sorted(matches, key=lambda match: match.start):
        if match.start >= at:
            parts += [_escaped(caption[at : match.start]), _term(md_escape(match.text), match)]
            at = match.end
    return "".join([*parts, _escaped(caption[at:])]).strip()


def _escaped(text: str) -> str:
    """Escaped, the white space at its ends kept as one space."""
    body = md_escape(text)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and body else ""
    return f"{before}{body}{after}"


def _term(body: str, match: Match) -> str:
    if not body:
        return ""
    colour = "violet" if match.why == AMBIGUOUS else "gray"
    if match.kept:
        colour = "green" if match.negated is None and match.uncertain is None else "orange"
    if match.negated is not None and (match.kept or match.why == NEGATED):
        body = f"~~{body}~~"
    elif match.uncertain is not None:
        body = f"*{body}*"
    elif match.kept:
        body = f"**{body}**"
    return f":{colour}-background[{body}]"


def reason(match: Match) -> str:
    """Why a term counts or is left out, in a sentence; plain text."""
    if match.why == AMBIGUOUS:
        return f"left out: the name of {len(match.concepts)} concepts"
    trigger, what = (match.uncertain, "in doubt") if match.negated is None else (match.negated, "denied")
    if trigger is None:
        return "counts"
    by = f", because of “{trigger}”" if trigger else ", as the tool says"
    return f"{'counts, though ' if match.kept else 'left out: '}{what}{by}"


# Corrections: how captions are read, and the names found, each used, ignored or given one of its meanings.

LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "": "All"}
MOST, MOST_AMBIGUOUS = 100, 12
"""Names that are listed."""
LOOK_FOR, NOTHING = "Look for it", "Nothing"


def correct_section(context: Context, chosen: Chosen, annotation: Annotation) -> None:
    """One form; nothing changes before it is sent. The file and the command that do the same."""
    settings = chosen.settings
    by_names = annotation.tool == DICTIONARY
    clear = [row for row in annotation.counts if len(row.concepts) == 1][:MOST] if by_names else []
    unclear = [row for row in annotation.counts if len(row.concepts) > 1][:MOST_AMBIGUOUS] if by_names else []
    ignored = [name for name in settings.stop if name not in STOP] if by_names else []
    # Other settings make another form, so it always shows what is in use.
    form = digest_of([settings.digest, context.study.content, annotation.tool])[:12]
    with st.form(f"annotate-{form}", border=True):
        _flags(settings, form, by_names=by_names)
        if clear or ignored:
            st.caption(
                f"The {pluralize(len(clear), 'name')} found most often. Untick names that mean "
                "something else here; they will be ignored."
            )
            _names_found(context.study, clear, ignored, form)
        if unclear:
            st.caption(
                "Names with several meanings are ignored until you select the one meant in this study."
            )
        grid = st.grid(2, min_column_width=260)
        for at, row in enumerate(unclear):
            grid.container().selectbox(
                f"“{plain(row.name, limit=60)}” ({pluralize(row.n, 'time')}) means",
                (NOTHING, *row.concepts),
                key=f"annotate_means-{at}-{form}",
                format_func=lambda concept: concept if concept == NOTHING else _named(context.study, concept),
            )
        if st.form_submit_button(
            "Apply and find again",
            key="apply-corrections",
            icon=":material/sync:",
            type="primary",
            on_click=_apply,
            args=(context, settings, form, [*ignored, *(row.name for row in clear)], unclear),
        ):
            state.show_again()
            st.rerun()
    _as_file(context, chosen, annotation.tool)


def _flags(settings: AnnotateSettings, form: str, *, by_names: bool) -> None:
    grid = st.grid(2, min_column_width=260)
    if by_names:
        grid.container().selectbox(
            "Language of the names",
            known := list(dict.fromkeys([*LANGUAGES, *settings.languages])),
            known.index(settings.languages[0] if len(settings.languages) == 1 else ""),
            key=f"annotate_language-{form}",
            format_func=lambda code: LANGUAGES.get(code, code),
            help="Names without a stated language are always used.",
        )
    with grid.container():
        for name, label in (
            ("negated", "Leave out denied terms (“no effusion”)"),
            ("uncertain", "Leave out uncertain terms (“possible effusion”)"),
        ):
            st.checkbox(label, getattr(settings, name) == LEAVE_OUT, key=f"annotate_{name}-{form}")


def _names_found(study: Study, clear: Sequence[NameCount], ignored: Sequence[str], form: str) -> None:
    n = len(ignored)
    counts = {"Found": "n", "Counted": "kept", "Images": "images"}
    rows = pd.DataFrame(
        {
            LOOK_FOR: [False] * n + [True] * len(clear),
            "Name": [*map(plain, ignored), *(plain(row.name, limit=80) for row in clear)],
            "Concept": [""] * n + [plain(_named(study, row.concepts[0]), limit=80) for row in clear],
            **{
                head: pd.array([pd.NA] * n + [getattr(row, key) for row in clear], "Int64")
                for head, key in counts.items()
            },
        }
    )
    st.data_editor(
        rows,
        hide_index=True,
        key=f"annotate_names-{form}",
        disabled=[*rows.columns[1:]],
        height=320,
        column_config={LOOK_FOR: st.column_config.CheckboxColumn(width="small")},
    )


@intake.guarded
def _apply(
    context: Context,
    settings: AnnotateSettings,
    form: str,
    names: Sequence[str],
    unclear: Sequence[NameCount],
) -> None:
    """Callback: use what the form says, and keep it beside the study where that may be changed."""

    def value(key: str) -> Any:
        return st.session_state.get(f"annotate_{key}-{form}")

    edited = (value("names") or {}).get("edited_rows", {})
    means = {row.name: value(f"means-{at}") or NOTHING for at, row in enumerate(unclear)}
    settings = corrected(settings, names, edited, means)
    language = value("language")
    if language is not None:
        several = settings.languages if len(settings.languages) > 1 else ()
        settings = replace(settings, languages=(language,) if language else several)
    negated, uncertain = (LEAVE_OUT if value(flag) else KEEP for flag in ("negated", "uncertain"))
    settings = replace(settings, negated=negated, uncertain=uncertain)
    state.set_plain(SETTINGS, {**_of_session(), _folder(context): settings})
    if studies.may_change(context.entry):
        text = annotate_text(settings)
        write_lines(context.entry.path / TOML, text.splitlines(keepends=True))
        intake.say("good", f"Saved in {TOML} in the study’s folder.")


def corrected(
    settings: AnnotateSettings,
    names: Sequence[str],
    edited: Mapping[Any, Mapping[str, Any]],
    means: Mapping[str, str],
) -> AnnotateSettings:
    """The settings after ``edited`` rows of ``names``, as the table has it, and what ambiguous names mean."""
    ticked = {names[int(row)]: bool(cells[LOOK_FOR]) for row, cells in edited.items() if LOOK_FOR in cells}
    stop = [name for name in settings.stop if ticked.get(name) is not True]
    stop += [name for name, wanted in ticked.items() if not wanted and name not in stop]
    lines = [f"{name} = {concept}" for name, concept in means.items() if concept != NOTHING]
    return replace(settings, stop=tuple(stop), meanings=(*settings.meanings, *lines))


def _as_file(context: Context, chosen: Chosen, tool: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        download.file(
            f"Save {TOML}", annotate_text(chosen.settings), TOML, "application/toml", key="save-annotate"
        )
        st.caption(
            f"These settings are from {TOML} in the study’s folder, or the defaults."
            if chosen.kept
            else f"These settings apply until the page is closed. Save {TOML} and put it beside the study."
        )
    st.caption("The same by command:")
    st.code(_command(context.entry.path, tool, f"--annotate {TOML}"), language=None, wrap_lines=True)


def _command(folder: Path, tool: str, options: str) -> str:
    """The command that finds the same."""
    results = "" if tool == DICTIONARY else " --from FILE.json"
    return f"cuiscope annotate {shlex.quote(place_in_words(folder))}{results} {options}"


# From concepts found to concepts of the study: put into it where it may be changed, else saved as files.


def use_section(context: Context, annotation: Annotation) -> None:
    """The button that puts them in, and both files."""
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
        for label, lines, name, key in (
            ("concepts.csv", concept_lines, "concepts.csv", "save-concepts"),
            ("Every term found", match_lines, "matches.csv", "save-matches"),
        ):
            download.file(label, _bytes(lines, annotation), name, "text/csv", key=key)
    if not may:
        st.caption(
            "This study cannot be changed here. Save concepts.csv and put it into a copy of the folder, or "
            "use the command:"
        )
        st.code(_command(folder, annotation.tool, "--out concepts.csv"), language=None, wrap_lines=True)


def _bytes(lines: Callable[[Annotation], Iterator[str]], annotation: Annotation) -> Callable[[], bytes]:
    return lambda: "".join(lines(annotation)).encode("utf-8", "replace")


@intake.guarded
def _use(context: Context, annotation: Annotation) -> None:
    """Callback: these concepts become those of the study, as an upload of them would."""
    folder, data = context.entry.path, _bytes(concept_lines, annotation)()
    report = add_part(folder, "concepts", "concepts.csv", data, in_place=studies.given(folder))
    if messages.refused_outcome(report):
        intake.say("bad", "The concepts were not saved; nothing has changed.", report)
        return
    study = studies.opened(folder)
    state.change_study(context.entry.slug)
    some = pluralize(annotation.totals["with_concepts"], "image")
    intake.say(
        "good", f"**{md_escape(study.name)}** has concepts now: {some} of {study.concepts.n_images:,}."
    )
