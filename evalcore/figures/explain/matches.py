"""The matching pairs of an explanation, as both figures draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.kind_words import place_of
from evalcore.figures.numbers import number, things
from evalcore.figures.words import safe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.relevance.explain import Explanation
    from evalcore.values.concept_values import ConceptKinds

NAME = 26
"""Characters of a concept's name beside a row or a column."""


class Match(NamedTuple):
    """One pair of matching concepts: steps between them (0: the same) and what it adds to the score."""

    query: str
    candidate: str
    distance: int
    adds: float


def matches_of(explanation: Explanation) -> list[Match]:
    """All matching pairs, exact ones first, then the nearer ones.

    A pair found from both sides (the query's concept and the candidate's concept point at each
    other) is one match that adds both parts.
    """
    found = {(cui, cui): Match(cui, cui, 0, explanation.exact_adds) for cui in explanation.exact}
    for near in explanation.neighbours:
        pair = (near.cui, near.matched) if near.side == "query" else (near.matched, near.cui)
        before = found[pair].adds if pair in found else 0.0
        found[pair] = Match(*pair, near.distance, before + near.adds)
    return sorted(found.values(), key=lambda match: (match.distance, match.query, match.candidate))


def pairs_in_order(explanation: Explanation, kinds: ConceptKinds | None) -> list[Match]:
    """The related pairs, each once: findings first where kinds are known, then what adds most, then near."""

    def place(match: Match) -> tuple[int, float, int, str, str]:
        kind = min(place_of(match.query, kinds), place_of(match.candidate, kinds))
        return kind, -round(match.adds, 12), match.distance, match.query, match.candidate

    return sorted((one for one in matches_of(explanation) if one.distance), key=place)


def hover(match: Match, names: Mapping[str, str]) -> str:
    """Hover text of one match."""
    if match.distance == 0:
        pair = f"<b>{full(match.query, names)}</b><br>in both"
    else:
        pair = f"<b>{full(match.query, names)}</b><br>near <b>{full(match.candidate, names)}</b>"
        pair += f"<br>{things(match.distance, 'step')} apart"
    return f"{pair}<br>adds {number(match.adds)}"


def full(cui: str, names: Mapping[str, str]) -> str:
    return f"{safe(names[cui])} ({safe(cui)})" if cui in names else safe(cui)
