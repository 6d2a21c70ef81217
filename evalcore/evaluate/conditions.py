"""Which queries count: conditions such as ``organ=chest``, all of which must hold.

| condition | the query |
|---|---|
| ``organ=chest``, ``organ!=chest`` | carries this label; carries labels of this column, and not this one |
| ``organ=``, ``organ!=`` | carries no label of this column; carries one |
| ``organ=chest|abdomen``, ``organ!=...`` | carries one of these labels; carries others, and none of these |
| ``concept=C0032285``, ``concept!=...`` | carries the concept (its id or a name); is annotated and does not |
| ``below=C0032285``, ``below!=...`` | the same for the concept or any below it in the graph |
| ``concepts>=5`` | has so many concepts |
| ``id=a;b``, ``id!=a;b`` | is one of these images; is none of them |
| ``kind=text|report``, ``kind!=...`` | is of one of these kinds, where there is a ``queries.csv`` |
| ``direction=image->text`` | looks among these, where ``pairs.csv`` asks in several directions |

``|`` separates alternatives of labels and concepts; where a column has a value with that sign, it is meant.
Numbers take ``= != >= <= > <``. What a query does not have is neither equal to a value nor different from
it: a query without a label of the column fits only ``organ=``, and one nobody annotated no condition on
concepts. A label column with the name of one of the others is meant by ``label:concepts=...``.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from evalcore.evaluate.targets import label_column
from evalcore.graph.structure import nodes_of, steps_down
from evalcore.study.naming import find_concept
from evalcore.values.arrays import digest_of, position, readonly, rows_of
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.own_queries import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.values.arrays import Bools, Ints
    from evalcore.values.model import LabelColumn, Study
    from evalcore.values.own_queries import OwnQueries


def carrying(study: Study, cuis: Ints) -> Bools:
    """True for images that carry one or more of these concepts of the vocabulary, shape (n_images,)."""
    sets = study.concepts
    wanted = np.zeros(len(sets.vocabulary) + 1, np.bool_)
    wanted[cuis] = True
    result = np.zeros(len(sets), np.bool_)
    result[rows_of(sets.indptr)[wanted[sets.indices]]] = True
    return result


def at_or_below(study: Study, cui: str) -> Ints:
    """Concepts of the vocabulary that are this one or lie below it in the graph, ascending.

    Raises
    ------
    InputError
        The study has no graph, or the graph does not know the concept.
    """
    graph = study.graph
    if graph is None:
        raise InputError(
            "`below` needs a concept graph, and this study has none: add a folder graph/ with edges.csv, or "
            "leave the condition out."
        )
    start = graph.index(cui)
    if start < 0:
        raise InputError(
            f"The graph does not contain {cui}, so nothing is below it. `concept={cui}` finds images that "
            "carry the concept itself."
        )
    reached = steps_down(graph, np.array([start])) < graph.n_nodes
    nodes = nodes_of(graph, study.concepts.vocabulary)
    result: Ints = np.flatnonzero((nodes >= 0) & reached[nodes]).astype(np.int32)
    return result


LABEL = "label:"
OR = "|"
"""Between values of which one is enough."""
CONCEPTS, CONCEPT, BELOW = "concepts", "concept", "below"
ID, KIND, DIRECTION = "id", "kind", "direction"
_Known = TypeVar("_Known")
RESERVED = (CONCEPTS, CONCEPT, BELOW)
"""What can stand before the sign, beside label columns."""
_COMPARED: Mapping[str, Callable[..., Bools]] = {
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_PARTED = re.compile(r"(!=|>=|<=|=|>|<)")


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """One condition, understood: how it is written, and the images that fit it, shape (n_images,)."""

    text: str
    fits: Bools


def select(study: Study, where: Sequence[str]) -> Study:
    """The study with only those of its queries that fit every condition; candidates stay as they are.

    Parameters
    ----------
    where
        Conditions (see the table above), in addition to those that chose its queries already.

    Returns
    -------
    The same study with fewer ``queries``: ``where`` holds the conditions, ``whole`` the study with all
    queries. Without conditions the study itself.

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


def readable(study: Study, where: Sequence[str]) -> tuple[list[str], list[str]]:
    """The conditions that mean something in this study, as they are recorded; why the others do not."""
    good: dict[str, None] = {}
    wrong = []
    for text in where:
        try:
            good[parse_condition(study, text).text] = None
        except (InputError, UnknownName) as problem:
            wrong.append(str(problem))
    return list(good), wrong


def chosen_of(study: Study) -> str:
    """Which queries count, in words, with how many of all; "" when all do.

    Such as "organ=chest, concepts>=5: 120 of 1,102 queries".
    """
    if study.unfiltered is None:
        return ""
    return f"{', '.join(study.where)}: {len(study.queries):,} of {len(study.unfiltered.queries):,} queries"


def parse_condition(study: Study, text: str) -> Condition:
    """What a condition means in this study.

    Raises
    ------
    InputError, UnknownName
        It names nothing the study has, lacks a sign, or compares what cannot be compared; says what there is.
    """
    subject, sign, value = _parts(study, text)
    if subject.startswith(LABEL) or (subject not in RESERVED and subject in study.label_columns):
        column = label_column(study, subject.removeprefix(LABEL))
        named = subject if column.name in RESERVED else column.name
        return _by_label(column, named, sign, value, text)
    if subject == CONCEPTS:
        return _by_number(study, sign, value, text)
    if subject in (CONCEPT, BELOW):
        return _by_concept(study, subject, sign, value, text)
    if subject == ID:
        return _by_id(study, sign, value, text)
    if subject == KIND and study.own_queries is not None:
        return _by_kind(study, study.own_queries, sign, value, text)
    if subject == DIRECTION and study.directions:
        return _by_direction(study, sign, value, text)
    raise UnknownName("label column or property of a query", subject, [*study.label_columns, *RESERVED])


def _parts(study: Study, text: str) -> tuple[str, str, str]:
    """(subject, sign, value).

    The longest label column that the text begins with is the subject: its name may hold signs.
    """
    columns = study.label_columns
    begun = text.strip()
    prefix = LABEL if begun.startswith(LABEL) else ""
    rest = begun.removeprefix(LABEL)
    for name in sorted(columns, key=len, reverse=True):
        if rest.startswith(name) and (match := _PARTED.match(rest[len(name) :].lstrip())):
            return prefix + name, match[1], rest[len(name) :].lstrip()[match.end() :].strip()
    parts = _PARTED.split(begun, maxsplit=1)
    if len(parts) != 3 or not parts[0].strip():
        known = ", ".join([*columns, *RESERVED])
        raise InputError(
            f"{text!r} is no condition: it needs a name, one of = != >= <= > <, and a value, such as "
            f"organ=chest or concepts>=5. Names here: {known}."
        )
    return parts[0].strip(), parts[1], parts[2].strip()


def _by_label(column: LabelColumn, named: str, sign: str, value: str, text: str) -> Condition:
    _refuse_order(sign, text, f"labels are compared by = or !=. Write {named}={value}.")
    if not value:
        fits = ~column.labelled if sign == "=" else column.labelled
        return Condition(f"{named}{sign}", fits)
    codes = list(dict.fromkeys(_alternatives(value, lambda part: value_of(column, part), text)))
    carries = np.zeros(len(column.labelled), np.bool_)
    for code in codes:
        carries[column.images_with(code)] = True
    fits = carries if sign == "=" else column.labelled & ~carries
    return Condition(f"{named}{sign}{OR.join(column.values[code] for code in codes)}", fits)


def _alternatives(value: str, known: Callable[[str], _Known], text: str) -> list[_Known]:
    """What the parts between ``|`` stand for; several of them are one value where it holds the sign itself.

    The longest value counts, from the left. ``known`` raises where a part stands for nothing.
    """
    parts, result = value.split(OR), []
    if len(parts) > 1 and not all(part.strip() for part in parts):
        raise InputError(f"{text!r}: a value is missing beside {OR}. Write such as organ=chest{OR}abdomen.")
    while parts:
        for n in range(len(parts), 0, -1):
            try:
                result.append(known(OR.join(parts[:n]).strip()))
            except (InputError, UnknownName):
                if n == 1:
                    raise
                continue
            del parts[:n]
            break
    return result


def together(study: Study, where: Sequence[str]) -> list[str]:
    """The conditions, with those that no query can meet at once made alternatives of each other.

    These are two or more of the form ``modality=CT`` on a column in which no image has several labels; they
    become ``modality=CT|MRI`` at the place of the first. All others, and texts that are no conditions, stay.
    """
    values: dict[str, list[str]] = {}
    order: dict[str, None] = {}
    for text in where:
        alternative = _alternative(study, text)
        if alternative is None:
            order[text] = None
            continue
        named, value = alternative
        values.setdefault(named, []).append(value)
        order[named] = None
    joined = {named: f"{named}={OR.join(alternatives)}" for named, alternatives in values.items()}
    return list(dict.fromkeys(joined.get(name, name) for name in order))


def _alternative(study: Study, text: str) -> tuple[str, str] | None:
    """Column and values of ``column=values``, as recorded, where no image has two labels of the column."""
    try:
        subject, sign, value = _parts(study, text)
        recorded = parse_condition(study, text).text
    except (InputError, UnknownName):
        return None
    name = subject.removeprefix(LABEL)
    is_label = subject.startswith(LABEL) or (subject not in RESERVED and subject in study.label_columns)
    if (
        not (is_label and sign == "=" and value)
        or np.diff(study.label_columns[name].indptr).max(initial=0) > 1
    ):
        return None
    named = subject if name in RESERVED else name
    return named, recorded.removeprefix(f"{named}=")


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


def _by_number(study: Study, sign: str, value: str, text: str) -> Condition:
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise InputError(f"{text!r}: {CONCEPTS} is compared with a whole number. Got {value!r}.")
    fits = _COMPARED[sign](study.concepts.sizes, int(value)) & study.concepts.annotated
    return Condition(f"{CONCEPTS}{sign}{int(value)}", fits)


def _refuse_order(sign: str, text: str, way_out: str) -> None:
    """InputError for a sign that compares sizes, where there are none."""
    if sign not in ("=", "!="):
        raise InputError(f"{text!r}: {way_out}")


def _by_id(study: Study, sign: str, value: str, text: str) -> Condition:
    _refuse_order(sign, text, "`id` takes = or != and image ids separated by semicolons.")
    named = sorted({part.strip() for part in value.split(";") if part.strip()})
    fits = np.zeros(len(study.image_ids), np.bool_)
    fits[[study.concepts.index(image) for image in named]] = True
    return Condition(f"id{sign}{';'.join(named)}", fits if sign == "=" else ~fits)


def _by_kind(study: Study, own: OwnQueries, sign: str, value: str, text: str) -> Condition:
    wanted = [part.strip().lower() for part in value.split(OR)]
    _refuse_order(sign, text, f"kinds are compared by = or !=. Write {KIND}={value}.")
    if unknown := [part for part in wanted if part not in KINDS]:
        raise UnknownName("kind of query", unknown[0], KINDS)
    fits = np.full(len(study.image_ids), "image" in wanted)
    fits[own.rows] = [kind in wanted for kind in own.kinds]
    return Condition(f"{KIND}{sign}{OR.join(wanted)}", fits if sign == "=" else ~fits)


def _by_direction(study: Study, sign: str, value: str, text: str) -> Condition:
    named = {direction.name: direction for direction in study.directions}
    if sign != "=":
        raise InputError(f"{text!r}: one direction is chosen. Write {DIRECTION}={next(iter(named))}.")
    if value not in named:
        raise UnknownName("direction", value, named)
    fits = np.zeros(len(study.image_ids), np.bool_)
    fits[named[value].queries] = True
    return Condition(f"{DIRECTION}={value}", fits)


def _by_concept(study: Study, subject: str, sign: str, value: str, text: str) -> Condition:
    what = "a CUI" if study.scheme == UMLS else "a concept id"
    remedy = f" For a concept or any below it write below={value}." if subject == CONCEPT else ""
    _refuse_order(sign, text, f"`{subject}` takes = or != and {what} or a name.{remedy}")
    cuis = list(dict.fromkeys(_alternatives(value, lambda part: find_concept(study, part), text)))
    carries = np.zeros(len(study.image_ids), np.bool_)
    for cui in cuis:
        place = position(study.concepts.vocabulary, cui)
        wanted: Ints = (
            at_or_below(study, cui) if subject == BELOW else np.array([place] if place >= 0 else [], np.int32)
        )
        carries |= carrying(study, wanted)
    fits = carries if sign == "=" else study.concepts.annotated & ~carries
    return Condition(f"{subject}{sign}{OR.join(cuis)}", fits)
