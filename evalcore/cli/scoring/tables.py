"""``--latex``, ``--markdown`` and ``--csv``: the scores as a table for a paper, and as tidy rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from evalcore.cli.options import gathered
from evalcore.cli.output import TEXT_FILE, write_file, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.comparisons import How
    from evalcore.evaluate.slices.every_slice import Sliced
    from evalcore.values.compared import ComparedOver
    from evalcore.values.model import Comparison, Interval, Scores, Study


class Home(NamedTuple):
    """The files that were asked for, None for those that were not."""

    latex: str | None
    markdown: str | None
    csv: str | None
    intervals: bool

    @property
    def wanted(self) -> bool:
        return any((self.latex, self.markdown, self.csv))


to_take_home = gathered(
    "home", Home,
    click.option(
        "--latex", type=TEXT_FILE, metavar="FILE.tex",
        help="Write systems x metrics as a LaTeX table (booktabs) with its caption: best in bold, "
        "significance against the baseline or else the best of each column; with --by also systems x "
        "slices. - for standard output.",
    ),
    click.option("--markdown", type=TEXT_FILE, metavar="FILE.md", help="The same in Markdown."),
    click.option(
        "--csv", type=TEXT_FILE, metavar="FILE.csv",
        help="Write one row per system and metric, with --by also per slice.",
    ),
    click.option(
        "--intervals/--no-intervals", default=True, show_default=True,
        help="In these tables, the interval after each mean.",
    ),
)  # fmt: skip
"""The command gets a `Home` called ``home``."""


def write(
    home: Home, study: Study, scores: Sequence[Scores], intervals: Sequence[Interval],
    comparisons: Sequence[Comparison], how: How, over: ComparedOver, parts: Sliced | None = None,
) -> None:  # fmt: skip
    """Write what was asked for; nothing where nothing was. ``comparisons``: with the baseline, if any.

    ``parts``: the same slice by slice: tables of systems x slices follow the one over all queries, and every
    row names its slice.
    """
    if not home.wanted:
        return
    from evalcore.evaluate.common_pool import in_words
    from evalcore.evaluate.pairs.every_pair import with_baseline_or_leader
    from evalcore.results.board import board_of
    from evalcore.results.board_text import as_latex, as_markdown
    from evalcore.results.by_slice import slice_boards, slice_rows
    from evalcore.results.tidy import score_rows

    baseline, settings = how.baseline, how.settings
    pairs = comparisons if baseline else with_baseline_or_leader(scores, **how._asdict())
    notes = in_words(over)
    board = board_of(
        study, scores, intervals, pairs, baseline=baseline, settings=settings, queries=over.which,
        notes=notes,
    )  # fmt: skip
    boards = [board] if parts is None else [
        board,
        *slice_boards(
            study, scores, intervals, comparisons, parts, baseline=baseline, settings=settings,
            queries=over.which, notes=notes,
        ),
    ]  # fmt: skip
    for file, written in ((home.latex, as_latex), (home.markdown, as_markdown)):
        if file:
            text = "\n".join(written(one, intervals=home.intervals) for one in boards)
            write_file(file, text.splitlines(keepends=True))
    if home.csv:
        if parts is None:
            rows = score_rows(study, scores, intervals, pairs, settings=settings, queries=over.which)
        else:
            rows = slice_rows(study, scores, intervals, pairs, parts, settings=settings, queries=over.which)
        write_table(home.csv, tuple(rows[0]), (row.values() for row in rows))
