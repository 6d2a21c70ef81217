"""The dictionary: every name of every concept looked for at once, the longest match first.

All names go into one automaton (Aho and Corasick 1975, doi:10.1145/360825.360855), which finds them all in
one pass over a caption however many they are. Names begin and end at the borders of words. Of matches that
overlap the one that begins first counts, of those that begin together the longest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.annotate.values import Dropped, Names, Span
from evalcore.features.annotate.variants import other_numbers
from evalcore.features.annotate.words import Word, joined, key_of, words_of
from evalcore.values.arrays import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from evalcore.features.annotate.settings import AnnotateSettings
    from evalcore.values.concept_values import NameTable

LANGUAGE, NO_LETTERS, TOO_SHORT, STOPPED = "another language", "no letters", "too short", "on the stop list"
CAPITALS = 5
"""Longest name that is looked for in capitals only, where it is written so."""
_EXAMPLES = 5


class _Name(NamedTuple):
    """One name of one concept, below the key it is compared by."""

    concept: str
    text: str
    source: str
    preferred: bool


class _Term(NamedTuple):
    """What a key means: one concept, or several where nothing decides."""

    concepts: tuple[str, ...]
    text: str
    source: str


class _Meaning(NamedTuple):
    """Of a key written as it may be, and of the same in capitals."""

    usual: _Term | None
    capitals: _Term | None


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """All names, ready to be found in texts. See `dictionary`."""

    names: Names
    _begins: Mapping[str, Mapping[str, _Meaning]]
    """What each key means, by its first word."""
    _hyphens: bool

    def find(self, texts: Sequence[str]) -> Iterator[Sequence[Span]]:
        """The terms of each text in order of place; ambiguous ones too, so that no part of one is found."""
        read = [words_of(text, hyphens=self._hyphens) for text in texts]
        automaton = self._automaton({word.text for words in read for word in words})
        for text, words in zip(texts, read, strict=True):
            yield [] if automaton is None else self._terms(automaton, text, words)

    def _automaton(self, used: set[str]) -> Any:
        """Of the names all of whose words are used in the texts: the others cannot be there."""
        import ahocorasick

        automaton = ahocorasick.Automaton()
        for word in used & self._begins.keys():
            for key, meaning in self._begins[word].items():
                if used.issuperset(key.split(" ")):
                    padded = f" {key} "
                    automaton.add_word(padded, (len(padded), meaning))
        if not len(automaton):
            return None
        automaton.make_automaton()
        return automaton

    def _terms(self, automaton: Any, text: str, words: Sequence[Word]) -> list[Span]:
        texts = [word.text for word in words]
        line = f" {' '.join(texts)} "
        begins = list(accumulate((len(one) + 1 for one in texts), initial=1))
        shouted = text.upper() == text
        hits: list[tuple[int, int, _Term]] = []
        for last, (length, meaning) in automaton.iter(line):
            first = bisect_left(begins, last - length + 2)
            final = bisect_left(begins, last + 1) - 1
            term = meaning.usual
            if meaning.capitals is not None:
                written = text[words[first].start : words[final].end]
                if shouted or _in_capitals(written):
                    term = meaning.capitals
            if term is not None:
                hits.append((first, -final, term))
        return [
            Span(words[first].start, words[final].end, term.concepts, term.text, term.source)
            for first, final, term in _longest(hits)
        ]


def _longest(hits: list[tuple[int, int, _Term]]) -> Iterator[tuple[int, int, _Term]]:
    """First word, last word and meaning of the hits that count."""
    free = 0
    for first, minus_last, term in sorted(hits, key=lambda hit: hit[:2]):
        if first >= free:
            free = 1 - minus_last
            yield first, -minus_last, term


def _in_capitals(text: str) -> bool:
    """Whether a term stands in capitals, its plural s aside.

    >>> [_in_capitals(text) for text in ("CT", "CTs", "Ct", "was")]
    [True, True, False, False]
    """
    return text.removesuffix("s").isupper()


def dictionary(names: NameTable, settings: AnnotateSettings) -> Dictionary:
    """The names that count under these settings, each with the concept it means."""
    usual: dict[str, list[_Name]] = defaultdict(list)
    capitals: dict[str, list[_Name]] = defaultdict(list)
    dropped: dict[str, list[str]] = defaultdict(list)
    stop = {key_of(word, hyphens=settings.hyphens) for word in settings.stop}
    n_names = 0
    for concept, text, source, language, preferred in zip(
        names.concepts, names.texts, names.sources, names.languages, names.preferred.tolist(), strict=True
    ):
        why, key = _refused(text, language, settings, stop)
        if why:
            dropped[why].append(text)
            continue
        n_names += 1
        one = _Name(concept, text, source, preferred)
        below = capitals if settings.capitals and _is_acronym(text) else usual
        below[key].append(one)
    named = frozenset(one.concept for below in (usual, capitals) for found in below.values() for one in found)
    _add_variants(usual, settings, plain=True)
    _add_variants(capitals, settings, plain=False)
    rank = {source.casefold(): place for place, source in enumerate(settings.sources)}
    decided = _decided(settings)
    ambiguous: dict[str, tuple[str, ...]] = {}
    begins: dict[str, dict[str, _Meaning]] = defaultdict(dict)
    for key in {**usual, **capitals}:
        means = [_resolved(below.get(key, ()), rank, decided, settings) for below in (usual, capitals)]
        begins[key.partition(" ")[0]][key] = _Meaning(*means)
        unclear = [term.concepts for term in means if term is not None and len(term.concepts) > 1]
        if unclear:
            ambiguous[key] = unclear[0]
    told = tuple(
        Dropped(why, len(texts), tuple(dict.fromkeys(texts))[:_EXAMPLES])
        for why, texts in sorted(dropped.items())
    )
    digest = digest_of(
        names.concepts, names.texts, names.sources, names.languages, names.preferred, settings.digest
    )
    return Dictionary(Names(n_names, named, told, ambiguous, digest), begins, settings.hyphens)


def _refused(
    text: str, language: str, settings: AnnotateSettings, stop: set[str]
) -> tuple[str, str]:  # fmt: skip
    """Why a name is not looked for ("" if it is), and the key it is compared by."""
    if language and settings.languages and not _speaks(language, settings.languages):
        return LANGUAGE, ""
    key = key_of(text, hyphens=settings.hyphens)
    if not any(map(str.isalpha, key)):
        return NO_LETTERS, key
    if len(key) - key.count(" ") < settings.min_length:
        return TOO_SHORT, key
    return (STOPPED if key in stop else ""), key


def _speaks(language: str, wanted: Sequence[str]) -> bool:
    """Whether a language is one of those wanted, or a kind of one.

    >>> _speaks("en-GB", ("en",)), _speaks("de", ("en",)), _speaks("de", ("de-at",))
    (True, False, False)
    """
    tag = language.lower()
    return any(tag == one or tag.startswith(f"{one}-") for one in map(str.lower, wanted))


def _is_acronym(text: str) -> bool:
    """Whether a name is short and written in capitals.

    >>> [_is_acronym(text) for text in ("PET", "AIDS", "Pet", "L4", "LUNG DISEASE")]
    [True, True, False, False, False]
    """
    return len(text) <= CAPITALS and text.isupper() and sum(map(str.isalpha, text)) > 1


def _add_variants(below: dict[str, list[_Name]], settings: AnnotateSettings, *, plain: bool) -> None:
    """Other spellings of the names, where they are no names themselves."""
    found: dict[str, list[_Name]] = defaultdict(list)
    numbers: dict[str, tuple[str, ...]] = {}  # the same last words come again and again
    for key, names in below.items():
        spelled = {key}
        if settings.hyphens and plain:
            spelled |= {key_of(closed) for one in names if (closed := joined(one.text)) != one.text}
        if settings.plurals:
            for one in tuple(spelled):
                head, _, last = one.rpartition(" ")
                if last not in numbers:
                    numbers[last] = other_numbers(last) if plain else (f"{last}s",)
                spelled |= {f"{head} {other}".lstrip() for other in numbers[last]}
        for one in spelled:
            if one not in below:
                found[one] += names
    below.update(found)


def _decided(settings: AnnotateSettings) -> dict[str, str]:
    """{key of a name: the concept the settings say it means}."""
    said = (one.rpartition("=") for one in settings.meanings)
    return {key_of(name, hyphens=settings.hyphens): concept.strip() for name, _, concept in said}


def _resolved(
    names: Iterable[_Name], rank: Mapping[str, int], decided: Mapping[str, str], settings: AnnotateSettings
) -> _Term | None:
    """The one concept that names of one key mean; all of them where nothing decides; None for no names."""
    found = list(names)
    if len(found) < 2:
        return _Term((found[0].concept,), found[0].text, found[0].source) if found else None
    if decided and len({one.concept for one in found}) > 1:
        means = {decided.get(key_of(one.text, hyphens=settings.hyphens)) for one in found}
        found = [one for one in found if one.concept in means] or found
    if len({one.concept for one in found}) > 1:
        best = min(rank.get(one.source.casefold(), len(rank)) for one in found)
        found = [one for one in found if rank.get(one.source.casefold(), len(rank)) == best]
    if len({one.concept for one in found}) > 1 and settings.ambiguous == "preferred":
        found = [one for one in found if one.preferred] or found
    first = found[0]
    return _Term(tuple(sorted({one.concept for one in found})), first.text, first.source)
