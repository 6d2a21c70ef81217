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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

from evalcore.features.annotate.terms import Word, key_of, words_of
from evalcore.values.writing import words

# Words that deny or doubt a term, by what they do.
#
# Kinds as in NegEx (Chapman et al. 2001, doi:10.1006/jbin.2001.1029): triggers before and after the term,
# phrases that look like triggers and are none (pseudo), and words that end the reach of a trigger. The lists
# are our own, for captions and reports, in English and German.

Kind = Literal["no-before", "no-after", "maybe-before", "maybe-after", "pseudo", "end"]


def _phrases(text: str) -> tuple[str, ...]:
    """The phrases of a list; "is|are absent" is "is absent" and "are absent"."""
    return tuple(
        " ".join(chosen)
        for phrase in words(text)
        for chosen in product(*(word.split("|") for word in phrase.split()))
    )


TRIGGERS: dict[Kind, tuple[str, ...]] = {
    "no-before": _phrases(
        """
        no, not, without, without any, no|without evidence|sign|signs|findings of, no indication|suggestion
        of, no evidence for, no evidence to suggest, no suspicious|new|other,
        absence|lack|resolution|disappearance of, clear|free|negative|devoid|none|exclusion of, absent, lacks,
        lacking, negative|unremarkable for, was|is negative for, denies, denied, denying, declines,
        fails|failed|failure to reveal|show, failure to demonstrate, did|does not reveal|show|demonstrate,
        could not demonstrate, not demonstrate|reveal|show, never had|developed, rather than, rules|ruled out,
        excludes, excluded, excluding, resolved, neither, nor, no longer visible|seen|present, unlikely,
        kein|keine|keinen|keiner|keinem|keinerlei, ohne, kein|ohne hinweis auf, keine hinweise auf, kein|ohne
        nachweis von, nicht, ausschluss von|einer|eines, fehlen von
        """
    ),
    "no-after": _phrases(
        """
        is|are|was|were absent|excluded, is|are|was|were ruled out, has|have been excluded, has|have been
        ruled out, not
        seen|visible|visualized|visualised|identified|detected|demonstrated|evident|noted|found|observed|present,
        is|was|are|were not seen, was|were not found, could not be seen|identified|observed, cannot be seen,
        is|was|has|have|had resolved, resolved, has|have disappeared, disappeared, is|was negative, is|was
        unlikely, unlikely, no longer seen|visible|present, is seen in neither, no is seen, :
        none|no|absent|negative|nil, ? none|no, excluded by, removed, has|have been removed, ausgeschlossen,
        nicht nachweisbar|nachgewiesen|erkennbar|sichtbar|abgrenzbar
        """
    ),
    "maybe-before": _phrases(
        """
        possible, possibly, probable, probably, likely, most likely, presumed, presumably, suspected,
        suspicious|suspicion for|of, suspect, question of, questionable, concern|concerning|worrisome for,
        suggest, suggests, suggesting, suggestive of, suggested, may|might|could represent|be, may|might
        indicate, appears to be, possibility|probability of, differential diagnosis|diagnoses|includes,
        versus, vs, rule out, to rule out, r / o, to exclude, evaluate|evaluation|screening for, risk of|for,
        be ruled out for, cannot exclude, can not exclude, cannot rule out, does not exclude, not exclude, not
        rule out, equivocal|indeterminate for, potential, verdacht auf, v . a ., va ., möglich, mögliche,
        möglicherweise, wahrscheinlich, fraglich|fragliche|fraglicher|fragliches, dd, a . e ., vermutlich,
        suspekt auf
        """
    ),
    "maybe-after": _phrases(
        """
        possible, is possible, suspected, is|was|were suspected, cannot be excluded, can|could not be
        excluded, cannot be ruled out, can|could not be ruled out, not ruled out, not excluded, not be
        excluded, not be ruled out, versus, vs, is likely|probable|considered|questionable, was|be considered,
        questionable, must|should|to be ruled out, should be excluded, nicht ausgeschlossen, nicht
        auszuschließen, möglich, wahrscheinlich, nicht sicher ausgeschlossen
        """
    ),
    "pseudo": _phrases(
        """
        without doubt, no cause|reason|explanation, no cause|reason|explanation for, no source, without
        treatment|therapy|difficulty|further|change|contrast, without contrast medium|agent, without
        intravenous|iv contrast, not resolved, has|have|had not resolved, not disappeared, has not
        disappeared, partial resolution of, not separable, does not invade, not invade, not amenable, not seen
        before|previously, not seen on prior, not seen on the prior, not previously seen, not visible on the
        earlier, not visible on prior, after contrast|administration|injection, no
        change|changes|increase|decrease|further|doubt|sooner, no interval change, no significant
        change|increase, no significant interval change, not only|just|necessarily, not certain if|whether,
        not clear whether, not significantly changed, not changed|drain|cause|extend, without and with, with
        and|or without, gram|false negative, negative pressure|contrast, no less|more than, no ., nicht nur,
        ohne kontrastmittel|km, keine änderung|veränderung, risk factor|factors
        """
    ),
    "end": _phrases(
        """
        but, however, nevertheless, nonetheless, yet, though, although, except, except for, apart|aside from,
        other than, with the exception of, which, who, whereas, while, secondary|due to, because, because of,
        caused by, as a cause of, than, despite, cause|source|etiology of, reason for, as well as evidence of,
        still, instead, then, shows|showed|showing, reveals|revealed|revealing,
        demonstrates|demonstrated|demonstrating, aber, jedoch, sondern, obwohl, wegen, aufgrund, bei,
        allerdings, dagegen, sowie ein, zeigt, zeigte
        """
    ),
}
PLACES = frozenset(("in", "within", "inside", "with", "mit", "im"))
"""Words that end the reach of a trigger once it has reached a term: "no mass in the liver" has a liver."""
OPENERS = words(
    """
    a, an, the, small, large, mild, moderate, severe, slight, minimal, marked, chronic, acute, subtle,
    tiny, diffuse, bilateral, multiple, several, new, stable, unchanged, normal, ein, eine, kleiner,
    kleine, kleines, geringe, geringer
    """
)
"""Words that begin something else behind a comma or "and", where no "or" joins the list."""
VERBS = words(
    """
    developed, presented, was, were, is, are, has, had, have, showed, underwent, received, complained,
    died, remains, persists
    """
)
"""Verbs of a clause; what follows "and" behind one, or before one, is another clause."""
JOINED, AND = frozenset(("or", "nor", "oder", "noch")), frozenset(("and", "und"))

WINDOW = 5
"""Words that may be between a trigger and its term."""
Flags = tuple[str | None, str | None]
"""The words that deny a term, and those that doubt it, as they are written; None for none."""

_KINDS: dict[tuple[str, ...], list[Kind]] = {}
for _kind, _same in TRIGGERS.items():
    for _phrase in _same:
        _KINDS.setdefault(tuple(key_of(_phrase).split()), []).append(_kind)
_LONGEST = {phrase[0]: len(phrase) for phrase in sorted(_KINDS, key=len)}
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
    """The words of a text, the sentence of each, and the number of the term that it belongs to, if any."""

    words: Sequence[Word]
    sentence: Sequence[int]
    term_at: dict[int, int]

    def triggers(self) -> Iterator[_Trigger]:
        """The phrases in the text, the longest where some overlap."""
        words, at = self.words, 0
        while at < len(words):
            for after in range(at + _LONGEST.get(words[at].text, 0), at, -1):
                phrase = tuple(word.text for word in words[at:after])
                if phrase not in _KINDS or not self._together(at, after - 1):
                    continue
                # "Findings: no mass" is no answer as "Mass: no." is.
                goes_on = self._together(at, after) and words[after].text[0].isalnum()
                if not (phrase[0] in ":?" and goes_on):
                    yield _Trigger(_KINDS[phrase], at, after - 1)
                    at = after - 1
                    break
            at += 1

    def _together(self, at: int, other: int) -> bool:
        """Whether the word at ``other`` is there, and in the sentence of that at ``at``."""
        return other < len(self.words) and self.sentence[other] == self.sentence[at]

    def reach(self, trigger: _Trigger, stops: set[int], *, forward: bool) -> range:
        """The words a trigger reaches, up to one that stops it."""
        step, at = (1, trigger.last + 1) if forward else (-1, trigger.first - 1)
        counted, last_term, any_term = 0, -1, False
        while 0 <= at < len(self.words) and self._together(trigger.first, at) and at not in stops:
            term = self.term_at.get(at, -1)
            if forward and any_term and term < 0 and self._begins_something_else(at, trigger):
                break
            if self.words[at].text[0].isalnum() and not (term >= 0 and term == last_term):
                counted += 1
                if counted > WINDOW + 1:
                    break
            last_term = term
            any_term |= term >= 0
            at += step
        return range(trigger.last + 1, at) if forward else range(at + 1, trigger.first)

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
            return following in OPENERS or following in VERBS or not before.isdisjoint(VERBS)
        if any(words[k].text in JOINED for k in between):
            return True
        rest = (words[k].text for k in range(at + 1, len(words)) if self._together(at, k))
        return following in OPENERS and JOINED.isdisjoint(rest)


def flags_of(text: str, terms: Sequence[tuple[int, int]]) -> list[Flags]:
    """What denies and what doubts each term, given by its place in the text.

    ``terms`` are in order, none over another. Of several triggers the nearest counts.
    """
    if not terms:
        return []
    words, ends = words_of(text), sentence_ends(text)
    begins = [word.start for word in words]
    spans = [
        (first := bisect_left(begins, start), max(bisect_left(begins, end) - 1, first))
        for start, end in terms
    ]
    term_at = {at: k for k, (first, last) in enumerate(spans) for at in range(first, last + 1)}
    caption = _Caption(words, [bisect_left(ends, word.end) for word in words], term_at)
    triggers = [*caption.triggers()]
    stops = {at for kinds, first, last in triggers if "end" in kinds for at in range(first, last + 1)}
    nearest: list[dict[str, tuple[int, str]]] = [{} for _ in terms]
    for trigger in triggers:
        written = text[words[trigger.first].start : words[trigger.last].end]
        for what, where in (kind.split("-") for kind in trigger.kinds if "-" in kind):
            reached = caption.reach(trigger, stops, forward=where == "before")
            for (first, last), flags in zip(spans, nearest, strict=True):
                apart = first - trigger.last if where == "before" else trigger.first - last
                if first in reached and last in reached and (what not in flags or apart < flags[what][0]):
                    flags[what] = apart, written
    return [(flags.get("no", (0, None))[1], flags.get("maybe", (0, None))[1]) for flags in nearest]
