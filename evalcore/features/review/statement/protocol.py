"""A protocol to register before readers judge: plain text, the same bytes for the same inputs, with hashes.

Whoever registers it (on a registry, or with a colleague) can later show that task and files are the same: the
report compares the hashes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.review.diagnosis.setup import FROM_FILE
from evalcore.features.review.items import lists_of, plan_of
from evalcore.features.review.reader_study import kinds_of, outcome_of, what_of
from evalcore.features.review.tasks import QUESTIONS
from evalcore.stats.mrmc.moments import sums_of
from evalcore.stats.mrmc.sizing import outlook, pilot_of
from evalcore.values.errors import InputError
from evalcore.values.markdown import plain
from evalcore.values.version import __version__
from evalcore.values.writing import count, fixed, number, pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evalcore.features.review.diagnosis.setup import Setup
    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.reader_study import What
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study

AUTHORS = "To be stated by the authors."
_TITLE = "# Protocol of the reader study `{}`"
_FILE = re.compile(r"^\| (.+) \| `([0-9a-f]{64})` \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Intent:
    """What only who plans a study knows. ``claim``: what it shall show; ``readers``: how many are planned, 0
    for not stated; ``difference``: the true difference that it shall be able to show, NaN for none;
    ``pilot``: a task of the same study whose judgments say how much readers and queries vary."""

    claim: str = ""
    readers: int = 0
    difference: float = nan
    pilot: Task | None = None


def protocol_text(
    study: Study,
    task: Task,
    judgments: Sequence[Judgment],
    files: Mapping[str, str],
    intent: Intent = Intent(),
    what: What | None = None,
) -> str:
    """The protocol of a task as Markdown.

    ``judgments``: the history of the study; those of the task may only be simulated. ``files``: of
    `read.registered.hashes_of`.

    Raises
    ------
    InputError
        Readers have judged already; the task cannot be used with this study; the pilot has no readings.
    """
    given = [one for one in judgments if one.task == task.name]
    people = {one.reader for one in given if not one.simulated}
    if people:
        raise InputError(
            f"{pluralize(len(people), 'reader')} answered the task {task.name} already, and a protocol is "
            "written before. Make a task of another name for a new study."
        )
    what = what_of(task) if what is None else what
    return "\n".join(_lines(study, task, judgments, files, intent, what)) + "\n"


def digest(text: str) -> str:
    """SHA-256 of a protocol as a file, in hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _lines(
    study: Study,
    task: Task,
    judgments: Sequence[Judgment],
    files: Mapping[str, str],
    intent: Intent,
    what: What,
) -> Iterator[str]:
    lists = lists_of(study, task)
    items = plan_of(task, lists, reader="").items
    simulated = {one.reader for one in judgments if one.task == task.name}
    yield _TITLE.format(task.name)
    yield from ("", f"Title: {_line(task.title)}", "", "## Question and claim", "")
    yield from (f"- Asked of readers: {question}" for question in questions(task))
    if task.instructions:
        yield f"- Instructions to readers: {_line(task.instructions)}"
    yield f"- Claim: {_line(intent.claim) or AUTHORS}"
    yield from ("", "## Systems, cases and readers", "")
    yield f"- {'Teams' if task.form == 'material' else 'Systems'}: {', '.join(map(_line, task.systems))}"
    drawn = "named in the task" if task.queries else f"drawn with seed {task.seed}"
    yield f"- Cases: {pluralize(len(lists), 'image' if task.form == 'material' else 'query')}, {drawn}:"
    yield f"  {', '.join(map(_line, sorted(lists)))}"
    yield f"- Readers planned: {count(intent.readers) if intent.readers else AUTHORS}"
    so_far = f"{pluralize(len(simulated), 'simulated reader')}, who will not count" if simulated else "none"
    yield f"- Answers when this was written: {so_far}"
    yield from ("", "## Design", "")
    yield from design(task, len(items))
    yield from ("", "## Planned analysis", "")
    yield from (f"- {sentence}" for sentence in analysis(task, what))
    yield from ("", "## Sample size", "")
    yield from _size(study, judgments, intent, what, len(lists))
    yield from ("", "## When the study ends", "")
    yield f"- {stopping(task)}"
    yield from ("", "## Files", "", f"Program: CUIscope {__version__}. SHA-256 of each file:", "")
    yield from ("| file | SHA-256 |", "|---|---|")
    for name, value in files.items():
        yield f"| {_line(name)} | `{value}` |"


def questions(task: Task) -> tuple[str, ...]:
    """What readers are asked in a task, by kind of judgment or criterion."""
    thing = "explanation" if task.form == "material" else "result"
    by_criteria = tuple(f"{_line(name)}: how good is this {thing}?" for name in task.criteria)
    if task.form == "diagnosis":
        return ("What is the diagnosis?", QUESTIONS["diagnosis"])
    return tuple(
        question
        for kind in kinds_of(task)
        for question in (by_criteria if kind == "rating" else (QUESTIONS[kind],))
    )


def design(task: Task, n_items: int) -> Iterator[str]:
    """How the task is read, as lines of a list in Markdown."""
    if task.diagnosis is not None:
        yield from _of_arms(task, task.diagnosis, n_items)
        return
    steps = "0 to 100" if task.scale == 100 and task.form not in ("preference", "panel") else "5 steps"
    crossed = "every reader reads every query" if task.adaptive is None else "chosen by what they decide"
    yield f"- Kind: {task.form}; {pluralize(n_items, 'item')} in all; {crossed}."
    yield f"- Scale: {steps}, stored from {'-1' if task.form == 'preference' else '0'} to 1."
    if task.form != "material":
        yield f"- Lists: the first {pluralize(task.depth, 'result')} of each system."
    if task.criteria:
        yield f"- Criteria: {', '.join(map(_line, task.criteria))}."
    yield "- Blinding: readers see no name of a system; results of all systems are judged as one pool."
    sides = ", and which list is on the left" if task.form == "preference" else ""
    yield f"- Order: of its own for each reader{sides}, from the task's name, seed {task.seed} and the code."


def _of_arms(task: Task, setup: Setup, n_items: int) -> Iterator[str]:
    known = {
        "sequential": "each case alone and at once again beside the results of a system",
        "crossover": f"each case in every arm, each in a session of its own, {setup.washout} days apart",
        "split": "each case in one arm",
    }
    yield f"- Kind: diagnosis; {pluralize(n_items, 'reading')} per reader."
    yield f"- Arms: {', '.join(map(_line, setup.arms))}."
    yield f"- Design: {setup.design}: {known[setup.design]}; arms balanced by reader and by case."
    choices = ", ".join(map(_line, setup.choices)) or "free text, matched to a concept"
    yield f"- Answers: {choices}; with a confidence, stored from 0 to 1."
    yield f"- Reference standard: {truth_in_words(setup)}"
    yield f"- Results: the first {count(task.depth)} of a system, without its name."
    yield f"- Order: of its own for each reader, from the task's name, seed {task.seed} and the code."


def truth_in_words(setup: Setup) -> str:
    """Where the right answers come from."""
    if setup.column:
        return f"the label column {_line(setup.column)} of the study."
    return "the table beside the task file." if setup.truth == FROM_FILE else f"not in the program. {AUTHORS}"


def analysis(task: Task, what: What) -> Iterator[str]:
    """What will be computed, sentence by sentence."""
    yield what.sentence(task)
    yield (
        f"{'Arms' if task.form == 'diagnosis' else 'Systems'} are compared by their means over readers and "
        "queries, both random, with U-statistics "
        "(Gallas 2006, 2009); 95% intervals and tests by t; p corrected by Holm over all pairs of systems; "
        "level .05."
    )
    if task.form == "diagnosis":
        yield (
            "The same of confidence, of the area under its ROC curve, and of time; answers that change from "
            "wrong to right and back between arms; right answers by what the results showed, and by the "
            "score of each measure (Holm over measures)."
        )
    yield (
        "Where the estimate of a variance is negative, the plug-in estimate, which is too large rather than "
        "too small, is reported in its place."
    )
    yield (
        "“Cannot say” and answers not given make a reading missing; it is left out, nothing is filled in, "
        "and all are counted by reader and system."
    )
    yield (
        "Agreement: Krippendorff's alpha with a bootstrap interval over queries, Fleiss' kappa over the "
        "items that all judged, Cohen's kappa of every two readers."
    )


def stopping(task: Task) -> str:
    """When a task ends."""
    if task.adaptive is not None:
        of = task.adaptive
        claim = {
            "best": "which system is best is decided",
            "order": "the order of the systems is decided",
            "value": f"the interval of every system's mean is within {of.within:g} of it",
        }[of.claim]
        return (
            f"Judging stops when {claim} at the level {of.level:.0%}, by alpha spending over all looks, and "
            f"after {count(of.at_most)} items at most. {count(of.shared)} queries are shared by all readers; "
            f"the next items are drawn by what they would tell, with known chances; prediction: {of.prior}."
        )
    return "There is no rule to stop early: every reader is asked every item of the plan."


def _size(
    study: Study, judgments: Sequence[Judgment], intent: Intent, what: What, cases: int
) -> Iterator[str]:
    pilot = intent.pilot
    if pilot is None:
        yield f"- No pilot was given. {AUTHORS}"
        return
    if not intent.readers:
        raise InputError("A sample size needs the number of readers planned: --set readers=N.")
    readings = outcome_of(study, pilot, judgments, what_of(pilot, what.kind, what.criterion)).readings()
    if len(readings.systems) < 2 or len(readings.readers) < 2 or len(readings.cases) < 2:
        raise InputError(
            f"The task {pilot.name} is too small a pilot: it takes two systems, readers and queries."
        )
    sums = sums_of(readings, as_imrmc=False)
    made_up = "; simulated" if any(one.simulated for one in judgments if one.task == pilot.name) else ""
    yield (
        f"Pilot: task {pilot.name}, {pluralize(len(readings.readers), 'reader')}, "
        f"{pluralize(len(readings.cases), 'query')}{made_up}. Expected with its variance components, "
        f"{pluralize(intent.readers, 'reader')} and {pluralize(cases, 'query')}, fully crossed:"
    )
    with_power = not isnan(intent.difference)
    power = f" power for a difference of {number(abs(intent.difference))} |" if with_power else ""
    yield from (
        "",
        f"| systems | width of the 95% interval |{power}",
        "|---|---|---|" if with_power else "|---|---|",
    )
    names = readings.systems
    for a in range(len(names)):
        for b in range(a + 1, len(names)):
            of = pilot_of(sums, None, a, b)
            wide, strong = outlook(of, intent.readers, np.array([float(cases)]), difference=intent.difference)
            cells = [f"{_line(names[a])} minus {_line(names[b])}", fixed(float(wide[0]), 3)]
            cells += [fixed(float(strong[0]), 2)] if with_power else []
            yield f"| {' | '.join(cells)} |"


def _line(text: str) -> str:
    """Text on one line of the Markdown, without what would end a cell."""
    return plain(" ".join(text.split()), limit=10_000).replace("|", "/").replace("`", "'")


# A protocol that was registered, against the files as they are now.


@dataclass(frozen=True, slots=True)
class Registered:
    """``digest``: SHA-256 of the text; ``changed``: files that differ from it now, ``gone`` and ``added``
    those of only one side; ``n``: files it names."""

    digest: str
    n: int
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether every file is as it was."""
        return not (self.changed or self.gone or self.added)

    @property
    def sentence(self) -> str:
        """Whether task and files are those registered."""
        first = f"Protocol registered before, SHA-256 {self.digest}: "
        if self.same:
            return f"{first}the task and all {count(self.n)} files have the hashes registered."
        parts = (("changed", self.changed), ("missing now", self.gone), ("added since", self.added))
        return first + "; ".join(f"{words}: {', '.join(names)}" for words, names in parts if names) + "."


def against(text: str, files: Mapping[str, str], *, task: str) -> Registered:
    """A protocol against the files now; InputError for a text that is no protocol of this task."""
    if not text.startswith(_TITLE.format(task) + "\n"):
        raise InputError(
            f"This is not a protocol of the task {task}. Give the file that `review export` wrote."
        )
    then = dict(_FILE.findall(text))
    now = {_line(name): value for name, value in files.items()}
    return Registered(
        digest(text),
        len(then),
        _sorted(name for name in then if name in now and now[name] != then[name]),
        _sorted(name for name in then if name not in now),
        _sorted(name for name in now if name not in then),
    )


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
