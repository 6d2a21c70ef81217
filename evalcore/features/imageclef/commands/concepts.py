"""``imageclef concepts``: concept detection, and what lies behind its F1."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import choice_option, example, options, refuse_idle
from evalcore.cli.output import TEXT_FILE, mention, write_table
from evalcore.features.imageclef.commands.output import FILE, answer, file_of, on_runs, run_interval, verdict
from evalcore.features.imageclef.concepts.evaluate import evaluate_concepts, read_concept_truth
from evalcore.features.imageclef.result import board
from evalcore.features.imageclef.tables import tallies_table
from evalcore.results.rows import Column, Table, also, decimals, named, plain, whole
from evalcore.study.names import parse_names
from evalcore.study.opening import Opening, read_graph
from evalcore.study.parts.reading import parse_path
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError
from evalcore.values.settings import view_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.features.imageclef.commands.output import Request
    from evalcore.features.imageclef.concepts.scores import ConceptDetail
    from evalcore.features.imageclef.editions import Edition
    from evalcore.features.imageclef.result import Board, Result, Truth
    from evalcore.graph import ConceptGraph

    Concepts = tuple[str, ...]

_NEAR = ("alpha", "threshold", "count_rule", "direction")


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
    true = _truth(request.truth, rules)
    results = evaluate_concepts(
        request.opened,
        true,
        edition=rules,
        manual=_truth(manual, rules) if manual else None,
        graph=_graph(graph),
        settings=view_of(shared).settings,
    )
    made = board(results, baseline=request.baseline, seed=request.seed)
    if request.per_image:
        write_table(request.per_image, _IMAGE_COLUMNS, _per_image(results))
    known = _names(names)
    if per_concept:
        rows = ((result.name, tallies_table(_detail(result).concepts, known)) for result in results)
        cells = ((name, *record.values()) for name, table in rows for record in table.records())
        write_table(per_concept, ("run", *_CONCEPT_COLUMNS), cells)
    return answer(
        request,
        results,
        made,
        first=[Table(results, _run_columns(made))],
        behind=_behind(results, known),
        of_runs=[_behind_json(_detail(result), known) for result in results],
    )


_SHOWN, _AT_LEAST, _CONFUSIONS = 5, 5, (5, 20)
"""Concepts listed, images they must have; confusions listed for people and for programs."""
_IMAGE_COLUMNS = ("run", "image", "f1", "precision", "recall", "nn_f1", "truth", "predicted")
_CONCEPT_COLUMNS = ("cui", "name", "f1", "precision", "recall", "hits", "wrong", "missed")


def _detail(one: Result[Concepts]) -> ConceptDetail:
    assert one.detail is not None, "results of concept detection have one"
    return one.detail


def _behind_json(detail: ConceptDetail, names: Mapping[str, str]) -> dict[str, Any]:
    """Best and worst concepts of several images, and near confusions."""
    best, worst = (ask(_SHOWN, at_least=_AT_LEAST) for ask in (detail.best, detail.worst))
    near = Table(detail.confusions[: _CONFUSIONS[1]], named("true", "predicted", "distance", "images"))
    return {
        "best_concepts": tallies_table(best, names).records(),
        "worst_concepts": tallies_table(worst, names).records(),
        "near_confusions": near.records(),
    }


def _behind(results: Sequence[Result[Concepts]], names: Mapping[str, str]) -> Iterator[str | Table]:
    for result in results:
        detail = _detail(result)
        for which, ask in (("highest", detail.best), ("lowest", detail.worst)):
            among = f"the {which} F1 among those of {_AT_LEAST} images or more"
            yield f"\n{plain(result.name)}: concepts with {among}"
            yield tallies_table(ask(_SHOWN, at_least=_AT_LEAST), names)
        for mixed in detail.confusions[: _CONFUSIONS[0]]:
            near = f"{_named(mixed.predicted, names)} instead of its neighbour {_named(mixed.true, names)}"
            yield f"{near}: {mixed.images:,} images"


def _run_columns(made: Board) -> tuple[Column, ...]:
    def metric(name: str) -> Column:
        return also(name, lambda one: one.metrics.get(name), decimals)

    return (
        Column("name", head="run"),
        also("accepted", verdict),
        Column("score", None, "F1", decimals),
        also("interval", lambda one: run_interval(made.intervals, one.name)),
        Column("secondary", None, "secondary", decimals),
        Column("n_images", None, "images", whole),
        Column("n_ignored", None, "ignored", whole),
        *map(metric, ("nn-F1", "precision", "recall", "micro F1", "macro F1")),
    )


def _per_image(results: Sequence[Result[Concepts]]) -> Iterator[tuple[object, ...]]:
    for result in results:
        detail, run = _detail(result), result.run.read
        at = {image: i for i, image in enumerate(detail.images)}
        for image, value in zip(result.images, result.values[result.edition.primary].tolist(), strict=True):
            i = at.get(image)
            columns = (detail.precision, detail.recall, detail.nn_f1)
            more = (None if i is None or column is None else column[i] for column in columns)
            yield (
                result.name,
                image,
                value,
                *more,
                ";".join(result.truth[image]),
                ";".join(run.get(image, ())),
            )


def _truth(path: str, edition: Edition) -> Truth[Concepts]:
    truth = read_concept_truth(**file_of(path), edition=edition)
    mention(truth.report)
    return truth


def _graph(paths: Sequence[str]) -> ConceptGraph | None:
    if not paths:
        return None
    opening = Opening.of_files(Path("/"), graph=[Path(path).resolve() for path in paths])
    graph = read_graph(opening)
    if graph is None:
        raise InputError("The graph cannot be used.", opening.problems.report())
    return graph


def _names(paths: Sequence[str]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for path in paths:
        rows = parse_path(parse_names, Path(path).resolve(), Problems(path))
        names = {**({} if rows is None else rows.names), **names}
    return names


def _named(cui: str, names: Mapping[str, str]) -> str:
    return plain(f"{names[cui]} ({cui})" if cui in names else cui)
