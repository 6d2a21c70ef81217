"""What is scored: the groups, the settings of the score, and one's own images, weights and judgments of
people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from evalcore.features.synthetic import uploads
from evalcore.features.synthetic.groups import Source
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.read_pictures import ALTERATIONS
from evalcore.features.synthetic.uploads import GENERATED, PEOPLE, WEIGHTS, UploadedGroup
from evalcore.features.synthetic.wsi import CHANNELS, UNIFORM, WsiConfig
from evalcore.study.tables.schema import Rows
from evalcore.ui.components import fold, messages, select
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.writing import md_escape, pluralize

ALTERED, UPLOADED = "altered", "uploaded"
KINDS = {ALTERED: "Altered copies (demonstration)", UPLOADED: "Uploaded groups"}
STUDY, ALL, OWN = "@study", "@all", "own"
MOST, SIDE, MOST_LABELS = 120, 256, 12
ENOUGH = 42
"""Images of a label from which on half of them are enough for tolerances."""
NONE = {
    ALTERED: "Altered copies are made of pictures, but this study has none. Upload groups below.",
    STUDY: "This study has no pictures that could be the real images. Upload some as “real images” below.",
    UPLOADED: "Nothing has been uploaded yet: add a zip of generated images, or a table of features, below.",
}
"""Why there is nothing to compare."""
DEMONSTRATION = (
    ":material/science: Demonstration only: these are altered copies of this study’s pictures, not "
    "generated images."
)
SUBJECTS, REAL, LABEL, SAMPLED = (
    Key(name, of_study=True) for name in ("subjects", "real", "real_label", "images")
)
PIXELS, COLOUR, PLANES, READING = map(Key, ("pixels", "colour", "planes", "archetype"))
ALPHA, BETA, SHARE, WEIGHTING = map(Key, ("wsi_alpha", "wsi_beta", "tolerance", "weights"))
OWN_IMAGES = Key("own_images")
ROLE, NAME, FILE, OUTCOME = ("synthetic_role", "synthetic_name", "synthetic_file", "synthetic_outcome")
guarded = messages.guarded(OUTCOME)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What is compared, real images first, and how; ``own``: weights as uploaded, where these count;
    ``why``: a sentence where there is nothing to compare."""

    kind: str
    sources: tuple[Source, ...]
    images: ImageSettings
    config: WsiConfig
    weights: str
    own: Rows | None
    why: str

    @property
    def about(self) -> str:
        """What the groups of a demonstration are; "" for other groups. Markdown."""
        about = {uploads.OTHERS: "as they are, and not among the archetypes"}
        about |= {kind: text for kind, (_, text) in ALTERATIONS.items()}
        groups = self.sources[1:] if self.kind == ALTERED else ()
        return "; ".join(f"**{md_escape(source.name)}**: {about[source.name]}" for source in groups)


def section(context: Context) -> Chosen:
    """The groups, and closed the settings of the score and what was uploaded."""
    st.header("What is scored", anchor=False)
    there = uploads.groups(context.entry.path)
    with st.container(horizontal=True, vertical_alignment="bottom", key="synthetic-compared"):
        kind, sources, why = _groups(context, there)
    messages.show(OUTCOME)
    if why:
        st.info(why, icon=":material/info:")
    elif kind == ALTERED:
        st.caption(DEMONSTRATION)
    config, weights, images = _settings(context)
    own = uploads.kept(context.entry.path, WEIGHTS) if weights == OWN else None
    fold.section(
        f"Own images: {pluralize(len(there), 'uploaded group')}",
        _own_images,
        context.entry.path,
        there,
        keep=OWN_IMAGES,
        first=bool(why),
    )
    return Chosen(kind, tuple(sources), images, config, weights, own, why)


# The groups.


def _groups(context: Context, there: Sequence[UploadedGroup]) -> tuple[str, list[Source], str]:
    """The kind of groups; the groups, real images first; or a sentence why there are none."""
    study = context.study
    mine = any(group.role == GENERATED for group in there)
    state.follow_default(SUBJECTS)
    usual = UPLOADED if mine or not uploads.with_pictures(study) else ALTERED
    kind = select.segments("Generated images", KINDS, keep=SUBJECTS, first=usual, width="content")
    real = _real(context, there, kind)
    most = select.amount(
        "Images sampled",
        (60, 120, 250, 500, 1000),
        10,
        5000,
        keep=SAMPLED,
        first=MOST,
        shown=lambda n: f"{n:,}",
        width=130,
        help="Drawn at random with a fixed seed.",
    )
    images = uploads.drawn(_with_label(study, real), most=most, seed=0) if isinstance(real, str) else []
    if kind == ALTERED:
        sources = uploads.altered_copies(study, images, seed=0)
        few = f"{pluralize(len(images), 'picture')} are too few for two halves; select other images."
        return kind, sources, "" if sources else few if images else NONE[kind]
    if isinstance(real, str) and not images:
        return kind, [], NONE[STUDY]
    archetypes = (
        uploads.study_source(study, images, uploads.REAL_IMAGES) if isinstance(real, str) else real.source()
    )
    groups = [group.source() for group in there if group.role == GENERATED]
    return kind, [archetypes, *groups], "" if groups else NONE[kind]


def _real(context: Context, there: Sequence[UploadedGroup], kind: str) -> UploadedGroup | str:
    """The real images: a group that was uploaded, or the label of those of the study."""
    own = {group.name: group for group in there if group.role == uploads.REAL and kind == UPLOADED}
    if own:
        state.follow_default(REAL)
        name = select.one(
            "Real images",
            [STUDY, *own],
            keep=REAL,
            first=next(iter(own)),
            shown=lambda name: "images of this study" if name == STUDY else name,
            width=200,
        )
        if name != STUDY:
            return own[name]
    labels = _labels(context)
    if not labels:
        return ALL
    enough = len(_with_label(context.study, labels[0])) >= ENOUGH
    return select.one(
        "Real images of this study",
        [ALL, *labels],
        keep=LABEL,
        first=labels[0] if enough else ALL,
        shown=lambda label: "all of them" if label == ALL else label.replace("=", ": ", 1),
        width=230,
    )


def _labels(context: Context) -> list[str]:
    """``column=value`` of every label with at least a few pictures, by column and frequency."""

    def work() -> list[str]:
        result = []
        for name, column in context.study.label_columns.items():
            labels = [f"{name}={value}" for value in column.values]
            sizes = {label: len(_with_label(context.study, label)) for label in labels}
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
                keep=SHARE,
                first=0.9,
                step=0.05,
                width=210,
                help="0.9: a feature is present when it is between the 5% and the 95% quantile of the "
                "real images.",
            )
            sides = {"extra (alpha)": ALPHA, "missing (beta)": BETA}
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
                keep=PIXELS,
                first=SIDE,
                width=150,
                help="Longer side after scaling: texture and sharpness cannot be compared between sizes.",
            )
        with select.row():
            colour: Any = select.segments(
                "Colours",
                {"grey": "as grey", "auto": "red, green, blue"},
                keep=COLOUR,
                width="content",
                help="As grey: the luminance. Red, green, blue: three times as many features where an "
                "image is in colour. Declared channels of a TIFF are measured each by itself.",
            )
            planes: Any = select.segments(
                "Stacks (TIFF)",
                {"max": "brightest value", "mean": "mean"},
                keep=PLANES,
                width="content",
                help="Slices and time points of a file are measured as one picture of them.",
            )
            archetype: Any = select.segments(
                "Compared with",
                {"tolerance": "what real images have in common", "each": "each real image"},
                keep=READING,
                width="content",
                help="In common: one archetype with every feature. Each real image: the mean over all of "
                "them, each with the features it has itself.",
            )
            offered = {UNIFORM: "all features equally", CHANNELS: "all channels equally"}
            mine = uploads.kept(context.entry.path, WEIGHTS) is not None
            weights = select.segments(
                "Weights",
                offered | ({OWN: "as uploaded"} if mine else {}),
                keep=WEIGHTING,
                width="content",
                help=None if mine else "Weights of your own can be uploaded under Own images.",
            )
    tail = round((1 - share) / 2, 6)
    config = WsiConfig(alpha=alpha, beta=beta, quantiles=(tail, round(1 - tail, 6)), archetype=archetype)
    return config, weights, ImageSettings(side=side, channels=colour, planes=planes)


# One's own: added, listed, removed; kept in the workspace, so they survive a reload.

ROLES = {
    GENERATED: "Generated images",
    uploads.REAL: "Real images",
    PEOPLE: "Judgments of people",
    WEIGHTS: "Weights of features",
}
FORMS = (
    "- Images: a zip of PNG, JPEG or TIFF images, or a table of features "
    "“ID,feature1,feature2,…”. Vectors of a group that is there: npz with ids and vectors, or parquet.\n"
    "- Judgments: a table ID,rank (1 is the best) or ID,score (more is better) of images, or "
    "first,second,better of pairs of images; with a column rater for several people.\n"
    "- Weights: a table feature,weight: a number of at least 0 for a feature, or for a whole channel by its "
    "name. Anything it does not name has weight 1.\n\n"
    "Files are checked before they are kept, in the workspace and not in the study."
)


def _own_images(study: Path, there: Sequence[UploadedGroup]) -> None:
    form, listed = st.columns([3, 2], gap="medium")
    with form:
        st.caption(FORMS)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            role: Any = {"key": ROLE, "format_func": ROLES.__getitem__, "persist_state": "session"}
            kind = st.selectbox("What it is", list(ROLES), width=180, **role)
            if kind not in (PEOPLE, WEIGHTS):
                look: Any = {"key": NAME, "max_chars": 60, "persist_state": "session"}
                st.text_input("Name of the group", "generator", **look)
        file = state.emptied(FILE)
        st.file_uploader("Images, features, vectors, or a table", key=file, max_upload_size=200)
        look = {"icon": ":material/upload:", "type": "primary", "disabled": state.get(file) is None}
        _button("Add this file", key="add-upload", on_click=_add, args=(study,), **look)
    with listed:
        rows = [(group.role, group.name, " and ".join(group.parts).replace(".csv", "")) for group in there]
        rows += [(kind, "", "") for kind in (PEOPLE, WEIGHTS) if uploads.kept(study, kind) is not None]
        if not rows:
            st.caption("Nothing has been uploaded for this study yet.")
        for kind, name, parts in rows:
            with st.container(horizontal=True, vertical_alignment="center"):
                about = f"{ROLES[kind].lower()}, {parts}" if parts else ROLES[kind]
                called = f"**{md_escape(name, limit=60)}** " if name else ""
                st.markdown(f"{called}:gray[{about}]", width="stretch")
                look = {"icon": ":material/delete:", "on_click": _remove, "args": (study, kind, name)}
                _button("Remove", key=f"remove-{kind.removesuffix('.csv')}-{name}", **look)


def _button(label: str, **look: Any) -> None:
    """A button whose callback changes the whole page, from within a part that is drawn by itself."""
    if st.button(label, **look):
        state.show_again()
        st.rerun()


@guarded
def _add(study: Path) -> None:
    """Callback: keep the file that was chosen, and use it; or say why it was refused."""
    file, kind = state.given(FILE), str(state.get(ROLE) or GENERATED)
    if file is None:
        return
    name = " ".join(str(state.get(NAME) or "").split()) or "generator"
    report = uploads.add(study, kind, name, file.name, file.getvalue())
    if messages.refused_outcome(report):
        text = f"{md_escape(file.name)} was not saved; nothing has changed."
        messages.say(OUTCOME, "bad", text, report)
        return
    role = f"is now part of the group **{md_escape(name)}**"
    done = {PEOPLE: "is used as the judgments of people", WEIGHTS: "now weights the features"}.get(kind, role)
    tone: Any = "mixed" if report.problems else "good"
    messages.say(OUTCOME, tone, f"{md_escape(file.name)} {done}.", report)
    state.empty(FILE)
    used = {GENERATED: (SUBJECTS, UPLOADED), uploads.REAL: (REAL, name)}
    used |= {WEIGHTS: (WEIGHTING, OWN)}
    if kind in used:
        state.set_value(*used[kind])


@guarded
def _remove(study: Path, kind: str, name: str) -> None:
    """Callback: forget a group or a file."""
    uploads.remove(study, kind, name)
    if kind == WEIGHTS:
        state.set_value(WEIGHTING, UNIFORM)
    messages.say(OUTCOME, "good", f"Removed {md_escape(name or ROLES[kind].lower())}.")
