"""What a paper takes: captions, notes on how it was counted, tables in LaTeX, Markdown and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.summary import method_of_differences
from evalcore.ranking.metrics import lower_is_better, parse_metric
from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, span, whole
from evalcore.results.writers import (
    escape_latex,
    escape_markdown,
    in_table,
    latex_label,
    markdown_lines,
    tabular,
)
from evalcore.stats.correction import CLEAR
from evalcore.values.plugins import used_in
from evalcore.values.settings import Settings
from evalcore.values.version import __version__
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.measures import TableCell, TableOne
    from evalcore.results.scores import Scoring
    from evalcore.values.model import Comparison, Interval, Scores, Study

HIGHER, LOWER, NOTHING = "†", "‡", "–"
"""Marks of what is significantly higher and lower, and what is written without a value."""

PLACES = 3


@dataclass(frozen=True, slots=True)
class BoardCell:
    """One system under one metric, as it is written.

    ``mean`` and ``interval`` (both ends) with `PLACES` decimals, "–" and "" without a value; ``best``: no
    mean of the column is written as a better one; ``mark``: `HIGHER` or `LOWER` than what it is compared
    with, or "".
    """

    mean: str
    interval: str
    best: bool
    mark: str


@dataclass(frozen=True, slots=True)
class Board:
    """``cells[row][column]``: systems, the highest first, under metrics or in slices.

    ``short``: what the table shows in a few words;
    ``caption``: sentences of `MOST_WORDS` words together at most; ``note``: the method, in full.
    ``label``: what LaTeX refers to the table by, such as "systems-by-organ".
    """

    systems: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[BoardCell, ...], ...]
    short: str
    caption: tuple[str, ...]
    note: tuple[str, ...]
    baseline: str | None
    label: str = "systems"


# Captions and notes.

_OVER = {
    "all": "all queries",
    "common": "the queries that all systems answer",
    "common-pool": "the queries that all systems answer, among the images that all systems search",
}
_DEFAULTS = Settings().as_dict()


MOST_WORDS = 60
"""Of a caption."""
SHORTEST = 25
"""Words of a caption's first sentence at most: a longer name is cut."""
IN_PARENTHESES = "In parentheses: "
"""Begins the sentences about intervals, which a table can be written without."""


def caption_of(of: Scoring, *, by: str = "") -> tuple[str, tuple[str, ...]]:
    """(what the table shows in a few words, the sentences of its caption), `MOST_WORDS` at most together.

    Sentences that do not fit are left out, the last ones first: `note_of` says all of it. ``by``: what the
    columns slice the queries by.
    """
    study, scores, intervals, comparisons, baseline = of[:5]
    metrics = list(dict.fromkeys(score.metric for score in scores))
    systems = len(dict.fromkeys(score.system for score in scores))
    under = metrics[0] if len(metrics) == 1 else f"{len(metrics)} measures"
    what = f"Mean {under}" if len(metrics) == 1 else f"Means under {under}"
    short = cut(
        f"{what} of {pluralize(systems, 'system')}{f' by {by}' if by else ''}, {study.name}", SHORTEST
    )
    than = f"the baseline {baseline}" if baseline else "the best of the column"
    wanted = [
        f"{short}; n = {_range({mean.n for mean in intervals})} queries.",
        f"{IN_PARENTHESES}{intervals[0].level:.0%} interval.",
        *([f"Bold: {_best(metrics)}."] if systems > 1 else []),
    ]
    if comparisons:
        correction = comparisons[0].correction.replace("none", "not corrected")
        wanted.append(f"†/‡: significantly higher/lower than {than} (p < .05, {correction}).")
    kept: list[str] = []
    for sentence in wanted:
        if sum(len(text.split()) for text in (*kept, sentence)) <= MOST_WORDS:
            kept.append(sentence)
    return short, tuple(kept)


def caption_of_pairs(analysis: Analysis, comparisons: Sequence[Comparison]) -> str:
    """The caption of a table of differences: what, n, interval, test."""
    first, metrics = comparisons[0], list(dict.fromkeys(row.metric for row in comparisons))
    ns = {row.n_pairs for row in comparisons}
    what = f"Differences under {metrics[0] if len(metrics) == 1 else f'{len(metrics)} measures'}"
    interval = method_of_differences(analysis.view.settings)
    return (
        f"{cut(f'{what}, {analysis.study.name}', SHORTEST)}; n = {_range(ns)} queries, paired. "
        f"{first.level:.0%} interval: {interval}. p: {first.test}; {over_what(comparisons)}."
    )


def _best(metrics: Sequence[str]) -> str:
    """Which mean of a column is in bold."""
    lower = [metric for metric in metrics if lower_is_better(metric)]
    if not lower:
        return "highest"
    return "lowest" if len(lower) == len(metrics) else f"best, which is the lowest of {', '.join(lower)}"


def _bold(scores: Sequence[Scores]) -> list[str]:
    """The sentence about means in bold; none of a single system."""
    if len({score.system for score in scores}) < 2:
        return []
    best = _best(list(dict.fromkeys(score.metric for score in scores)))
    return [f"Bold: the {best} of a column, and all that are equal to it at the decimals shown."]


def cut(text: str, words: int) -> str:
    """The first words of a text, on one line; an ellipsis where some are left out.

    >>> cut("one two  three", 2), cut("one two", 2)
    ('one two…', 'one two')
    """
    parts = text.split()
    return " ".join(parts[:words]) + ("…" if len(parts) > words else "")


def note_of(of: Scoring) -> tuple[str, ...]:
    """The sentences, as plain text, in the order to be read; the notes before the settings."""
    study, scores, intervals, comparisons, baseline, settings, queries, notes = of
    return (
        _counted(study, scores, intervals, queries),
        *_left_out(scores, settings),
        _intervals(intervals),
        *_bold(scores),
        *_marks(comparisons, baseline),
        *_groups(study),
        *notes,
        *_own(scores),
        f"{_settings(settings)} CUIscope {__version__}, study {study.name}, digest {study.content}.",
    )


def _own(scores: Sequence[Scores]) -> list[str]:
    """The functions of users that took part."""
    used = used_in(text for score in scores for text in (score.metric, score.system))
    return [f"Of the authors' own: {'; '.join(map(str, used))}."] if used else []


def _counted(study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], queries: str) -> str:
    n, over = _by_metric(scores, [mean.n for mean in intervals]), _OVER[queries]
    if study.where:
        conditions = " and ".join(study.where)
        over = f"those with {conditions}" if queries == "all" else f"{over}, and only those with {conditions}"
    return f"Means over the queries with a value ({n}), of {over}."


def _by_metric(scores: Sequence[Scores], counts: Sequence[int]) -> str:
    """A count that holds for all metrics, or those of each, as a range where systems differ."""
    by_metric: dict[str, set[int]] = {}
    for score, n in zip(scores, counts, strict=True):
        by_metric.setdefault(score.metric, set()).add(n)
    if len(set().union(*by_metric.values())) == 1:
        return f"n = {counts[0]:,}"
    return ", ".join(f"{metric}: {_range(ns)}" for metric, ns in by_metric.items())


def _range(ns: set[int]) -> str:
    return f"{min(ns):,}" if len(ns) == 1 else f"{min(ns):,} to {max(ns):,}"


def _left_out(scores: Sequence[Scores], settings: Settings) -> Iterator[str]:
    """What became of queries without a value, and of those a system did not answer."""
    undefined = [score.n_undefined for score in scores]
    if any(undefined):
        fate = "are left out" if settings.undefined == "skip" else "count as 0"
        yield f"Queries without a value {fate} ({_by_metric(scores, undefined)})."
    missing: dict[str, set[int]] = {}
    for of in scores:
        if of.missing:
            missing.setdefault(of.system, set()).add(of.missing)
    if missing:
        named = ", ".join(f"{name}: {_range(ns)}" for name, ns in missing.items())
        lower = [lower_is_better(of.metric) for of in scores]
        fate = "the last place" if all(lower) else f"0{', of ranks as the last place' * any(lower)}"
        yield f"Unanswered queries count as {fate} ({named})."


def _intervals(intervals: Sequence[Interval]) -> str:
    first = intervals[0]
    methods = _methods([(interval.method, interval.n_groups) for interval in intervals])
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    return f"{IN_PARENTHESES}the {first.level:.0%} interval ({methods}{drawn})."


def _methods(methods: Sequence[tuple[str, int]]) -> str:
    """Names of methods, each once; where they end with a number of groups, with all of these as a range."""
    groups: dict[str, set[int]] = {}
    for method, n in methods:
        groups.setdefault(method.removesuffix(f" ({n:,} groups)"), set()).add(n)
    return ", ".join(
        name + (f" ({_range(ns)} groups)" if (ns := numbers - {0}) else "")
        for name, numbers in groups.items()
    )


def _marks(comparisons: Sequence[Comparison], baseline: str | None) -> Iterator[str]:
    if not comparisons:
        return
    than = f"the baseline {baseline}" if baseline else "the leader of the column"
    marks = f"† significantly higher, ‡ significantly lower than {than}"
    tests = _methods([(comparison.test, comparison.n_groups) for comparison in comparisons])
    flips = max(comparison.n_resamples for comparison in comparisons)
    yield (
        f"{marks}: p < .05 by {tests}, {pluralize(flips, 'flip')}, seed {comparisons[0].seed}; "
        f"{over_what(comparisons)}."
    )
    if floor := at_the_floor(comparisons):
        yield floor


def _groups(study: Study) -> Iterator[str]:
    """What became of candidates of the query's own group."""
    if study.groups is not None:
        fate = "are left out" if study.groups.left_out else "count"
        yield f"Candidates of the query's own {study.groups.name} {fate}."


def _settings(settings: Settings) -> str:
    """Alpha, threshold and ties; the other settings where they are not as usual."""
    named = settings.as_dict()
    others = [
        f"{name} {value}"
        for name, value in named.items()
        if value != _DEFAULTS[name] and name not in ("alpha", "threshold", "ties", "interval")
    ]
    usual = f"α {settings.alpha:g}, threshold {settings.threshold}, ties by {settings.ties}"
    return f"{', '.join([usual, *others])}."


# A board written down.

SIDE_BY_SIDE = 8
"""Columns of a LaTeX table at most; more are set in panels one below the other."""


def as_latex(board: Board, *, intervals: bool = True) -> str:
    """A whole ``table`` with caption, label and a note below; needs the package booktabs, and nothing else.

    ``intervals``: in brackets after each mean, in small type.
    """
    starts = range(0, max(len(board.columns), 1), SIDE_BY_SIDE)
    panels = [_panel(board, first, intervals) for first in starts]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption[{escape_latex(board.short)}]{{{escape_latex(_caption(board, intervals))}}}",
        rf"\label{{tab:{latex_label(board.label)}}}",
        *(line for i, panel in enumerate(panels) for line in ([r"\par\medskip"] if i else []) + panel),
        rf"\par\smallskip{{\footnotesize\raggedright {escape_latex(_note(board, intervals))}\par}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _panel(board: Board, first: int, intervals: bool) -> list[str]:
    """The columns from one place on, with every row."""
    part = slice(first, first + SIDE_BY_SIDE)
    rows = [
        " & ".join([escape_latex(_named(board, name)), *(_in_latex(cell, intervals) for cell in cells[part])])
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    columns = board.columns[part]
    head = [f"System & {' & '.join(map(escape_latex, columns))} \\\\"]
    return tabular(f"l{'r' * len(columns)}", head, [rows])


def as_markdown(board: Board, *, intervals: bool = True) -> str:
    """A table in Markdown, its caption and the note below."""
    rows = [
        [escape_markdown(_named(board, name)), *(_in_markdown(cell, intervals) for cell in cells)]
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    lines = markdown_lines(["System", *map(escape_markdown, board.columns)], rows)
    below = [escape_markdown(text) for text in (_caption(board, intervals), _note(board, intervals))]
    return "\n".join([*lines, "", below[0], "", below[1]]) + "\n"


def as_html(board: Board) -> str:
    """A table in HTML for notebooks, caption above and note below; every text is escaped."""

    def line(tag: str, cells: Iterable[str]) -> str:
        styled = (f'<{tag} style="text-align: left">{cell}</{tag}>' for cell in cells)
        return f"<tr>{''.join(styled)}</tr>"

    rows = [
        line("td", [escape(_named(board, name)), *map(_in_html, cells)])
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    head = line("th", ["System", *map(escape, board.columns)])
    caption, note = escape(" ".join(board.caption)), escape(" ".join(board.note))
    return (
        f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p><small>{note}</small></p>"
    )


def _in_html(cell: BoardCell) -> str:
    mean = f"<b>{escape(cell.mean)}</b>" if cell.best else escape(cell.mean)
    ends = f" <small>({escape(cell.interval)})</small>" if cell.interval else ""
    return f"{mean}{escape(cell.mark)}{ends}"


def _named(board: Board, name: str) -> str:
    return f"{name} (baseline)" if name == board.baseline else name


def _caption(board: Board, intervals: bool) -> str:
    return " ".join(without_intervals(board.caption) if not intervals else board.caption)


def _note(board: Board, intervals: bool) -> str:
    return " ".join(without_intervals(board.note) if not intervals else board.note)


def without_intervals(sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences of a caption or a note that hold for a table without intervals too."""
    return tuple(sentence for sentence in sentences if not sentence.startswith(IN_PARENTHESES))


def _in_latex(cell: BoardCell, intervals: bool) -> str:
    mean = rf"\textbf{{{cell.mean}}}" if cell.best else cell.mean
    mark = {"": "", "†": r"$^\dagger$", "‡": r"$^\ddagger$"}[cell.mark]
    ends = rf" {{\footnotesize({cell.interval})}}" if intervals and cell.interval else ""
    return f"{mean}{mark}{ends}"


def _in_markdown(cell: BoardCell, intervals: bool) -> str:
    mean = f"**{cell.mean}**" if cell.best else cell.mean
    return f"{mean}{cell.mark}" + (f" ({cell.interval})" if intervals and cell.interval else "")


# Table 1.


def caption_of_table_one(table: TableOne, study: str) -> str:
    """What the table holds, over how many queries, and what its marks say."""
    return (
        f"Precision in percent of {pluralize(len(table.systems), 'measure')}, {cut(study, SHORTEST)}; n = "
        f"{table.n_asked:,} queries. Bold: highest. {LOWER}: significantly lower than the best of the column "
        f"(p < .05, {table.correction})."
    )


def table_one(table: TableOne, labels: Sequence[str], *, study: str) -> str:
    """Measures as rows, label targets as groups of columns with one column per depth; percent.

    Bold is the highest of a column, `LOWER` marks what is significantly lower. A comment names test,
    seed and ties. Needs the package booktabs.
    """
    groups = [(target, list(members)) for target, members in groupby(table.metrics, key=_target)]
    spans = " & ".join(rf"\multicolumn{{{len(of)}}}{{c}}{{{escape_latex(target)}}}" for target, of in groups)
    rules, at = [], 2
    for _, members in groups:
        rules.append(rf"\cmidrule(lr){{{at}-{at + len(members) - 1}}}")
        at += len(members)
    depths = " & ".join(f"@{parse_metric(metric).cutoff}" for metric in table.metrics)
    rows = [
        f"{escape_latex(label)} & {' & '.join(_cell(cell) for cell in row)}"
        for label, row in zip(labels, table.cells, strict=True)
    ]
    head = [rf" & {spans} \\", " ".join(rules), rf"Measure & {depths} \\"]
    body = tabular(f"l{'r' * len(table.metrics)}", head, [rows])
    return "\n".join(["% " + _method(table), *in_table(body, caption_of_table_one(table, study))]) + "\n"


class CellOf(NamedTuple):
    """A cell, the measure that ranks and the metric that judges."""

    measure: str
    metric: str
    cell: TableCell


def cells_table(table: TableOne) -> Table:
    """One row per measure and column; means are shares from 0 to 1."""
    rows = [
        CellOf(name, metric, cell)
        for name, row in zip(table.systems, table.cells, strict=True)
        for metric, cell in zip(table.metrics, row, strict=True)
    ]
    columns = (
        also("measure", "measure"),
        Column("measure", lambda row: row.measure.removeprefix("@")),
        Column("metric", head="metric"),
        only_saved("k", lambda row: parse_metric(row.metric).cutoff),
        Column("mean", "cell.interval.mean", "mean", decimals),
        also("", lambda row: "best" if row.cell.best else LOWER if is_lower(row.cell) else ""),
        *ends("cell.interval.")[1:],
        span("cell.interval."),
        *(only_saved(f"ci_{name}", f"cell.interval.{name}") for name in ("level", "method")),
        only_saved("ci_resamples", "cell.interval.n_resamples"),
        Column("n", "cell.interval.n", "n", whole),
        only_saved("seed", lambda _: table.seed),
        only_saved("n_queries", "cell.n_queries"),
        Column("n_undefined", "cell.n_undefined"),
        Column("tied", "cell.tied", "tied", whole).in_file("n_tied"),
        *(Column(name, f"cell.{name}") for name in ("best", "as_good", "p_corrected")),
    )
    facts = {
        "correction": table.correction,
        "test": table.test,
        "sign_flips": table.n_resamples,
        "ties": table.ties,
        "queries_used": table.n_asked,
        "queries_of_study": table.n_all,
    }
    return Table(rows, columns, facts)


def _target(metric: str) -> str:
    return " & ".join(parse_metric(metric).labels)


def _cell(cell: TableCell) -> str:
    mean = cell.interval.mean
    if mean != mean:
        return NOTHING
    written = f"{100 * mean:.2f}"
    if cell.best:
        return rf"\textbf{{{written}}}"
    return rf"{written}$^\ddagger$" if is_lower(cell) else written


def is_lower(cell: TableCell) -> bool:
    """Whether a mean is significantly lower than the highest of its column."""
    return cell.p_corrected < CLEAR and not cell.best


def _method(table: TableOne) -> str:
    return (
        f"{table.n_asked} of {table.n_all} queries (seed {table.seed}), ties: {table.ties}; {table.test}, "
        f"{table.correction} per column, p < .05."
    )
