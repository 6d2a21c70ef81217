"""``qrels`` and ``rank``: what other programs score with, judgments and runs of a study."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.comparing import mention_first
from evalcore.cli.options import NN_IOU, Number, Whole, example
from evalcore.cli.output import STDOUT, TEXT_FILE, complain, csv_text, put_lines, write_file
from evalcore.cli.study_request import on_study
from evalcore.evaluate import resolve_systems
from evalcore.results.qrels import SCALE, ids_of, judged_by, judgments, run_of
from evalcore.results.rows import plain
from evalcore.study.tables.writers import run_rows, trec_lines
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.cli.study_request import StudyRequest
    from evalcore.results.qrels import Judgments
    from evalcore.values.model import Study

# ``qrels``: what is relevant to each query, for trec_eval and programs like it.

_TAKES = (*NN_IOU, "pool", "include_self", "where")


@example("qrels sample --relevance organ --out organ.qrels")
@on_study(*_TAKES, "queries")
@click.option(
    "--relevance",
    required=True,
    metavar="R",
    help="A relevance: what makes an image relevant, a label column, or several as in modality&organ; iou, "
    "nn-iou, another that `metrics STUDY` lists, cosine:SYSTEM.",
)
@click.option(
    "--times",
    "scale",
    type=Whole(1, 1_000_000),
    show_default="1000",
    help="Grades of a relevance: its value times this, rounded to whole numbers.",
)
@click.option("--at", type=Number(0, 1, min_open=True), help="Instead: grade 1 from this value on, 0 below.")
@click.option("--zeros", is_flag=True, help="Write images of grade 0 too, which bpref needs.")
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="FILE.qrels",
    required=True,
    help="Where to write: .gz packs it; - for standard output.",
)
def export(
    request: StudyRequest, relevance: str, scale: int | None, at: float | None, zeros: bool, out: str
) -> None:
    """Write judgments as qrels: query, 0, image, grade.

    trec_eval takes whole grades only. Labels are 1 or 0. Queries and candidates are those of `score`: label
    pools, groups, the query itself. Queries without a relevant image are left out; over the others,
    `trec_eval -c` takes the mean as `score` does. To write the matching run of a system: `rank
    STUDY -s S --judged-by R --write-scores places`.
    """
    limited = request.compared() if request.view.queries else request.study
    labels = judged_by(limited, relevance, request.settings).labels
    result = judgments(limited, relevance, settings=request.settings, scale=scale, at=at, zeros=zeros)
    counts = {"queries": 0, "queries_left_out": 0, "judgments": 0, "relevant": 0, "rounded_to_0": 0}
    lines = _counted(result, limited, counts)
    put_lines(out, lines)
    grades = (
        "1 with the same labels, else 0"
        if labels
        else (f"1 from {at:g} on, else 0" if at else f"value x {scale or SCALE:,}, rounded")
    )
    document: dict[str, Any] = {
        "study": limited.name,
        "digest": limited.content,
        "relevance": relevance,
        "grades": grades,
        **counts,
        "queries_from": limited.over.which if limited.over else "all",
        "settings": request.recorded(),
        "out": out,
    }
    if not request.json:
        complain(_said(document))
    request.emit(document, [])


def _counted(judgments: Iterator[Judgments], study: Study, counts: dict[str, int]) -> Iterator[str]:
    """The lines of all blocks; the counts grow while they are written."""
    for block in judgments:
        counts["queries"] += block.asked - block.nothing
        counts["queries_left_out"] += block.nothing
        counts["judgments"] += len(block.grades)
        counts["relevant"] += int((block.grades > 0).sum())
        counts["rounded_to_0"] += block.vanished
        yield from block.lines(study.image_ids)


def _said(facts: dict[str, Any]) -> str:
    text = (
        f"Relevance {plain(facts['relevance'])}, grades: {facts['grades']}. "
        f"{pluralize(facts['queries'], 'query')}, {pluralize(facts['judgments'], 'judgment')}, "
        f"{facts['relevant']:,} of them relevant."
    )
    if facts["queries_left_out"]:
        text += f" Left out, with nothing relevant: {pluralize(facts['queries_left_out'], 'query')}."
    if n := facts["rounded_to_0"]:
        text += f" {pluralize(n, 'pair')} of a relevance above 0 {'has' if n == 1 else 'have'} grade 0."
    return text if facts["out"] == STDOUT else f"{text}\nWrote {plain(facts['out'])}."


# ``rank``: what a system ranks, as a run.


@example("rank sample --system @nn-iou --depth 5")
@on_study(*NN_IOU, "ties", "pool", "include_self", "where", "queries")
@click.option(
    *("-s", "--system"),
    required=True,
    metavar="S",
    help="A system: hog, several fused (rrf:hog+texture), @ and a relevance to rank by (@nn-iou, "
    "@cosine:hog), a run file.",
)
@click.option(
    "--depth", type=Whole(1), show_default="all of its run, 100 of a relevance", help="Results of each list."
)
@click.option(
    "--judged-by",
    metavar="R",
    help="The relevance or labels it will be judged by, as in `qrels --relevance`; images without these "
    "labels are left out.",
)
@click.option(
    "--write-scores",
    "scores",
    type=click.Choice(["own", "places"]),
    default="own",
    show_default=True,
    help="Its scores, or descending whole numbers, which keep the order in programs that break ties "
    "differently, such as trec_eval.",
)
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="FILE",
    help="Where to write: a TREC run, or CSV when it ends in .csv; .gz packs it. Else printed.",
)
def rank(
    request: StudyRequest, system: str, depth: int | None, judged_by: str | None, scores: str, out: str | None
) -> None:
    """Write the ranking of a system as a run.

    The results that `score` counts: without the query itself and candidates of its own group. Equal scores
    are ordered by image id; with --ties expected the group of equal scores at the last rank is written whole,
    so that the file can be scored the same way.
    """
    if request.settings.pool != "labelled" and not judged_by:
        raise click.UsageError("--pool: only with --judged-by LABELS.")
    resolve_systems(request.study, [system])
    mention_first(request.study, system)
    study = request.compared(request.study.systems) if request.view.queries else request.study
    how: dict[str, Any] = {"relevance": judged_by, "top": depth, "by_place": scores == "places"}
    blocks, ids = run_of(study, system, settings=request.settings, **how), ids_of(study)
    what: dict[str, Any] = {"system": system, "depth": depth, "judged_by": judged_by, "scores": scores}
    what |= {"queries": request.view.queries or None, "settings": request.recorded()}
    if request.json and out is None:
        result: dict[str, dict[str, float]] = {}
        for query, candidate, _, value in chain.from_iterable(run_rows(block, ids) for block in blocks):
            result.setdefault(query, {})[candidate] = value
        request.emit({**what, "run": result}, [])
        return
    if out is not None and Path(out.removesuffix(".gz")).suffix == ".csv":
        rows = chain.from_iterable(run_rows(block, ids) for block in blocks)
        lines = csv_text(("query", "candidate", "rank", "score"), rows)
    else:
        lines = chain.from_iterable(trec_lines(block, ids) for block in blocks)
    write_file(out or STDOUT, lines)
    request.emit({**what, "out": out}, [])
