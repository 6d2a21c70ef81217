"""The dictionary: every name of every concept looked for at once, the longest match first.

All names go into one automaton (Aho and Corasick 1975, doi:10.1145/360825.360855), which finds them all in
one pass over a caption however many they are. Names begin and end at the borders of words. Of matches that
overlap the one that begins first counts, of those that begin together the longest.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.annotate.values import Dropped, Names, Span
from evalcore.values.arrays import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from evalcore.features.annotate.values import AnnotateSettings
    from evalcore.values.concept_values import NameTable

# The other number of an English or Latin noun: effusion, effusions; bronchus, bronchi.

LEAST = 3
"""Letters a word must have to be given another number."""
_TO_PLURAL = (
    ("nx", "nges"),
    ("ex", "ices"),
    ("ix", "ices"),
    ("oma", "omas"),
    ("oma", "omata"),
    ("is", "es"),
    ("us", "i"),
    ("um", "a"),
    ("on", "a"),
    ("a", "ae"),
)
_LATIN_ON = ("ganglion", "mitochondrion", "phenomenon", "criterion")
_TO_SINGULAR = (
    ("nges", "nx"),
    ("ices", "ix"),
    ("ices", "ex"),
    ("omata", "oma"),
    ("ae", "a"),
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ses", "sis"),
    ("ses", "se"),
)
_HISSES = ("s", "x", "z", "ch", "sh")


def other_numbers(word: str) -> tuple[str, ...]:
    """What a noun may look like in its other number; some of it may be no word at all, which does no harm.

    >>> other_numbers("effusion"), other_numbers("biopsy"), other_numbers("vertebra")
    (('effusions',), ('biopsies',), ('vertebrae', 'vertebras'))
    >>> other_numbers("metastasis"), other_numbers("lungs"), other_numbers("ct")
    (('metastases',), ('lung',), ())
    """
    if len(word) < LEAST or not word.isalpha():
        return ()
    result = [word.removesuffix(end) + other for end, other in _TO_PLURAL if _takes(word, end)]
    if word.endswith("y") and word[-2] not in "aeiou":
        result.append(f"{word[:-1]}ies")
    elif word.endswith(_HISSES):
        if not word.endswith("s") or word.endswith(("ss", "us")):
            result.append(f"{word}es")
        result += _singular(word)
    else:
        result.append(f"{word}s")
        result += [word.removesuffix(end) + other for end, other in _TO_SINGULAR if _ends(word, end)]
    return tuple(dict.fromkeys(one for one in result if one != word and len(one) >= LEAST))


def _takes(word: str, end: str) -> bool:
    return _ends(word, end) and (end != "on" or word in _LATIN_ON)


def _ends(word: str, end: str) -> bool:
    return word.endswith(end) and len(word) - len(end) >= 2


def _singular(word: str) -> list[str]:
    result = [word.removesuffix(end) + other for end, other in _TO_SINGULAR if _ends(word, end)]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and not result:
        result.append(word[:-1])
    return result


# Words of a text as they are compared, each with its place in the text as it is written.
#
# Case, accents and width do not count; hyphens and spaces are the same, as are "Crohn's" and "Crohn". A
# letter that becomes several (ß, ﬁ) or none (a combining accent) shifts nothing: every word keeps the
# places of the letters it came from.

_HYPHENS = r"\-\u2010-\u2014\u2212_"
_SPLIT = re.compile(rf"['’]s\b|[^\W_]+|[^\w\s{_HYPHENS}]")
_WHOLE = re.compile(r"['’]s\b|[^\W_]+|[^\w\s]|_")
_JOIN = re.compile(rf"(?<=\w)[{_HYPHENS}](?=\w)")

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen and signs without width: they stand within words."""


class Word(NamedTuple):
    """``text`` as it is compared, a word or one sign, and where it stands in the text as it is written."""

    text: str
    start: int
    end: int


def words_of(text: str, *, hyphens: bool = True) -> list[Word]:
    """The words and signs of a text; ``hyphens`` False keeps hyphens as signs of their own.

    >>> [(word.text, word.start, word.end) for word in words_of("Große X-ray, Crohn's")]
    [('grosse', 0, 5), ('x', 6, 7), ('ray', 8, 11), (',', 11, 12), ('crohn', 13, 18)]
    """
    pattern = _SPLIT if hyphens else _WHOLE
    if text.isascii():
        return [
            Word(match[0], match.start(), match.end())
            for match in pattern.finditer(text.lower())
            if match[0] != "'s"
        ]
    folded, places = _placed(text)
    return [
        Word(match[0], places[match.start()], _end_of(text, places, match.end()))
        for match in pattern.finditer(folded)
        if match[0] not in ("'s", "’s")
    ]


def key_of(name: str, *, hyphens: bool = True) -> str:
    """A name as it is compared: its words with single spaces between them.

    >>> key_of("Tomography, X-Ray  Computed"), key_of("Ménière's")
    ('tomography , x ray computed', 'meniere')
    """
    pattern = _SPLIT if hyphens else _WHOLE
    folded = name.lower() if name.isascii() else "".join(map(_folded, name))
    return " ".join(word for word in pattern.findall(folded) if word not in ("'s", "’s"))


def joined(name: str) -> str:
    """The name with its hyphens closed up, as ``xray`` for ``x-ray``."""
    return _JOIN.sub("", name)


@lru_cache(maxsize=4096)
def _folded(letter: str) -> str:
    """One letter as it is compared: none, one or several."""
    if unicodedata.combining(letter) or letter in _INVISIBLE:
        return ""
    parts = unicodedata.normalize("NFKD", letter.casefold()).casefold()
    kept = "".join(part for part in parts if not unicodedata.combining(part))
    # ½ and ™ stay signs: a word must not begin or end within a letter of the text.
    return kept if kept.isalnum() and unicodedata.category(letter)[0] != "S" else letter


def _placed(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its letters the place of the letter it came from."""
    parts = [_folded(letter) for letter in text]
    places = [place for place, part in enumerate(parts) for _ in part]
    return "".join(parts), places


def _end_of(text: str, places: list[int], end: int) -> int:
    """Behind the last letter of a word, and behind the accents that belong to it."""
    last = places[end - 1] + 1
    while last < len(text) and not _folded(text[last]):
        last += 1
    return last


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
        begins = list(accumulate((len(text) + 1 for text in texts), initial=1))
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
    named = frozenset(one.concept for below in (usual, capitals) for terms in below.values() for one in terms)
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


def _refused(text: str, language: str, settings: AnnotateSettings, stop: set[str]) -> tuple[str, str]:
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
    result: dict[str, list[_Name]] = defaultdict(list)
    numbers: dict[str, tuple[str, ...]] = {}  # the same last words come again and again
    for key, names in below.items():
        spelled = {key}
        if settings.hyphens and plain:
            spelled |= {key_of(closed) for name in names if (closed := joined(name.text)) != name.text}
        if settings.plurals:
            for one in tuple(spelled):
                head, _, last = one.rpartition(" ")
                if last not in numbers:
                    numbers[last] = other_numbers(last) if plain else (f"{last}s",)
                spelled |= {f"{head} {other}".lstrip() for other in numbers[last]}
        for one in spelled:
            if one not in below:
                result[one] += names
    below.update(result)


def _decided(settings: AnnotateSettings) -> dict[str, str]:
    """{key of a name: the concept the settings say it means}."""
    parts = (meaning.rpartition("=") for meaning in settings.meanings)
    return {key_of(name, hyphens=settings.hyphens): concept.strip() for name, _, concept in parts}


def _resolved(
    names: Iterable[_Name], rank: Mapping[str, int], decided: Mapping[str, str], settings: AnnotateSettings
) -> _Term | None:
    """The one concept that names of one key mean; all of them where nothing decides; None for no names."""
    result = list(names)
    if len(result) < 2:
        return _Term((result[0].concept,), result[0].text, result[0].source) if result else None
    if decided and len({one.concept for one in result}) > 1:
        means = {decided.get(key_of(one.text, hyphens=settings.hyphens)) for one in result}
        result = [one for one in result if one.concept in means] or result
    if len({one.concept for one in result}) > 1:
        best = min(rank.get(one.source.casefold(), len(rank)) for one in result)
        result = [one for one in result if rank.get(one.source.casefold(), len(rank)) == best]
    if len({one.concept for one in result}) > 1 and settings.ambiguous == "preferred":
        result = [one for one in result if one.preferred] or result
    first = result[0]
    return _Term(tuple(sorted({one.concept for one in result})), first.text, first.source)
