"""What diagnoses say: the columns that command, page and files draw, and what they are in words."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from evalcore.features.review.diagnosis.analysis import ANY_SAME, FIRST_SAME
from evalcore.features.review.diagnosis.reading import ALONE
from evalcore.results.rows import Column, Table, named, p_text, system_name, whole
from evalcore.values.writing import MINUS, NOTHING, brief, fixed, p_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.features.review.diagnosis.analysis import Analysis, Outcome, Shown, Value
    from evalcore.features.review.diagnosis.reading import Diagnosis

SHOWN_AS: dict[Shown, str] = {
    "first": "first result has the diagnosis",
    "below": "a later result has it",
    "none": "no result has it",
    "unknown": "not known",
}


def outcome_name(analysis: Analysis, outcome: Outcome) -> str:
    """What an outcome is called; the area by what it is of."""
    if outcome == "area":
        of = f"AUC of confidence in “{analysis.positive}”" if analysis.positive else ""
        return of or "Area: confidence, right from wrong"
    return {
        "right": "Right answers",
        "confidence": "Mean confidence",
        "seconds": "Mean time",
        "time": "Typical time (geometric mean)",
    }[outcome]


def arm_name(arm: str) -> str:
    """An arm in a sentence or cell."""
    return "alone" if arm == ALONE else f"with {arm}"


def measure_name(measure: str) -> str:
    """A measure in a sentence or cell; what the results showed in words."""
    return {
        FIRST_SAME: "First result of the same diagnosis",
        ANY_SAME: "Any result of the same diagnosis",
    }.get(measure, measure)


def written(outcome: Outcome, value: float) -> str:
    """A value of an outcome: 71%, 0.81, 236 s."""
    if not isfinite(value):
        return NOTHING
    if outcome in ("right", "confidence"):
        return f"{100 * value:.0f}%"
    return brief(value) if outcome == "area" else f"{value:.0f} s"


_SCALES = {"right": (100, 0), "confidence": (100, 0), "area": (1, 2), "seconds": (1, 0)}
"""What a difference is multiplied by to be written, and its decimal places."""


def difference_written(outcome: Outcome, value: float) -> str:
    """A difference of an outcome: +15 points, −0.05, −98 s; of the typical time a ratio, × 0.71."""
    text = _signed(outcome, value)
    return text if text == NOTHING else f"{text}{_unit(outcome, text)}"


def _signed(outcome: Outcome, value: float) -> str:
    if not isfinite(value):
        return NOTHING
    if outcome == "time":
        return f"× {value:.2f}"
    scale, places = _SCALES[outcome]
    text = fixed(abs(scale * value), places)
    return f"{'' if float(text) == 0 else '+' if value > 0 else MINUS}{text}"


def _unit(outcome: Outcome, last: str) -> str:
    if outcome in ("right", "confidence"):
        return " point" if last.lstrip(f"+{MINUS}") == "1" else " points"
    return " s" if outcome == "seconds" else ""


def interval_written(outcome: Outcome, value: Value, *, difference: bool) -> str:
    """Both ends, the unit once; “at most” where the wider variance had to be taken."""
    if not isfinite(value.low):
        return NOTHING
    if difference:
        low, high = _signed(outcome, value.low), _signed(outcome, value.high)
        text = f"{low} to {high.removeprefix('× ')}{_unit(outcome, high)}"
    else:
        text = f"{written(outcome, value.low)} to {written(outcome, value.high)}"
    return f"{text}, at most" if value.at_most else text


def _value_columns(analysis: Analysis, title: str, *, difference: bool) -> tuple[Column, ...]:
    how: Callable[[Outcome, float], str] = difference_written if difference else written
    ends = f"{analysis.level:.0%} interval"

    def interval(row: Any) -> str:
        return interval_written(row.outcome, row.value, difference=difference)

    return (
        Column("", lambda row: how(row.outcome, row.value.value), title.lower()).on_page(title, cell=str),
        Column("", interval, ends).on_page(ends, cell=str),
        Column("value", "value.value"),
        Column("low", "value.low"),
        Column("high", "value.high"),
        Column("at_most", "value.at_most"),
    )


def _outcome(analysis: Analysis) -> tuple[Column, ...]:
    name = Column("", lambda row: outcome_name(analysis, row.outcome), "outcome").on_page("Outcome", cell=str)
    return (name, Column("outcome"))


def _arm(column: str, head: str, title: str) -> Column:
    return Column(column, column, head).on_page(title, cell=system_name)


def values_table(analysis: Analysis) -> Table:
    """Each outcome of each arm."""
    return Table(
        analysis.values,
        (
            *_outcome(analysis),
            _arm("arm", "arm", "Arm"),
            *_value_columns(analysis, "Value", difference=False),
            Column("n", head="answers", text=whole).on_page("Answers"),
            Column("readers", head="readers", text=whole).on_page("Readers"),
            Column("cases", head="cases", text=whole).on_page("Cases"),
        ),
    )


def differences_table(analysis: Analysis) -> Table:
    """Each outcome of every two arms: the first minus the second."""
    return Table(
        analysis.differences,
        (
            *_outcome(analysis),
            _arm("a", "arm", "Arm"),
            _arm("b", "minus", "Minus"),
            *_value_columns(analysis, "Difference", difference=True),
            Column("p", "value.p", "p", p_text),
            Column("p_corrected", None, "p (Holm)", p_text).on_page("p (Holm)", cell=p_value),
        ),
    )


def counts_table(analysis: Analysis) -> Table:
    """What there is of each arm, and what is missing."""
    return Table(
        analysis.arms,
        (
            _arm("arm", "arm", "Arm"),
            *(
                Column(name, head=title.lower(), text=whole).on_page(title)
                for name, title in (
                    ("readings", "Answers"),
                    ("readers", "Readers"),
                    ("cases", "Cases"),
                    ("without_truth", "Without truth"),
                    ("without_seconds", "Without time"),
                    ("simulated", "Simulated"),
                )
            ),
            Column("median", head="median seconds", text=lambda value: fixed(value, 0)).on_page(
                "Median seconds", "%.0f"
            ),
        ),
    )


def changes_table(analysis: Analysis, by: str = "") -> Table:
    """What became of answers; ``by``: "" for every two arms, or each "reader" or "case"."""
    share = tuple(
        Column(f"{name}{end}", f"{name}.{part}")
        for name in ("gained_share", "lost_share", "net")
        for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))
    )
    own = (
        (Column("name", head=by).on_page(by.capitalize(), cell=system_name),)
        if by
        else (
            *share,
            Column("", lambda row: _change(row.net), "net change").on_page("Net change", cell=str),
            Column("p", "net.p", "p", p_text).on_page("p", cell=p_value, expert=True),
        )
    )
    return Table(
        [row for row in analysis.changes if row.by == by],
        (
            _arm("a", "arm", "Arm"),
            _arm("b", "against", "Against"),
            *(own if by else ()),
            Column("n", head="pairs", text=whole).on_page("Answers in both"),
            Column("gained", head="wrong to right", text=whole).on_page("Wrong to right"),
            Column("lost", head="right to wrong", text=whole).on_page("Right to wrong"),
            Column("both", head="both right", text=whole).on_page("Both right"),
            Column("neither", head="both wrong", text=whole).on_page("Both wrong"),
            *(() if by else own),
        ),
    )


def _change(net: Value) -> str:
    ends = interval_written("right", net, difference=True)
    return f"{difference_written('right', net.value)} ({ends})"


def help_table(analysis: Analysis) -> Table:
    """Cases by what the results showed: right answers with them and alone."""
    return Table(
        analysis.help,
        (
            _arm("arm", "arm", "Arm"),
            Column("shown", head="shown", text=lambda kind: SHOWN_AS[kind]).on_page(
                "Shown", cell=SHOWN_AS.__getitem__
            ),
            Column("cases", head="cases", text=whole).on_page("Cases"),
            Column("n", head="answers", text=whole).on_page("Answers", expert=True),
            Column("with_results", head="with", text=_percent).on_page("Right with results", cell=_percent),
            Column("alone", head="alone", text=_percent).on_page("Right alone", cell=_percent),
            Column("help", "help.value"),
            Column("low", "help.low"),
            Column("high", "help.high"),
            Column("p", "help.p"),
            Column("", lambda row: _change(row.help), "help").on_page("Help", cell=str),
            Column("pairs"),
            Column("gained", head="wrong to right", text=whole).on_page("Wrong to right", expert=True),
            Column("lost", head="right to wrong", text=whole).on_page("Right to wrong", expert=True),
        ),
    )


def _percent(value: float) -> str:
    return written("right", value)


def against_table(analysis: Analysis, outcome: Outcome | None = None) -> Table:
    """Help against every measure; of one outcome, or of all."""

    def more(row: Any) -> str:
        return difference_written(row.outcome, row.more.value)

    ends = f"{analysis.level:.0%} interval"
    return Table(
        [row for row in analysis.against if outcome in (None, row.outcome)],
        (
            *(_outcome(analysis) if outcome is None else named("outcome")),
            _arm("arm", "arm", "Arm"),
            Column("measure", head="measure", text=measure_name).on_page("Measure", cell=measure_name),
            Column("", more, "more help per SD").on_page("More help per SD of the score", cell=str),
            Column("", lambda row: interval_written(row.outcome, row.more, difference=True), ends).on_page(
                ends, cell=str
            ),
            Column("more", "more.value"),
            Column("low", "more.low"),
            Column("high", "more.high"),
            Column("at_most", "more.at_most"),
            Column("p", "more.p"),
            Column("p_corrected", None, "p (Holm)", p_text).on_page("p (Holm)", cell=p_value),
            Column("rho", head="rho", text=lambda value: fixed(value, 2)).on_page("Rank correlation", "%.2f"),
            Column("cases", head="cases", text=whole).on_page("Cases"),
            Column("undefined", head="no score", text=whole).on_page("Without score", if_any=True),
        ),
    )


DICTIONARY = {
    "task": "name of the task",
    "reader": "code of the reader",
    "case": "id of the image",
    "arm": "alone, or the system whose results were shown",
    "session": "session, from 1",
    "order": "place of the reading in the session, from 1",
    "answer": "choice, or words as typed",
    "concept": "concept that the words were matched to; empty without",
    "truth": "right answer: a choice or a concept; empty where it is not known",
    "right": "1 right, 0 wrong; empty without a truth",
    "confidence": "0 to 1",
    "seconds": "from showing the case to the answer, measured in the browser; empty where not known",
    "shown": "first, below, none, unknown: whether results have the diagnosis of the case; empty alone",
    "at": "time of the answer, UTC",
    "simulated": "1 where a program answered",
}
"""The data dictionary of `readings_table`: what each column holds; scores follow under their names."""


def readings_table(
    diagnoses: Sequence[Diagnosis],
    kinds: Mapping[str, Mapping[str, Shown]],
    scores: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> Table:
    """Every answer, for files: with what its results showed and their scores for the case."""

    def right(one: Diagnosis) -> int | None:
        return None if one.right is None else int(one.right)

    values: dict[str, Callable[[Diagnosis], Any]] = {
        "right": right,
        "shown": lambda one: kinds.get(one.arm, {}).get(one.case, ""),
        "at": lambda one: one.at.isoformat(),
        "simulated": lambda one: int(one.simulated),
    }
    measures = dict.fromkeys(measure for of in scores.values() for measure in of)

    def score(measure: str) -> Callable[[Diagnosis], float | None]:
        return lambda one: scores.get(one.arm, {}).get(measure, {}).get(one.case)

    rows = sorted(diagnoses, key=lambda one: (one.reader, one.session, one.order, one.case))
    columns = [Column(name, values.get(name)) for name in DICTIONARY]
    return Table(rows, (*columns, *(Column(measure, score(measure)) for measure in measures)))


def document(analysis: Analysis) -> dict[str, Any]:
    """The analysis as JSON; numbers that do not exist are NaN."""
    return {
        "readers": analysis.readers,
        "cases": analysis.cases,
        "level": analysis.level,
        "area_of": analysis.area_of,
        "positive": analysis.positive or None,
        "arms": counts_table(analysis).records(),
        "values": values_table(analysis).records(),
        "by_reader": [
            {"outcome": row.outcome, "arm": row.arm, "reader": reader, "value": value}
            for row in analysis.values
            for reader, value in row.per_reader.items()
        ],
        "differences": differences_table(analysis).records(),
        "changes": changes_table(analysis).records(),
        "changes_by_reader": changes_table(analysis, "reader").records(),
        "changes_by_case": changes_table(analysis, "case").records(),
        "help": help_table(analysis).records(),
        "against": against_table(analysis).records(),
    }
