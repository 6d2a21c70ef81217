"""Concepts with amounts, ``C0040405:0.4``: how much of a concept an image has, as a file of concepts says.

After the last colon, so that an identifier with a prefix keeps its own: ``HP:0002088:0.4``. Identifiers of
the scheme ``ids`` may be anything, colons too, and have no amounts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from evalcore.study.tables.problems import Problems
from evalcore.values.concept_scheme import CURIE, UMLS, WORDNET, belongs, read_as

Concepts = tuple[str, ...] | Mapping[str, float | None]
"""The concepts of an image; {concept: amount} where one has an amount, None for those that have not."""

LEAST, MOST = 0.000001, 1_000_000
REMEDY = (
    "An amount is a number from 0.000001 to 1,000,000, as in C0040405:0.4. Leave out what an image does not "
    "have."
)
_NUMBER = re.compile(r"\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


def divided(text: str, scheme: str, also: str | None = None) -> tuple[str, str] | None:
    """(concept, what is written as its amount); None for a text that is no concept of the scheme and a colon.

    >>> divided("c0040405:0.4", "umls"), divided("HP:0002088:2", "HP"), divided("HP:0002088", "umls")
    (('C0040405', '0.4'), ('HP:0002088', '2'), None)
    """
    before, colon, amount = text.rpartition(":")
    if not colon:
        return None
    before = before.strip()
    concept = before if also is not None and belongs(before, also) else read_as(before, scheme)
    return None if concept is None else (concept, amount.strip())


def amount_in(text: str) -> float | None:
    """The number that an amount is, to six decimals; None for what can be none.

    >>> [amount_in(text) for text in ("0.4", "2", "1e-3", "0", "-1", "nan", "1_0", "2e6", "")]
    [0.4, 2.0, 0.001, None, None, None, None, None, None]
    """
    number = float(text) if _NUMBER.fullmatch(text) else 0.0
    return round(number, 6) if LEAST <= number <= MOST else None


def without_amount(text: str) -> str:
    """A concept without what is behind its last colon, where that can only be an amount, whatever its scheme.

    >>> without_amount("C0040405:0.4"), without_amount("HP:0002088"), without_amount("HP:0002088:-3")
    ('C0040405', 'HP:0002088', 'HP:0002088')
    """
    before = text.rpartition(":")[0].strip()
    return before if any(read_as(before, scheme) for scheme in (UMLS, CURIE, WORDNET)) else text


def keep_larger(amounts: dict[str, float | None], concept: str, amount: float | None) -> None:
    """Add a concept; of several amounts of one, the larger counts, and none counts as 1."""
    if concept not in amounts:
        amounts[concept] = amount
        return
    both = (amounts[concept], amount)
    if both != (None, None):
        amounts[concept] = max(1.0 if x is None else x for x in both)


def report_without(rows: Iterable[Concepts | None], problems: Problems) -> None:
    """Count the concepts without an amount, where others have one."""
    each = [row for row in rows if row]
    if not any(isinstance(row, Mapping) for row in each):
        return
    bare = [cui for row in each for cui in row if not isinstance(row, Mapping) or row[cui] is None]
    message = "Concepts without an amount, though others have one: {n}; each counts as 1."
    problems.counted("no-amount", bare, message, "Write :1 behind them if that is meant.")
