"""The long work of the page, each piece once for the same images and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import streamlit as st

from evalcore.features.synthetic import networks
from evalcore.features.synthetic.ablation import measured_ablation, sensitivity
from evalcore.features.synthetic.answers import (
    Answer,
    Vectors,
    copies_answer,
    distances_answer,
    score_answer,
    vectors_of,
)
from evalcore.features.synthetic.copies import N_RESAMPLES
from evalcore.features.synthetic.page import words
from evalcore.features.synthetic.page.scored import Chosen
from evalcore.features.synthetic.read import uploads
from evalcore.features.synthetic.read.files import bind_weights
from evalcore.features.synthetic.read.groups import Group, Material, read_groups, suspected_copies
from evalcore.features.synthetic.wsi import Evaluation, Weights, channels_of, evaluate
from evalcore.ui.components import select
from evalcore.ui.frame import cache, jobs
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError, Report
from evalcore.values.progress import Progress
from evalcore.values.writing import md_escape

Value = TypeVar("Value")
FEATURES, UPLOADED, NETWORK = "@features", "@uploaded", "@resnet18"
VECTORS = {
    UPLOADED: "uploaded vectors",
    FEATURES: "the features themselves",
    NETWORK: "ResNet-18 (local weights)",
}


def bold(name: str) -> str:
    """The name of a group in a sentence, Markdown."""
    return f"**{md_escape(name)}**"


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The groups of the page with their scores. Answers are None while they are computed."""

    material: Material
    report: Report
    chosen: Chosen
    evaluation: Evaluation
    weights: Weights

    def group(self, name: str) -> Group:
        """A group of generated images."""
        return next(group for group in self.material.groups if group.name == name)

    def _run(self, what: str, label: str, work: Callable[[Progress], Value], *more: object) -> Value | None:
        parts = self.material.digest, repr(self.chosen.config), repr(self.weights), *map(str, more)
        return jobs.run(f"synthetic {what} {' '.join(parts)}", work, label=label)

    def scores(self) -> Answer | None:
        """Scores, with copies of real images named first."""

        def work(progress: Progress) -> Answer:
            suspected = suspected_copies(self.material, progress=progress)
            return score_answer(self.evaluation, self.material.all_tables, suspected=suspected, name=bold)

        return self._run("scores", "Looking for copies of real images", work)

    def other_settings(self) -> Answer | None:
        """The same under other settings, and without channels."""

        def work(progress: Progress) -> Answer:
            of, config = self.material, self.chosen.config
            real, chosen = of.real.features, {"weights": self.weights, "config": config}
            rows = sensitivity(real, of.tables, name=of.real.name, progress=progress, **chosen)  # type: ignore[arg-type]
            by = self.chosen.images
            several = of.with_pictures and len(channels_of(real.columns).unique()) > 1
            tables = of.tables if several else {}
            steps = {
                name: measured_ablation(real, table, settings=by, **chosen)  # type: ignore[arg-type]
                for name, table in tables.items()
            }
            return score_answer(self.evaluation, of.all_tables, settings=rows, steps=steps)

        return self._run("settings", "Trying other settings", work)

    def copies(self, group: str, vectors: Vectors) -> Answer | None:
        """A group against its training images."""

        def work(progress: Progress) -> Answer:
            of, config = replace(self.material, groups=(self.group(group),)), self.chosen.config
            return copies_answer(
                of, vectors, config=config, n_resamples=N_RESAMPLES, name=bold, progress=progress
            )

        return self._run("copies", "Comparing pairs of images", work, group, vectors.digest)

    def distances(self, study_path: object, vectors: Vectors) -> Answer | None:
        """Distances of the groups from the real images, and agreement with people."""
        people = uploads.people(study_path)  # type: ignore[arg-type]

        def work(progress: Progress) -> Answer:
            return distances_answer(self.material, vectors, people=people, name=bold, progress=progress)

        return self._run("distances", "Fitting Gaussians", work, vectors.digest, digest_of(repr(people)))


def measured(chosen: Chosen) -> tuple[Material | None, Report] | None:
    """The groups, measured, and what is wrong with them; None while they are."""

    def work(progress: Progress) -> tuple[Material | None, Report]:
        return read_groups(chosen.sources, settings=chosen.images, progress=progress)

    key = digest_of([source.digest for source in chosen.sources], chosen.images)
    return jobs.run(f"synthetic material {key}", work, label="Measuring the images")


def compared(material: Material, report: Report, chosen: Chosen) -> Compared:
    """The groups with their scores under the settings."""
    real = material.real
    weights: Weights = (
        chosen.weights if chosen.own is None else bind_weights(chosen.own, real.features.columns)[0]
    )

    def work() -> Evaluation:
        return evaluate(real.features, material.tables, name=real.name, weights=weights, config=chosen.config)

    key = ("synthetic scores", material.digest, repr(chosen.config), repr(weights))
    return Compared(material, report, chosen, cache.share(key, work, spinner="Scoring the images…"), weights)


def vectors(of: Material) -> Vectors | None:
    """Which vectors are used, on every part of the page; None while they are made or where they cannot be.

    Raises InputError where they cannot be compared.
    """
    offered = [UPLOADED] if all(group.vectors is not None for group in of.everyone) else []
    offered += [FEATURES, *([NETWORK] if of.with_pictures else [])]
    kind = select.one(
        "Vectors of the images", offered, keep=words.VECTORS, width=280, shown=VECTORS.__getitem__
    )
    if kind == UPLOADED:
        return vectors_of(of)
    if kind == FEATURES:
        real, *groups = (replace(group, vectors=None) for group in of.everyone)
        return vectors_of(replace(of, real=real, groups=tuple(groups)))
    try:
        path = networks.weights_path()
    except CuiscopeError as error:
        st.info(md_escape(str(error), limit=600), icon=":material/download_for_offline:")
        return None

    def work(progress: Progress) -> Vectors:
        return vectors_of(of, str(path), progress=progress)

    key = f"synthetic resnet {of.digest} {path} {path.stat().st_mtime_ns}"
    return jobs.run(key, work, label="Vectors by ResNet-18")
