"""``imageclef captions``: caption prediction, with or without the models that some metrics need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_json, example, refuse_idle
from evalcore.cli.output import TEXT_FILE, emit, how_many, mention, progress_line, write_table
from evalcore.features.imageclef.captions.evaluate import (
    evaluate_captions,
    read_caption_truth,
    scored_captions,
)
from evalcore.features.imageclef.captions.vectors import PARTS
from evalcore.features.imageclef.commands.output import (
    FILE,
    answer,
    file_of,
    in_models_folder,
    on_runs,
    run_interval,
    verdict,
)
from evalcore.features.imageclef.from_files import FOR_ALL, PER_RUN, values_of_files
from evalcore.features.imageclef.models import MODELS, devices, model_values, readiness, remedy
from evalcore.features.imageclef.result import board
from evalcore.results.rows import Column, Table, also, decimals, plain, titled, whole
from evalcore.study.concepts.tool_output import parse_tool_output
from evalcore.study.pictures.image_files import find_images, image_bytes
from evalcore.study.trained_models import models_folder as usual
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.features.imageclef.commands.output import Request
    from evalcore.features.imageclef.editions import Edition
    from evalcore.features.imageclef.from_files import Values
    from evalcore.features.imageclef.result import Board, Opened, Result, Truth

# What is supplied for caption metrics beside the runs: values, concepts, embeddings, and models to run.


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
            (self.models, ("models_folder", "device"), "no --metric-model is run"),
            ("medimageinsight" in self.models, ("pictures",), "only medimageinsight uses pictures"),
        ):
            refuse_idle(bool(acts), *names, because=because)

    def given(self, opened: Opened, truth: Truth[str], edition: Edition) -> dict[str, Any]:
        """What the files and the models give, as ``evaluate_captions`` takes it.

        Of metrics that several of these give, a file of values counts before models, embeddings before both.
        """
        paths: dict[tuple[str, str], str | None] = {(part, ""): getattr(self, part) for part in FOR_ALL}
        for part in PER_RUN:
            paths |= {(part, name): path for name, path in zip(opened, getattr(self, part), strict=False)}

        def read(reader: Callable[..., Any], part: str, run: str, **more: Any) -> Any:
            path = paths.get((part, run))
            return None if path is None else reader(**file_of(path), **more)

        own = values_of_files(opened, truth, read, edition=edition)
        for report in own.reports:
            mention(report)
        values = self._of_models(opened, truth, edition) if self.models else {}
        return {"given": own.over(values), "concepts": own.concepts, "true_concepts": own.true_concepts}

    def _of_models(self, opened: Opened, truth: Truth[str], edition: Edition) -> Values:
        return model_values(
            self.models,
            truth.content,
            scored_captions(opened, truth, edition=edition),
            edition=edition,
            folder=self.models_folder,
            pictures=_pictures(self.pictures, truth.images),
            device=self.device,
            progress=progress_line(),
        )


def _pictures(folder: Path | None, images: Sequence[str]) -> Callable[[int], bytes | None]:
    """A function from an image's position to the bytes of its picture, None where there is none."""
    if folder is None:
        return lambda _image: None
    ordered = sorted(images)
    files, report = find_images(folder, ordered, file=str(folder))
    if files is None:
        raise InputError(f"No picture in {folder} is named after an image of the ground truth.", report)
    at = {image: i for i, image in enumerate(ordered)}
    return lambda i: image_bytes(files, at[images[i]]) if files.entries[at[images[i]]] else None


@example("imageclef captions --edition 2025 --truth captions.csv --run captions_a.csv")
@click.command()
@on_runs("captions", truth="The truth: captions, image and caption.")
@click.option(
    "--values",
    "scores",
    type=FILE,
    multiple=True,
    metavar="F",
    help="Scores per image from elsewhere (columns BERTScore, BLEURT, AlignScore, similarity, "
    "UMLS F1), one file per --run, in their order.",
)
@click.option("--truth-concepts", type=FILE, metavar="F", help="Concepts of the true captions, for UMLS F1.")
@click.option(
    "--run-concepts",
    type=FILE,
    multiple=True,
    metavar="F",
    help="Concepts of each run's captions, one file per --run, in their order.",
)
@click.option(
    "--image-embeddings",
    type=FILE,
    metavar="F",
    help="Image vectors, for the similarity: npz with ids and vectors or one array per image, or parquet.",
)
@click.option(
    "--caption-embeddings",
    type=FILE,
    multiple=True,
    metavar="F",
    help="Vectors of each run's captions, one file per --run, in their order.",
)
@click.option(
    "--metric-model",
    "models",
    type=click.Choice(list(MODELS)),
    multiple=True,
    help="Run this model; needs the extra caption-models and its weights (see --list-models).",
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
@click.option(
    "--bertscore",
    "component",
    type=click.Choice(["f1", "recall"]),
    default="f1",
    show_default=True,
    help="In the aggregates: F1 (the code) or recall (the page).",
)
def captions(request: Request, nltk: Any, component: Any, **supplied: Any) -> int:
    """Score caption prediction as the official script does.

    The edition's scores, COCO's metrics, and what is missing for the rest.
    """
    rules, files = request.edition, Supplied(**supplied)
    because = f"the BLEU of {rules.key} does not depend on it"
    refuse_idle(rules.choice == "nltk", "nltk", because=because)
    files.check(len(request.opened))
    true = read_caption_truth(**file_of(request.truth))
    results = evaluate_captions(
        request.opened,
        true,
        edition=rules,
        nltk=nltk,
        component=component,
        progress=progress_line(),
        **files.given(request.opened, true, rules),
    )
    made = board(results, baseline=request.baseline, seed=request.seed)
    names = list(dict.fromkeys(name for result in results for name in result.values))
    if request.per_image:
        write_table(request.per_image, ("run", "image", *names), _per_image(results, names))
    runs, metrics = Table(results, _run_columns(made, rules)), Table(names, _metric_columns(results))
    return answer(
        request,
        results,
        made,
        first=(runs, *_said_of(rules), "", metrics),
        behind=_missing(results),
        compared_by=made.metric,
    )


def _run_columns(made: Board, edition: Edition) -> tuple[Column, ...]:
    ranking = (also("overall", "headline", decimals),) if edition.ranking else ()
    return (
        Column("name", head="run"),
        also("accepted", verdict),
        *ranking,
        *titled("score", "secondary", text=decimals),
        Column("n_images", None, "images", whole),
        also(f"{made.metric} interval", lambda one: run_interval(made.intervals, one.name)),
    )


def _metric_columns(results: Sequence[Result[str]]) -> tuple[Column, ...]:
    def of(one: Result[str]) -> Column:
        return also(one.name, one.metric, decimals)

    return also("metric", str), *map(of, results)


def _said_of(edition: Edition) -> Iterator[str]:
    """What the numbers of an edition are whose script and task page name different ones."""
    if edition.ranking:
        yield (
            f"overall: the mean of all six metrics ({edition.ranking}), by which the task ranks. score: what "
            f"the script prints ({edition.primary}, the mean of {', '.join(PARTS[edition.primary])})."
        )


def _missing(results: Sequence[Result[str]]) -> Iterator[str]:
    for result in results:
        for name, need in result.missing.items():
            yield f"{plain(result.name)}: {name} is missing. {plain(need)}"


def _per_image(results: Sequence[Result[str]], names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for result in results:
        columns = [result.values[name].tolist() if name in result.values else None for name in names]
        for i, image in enumerate(result.images):
            yield result.name, image, *(None if column is None else column[i] for column in columns)


# ``--list-models`` and ``imageclef extract``: what can be run here, and concepts out of captions.


@example("imageclef models")
@click.command()
@in_models_folder
@as_json
def models(models_folder: Path | None, json_wanted: bool) -> None:
    """Which trained models can be run here.

    And what is missing for the others.
    """
    where, result = models_folder or usual(), list(devices())
    columns = (
        Column("model", "model.key", "model"),
        Column("metric", "model.metric", "for"),
        also("ready", lambda s: "yes" if s.ready else "no"),
        Column("ready"),
        Column("weights", "path"),
        Column("packages_missing", lambda s: list(s.missing)),
        Column("origin", "model.origin"),
        Column("way_out", lambda s: remedy(s, folder=models_folder), "what to do", lambda text: text or "-"),
    )
    states = Table([readiness(key, folder=models_folder) for key in MODELS], columns)
    emit(
        {"folder": str(where), "devices": result, "models": states},
        [f"Weights belong into {where}. Devices: {', '.join(result)}.", states],
        json=json_wanted,
    )


@example("imageclef extract --from medcat.json --captions notes.csv --out concepts_a.csv")
@click.command()
@click.option(
    "--from",
    "given",
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
def extract(given: str, captions: str, out: str | None, json_wanted: bool) -> None:
    """Concepts that MedCAT or QuickUMLS found in captions.

    CUIs, as UMLS F1 compares them.
    """
    texts = read_caption_truth(**file_of(captions)).content
    tools = file_of(given)
    output, report = parse_tool_output(tools["data"], file=tools["file"], captions=texts)
    if report.total("error"):
        raise InputError(f"{given} has {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    result = {
        image: list(dict.fromkeys(one.concept for one in output.matches.get(image, ()))) for image in texts
    }
    if out:
        write_table(out, ("ID", "CUIs"), ((image, ";".join(cuis)) for image, cuis in result.items()))
    columns = (also("image", lambda row: row[0]), also("concepts", lambda row: ";".join(row[1]) or "-"))
    emit(
        {"tool": output.tool, "images": len(result), "concepts": result},
        [] if out else [Table(list(result.items()), columns)],
        json=json_wanted,
    )
