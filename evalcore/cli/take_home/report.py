"""``report``: a study and what was chosen about it as one HTML file to hand on or print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.asked import on_study
from evalcore.cli.options import ALL
from evalcore.cli.output import TEXT_FILE, complain, plain, progress_line, put_lines
from evalcore.cli.scoring.slices import BY_HELP
from evalcore.cli.take_home.view import of_a_view, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked


@on_study(*ALL)
@click.option("--out", type=TEXT_FILE, required=True, metavar="FILE.html", help="Where to write the report.")
@of_a_view
@click.option("--by", "ways", multiple=True, metavar="COLUMN", help=BY_HELP)
@click.option("--sweep", is_flag=True, help="Also the order of systems at other weights of related concepts.")
def report(asked: Asked, out: str, ways: Sequence[str], sweep: bool, **given: Any) -> None:
    """Write verdict, figures, tables, data, method and settings of STUDY as one HTML file.

    It opens without a network and prints on A4 and Letter; the numbers are those of `score`. Figures are
    pictures in it where Kaleido and Chromium are installed (see `figures`); else it draws them when opened.
    """
    from datetime import date

    from evalcore.report.document import report as document
    from evalcore.report.files import why_not
    from evalcore.report.more import More

    view, more = view_of(asked, given), More(tuple(dict.fromkeys(ways)), sweep=sweep)
    folder = Path(asked.folder).resolve().name
    made = f"{date.today():%d %B %Y}"
    text = document(asked.whole, view, folder=folder, made=made, more=more, progress=progress_line())
    data = text.encode("utf-8", "replace")
    put_lines(out, [data.decode()])
    if reason := why_not():
        complain(f"The file draws its figures itself, which takes 5 MB. {reason}")
    found = {"study": asked.whole.name, "digest": asked.whole.content, "file": out, "bytes": len(data)}
    asked.emit(found, [f"Wrote {plain(out)}: {len(data) / 1e6:.2f} MB."])
