"""Which terms of a caption are denied or doubted: the rules of NegEx.

Within a sentence a trigger before a term reaches forward, one after it backward, over five words, up to a
word that ends its reach or the end of the sentence. Of phrases that overlap the longest counts; pseudo
triggers are such phrases and reach nowhere. A term counts as one word however many it has, and is no trigger
of itself.

Once a trigger has reached a term, its reach also ends where something else begins: at "in" and "with", at
"and" or a comma before an article, a size or a verb, and at a comma behind "A or B". A list that "or" joins
further on goes on.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from evalcore.features.annotate.terms import Word, key_of, words_of
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Words that deny or doubt a term, by what they do.
#
# Kinds as in NegEx (Chapman et al. 2001, doi:10.1006/jbin.2001.1029): triggers before and after the term,
# phrases that look like triggers and are none (pseudo), and words that end the reach of a trigger. The lists
# are our own, for captions and reports, in English and German.

Kind = Literal["no-before", "no-after", "maybe-before", "maybe-after", "pseudo", "end"]

TRIGGERS: dict[Kind, tuple[str, ...]] = {
    "no-before": words(
        """
        no, not, without, without any, without evidence of, without sign of, without signs of,
        without findings of, no evidence of, no evidence for, no sign of, no signs of, no findings of,
        no indication of, no suggestion of, no suspicious, no evidence to suggest, no new, no other,
        absence of, absent, lack of, lacks, lacking, free of, negative for, negative of, denies, denied,
        denying, declines, fails to reveal, failed to reveal, fails to show, failed to show, did not reveal,
        does not reveal, did not show, does not show, did not demonstrate, does not demonstrate,
        could not demonstrate, not demonstrate, not reveal, not show, never had, never developed, rather than,
        rules out, ruled out, excludes, excluded, excluding, resolution of, resolved, disappearance of,
        clear of, devoid of, neither, nor, none of, exclusion of, unremarkable for, no longer visible,
        no longer seen, no longer present, failure to show, failure to reveal, failure to demonstrate,
        was negative for, is negative for, unlikely, kein, keine, keinen, keiner, keinem, keinerlei, ohne,
        kein hinweis auf, keine hinweise auf, ohne hinweis auf, ohne nachweis von, kein nachweis von, nicht,
        ausschluss von, ausschluss einer, ausschluss eines, fehlen von
        """
    ),
    "no-after": words(
        """
        is absent, are absent, was absent, were absent, is excluded, was excluded, were excluded,
        are excluded, has been excluded, have been excluded, is ruled out, was ruled out, were ruled out,
        are ruled out, has been ruled out, have been ruled out, not seen, not visible, not visualized,
        not visualised, not identified, not detected, not demonstrated, not evident, not noted, not found,
        not observed, not present, is not seen, was not seen, are not seen, were not seen, was not found,
        were not found, could not be seen, could not be identified, could not be observed, cannot be seen,
        is resolved, was resolved, has resolved, have resolved, had resolved, resolved, has disappeared,
        have disappeared, disappeared, is negative, was negative, is unlikely, was unlikely, unlikely,
        no longer seen, no longer visible, no longer present, is seen in neither, no is seen, : none, : no,
        : absent, : negative, : nil, ? none, ? no, excluded by, removed, has been removed, have been removed,
        ausgeschlossen, nicht nachweisbar, nicht nachgewiesen, nicht erkennbar, nicht sichtbar,
        nicht abgrenzbar
        """
    ),
    "maybe-before": words(
        """
        possible, possibly, probable, probably, likely, most likely, presumed, presumably, suspected,
        suspicious for, suspicious of, suspicion of, suspicion for, suspect, question of, questionable,
        concern for, concerning for, worrisome for, suggest, suggests, suggesting, suggestive of, suggested,
        may represent, might represent, could represent, may be, might be, could be, may indicate,
        might indicate, appears to be, possibility of, probability of, differential diagnosis,
        differential diagnoses, differential includes, versus, vs, rule out, to rule out, r / o, to exclude,
        evaluate for, evaluation for, screening for, risk of, risk for, be ruled out for, cannot exclude,
        can not exclude, cannot rule out, does not exclude, not exclude, not rule out, equivocal for,
        indeterminate for, potential, verdacht auf, v . a ., va ., möglich, mögliche, möglicherweise,
        wahrscheinlich, fraglich, fragliche, fraglicher, fragliches, dd, a . e ., vermutlich, suspekt auf
        """
    ),
    "maybe-after": words(
        """
        possible, is possible, suspected, is suspected, was suspected, were suspected, cannot be excluded,
        can not be excluded, could not be excluded, cannot be ruled out, can not be ruled out,
        could not be ruled out, not ruled out, not excluded, not be excluded, not be ruled out, versus, vs,
        is likely, is probable, was considered, is considered, be considered, is questionable, questionable,
        must be ruled out, should be ruled out, to be ruled out, should be excluded, nicht ausgeschlossen,
        nicht auszuschließen, möglich, wahrscheinlich, nicht sicher ausgeschlossen
        """
    ),
    "pseudo": words(
        """
        without doubt, no cause, no cause for, no reason, no reason for, no explanation, no explanation for,
        no source, without treatment, without therapy, not resolved, has not resolved, have not resolved,
        had not resolved, not disappeared, has not disappeared, partial resolution of, not separable,
        does not invade, not invade, not amenable, not seen before, not seen on prior, not seen on the prior,
        not seen previously, not previously seen, not visible on the earlier, not visible on prior,
        after contrast, after administration, after injection, no change, no changes, no interval change,
        no significant change, no significant interval change, no increase, no significant increase,
        no decrease, no further, no doubt, no sooner, not only, not just, not necessarily, not certain if,
        not certain whether, not clear whether, not significantly changed, not changed, not drain, not cause,
        not extend, without difficulty, without further, without change, without contrast,
        without contrast medium, without contrast agent, without intravenous contrast, without iv contrast,
        without and with, with and without, with or without, gram negative, false negative, negative pressure,
        negative contrast, no less than, no more than, no ., nicht nur, ohne kontrastmittel, ohne km,
        keine änderung, keine veränderung, risk factor, risk factors
        """
    ),
    "end": words(
        """
        but, however, nevertheless, nonetheless, yet, though, although, except, except for, apart from,
        aside from, other than, with the exception of, which, who, whereas, while, secondary to, due to,
        because, because of, caused by, as a cause of, than, despite, cause of, source of, etiology of,
        reason for, as well as evidence of, still, instead, then, shows, showed, showing, reveals, revealed,
        revealing, demonstrates, demonstrated, demonstrating, aber, jedoch, sondern, obwohl, wegen, aufgrund,
        bei, allerdings, dagegen, sowie ein, zeigt, zeigte
        """
    ),
}
PLACES = frozenset(("in", "within", "inside", "with", "mit", "im"))
"""Words that end the reach of a trigger once it has reached a term: "no mass in the liver" has a liver."""
OPENERS = frozenset(
    words(
        """
        a, an, the, small, large, mild, moderate, severe, slight, minimal, marked, chronic, acute, subtle,
        tiny, diffuse, bilateral, multiple, several, new, stable, unchanged, normal, ein, eine, kleiner,
        kleine, kleines, geringe, geringer
        """
    )
)
"""Words that begin something else behind a comma or "and", where no "or" joins the list."""
VERBS = frozenset(
    words(
        """
        developed, presented, was, were, is, are, has, had, have, showed, underwent, received, complained,
        died, remains, persists
        """
    )
)
"""Verbs of a clause; what follows "and" behind one, or before one, is another clause."""
JOINED, AND = frozenset(("or", "nor", "oder", "noch")), frozenset(("and", "und"))

WINDOW = 5
"""Words that may be between a trigger and its term."""
Flags = tuple[str | None, str | None]
"""The words that deny a term, and those that doubt it, as they are written; None for none."""

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


def sentence_ends(text: str) -> list[int]:
    """Where the sentences of a text end; full stops of usual abbreviations, and of "no. 3", end none.

    >>> sentence_ends("See Fig. 2. No mass (3.5 cm)")
    [11, 28]
    """
    no, digits = _NUMBER

    def ends_none(match: re.Match[str]) -> bool:
        start = match.start()
        before = text[max(0, start - 8) : start]
        if match[0] == ".":
            return bool(_SHORT.search(before) or (no.search(before) and digits.match(text, start)))
        return match[0] == "?" and _ANSWER.match(text, match.end()) is not None

    ends = [match.end() for match in _END.finditer(text) if not ends_none(match)]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


class _Trigger(NamedTuple):
    """A phrase, by its first and last word."""

    kinds: Sequence[Kind]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Caption:
    """The words of a text with the sentence of each, the term (by its number) of those that belong to one,
    and the words that end the reach of triggers."""

    words: Sequence[Word]
    sentence: Sequence[int]
    term_at: dict[int, int]
    stops: set[int]

    def triggers(self) -> Iterator[_Trigger]:
        """The phrases in the text, the longest where some overlap."""
        words, at = self.words, 0
        while at < len(words):
            for size in range(_LONGEST.get(words[at].text, 0), 0, -1):
                phrase = tuple(word.text for word in words[at : at + size])
                whole = len(phrase) == size and phrase in _KINDS and self._together(at, at + size - 1)
                # "Findings: no mass" is no answer as "Mass: no." is.
                goes_on = (
                    self._together(at, at + size) and words[at + size].text[0].isalnum() if whole else False
                )
                if whole and not (phrase[0] in ":?" and goes_on):
                    yield _Trigger(_KINDS[phrase], at, at + size - 1)
                    at += size - 1
                    break
            at += 1

    def _together(self, at: int, other: int) -> bool:
        """Whether the word at ``other`` is there, and in the sentence of that at ``at``."""
        return other < len(self.words) and self.sentence[other] == self.sentence[at]

    def reach(self, trigger: _Trigger, forward: bool) -> list[int]:
        """The words a trigger reaches."""
        step, at = (1, trigger.last + 1) if forward else (-1, trigger.first - 1)
        reached: list[int] = []
        counted, last_term, any_term = 0, -1, False
        while 0 <= at < len(self.words) and self._together(trigger.first, at) and at not in self.stops:
            term = self.term_at.get(at, -1)
            if forward and any_term and term < 0 and self._begins_something_else(at, trigger):
                break
            if self.words[at].text[0].isalnum() and not (term >= 0 and term == last_term):
                counted += 1
                if counted > WINDOW + 1:
                    break
            last_term = term
            any_term |= term >= 0
            reached.append(at)
            at += step
        return reached

    def _begins_something_else(self, at: int, trigger: _Trigger) -> bool:
        """Whether something that a trigger does not concern begins at this word."""
        words, word = self.words, self.words[at].text
        if word in PLACES:
            return True
        if word not in AND and word != ",":
            return False
        after = next((k for k in range(at + 1, len(words)) if words[k].text[0].isalnum()), at)
        following = words[after].text if self._together(at, after) and after not in self.term_at else ""
        between = range(trigger.last + 1, at)
        if word in AND:
            before = {words[k].text for k in between if k not in self.term_at}
            return following in OPENERS or following in VERBS or bool(before & VERBS)
        if any(words[k].text in JOINED for k in between):
            return True
        rest = (words[k].text for k in range(at + 1, len(words)) if self._together(at, k))
        return following in OPENERS and JOINED.isdisjoint(rest)


def flags_of(text: str, terms: Sequence[tuple[int, int]]) -> list[Flags]:
    """What denies and what doubts each term, given by its place in the text.

    ``terms`` are in order, none over another. Of several triggers the nearest counts.
    """
    words, ends = words_of(text), sentence_ends(text)
    begins = [word.start for word in words]
    spans = [
        (first := bisect_left(begins, start), max(bisect_left(begins, end) - 1, first))
        for start, end in terms
    ]
    term_at = {at: k for k, (first, last) in enumerate(spans) for at in range(first, last + 1)}
    caption = _Caption(words, [bisect_left(ends, word.end) for word in words], term_at, set())
    triggers = list(caption.triggers())
    caption.stops.update(
        at for trigger in triggers if "end" in trigger.kinds for at in range(trigger.first, trigger.last + 1)
    )
    nearest: list[dict[str, tuple[int, str]]] = [{} for _ in terms]
    for trigger in triggers:
        for kind in trigger.kinds:
            if kind in ("pseudo", "end"):
                continue
            what, where = kind.split("-")
            reached = caption.reach(trigger, where == "before")
            for k in {term_at[at] for at in reached if at in term_at}:
                first, last = spans[k]
                inside = min(reached) <= first and last <= max(reached)
                if not inside or (first <= trigger.last and trigger.first <= last):
                    continue
                apart = first - trigger.last if where == "before" else trigger.first - last
                if what not in nearest[k] or apart < nearest[k][what][0]:
                    written = text[words[trigger.first].start : words[trigger.last].end]
                    nearest[k][what] = (apart, written)
    return [(flags.get("no", (0, None))[1], flags.get("maybe", (0, None))[1]) for flags in nearest]
