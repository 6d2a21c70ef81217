"""The page on generated images: the images, the results, and what these rest on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from evalcore.features.synthetic import uploads
from evalcore.features.synthetic.answer_copies import copies_answer
from evalcore.features.synthetic.answer_distances import distances_answer
from evalcore.features.synthetic.answer_scores import remarks, score_answer, settings_answer
from evalcore.features.synthetic.answers import Answer, Compared, Part
from evalcore.features.synthetic.groups import Material, Source, read_groups
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.read_pictures import Pictures
from evalcore.features.synthetic.wsi import UNIFORM, WsiConfig
from evalcore.study.parts.images import QUALITY, jpeg
from evalcore.ui.components import download, figure, fold, messages, select, table, tiles
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import Report
from evalcore.values.writing import md_escape, plain, pluralize

PIXELS, COLOUR, BETA, SHARE = map(Key, ("pixels", "colour", "wsi_beta", "tolerance"))
OWN_IMAGES = Key("own_images")
NOT_DONE = "synthetic_not_done"
NEAREST_SHOWN, SIZE, WIDTH = 12, 192, 132
"""Pairs whose pictures are shown; pixels of a picture as it is made, and as it is drawn."""
NOTHING = (
    "**Nothing to compare yet.** Add generated images, and this page shows how similar they are to {}, which "
    "of them are near copies, and how far apart the groups are."
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
    """The images; then, once they are measured, the results and what they rest on."""
    st.header("Images", anchor=False)
    folder, sources = context.entry.path, _sources(context)
    n = len(uploads.files(folder, uploads.GENERATED))
    title = f"Your images: {pluralize(n, 'group')} of generated images" if n else "Add images"
    fold.section(title, _own_images, folder, param=OWN_IMAGES, first=not sources)
    if not sources:
        return
    config, images = _settings(context)
    st.header("Results", anchor=False)
    measured = jobs.run(
        f"synthetic material {digest_of([source.digest for source in sources], images)}",
        lambda progress: read_groups(sources, settings=images, progress=progress),
        label="Measuring the images",
    )
    if measured is None:
        return
    material, report = measured
    if material is None:
        st.error("These groups cannot be compared.")
        messages.problems(report, key="no-material")
        return
    names, weights, pairs = material.features[material.real].columns, UNIFORM, ()
    for file in uploads.files(folder, uploads.WEIGHTS):
        rows, problems = uploads.read(file, uploads.WEIGHTS, names=names)
        weights, report = rows or UNIFORM, report + problems
    for file in uploads.files(folder, uploads.PEOPLE):
        rows, problems = uploads.read(file, uploads.PEOPLE)
        pairs, report = rows or (), report + problems
    key = digest_of(material.digest, repr(config), repr(weights), repr(pairs))
    made = partial(Compared, material, config, weights, images, pairs)
    compared = cache.cached(("synthetic", key), made)
    context = _coloured(context, material)
    parts = {name: partial(_part, context, compared, key, name) for name in QUESTIONS}
    select.parts(parts, shown=lambda name: QUESTIONS[name][0])
    st.header("What the results rest on", anchor=False)
    _rests_on(context, compared, report)


# Images.


def _sources(context: Context) -> list[Source]:
    """The groups, real images first; [] without real or without generated ones."""
    folder = context.entry.path
    real, generated = uploads.real_images(context.study, folder), uploads.generated_images(folder)
    if not real or not generated:
        others = "the real images you add with them" if real is None else "the pictures of this study"
        messages.headline(NOTHING.format(others))
        return []
    names = ", ".join(f"**{md_escape(source.name)}**" for source in generated)
    n = f" ({pluralize(len(real.pictures.places), 'picture')})" if real.pictures else ""
    st.markdown(f"Generated images: {names}. Real images: **{md_escape(real.name)}**{n}.")
    return [real, *generated]


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
    uploads.GENERATED: (
        "Generated images",
        "A zip of PNG, JPEG or TIFF pictures, or a table ID,feature1,… A file for each group.",
    ),
    uploads.REAL: ("Real images", "Likewise. Without a file, the pictures of this study."),
    uploads.PEOPLE: (
        "Judgments of people (optional)",
        "Which of two images is better: a table first,second,better (an id, or tie), and rater for several "
        "people.",
    ),
    uploads.WEIGHTS: (
        "Weights of features (optional)",
        "What counts more: a table feature,weight, at least 0, for a feature or a whole channel; others "
        "weigh 1.",
    ),
}
"""What can be uploaded, and what is in it."""


def _own_images(folder: Path) -> None:
    """Where files are uploaded; each that is kept with a button that removes it."""
    grid = st.grid(2, min_column_width=300, gap="medium")
    for role, (label, about) in ROLES.items():
        with grid.container():
            widget = f"synthetic-{role}"
            st.file_uploader(
                label,
                accept_multiple_files=role == uploads.GENERATED,
                key=state.uploader_key(widget),
                max_upload_size=200,
                on_change=download.take,
                args=(widget, partial(_change, uploads.add, folder, role), NOT_DONE),
            )
            st.caption(about)
            for file in uploads.files(folder, role):
                name, mark = md_escape(file.stem, limit=60), digest_of(str(file), file.stat().st_mtime_ns)
                forget = partial(_change, uploads.remove, folder, file)
                download.removable(name, name, mark, forget, NOT_DONE)
    download.not_done(NOT_DONE)
    st.caption("Files are checked first, and kept in the workspace, not in the study.")


def _change(act: Callable[..., None], *args: object) -> None:
    """Callback: keep or remove a file; the whole page changes with it."""
    act(*args)
    state.redraw_page()


# Results.


def _coloured(context: Context, material: Material) -> Context:
    """Colours and markers by the order of the groups, the same in every figure of the page."""
    real, *others = material.features
    places = dict.fromkeys(("training images", real, f"{real}, held out"), 17)  # eighth colour, ninth marker
    places |= {group: i for i, group in enumerate(others)}
    return replace(context, theme=replace(context.theme, reads={}, places=places))


QUESTIONS: dict[str, tuple[str, str, Callable[[Compared], Answer]]] = {
    "scores": ("Scores", "Looking for copies of real images", score_answer),
    "copies": ("Copies", "Comparing pairs of images", copies_answer),
    "distances": ("Distances and people", "Fitting Gaussians", distances_answer),
    "settings": ("Other settings", "Trying other settings", settings_answer),
}
"""The parts by their names in the address: what each is called, what takes its time, and what answers it."""


def _part(context: Context, compared: Compared, key: str, name: str) -> None:
    """The answer to one question: its sentences, then the figures and the table of every part."""
    _, label, answered = QUESTIONS[name]
    answer = jobs.run(
        f"synthetic {name} {key}",
        lambda progress: answered(replace(compared, progress=progress)),
        label=label,
    )
    if answer is None:
        return
    messages.headline(md_escape(" ".join(answer.lead), limit=2_000))
    figures = [part.figures(context.theme) for part in answer.parts]
    for part, of_part in zip(answer.parts, figures, strict=True):
        for i, (figure_name, drawn) in enumerate(of_part.items()):
            note = i == 0 or figure_name == "without"
            figure.show(context, drawn, key=f"synthetic-{figure_name}", note=note)
        if part.title:
            param, first = Key(f"{part.key}_table"), not any(figures)
            fold.section(part.title, _table, context, part, param=param, first=first)
    if name == "copies":
        _nearest_pairs(compared, answer.part("nearest"))
    if name == "distances" and not compared.pairs:
        st.caption("With judgments of people (under Your images), this shows which score agrees with them.")


def _table(context: Context, part: Part) -> None:
    table.results_table(
        context,
        part.shown,
        key=f"synthetic-{part.file}",
        height=320,
        alt=f"Table of {pluralize(len(part.table.rows), 'row')}: {part.title}",
        stem=context.stem(f"synthetic-{part.file}"),
        note=md_escape(part.note, limit=900),
        saved=part.table,
    )


def _nearest_pairs(compared: Compared, part: Part) -> None:
    """Pictures of the generated images nearest to a training image, each beside it."""
    pictures, real, shown = compared.material.pictures, compared.material.real, []
    for row in part.shown.rows[:NEAREST_SHOWN]:
        if {row["group"], real} <= pictures.keys() and row["nearest_cosine"]:
            for group, image in ((row["group"], row["image"]), (real, row["nearest_cosine"])):
                key = ("synthetic tile", pictures[group].digest, image)
                tile = tiles.once(key, partial(_tile, pictures[group], image))
                shown.append((tile, f"{group}: {image}"))
    if images := [(tile, name) for tile, name in shown if tile]:
        st.subheader("The most similar pairs", anchor=False)
        st.caption("Each generated image, then the training image nearest to it by vectors.")
        captions = [md_escape(name, limit=120) for _, name in images]
        alt = [plain(name, limit=200) for _, name in images]
        st.image([tile for tile, _ in images], captions, WIDTH, alt=alt)


def _tile(pictures: Pictures, image: str) -> bytes:
    """A tile of a picture that belongs to no study."""
    return tiles.mounted(jpeg(pictures.picture(image), quality=QUALITY), size=SIZE)


# What the results rest on.


def _rests_on(context: Context, compared: Compared, report: Report) -> None:
    """The assumptions, and what is wrong with images and features."""
    with st.expander("What the score takes into account", icon=":material/rule:"):
        texts = RESTS_ON if context.choice.plain else (*RESTS_ON, *RESTS_ON_EXPERT)
        st.markdown("\n".join(f"- {text}" for text in texts))
    report += remarks(compared.evaluation)
    kinds = zip(messages.kinds_of_problems(report), ("error", "remark"), strict=True)
    if title := " and ".join(pluralize(n, word) for n, word in kinds if n):
        with st.expander(f"{title} on images and features", icon=":material/rule_folder:"):
            messages.problems(report, key="material-problems")
