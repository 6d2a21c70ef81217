"""Groups of one's own: added, listed, removed; kept in the workspace, so they survive a reload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from evalcore.features.synthetic import models
from evalcore.features.synthetic.distances import feature_vectors
from evalcore.features.synthetic.diversity import Diversity, diversity
from evalcore.features.synthetic.evaluation.evaluate import Evaluation, Suspected, evaluate
from evalcore.features.synthetic.evaluation.sensitivity import Sensitivity, sensitivity
from evalcore.features.synthetic.page import words
from evalcore.features.synthetic.page.choose import Chosen
from evalcore.features.synthetic.read import uploaded
from evalcore.features.synthetic.read.feature_files import bind_weights, suspected_copies
from evalcore.features.synthetic.read.material import Material, NoMaterial, measured_groups
from evalcore.features.synthetic.tversky import CHANNELS, UNIFORM, given, named
from evalcore.ui.components import fold, messages, select
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import CuiscopeError, InputError, Report
from evalcore.values.progress import Progress, part_of
from evalcore.values.writing import md_escape, pluralize

MAX_MB = 200
ROLES = {"generated": "Generated images", "real": "Real images"}
FORMS = (
    "A zip of PNG, JPEG or TIFF images (one group each), or a table of features “ID,feature1,feature2,…”. "
    "Vectors of a group that is there: npz with ids and vectors, or parquet."
)
PEOPLE_ADDED = "is used as the ranking by people."
guarded = messages.guarded(words.OUTCOME)


def section(context: Context, *, first: bool) -> None:
    """The form and the groups that are there, open at first where there is nothing else to compare."""
    there = uploaded.groups(context.entry.path)
    fold.section(
        f"Own images: {pluralize(len(there), 'uploaded group')}",
        _form_and_groups,
        context.entry.path,
        there,
        keep=words.OWN_IMAGES,
        icon=":material/upload:",
        first=first,
    )


def _form_and_groups(study: Path, there: tuple[uploaded.UploadedGroup, ...]) -> None:
    form, listed = st.columns([3, 2], gap="medium")
    with form:
        _form(study)
    with listed:
        _listed(study, there)


def _button(label: str, **look: Any) -> None:
    """A button whose callback changes the whole page, from within a part that is drawn by itself."""
    if st.button(label, **look):
        state.show_again()
        st.rerun()


def _form(study: Path) -> None:
    st.caption(f"{FORMS} Files are checked before they are kept, in the workspace and not in the study.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Type of images",
            list(ROLES),
            key=words.ROLE,
            format_func=ROLES.__getitem__,
            width=180,
            persist_state="session",
        )
        st.text_input("Name of the group", "generator", key=words.NAME, max_chars=60, persist_state="session")
    file = state.emptied(words.FILE)
    st.file_uploader("Images, features or vectors", key=file, max_upload_size=MAX_MB)
    _button(
        "Add group",
        key="add-group",
        icon=":material/upload:",
        type="primary",
        on_click=_add_group,
        args=(study,),
        disabled=state.get(file) is None,
    )


def _listed(study: Path, there: tuple[uploaded.UploadedGroup, ...]) -> None:
    if not there:
        st.caption("No group has been uploaded for this study yet.")
    for one in there:
        parts = {"images": one.pictures, "features": one.features, "vectors": one.vectors}
        has = " and ".join(word for word, part in parts.items() if part is not None)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{md_escape(one.name, limit=60)}** :gray[{ROLES[one.role].lower()}, {has}]",
                width="stretch",
            )
            _button(
                "Remove",
                key=f"remove-{one.role}-{one.name}",
                icon=":material/delete:",
                on_click=_remove,
                args=(study, one.role, one.name),
            )


def people_section(context: Context) -> None:
    """Rankings by people: the file, and what is there."""
    study = context.entry.path
    with st.container(border=True):
        st.markdown("**Rankings by people**")
        st.caption(
            "A table ID,rank (1 is the best) or ID,score (more is better) of the images of this group."
        )
        file = state.emptied(words.PEOPLE)
        st.file_uploader("Ranking", key=file, max_upload_size=10)
        with st.container(horizontal=True):
            st.button(
                "Add ranking",
                key="add-people",
                icon=":material/upload:",
                disabled=state.get(file) is None,
                on_click=add,
                args=(words.PEOPLE, partial(uploaded.add_file, study, uploaded.PEOPLE), PEOPLE_ADDED),
            )
            if uploaded.people(study) is not None:
                st.button(
                    "Remove ranking",
                    key="remove-people",
                    icon=":material/delete:",
                    on_click=guarded(uploaded.remove_file),
                    args=(study, uploaded.PEOPLE),
                )


def _add_group(study: Path) -> None:
    """Callback: keep the file that was chosen, and look at its group."""
    role: uploaded.Role = "real" if state.get(words.ROLE) == "real" else "generated"
    name = " ".join(str(state.get(words.NAME) or "").split()) or "generator"
    add(
        words.FILE,
        partial(uploaded.add_group, study, role, name),
        f"is now part of the group **{md_escape(name)}**.",
        (words.REAL, name) if role == "real" else (words.SUBJECTS, "uploaded"),
    )


@guarded
def add(
    widget: str, keep: Callable[[str, bytes], Report], done: str, use: tuple[state.Key, str] | None = None
) -> None:
    """Callback: keep the file of a widget, which is emptied; or say why it was refused.

    ``keep`` takes its name and content. ``done``: what the file does now, Markdown, after its name. ``use``:
    what is chosen from then on.
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
def _remove(study: Path, role: uploaded.Role, name: str) -> None:
    """Callback: forget a group."""
    uploaded.remove_group(study, role, name)
    messages.say(words.OUTCOME, "good", f"Removed {md_escape(name)}.")


# Vectors of images: those that were uploaded, a system's, ResNet-18's, or the features themselves.

FEATURES, UPLOADED, NETWORK, SYSTEM = "@features", "@uploaded", "@resnet18", "system:"
WORDS = {
    FEATURES: "the features themselves",
    UPLOADED: "uploaded vectors",
    NETWORK: "ResNet-18 (local weights)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Of the archetypes and of each group, rows of NaN for images without one; ``what`` they are; a key."""

    archetypes: Floats
    groups: tuple[Floats, ...]
    what: str
    key: str


def offered(context: Context, of: Material) -> list[str]:
    """What vectors these groups can have."""
    result = [FEATURES]
    if all(part.vectors is not None for part in of.parts):
        result.insert(0, UPLOADED)
    pictures = [part.pictures for part in of.parts if part.pictures is not None]
    if len(pictures) < len(of.parts):
        return result
    if all(
        picture.files is context.study.images and not picture.kind for picture in pictures
    ):  # unaltered ones
        result += [f"{SYSTEM}{name}" for name in sorted(context.study.embeddings)]
    return [*result, NETWORK]


def ask(context: Context, of: Material) -> str:
    """Which vectors are used, on every part of the page."""
    options = offered(context, of)
    return select.one(
        "Vectors of the images",
        options,
        keep=words.VECTORS,
        width=280,
        shown=lambda one: WORDS.get(one, f"vectors of {one.removeprefix(SYSTEM)}"),
    )


def of_parts(context: Context, of: Material, kind: str) -> Vectors | None:
    """The vectors that were chosen; None while they are made or where they cannot be."""
    if kind == UPLOADED:
        parts = [np.asarray(part.vectors, float) for part in of.parts if part.vectors is not None]
        return _checked(Vectors(parts[0], tuple(parts[1:]), WORDS[kind], kind))
    if kind.startswith(SYSTEM):
        return _of_system(context, of, kind.removeprefix(SYSTEM))
    if kind == NETWORK:
        return _by_network(of)
    names, real, others = feature_vectors(of.archetypes.table, [group.table for group in of.groups])
    what = f"{pluralize(len(names), 'feature')} in spreads of the real images"
    return Vectors(real, tuple(others), what, f"{FEATURES} {len(names)}")


def _checked(vectors: Vectors) -> Vectors:
    widths = {one.shape[1] for one in (vectors.archetypes, *vectors.groups)}
    if len(widths) > 1:
        lengths = ", ".join(map(str, sorted(widths)))
        raise InputError(
            f"The uploaded vectors differ in length ({lengths}). Compute all of them with the same model."
        )
    return vectors


def _of_system(context: Context, of: Material, system: str) -> Vectors:
    held = context.study.embeddings[system]
    parts = []
    for part in of.parts:
        assert part.pictures is not None
        rows = held.rows[np.asarray(part.pictures.at)]
        values = np.where(rows[:, np.newaxis] >= 0, held.vectors[rows].astype(float), np.nan)
        parts.append(values)
    return Vectors(parts[0], tuple(parts[1:]), f"vectors of {system}", f"{SYSTEM}{system} {held.digest}")


def _by_network(of: Material) -> Vectors | None:
    """Vectors by ResNet-18, made in the background when its weights are there."""
    try:
        path = models.weights_path()
    except CuiscopeError as error:
        st.info(md_escape(str(error), limit=600), icon=":material/download_for_offline:")
        return None
    key = f"synthetic resnet {of.digest} {path} {path.stat().st_mtime_ns}"

    def made(progress: Progress) -> tuple[Floats, ...]:
        encode = models.load_encoder(str(path))
        result = []
        for i, part in enumerate(of.parts):
            assert part.pictures is not None
            result.append(encode(part.pictures.all(), part_of(progress, i, len(of.parts))))
        return tuple(result)

    result = jobs.run(key, made, label="Vectors by ResNet-18")
    if result is None:
        return None
    return Vectors(
        result[0], result[1:], "ResNet-18, average pool, 512 numbers", f"{NETWORK} {digest_of(key)}"
    )


# The long work of the page, each piece once for the same images and settings.

N_RESAMPLES = 999


def material(chosen: Chosen) -> Material | NoMaterial | None:
    """The groups, measured; None while they are."""
    key = f"synthetic material {digest_of([source.digest for source in chosen.sources], chosen.images)}"

    def work(progress: Progress) -> Material | NoMaterial:
        return measured_groups(chosen.sources, settings=chosen.images, progress=progress)

    return jobs.run(key, work, label="Measuring the images")


def evaluated(of: Material, chosen: Chosen) -> Evaluation:
    """The scores of all groups under the settings."""
    tables, names = [group.table for group in of.groups], of.archetypes.table.names
    weights = named(names, chosen.weights) if chosen.own is None else given(names, own_weights(of, chosen)[0])
    key = ("synthetic scores", of.digest, repr(chosen.score), digest_of(weights))

    def work() -> Evaluation:
        return evaluate(of.archetypes.table, tables, weights=weights, settings=chosen.score)

    return cache.share(key, work, spinner="Scoring the images…")


def suspected(of: Material) -> tuple[Suspected, ...] | None:
    """The generated images that nearly repeat a real one; None while they are looked for."""

    def work(progress: Progress) -> tuple[Suspected, ...]:
        return suspected_copies(of, progress=progress)

    return jobs.run(f"synthetic suspects {of.digest}", work, label="Looking for copies of real images")


def own_weights(of: Material, chosen: Chosen) -> tuple[dict[str, float], Report]:
    """The uploaded weights of these features, and what is wrong with them."""
    assert chosen.own is not None, "asked for where weights were uploaded"
    return bind_weights(chosen.own, of.archetypes.table.names)


def settings_matter(of: Material, evaluation: Evaluation, chosen: Chosen) -> Sensitivity | None:
    """How much the settings decide; None while it is computed."""
    key = f"synthetic sensitivity {of.digest} {chosen.score!r} {digest_of(evaluation.weights)}"
    names = of.archetypes.table.names

    def work(progress: Progress) -> Sensitivity:
        return sensitivity(
            evaluation,
            [part.table for part in of.parts],
            weightings={how: named(names, how) for how in (UNIFORM, CHANNELS)},
            progress=progress,
        )

    return jobs.run(key, work, label="Trying other settings")


def diverse(
    of: Material, evaluation: Evaluation, chosen: Chosen, group: int, by: Vectors | None
) -> Diversity | None:
    """A group against its training images, also by vectors where there are any; None while it is computed."""
    vectors, made = (None, "") if by is None else ((by.archetypes, by.groups[group]), by.key)
    key = f"synthetic copies {of.digest} {chosen.score!r} {digest_of(evaluation.weights)} {group} {made}"

    def work(progress: Progress) -> Diversity:
        return diversity(
            evaluation.archetypes.tally,
            evaluation.groups[group].tally,
            weights=evaluation.weights,
            settings=chosen.score,
            vectors=vectors,
            n_resamples=N_RESAMPLES,
            progress=progress,
        )

    return jobs.run(key, work, label="Comparing pairs of images")
