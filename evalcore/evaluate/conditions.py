"""Which queries count: conditions such as ``organ=chest``, all of which must hold.

| condition | the query |
|---|---|
| ``organ=chest``, ``organ!=chest`` | carries this label; carries labels of this column, and not this one |
| ``organ=``, ``organ!=`` | carries no label of this column; carries one |
| ``organ=chest|abdomen``, ``organ!=...`` | carries one of these labels; carries others, and none of these |
| ``kind=text|report``, ``kind!=...`` | is of one of these kinds, where there is a ``queries.csv`` |
| ``direction=image->text`` | looks among these, where ``pairs.csv`` asks in several directions |

``|`` separates alternatives, unless the column has the whole as a value. A query without a label of the
column fits only ``organ=``. A label column called kind or direction is meant before the two others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.targets import NO_LABELS
from evalcore.values.arrays import digest_of, readonly, rows_of
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.model import LabelColumn
from evalcore.values.own_queries import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.values.arrays import Bools
    from evalcore.values.model import Study
    from evalcore.values.own_queries import OwnQueries

OR = "|"
"""Between values of which one is enough."""
KIND, DIRECTION = "kind", "direction"
_SIGN = re.compile(r"!=|=")


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """One condition, understood: how it is written, and the images that fit it, shape (n_images,).

    ``values``: those of its ``column`` that fit, joined by ``|``; "" for other conditions.
    """

    text: str
    fits: Bools
    column: LabelColumn | None = None
    values: str = ""


def select(study: Study, where: Sequence[str]) -> Study:
    """The study with only those of its queries that fit every condition; candidates stay as they are.

    Parameters
    ----------
    where
        Conditions (see the table above), in addition to those that chose its queries already.

    Returns
    -------
    The same study with fewer ``queries``: ``where`` holds the conditions, ``unfiltered`` the study with
    all queries. Without conditions the study itself.

    Raises
    ------
    InputError, UnknownName
        A condition cannot be understood, or no query fits them all.
    """
    if not where:
        return study
    whole = study.unfiltered or study
    conditions = {
        condition.text: condition
        for condition in (parse_condition(whole, text) for text in (*study.where, *where))
    }
    for direction in whole.directions:
        if f"{DIRECTION}={direction.name}" in conditions:
            whole = replace(whole, queries=direction.queries, candidates=direction.candidates)
    fits = np.ones(len(whole.image_ids), np.bool_)
    for condition in conditions.values():
        fits &= condition.fits
    queries = whole.queries[fits[whole.queries]]
    if not len(queries):
        raise InputError(_nothing_left(whole, list(conditions.values())))
    # The digest of the study stays in front: it is the same study, looked at in part.
    part = digest_of("where", list(conditions))
    return replace(
        whole,
        queries=readonly(queries),
        unfiltered=whole,
        where=tuple(conditions),
        digest=f"{whole.digest}+{part[:8]}",
    )


def _nothing_left(study: Study, conditions: Sequence[Condition]) -> str:
    """Why no query is left, and how many fit each condition by itself."""
    alone = [
        f"{condition.text}: {np.count_nonzero(condition.fits[study.queries]):,}" for condition in conditions
    ]
    none = f"None of the {len(study.queries):,} queries fits"
    if len(alone) == 1:
        return f"{none} {conditions[0].text}. Choose another condition."
    return (
        f"{none} all of {', '.join(condition.text for condition in conditions)}. "
        f"Queries that fit one of them: {', '.join(alone)}. Leave one out: every condition must hold."
    )


def parse_condition(study: Study, text: str) -> Condition:
    """What a condition means in this study.

    Raises
    ------
    InputError, UnknownName
        It names nothing the study has, or lacks a sign; says what there is.
    """
    columns = dict(study.labels)
    if study.own_queries is not None:
        columns.setdefault(KIND, _kinds(study.own_queries, len(study.image_ids)))
    known = [*columns, *([DIRECTION] if study.directions else [])]
    subject, sign, value = _parts(text.strip(), columns)
    if not subject:
        listed = f" Names here: {', '.join(known)}." if known else ""
        raise InputError(
            f"{text!r} is no condition: it needs a name, = or !=, and a value, such as organ=chest.{listed}"
        )
    if subject in columns:
        return _by_label(columns[subject], sign, value, text)
    if subject == DIRECTION and study.directions:
        directions = {direction.name: direction for direction in study.directions}
        if sign != "=":
            raise InputError(
                f"{text!r}: one direction is chosen. Write {DIRECTION}={next(iter(directions))}."
            )
        if value not in directions:
            raise UnknownName("direction", value, directions)
        fits = np.zeros(len(study.image_ids), np.bool_)
        fits[directions[value].queries] = True
        return Condition(f"{DIRECTION}={value}", fits)
    hint = "" if known else NO_LABELS
    raise UnknownName("label column or property of a query", subject, known, hint)


def _kinds(own: OwnQueries, n_images: int) -> LabelColumn:
    """The kinds of queries as a label that every image has: an image is of the kind image."""
    codes = np.full(n_images, KINDS.index("image"), np.int32)
    codes[own.rows] = [KINDS.index(kind) for kind in own.kinds]
    return LabelColumn(KIND, KINDS, np.arange(n_images + 1), codes)


def _parts(text: str, columns: Iterable[str]) -> tuple[str, str, str]:
    """Subject, sign and value, "" each where there is no sign.

    The longest label column that the text begins with is the subject: its name may hold a sign.
    """
    begun = [name for name in columns if re.match(rf"{re.escape(name)}\s*!?=", text)]
    sign = _SIGN.search(text, max(map(len, begun), default=0))
    return (text[: sign.start()].strip(), sign[0], text[sign.end() :].strip()) if sign else ("", "", "")


def _by_label(column: LabelColumn, sign: str, value: str, text: str) -> Condition:
    if not value:
        fits = ~column.labelled if sign == "=" else column.labelled
        return Condition(f"{column.name}{sign}", fits)
    parts = [value] if value in column.values else _alternatives(value, text)
    codes = list(dict.fromkeys(value_of(column, part) for part in parts))
    carries = np.zeros(len(column.labelled), np.bool_)
    carries[rows_of(column.indptr)[np.isin(column.indices, codes)]] = True
    fits = carries if sign == "=" else column.labelled & ~carries
    values = OR.join(column.values[code] for code in codes)
    return Condition(f"{column.name}{sign}{values}", fits, column, values if sign == "=" else "")


def _alternatives(value: str, text: str) -> list[str]:
    """The parts between ``|``; InputError where one is empty."""
    parts = [part.strip() for part in value.split(OR)]
    if not all(parts):
        raise InputError(f"{text!r}: a value is missing. Write such as organ=chest{OR}abdomen.")
    return parts


def merge_alternatives(study: Study, where: Sequence[str]) -> list[str]:
    """The conditions, with those that no query can meet at once made alternatives of each other.

    These are two or more of the form ``modality=CT`` on a column in which no image has several labels; they
    become ``modality=CT|MRI`` at the place of the first. All others, and texts that are no conditions, stay.
    """
    joined: dict[tuple[str, bool], list[str]] = {}
    for text in where:
        try:
            condition = parse_condition(study, text)
        except (InputError, UnknownName):
            condition = None
        column = condition.column if condition is not None and condition.values else None
        if condition is None or column is None or np.diff(column.indptr).max(initial=0) > 1:
            joined[text, False] = []
        else:
            joined.setdefault((f"{column.name}=", True), []).append(condition.values)
    return [start + OR.join(alternatives) for (start, _), alternatives in joined.items()]


def value_of(column: LabelColumn, value: str) -> int:
    """Place of a value of a label column, as written or else whatever its case.

    Raises
    ------
    UnknownName
        The column has no such value; offers those it has.
    """
    if value in column.values:
        return column.values.index(value)
    alike = [i for i, known in enumerate(column.values) if known.casefold() == value.casefold()]
    if len(alike) != 1:
        raise UnknownName(f"value of {column.name}", value, column.values)
    return alike[0]
