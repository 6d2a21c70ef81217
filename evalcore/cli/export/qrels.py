"""``export``: what is relevant to each query, for trec_eval and programs like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, over_queries
from evalcore.cli.emit import emit
from evalcore.cli.options import NN_IOU, Number, Whole
from evalcore.cli.output import STDOUT, TEXT_FILE, plain, put_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.cli.asked import Asked
    from evalcore.results.qrels import Judgments
    from evalcore.values.model import Study

_TAKES = (*NN_IOU, "pool", "include_self", "where")


@on_study(*_TAKES)
@click.option(
    "--relevance", required=True, metavar="R",
    help="What makes an image relevant: a label column, or several as in modality&organ; or iou, nn-iou, "
    "another that `measures STUDY` lists, cosine:SYSTEM.",
)  # fmt: skip
@click.option(
    "--scale",
    type=Whole(1, 1_000_000),
    show_default="1000",
    help="Grades of a relevance: its value times this, rounded to whole numbers.",
)
@click.option(
    "--at",
    type=Number(0, 1, min_open=True),
    help="Instead: grade 1 from this value on, 0 below.",
)
@click.option("--zeros", is_flag=True, help="Write images of grade 0 too, which bpref needs.")
@click.option(
    "--out", type=TEXT_FILE, metavar="FILE.qrels", required=True,
    help=".gz packs it; - for standard output.",
)  # fmt: skip
@over_queries
def export(
    asked: Asked, relevance: str, scale: int | None, at: float | None, zeros: bool, out: str,
    which: str | None,
) -> None:  # fmt: skip
    """Write the judgments of STUDY as qrels: query, 0, image, grade.

    trec_eval knows whole grades only. Labels are 1 or 0. Queries and candidates are those of `score`: label
    pools, groups, the query itself. Queries without a relevant image are left out; over the others,
    `trec_eval -c` takes the mean as `score` does. What a system returned, to be scored with it, is written by
    `rank --system S --judged-by R --scores places`.
    """
    from evalcore.results.qrels import SCALE, judged_by, judgments

    over, limited = compared(asked, None, which) if which else (None, asked.study)
    labels = judged_by(limited, relevance, asked.settings).labels
    found = judgments(limited, relevance, settings=asked.settings, scale=scale, at=at, zeros=zeros)
    counts = {"queries": 0, "queries_left_out": 0, "judgments": 0, "relevant": 0, "rounded_to_0": 0}
    lines = _counted(found, limited, counts)
    put_lines(out, lines)
    grades = "1 with the same labels, else 0" if labels else (
        f"1 from {at:g} on, else 0" if at else f"value x {scale or SCALE:,}, rounded"
    )  # fmt: skip
    document: dict[str, Any] = {
        "study": limited.name, "digest": limited.content, "relevance": relevance, "grades": grades, **counts,
        "queries_from": over.found.which if over else "all", "settings": asked.recorded(), "out": out,
    }  # fmt: skip
    said = _said(document)
    if asked.json:
        emit(document, [], json=True)
    else:
        click.echo(said, err=True)


def _counted(found: Iterator[Judgments], study: Study, counts: dict[str, int]) -> Iterator[str]:
    """The lines of all blocks; the counts grow while they are written."""
    for block in found:
        counts["queries"] += block.asked - block.nothing
        counts["queries_left_out"] += block.nothing
        counts["judgments"] += len(block.grades)
        counts["relevant"] += int((block.grades > 0).sum())
        counts["rounded_to_0"] += block.vanished
        yield from block.lines(study.image_ids)


def _said(facts: dict[str, Any]) -> str:
    text = (
        f"Relevance {plain(facts['relevance'])}, grades: {facts['grades']}. {facts['queries']:,} queries, "
        f"{facts['judgments']:,} judgments, {facts['relevant']:,} of them relevant."
    )
    if facts["queries_left_out"]:
        text += f" {facts['queries_left_out']:,} queries have nothing relevant and are left out."
    if facts["rounded_to_0"]:
        text += f" {facts['rounded_to_0']:,} pairs of a relevance above 0 have grade 0."
    return text if facts["out"] == STDOUT else f"{text}\nWrote {plain(facts['out'])}."
