"""What leaves the program: settings as a file, figures, the report."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.comparing import BY_HELP
from evalcore.cli.options import COMPARED, example
from evalcore.cli.output import TEXT_FILE, complain, progress_line, put_lines
from evalcore.cli.study_request import on_study
from evalcore.figures.printed import why_not
from evalcore.report.content import More, figure_files, find
from evalcore.report.document import report as document
from evalcore.results.rows import Column, Table, plain
from evalcore.study.tables.writers import write_pieces
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.study_request import StudyRequest

_USUAL = {"metrics": "nnCUI@10; CUI@10 without a graph", "baseline": "the first system"}


# ``figures``: the figures of a report as files for a paper, as wide as a journal's columns.

_FIGURES_COLUMNS = (
    Column("file", head="file"),
    Column("width_mm", head="mm", text="{:g}".format),
    Column("alt"),
)


@example("figures sample --out figures --format pdf --column double")
@on_study(*COMPARED, "baseline", usual=_USUAL)
@click.option("--out", required=True, metavar="FOLDER", help="Where to write: the files; made if missing.")
@click.option(
    "--format",
    "formats",
    type=click.Choice(["svg", "pdf"]),
    multiple=True,
    default=("pdf",),
    show_default=True,
    help="Repeat for both. A PDF embeds its fonts.",
)
@click.option(
    "--column",
    "widths",
    type=click.Choice(["single", "double"]),
    multiple=True,
    default=("single",),
    show_default=True,
    help="Of a journal's column, 85 mm, or of two, 180 mm. Repeat for both.",
)
@click.option("--by", "ways", multiple=True, metavar="COLUMN", show_default="all on offer", help=BY_HELP)
@click.option(
    "--sweep/--no-sweep",
    default=True,
    show_default=True,
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
    if reason := why_not():
        raise InputError(reason)
    more = More(tuple(dict.fromkeys(ways)) or None, sweep=sweep)
    result = find(request.whole, request.view, more=more)
    files = figure_files(result, formats=formats, widths=widths, progress=progress_line())
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"Cannot make the folder {out}: {problem.strerror}.") from problem
    for file in files:
        write_pieces(folder / file.file, [file.data])
    table = Table(files, _FIGURES_COLUMNS)
    request.emit(request.facts() | {"folder": out}, [("files", table)])


# ``report``: a study and what was chosen about it as one HTML file to hand on or print.


@example("report sample --out report.html --metric nnCUI@10")
@on_study(*COMPARED, "baseline", usual=_USUAL)
@click.option("--out", type=TEXT_FILE, required=True, metavar="FILE.html", help="Where to write: the report.")
@click.option("--by", "ways", multiple=True, metavar="COLUMN", help=BY_HELP)
@click.option("--sweep", is_flag=True, help="Also other weights of related concepts: the order of systems.")
def report(request: StudyRequest, out: str, ways: Sequence[str], sweep: bool) -> None:
    """Write verdict, figures and tables as one HTML file.

    It also contains the data, method and settings of STUDY, opens without a network, and prints on A4 and
    Letter; the numbers are those of `score`. With Kaleido and Chromium installed (see --figures) the figures
    are images; otherwise they are drawn when the file is opened.
    """
    more = More(tuple(dict.fromkeys(ways)), sweep=sweep)
    folder = Path(request.folder).resolve().name
    made = f"{date.today():%d %B %Y}"
    about: dict[str, Any] = {"folder": folder, "made": made, "more": more}
    text = document(request.whole, request.view, **about, progress=progress_line())
    data = text.encode("utf-8", "replace")
    put_lines(out, [data.decode()])
    if reason := why_not():
        complain(f"The file includes the figure library, which adds 5 MB. {reason}")
    facts = request.facts() | {"file": out, "bytes": len(data)}
    request.emit(facts, [f"Wrote {plain(out)}: {len(data) / 1e6:.2f} MB."])
