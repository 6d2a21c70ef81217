"""What is supplied for caption metrics beside the runs: values, concepts, embeddings, and models to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import refuse_idle
from evalcore.cli.output import mention, progress_line
from evalcore.features.imageclef.commands.asked import file_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.features.imageclef.beside import Values
    from evalcore.features.imageclef.editions import Edition
    from evalcore.features.imageclef.result import Opened, Truth


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
        from evalcore.features.imageclef.beside import PER_RUN

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

    def given(self, opened: Opened, truth: Truth[str], edition: Edition) -> dict[str, Any]:
        """What the files and the models give, as ``evaluate_captions`` takes it.

        Of metrics that several of these give, a file of values counts before models, embeddings before both.
        """
        from evalcore.features.imageclef.beside import FOR_ALL, PER_RUN, beside

        paths: dict[tuple[str, str], str | None] = {(part, ""): getattr(self, part) for part in FOR_ALL}
        for part in PER_RUN:
            paths |= {(part, name): path for name, path in zip(opened, getattr(self, part), strict=False)}

        def read(reader: Callable[..., Any], part: str, run: str, **more: Any) -> Any:
            path = paths.get((part, run))
            return None if path is None else reader(**file_of(path), **more)

        own = beside(opened, truth, read, edition=edition)
        for report in own.reports:
            mention(report)
        found = self._of_models(opened, truth, edition) if self.models else {}
        return {"given": own.over(found), "concepts": own.concepts, "true_concepts": own.true_concepts}

    def _of_models(self, opened: Opened, truth: Truth[str], edition: Edition) -> Values:
        from evalcore.features.imageclef.captions.evaluate import scored_captions
        from evalcore.features.imageclef.models.scoring import model_values

        return model_values(
            self.models, truth.content, scored_captions(opened, truth, edition=edition), edition=edition,
            folder=self.models_folder, pictures=_pictures(self.pictures, truth.images), device=self.device,
            progress=progress_line(),
        )  # fmt: skip


def _pictures(folder: Path | None, images: Sequence[str]) -> Callable[[int], bytes | None]:
    """A function from an image's position to the bytes of its picture, None where there is none."""
    from evalcore.study.pictures.images import find_images, image_bytes

    if folder is None:
        return lambda _image: None
    ordered = sorted(images)
    files, report = find_images(folder, ordered, file=str(folder))
    if files is None:
        raise InputError(f"No picture in {folder} is named after an image of the ground truth.", report)
    at = {image: i for i, image in enumerate(ordered)}
    return lambda i: image_bytes(files, at[images[i]]) if files.entries[at[images[i]]] else None
