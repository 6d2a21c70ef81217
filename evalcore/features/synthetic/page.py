"""The page on generated images: what is scored, what it found, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from evalcore.features.synthetic import uploads
from evalcore.features.synthetic.answers import (
    Answer,
    Compared,
    Part,
    copies_answer,
    distances_answer,
    score_answer,
    settings_answer,
    vectors_of,
)
from evalcore.features.synthetic.files import bind_weights
from evalcore.features.synthetic.findings import capitalised, remarks
from evalcore.features.synthetic.groups import Material, Source, read_groups
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.read_pictures import ALTERATIONS, Pictures
from evalcore.features.synthetic.uploads import GENERATED, PEOPLE, REAL, WEIGHTS
from evalcore.features.synthetic.wsi import UNIFORM, Weights, WsiConfig
from evalcore.study.pictures.image_files import QUALITY, jpeg
from evalcore.ui.components import figure, fold, messages, select, table, tiles
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError, Report
from evalcore.values.model import SystemLook
from evalcore.values.progress import Progress
from evalcore.values.writing import brief, md_escape, plain, pluralize

PIXELS, COLOUR, BETA, SHARE = map(Key, ("pixels", "colour", "wsi_beta", "tolerance"))
OWN_IMAGES, SETTINGS = Key("own_images"), Key("settings")
ROLE, NAME, FILE, OUTCOME = ("synthetic_role", "synthetic_name", "synthetic_file", "synthetic_outcome")
NEAREST_SHOWN = 12
DEMONSTRATION = (
    ":material/science: Demonstration only: altered copies of this study’s pictures, not generated images. "
    "Add your own below."
)
NOTHING = (
    "Nothing to compare yet: this study has {} for real images and altered copies of them. Add a zip of "
    "generated images, or a table of features, below."
)
RESTS_ON = (
    "**The features were chosen by hand.** The score sees brightness, texture, objects and sharpness, and "
    "nothing else. What a radiologist would notice first may not be among them.",
    "**A feature is present or it is not.** It is present when its value is in the range of most real "
    "images. A value just outside counts as much as one far away; features outside in both are ignored.",
    "**Real images score below 1, too.** Each feature leaves some of them outside by design. Compare a "
    "group with held-out real images, not with 1.",
    "**A high score proves neither quality nor novelty:** a perfect copy of a real image scores as high "
    "as the image itself. Look at “Copies” too.",
)
RESTS_ON_EXPERT = (
    "WSI = C / (C + αU + βV) after Tversky (1977), features weighted, as proposed by Brooks & Deshpande "
    "(2025, arXiv 2503.22658). The full text’s feature list and data were not available: the features "
    "here are a substitute of first-order, Haralick, object and sharpness statistics.",
    "Stipulated by the paper: which features matter, their weights, the tolerance quantiles, and which "
    "side α and β weigh (here α the subject’s surplus, β its lack). Defaults α = β = 1 (Jaccard), "
    "inferred from the ablation values 2/3 and 1/3.",
    "Tolerances are quantiles of the archetypes themselves, so these pass each feature with the width of "
    "the quantiles (about 90%), and others of the same kind slightly less often. Correlated features are "
    "each counted; pairs and nearest images compare what each image has.",
)


def show(context: Context) -> None:
    """What is scored; then, once the images are measured, what it found and what it rests on."""
    st.header("What is scored", anchor=False)
    path, sources = context.entry.path, _sources(context)
    messages.show(OUTCOME)
    config, images = _settings(context)
    there = uploads.groups(path)
    title = f"Own images: {pluralize(len(there), 'uploaded group')}"
    fold.section(title, _own_images, path, param=OWN_IMAGES, first=not sources)
    if not sources:
        return
    st.header("What it found", anchor=False)
    key = digest_of([source.digest for source in sources], images)

    def work(progress: Progress) -> tuple[Material | None, Report]:
        return read_groups(sources, settings=images, progress=progress)

    measured = jobs.run(f"synthetic material {key}", work, label="Measuring the images")
    if measured is None:
        return
    material, report = measured
    if material is None:
        st.error("These groups cannot be compared.")
        messages.problems(report, key="no-material")
        return
    weights: Weights = UNIFORM
    if (rows := uploads.kept(path, WEIGHTS)) is not None:
        weights, more = bind_weights(rows, material.real.features.columns)
        report += more
    shared = ("synthetic", material.digest, repr(config), repr(weights))
    compared = cache.cached_shared(shared, lambda: Compared(material, config, weights, images))
    context = _with_looks(context, material)
    parts = {name: lambda draw=draw: draw(context, compared) for name, (_, draw) in TABS.items()}
    select.parts(parts, param=state.TAB, shown=lambda name: TABS[name][0])
    st.header("What it rests on", anchor=False)
    _rests_on(context, compared, report)


# What is scored.


def _sources(context: Context) -> list[Source]:
    """The groups, real images first; those of a demonstration where none were uploaded; [] without any."""
    study, there = context.study, uploads.groups(context.entry.path)
    generated = [group.source() for group in there if group.role == GENERATED]
    real = [group.source() for group in there if group.role == REAL]
    images = uploads.study_images(study)
    if not real and images and generated:
        real = [uploads.study_source(study, images, uploads.REAL_IMAGES)]
    if generated and real:
        names = ", ".join(f"**{md_escape(source.name)}**" for source in generated)
        st.markdown(f"Generated images: {names}. Real images: **{md_escape(real[0].name)}**.")
        return [real[0], *generated]
    sources = uploads.altered_copies(study)
    if not sources:
        pictures = f"only {pluralize(len(images), 'picture')}" if images else "no pictures"
        st.info(NOTHING.format(pictures), icon=":material/info:")
        return []
    st.caption(DEMONSTRATION)
    about = [f"**{capitalised(name)}**: {text}" for name, (_, text) in ALTERATIONS.items()]
    st.caption(
        f"Of {pluralize(len(images), 'image')}, one half is real, the other is altered. {'; '.join(about)}."
    )
    return sources


def _settings(context: Context) -> tuple[WsiConfig, ImageSettings]:
    """What decides a score, behind a fold."""
    with fold.settings("Settings of the score", key="score"), select.row():
        share = select.number(
            "Middle share of the real images" if context.choice.plain else "Tolerance: middle share",
            0.5,
            1.0,
            param=SHARE,
            first=0.9,
            step=0.05,
            width=210,
            help="0.9: a feature is present between the 5% and the 95% quantile of the real images.",
        )
        beta = select.number(
            "Weight of what is missing (beta)", 0.0, 10.0, param=BETA, first=1.0, step=0.25, width=210
        )
        side = select.amount(
            "Measured at (pixels)",
            (64, 128, 256, 512),
            16,
            2048,
            param=PIXELS,
            first=256,
            width=150,
            help="Longer side after scaling: texture and sharpness cannot be compared between sizes.",
        )
        colour: Any = select.segments(
            "Colours",
            {"grey": "as grey", "auto": "red, green, blue"},
            param=COLOUR,
            width="content",
            help="Red, green, blue: three times as many features where an image is in colour. Declared "
            "channels of a TIFF are measured each by itself.",
        )
    tail = round((1 - share) / 2, 6)
    return WsiConfig(beta=beta, quantiles=(tail, round(1 - tail, 6))), ImageSettings(side, colour)


ROLES = {
    GENERATED: "Generated images",
    REAL: "Real images",
    PEOPLE: "Judgments of people",
    WEIGHTS: "Weights of features",
}
FORMS = (
    "- Images: a zip of PNG, JPEG or TIFF images, or a table of features “ID,feature1,feature2,…”.\n"
    "- Judgments of pairs of images: a table first,second,better (an id, or tie); with a column rater for "
    "several people.\n"
    "- Weights: a table feature,weight: a number of at least 0 for a feature or a whole channel; others "
    "have weight 1.\n\n"
    "Files are checked before they are kept, in the workspace and not in the study."
)


def _own_images(study: Path) -> None:
    form, listed = st.columns([3, 2], gap="medium")
    with form:
        st.caption(FORMS)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            role: Any = {"key": ROLE, "format_func": ROLES.__getitem__, "persist_state": "session"}
            kind = st.selectbox("What it is", list(ROLES), width=180, **role)
            if kind not in (PEOPLE, WEIGHTS):
                look: Any = {"key": NAME, "max_chars": 60, "persist_state": "session"}
                st.text_input("Name of the group", "generator", **look)
        file = state.uploader_key(FILE)
        st.file_uploader("A zip of images, or a table", key=file, max_upload_size=200)
        look = {"icon": ":material/upload:", "type": "primary", "disabled": state.get(file) is None}
        _button("Add this file", key="add-upload", on_click=_add, args=(study,), **look)
    with listed:
        rows = [(group.role, group.name) for group in uploads.groups(study)]
        rows += [(kind, "") for kind in (PEOPLE, WEIGHTS) if uploads.kept(study, kind) is not None]
        if not rows:
            st.caption("Nothing has been uploaded for this study yet.")
        for kind, name in rows:
            with st.container(horizontal=True, vertical_alignment="center"):
                called = f"**{md_escape(name, limit=60)}** " if name else ""
                st.markdown(f"{called}:gray[{ROLES[kind].lower()}]", width="stretch")
                look = {"icon": ":material/delete:", "on_click": _remove, "args": (study, kind, name)}
                _button("Remove", key=f"remove-{kind.removesuffix('.csv')}-{name}", **look)


def _button(label: str, **look: Any) -> None:
    """A button whose callback changes the whole page, from within a part that is drawn by itself."""
    if st.button(label, **look):
        state.show_again()
        st.rerun()


@messages.guarded(OUTCOME)
def _add(study: Path) -> None:
    """Callback: keep the file that was chosen; or say why it was refused."""
    file, kind = state.uploaded_file(FILE), str(state.get(ROLE) or GENERATED)
    if file is None:
        return
    name = " ".join(str(state.get(NAME) or "").split()) or "generator"
    report = uploads.add(study, kind, name, file.name, file.getvalue())
    if messages.refused_outcome(report):
        messages.announce(
            OUTCOME, "bad", f"{md_escape(file.name)} was not saved; nothing has changed.", report
        )
        return
    tone: Any = "mixed" if report.problems else "good"
    messages.announce(OUTCOME, tone, f"{md_escape(file.name)} is used: {ROLES[kind].lower()}.", report)
    state.empty(FILE)


@messages.guarded(OUTCOME)
def _remove(study: Path, kind: str, name: str) -> None:
    """Callback: forget a group or a file."""
    uploads.remove(study, kind, name)
    messages.announce(OUTCOME, "good", f"Removed {md_escape(name or ROLES[kind].lower())}.")


# What it found.


def _with_looks(context: Context, material: Material) -> Context:
    """Colours and markers by the order of the groups, the same in every figure of the page."""
    real, name = SystemLook(place=18), material.real.name  # the eighth colour and the ninth marker
    looks = {"training images": real, name: real, f"{name}, held out": real, "real, one half": real}
    looks |= {group.name: SystemLook(place=i) for i, group in enumerate(material.groups, 1)}
    return replace(context, theme=replace(context.theme, looks=looks))


def _answer(
    compared: Compared, what: str, label: str, work: Callable[[Progress], Answer], *more: object
) -> Answer | None:
    """The answer to a question about these; None while it is computed, and where it cannot be."""
    parts = compared.material.digest, repr(compared.config), repr(compared.weights), *map(str, more)
    try:
        return jobs.run(f"synthetic {what} {' '.join(parts)}", work, label=label)
    except CuiscopeError as error:
        st.info(md_escape(str(error), limit=600), icon=":material/info:")
        return None


def _draw(context: Context, answer: Answer, *, folded: bool = True) -> None:
    """The sentence, then the figures of every part and its table with its note, closed where ``folded``."""
    messages.headline(
        md_escape(" ".join(answer.lead), limit=2_000), key="lead" if folded else "lead-settings"
    )
    for part in answer.parts:
        for i, (name, drawn) in enumerate(part.figures(context.theme).items()):
            figure.show(context, drawn, key=f"synthetic-{name}", note=i == 0 or name == "without")
        if part.title and folded:
            fold.section(part.title, _table, context, part, param=Key(f"{part.key}_table"))
        elif part.title:
            _table(context, part)


def _table(context: Context, part: Part) -> None:
    rows = part.table if part.first is None else part.table._replace(rows=part.first)
    table.results_table(
        context,
        rows,
        key=f"synthetic-{part.file}",
        height=320,
        alt=f"Table of {pluralize(len(rows.rows), 'row')}: {part.title}",
        stem=context.stem(f"synthetic-{part.file}"),
        note=md_escape(part.note, limit=900),
        saved=part.table,
    )


def _scores(context: Context, compared: Compared) -> None:
    def work(progress: Progress) -> Answer:
        return score_answer(compared, progress=progress)

    if answer := _answer(compared, "scores", "Looking for copies of real images", work):
        _draw(context, answer)


def _copies(context: Context, compared: Compared) -> None:
    """The tests, then the generated images nearest to a real one, each beside it."""

    def work(progress: Progress) -> Answer:
        return copies_answer(compared, vectors_of(compared.material), progress=progress)

    answer = _answer(compared, "copies", "Comparing pairs of images", work)
    if answer is None:
        return
    _draw(context, answer)
    st.subheader("The most similar pairs", anchor=False)
    st.caption("Each generated image, then the training image nearest to it by vectors.")
    pictures = {group.name: group.pictures for group in compared.material.everyone}
    real, shown = compared.material.real.name, []
    rows = sorted(answer.part("nearest").table.rows, key=lambda row: -np.nan_to_num(row["cosine"], nan=-2))
    for row in rows[:NEAREST_SHOWN]:
        if row["nearest_cosine"] is not None:
            values = f"{row['group']} · cosine {brief(row['cosine'])} · WSI {brief(row['wsi'])}"
            shown.append((pictures[row["group"]], row["image"], f"{row['image']} · {values}"))
            shown.append((pictures[real], row["nearest_cosine"], row["nearest_cosine"]))
    _gallery([(own, image, md_escape(text, limit=120)) for own, image, text in shown])


def _distances(context: Context, compared: Compared) -> None:
    """The distances of all groups, then agreement of the scores with people."""
    pairs = uploads.kept(context.entry.path, PEOPLE) or ()

    def work(progress: Progress) -> Answer:
        return distances_answer(compared, vectors_of(compared.material), pairs=pairs, progress=progress)

    answer = _answer(compared, "distances", "Fitting Gaussians", work, digest_of(repr(pairs)))
    if answer is None:
        return
    _draw(context, answer)
    if not pairs:
        st.caption("With judgments of people (under Own images), this shows which score agrees with them.")


TABS: dict[str, tuple[str, Callable[[Context, Compared], None]]] = {
    "scores": ("Scores", _scores),
    "copies": ("Copies", _copies),
    "distances": ("Distances and people", _distances),
}
"""The parts by their names in the address; the open one alone is drawn."""


# What it rests on.


def _rests_on(context: Context, compared: Compared, report: Report) -> None:
    """The assumptions, what is wrong with images and features, and the scores under other settings."""
    with st.expander("What the score takes into account", icon=":material/rule:"):
        texts = RESTS_ON if context.choice.plain else (*RESTS_ON, *RESTS_ON_EXPERT)
        st.markdown("\n".join(f"- {text}" for text in texts))
    report += remarks(compared.evaluation)
    kinds = zip(messages.kinds_of_problems(report), ("error", "remark"), strict=True)
    if title := " and ".join(pluralize(n, word) for n, word in kinds if n):
        with st.expander(f"{title} on images and features", icon=":material/rule_folder:"):
            messages.problems(report, key="material-problems")
    fold.section(
        "Would other settings change the scores?", _other_settings, context, compared, param=SETTINGS
    )


def _other_settings(context: Context, compared: Compared) -> None:
    def work(progress: Progress) -> Answer:
        return settings_answer(compared, progress=progress)

    if answer := _answer(compared, "settings", "Trying other settings", work):
        _draw(context, answer, folded=False)


# Tiles of pictures that belong to no study: uploaded ones and altered copies.

SIZE, WIDTH = 192, 132
"""Pixels of a tile as it is made, and as it is drawn."""


def _gallery(shown: list[tuple[Pictures | None, str, str]]) -> None:
    """Images in rows: where the picture is, its id and its caption (Markdown); those without a picture as
    captions alone."""
    made = [(own and _tile(own.digest, image, own), image, text) for own, image, text in shown]
    if with_tile := [(tile, image, text) for tile, image, text in made if tile]:
        images, names, captions = (list(column) for column in zip(*with_tile, strict=True))
        st.image(images, captions, WIDTH, alt=[plain(name, limit=200) for name in names])
    if rest := [f"- {text}" for tile, _, text in made if not tile]:
        st.markdown("\n".join(rest))


@st.cache_data(max_size="60MB", show_spinner=False)
def _tile(digest: str, image: str, _pictures: Pictures) -> bytes | None:  # noqa: ARG001
    try:
        return tiles.mounted(jpeg(_pictures.picture(image), quality=QUALITY), size=SIZE)
    except CuiscopeError:
        return None
