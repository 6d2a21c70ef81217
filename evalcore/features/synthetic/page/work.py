"""The long work of the page, each piece once for the same images and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
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
from evalcore.features.synthetic.wsi import Evaluation, Weights, evaluate
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
            return score_answer(self.evaluation, suspected=suspected, name=bold)

        return self._run("scores", "Looking for copies of real images", work)

    def other_settings(self) -> Answer | None:
        """The same under other settings, and without channels."""

        def work(progress: Progress) -> Answer:
            tables, config, by = self.evaluation.tables, self.chosen.config, self.chosen.images
            rows = sensitivity(tables, weights=self.weights, config=config, progress=progress)
            cut = None
            if self.material.with_pictures:
                cut = measured_ablation(tables, by, weights=self.weights, config=config)
            return score_answer(self.evaluation, settings=rows, channels=cut)

        return self._run("settings", "Trying other settings", work)

    def copies(self, group: str, vectors: Vectors) -> Answer | None:
        """A group against its training images."""

        def work(progress: Progress) -> Answer:
            of = replace(self.material, everyone=(self.material.real, self.group(group)))
            own, config = vectors._replace(groups={group: vectors.groups[group]}), self.chosen.config
            return copies_answer(
                of, own, config=config, n_resamples=N_RESAMPLES, name=bold, progress=progress
            )

        return self._run("copies", "Comparing pairs of images", work, group, vectors.digest)

    def distances(self, study: Path, vectors: Vectors) -> Answer | None:
        """Distances of the groups from the real images, and agreement with people."""
        judged = uploads.kept(study, uploads.PEOPLE)

        def work(progress: Progress) -> Answer:
            return distances_answer(self.material, vectors, judged=judged, name=bold, progress=progress)

        return self._run("distances", "Fitting Gaussians", work, vectors.digest, digest_of(repr(judged)))


def measured(chosen: Chosen) -> tuple[Material | None, Report] | None:
    """The groups, measured, and what is wrong with them; None while they are."""

    def work(progress: Progress) -> tuple[Material | None, Report]:
        return read_groups(chosen.sources, settings=chosen.images, progress=progress)

    key = digest_of([source.digest for source in chosen.sources], chosen.images)
    return jobs.run(f"synthetic material {key}", work, label="Measuring the images")


def compared(material: Material, report: Report, chosen: Chosen) -> Compared:
    """The groups with their scores under the settings."""
    weights: Weights = chosen.weights
    (name, real), *groups = material.tables.items()
    if chosen.own is not None:
        weights, more = bind_weights(chosen.own, real.columns)
        report += more

    def work() -> Evaluation:
        return evaluate(real, dict(groups), name=name, weights=weights, config=chosen.config)

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
    if kind == FEATURES:
        of = replace(of, everyone=tuple(replace(group, vectors=None) for group in of.everyone))
    if kind != NETWORK:
        return vectors_of(of)
    try:
        path = networks.weights_path()
    except CuiscopeError as error:
        st.info(md_escape(str(error), limit=600), icon=":material/download_for_offline:")
        return None

    def work(progress: Progress) -> Vectors:
        return vectors_of(of, str(path), progress=progress)

    key = f"synthetic resnet {of.digest} {path} {path.stat().st_mtime_ns}"
    return jobs.run(key, work, label="Vectors by ResNet-18")
