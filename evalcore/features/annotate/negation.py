"""Which terms of a caption are denied, doubted or past: the rules of NegEx, with the trigger and its reach.

Within a sentence a trigger before a term reaches forward, one after it backward, over so many words, up to
a word that ends its reach or the end of the sentence. Of phrases that overlap the longest counts; pseudo
triggers are such phrases and reach nowhere. A term counts as one word however many it has, and is no trigger
of itself.

Once a trigger has reached a term, its reach also ends where something else begins: at "in" and "with", at
"and" or a comma before an article, a size or a verb, and at a comma behind "A or B". A list that "or" joins
further on goes on. What puts a term into the past ("history of") reaches the next term only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.annotate.triggers import AND, JOINED, OPENERS, PLACES, TRIGGERS, VERBS, Kind
from evalcore.features.annotate.values import Assertion, Flag, assertion_of
from evalcore.features.annotate.words import Word, key_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Flags = tuple[Flag | None, Flag | None, Flag | None]
"""What makes a term negated, what makes it uncertain, and what puts it into the past."""
_WHAT = ("no", "maybe", "past")

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
_ANSWER = re.compile(r"\s*(no|none|yes|nein|ja)\s*([.!;,]|$)", re.IGNORECASE)
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
        found.end()
        for found in _END.finditer(text)
        if not (found[0] == "." and _short(text, found.start()))
        and not (found[0] == "?" and _ANSWER.match(text, found.end()))
    ]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


def _short(text: str, at: int) -> bool:
    """Whether the full stop at a place belongs to an abbreviation, or to a number as in "no. 3"."""
    before, (no, digits) = text[max(0, at - 8) : at], _NUMBER
    return bool(_SHORT.search(before) or (no.search(before) and digits.match(text, at)))


def flags_of(text: str, terms: Sequence[tuple[int, int]], *, window: int) -> list[Flags]:
    """Of each term, given by its place in the text, what denies it, doubts it and puts it into the past.

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
            near = _reach(
                one, where == "before", words, sentence, stops, of_word, window, past=what == "past"
            )
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
    return [tuple(one[what][1] if what in one else None for what in _WHAT) for one in found]  # type: ignore[misc]


def assertions_of(text: str, terms: Sequence[tuple[int, int]], *, window: int) -> list[Assertion]:
    """Of each term whether it is denied, else uncertain, else past, else present; see `flags_of`.

    >>> assertions_of("History of stroke, no mass.", [(11, 17), (22, 26)], window=5)
    ['past', 'denied']
    """
    return [assertion_of(*flags) for flags in flags_of(text, terms, window=window)]


def _triggers(words: Sequence[Word], sentence: Sequence[int]) -> Iterator[_Trigger]:
    """The phrases in a text, the longest where some overlap."""
    at = 0
    while at < len(words):
        for size in range(_LONGEST.get(words[at].text, 0), 0, -1):
            some = tuple(word.text for word in words[at : at + size])
            whole = len(some) == size and some in _KINDS and sentence[at] == sentence[at + size - 1]
            if whole and not (some[0] in ":?" and _goes_on(at + size, words, sentence)):
                yield _Trigger(_KINDS[some], at, at + size - 1)
                at += size - 1
                break
        at += 1


def _goes_on(at: int, words: Sequence[Word], sentence: Sequence[int]) -> bool:
    """Whether a sentence goes on with a word here: "Findings: no mass" is no answer as "Mass: no." is."""
    return at < len(words) and sentence[at] == sentence[at - 1] and words[at].text[0].isalnum()


def _reach(
    one: _Trigger, forward: bool, words: Sequence[Word], sentence: Sequence[int], stops: set[int],
    of_word: dict[int, int], window: int, *, past: bool = False,
) -> list[int]:  # fmt: skip
    """The words a trigger reaches; one of the past no further than the first term, and over no comma."""
    step, at = (1, one.last + 1) if forward else (-1, one.first - 1)
    reached: list[int] = []
    counted, last_term, terms = 0, -1, set[int]()
    while 0 <= at < len(words) and sentence[at] == sentence[one.first] and at not in stops:
        term = of_word.get(at, -1)
        if forward and terms and term < 0 and _something_else(at, one, words, sentence, of_word):
            break
        if past and (words[at].text == "," or (terms and term not in terms)):
            break
        if words[at].text[0].isalnum() and not (term >= 0 and term == last_term):
            counted += 1
            if window and counted > window + 1:
                break
        last_term = term
        if term >= 0:
            terms.add(term)
        reached.append(at)
        at += step
    return reached


def _something_else(
    at: int, one: _Trigger, words: Sequence[Word], sentence: Sequence[int], of_word: dict[int, int]
) -> bool:
    """Whether something that a trigger does not concern begins at this word."""
    word = words[at].text
    if word in PLACES:
        return True
    after = next((k for k in range(at + 1, len(words)) if words[k].text[0].isalnum()), at)
    following = words[after].text if sentence[after] == sentence[at] and after not in of_word else ""
    if word in AND:
        before = {words[k].text for k in range(one.last + 1, at) if k not in of_word}
        return following in OPENERS or following in VERBS or bool(before & VERBS)
    if word != ",":
        return False
    if any(words[k].text in JOINED for k in range(one.last + 1, at)):
        return True
    rest = (k for k in range(at + 1, len(words)) if sentence[k] == sentence[at])
    return following in OPENERS and not any(words[k].text in JOINED for k in rest)
