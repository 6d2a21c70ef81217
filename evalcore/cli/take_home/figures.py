"""``figures``: the figures of a report as files for a paper, as wide as a journal's columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table
from evalcore.cli.options import ALL
from evalcore.cli.output import progress_line
from evalcore.cli.scoring.slices import BY_HELP
from evalcore.cli.take_home.view import of_a_view, view_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked

_COLUMNS = (Column("file", head="file"), Column("width_mm", head="mm", text="{:g}".format), Column("alt"))


@on_study(*ALL)
@click.option("--out", required=True, metavar="FOLDER", help="Where to write the files; made if missing.")
@click.option(
    "--format", "formats", type=click.Choice(["svg", "pdf"]), multiple=True, default=("pdf",),
    show_default=True, help="Repeat for both. A PDF embeds its fonts.",
)  # fmt: skip
@click.option(
    "--width", "widths", type=click.Choice(["single", "double"]), multiple=True, default=("single",),
    show_default=True, help="Of a journal's column, 85 mm, or of two, 180 mm. Repeat for both.",
)  # fmt: skip
@of_a_view
@click.option("--by", "ways", multiple=True, metavar="COLUMN", show_default="all on offer", help=BY_HELP)
@click.option(
    "--sweep/--no-sweep", default=True, show_default=True,
    help="Also those of other weights of related concepts, which take longest.",
)  # fmt: skip
def figures(
    asked: Asked, out: str, formats: Sequence[str], widths: Sequence[str], ways: Sequence[str], sweep: bool,
    **given: Any,
) -> None:  # fmt: skip
    """Write the figures of STUDY as SVG or PDF in the widths of a journal.

    What the pages Overview, Compare, Queries and Sensitivity draw of the comparison: means, differences,
    slices, curves, single queries, every pair, other weights of related concepts. Needs Kaleido
    (pip install kaleido) and Chromium or Chrome on the PATH, or in BROWSER_PATH; neither asks the network.
    """
    from evalcore.report.files import figure_files, why_not
    from evalcore.report.found import find
    from evalcore.report.more import More
    from evalcore.study.tables.writers import write_pieces
    from evalcore.study.workspace.home import make_folder

    if reason := why_not():
        raise InputError(reason)
    more = More(tuple(dict.fromkeys(ways)) or None, sweep=sweep)
    found = find(asked.whole, view_of(asked, given), more=more)
    files = figure_files(found, formats=formats, widths=widths, progress=progress_line())
    folder = Path(out)
    try:
        make_folder(folder)
    except OSError as problem:
        raise InputError(f"Cannot make the folder {out}: {problem.strerror}.") from problem
    for one in files:
        write_pieces(folder / one.file, [one.data])
    table = Table(files, _COLUMNS)
    asked.emit(
        {"study": asked.whole.name, "digest": asked.whole.content, "folder": out, "files": table},
        [table],
    )
