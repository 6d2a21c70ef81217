"""What the challenge page computes, apart from what it draws: files in, results and remarks out.

Nothing here calls Streamlit, so that it can run in the background.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from evalcore.challenge.captions.evaluate import evaluate_captions
from evalcore.challenge.captions.runs import read_caption_run, read_caption_truth
from evalcore.challenge.concepts.evaluate import evaluate_concepts
from evalcore.challenge.concepts.truth import read_concept_truth
from evalcore.challenge.editions import edition_of
from evalcore.challenge.given import read_concepts, read_given, read_vectors
from evalcore.challenge.models.scorers import similarity
from evalcore.challenge.published import included, read_published
from evalcore.errors import InputError
from evalcore.model import Report, digest_of
from evalcore.sources.challenge.challenge_files import OF_A_RUN, Kept, content
from evalcore.sources.challenge.submissions import open_submission

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.challenge.editions import Edition
    from evalcore.challenge.published import Published
    from evalcore.challenge.result import Result, Truth
    from evalcore.model import Floats, Study
    from evalcore.settings import Settings
    from evalcore.ui.frame.workers import Progress

    Given = dict[str, dict[str, Floats]]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """A file by its name: kept in the workspace, or made here."""

    name: str
    held: Kept | bytes

    @property
    def data(self) -> bytes:
        """Its content; InputError when it cannot be read any more."""
        return self.held if isinstance(self.held, bytes) else content(self.held)

    @property
    def mark(self) -> str:
        """Changes when the content does."""
        return digest_of(self.name, self.held) if isinstance(self.held, bytes) else self.held.mark


@dataclass(frozen=True, slots=True)
class Files:
    """What is to be scored: truth, runs, and whatever was brought beside them, by part (and run)."""

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
    """Results of all runs, and what could not be used of the files beside them, in words."""

    results: tuple[Result[Any], ...]
    remarks: tuple[str, ...] = ()


def from_kept(files: Sequence[Kept]) -> Files | None:
    """The kept files of a task; None before there is a truth and a run."""
    truths = [one for one in files if one.part == "truth"]
    runs = tuple(Source(one.name, one) for one in files if one.part == "runs")
    if not truths or not runs:
        return None
    beside = {
        (one.part, one.run): Source(one.name, one) for one in files if one.part not in ("truth", "runs")
    }
    return Files(Source(truths[0].name, truths[0]), runs, MappingProxyType(beside))


def score_concepts(files: Files, *, edition: str, study: Study, settings: Settings) -> Scored:
    """Concept detection of all runs; InputError when a truth cannot be used."""
    rules = edition_of("concepts", edition)
    manual = files.part("manual") if rules.secondary == "manual" else None
    results = evaluate_concepts(
        _opened(files), read_concept_truth(files.truth.data, file=files.truth.name, edition=rules),
        edition=rules, graph=study.graph, settings=settings,
        manual=read_concept_truth(manual.data, file=manual.name, edition=rules) if manual else None,
    )  # fmt: skip
    return Scored(results)


def score_captions(
    files: Files, *, edition: str, options: Mapping[str, Any], found: Given, progress: Progress
) -> Scored:
    """Caption prediction of all runs with what was brought and what models ``found`` beside them."""
    rules = edition_of("captions", edition)
    truth = read_caption_truth(files.truth.data, file=files.truth.name)
    opened, images = _opened(files), truth.images
    remarks: list[str] = []
    given: Given = {name: dict(found.get(name, {})) for name in opened}
    vectors = _tried(remarks, read_vectors, files.part("image_embeddings"), images=images)
    for name in opened:
        given[name] |= _tried(remarks, read_given, files.part("scores", name), images=images) or {}
        if vectors is not None:
            given[name] |= _similarity(files, name, opened[name][0], truth, vectors, rules, remarks)
    truth_concepts = _concepts(files.part("truth_concepts"), remarks)
    concepts = {name: _concepts(files.part("run_concepts", name), remarks) for name in opened}
    results = evaluate_captions(
        opened, truth, edition=rules, given=given, true_concepts=truth_concepts, progress=progress,
        concepts={name: rows for name, rows in concepts.items() if rows is not None}, **options,
    )  # fmt: skip
    return Scored(results, tuple(remarks))


def captions_of(files: Files, *, edition: str) -> tuple[Mapping[str, str], dict[str, Mapping[str, str]]]:
    """True captions, and those of every run as they are scored: what models are given."""
    truth = read_caption_truth(files.truth.data, file=files.truth.name)
    rules = edition_of("captions", edition)
    runs = {
        name: read_caption_run(data, name=name, truth=truth.content, edition=rules).scored
        for name, (data, _) in _opened(files).items()
    }
    return truth.content, runs


def published_of(files: Files, task: Any, edition: str) -> tuple[tuple[Published, ...], bool]:
    """Published results to stand beside the runs, and whether they are the included ones; () for none.

    Raises InputError when the table that was brought cannot be used.
    """
    brought = files.part("published")
    if brought is not None:
        return read_published(brought.data, file=brought.name), False
    return included(edition_of(task, edition)), True


def _opened(files: Files) -> dict[str, tuple[bytes, Report]]:
    opened: dict[str, tuple[bytes, Report]] = {}
    for run in files.runs:
        name, data, report = open_submission(run.data, name=run.name)
        opened[name] = (data, report)
    return opened


def _similarity(
    files: Files, name: str, data: bytes, truth: Truth[str], vectors: Floats, edition: Edition,
    remarks: list[str],
) -> dict[str, Floats]:  # fmt: skip
    """Similarity of one run from embeddings, {} when they are not there or cannot be used."""
    source = files.part("caption_embeddings", name)
    texts = _tried(remarks, read_vectors, source, images=truth.images, like=vectors)
    if texts is None:
        return {}
    run = read_caption_run(data, name=name, truth=truth.content, edition=edition).scored
    pairs = [(text, run.get(image, "")) for image, text in truth.content.items()]
    return {"similarity": similarity(vectors, texts, pairs, edition=edition)}


def _concepts(source: Source | None, remarks: list[str]) -> dict[str, Sequence[str]] | None:
    found = _tried(remarks, read_concepts, source)
    return found[0] if found else None


def _tried(remarks: list[str], read: Callable[..., T], source: Source | None, **more: object) -> T | None:
    """What a reading function makes of a file; None of a bad one, whose first problem becomes a remark."""
    if source is None:
        return None
    try:
        return read(source.data, file=source.name, **more)
    except InputError as error:
        first = error.report.problems[0] if error.report and error.report.problems else None
        remarks.append(str(error) + (f" {first.message} {first.remedy}" if first else ""))
        return None


__all__ = [
    "OF_A_RUN", "Files", "Scored", "Source", "captions_of", "from_kept", "published_of",
    "score_captions", "score_concepts",
]  # fmt: skip
