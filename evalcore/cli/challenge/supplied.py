"""What is supplied for caption metrics beside the runs: values, concepts, embeddings, and models to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.challenge.asked import file_of
from evalcore.cli.options import refuse_idle
from evalcore.cli.output import mention, progress_line
from evalcore.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.arrays import Floats
    from evalcore.challenge.editions import Edition
    from evalcore.challenge.result import Opened, Truth

PER_RUN = ("scores", "run_concepts", "caption_embeddings")
"""Options that want one file per run, in the order of the runs."""


@dataclass(frozen=True)
class Supplied:
    """Options named like them: files, the models to run, where weights and pictures lie, and the device."""

    scores: Sequence[str]
    truth_concepts: str | None
    run_concepts: Sequence[str]
    image_embeddings: str | None
    caption_embeddings: Sequence[str]
    models: Sequence[str]
    models_folder: Path | None
    pictures: Path | None
    device: str

    def check(self, n_runs: int) -> None:
        """Refuse files that do not pair up with the runs, and options that cannot matter."""
        for option in PER_RUN:
            if len(getattr(self, option)) not in (0, n_runs):
                raise click.BadParameter(f"--{option.replace('_', '-')} needs one file per --run.")
        if self.caption_embeddings and not self.image_embeddings:
            raise click.BadParameter("--caption-embeddings needs --image-embeddings.")
        for acts, names, because in (
            (self.caption_embeddings, ("image_embeddings",), "the similarity needs --caption-embeddings too"),
            (self.run_concepts, ("truth_concepts",), "UMLS F1 needs --run-concepts too"),
            (self.truth_concepts, ("run_concepts",), "UMLS F1 needs --truth-concepts too"),
            (self.models, ("models_folder", "device"), "no --model is run"),
            ("medimageinsight" in self.models, ("pictures",), "only medimageinsight looks at pictures"),
        ):
            refuse_idle(bool(acts), *names, because=because)

    def concepts(self, names: Sequence[str]) -> dict[str, Any]:
        """Concepts of the true captions and of those of each run, as ``evaluate_captions`` takes them."""
        of_runs = {name: _concepts(path) for name, path in zip(names, self.run_concepts, strict=False)}
        true = _concepts(self.truth_concepts) if self.truth_concepts else None
        return {"concepts": of_runs, "true_concepts": true}

    def values(self, opened: Opened, truth: Truth[str], edition: Edition) -> dict[str, dict[str, Floats]]:
        """{run: {metric: value per image}}; files of values count before models, embeddings before both."""
        from evalcore.challenge.captions.evaluate import scored_captions
        from evalcore.challenge.captions.vectors import similarity
        from evalcore.challenge.given import read_given, read_vectors
        from evalcore.challenge.models.scoring import model_values

        images = truth.images
        values: dict[str, dict[str, Floats]] = {name: {} for name in opened}
        for name, path in zip(opened, self.scores, strict=False):
            values[name] |= read_given(**file_of(path), images=images)
        if not self.models and not self.caption_embeddings:
            return values
        runs = scored_captions(opened, truth, edition=edition)
        found = model_values(
            self.models, truth.content, runs, edition=edition, folder=self.models_folder,
            pictures=_pictures(self.pictures, images), device=self.device, progress=progress_line(),
        )  # fmt: skip
        values = {name: {**found[name], **values[name]} for name in opened}
        if self.image_embeddings:
            pictured = read_vectors(**file_of(self.image_embeddings), images=images)
            for (name, run), path in zip(runs.items(), self.caption_embeddings, strict=True):
                texts = read_vectors(**file_of(path), images=images, like=pictured)
                pairs = [(text, run.get(image, "")) for image, text in truth.content.items()]
                values[name]["similarity"] = similarity(pictured, texts, pairs, edition=edition)
        return values


def _concepts(path: str) -> Mapping[str, Sequence[str]]:
    from evalcore.challenge.given import read_concepts

    concepts, report = read_concepts(**file_of(path))
    mention(report)
    return concepts


def _pictures(folder: Path | None, images: Sequence[str]) -> Callable[[int], bytes | None]:
    """A function from an image's position to the bytes of its picture, None where there is none."""
    from evalcore.sources.pictures.images import find_images, image_bytes

    if folder is None:
        return lambda _image: None
    ordered = sorted(images)
    files, report = find_images(folder, ordered, file=str(folder))
    if files is None:
        raise InputError(f"No picture in {folder} is named after an image of the ground truth.", report)
    at = {image: i for i, image in enumerate(ordered)}
    return lambda i: image_bytes(files, at[images[i]]) if files.entries[at[images[i]]] else None
