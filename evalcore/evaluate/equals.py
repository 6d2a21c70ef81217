"""Which systems cannot be told apart? Groups of equals, named by letters.

Two systems are told apart where the corrected p of their paired comparison lies below a level. A group holds
systems no two of which are told apart, and no further system could join it. Two systems share a letter if and
only if they are not told apart: the compact letter display, found by inserting one difference after the other
and absorbing columns that another one holds (Piepho 2004, doi:10.1198/1061860043515; without the sweep that
drops letters which the others imply). Not being told apart is no proof that two systems are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.stats.correction import CLEAR
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.values.model import Comparison

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
MOST = 500
"""Groups at most. Systems in one order need no more groups than systems; only odd p-values make so many."""


class Equals(NamedTuple):
    """Groups of systems that are not told apart, that of the first system first; each in the given order.

    ``letters``: by system, in the order given, the letters of its groups, such as "ab".
    """

    systems: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    letters: tuple[str, ...]
    level: float


def groups_of_equals(
    systems: Sequence[str], comparisons: Iterable[Comparison], *, level: float = CLEAR
) -> Equals:
    """The groups of these systems by the comparisons of every pair of them under one metric.

    ``systems``: best first, so that "a" is the group of the best. A pair without a p (no query in common) is
    not told apart.

    Raises
    ------
    InputError
        There are more than `MOST` groups.
    """
    place = {name: i for i, name in enumerate(systems)}
    columns = [frozenset(place.values())] if systems else []
    for comparison in comparisons:
        if comparison.p_corrected < level:
            columns = _parted(columns, place[comparison.system], place[comparison.baseline])
            if len(columns) > MOST:
                raise InputError(
                    f"The systems fall into more than {MOST} groups of equals: choose fewer of them."
                )
    ordered = sorted(map(sorted, columns))
    letters = ["" for _ in systems]
    for number, members in enumerate(ordered):
        for i in members:
            letters[i] += letter(number)
    groups = tuple(tuple(systems[i] for i in members) for members in ordered)
    return Equals(tuple(systems), groups, tuple(letters), level)


def _parted(columns: Sequence[frozenset[int]], a: int, b: int) -> list[frozenset[int]]:
    """Columns that hold both become two, with one of them each, unless another column holds all of that."""
    kept = [column for column in columns if not (a in column and b in column)]
    halves = [column - {gone} for column in columns if a in column and b in column for gone in (a, b)]
    for half in sorted(set(halves), key=len, reverse=True):
        if not any(half <= whole for whole in kept):
            kept.append(half)
    return kept


def letter(number: int) -> str:
    """The letter of a group: a to z, and after z its number in brackets.

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', '(27)')
    """
    return ALPHABET[number] if number < len(ALPHABET) else f"({number + 1})"
