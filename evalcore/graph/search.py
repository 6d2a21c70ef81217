"""Concepts by what people type: a name, part of a name, or a name with a slip in it.

All names of a concept are searched, not only the one that is shown. The best matches come first:
exact names, names that begin with the text or differ from it in a letter or two, names
with a word that begins with it, names in which more letters differ (edit distance, normalised by length),
whatever the case and the accents.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evalcore.values.arrays import Ints, indptr_of

EXACT, BEGINS, A_WORD, ALIKE = range(4)
"""How a name matches, best first."""
LEAST_ALIKE = 70.0
"""Names less alike than this (per cent of letters kept) are no matches."""
CLOSE = 85.0
"""From here on a name is as good a match as one that begins with the text: "hart" may well mean heart."""
_MOST = 400
"""Alike names looked at more closely."""


@dataclass(frozen=True, slots=True, eq=False)
class NameIndex:
    """All names of all concepts, ready to be searched.

    ``names[k]`` is a name of ``cuis[k]``, the preferred one first; ``keys[k]`` the same without case,
    accents and repeated spaces; ``text`` all keys joined by line feeds, key k from ``starts[k]``.
    """

    cuis: tuple[str, ...]
    names: tuple[str, ...]
    keys: tuple[str, ...]
    text: str
    starts: Ints


@dataclass(frozen=True, slots=True)
class Match:
    """A concept that the text may mean, under the name that fits best; ``likeness`` 0 to 100.

    ``how`` is EXACT, BEGINS, A_WORD or ALIKE.
    """

    cui: str
    name: str
    how: int
    likeness: float


def name_index(named: Iterable[tuple[str, str]]) -> NameIndex:
    """An index of (cui, name) pairs, preferred names first; repeated pairs count once."""
    pairs = list(dict.fromkeys((cui, name) for cui, name in named if name))
    keys = tuple(folded(name) for _, name in pairs)
    sizes = np.array([len(key) + 1 for key in keys], np.int64)
    starts = indptr_of(sizes)[:-1].astype(np.int32)
    return NameIndex(
        tuple(cui for cui, _ in pairs), tuple(name for _, name in pairs), keys, "\n".join(keys), starts
    )


def folded(name: str) -> str:
    """A name as it is compared: no case, no accents, single spaces.

    >>> folded("  Ménière  DISEASE ")
    'meniere disease'
    """
    parts = unicodedata.normalize("NFKD", " ".join(name.split()).casefold())
    return parts if parts.isascii() else "".join(c for c in parts if not unicodedata.combining(c))


def best_matches(
    index: NameIndex, text: str, *, weight: Mapping[str, int] | None = None, limit: int = 12
) -> list[Match]:
    """Which concepts may ``text`` mean? Best first.

    Parameters
    ----------
    weight
        {CUI: importance}, for example its number of images: decides between equally good matches,
        before length and CUI do.
    limit
        Matches at most; each concept once.

    Returns
    -------
    Empty for a text without letters or digits, and when nothing is alike enough (``LEAST_ALIKE``).
    """
    wanted = folded(text)
    if not any(c.isalnum() for c in wanted):
        return []
    matches: dict[str, Match] = {}
    for k, how, likeness in _candidates(index, wanted):
        match = Match(index.cuis[k], index.names[k], how, likeness)
        known = matches.get(match.cui)
        if known is None or (how, -likeness) < (known.how, -known.likeness):
            matches[match.cui] = match
    weights = weight or {}

    def order(match: Match) -> tuple[float | str, ...]:
        # Of alike names the likeness decides, of names that hold the text how often the concept is used.
        close = match.how == ALIKE and match.likeness >= CLOSE
        alike = -round(match.likeness) if match.how == ALIKE and not close else 0
        place = BEGINS if close else match.how
        return place, alike, -weights.get(match.cui, 0), -match.likeness, len(match.name), match.cui

    return sorted(matches.values(), key=order)[:limit]


def _candidates(index: NameIndex, wanted: str) -> list[tuple[int, int, float]]:
    """(name, how, likeness) of every name that holds the text at the start of a word, or is alike."""
    result: dict[int, tuple[int, int, float]] = {}
    for k in _holding(index, wanted):
        key = index.keys[k]
        if key == wanted:
            how = EXACT
        elif key.startswith(wanted):
            how = BEGINS
        elif f" {wanted}" in key:
            how = A_WORD
        else:
            continue
        result[k] = k, how, 100.0 * len(wanted) / len(key)
    if len(result) < _MOST:
        for k, likeness in _alike(index, wanted):
            result.setdefault(k, (k, ALIKE, likeness))
    return list(result.values())


def _holding(index: NameIndex, wanted: str) -> list[int]:
    """Names that hold the text: one search through all of them as one long text."""
    places: list[int] = []
    at = index.text.find(wanted)
    while at >= 0 and len(places) < 50 * _MOST:
        places.append(at)
        at = index.text.find(wanted, at + 1)
    if not places:
        return []
    held = np.unique(np.searchsorted(index.starts, np.array(places), side="right") - 1)
    return [int(k) for k in held]


def _alike(index: NameIndex, wanted: str) -> list[tuple[int, float]]:
    """(name, likeness) of names that differ in a few letters; words in another order count as alike."""
    from rapidfuzz import fuzz, process

    best: dict[int, float] = {}
    for scorer in (fuzz.ratio, fuzz.token_sort_ratio) if " " in wanted else (fuzz.ratio,):
        result = process.extract(wanted, index.keys, scorer=scorer, score_cutoff=LEAST_ALIKE, limit=_MOST)
        for _, score, k in result:
            best[int(k)] = max(best.get(int(k), 0.0), float(score))
    return list(best.items())
