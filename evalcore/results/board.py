"""Systems under metrics as a table for a paper: best in bold, marks, a caption, a note.

A value first; `paper` writes it down.
"""

from __future__ import annotations

from math import isnan
from operator import attrgetter
from typing import TYPE_CHECKING

from evalcore.evaluate.slices import FEW, over_slices
from evalcore.ranking.families import METRICS, offered
from evalcore.relevance.registry import available, own_measures, weighed_ones
from evalcore.results.paper import HIGHER, LOWER, NOTHING, PLACES, Board, BoardCell, caption_of, note_of
from evalcore.results.scores import ALL_QUERIES
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import best_first
from evalcore.values import plugins
from evalcore.values.grouping import judging_columns, label_types
from evalcore.values.own_queries import PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.evaluate.slices import Sliced
    from evalcore.results.scores import Scoring
    from evalcore.values.model import Comparison, Interval, Study

FIRST = 3
"""Measures on a board unless others are chosen."""


def offered_measures(study: Study) -> dict[str, bool]:
    """The measures that make sense for a study, by name, the default first: whether each looks at the top K.

    A study without systems compares the relevance measures as systems: judged by concepts they would judge
    themselves, so labels come first there. Judgments of others come after both; a study without concepts has
    them alone.
    """
    by_concepts = offered("related concepts" if study.knows_neighbours else "concepts", "")
    columns = judging_columns(study)
    types = label_types(columns)
    both = ["&".join(types[:2])] if types[1:] else []
    by_others = judged_measures(study)
    if by_others and not len(study.concepts.indices):
        by_concepts = {}
    pairs = [PAIRS] if study.pairs is not None else []
    by_label = (
        offered("pairs", *pairs)
        | offered("labels", *both, *columns)
        | offered("types", *types[:2])
        | offered("ranks", *pairs)
    )
    first = (by_concepts | by_label if study.systems else by_label | by_concepts) | by_others
    weighed = offered("relevance", *weighed_ones(study))
    by_systems = offered("appearance", *study.embeddings)
    return first | weighed | by_systems | _own_measures(study, (*types[:1], *by_concepts, "iou"))


def judged_measures(study: Study) -> dict[str, bool]:
    """The same by judgments of others: those of people, then those of programs."""
    files = sorted(study.qrels.values(), key=lambda of: (of.by_program, of.name))
    return offered("judgments", *(of.relevance for of in files))


def _own_measures(study: Study, about: Sequence[str]) -> dict[str, bool]:
    """Those by relevances that users registered, and their metrics: by the first labels, else by concepts."""
    by_relevance = offered("relevance", *(name for name in available(study) if name in own_measures()))
    what = "iou" if about[0] in {"nnCUI", "CUI"} else about[0]
    families = [METRICS[name] for name in plugins.names("metric")]
    return by_relevance | {
        family.name if family.fixed_relevance else f"{family.name}({what})": family.cutoff == "required"
        for family in families
    }


def default_metrics(study: Study, k: int = 10) -> tuple[str, ...]:
    """The labels of the measures on a board where none are chosen: the first that pages offer, at k."""
    return tuple(f"{name}@{k}" if cut else name for name, cut in offered_measures(study).items())[:FIRST]


def board_of(of: Scoring) -> Board:
    """The table of scores, marked by comparisons with the baseline, or the leaders where there is none.

    Rows come by their mean under the first metric, highest first and equal ones by name; columns in the order
    of the scores.
    """
    scores, intervals = of.scores, of.intervals
    metrics = tuple(dict.fromkeys(score.metric for score in scores))
    means = {(s.system, s.metric): mean for s, mean in zip(scores, intervals, strict=True)}
    systems = by_score({score.system: means[score.system, metrics[0]].merit for score in scores})
    marks = {(comparison.system, comparison.metric): mark_of(comparison) for comparison in of.comparisons}
    cells = cells_of(systems, metrics, means, marks)
    short, caption = caption_of(of)
    return Board(systems, metrics, cells, short, caption, note_of(of), of.baseline)


def by_score(means: Mapping[str, float]) -> tuple[str, ...]:
    """Systems by their mean, the highest first; equal ones by name, those without a mean last.

    >>> by_score({"b": 0.5, "a": 0.5, "none": float("nan"), "c": 0.7})
    ('c', 'a', 'b', 'none')
    """
    names = list(means)
    return tuple(names[place] for place in best_first(names, list(means.values())))


def cells_of(
    systems: Sequence[str],
    columns: Sequence[str],
    means: Mapping[tuple[str, str], Interval],
    marks: Mapping[tuple[str, str], str],
) -> tuple[tuple[BoardCell, ...], ...]:
    """The cells of a table; ``means`` of every system and column, ``marks`` of those that have one.

    A single system is the best of nothing.
    """
    compared = systems if len(systems) > 1 else ()
    top = {column: _best([means[name, column] for name in compared]) for column in columns}
    return tuple(
        tuple(_cell(means[name, column], top[column], marks.get((name, column), "")) for column in columns)
        for name in systems
    )


def _cell(mean: Interval, top: str, mark: str) -> BoardCell:
    if isnan(mean.mean):
        return BoardCell(NOTHING, "", best=False, mark="")
    ends = "" if isnan(mean.low) else f"{mean.low:.{PLACES}f}–{mean.high:.{PLACES}f}"
    written = f"{mean.mean:.{PLACES}f}"
    return BoardCell(written, ends, written == top, mark)


def _best(means: Iterable[Interval]) -> str:
    """The best mean as it is written; "" where there is none."""
    defined = [mean for mean in means if not isnan(mean.mean)]
    return f"{max(defined, key=attrgetter('merit')).mean:.{PLACES}f}" if defined else ""


def mark_of(comparison: Comparison) -> str:
    """`HIGHER` or `LOWER` where a comparison is clear, else nothing."""
    if not comparison.p_corrected < CLEAR or comparison.difference == 0:
        return ""
    return HIGHER if comparison.difference > 0 else LOWER


# Systems slice by slice: tables for a paper, systems x slices.


def slice_boards(of: Scoring, sliced: Sliced) -> tuple[Board, ...]:
    """One table per way of slicing and metric: systems down, all queries and then the slices across.

    ``found`` is about these scores (see `every_slice`). Rows come by the mean over all queries, highest
    first. Marks are against the baseline; without one there are none. A head names the largest number of
    queries with a value under one of the systems.
    """
    ways = dict.fromkeys(row.by for row in sliced.means)
    metrics = dict.fromkeys(score.metric for score in of.scores)
    return tuple(_board(of, sliced, by, metric) for by in ways for metric in metrics)


def _board(of: Scoring, sliced: Sliced, by: str, metric: str) -> Board:
    whole = [pair for pair in zip(of.scores, of.intervals, strict=True) if pair[0].metric == metric]
    rows = [row for row in sliced.means if row.by == by and row.scores.metric == metric]
    against = [
        comparison
        for comparison in of.comparisons
        if comparison.metric == metric and comparison.baseline == of.baseline
    ]
    parts = [row for row in sliced.differences if row.by == by and row.found.metric == metric]
    means = {(score.system, ALL_QUERIES): mean for score, mean in whole}
    means |= {(row.scores.system, row.name): row.mean for row in rows}
    marks = {(comparison.system, ALL_QUERIES): mark_of(comparison) for comparison in against}
    marks |= {(row.found.system, row.name): mark_of(row.found) for row in parts}
    systems = by_score({score.system: mean.merit for score, mean in whole})
    columns = tuple(dict.fromkeys(column for _, column in means))
    heads = tuple(f"{name} (n = {max(means[system, name].n for system in systems):,})" for name in columns)
    few = f"n: queries with a value; fewer than {FEW} are too few to judge by."
    tests = [f"In slices: {over_slices(parts)}."] if parts else []
    remarks = [remark for way, remark in sliced.remarks if way == by]
    part = of._replace(
        scores=[score for score, _ in whole],
        intervals=[mean for _, mean in whole],
        comparisons=against,
        notes=[few, *tests, *remarks, *of.notes],
    )
    shown = part._replace(comparisons=[row.found for row in parts] + against)
    short, caption = caption_of(shown, by=by)
    label = f"systems-by-{by}" + (f"-{metric}" if len({score.metric for score in of.scores}) > 1 else "")
    cells = cells_of(systems, columns, means, marks)
    return Board(systems, heads, cells, short, caption, note_of(part), of.baseline, label)
