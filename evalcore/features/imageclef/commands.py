"""``imageclef``: submissions to ImageCLEF caption, checked and scored as the official scripts do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from evalcore.cli.options import as_json, choice_option, example, option, options, reject_unused
from evalcore.cli.output import (
    AT_FAULT,
    TEXT_FILE,
    Item,
    emit,
    mention,
    problem_lines,
    progress_line,
    refuse_overwriting,
)
from evalcore.features.imageclef import scoring, tables
from evalcore.features.imageclef.editions import EDITIONS, Edition, edition_of
from evalcore.features.imageclef.models import FROM_ELSEWHERE, MODELS, Setup, model_values
from evalcore.features.imageclef.published import TEST_SET, published_results, rank_among
from evalcore.features.imageclef.scoring import Captions, Files, Scored, Source
from evalcore.results.method import too_narrow
from evalcore.results.rows import plain
from evalcore.study.parts.images import find_images, image_bytes
from evalcore.study.tables.files import content_of
from evalcore.study.tables.problems import Problems, guarded
from evalcore.values.errors import InputError, Report
from evalcore.values.writing import listed

FILE = click.Path(dir_okay=False)
EXAMPLES = 5
"""Problems of a file and rule that are printed; JSON lists more."""

_shared = options(
    click.option(
        "--edition", metavar="YEAR", required=True, help=f"Whose rules and script: {', '.join(EDITIONS)}."
    ),
    click.option("--truth", type=FILE, required=True, metavar="F", help="The truth, as the task gives it."),
    click.option(
        "--run",
        "runs",
        type=click.Path(),
        multiple=True,
        required=True,
        metavar="F",
        help="A run to score: a submission, a zip with one in it, or a folder of these. Repeat for several.",
    ),
    click.option("--baseline", metavar="RUN", help="Compare the others with this: a run; else the first."),
    click.option("--per-image", type=TEXT_FILE, metavar="OUT.csv", help="Write the scores of every image."),
    choice_option("seed"),
    as_json,
)


def _per_run_option(name: str, help: str, *aliases: str) -> Callable[[Any], Any]:
    text = f"{help}, one file per --run, in their order."
    return click.option(name, *aliases, type=FILE, multiple=True, metavar="F", help=text)


@example("imageclef concepts --edition 2025 --truth truth.csv --run run_a.csv", own_files=True)
@click.command()
@_shared
@click.option(
    "--manual", type=FILE, metavar="F", help="The manually checked truth, for the secondary score of 2025."
)
def concepts(edition: str, truth: str, runs: Sequence[str], manual: str | None, **shared: Any) -> int:
    """Score concept detection as the official script does."""
    rules = edition_of("concepts", edition)
    because = f"the secondary score of {rules.key} has no manually checked truth"
    reject_unused(rules.secondary == "manual", "manual", because=because)
    paths = _run_paths(runs)
    refuse_overwriting([shared["per_image"]], [truth, manual, *paths])
    beside = {("manual", ""): source_at(manual)} if manual else {}
    scored = scoring.score_concepts(Files(source_at(truth), _runs_at(paths), beside), edition=rules)
    return _answer(rules, scored, **shared)


@example("imageclef captions --edition 2025 --truth captions.csv --run captions_a.csv", own_files=True)
@click.command()
@_shared
@_per_run_option(
    "--values", f"Scores per image from elsewhere (columns {', '.join(FROM_ELSEWHERE)})", "scores"
)
@click.option("--truth-concepts", type=FILE, metavar="F", help="Concepts of the true captions, for UMLS F1.")
@_per_run_option("--run-concepts", "Concepts of each run's captions")
@option(
    *("--metric-model", "models"),
    kind=tuple(MODELS),
    usual=(),
    help="Run this model; needs the extra caption-models and its weights.",
)
@click.option(
    "--images",
    "pictures",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The pictures, named by image id, for medimageinsight.",
)
@option("--device", kind=("cpu", "cuda", "mps"), usual="cpu", help="Where models run: cpu, or a GPU.")
def captions(
    edition: str,
    truth: str,
    runs: Sequence[str],
    scores: Sequence[str],
    truth_concepts: str | None,
    run_concepts: Sequence[str],
    models: Sequence[str],
    pictures: Path | None,
    device: str,
    **shared: Any,
) -> int:
    """Score caption prediction as the official script does.

    The edition's scores, COCO's metrics, and what is missing for the rest.
    """
    rules = edition_of("captions", edition)
    for acts, names, because in (
        (run_concepts, ("truth_concepts",), "UMLS F1 needs --run-concepts too"),
        (truth_concepts, ("run_concepts",), "UMLS F1 needs --truth-concepts too"),
        (models, ("device",), "no --metric-model is run"),
        ("medimageinsight" in models, ("pictures",), "only medimageinsight uses pictures"),
    ):
        reject_unused(bool(acts), *names, because=because)
    paths = _run_paths(runs)
    refuse_overwriting([shared["per_image"]], [truth, truth_concepts, *paths, *scores, *run_concepts])
    sources = _runs_at(paths)
    beside = {("truth_concepts", ""): source_at(truth_concepts)} if truth_concepts else {}
    for role, flag, files in (("scores", "values", scores), ("run_concepts", "run-concepts", run_concepts)):
        if files and len(files) != len(sources):
            raise click.BadParameter(f"--{flag} needs one file per run.")
        beside |= {(role, run.name): source_at(file) for run, file in zip(sources, files, strict=False)}

    def run_models(true: Captions, predicted: Mapping[str, Captions]) -> Mapping[str, Any]:
        setup = Setup(device, _pictures(pictures, list(true)), rules.zero_when_empty)
        return model_values(models, true, predicted, setup, progress=progress_line())

    scored = scoring.score_captions(
        Files(source_at(truth), sources, beside), progress_line(), edition=rules, models=run_models
    )
    if scored.unusable:
        reports = [error.report for error in scored.unusable if error.report]
        raise InputError(" ".join(map(str, scored.unusable)), sum(reports, Report()))
    return _answer(rules, scored, **shared)


def source_at(path: str | Path) -> Source:
    """A file that must be there; InputError otherwise."""
    place = Path(path)
    return Source(place.name, content_of(place, place.name))


def _run_paths(places: Sequence[str]) -> list[Path]:
    """The files of runs, each once; those in folders by name, hidden ones left out."""
    paths: list[Path] = []
    for place in map(Path, places):
        inside = [place]
        if place.is_dir():
            inside = sorted(path for path in place.iterdir() if path.is_file() and path.name[0] != ".")
        if not inside:
            raise InputError(f"{place} contains no files. Give a folder of runs.")
        paths += inside
    return list(dict.fromkeys(paths))


def _runs_at(paths: Sequence[Path]) -> tuple[Source, ...]:
    """The runs, by the names of their files; by their paths where several files have one name."""
    names = Counter(path.name for path in paths)
    return tuple(
        replace(source_at(path), name=path.name if names[path.name] == 1 else str(path)) for path in paths
    )


def _pictures(folder: Path | None, images: Sequence[str]) -> Callable[[int], bytes | None]:
    """The picture of the i-th image as bytes, None where there is none."""
    if folder is None:
        return lambda _image: None
    ordered = sorted(images)
    problems = Problems(str(folder))
    files = guarded(problems, partial(find_images, folder, ordered), None)
    if files is None:
        message = f"No picture in {folder} is named after an image of the ground truth."
        raise InputError(message, problems.report())
    place = {image: at for at, image in enumerate(ordered)}

    def picture(image: int) -> bytes | None:
        at = place[images[image]]
        return image_bytes(files, at) if files.entries[at] else None

    return picture


def _answer(
    edition: Edition,
    scored: Scored,
    *,
    baseline: str | None,
    per_image: str | None,
    seed: int,
    json_wanted: bool,
) -> int:
    """Print what was computed; the exit code: whether the official script accepts every run."""
    mention(scored.report)
    results = scored.results
    board = scoring.board_of(results, baseline=baseline, seed=seed)
    facts = {"edition": edition.key, "task": edition.task, "compared_by": board.metric}

    def items() -> Iterator[Item]:
        problems = sum((result.report for result in results), Report())
        yield from problem_lines(problems, EXAMPLES)
        if problems.counts:
            yield "The official script stops at an error and goes on after a warning.\n"
        yield "runs", tables.runs_table(results, board)
        if edition.task == "captions":
            yield from (*tables.about_scores(results, board.metric), "")
            yield tables.metrics_table(results)
            needs = dict.fromkeys(need for result in results for need in result.missing.items())
            for name, need in needs:
                lacking = [result.name for result in results if result.missing.get(name) == need]
                runs = "" if len(lacking) == len(results) else f" from {plain(listed(lacking))}"
                key = next((key for key, model in MODELS.items() if name in model.metrics), "")
                run = f" --metric-model {key} runs it." if key else ""
                yield f"{name} is missing{runs}. {plain(need)}{run}"
        if warning := too_narrow([mean.n for mean in board.intervals.values()], units="images"):
            yield warning
        if board.comparisons:
            first = board.comparisons[0]
            yield f"\nAgainst {plain(first.baseline)} ({first.metric}): {first.test}, seed {first.seed}."
        if published := published_results(edition):
            scores = {result.name: result.headline for result in results if result.accepted}
            table = tables.published_table(rank_among(published, scores))
            yield {"published": {"rows": table.records(), "scored_on": TEST_SET}}
            yield f"\nPublished results ({published[0].source}), scored on {TEST_SET}; yours marked with >"
            yield table

    images = tables.images_table(results, board.metric) if per_image else None
    emit(facts, items(), json=json_wanted, csv=per_image, csv_rows=images)
    return 0 if all(result.accepted for result in results) else AT_FAULT
