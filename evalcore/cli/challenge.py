"""``imageclef``: submissions to ImageCLEF caption, checked and scored as the official scripts do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
from evalcore.cli.options import as_json, settings_of, shared_options
from evalcore.cli.output import complain, decimals, interval, plain, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.challenge.concepts.detail import ConceptDetail, ConceptTally
    from evalcore.challenge.editions import Edition
    from evalcore.challenge.result import Result, Truth
    from evalcore.graph import ConceptGraph
    from evalcore.model import Comparison, Interval

EDITIONS = ("2017", "2018", "2022", "2023", "2025", "2026")
AT_FAULT = 2
_FILE = click.Path(dir_okay=False)


@click.group()
def imageclef() -> None:
    """Check and score submissions to ImageCLEF caption as the official scripts do.

    2018 also serves 2019. Exit code 2 when the official script would refuse a run; its problems are
    listed, and its score, if any, is not official.
    """


@imageclef.command()
@click.option("--edition", type=click.Choice(EDITIONS), required=True, help="Whose rules and script.")
@click.option("--truth", type=_FILE, required=True, metavar="F", help="Ground truth: image and concepts.")
@click.option("--run", "runs", type=_FILE, multiple=True, required=True, metavar="F",
              help="A submission, or a zip with one in it. Repeat for several.")  # fmt: skip
@click.option("--manual", type=_FILE, metavar="F",
              help="Manually checked truth for the secondary score; else the truth itself.")  # fmt: skip
@click.option("--graph", "graph", type=_FILE, multiple=True, metavar="F", help="Edges for nn-F1.")
@click.option("--names", type=_FILE, multiple=True, metavar="F", help="Concept names for the tables.")
@click.option("--published", type=_FILE, metavar="F",
              help="Published results to place the runs among (columns team, run, score, resources, source); "
              "else, for 2017, those of the task's page.")  # fmt: skip
@click.option("--baseline", metavar="RUN", help="Compare the others with this run; else the first.")
@click.option("--per-image", metavar="OUT.csv", help="Write the scores of every image.")
@click.option("--per-concept", metavar="OUT.csv", help="Write hits, errors and F1 of every concept.")
@click.option("--repaired", metavar="FOLDER", help="Write repaired files where the repair is unambiguous.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of intervals.")
@shared_options(shown=("alpha", "threshold", "count_rule", "direction"))
@as_json
def concepts(
    edition: str, truth: str, runs: Sequence[str], manual: str | None, graph: Sequence[str],
    names: Sequence[str], published: str | None, baseline: str | None, per_image: str | None,
    per_concept: str | None, repaired: str | None, seed: int, json_wanted: bool, **shared: Any,
) -> int:  # fmt: skip
    """Score concept detection: F1 as the edition's script computes it, and what lies behind it."""
    from evalcore.challenge.board import board
    from evalcore.challenge.concepts.evaluate import evaluate_concepts
    from evalcore.challenge.editions import edition_of

    rules = edition_of("concepts", edition)
    true = _truth(truth, rules)
    results = evaluate_concepts(
        open_runs(runs), true, edition=rules, manual=_truth(manual, rules) if manual else None,
        graph=_graph(graph), settings=settings_of(shared),
    )  # fmt: skip
    made = board(results, baseline=baseline, seed=seed)
    intervals, compared = made.intervals, made.compared
    if per_image:
        write_table(per_image, _IMAGE_COLUMNS, _per_image(results, true))
    known = _names(names)
    if per_concept:
        write_table(per_concept, _CONCEPT_COLUMNS, _per_concept(results, known))
    if repaired:
        write_repaired(results, repaired, runs)
    if json_wanted:
        print_json(
            {
                "edition": edition, "task": "concepts",
                "runs": [result_json(one) | _behind(one, known) for one in results],
                "intervals": interval_rows(intervals), "comparisons": comparison_rows(compared),
                **published_rows(rules, results, published),
            }
        )  # fmt: skip
    else:
        _print_concepts(results, intervals, compared, known)
        print_published(published_rows(rules, results, published))
    return 0 if all(one.accepted for one in results) else AT_FAULT


_SHOWN, _AT_LEAST = 5, 5


def detail_of(one: Result[Any]) -> ConceptDetail:
    """What lies behind a score of concept detection."""
    assert one.detail is not None
    return one.detail


_CONCEPT_COLUMNS = ("run", "cui", "name", "f1", "precision", "recall", "hits", "wrong", "missed")


def _behind(one: Result[Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Best and worst concepts of several images, and near confusions, for JSON."""
    detail = detail_of(one)
    best, worst = (ask(_SHOWN, at_least=_AT_LEAST) for ask in (detail.best, detail.worst))
    return {
        "best_concepts": [_tally(c, names) for c in best],
        "worst_concepts": [_tally(c, names) for c in worst],
        "near_confusions": [
            {"true": c.true, "predicted": c.predicted, "distance": c.distance, "images": c.images}
            for c in detail_of(one).confusions[:20]
        ],
    }  # fmt: skip


def _tally(c: ConceptTally, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "cui": c.cui, "name": names.get(c.cui), "f1": c.f1, "precision": c.precision, "recall": c.recall,
        "hits": c.hits, "wrong": c.wrong, "missed": c.missed,
    }  # fmt: skip


def _per_concept(results: Sequence[Result[Any]], names: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    """Every concept of every run; an undefined precision or recall is an empty cell."""
    for one in results:
        for c in detail_of(one).concepts:
            row = _tally(c, names).values()
            yield one.name, *("" if value is None or value != value else value for value in row)


_IMAGE_COLUMNS = ("run", "image", "f1", "precision", "recall", "nn_f1", "truth", "predicted")


def _per_image(results: Sequence[Result[Any]], truth: Truth[tuple[str, ...]]) -> Iterator[tuple[object, ...]]:
    for one in results:
        detail, run = detail_of(one), one.run.scored
        at = {image: i for i, image in enumerate(detail.images)}
        for image, value in zip(one.images, one.values["F1"].tolist(), strict=True):
            i = at.get(image)
            more = ("", "", "") if i is None else (
                detail.precision[i], detail.recall[i], "" if detail.nn_f1 is None else detail.nn_f1[i]
            )  # fmt: skip
            shown = "" if value != value else value
            yield one.name, image, shown, *more, ";".join(truth.content[image]), ";".join(run.get(image, ()))


def _truth(path: str, edition: Edition) -> Truth[tuple[str, ...]]:
    from evalcore.challenge.concepts.truth import read_concept_truth

    truth = read_concept_truth(read_file(path), file=Path(path).name, edition=edition)
    for problem in truth.report.problems:
        complain(str(problem))
    return truth


def _graph(paths: Sequence[str]) -> ConceptGraph | None:
    from evalcore.errors import InputError
    from evalcore.sources.graphs.graph_files import read_graph

    if not paths:
        return None
    graph, report, _ = read_graph([Path(path).resolve() for path in paths], root=Path("/"))
    if graph is None:
        raise InputError("The graph cannot be used.", report)
    return graph


def _names(paths: Sequence[str]) -> Mapping[str, str]:
    from evalcore.sources.names.names import read_names

    return read_names([Path(path).resolve() for path in paths], root=Path("/"))[0] if paths else {}


def _print_concepts(
    results: Sequence[Result[Any]], intervals: Mapping[str, Interval], compared: Sequence[Comparison],
    names: Mapping[str, str],
) -> None:  # fmt: skip
    header = ("run", "accepted", "F1", "interval", "secondary", "images", "ignored", "nn-F1", "precision",
              "recall", "micro F1", "macro F1")  # fmt: skip
    rows = []
    for one in results:
        facts = result_json(one)
        more = facts["metrics"]
        shown = [more[key] for key in ("nn_f1", "precision", "recall", "micro_f1", "macro_f1")]
        mean = intervals[one.name]
        rows.append(
            (one.name, "yes" if one.accepted else "no (unofficial)", decimals(facts["score"]),
             interval(mean.low, mean.high), _number(facts["score_secondary"]), f"{facts['n_images']:,}",
             f"{facts['n_ignored']:,}", *map(_number, shown))
        )  # fmt: skip
    print_table(header, rows)
    print_compared(compared, intervals)
    for one in results:
        for which, ask in (("highest", detail_of(one).best), ("lowest", detail_of(one).worst)):
            among = f"the {which} F1 among those of {_AT_LEAST} images or more"
            click.echo(f"\n{plain(one.name)}: concepts with {among}")
            print_table(
                ("concept", "F1", "hits", "wrong", "missed"),
                [(_named(c.cui, names), decimals(c.f1), f"{c.hits:,}", f"{c.wrong:,}", f"{c.missed:,}")
                 for c in ask(_SHOWN, at_least=_AT_LEAST)],
            )  # fmt: skip
        for mixed in detail_of(one).confusions[:5]:
            near = f"{_named(mixed.predicted, names)} instead of its neighbour {_named(mixed.true, names)}"
            click.echo(f"{near}: {mixed.images:,} images")
    print_problems({one.name: one.report for one in results})


def _number(value: float | None) -> str:
    return "-" if value is None else decimals(value)


def _named(cui: str, names: Mapping[str, str]) -> str:
    return plain(f"{names[cui]} ({cui})" if cui in names else cui)
