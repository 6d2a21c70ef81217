"""``imageclef captions``: caption prediction, with or without the models that some metrics need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.challenge import AT_FAULT, EDITIONS
from evalcore.cli.challenge_json import result_json
from evalcore.cli.challenge_output import (
    comparison_rows,
    interval_rows,
    open_runs,
    print_compared,
    print_problems,
    print_published,
    published_rows,
    read_file,
    write_repaired,
    write_table,
)
from evalcore.cli.options import as_json
from evalcore.cli.output import (
    complain,
    decimals,
    interval,
    plain,
    print_json,
    print_table,
    progress_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evalcore.challenge.board import Board
    from evalcore.challenge.editions import Edition
    from evalcore.challenge.result import Result
    from evalcore.model import Floats

_FILE = click.Path(dir_okay=False)
MODELS = ("bertscore", "bleurt", "alignscore", "medimageinsight", "medcat", "quickumls")


@click.command()
@click.option("--edition", type=click.Choice(EDITIONS), required=True, help="Whose rules and script.")
@click.option("--truth", type=_FILE, required=True, metavar="F", help="True captions: image and caption.")
@click.option("--run", "runs", type=_FILE, multiple=True, required=True, metavar="F",
              help="A submission, or a zip with one in it. Repeat for several.")  # fmt: skip
@click.option("--scores", "scores", type=_FILE, multiple=True, metavar="F",
              help="Scores per image from elsewhere (columns BERTScore, BLEURT, AlignScore, similarity, "
              "UMLS F1), one file per --run, in their order.")  # fmt: skip
@click.option("--truth-concepts", type=_FILE, metavar="F", help="Concepts of the true captions, for UMLS F1.")
@click.option("--run-concepts", type=_FILE, multiple=True, metavar="F",
              help="Concepts of each run's captions, one file per --run, in their order.")  # fmt: skip
@click.option("--image-embeddings", type=_FILE, metavar="F",
              help="Image vectors, for the similarity: npz with ids and vectors or one array per image, "
              "or parquet.")  # fmt: skip
@click.option("--caption-embeddings", type=_FILE, multiple=True, metavar="F",
              help="Vectors of each run's captions, one file per --run, in their order.")  # fmt: skip
@click.option("--model", "models", type=click.Choice(MODELS), multiple=True,
              help="Run this model; needs evalcore/challenge/requirements-captions.txt and its weights "
              "(see imageclef models).")  # fmt: skip
@click.option("--models-folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Where weights lie; else the folder models of the workspace.")  # fmt: skip
@click.option("--images", "pictures", type=click.Path(path_type=Path), metavar="FOLDER",
              help="The pictures, named by image id, for medimageinsight.")  # fmt: skip
@click.option("--device", type=click.Choice(["cpu", "cuda", "mps"]), default="cpu", show_default=True,
              help="Where models run: cpu, or a GPU.")  # fmt: skip
@click.option("--nltk", type=click.Choice(["nltk322", "modern"]), default="nltk322", show_default=True,
              help="Which NLTK the BLEU of 2017 follows.")  # fmt: skip
@click.option("--bertscore", "component", type=click.Choice(["f1", "recall"]), default="f1",
              show_default=True, help="In the aggregates: F1 (the code) or recall (the page).")  # fmt: skip
@click.option("--published", type=_FILE, metavar="F",
              help="Published results to place the runs among (columns team, run, score, resources, source); "
              "else, for 2017, those of the task's page.")  # fmt: skip
@click.option("--baseline", metavar="RUN", help="Compare the others with this run; else the first.")
@click.option("--per-image", metavar="OUT.csv", help="Write the scores of every image.")
@click.option("--repaired", metavar="FOLDER", help="Write repaired files where the repair is unambiguous.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of intervals.")
@as_json
def captions(
    edition: str, truth: str, runs: Sequence[str], nltk: Any, component: Any, baseline: str | None,
    per_image: str | None, repaired: str | None, seed: int, json_wanted: bool, **brought: Any,
) -> int:  # fmt: skip
    """Score caption prediction: the edition's scores, COCO's metrics, and what is missing for the rest."""
    from evalcore.challenge.board import board
    from evalcore.challenge.captions.evaluate import evaluate_captions
    from evalcore.challenge.captions.runs import read_caption_truth
    from evalcore.challenge.editions import edition_of

    rules = edition_of("captions", edition)
    true = read_caption_truth(read_file(truth), file=Path(truth).name)
    opened = open_runs(runs)
    given, concepts = _brought(brought, list(opened), true.images)
    truth_concepts = _concepts(brought["truth_concepts"]) if brought["truth_concepts"] else None
    options: dict[str, Any] = {"edition": rules, "nltk": nltk, "component": component}
    _run_models(opened, true.content, rules, brought, given)
    results = evaluate_captions(
        opened, true, given=given, true_concepts=truth_concepts, concepts=concepts,
        progress=progress_line(), **options,
    )  # fmt: skip
    made = board(results, baseline=baseline, seed=seed)
    if per_image:
        names = list(dict.fromkeys(name for one in results for name in one.values))
        write_table(per_image, ("run", "image", *names), _per_image(results, names))
    if repaired:
        write_repaired(results, repaired, runs)
    if json_wanted:
        print_json(
            {
                "edition": edition, "task": "captions", "runs": [result_json(one) for one in results],
                "compared_by": made.metric, "intervals": interval_rows(made.intervals),
                "comparisons": comparison_rows(made.compared),
                **published_rows(rules, results, brought["published"]),
            }
        )  # fmt: skip
    else:
        _print(results, made)
        print_published(published_rows(rules, results, brought["published"]))
    return 0 if all(one.accepted for one in results) else AT_FAULT


def _brought(
    brought: Mapping[str, Any], names: Sequence[str], images: Sequence[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Scores and concepts that the user brings, by run; files and runs pair up in their order."""
    from evalcore.challenge.given import read_given

    for option in ("scores", "run_concepts", "caption_embeddings"):
        if len(brought[option]) not in (0, len(names)):
            raise click.BadParameter(f"--{option.replace('_', '-')} needs one file per --run.")
    given: dict[str, dict[str, Any]] = {name: {} for name in names}
    for name, path in zip(names, brought["scores"], strict=False):
        given[name] |= read_given(read_file(path), file=Path(path).name, images=images)
    concepts = {n: _concepts(path) for n, path in zip(names, brought["run_concepts"], strict=False)}
    return given, concepts


def _concepts(path: str) -> Mapping[str, Sequence[str]]:
    from evalcore.challenge.given import read_concepts

    concepts, report = read_concepts(read_file(path), file=Path(path).name)
    for problem in report.problems:
        complain(str(problem))
    return concepts


def _run_models(
    opened: Mapping[str, Any], truth: Mapping[str, str], edition: Edition, brought: Mapping[str, Any],
    given: dict[str, dict[str, Any]],
) -> None:  # fmt: skip
    """Add what models and embeddings give to the scores of each run."""
    from evalcore.challenge.captions.runs import read_caption_run
    from evalcore.challenge.models import scorers as models
    from evalcore.challenge.models.scoring import model_values

    if brought["caption_embeddings"] and not brought["image_embeddings"]:
        raise click.BadParameter("--caption-embeddings needs --image-embeddings.")
    if not brought["models"] and not brought["caption_embeddings"]:
        return
    runs = {
        name: read_caption_run(data, name=name, truth=truth, edition=edition).scored
        for name, (data, _) in opened.items()
    }
    found = model_values(
        brought["models"], truth, runs, edition=edition, folder=brought["models_folder"],
        pictures=_pictures(brought["pictures"], tuple(truth)), device=brought["device"],
        progress=progress_line(),
    )  # fmt: skip
    for name, values in found.items():
        given[name] |= values
    if not brought["caption_embeddings"]:
        return
    images = _vectors(brought["image_embeddings"], tuple(truth))
    for (name, run), path in zip(runs.items(), brought["caption_embeddings"], strict=True):
        pairs = [(text, run.get(image, "")) for image, text in truth.items()]
        texts = _vectors(path, tuple(truth), like=images)
        given[name]["similarity"] = models.similarity(images, texts, pairs, edition=edition)


def _vectors(path: str, images: Sequence[str], *, like: Floats | None = None) -> Floats:
    from evalcore.challenge.given import read_vectors

    return read_vectors(read_file(path), file=Path(path).name, images=images, like=like)


def _pictures(folder: Path | None, images: Sequence[str]) -> Callable[[int], bytes | None]:
    """A function from an image's position to the bytes of its picture, None where there is none."""
    from evalcore.errors import InputError
    from evalcore.sources.pictures.images import find_images, image_bytes

    if folder is None:
        return lambda _image: None
    ordered = sorted(images)
    files, report = find_images(folder, ordered, file=str(folder))
    if files is None:
        raise InputError(f"No picture in {folder} is named after an image of the ground truth.", report)
    at = {image: i for i, image in enumerate(ordered)}
    return lambda i: image_bytes(files, at[images[i]]) if files.entries[at[images[i]]] else None


def _per_image(results: Sequence[Result[str]], names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for one in results:
        columns = [one.values[name].tolist() if name in one.values else None for name in names]
        for i, image in enumerate(one.images):
            yield one.name, image, *("" if column is None else column[i] for column in columns)


def _print(
    results: Sequence[Result[str]], made: Board
) -> None:  # fmt: skip
    names = list(dict.fromkeys(name for one in results for name in one.values))
    header = ("run", "accepted", "score", "secondary", "images", f"{made.metric} interval")
    rows = []
    for one in results:
        mean = made.intervals[one.name]
        rows.append(
            (one.name, "yes" if one.accepted else "no (unofficial)", decimals(one.score),
             "-" if one.secondary is None else decimals(one.secondary), f"{one.n_images:,}",
             interval(mean.low, mean.high))
        )  # fmt: skip
    print_table(header, rows)
    click.echo()
    print_table(
        ("metric", *(one.name for one in results)),
        [(name, *(decimals(one.metric(name)) for one in results)) for name in names],
    )
    print_compared(made.compared, made.intervals)
    for one in results:
        for name, need in one.missing.items():
            click.echo(f"{plain(one.name)}: {name} is missing. {plain(need)}")
    print_problems({one.name: one.report for one in results})
