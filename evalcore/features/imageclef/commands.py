"""``imageclef``: submissions to ImageCLEF caption, checked and scored as the official scripts do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Command, as_json, choice_option, example, options, refuse_idle
from evalcore.cli.output import AT_FAULT, TEXT_FILE, emit, how_many, mention, progress_line, write_table
from evalcore.evaluate.summary import too_narrow
from evalcore.features.imageclef.captions import FROM_ELSEWHERE, read_caption_truth
from evalcore.features.imageclef.editions import EDITIONS, Edition, edition_of
from evalcore.features.imageclef.models import MODELS, devices, readiness
from evalcore.features.imageclef.published import TEST_SET, Published, included, placed, read_published
from evalcore.features.imageclef.read import content_at
from evalcore.features.imageclef.results import Board, Result, board
from evalcore.features.imageclef.scoring import (
    PER_RUN,
    Files,
    Scored,
    Source,
    score_captions,
    score_concepts,
    values_from_models,
)
from evalcore.features.imageclef.tables import (
    caption_runs,
    comparisons_table,
    concept_runs,
    extreme_concepts,
    intervals_table,
    metrics_table,
    models_table,
    published_table,
    tallies_table,
)
from evalcore.results.rows import Table, also, plain
from evalcore.study.concepts.tool_output import parse_tool_output
from evalcore.study.folder.layout import files_alone
from evalcore.study.names import parse_names
from evalcore.study.opening import Opening
from evalcore.study.parts.reading import parse_path
from evalcore.study.pictures.image_files import find_images, image_bytes
from evalcore.study.study import read_graph_files
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.home import models_folder as usual_folder
from evalcore.values.errors import InputError, Report
from evalcore.values.settings import view_of

if TYPE_CHECKING:
    from evalcore.features.imageclef.editions import Task
    from evalcore.features.imageclef.scoring import Values
    from evalcore.graph import ConceptGraph

FILE = click.Path(dir_okay=False)
Shown = str | Table
in_models_folder = click.option(
    "--models-folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder of the weights; else the folder models of the workspace.",
)


# What both tasks take.


@dataclass(frozen=True)
class Request:
    """The values of the options that both tasks share."""

    edition: Edition
    truth: Source
    runs: tuple[Source, ...]
    published: str | None
    baseline: str | None
    per_image: str | None
    seed: int
    json: bool


def on_runs(task: Task, truth: str) -> Callable[[Any], Any]:
    """A command that scores runs: it gets one ``Request``, then its own options by name.

    ``truth``: the help of ``--truth``.
    """
    shared = options(
        click.option(
            "--edition", metavar="YEAR", required=True, help=f"Whose rules and script: {', '.join(EDITIONS)}."
        ),
        click.option("--truth", type=FILE, required=True, metavar="F", help=truth),
        click.option(
            "--run",
            "runs",
            type=click.Path(),
            multiple=True,
            required=True,
            metavar="F",
            help="A run to score: a submission, a zip with one in it, or a folder of these. Repeat for "
            "several.",
        ),
        click.option(
            "--published",
            type=FILE,
            metavar="F",
            help="Published results to rank the runs among (columns team, run, score, resources, "
            "source); else, for 2017, those of the task's page.",
        ),
        click.option(
            "--baseline", metavar="RUN", help="Compare the others with this: a run; else the first."
        ),
        click.option(
            "--per-image", type=TEXT_FILE, metavar="OUT.csv", help="Write the scores of every image."
        ),
        choice_option("seed"),
        as_json,
    )

    def add(command: Any) -> Any:
        @wraps(command)
        def with_request(
            edition: str,
            truth: str,
            runs: Sequence[str],
            published: str | None,
            baseline: str | None,
            per_image: str | None,
            seed: int,
            json_wanted: bool,
            **own: Any,
        ) -> Any:
            rules = edition_of(task, edition)
            sources = _runs_at(path for named in runs for path in _files_at(Path(named)))
            request = Request(
                rules, file_at(truth), sources, published, baseline, per_image, seed, json_wanted
            )
            return command(request, **own)

        return shared(with_request)

    return add


def _files_at(path: Path) -> Sequence[Path]:
    """The path itself; of a folder its files by name, hidden ones left out. InputError of an empty folder."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    if not files:
        raise InputError(f"{path} contains no files. Give a folder of runs.")
    return files


def _runs_at(paths: Iterable[Path]) -> tuple[Source, ...]:
    """Submissions by their file names; of files with equal names the later ones by their whole paths."""
    runs: dict[str, Source] = {}
    for path in paths:
        source = file_at(path)
        name = str(path) if source.name in runs else source.name
        runs[name] = Source(name, source.data)
    return tuple(runs.values())


def file_at(path: str | Path) -> Source:
    """A file that must be there; InputError otherwise."""
    return Source(Path(path).name, content_at(Path(path)))


# What both tasks print.


def answer(
    request: Request,
    scored: Scored,
    made: Board,
    *,
    runs: Table,
    below: Iterable[Shown],
    behind: Iterable[Shown],
    **facts: Any,
) -> int:
    """Print what was computed.

    Parameters
    ----------
    runs : a row for each run.
    below, behind : for people, below the runs and below their comparison.
    facts : what the task adds to the JSON.

    Returns
    -------
    The exit code: whether the official script accepts every run.
    """
    mention(scored.report)
    results = scored.results
    rows, scored_on = _published(request, results)
    published = published_table(rows)
    document = {
        "edition": request.edition.key,
        "task": request.edition.task,
        "runs": runs,
        **facts,
        "intervals": intervals_table(made),
        "comparisons": comparisons_table(made),
    }
    if rows:
        document["published"] = {"rows": published.records(), "scored_on": scored_on}

    def shown() -> Iterator[Shown]:
        yield runs
        yield from below
        if warning := too_narrow([mean.n for mean in made.intervals.values()], of="images"):
            yield warning
        if made.compared:
            first = made.compared[0]
            yield f"\nAgainst {plain(first.baseline)} ({first.metric}): {first.test}, seed {first.seed}."
            yield comparisons_table(made)
        yield from behind
        for result in results:
            yield from _problem_lines(result)
        if rows:
            where = f", scored on {scored_on}" if scored_on else ""
            yield f"\nPublished results{where}; yours marked with >"
            yield published

    emit(document, shown(), json=request.json)
    return 0 if all(result.accepted for result in results) else AT_FAULT


EXAMPLES = 5
"""Problems of one rule that are printed; the others are counted."""


def _problem_lines(result: Result[Any]) -> Iterator[str]:
    """Every problem as ``file:line: message``, those that the official script stops at first."""
    report = result.report
    for severity, heading in (("error", "refused because of"), ("warning", "accepted, but note")):
        kinds = [key for key in report.counts if key[0] == severity]
        if kinds:
            total = sum(report.counts[key] for key in kinds)
            yield f"\n{plain(result.name)}, {heading} ({total:,}):"
        for key in kinds:
            alike = [p for p in report.problems if (p.severity, p.file, p.rule) == key][:EXAMPLES]
            yield from (plain(str(problem)) for problem in alike)
            if (more := report.counts[key] - sum(problem.count for problem in alike)) > 0:
                yield plain(f"{key[1]}: {more:,} more of the same kind ({key[2]}); --json lists them.")


def _published(request: Request, results: Sequence[Result[Any]]) -> tuple[list[Published], str]:
    """The runs among published results, and what those were scored on; [] where there are none."""
    rows: Sequence[Published] = included(request.edition)
    if request.published:
        source = file_at(request.published)
        rows = read_published(source.data, file=source.name)
    scores = {result.name: result.headline for result in results if result.accepted}
    return placed(rows, scores) if rows else [], "" if request.published else TEST_SET


# Concept detection.

_NEAR = ("alpha", "threshold", "count_rule", "direction")
_IMAGE_COLUMNS = ("run", "image", "f1", "precision", "recall", "nn_f1", "truth", "predicted")
_CONCEPT_COLUMNS = ("run", "cui", "name", "f1", "precision", "recall", "hits", "wrong", "missed")


@example("imageclef concepts --edition 2025 --truth truth.csv --run run_a.csv")
@click.command()
@on_runs("concepts", truth="The truth: image and concepts.")
@click.option(
    "--manual",
    type=FILE,
    metavar="F",
    help="Manually checked truth for the secondary score; else the truth itself.",
)
@click.option("--graph", type=FILE, multiple=True, metavar="F", help="Edges for nn-F1.")
@click.option(
    "--names", type=FILE, multiple=True, metavar="F", help="A file of concept names: for the tables."
)
@click.option(
    "--per-concept", type=TEXT_FILE, metavar="OUT.csv", help="Write hits, errors and F1 of every concept."
)
@options(*map(choice_option, _NEAR))
def concepts(
    request: Request,
    manual: str | None,
    graph: Sequence[str],
    names: Sequence[str],
    per_concept: str | None,
    **shared: Any,
) -> int:
    """Score concept detection as the official script does.

    F1, and the counts behind it.
    """
    rules = request.edition
    refuse_idle(bool(graph), *_NEAR, because="it acts on nn-F1, which needs --graph")
    because = f"the secondary score of {rules.key} has no manually checked truth"
    refuse_idle(rules.secondary == "manual", "manual", because=because)
    beside = {("manual", ""): file_at(manual)} if manual else {}
    scored = score_concepts(
        Files(request.truth, request.runs, beside),
        edition=rules,
        graph=_graph(graph),
        settings=view_of(shared).settings,
    )
    results, known = scored.results, _names(names)
    made = board(results, baseline=request.baseline, seed=request.seed)
    if request.per_image:
        write_table(request.per_image, _IMAGE_COLUMNS, _concepts_per_image(results))
    if per_concept:
        tables = ((result.name, tallies_table(result.concepts.concepts, known)) for result in results)
        rows = ((name, *record.values()) for name, table in tables for record in table.records())
        write_table(per_concept, _CONCEPT_COLUMNS, rows)
    runs = concept_runs(results, made, known)
    return answer(request, scored, made, runs=runs, below=(), behind=_behind(results, known))


def _behind(results: Sequence[Result[Any]], names: Mapping[str, str]) -> Iterator[Shown]:
    def named(cui: str) -> str:
        return plain(f"{names[cui]} ({cui})" if cui in names else cui)

    for result in results:
        for which in ("highest", "lowest"):
            yield f"\n{plain(result.name)}: concepts with the {which} F1 among those of 5 images or more"
            yield tallies_table(extreme_concepts(result, best=which == "highest"), names)
        for mixed in result.concepts.confusions[:EXAMPLES]:
            near = f"{named(mixed.predicted)} instead of its neighbour {named(mixed.true)}"
            yield f"{near}: {mixed.images:,} images"


def _concepts_per_image(results: Sequence[Result[Any]]) -> Iterator[tuple[object, ...]]:
    for result in results:
        detail, run = result.concepts, result.run.read
        at = {image: i for i, image in enumerate(detail.images)}
        for image, value in zip(result.images, result.values[result.edition.primary].tolist(), strict=True):
            i = at.get(image)
            columns = (detail.precision, detail.recall, detail.nn_f1)
            more = (None if i is None or column is None else column[i] for column in columns)
            sets = ";".join(result.truth[image]), ";".join(run.get(image, ()))
            yield result.name, image, value, *more, *sets


def _graph(paths: Sequence[str]) -> ConceptGraph | None:
    if not paths:
        return None
    files = files_alone(Path("/"), graph=[Path(path).resolve() for path in paths])
    opening = Opening(files, Problems(""))
    graph = read_graph_files(opening)
    if graph is None:
        raise InputError("The graph cannot be used.", opening.problems.report())
    return graph


def _names(paths: Sequence[str]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for path in paths:
        rows = parse_path(parse_names, Path(path).resolve(), Problems(path))
        names = {**({} if rows is None else rows.names), **names}
    return names


# Caption prediction.


def _one_per_run(name: str, help: str, *aliases: str) -> Callable[[Command], Command]:
    return click.option(
        name,
        *aliases,
        type=FILE,
        multiple=True,
        metavar="F",
        help=f"{help}, one file per --run, in their order.",
    )


@example("imageclef captions --edition 2025 --truth captions.csv --run captions_a.csv")
@click.command()
@on_runs("captions", truth="The truth: captions, image and caption.")
@_one_per_run("--values", f"Scores per image from elsewhere (columns {', '.join(FROM_ELSEWHERE)})", "scores")
@click.option("--truth-concepts", type=FILE, metavar="F", help="Concepts of the true captions, for UMLS F1.")
@_one_per_run("--run-concepts", "Concepts of each run's captions")
@click.option(
    "--image-embeddings",
    type=FILE,
    metavar="F",
    help="Image vectors, for the similarity: npz with ids and vectors or one array per image, or parquet.",
)
@_one_per_run("--caption-embeddings", "Vectors of each run's captions")
@click.option(
    "--metric-model",
    "models",
    type=click.Choice(list(MODELS)),
    multiple=True,
    help="Run this model; needs the extra caption-models and its weights (see imageclef models).",
)
@in_models_folder
@click.option(
    "--images",
    "pictures",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The pictures, named by image id, for medimageinsight.",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda", "mps"]),
    default="cpu",
    show_default=True,
    help="Where models run: cpu, or a GPU.",
)
@click.option(
    "--nltk",
    type=click.Choice(["nltk322", "modern"]),
    default="nltk322",
    show_default=True,
    help="Which NLTK the BLEU of 2017 follows.",
)
def captions(
    request: Request,
    models: Sequence[str],
    models_folder: Path | None,
    pictures: Path | None,
    device: str,
    nltk: Any,
    **paths: Any,
) -> int:
    """Score caption prediction as the official script does.

    The edition's scores, COCO's metrics, and what is missing for the rest.
    """
    rules = request.edition
    refuse_idle(
        rules.primary == "BLEU (2017)", "nltk", because=f"the BLEU of {rules.key} does not depend on it"
    )
    for acts, names, because in (
        (paths["caption_embeddings"], ("image_embeddings",), "the similarity needs --caption-embeddings too"),
        (paths["run_concepts"], ("truth_concepts",), "UMLS F1 needs --run-concepts too"),
        (paths["truth_concepts"], ("run_concepts",), "UMLS F1 needs --truth-concepts too"),
        (models, ("models_folder", "device"), "no --metric-model is run"),
        ("medimageinsight" in models, ("pictures",), "only medimageinsight uses pictures"),
    ):
        refuse_idle(bool(acts), *names, because=because)
    files = Files(request.truth, request.runs, _beside(request.runs, paths))
    values: Values = {}
    if models:
        picture_of = _pictures(pictures, read_caption_truth(files.truth.data, file=files.truth.name).images)
        where = {"folder": models_folder, "device": device}
        values = values_from_models(
            files, models, progress_line(), edition=rules, pictures=picture_of, **where
        )
    scored = score_captions(files, progress_line(), edition=rules, nltk=nltk, from_models=values)
    if scored.unusable:
        reports = [error.report for error in scored.unusable if error.report]
        raise InputError(" ".join(map(str, scored.unusable)), sum(reports, Report()))
    results = scored.results
    made = board(results, baseline=request.baseline, seed=request.seed)
    if request.per_image:
        metrics = list(dict.fromkeys(name for result in results for name in result.values))
        write_table(request.per_image, ("run", "image", *metrics), _captions_per_image(results, metrics))
    below: list[Shown] = [*_about_scores(rules), "", metrics_table(results)]
    runs = caption_runs(results, made)
    return answer(
        request, scored, made, runs=runs, below=below, behind=_missing(results), compared_by=made.metric
    )


def _beside(runs: Sequence[Source], paths: Mapping[str, Any]) -> dict[tuple[str, str], Source]:
    """The files that belong to runs or to all of them; BadParameter where they do not pair up."""
    beside: dict[tuple[str, str], Source] = {}
    for part, given in paths.items():
        if part not in PER_RUN:
            beside |= {(part, ""): file_at(given)} if given else {}
        elif given and len(given) != len(runs):
            option = "values" if part == "scores" else part.replace("_", "-")
            raise click.BadParameter(f"--{option} needs one file per --run.")
        else:
            beside |= {(part, run.name): file_at(path) for run, path in zip(runs, given, strict=False)}
    if paths["caption_embeddings"] and not paths["image_embeddings"]:
        raise click.BadParameter("--caption-embeddings needs --image-embeddings.")
    return beside


def _pictures(folder: Path | None, images: Sequence[str]) -> Callable[[str], bytes | None]:
    """A function from an image's id to the bytes of its picture, None where there is none."""
    if folder is None:
        return lambda _image: None
    ordered = sorted(images)
    files, report = find_images(folder, ordered, file=str(folder))
    if files is None:
        raise InputError(f"No picture in {folder} is named after an image of the ground truth.", report)
    at = {image: i for i, image in enumerate(ordered)}
    return lambda image: image_bytes(files, at[image]) if files.entries[at[image]] else None


def _about_scores(edition: Edition) -> Iterator[str]:
    """What the numbers of an edition are that ranks by another one than its script prints."""
    if edition.ranking:
        yield (
            "overall: the mean of relevance (similarity, BERTScore recall, ROUGE-1, BLEURT) and "
            "factuality (UMLS F1, AlignScore), by which the task ranks; with any of them missing it is "
            f"partial and not ranked. score: what the script prints ({edition.primary})."
        )


def _missing(results: Sequence[Result[Any]]) -> Iterator[str]:
    for result in results:
        for name, need in result.missing.items():
            yield f"{plain(result.name)}: {name} is missing. {plain(need)}"


def _captions_per_image(results: Sequence[Result[Any]], names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for result in results:
        columns = [result.values[name].tolist() if name in result.values else None for name in names]
        for i, image in enumerate(result.images):
            yield result.name, image, *(None if column is None else column[i] for column in columns)


# What can be run here, and concepts out of captions.


@example("imageclef models")
@click.command()
@in_models_folder
@as_json
def models(models_folder: Path | None, json_wanted: bool) -> None:
    """Which trained models can be run here.

    And what is missing for the others.
    """
    where, here = models_folder or usual_folder(), list(devices())
    states = models_table([readiness(key, folder=models_folder) for key in MODELS], models_folder)
    document = {"folder": str(where), "devices": here, "models": states}
    emit(document, [f"Weights belong into {where}. Devices: {', '.join(here)}.", states], json=json_wanted)


@example("imageclef extract --from medcat.json --captions notes.csv --out concepts_a.csv")
@click.command()
@click.option(
    "--from",
    "output",
    type=FILE,
    required=True,
    metavar="FILE.json",
    help="What MedCAT or QuickUMLS found: in these captions, as JSON by image id.",
)
@click.option(
    "--captions",
    type=FILE,
    required=True,
    metavar="F",
    help="Captions: image and caption, as for imageclef captions.",
)
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="OUT.csv",
    help="Where to write: the concepts (for --truth-concepts or --run-concepts).",
)
@as_json
def extract(output: str, captions: str, out: str | None, json_wanted: bool) -> None:
    """Concepts that MedCAT or QuickUMLS found in captions.

    CUIs, as UMLS F1 compares them.
    """
    truth, tool = file_at(captions), file_at(output)
    texts = read_caption_truth(truth.data, file=truth.name).content
    parsed, report = parse_tool_output(tool.data, file=tool.name, captions=texts)
    if report.total("error"):
        raise InputError(f"{output} has {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    sets = {image: list(dict.fromkeys(m.concept for m in parsed.matches.get(image, ()))) for image in texts}
    if out:
        write_table(out, ("ID", "CUIs"), ((image, ";".join(cuis)) for image, cuis in sets.items()))
    columns = (also("image", lambda row: row[0]), also("concepts", lambda row: ";".join(row[1]) or "-"))
    document = {"tool": parsed.tool, "images": len(sets), "concepts": sets}
    emit(document, [] if out else [Table(list(sets.items()), columns)], json=json_wanted)
