"""What diagnoses say in sentences: does retrieval help, when, and does a better score mean more help?"""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from evalcore.features.review.diagnosis.analysis import ANY_SAME, FIRST_SAME
from evalcore.features.review.diagnosis.reading import ALONE
from evalcore.features.review.diagnosis.tables import difference_written, measure_name, written
from evalcore.stats.correction import CLEAR
from evalcore.values.writing import MINUS, count, listed, p_equals, pluralize

if TYPE_CHECKING:
    from evalcore.features.review.diagnosis.analysis import Against, Analysis, Help, Value

MOST = 3
"""Arms that are named one by one."""


def headline(analysis: Analysis) -> str:
    """How often readers are right with results and alone, for other readers and cases, and in what time."""
    with_results = [row.arm for row in analysis.arms if row.arm != ALONE]
    if not with_results or not analysis.value("right", ALONE):
        known = [row for row in analysis.values if row.outcome == "right"]
        if not known:
            return "No answer has a known truth: only confidence and time can be compared."
        return f"{listed([f'{_with(row.arm)} {_percent(row.value.value)}' for row in known])} right."
    text = " ".join(_of_arm(analysis, arm) for arm in with_results[:MOST])
    more = len(with_results) - MOST
    return f"{text} {pluralize(more, 'more arm')} in the table." if more > 0 else text


def _with(arm: str) -> str:
    return "Alone" if arm == ALONE else f"With {arm}"


def _percent(value: float) -> str:
    return written("right", value)


def _of_arm(analysis: Analysis, arm: str) -> str:
    own, alone = analysis.value("right", arm), analysis.value("right", ALONE)
    difference = analysis.difference("right", arm)
    if own is None or alone is None or difference is None:
        return f"With {arm} no answer has a known truth."
    by = difference.value
    text = f"With {arm} {_percent(own.value.value)} right, alone {_percent(alone.value.value)}: {_points(by)}"
    text += f" {_sure(by, analysis.level)}" if isfinite(by.low) else ""
    seconds = analysis.difference("seconds", arm)
    return f"{text}{_seconds(seconds.value) if seconds else ''}."


def _points(by: Value) -> str:
    size = f"{abs(100 * by.value):.0f}"
    if size == "0":
        return "the same"
    return f"{size} {'point' if size == '1' else 'points'} {'more' if by.value > 0 else 'fewer'}"


def _sure(by: Value, level: float) -> str:
    ends = f"{_whole(100 * by.low)} to {_whole(100 * by.high)}"
    at_most = " at most" if by.at_most else ""
    unclear = "" if by.low > 0 or by.high < 0 else "; not clear"
    return f"({level:.0%} interval {ends}{at_most} for other readers and cases{unclear})"


def _whole(value: float) -> str:
    text = f"{value:.0f}"
    return "0" if text == "-0" else text.replace("-", MINUS)


def _seconds(by: Value) -> str:
    size = f"{abs(by.value):.0f}"
    if size == "0":
        return "; in the same time"
    return f"; {size} s {'less' if by.value < 0 else 'more'} per case"


def changed(analysis: Analysis) -> list[str]:
    """What became of answers that the same reader gave to the same case in two arms."""
    result = []
    for row in analysis.changes:
        if not row.by:
            pair = f"{_with(row.a)}" if row.b == ALONE else f"{_with(row.a)} instead of {row.b}"
            result.append(
                f"{pair}, {count(row.gained)} of {pluralize(row.n, 'answer')} turned from wrong to right "
                f"and {count(row.lost)} from right to wrong."
            )
    paired = {(row.a, row.b) for row in analysis.changes}
    apart = [arm.arm for arm in analysis.arms if arm.arm != ALONE and (arm.arm, ALONE) not in paired]
    if apart and analysis.value("right", ALONE):
        result.append(
            f"No reader answered the same case alone and with {listed(apart, limit=4)}, so single answers "
            "cannot be followed."
        )
    return result


def helped(analysis: Analysis) -> list[str]:
    """When results helped and when they misled, by whether they had the diagnosis of the case."""
    result = []
    kinds = {
        "first": "Where the first result had the diagnosis of the case",
        "below": "Where only a later one had it",
        "none": "Where no result shown had it",
    }
    several = len({row.arm for row in analysis.help}) > 1
    for row in analysis.help:
        if row.shown in kinds and not isnan(row.alone):
            of = f" ({row.arm})" if several else ""
            result.append(f"{kinds[row.shown]}{of}, {_help(row, analysis.level)}.")
    return result


def _help(row: Help, level: float) -> str:
    text = f"{_percent(row.with_results)} right with results and {_percent(row.alone)} alone"
    by = row.help
    if isfinite(by.low):
        text += f": {_points(by)} {_sure(by, level).replace(' for other readers and cases', '')}"
    return f"{text}, {pluralize(row.cases, 'case')}"


def more_help(analysis: Analysis) -> str:
    """Does a higher score mean more help? By the change in right answers; "" where nothing was compared."""
    rows = [row for row in analysis.against if row.outcome == "right" and isfinite(row.more.value)]
    rows = [row for row in rows if row.measure not in (FIRST_SAME, ANY_SAME)]
    tested = [row for row in rows if isfinite(row.p_corrected)]
    if not tested:
        return ""
    clear = sorted((row for row in tested if row.p_corrected < CLEAR), key=lambda row: row.p_corrected)
    if not clear:
        best = max(tested, key=lambda row: row.more.value)
        return f"No measure goes clearly with more help. Closest: {_more(best, analysis)}."
    more = [row for row in clear if row.more.value > 0]
    less = [row for row in clear if row.more.value <= 0]
    text = f"A higher score means more help by {_more(more[0], analysis)}" if more else ""
    if len(more) > 1:
        text += f"; also by {listed(_names(more[1:], analysis), limit=4)}"
    if less:
        text += f"{'. A' if text else 'A'} higher score means less help by {_more(less[0], analysis)}"
        text += f"; also by {listed(_names(less[1:], analysis), limit=4)}" if less[1:] else ""
    return f"{text}."


def _names(rows: list[Against], analysis: Analysis) -> list[str]:
    several = len({row.arm for row in analysis.against}) > 1
    return [f"{measure_name(row.measure)}{f' ({row.arm})' if several else ''}" for row in rows]


def _more(row: Against, analysis: Analysis) -> str:
    (name,) = _names([row], analysis)
    ends = f"{_whole(100 * row.more.low)} to {_whole(100 * row.more.high)}"
    return (
        f"{name}: {difference_written('right', row.more.value)} per standard deviation ({ends}; "
        f"{p_equals(row.p_corrected)}, Holm; {pluralize(row.cases, 'case')})"
    )


def missing(analysis: Analysis) -> str:
    """How many answers do not count, and for what; "" where all do."""
    parts = []
    for name, what in (("without_truth", "no known truth"), ("without_seconds", "no time")):
        n = sum(getattr(arm, name) for arm in analysis.arms)
        if n:
            parts.append(f"{pluralize(n, 'answer')} with {what}")
    return f"Left out where they cannot count: {listed(parts)}." if parts else ""


def method(analysis: Analysis) -> str:
    """Over what, and by what."""
    answers = sum(arm.readings for arm in analysis.arms)
    return (
        f"{pluralize(analysis.readers, 'reader')}, {pluralize(analysis.cases, 'case')}, "
        f"{pluralize(answers, 'answer')}. Intervals for other readers and cases: U-statistics (Gallas), both "
        "random; p of arms and of measures corrected by Holm. Areas by which confidence tells right answers "
        "from wrong, and slopes of help on scores, by pseudo-values."
    )
