"""What is scored: the groups, the settings of the score, and one's own images, weights and judgments of
people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.page import words
from evalcore.features.synthetic.read import uploads
from evalcore.features.synthetic.read.files import WeightRows
from evalcore.features.synthetic.read.groups import Source
from evalcore.features.synthetic.read.pictures import ALTERATIONS
from evalcore.features.synthetic.read.uploads import UploadedGroup
from evalcore.features.synthetic.wsi import CHANNELS, UNIFORM, WsiConfig
from evalcore.ui.components import download, fold, messages, select
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import Context
from evalcore.values.errors import Report
from evalcore.values.model import Study
from evalcore.values.writing import md_escape, pluralize

ALTERED, LABEL, UPLOADED = "altered", "label", "uploaded"
KINDS = {
    ALTERED: "Altered copies (demonstration)",
    LABEL: "Images with another label",
    UPLOADED: "Uploaded groups",
}
STUDY, ALL, OWN = "@study", "@all", "own"
MOST, SIDE, MOST_LABELS = 120, 256, 12
ENOUGH = 42
"""Images of a label from which on half of them are enough for tolerances."""
NONE = {
    ALTERED: "Altered copies are made of pictures, but this study has none. Upload groups below.",
    STUDY: "This study has no pictures that could be the real images. Upload some as “real images” below.",
    UPLOADED: "Nothing has been uploaded yet: add a zip of generated images, or a table of features, below.",
    LABEL: "The study has no other label with enough pictures. Select “Uploaded groups”, or add labels.",
}
"""Why there is nothing to compare."""
DEMONSTRATION = (
    ":material/science: Demonstration only: these are altered copies of this study’s pictures, not "
    "generated images."
)
guarded = messages.guarded(words.OUTCOME)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What is compared, real images first, and how; ``own``: weights as uploaded, where these count;
    ``why``: a sentence where there is nothing to compare."""

    kind: str
    sources: tuple[Source, ...]
    images: ImageSettings
    config: WsiConfig
    weights: str
    own: WeightRows | None
    why: str


def section(context: Context) -> Chosen:
    """The groups, and closed the settings of the score and what was uploaded."""
    st.header("What is scored", anchor=False)
    there = uploads.groups(context.entry.path)
    with st.container(horizontal=True, vertical_alignment="bottom", key="synthetic-compared"):
        kind, result = _groups(context, there)
    messages.show(words.OUTCOME)
    sources, why = ((), result) if isinstance(result, str) else (tuple(result), "")
    if why:
        st.info(why, icon=":material/info:")
    elif kind == ALTERED:
        st.caption(DEMONSTRATION)
    config, weights, images = _settings(context)
    own = uploads.weights(context.entry.path) if weights == OWN else None
    fold.section(
        f"Own images: {pluralize(len(there), 'uploaded group')}",
        _own_images,
        context.entry.path,
        there,
        keep=words.OWN_IMAGES,
        icon=":material/upload:",
        first=bool(why),
    )
    return Chosen(kind, sources, images, config, weights, own, why)


def about(chosen: Chosen) -> str:
    """What the groups of a demonstration are; "" for other groups. Markdown."""
    if chosen.kind != ALTERED:
        return ""
    said = {uploads.OTHERS: "as they are, and not among the archetypes"}
    said |= {kind: text for kind, (_, text) in ALTERATIONS.items()}
    return "; ".join(f"**{md_escape(source.name)}**: {said[source.name]}" for source in chosen.sources[1:])


# The groups.


def _groups(context: Context, there: Sequence[UploadedGroup]) -> tuple[str, list[Source] | str]:
    """The kind of groups; the groups, real images first, or a sentence why there are none."""
    study = context.study
    mine = any(group.role == "generated" for group in there)
    state.follow_default(words.SUBJECTS)
    usual = UPLOADED if mine or not uploads.with_pictures(study) else ALTERED
    kind = select.segments("Generated images", KINDS, keep=words.SUBJECTS, first=usual, width="content")
    real = _real(context, there, kind)
    others = [label for label in _labels(context) if label != real] if kind == LABEL else []
    other = (
        select.one("Compared with", others, keep=words.OTHER_LABEL, shown=_label_text, width=230)
        if others
        else ""
    )
    most = select.amount(
        "Images sampled",
        (60, 120, 250, 500, 1000),
        10,
        5000,
        keep=words.MOST,
        first=MOST,
        shown=lambda n: f"{n:,}",
        width=130,
        help="Drawn at random with a fixed seed.",
    )
    images = _drawn(study, real, most) if isinstance(real, str) else []
    if kind == ALTERED:
        few = f"{pluralize(len(images), 'picture')} are too few for two halves; select other images."
        return kind, uploads.altered_copies(study, images, seed=0) or (few if images else NONE[kind])
    if isinstance(real, str) and not images:
        return kind, NONE[STUDY]
    archetypes = uploads.study_source(study, images, uploads.REAL) if isinstance(real, str) else real.source()
    if kind == UPLOADED:
        groups = [group.source() for group in there if group.role == "generated"]
    else:
        compared = _drawn(study, other, most, without=images) if other else []
        groups = [uploads.study_source(study, compared, other)] if compared else []
    return kind, [archetypes, *groups] if groups else NONE[kind]


def _real(context: Context, there: Sequence[UploadedGroup], kind: str) -> UploadedGroup | str:
    """The real images: a group that was uploaded, or the label of those of the study."""
    own = {group.name: group for group in there if group.role == "real" and kind != ALTERED}
    if own:
        state.follow_default(words.REAL)
        real = select.one(
            "Real images",
            [STUDY, *own],
            keep=words.REAL,
            first=next(iter(own)) if kind == UPLOADED else STUDY,
            shown=lambda name: "images of this study" if name == STUDY else name,
            width=200,
        )
        if real != STUDY:
            return own[real]
    labels = _labels(context)
    if not labels:
        return ALL
    enough = len(_with_label(context.study, labels[0])) >= ENOUGH
    return select.one(
        "Real images of this study",
        [ALL, *labels],
        keep=words.LABEL,
        first=labels[0] if enough else ALL,
        shown=lambda label: "all of them" if label == ALL else _label_text(label),
        width=230,
    )


def _label_text(label: str) -> str:
    return label.replace("=", ": ", 1)


def _labels(context: Context) -> list[str]:
    """``column=value`` of every label with at least a few pictures, by column and frequency."""

    def work() -> list[str]:
        result = []
        for name, column in context.study.label_columns.items():
            sizes = {
                label: len(_with_label(context.study, label))
                for label in (f"{name}={v}" for v in column.values)
            }
            enough = [label for label, n in sizes.items() if n >= uploads.FEWEST]
            result += sorted(enough, key=lambda label: (-sizes[label], label))[:MOST_LABELS]
        return result

    return cache.remember(("synthetic labels", context.study.digest), work)


def _with_label(study: Study, label: str) -> list[int]:
    """The images with a label and a picture; all that have a picture for ``ALL``."""
    if label == ALL:
        return uploads.with_pictures(study)
    name, _, value = label.partition("=")
    column = study.label_columns[name]
    return uploads.with_pictures(study, column.images_with(column.values.index(value)).tolist())


def _drawn(study: Study, label: str, most: int, *, without: Sequence[int] = ()) -> list[int]:
    """Images with a label and a picture, so many at most and none of those without."""
    used = set(without)
    return uploads.drawn([i for i in _with_label(study, label) if i not in used], most=most, seed=0)


# The settings of the score.


def _settings(context: Context) -> tuple[WsiConfig, str, ImageSettings]:
    """Everything that decides a score, behind a fold."""
    plain = context.choice.plain
    with fold.settings("Settings of the score", key="score"):
        with select.row():
            share = select.number(
                "Middle share of the real images" if plain else "Tolerance: middle share",
                0.5,
                1.0,
                keep=words.SHARE,
                first=0.9,
                step=0.05,
                width=210,
                help="0.9: a feature is present when it is between the 5% and the 95% quantile of the "
                "real images.",
            )
            sides = {"extra (alpha)": words.ALPHA, "missing (beta)": words.BETA}
            alpha, beta = (
                select.number(
                    f"Weight of what is {what}", 0.0, 10.0, keep=keep, first=1.0, step=0.25, width=210
                )
                for what, keep in sides.items()
            )
            side = select.amount(
                "Measured at (pixels)",
                (128, 256, 512),
                16,
                2048,
                keep=words.SIDE,
                first=SIDE,
                width=150,
                help="Longer side after scaling: texture and sharpness cannot be compared between sizes.",
            )
        with select.row():
            colour: Any = select.segments(
                "Colours",
                {"grey": "as grey", "auto": "red, green, blue"},
                keep=words.COLOUR,
                width="content",
                help="As grey: the luminance. Red, green, blue: three times as many features where an "
                "image is in colour. Declared channels of a TIFF are measured each by itself.",
            )
            planes: Any = select.segments(
                "Stacks (TIFF)",
                {"max": "brightest value", "mean": "mean", "each": "each plane separately"},
                keep=words.PLANES,
                width="content",
                help="Slices and time points of a file: one picture of them, or each plane as an image of "
                "its own.",
            )
            archetype: Any = select.segments(
                "Compared with",
                {"tolerance": "what real images have in common", "each": "each real image"},
                keep=words.READING,
                width="content",
                help="In common: one archetype with every feature. Each real image: the mean over all of "
                "them, each with the features it has itself.",
            )
            mine = uploads.weights(context.entry.path) is not None
            offered = {UNIFORM: "all features equally", CHANNELS: "all channels equally"}
            weights = select.segments(
                "Weights",
                offered | ({OWN: "as uploaded"} if mine else {}),
                keep=words.WEIGHTS,
                width="content",
                help=None if mine else "Weights of your own can be uploaded under Features.",
            )
    tail = round((1 - share) / 2, 6)
    config = WsiConfig(alpha=alpha, beta=beta, quantiles=(tail, round(1 - tail, 6)), archetype=archetype)
    return config, weights, ImageSettings(side=side, channels=colour, planes=planes)


# One's own: added, listed, removed; kept in the workspace, so they survive a reload.

ROLES = {"generated": "Generated images", "real": "Real images"}


def _own_images(study: Path, there: Sequence[UploadedGroup]) -> None:
    form, listed = st.columns([3, 2], gap="medium")
    with form:
        st.caption(
            "A zip of PNG, JPEG or TIFF images (one group each), or a table of features "
            "“ID,feature1,feature2,…”. Vectors of a group that is there: npz with ids and vectors, or "
            "parquet. Files are checked before they are kept, in the workspace and not in the study."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            role: Any = {"key": words.ROLE, "format_func": ROLES.__getitem__, "persist_state": "session"}
            st.selectbox("Type of images", list(ROLES), width=180, **role)
            st.text_input(
                "Name of the group", "generator", key=words.NAME, max_chars=60, persist_state="session"
            )
        file = state.emptied(words.FILE)
        st.file_uploader("Images, features or vectors", key=file, max_upload_size=200)
        look: Any = {"icon": ":material/upload:", "type": "primary", "disabled": state.get(file) is None}
        _button("Add group", key="add-group", on_click=_add_group, args=(study,), **look)
    with listed:
        if not there:
            st.caption("No group has been uploaded for this study yet.")
        for group in there:
            parts = {"images": group.pictures, "features": group.features, "vectors": group.vectors}
            has = " and ".join(word for word, part in parts.items() if part is not None)
            with st.container(horizontal=True, vertical_alignment="center"):
                name = md_escape(group.name, limit=60)
                st.markdown(f"**{name}** :gray[{ROLES[group.role].lower()}, {has}]", width="stretch")
                look = {"icon": ":material/delete:", "on_click": _remove_group}
                key = f"remove-{group.role}-{group.name}"
                _button("Remove", key=key, args=(study, group.role, group.name), **look)


def _button(label: str, **look: Any) -> None:
    """A button whose callback changes the whole page, from within a part that is drawn by itself."""
    if st.button(label, **look):
        state.show_again()
        st.rerun()


def _add_group(study: Path) -> None:
    """Callback: keep the file that was chosen, and look at its group."""
    role: uploads.Role = "real" if state.get(words.ROLE) == "real" else "generated"
    name = " ".join(str(state.get(words.NAME) or "").split()) or "generator"
    keep = partial(uploads.add_group, study, role, name)
    use = (words.REAL, name) if role == "real" else (words.SUBJECTS, UPLOADED)
    add(words.FILE, keep, f"is now part of the group **{md_escape(name)}**.", use)


@guarded
def add(
    widget: str, keep: Callable[[str, bytes], Report], done: str, use: tuple[state.Key, str] | None = None
) -> None:
    """Callback: keep the file of a widget, which is emptied; or say why it was refused.

    ``keep`` takes its name and content. ``done``: what the file does now, Markdown, after its name.
    ``use``: what is chosen from then on.
    """
    file = state.given(widget)
    if file is None:
        return
    report, name = keep(file.name, file.getvalue()), md_escape(file.name)
    if messages.refused_outcome(report):
        messages.say(words.OUTCOME, "bad", f"{name} was not saved; nothing has changed.", report)
        return
    messages.say(words.OUTCOME, "mixed" if report.problems else "good", f"{name} {done}", report)
    state.empty(widget)
    if use is not None:
        state.set_value(*use)


@guarded
def _remove_group(study: Path, role: uploads.Role, name: str) -> None:
    """Callback: forget a group."""
    uploads.remove_group(study, role, name)
    messages.say(words.OUTCOME, "good", f"Removed {md_escape(name)}.")


def file_section(
    context: Context,
    kind: str,
    widget: str,
    *,
    title: str,
    about: str,
    done: str,
    use: tuple[state.Key, str] | None = None,
    unused: tuple[state.Key, str] | None = None,
    now: tuple[pd.DataFrame, str] | None = None,
    report: Report | None = None,
) -> None:
    """The form for a file about the groups, weights or what people thought; and what is wrong with the one
    that is there.

    ``use``, ``unused``: what is chosen once there is one, and once there is none. ``now``: a table to write
    such a file with, and the name of its file.
    """
    study, word = context.entry.path, title.rpartition(" ")[0].lower() or title.lower()
    with st.container(border=True):
        st.markdown(f"**{title}**")
        st.caption(about)
        if report is not None and report.problems:
            messages.problems(report, key=f"own-{kind.removesuffix('.csv')}")
        file = state.emptied(widget)
        st.file_uploader(title, key=file, max_upload_size=10, label_visibility="collapsed")
        with st.container(horizontal=True):
            st.button(
                "Use this file",
                key=f"add-{kind.removesuffix('.csv')}",
                icon=":material/upload:",
                on_click=add,
                args=(widget, partial(uploads.add_file, study, kind), done, use),
                disabled=state.get(file) is None,
            )
            there = uploads.weights(study) if kind == uploads.WEIGHTS else uploads.people(study)
            if there is not None:
                look: Any = {
                    "icon": ":material/delete:",
                    "on_click": _remove_file,
                    "args": (study, kind, unused),
                }
                st.button(f"Remove {word}", key=f"remove-{kind.removesuffix('.csv')}", **look)
            if now is not None:
                download.csv(now[0], now[1], label="Weights now")


@guarded
def _remove_file(study: Path, kind: str, unused: tuple[state.Key, str] | None) -> None:
    """Callback: forget the file."""
    if unused is not None:
        state.set_value(*unused)
    uploads.remove_file(study, kind)
