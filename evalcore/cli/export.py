"""What leaves the program: judgments and runs for other programs, figures, the report."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import COMPARED, NN_IOU, Number, Whole, example, file_option, option
from evalcore.cli.output import (
    STDOUT,
    csv_text,
    made_folder,
    print_message,
    progress_line,
    put_lines,
    write_file,
)
from evalcore.cli.scores import BY_HELP
from evalcore.cli.study_request import on_study
from evalcore.evaluate.qrels import SCALE, JudgmentCounts, ids_of, judged_by, judgments, run_of
from evalcore.evaluate.systems import resolve_systems
from evalcore.figures.printed import why_unavailable
from evalcore.report.content import compute_report, figure_files
from evalcore.report.document import report as document
from evalcore.results.rows import Column, Table, plain
from evalcore.study.tables.writers import run_rows, trec_lines, write_pieces
from evalcore.values.errors import InputError
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.qrels import Judgments
    from evalcore.values.model import Study

# ``qrels``: what is relevant to each query, for trec_eval and programs like it.

_TAKES = (*NN_IOU, "pool", "include_self", "where")


@example("qrels sample --relevance organ --out organ.qrels")
@on_study(*_TAKES, "queries")
@option(
    "--relevance",
    required=True,
    metavar="R",
    help="A relevance: what makes an image relevant, a label column, or several as in modality&organ; iou, "
    "nn-iou, another that `metrics STUDY` lists, cosine:SYSTEM.",
)
@option(
    *("--times", "scale"),
    kind=Whole(1, 1_000_000),
    show_default="1000",
    help="Grades of a relevance: its value times this, rounded to whole numbers.",
)
@option("--at", kind=Number(0, 1, min_open=True), help="Grades of a relevance: 1 from here on, 0 below.")
@option("--zeros", is_flag=True, help="Write images of grade 0 too, which bpref needs.")
@file_option(
    "--out", metavar="FILE.qrels", required=True, help="Where to write: .gz packs it; - for standard output."
)
def qrels(
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
    counts: list[JudgmentCounts] = []
    put_lines(out, _counted(result, limited, counts))
    grades = f"1 from {at:g} on, else 0" if at else f"value x {scale or SCALE:,}, rounded"
    grades = "1 with the same labels, else 0" if labels else grades
    total = JudgmentCounts.total(counts)
    if not request.json:
        written = "" if out == STDOUT else f"\nWrote {plain(out)}."
        print_message(f"Relevance {plain(relevance)}, grades: {grades}. {_describe(total)}{written}")
    facts = {"relevance": relevance, "grades": grades, "out": out}
    facts["queries_from"] = limited.over.which if limited.over else "all"
    request.emit(request.facts() | facts | total._asdict(), [])


def _counted(judgments: Iterator[Judgments], study: Study, counts: list[JudgmentCounts]) -> Iterator[str]:
    """The lines of all blocks; the counts of each are added while they are written."""
    for block in judgments:
        counts.append(block.counts)
        yield from block.lines(study.image_ids)


def _describe(counts: JudgmentCounts) -> str:
    text = (
        f"{pluralize(counts.queries, 'query')}, {pluralize(counts.judgments, 'judgment')}, "
        f"{counts.relevant:,} of them relevant."
    )
    if counts.queries_left_out:
        text += f" Left out, with nothing relevant: {pluralize(counts.queries_left_out, 'query')}."
    if n := counts.rounded_to_0:
        text += f" {pluralize(n, 'pair')} of a relevance above 0 {'has' if n == 1 else 'have'} grade 0."
    return text


# ``rank``: what a system ranks, as a run.


@example("rank sample --system @nn-iou --depth 5")
@on_study(*NN_IOU, "ties", "pool", "include_self", "where", "queries")
@option(
    *("-s", "--system"),
    required=True,
    metavar="S",
    help="A system: hog, several fused (rrf:hog+texture), @ and a relevance to rank by (@nn-iou, "
    "@cosine:hog), a run file.",
)
@option(
    "--depth", kind=Whole(1), show_default="all of its run, 100 of a relevance", help="Results of each list."
)
@option(
    "--judged-by",
    metavar="R",
    help="The relevance or labels it will be judged by, as in `qrels --relevance`; images without these "
    "labels are left out.",
)
@option(
    *("--write-scores", "scores"),
    kind=("own", "places"),
    usual="own",
    help="Its scores, or descending whole numbers, which keep the order in programs that break ties "
    "differently, such as trec_eval.",
)
@file_option(
    "--out",
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


_USUAL = {"metrics": "nnCUI@10; CUI@10 without a graph", "baseline": "the first system"}


# ``figures``: the figures of a report as files for a paper, as wide as a journal's columns.

_FIGURES_COLUMNS = (
    Column("file", head="file"),
    Column("width_mm", head="mm", text="{:g}".format),
    Column("alt"),
)


@example("figures sample --out figures --format pdf --column double")
@on_study(*COMPARED, "baseline", usual=_USUAL)
@option("--out", required=True, metavar="FOLDER", help="Where to write: the files; made if missing.")
@option(
    *("--format", "formats"),
    kind=click.Choice(["svg", "pdf"]),
    usual=("pdf",),
    help="Repeat for both. A PDF embeds its fonts.",
)
@option(
    *("--column", "widths"),
    kind=click.Choice(["single", "double"]),
    usual=("single",),
    help="Of a journal's column, 85 mm, or of two, 180 mm. Repeat for both.",
)
@option("--by", "ways", usual=(), metavar="COLUMN", show_default="all on offer", help=BY_HELP)
@option(
    "--sweep/--no-sweep",
    usual=True,
    help="Also other weights of related concepts: their figures take longest.",
)
def figures(
    request: StudyRequest,
    out: str,
    formats: Sequence[str],
    widths: Sequence[str],
    ways: Sequence[str],
    sweep: bool,
) -> None:
    """Write the figures of STUDY as SVG or PDF.

    In the widths of a journal. What the pages Results, Queries and Robustness draw of the comparison: means,
    differences, slices, curves, single queries, every pair, other weights of related concepts. Needs Kaleido
    (pip install kaleido) and Chromium or Chrome on the PATH, or in BROWSER_PATH; neither asks the network.
    """
    if reason := why_unavailable():
        raise InputError(reason)
    result = compute_report(request.whole, request.view, by=ways or None, sweep=sweep)
    files = figure_files(result, formats=formats, widths=widths, progress=progress_line())
    folder = made_folder(out)
    for file in files:
        write_pieces(folder / file.file, [file.data])
    request.emit(request.facts() | {"folder": out}, [("files", Table(files, _FIGURES_COLUMNS))])


# ``report``: a study and what was chosen about it as one HTML file.


@example("report sample --out report.html --metric nnCUI@10")
@on_study(*COMPARED, "baseline", usual=_USUAL)
@file_option("--out", required=True, metavar="FILE.html", help="Where to write: the report.")
@option("--by", "ways", usual=(), metavar="COLUMN", help=BY_HELP)
@option("--sweep", is_flag=True, help="Also other weights of related concepts: the order of systems.")
def report(request: StudyRequest, out: str, ways: Sequence[str], sweep: bool) -> None:
    """Write verdict, figures and tables as one HTML file.

    It also contains the data, method and settings of STUDY, opens without a network, and prints on A4 and
    Letter; the numbers are those of `score`. With Kaleido and Chromium installed (see `figures`) the figures
    are images; otherwise they are drawn when the file is opened.
    """
    folder = Path(request.folder).resolve().name
    content: Any = {"folder": folder, "by": ways, "sweep": sweep, "progress": progress_line()}
    data = document(request.whole, request.view, **content)
    put_lines(out, [data.decode()])
    if reason := why_unavailable():
        print_message(f"The file includes the figure library, which adds 5 MB. {reason}")
    facts = request.facts() | {"file": out, "bytes": len(data)}
    request.emit(facts, [f"Wrote {plain(out)}: {len(data) / 1e6:.2f} MB."])
