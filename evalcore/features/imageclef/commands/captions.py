"""``imageclef captions``: caption prediction, with or without the models that some metrics need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.emit import Column, Table, also, titled
from evalcore.cli.options import refuse_idle
from evalcore.cli.output import decimals, plain, progress_line, whole, write_table
from evalcore.features.imageclef.commands.asked import FILE, file_of, in_models_folder, on_runs
from evalcore.features.imageclef.commands.document import run_interval
from evalcore.features.imageclef.commands.output import answer, verdict
from evalcore.features.imageclef.commands.supplied import Supplied
from evalcore.features.imageclef.models.store import MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.features.imageclef.board import Board
    from evalcore.features.imageclef.commands.asked import Asked
    from evalcore.features.imageclef.editions import Edition
    from evalcore.features.imageclef.result import Result


@click.command()
@on_runs("captions", truth="True captions: image and caption.")
@click.option("--scores", type=FILE, multiple=True, metavar="F",
              help="Scores per image from elsewhere (columns BERTScore, BLEURT, AlignScore, similarity, "
              "UMLS F1), one file per --run, in their order.")  # fmt: skip
@click.option("--truth-concepts", type=FILE, metavar="F", help="Concepts of the true captions, for UMLS F1.")
@click.option("--run-concepts", type=FILE, multiple=True, metavar="F",
              help="Concepts of each run's captions, one file per --run, in their order.")  # fmt: skip
@click.option("--image-embeddings", type=FILE, metavar="F",
              help="Image vectors, for the similarity: npz with ids and vectors or one array per image, "
              "or parquet.")  # fmt: skip
@click.option("--caption-embeddings", type=FILE, multiple=True, metavar="F",
              help="Vectors of each run's captions, one file per --run, in their order.")  # fmt: skip
@click.option("--model", "models", type=click.Choice(list(MODELS)), multiple=True,
              help="Run this model; needs evalcore/features/imageclef/requirements-captions.txt and its "
              "weights (see imageclef models).")  # fmt: skip
@in_models_folder
@click.option("--images", "pictures", type=click.Path(path_type=Path), metavar="FOLDER",
              help="The pictures, named by image id, for medimageinsight.")  # fmt: skip
@click.option("--device", type=click.Choice(["cpu", "cuda", "mps"]), default="cpu", show_default=True,
              help="Where models run: cpu, or a GPU.")  # fmt: skip
@click.option("--nltk", type=click.Choice(["nltk322", "modern"]), default="nltk322", show_default=True,
              help="Which NLTK the BLEU of 2017 follows.")  # fmt: skip
@click.option("--bertscore", "component", type=click.Choice(["f1", "recall"]), default="f1",
              show_default=True, help="In the aggregates: F1 (the code) or recall (the page).")  # fmt: skip
def captions(asked: Asked, nltk: Any, component: Any, **supplied: Any) -> int:
    """Score caption prediction: the edition's scores, COCO's metrics, and what is missing for the rest."""
    from evalcore.features.imageclef.board import board
    from evalcore.features.imageclef.captions.evaluate import evaluate_captions
    from evalcore.features.imageclef.captions.runs import read_caption_truth

    rules, files = asked.edition, Supplied(**supplied)
    because = f"the BLEU of {rules.key} does not depend on it"
    refuse_idle(rules.choice == "nltk", "nltk", because=because)
    files.check(len(asked.opened))
    true = read_caption_truth(**file_of(asked.truth))
    results = evaluate_captions(
        asked.opened, true, edition=rules, nltk=nltk, component=component,
        progress=progress_line(), **files.given(asked.opened, true, rules),
    )  # fmt: skip
    made = board(results, baseline=asked.baseline, seed=asked.seed)
    names = list(dict.fromkeys(name for one in results for name in one.values))
    if asked.per_image:
        write_table(asked.per_image, ("run", "image", *names), _per_image(results, names))
    runs, metrics = Table(results, _run_columns(made, rules)), Table(names, _metric_columns(results))
    return answer(
        asked,
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
    from evalcore.features.imageclef.captions.vectors import PARTS

    if edition.ranking:
        yield (
            f"overall: the mean of all six metrics ({edition.ranking}), by which the task ranks. score: what "
            f"the script prints ({edition.primary}, the mean of {', '.join(PARTS[edition.primary])})."
        )


def _missing(results: Sequence[Result[str]]) -> Iterator[str]:
    for one in results:
        for name, need in one.missing.items():
            yield f"{plain(one.name)}: {name} is missing. {plain(need)}"


def _per_image(results: Sequence[Result[str]], names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for one in results:
        columns = [one.values[name].tolist() if name in one.values else None for name in names]
        for i, image in enumerate(one.images):
            yield one.name, image, *(None if column is None else column[i] for column in columns)
