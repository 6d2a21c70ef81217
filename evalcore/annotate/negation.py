"""Which terms of a caption are denied or doubted: the rules of NegEx, with what triggered them and how far.

Within a sentence a trigger before a term reaches forward, one after it backward, over so many words, up to
a word that ends its reach or the end of the sentence. Of phrases that overlap the longest counts; pseudo
triggers are such phrases and reach nowhere. A term counts as one word however many it has, and is no trigger
of itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from evalcore.annotate.triggers import TRIGGERS, Kind
from evalcore.annotate.values import Flag
from evalcore.annotate.words import Word, key_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Flags = tuple[Flag | None, Flag | None]
"""What makes a term negated, and what makes it uncertain."""

_KINDS: dict[tuple[str, ...], list[Kind]] = {}
for _kind, _phrases in TRIGGERS.items():
    for _phrase in _phrases:
        _KINDS.setdefault(tuple(key_of(_phrase).split()), []).append(_kind)
_LONGEST = {phrase[0]: 0 for phrase in _KINDS}
for _words in _KINDS:
    _LONGEST[_words[0]] = max(_LONGEST[_words[0]], len(_words))
_END = re.compile(r"[.!?;]+(?=[\s)\"'\]]|$)|\n\s*\n")
_SHORT = re.compile(
    r"\b(?:fig|figs|e\.g|i\.e|vs|dr|cf|ca|approx|resp|bzw|z\.b|v\.a|a\.e|[^\W\d_])\Z", re.IGNORECASE
)
_NUMBER = re.compile(r"\bno\Z", re.IGNORECASE), re.compile(r"\.\s*\d")


class _Trigger(NamedTuple):
    """A phrase, by its first and last word."""

    kinds: Sequence[Kind]
    first: int
    last: int


def sentence_ends(text: str) -> list[int]:
    """Where the sentences of a text end; full stops of usual abbreviations end none.

    >>> sentence_ends("See Fig. 2. No mass (3.5 cm)")
    [11, 28]
    """
    ends = [
        found.end() for found in _END.finditer(text) if found[0] != "." or not _short(text, found.start())
    ]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


def _short(text: str, at: int) -> bool:
    """Whether the full stop at a place belongs to an abbreviation, or to a number as in "no. 3"."""
    before, (no, digits) = text[max(0, at - 8) : at], _NUMBER
    return bool(_SHORT.search(before) or (no.search(before) and digits.match(text, at)))


def flags_of(text: str, terms: Sequence[tuple[int, int]], *, window: int) -> list[Flags]:
    """Of each term, given by its place in the text, what denies and what doubts it.

    ``terms`` are in order, none over another; ``window`` words may stand between trigger and term, 0 for
    the whole sentence. Of several triggers the nearest counts.
    """
    words = words_of(text)
    begins = [word.start for word in words]
    spans = [
        (bisect_left(begins, start), max(bisect_left(begins, end) - 1, bisect_left(begins, start)))
        for start, end in terms
    ]
    of_word = {at: k for k, (first, last) in enumerate(spans) for at in range(first, last + 1)}
    ends = sentence_ends(text)
    sentence = [bisect_left(ends, word.end) for word in words]
    triggers = list(_triggers(words, sentence))
    stops = {at for one in triggers if "end" in one.kinds for at in range(one.first, one.last + 1)}
    found: list[dict[str, tuple[int, Flag]]] = [{} for _ in terms]
    for one in triggers:
        for kind in one.kinds:
            if kind in ("pseudo", "end"):
                continue
            what, where = kind.split("-")
            near = _reach(one, where == "before", words, sentence, stops, of_word, window)
            if not near:
                continue
            low, high = min(near), max(near)
            flag = Flag(
                text[words[one.first].start : words[one.last].end], words[one.first].start,
                words[one.last].end, words[low].start, words[high].end,
            )  # fmt: skip
            for k in {of_word[at] for at in near if at in of_word}:
                first, last = spans[k]
                inside = low <= first and last <= high
                if not inside or (first <= one.last and one.first <= last):
                    continue
                apart = first - one.last if where == "before" else one.first - last
                known = found[k].get(what)
                if known is None or apart < known[0]:
                    found[k][what] = (apart, flag)
    return [tuple(one[what][1] if what in one else None for what in ("no", "maybe")) for one in found]  # type: ignore[misc]


def _triggers(words: Sequence[Word], sentence: Sequence[int]) -> Iterator[_Trigger]:
    """The phrases in a text, the longest where some overlap."""
    at = 0
    while at < len(words):
        for size in range(_LONGEST.get(words[at].text, 0), 0, -1):
            some = tuple(word.text for word in words[at : at + size])
            if len(some) == size and some in _KINDS and sentence[at] == sentence[at + size - 1]:
                yield _Trigger(_KINDS[some], at, at + size - 1)
                at += size - 1
                break
        at += 1


def _reach(
    one: _Trigger, forward: bool, words: Sequence[Word], sentence: Sequence[int], stops: set[int],
    of_word: dict[int, int], window: int,
) -> list[int]:  # fmt: skip
    """The words a trigger reaches."""
    step, at = (1, one.last + 1) if forward else (-1, one.first - 1)
    reached: list[int] = []
    counted, last_term = 0, -1
    while 0 <= at < len(words) and sentence[at] == sentence[one.first] and at not in stops:
        term = of_word.get(at, -1)
        if words[at].text[0].isalnum() and not (term >= 0 and term == last_term):
            counted += 1
            if window and counted > window + 1:
                break
        last_term = term
        reached.append(at)
        at += step
    return reached
