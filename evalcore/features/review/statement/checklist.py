"""What a report of a reader study has to state, filled in from what the program knows.

In our own words; it covers what the guidelines STARD (diagnostic accuracy) and CLAIM (AI in imaging) ask for,
and replaces neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.review.statement.flow import codes
from evalcore.features.review.statement.protocol import AUTHORS, analysis, questions, truth_in_words
from evalcore.results.mrmc import METHODS
from evalcore.results.rows import Column, Table
from evalcore.study.tables.writers import defused
from evalcore.values.version import __version__
from evalcore.values.writing import count, listed, number, pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.features.review.statement.facts import Statement


class Entry(NamedTuple):
    """One thing to state; ``stated`` what the program knows, else `AUTHORS`."""

    part: str
    item: str
    stated: str

    @property
    def known(self) -> bool:
        return AUTHORS not in self.stated


def checklist(of: Statement) -> tuple[Entry, ...]:
    """The list, in the order of a paper."""
    return tuple(_entries(of))


def checklist_table(entries: tuple[Entry, ...]) -> Table:
    """The list as rows."""
    return Table(
        entries,
        (
            Column("part", head="part"),
            Column("item", head="to be stated"),
            Column("stated", head="stated"),
            Column("known"),
        ),
    )


def in_short(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The same for paper: what is left to the authors in one row for each part."""
    result = []
    for part in dict.fromkeys(entry.part for entry in entries):
        own = [entry for entry in entries if entry.part == part]
        result += [entry for entry in own if entry.stated != AUTHORS]
        left = [entry.item for entry in own if entry.stated == AUTHORS]
        if left:
            result.append(Entry(part, AUTHORS.rstrip("."), "; ".join(left)))
    return tuple(result)


def saved_rows(entries: tuple[Entry, ...]) -> list[tuple[str, ...]]:
    """The same for a CSV file, whose cells no spreadsheet computes: part, item, stated, known (yes or no)."""
    return [(*map(str, map(defused, entry)), "yes" if entry.known else "no") for entry in entries]


def markdown_lines(entries: tuple[Entry, ...], title: str) -> Iterator[str]:
    """The list as boxes to tick, those filled in ticked already."""
    yield f"# Checklist: {title}\n"
    part = ""
    for entry in entries:
        if entry.part != part:
            part = entry.part
            yield f"\n## {part}\n\n"
        yield f"- [{'x' if entry.known else ' '}] **{entry.item}.** {entry.stated}\n"


def _entries(of: Statement) -> Iterator[Entry]:
    task, flow = of.task, of.flow
    lists = of.outcome.plan.lists
    yield Entry("Aim", "Question asked of readers", " ".join(questions(task)))
    yield Entry("Aim", "Claim, and why the study was made", AUTHORS)
    yield Entry(
        "Aim",
        "Registration before the first answer",
        of.registered.sentence if of.registered else f"No protocol is beside the task. {AUTHORS}",
    )
    yield Entry("Readers", "Number, and codes", _who(of))
    yield Entry("Readers", "Profession, experience and how they were recruited", AUTHORS)
    yield Entry("Readers", "Training for this study; payment; ties to those who made a system", AUTHORS)
    yield Entry("Readers", "Ethical approval and consent", AUTHORS)
    drawn = "named in the task" if task.queries else f"drawn with seed {task.seed} from those answered"
    yield Entry(
        "Cases",
        "Number, and how they were selected",
        f"{pluralize(len(lists), 'image' if task.form == 'material' else 'query')}, {drawn}.",
    )
    yield Entry("Cases", "Source, period, and what was included and excluded", AUTHORS)
    yield Entry("Cases", "Mix of findings and of difficulty", AUTHORS)
    yield Entry("Cases", "De-identification", AUTHORS)
    yield Entry(
        "Cases",
        "Reference standard",
        "None: the outcome is what readers judge, not a diagnosis."
        if task.diagnosis is None
        else f"Right answers come from {truth_in_words(task.diagnosis)} How they came about: {AUTHORS}",
    )
    yield Entry("Systems", "Systems compared", f"{listed([*task.systems], limit=20)}.")
    yield Entry("Systems", "Training data, and overlap with the cases", AUTHORS)
    yield Entry("Reading", "What is shown and on which scale", _shown(of))
    yield Entry(
        "Reading",
        "Blinding",
        "Readers saw no name of a system"
        + ("." if task.diagnosis is not None else "; results of all systems were judged as one pool."),
    )
    yield Entry(
        "Reading",
        "Order",
        f"Of its own for each reader, from the task's name, seed {task.seed} and the reader's code.",
    )
    yield Entry("Reading", "Sessions", _sessions(of))
    yield Entry("Reading", "Place, screens and time allowed", AUTHORS)
    yield Entry("Analysis", "What is compared", of.what.sentence(task))
    yield Entry("Analysis", "How the number of readers and cases was chosen", AUTHORS)
    yield Entry("Analysis", "Method, and whom it speaks for", f"{METHODS['ustat']}.")
    yield Entry("Analysis", "Several comparisons", "p corrected by Holm over all pairs of systems.")
    yield Entry("Analysis", "Missing readings", [*analysis(task, of.what)][-2])
    yield Entry("Analysis", "Software", f"CUIscope {__version__}; libraries and hashes are in the report.")
    yield Entry(
        "Results",
        "Flow of readings",
        f"{count(flow.total('asked'))} answers asked for, {count(flow.total('answered'))} given, "
        f"{count(flow.total('cannot_say'))} of them “cannot say”; "
        f"{count(sum(arm.analysed for arm in flow.arms))} readings of "
        f"{count(sum(arm.asked for arm in flow.arms))} analysed.",
    )
    yield Entry("Results", "Value of each system with its interval", _values(of))
    yield Entry("Results", "Agreement of readers", _agreement(of))
    yield Entry("Discussion", "Limits, and whom the result applies to", AUTHORS)
    yield Entry("Discussion", "Meaning for use in a clinic", AUTHORS)
    yield Entry("Other", "Where data and answers can be had", AUTHORS)
    yield Entry("Other", "Funding", AUTHORS)


def _who(of: Statement) -> str:
    readers = of.flow.readers
    if not readers:
        return "No reader has answered yet."
    made_up = f"; {count(of.simulated)} simulated by the program" if of.simulated else "; none simulated"
    names = listed(codes(one.reader for one in readers), limit=40)
    return f"{pluralize(len(readers), 'reader')}: {names}{made_up}."


def _shown(of: Statement) -> str:
    task = of.task
    if task.diagnosis is not None:
        arms = listed([*task.diagnosis.arms], limit=12)
        return f"A case in the arms {arms}; the first {pluralize(task.depth, 'result')}; confidence."
    scale = "0 to 100" if task.scale == 100 and of.what.kind in ("graded", "rating") else "5 steps"
    if task.form == "material":
        return f"One explanation at a time beside its image; {scale}; criteria: {', '.join(task.criteria)}."
    what = {
        "graded": "One result at a time beside the query",
        "rating": f"One result at a time beside the query, by {', '.join(task.criteria)}",
        "panel": "One list at a time below the query",
        "preference": "Two lists side by side below the query",
    }[of.what.kind]
    return f"{what}; the first {pluralize(task.depth, 'result')} of each system; {scale}; “cannot say”."


def _sessions(of: Statement) -> str:
    days = sorted({one.days for one in of.flow.readers})
    if not days:
        return "No reader has answered yet."
    spread = f"{days[0]}" if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    first = min(one.first for one in of.flow.readers if one.first is not None)
    last = max(one.last for one in of.flow.readers if one.last is not None)
    on = f"{spread} day{'' if spread == '1' else 's'}"
    return (
        f"At any time, with pauses: each reader on {on}, {first if first == last else f'{first} to {last}'}."
    )


def _values(of: Statement) -> str:
    if of.judged is None:
        return of.why_none
    rows = [f"{row.system} {number(row.of.value)}" for row in of.judged.study.rows]
    return (
        f"{of.what.name[0].upper()}{of.what.name[1:]}: {listed(rows, limit=20)}; intervals are in the report."
    )


def _agreement(of: Statement) -> str:
    parts = [
        f"{f'{name}: ' if name else ''}{one.why_none or f'alpha {number(one.alpha.mean)}'}"
        for name, one in of.agreement
    ]
    return f"{'; '.join(parts).rstrip('.')}."
