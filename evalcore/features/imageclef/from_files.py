"""Truth, runs and the files that belong to them, as they were uploaded: checked and scored in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from evalcore.features.imageclef.beside import Values, beside
from evalcore.features.imageclef.captions.evaluate import Component, evaluate_captions, scored_captions
from evalcore.features.imageclef.captions.runs import read_caption_truth
from evalcore.features.imageclef.captions.tokens import Nltk
from evalcore.features.imageclef.concepts.evaluate import evaluate_concepts
from evalcore.features.imageclef.concepts.truth import read_concept_truth
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.models.scoring import model_values
from evalcore.features.imageclef.published import Published, included, read_published
from evalcore.features.imageclef.read.challenge_files import Kept, content
from evalcore.features.imageclef.read.submissions import open_submission
from evalcore.features.imageclef.result import Opened, Result
from evalcore.graph import ConceptGraph
from evalcore.study.pictures.images import image_bytes
from evalcore.values.arrays import Floats, digest_of, position
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """A file by its name: kept in the workspace, or made here. ``mark`` changes when its content does."""

    name: str
    held: Kept | bytes
    mark: str

    @property
    def data(self) -> bytes:
        """Its content; InputError when it cannot be read any more."""
        return self.held if isinstance(self.held, bytes) else content(self.held)


@dataclass(frozen=True, slots=True)
class Files:
    """What is to be scored: truth, runs, and the files that belong to them, by part and run ("" for all)."""

    truth: Source
    runs: tuple[Source, ...]
    beside: Mapping[tuple[str, str], Source] = field(default_factory=lambda: MappingProxyType({}))

    def part(self, name: str, run: str = "") -> Source | None:
        """A file of a part, and of a run where it belongs to one."""
        return self.beside.get((name, run))

    @property
    def digest(self) -> str:
        """Changes when any of the files does."""
        rest = [f"{part}:{run}:{source.mark}" for (part, run), source in sorted(self.beside.items())]
        return digest_of([self.truth.mark, *(run.mark for run in self.runs), *rest])


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Results of all runs, and in words which of the files beside them could not be used."""

    results: tuple[Result[Any], ...]
    unusable: tuple[str, ...] = ()


def from_kept(files: Sequence[Kept]) -> Files | None:
    """The kept files of a task; None before there is a truth and a run."""
    sources = [(one.part, one.run, Source(one.name, one, one.mark)) for one in files]
    truths = [source for part, _, source in sources if part == "truth"]
    runs = tuple(source for part, _, source in sources if part == "runs")
    beside = {(part, run): source for part, run, source in sources if part not in ("truth", "runs")}
    return Files(truths[0], runs, MappingProxyType(beside)) if truths and runs else None


def or_error(compute: Callable[[Progress], Scored], progress: Progress) -> Scored | InputError:
    """An unusable truth is a result too: the page shows its problems line by line."""
    try:
        return compute(progress)
    except InputError as error:
        return error


def score_concepts(
    files: Files, _progress: Progress, *, edition: Edition, graph: ConceptGraph | None, settings: Settings
) -> Scored:
    """Concept detection of all runs; InputError when a truth cannot be used."""
    manual = files.part("manual") if edition.secondary == "manual" else None
    results = evaluate_concepts(
        _opened(files), read_concept_truth(files.truth.data, file=files.truth.name, edition=edition),
        edition=edition, graph=graph, settings=settings,
        manual=read_concept_truth(manual.data, file=manual.name, edition=edition) if manual else None,
    )  # fmt: skip
    return Scored(results)


def score_captions(
    files: Files, progress: Progress, *, edition: Edition, nltk: Nltk, component: Component, found: Values
) -> Scored:
    """Caption prediction of all runs with the files that belong to them and what models ``found``.

    Of metrics that several of these give, a file of values counts before models, embeddings before both.
    InputError when the truth cannot be used.
    """
    truth = read_caption_truth(files.truth.data, file=files.truth.name)
    opened, unusable = _opened(files), list[str]()

    def read(reader: Callable[..., T], part: str, run: str, **more: object) -> T | None:
        """What a reader makes of a file; None without one and, with a sentence, for one it cannot use."""
        source = files.part(part, run)
        try:
            return None if source is None else reader(source.data, file=source.name, **more)
        except InputError as error:
            first = error.report.problems[0] if error.report and error.report.problems else None
            unusable.append(str(error) + (f" {first.message} {first.remedy}" if first else ""))
            return None

    own = beside(opened, truth, read, edition=edition)
    results = evaluate_captions(
        opened, truth, edition=edition, nltk=nltk, component=component, given=own.over(found),
        concepts=own.concepts, true_concepts=own.true_concepts, progress=progress,
    )  # fmt: skip
    return Scored(results, tuple(unusable))


def model_values_of(
    files: Files, chosen: Sequence[str], progress: Progress, *, edition: Edition, device: str, study: Study
) -> dict[str, dict[str, Floats]]:
    """What the ``chosen`` trained models give: {run: {metric: value per image of the truth}}.

    They see the captions as they are scored, and the study's pictures of the images of the truth. Raises
    what `models.scoring.model_values` does.
    """
    truth = read_caption_truth(files.truth.data, file=files.truth.name)
    images = tuple(truth.content)

    def picture(i: int) -> bytes | None:
        at = position(study.image_ids, images[i])
        if at < 0 or study.images is None or study.images.entries[at] is None:
            return None
        return image_bytes(study.images, at)

    return model_values(
        chosen, truth.content, scored_captions(_opened(files), truth, edition=edition), edition=edition,
        pictures=picture, device=device, progress=progress,
    )  # fmt: skip


def published_of(files: Files, edition: Edition) -> tuple[tuple[Published, ...], bool]:
    """Published results to compare with, and whether they are the included ones; () for none.

    Raises InputError when the table that was uploaded cannot be used.
    """
    uploaded = files.part("published")
    if uploaded is not None:
        return read_published(uploaded.data, file=uploaded.name), False
    return included(edition), True


def _opened(files: Files) -> Opened:
    opened = [open_submission(run.data, name=run.name) for run in files.runs]
    return {name: (data, report) for name, data, report in opened}
