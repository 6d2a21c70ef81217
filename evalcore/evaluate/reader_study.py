"""Judgments as a reader study: what each reader makes of each system's results for each query.

Readers and queries are samples of others. What a reading is, from 0 to 1, depends on what was judged:

| kind | a reading |
|---|---|
| graded | mean grade of the first results of a system for a query |
| rating | the same by one criterion, or the mean over all; of what a system says about a query that itself |
| panel | satisfaction with the whole list of a system for a query |
| preference | share of the other systems whose list the reader likes less, no difference as a half |

A reader who has not judged all that a reading is made of has no such reading: the mean of some results would
depend on who else found them.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.evaluate.readers import depth_of, preferred_side
from evalcore.evaluate.scoring import first_results
from evalcore.evaluate.systems import resolve_systems
from evalcore.stats.mrmc.analysis import ReaderStudy, mrmc
from evalcore.stats.mrmc.readings import Readings
from evalcore.study.reader_judgments import KINDS
from evalcore.values.arrays import position, readonly
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Settings
from evalcore.values.writing import listed, pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.study.reader_judgments import Kind, ReaderJudgment
    from evalcore.values.model import Study

LEVEL = 0.95
NAMES = {"graded": "mean grade", "rating": "mean rating", "panel": "satisfaction", "preference": "win share"}
_Parts = dict[tuple[str, str, str], list[float | None]]
"""By system, reader and query what a reading is the mean of; None for what the reader did not judge."""


def kinds_of(judgments: Iterable[ReaderJudgment]) -> tuple[Kind, ...]:
    """The kinds of judgment that there are, in the order in which they are analysed by default."""
    there = {row.kind for row in judgments}
    return tuple(kind for kind in KINDS if kind in there)


def reading_in_words(kind: Kind, criterion: str, k: int) -> str:
    """What a reading is, in a sentence."""
    first = f"the first {pluralize(k, 'result')} of a system for a query"
    by = f" by “{criterion}”" if criterion else ""
    return {
        "graded": f"A reading is a reader's mean grade of {first}, all of them graded.",
        "rating": f"A reading is a reader's mean rating{by} of {first}, all of them rated.",
        "panel": f"A reading is a reader's satisfaction with {first} as a whole, 0 to 1.",
        "preference": "A reading is the share of the other systems whose list a reader likes less than that "
        "of the system for a query, 0 to 1; no difference, and lists that are the same, count as a half.",
    }[kind]


def systems_not_read(study: Study, readings: Readings) -> list[str]:
    """A sentence on the systems of a study that have no complete reading; none where all have."""
    missing = [system for system in study.systems if system not in readings.systems]
    return [f"Without a complete reading: {listed(missing)}."] if missing else []


def readings_of(
    study: Study,
    judgments: Iterable[ReaderJudgment],
    *,
    kind: str = "",
    criterion: str = "",
    k: int | None = None,
    settings: Settings = Settings(),
) -> Readings:
    """The readings of one kind of judgments; systems, readers and queries without any are left out.

    Parameters
    ----------
    kind
        "" for the first that there is: grades, ratings, satisfaction, preferences.
    criterion
        Of ratings; "" for the mean over all.
    k
        Results of a list that are averaged; None for as many as the readers saw.

    Raises
    ------
    SettingError
        A kind or criterion that nobody judged.
    InputError
        There is no complete reading.
    """
    judgments = tuple(judgments)
    kinds = kinds_of(judgments)
    if kind and kind not in kinds:
        raise SettingError("kind", f"one of those judged: {', '.join(kinds) or 'none'}", kind)
    if not kinds:
        raise InputError("There are no judgments of readers yet.")
    chosen = next(each for each in kinds if kind in ("", each))
    rows = [row for row in judgments if row.kind == chosen]
    criteria = tuple(dict.fromkeys(row.criterion for row in rows))
    if criterion and criterion not in criteria:
        known = ", ".join(filter(None, criteria)) or "none"
        raise SettingError("criterion", f"one of those judged: {known}", criterion)
    k = k or depth_of(rows)
    by = (criterion,) if criterion else criteria
    if chosen == "preference":
        parts = _win_shares(study, rows, k, settings)
    elif any(row.system for row in rows):
        parts = _of_lists(rows, by)
    else:
        parts = _of_results(study, rows, by, k, settings)
    values: dict[tuple[str, str, str], float] = {}
    for key, each in parts.items():
        judged = [part for part in each if part is not None]
        if judged and len(judged) == len(each):
            values[key] = float(np.mean(judged))
    if not values:
        what = reading_in_words(chosen, criterion, k)
        raise InputError(f"No reader has a complete reading yet. {what}")
    systems, readers, queries = (tuple(sorted({key[i] for key in values})) for i in range(3))
    table = np.array([[[values.get((s, r, q), np.nan) for q in queries] for r in readers] for s in systems])
    return Readings(systems, readers, queries, readonly(table))


WELL_JUDGED = 0.9
"""From this share of judged results on a system counts as judged: else no reader was shown its lists."""


def _first_results(
    study: Study, queries: Iterable[str], k: int, settings: Settings, *, systems: Sequence[str] | None = None
) -> dict[str, dict[str, list[str]]]:
    """{system: {query: ids of its first k results}}; "" for one that is no image of the study."""
    ids = (*study.image_ids, "")
    places = sorted(place for query in queries if (place := position(study.image_ids, query)) >= 0)
    chosen = resolve_systems(study, systems) if places and (study.systems or systems) else ()
    result: dict[str, dict[str, list[str]]] = {system.name: {} for system in chosen}
    how: Any = {"settings": settings, "queries": np.array(places, np.int32)}
    for block, every in first_results(study, chosen, k, **how) if chosen else ():
        for system, lists in zip(chosen, every, strict=True):
            for query, start, end in zip(block, lists.indptr[:-1], lists.indptr[1:], strict=True):
                result[system.name][ids[query]] = [ids[i] for i in lists.candidates[start:end]]
    return result


def _of_results(
    study: Study, rows: Sequence[ReaderJudgment], criteria: Sequence[str], k: int, settings: Settings
) -> _Parts:
    """The first results of each system, by every criterion.

    Systems of which less than `WELL_JUDGED` was judged by anybody are left out: of those no reader was shown
    the lists, and a reading would be of the few that consist of the results of others.
    """
    answers = {(row.reader, row.query, row.result, row.criterion): row.value for row in rows}
    shown = {(query, result) for _, query, result, _ in answers}
    parts: _Parts = {}
    for system, lists in _first_results(study, {query for query, _ in shown}, k, settings).items():
        known = {query: [result for result in results if result] for query, results in lists.items()}
        pairs = [(query, result) for query, results in known.items() for result in results]
        if sum(pair in shown for pair in pairs) < WELL_JUDGED * len(pairs):
            continue
        for query, reader in product(known, {row.reader for row in rows}):
            parts[system, reader, query] = [
                answers.get((reader, query, result, by)) for result in known[query] for by in criteria
            ]
    return parts


def _of_lists(rows: Sequence[ReaderJudgment], criteria: Sequence[str]) -> _Parts:
    """What readers said of whole lists, or of what a system says, by every criterion."""
    answers = {(row.system, row.reader, row.query, row.criterion): row.value for row in rows}
    return {key[:3]: [answers.get((*key[:3], by)) for by in criteria] for key in answers}


def _win_shares(study: Study, rows: Sequence[ReaderJudgment], k: int, settings: Settings) -> _Parts:
    """Whether a reader likes each other list less, 0 or 1; a half for no difference and for equal lists."""
    sides: dict[tuple[str, str, str, str], float | None] = {}
    for row in rows:
        side = preferred_side(row)
        sides[row.reader, row.query, row.system, row.other] = 0.5 - side / 2
        sides[row.reader, row.query, row.other, row.system] = 0.5 + side / 2
    systems = sorted({name for row in rows for name in (row.system, row.other)})
    readers = {row.reader for row in rows}
    known = [name for name in systems if study.holds(name)]
    lists = _first_results(study, {row.query for row in rows}, k, settings, systems=known)
    for a, b in permutations(known, 2):
        for query, reader in product(lists.get(a, ()), readers):
            if lists[a][query] == lists[b][query]:
                sides.setdefault((reader, query, a, b), 0.5)
    return {
        (system, reader, query): [
            sides.get((reader, query, system, other)) for other in systems if other != system
        ]
        for reader, query in {(row.reader, row.query) for row in rows}
        for system in systems
    }


# The analysis.


def analyse_readings(readings: Readings) -> ReaderStudy:
    """How the systems differ for other readers and queries (95% intervals).

    Pairs of readers without a common query are left out of the moments, which is unbiased. Raises as
    `refuse_too_few`.
    """
    refuse_too_few(readings)
    return mrmc(readings, level=LEVEL, as_imrmc=False)


def refuse_too_few(readings: Readings) -> None:
    """InputError for one reader, or one query."""
    if min(len(readings.readers), len(readings.cases)) < 2:
        few, more = ("reader", "readers") if len(readings.readers) < 2 else ("query", "queries")
        message = f"Only one {few} has all of these judgments, which says nothing about others."
        raise InputError(f"{message} Collect judgments of more {more}.")
