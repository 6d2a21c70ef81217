"""Find by a sentence or a picture that is in no study: ideal results by concepts, and what systems answer.

Nothing of it is kept: neither text nor picture is in the address or in a file of the study.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import isnan

import streamlit as st

from evalcore import extensions
from evalcore.evaluate.new_query import Answer, NewQuery, new_query
from evalcore.ui.components import cards, download, fold
from evalcore.ui.frame import pages
from evalcore.ui.frame.context import Context
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.writing import listed, md_escape, number, plain, pluralize

TEXT, PICTURE = "Text", "Picture"
DEPTH = 5
"""Results of each ranking."""
KINDS = " Models of images and texts can answer: CLIP, SigLIP or open_clip, in the folder models."
MAX_MB, LONGEST, WIDTH = 20, 2_000, 150
PLACES = ("concepts in a text", "live answers")


def section(context: Context) -> None:
    """The fold; nothing where no feature can say anything of a new text or picture."""
    if any(map(extensions.offers, PLACES)):
        fold.section("Find by text or picture", _section, context, param=pages.ASK)


def _section(context: Context) -> None:
    study = context.study
    st.caption("Search the images of this study with your own text or picture. Nothing is kept.")
    way = st.segmented_control("Search with", [TEXT, PICTURE], default=TEXT, required=True, key="ask-way")
    text, picture, name, matches = "", None, "", tuple[str, ...]()
    if way == TEXT:
        text = st.text_area("Sentence or report", max_chars=LONGEST, key="ask-text", height=80).strip()
        if not text:
            return
        matches = _concepts_in(study, text)
    else:
        upload = st.file_uploader("Picture", max_upload_size=MAX_MB, key="ask-picture")
        if upload is None:
            return
        picture, name = upload.getvalue(), upload.name
    concepts = _concepts(context, matches, key=f"ask-concepts-{way}-{hash((text, name))}")
    query = new_query(study, concepts, depth=DEPTH, settings=context.choice.settings)
    if concepts:
        _row(context, "Ideal by concepts", query.ideal(), "", closest=True)
    _answers(context, query, text, picture, name)
    if text:
        about = "One row. Add the file to a study on the page Data."
        data = _saved(text, concepts)
        download.file("Save as queries.csv", data, "queries.csv", "text/csv", key="save-query", help=about)


def _concepts_in(study: Study, text: str) -> tuple[str, ...]:
    """The concepts that the text names; none, with the reason, where they cannot be looked for."""
    find = extensions.addition(PLACES[0])
    if find is None:
        return ()
    try:
        matches: tuple[str, ...] = find(study, text)
    except InputError as reason:
        st.caption(md_escape(str(reason)))
        return ()
    return matches


def _concepts(context: Context, matches: Sequence[str], *, key: str) -> list[str]:
    """The concepts to search by, those found at first."""
    study = context.study
    offered = sorted({*study.concepts.vocabulary, *matches}, key=lambda cui: (study.name_of(cui), cui))
    chosen: list[str] = st.multiselect(
        "Concepts",
        offered,
        [*matches],
        key=key,
        format_func=lambda cui: plain(study.name_of(cui), limit=60),
        placeholder="Select what the results should show",
        help="Found in the text by the names of this study; add or remove some.",
    )
    if not chosen:
        st.caption("Without concepts, results cannot be judged. Select some.")
    return chosen


def _answers(context: Context, query: NewQuery, text: str, picture: bytes | None, name: str) -> None:
    """What each system whose encoder is at hand returns, best score first."""
    ask = extensions.addition(PLACES[1])
    if ask is None:
        return
    try:
        with st.spinner("Asking the systems"):
            vectors, silent = ask(context.study, text=text, picture=picture, name=name)
    except InputError as reason:
        st.error(md_escape(str(reason)), icon=":material/broken_image:")
        return
    answered: dict[str, Answer] = {}
    for system, vector in vectors.items():
        try:
            answered[system] = query.answered(context.study.embeddings[system], vector)
        except InputError as reason:
            silent[system] = str(reason).rstrip(".")
    measure = f"{'nn-CUI' if query.relevance == 'nn-iou' else 'CUI'}@{query.depth}"
    order = sorted(
        answered, key=lambda system: (isnan(answered[system].score), -answered[system].score, system)
    )
    for system in order:
        score = answered[system].score
        score_text = "" if isnan(score) else f"{measure} {number(score)}"
        _row(context, system, answered[system], score_text)
    if not answered:
        reads = "texts" if picture is None else "pictures"
        st.info(
            f"No system of this study can answer: its encoder of {reads} is needed. Make such a system on "
            f"Data, under “Systems”.{KINDS if picture is None else ''}",
            icon=":material/info:",
        )
    for system, why in silent.items():
        st.caption(f"{md_escape(system)} cannot answer: {md_escape(why)}.")
    others = [md_escape(system) for system in context.study.systems if system not in {*answered, *silent}]
    if answered and others:
        reads = "texts" if picture is None else "pictures"
        st.caption(f"Not asked, as no encoder of {reads} is at hand: {listed(others, limit=8)}.")


def _row(context: Context, title: str, answer: Answer, score_text: str, *, closest: bool = False) -> None:
    """One ranking: its name, its score, and the first results with what each is worth."""
    study = context.study
    st.markdown(f"**{md_escape(title)}**{f' · {score_text}' if score_text else ''}")
    if closest and not answer.relevance.any():
        st.caption("No image has any of these concepts, or a related one.")
        return
    with st.container(horizontal=True):
        for image, value in zip(answer.images.tolist(), answer.relevance.tolist(), strict=True):
            with st.container(width=WIDTH):
                cards.picture(study, image, width=WIDTH)
                worth = "" if isnan(answer.score) else f" · {number(value, 2)}"
                st.caption(f"{md_escape(study.image_ids[image], limit=24)}{worth}")
    if not len(answer.images):
        st.caption(f"Nothing of the {pluralize(len(study.candidates), 'candidate')}.")


def _saved(text: str, concepts: Sequence[str]) -> bytes:
    """The query as a row of ``queries.csv``."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("id", "kind", "text", "concepts"))
    rows.writerow(("my-query", "text", " ".join(text.split()), ";".join(concepts)))
    return out.getvalue().encode()
