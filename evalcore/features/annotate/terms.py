"""Names of concepts found in texts, the longest match first.

Names begin and end at the borders of words. Of matches that overlap the one that begins first counts, of
those that begin together the longest. Case, accents, width, hyphens (x-ray, x ray, xray), possessives and the
number of the last word do not matter; a name of up to five capital letters is an abbreviation and is looked
for in capitals.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evalcore.features.annotate.settings import AnnotateSettings
    from evalcore.values.concept_values import NameTable

# Words of a text as they are compared, each with its place in the text as it is written. A letter that
# becomes several (ß, ﬁ) or none (a combining accent) shifts nothing: a word keeps the places of its letters.

_HYPHENS = r"\-\u2010-\u2014\u2212_"
_WORD = re.compile(rf"['’]s\b|[^\W_]+|[^\w\s{_HYPHENS}]")
_JOIN = re.compile(rf"(?<=\w)[{_HYPHENS}](?=\w)")
_POSSESSIVES = ("'s", "’s")
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen and signs without width: they occur within words."""


class Word(NamedTuple):
    """``text`` as it is compared, a word or one sign, and its place in the text as it is written."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words and signs of a text.

    >>> [(word.text, word.start, word.end) for word in words_of("Große X-ray, Crohn's")]
    [('grosse', 0, 5), ('x', 6, 7), ('ray', 8, 11), (',', 11, 12), ('crohn', 13, 18)]
    """
    if text.isascii():
        matches = _WORD.finditer(text.lower())
        return [Word(match[0], *match.span()) for match in matches if match[0] != "'s"]
    parts = [_folded(letter) for letter in text]
    places = [place for place, part in enumerate(parts) for _ in part]

    def end_of(end: int) -> int:
        """Behind the last letter of a word, and behind the accents that belong to it."""
        last = places[end - 1] + 1
        while last < len(text) and not parts[last]:
            last += 1
        return last

    return [
        Word(match[0], places[match.start()], end_of(match.end()))
        for match in _WORD.finditer("".join(parts))
        if match[0] not in _POSSESSIVES
    ]


def key_of(name: str) -> str:
    """A name as it is compared: its words with single spaces between them.

    >>> key_of("Tomography, X-Ray  Computed"), key_of("Ménière's")
    ('tomography , x ray computed', 'meniere')
    """
    folded = name.lower() if name.isascii() else "".join(map(_folded, name))
    return " ".join(word for word in _WORD.findall(folded) if word not in _POSSESSIVES)


@lru_cache(maxsize=4096)
def _folded(letter: str) -> str:
    """One letter as it is compared: none, one or several."""
    if unicodedata.combining(letter) or letter in _INVISIBLE:
        return ""
    parts = unicodedata.normalize("NFKD", letter.casefold()).casefold()
    kept = "".join(part for part in parts if not unicodedata.combining(part))
    # ½ and ™ stay signs: a word must not begin or end within a letter of the text.
    return kept if kept.isalnum() and unicodedata.category(letter)[0] != "S" else letter


# The other number of an English or Latin noun: effusion, effusions; bronchus, bronchi.

MIN_LETTERS = 3
"""Letters a word must have to be given another number, and characters a name must have to be looked for."""
_TO_PLURAL = (
    *(("nx", "nges"), ("ex", "ices"), ("ix", "ices"), ("oma", "omas"), ("oma", "omata"), ("is", "es")),
    *(("us", "i"), ("um", "a"), ("on", "a"), ("a", "ae")),
)
_TO_SINGULAR = (
    *(("nges", "nx"), ("ices", "ix"), ("ices", "ex"), ("omata", "oma"), ("ae", "a"), ("ies", "y")),
    *(("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("ses", "sis"), ("ses", "se")),
)
_LATIN_ON = ("ganglion", "mitochondrion", "phenomenon", "criterion")


def other_numbers(word: str) -> tuple[str, ...]:
    """What a noun may look like in its other number; some of it may be no word at all, which does no harm.

    >>> other_numbers("effusion"), other_numbers("biopsy"), other_numbers("vertebra")
    (('effusions',), ('biopsies',), ('vertebrae', 'vertebras'))
    >>> other_numbers("metastasis"), other_numbers("lungs"), other_numbers("ct")
    (('metastases',), ('lung',), ())
    """
    if len(word) < MIN_LETTERS or not word.isalpha():
        return ()
    endings = [ending for ending in _TO_PLURAL if ending[0] != "on" or word in _LATIN_ON]
    plurals, singulars = (
        [
            word.removesuffix(end) + other
            for end, other in table
            if word.endswith(end) and len(word) - len(end) > 1
        ]
        for table in (endings, _TO_SINGULAR)
    )
    if word.endswith("y") and word[-2] not in "aeiou":
        plurals.append(f"{word[:-1]}ies")
        singulars = []
    elif word.endswith(("s", "x", "z", "ch", "sh")):
        if not word.endswith("s") or word.endswith(("ss", "us")):
            plurals.append(f"{word}es")
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and not singulars:
            singulars.append(word[:-1])
    else:
        plurals.append(f"{word}s")
    numbers = dict.fromkeys([*plurals, *singulars])
    return tuple(number for number in numbers if number != word and len(number) >= MIN_LETTERS)


# The dictionary: what every spelling of every name means.

ABBREVIATION = 5
"""Length of the longest name that is looked for in capitals only, where it is written so."""


class Span(NamedTuple):
    """A term at its place in a text, start included, end not, before anything is known about it.

    ``concepts``: those of the name, ascending; several where the name is ambiguous. ``name``: as the
    terminology writes it. ``negated``, ``uncertain``: what a tool reports, None where it reports nothing and
    the rules decide.
    """

    start: int
    end: int
    concepts: tuple[str, ...]
    name: str
    negated: bool | None = None
    uncertain: bool | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """The names a tool looks for: ``n_names`` of these ``concepts``; empty where it has its own terminology.

    ``dropped``: {why: names} not looked for. ``ambiguous``: {spelling: its concepts} that nothing resolves.
    """

    n_names: int = 0
    concepts: frozenset[str] = frozenset()
    dropped: Mapping[str, int] = field(default_factory=dict)
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class _Name(NamedTuple):
    concept: str
    text: str
    source: str


_Term = tuple[tuple[str, ...], str]
"""What a spelling means: its concepts, several where nothing decides, and the name as it is written."""


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """All names, ready to be found in texts. See `dictionary`."""

    names: Names
    _meanings: Mapping[str, tuple[_Term | None, _Term | None]]
    """What each spelling means: written as usual, and in capitals."""
    _sizes: Mapping[str, Sequence[int]]
    """How many words the spellings that begin with a word have, the most first."""

    def find(self, text: str) -> Iterator[Span]:
        """The terms of a text in order of place; ambiguous ones too, so that no part of one is found."""
        words = words_of(text)
        texts = [word.text for word in words]
        all_capitals = text.upper() == text
        at = 0
        while at < len(words):
            for size in self._sizes.get(texts[at], ()):
                meaning = (
                    self._meanings.get(" ".join(texts[at : at + size])) if at + size <= len(words) else None
                )
                if meaning is None:
                    continue
                start, end = words[at].start, words[at + size - 1].end
                as_usual, in_capitals = meaning
                capitals = in_capitals and (all_capitals or text[start:end].removesuffix("s").isupper())
                term = in_capitals if capitals else as_usual
                if term is not None:
                    yield Span(start, end, *term)
                    at += size - 1
                    break
            at += 1


def dictionary(names: NameTable, settings: AnnotateSettings) -> Dictionary:
    """The names that count under these settings, each with the concept it means; InputError without names."""
    if not len(names):
        raise InputError(
            "There are no names to look for. Put a names.csv (cui,name; several rows for synonyms) or "
            "MRCONSO.RRF into the folder, or give one with --names FILE."
        )
    spellings: tuple[dict[str, list[_Name]], ...] = defaultdict(list), defaultdict(list)
    dropped, n_names = Counter[str](), 0
    stop = set(map(key_of, settings.stop))
    for concept, text, source, language in zip(
        names.concepts, names.texts, names.sources, names.languages, strict=True
    ):
        key = key_of(text)
        why = _why_dropped(key, language, settings.languages, stop)
        if why:
            dropped[why] += 1
            continue
        n_names += 1
        abbreviation = len(text) <= ABBREVIATION and text.isupper() and sum(map(str.isalpha, text)) > 1
        spellings[abbreviation][key].append(_Name(concept, text, source))
    named = frozenset(name.concept for table in spellings for some in table.values() for name in some)
    for table, abbreviations in zip(spellings, (False, True), strict=True):
        _add_variants(table, abbreviations)
    rank = {source.casefold(): place for place, source in enumerate(settings.sources)}
    parts = (meaning.rpartition("=") for meaning in settings.meanings)
    chosen = {key_of(name): concept.strip() for name, _, concept in parts}
    meanings, ambiguous = {}, {}
    sizes: dict[str, set[int]] = defaultdict(set)
    for key in {**spellings[0], **spellings[1]}:
        usual, capitals = (_term(table.get(key, []), rank, chosen) for table in spellings)
        meanings[key] = usual, capitals
        sizes[key.partition(" ")[0]].add(key.count(" ") + 1)
        unresolved = [term[0] for term in (usual, capitals) if term is not None and len(term[0]) > 1]
        if unresolved:
            ambiguous[key] = unresolved[0]
    about = Names(n_names, named, dict(sorted(dropped.items())), ambiguous)
    return Dictionary(about, meanings, {word: sorted(some, reverse=True) for word, some in sizes.items()})


def _why_dropped(key: str, language: str, languages: Sequence[str], stop: set[str]) -> str:
    """Why a name is not looked for, "" if it is; "en-GB" is a kind of "en"."""
    tag, wanted = f"{language.lower()}-", (f"{wanted.lower()}-" for wanted in languages)
    if language and languages and not tag.startswith(tuple(wanted)):
        return "another language"
    if not any(map(str.isalpha, key)):
        return "no letters"
    if len(key) - key.count(" ") < MIN_LETTERS:
        return "too short"
    return "on the stop list" if key in stop else ""


def _add_variants(table: dict[str, list[_Name]], abbreviations: bool) -> None:
    """Add other spellings of the names, where they are no names themselves."""
    result: dict[str, list[_Name]] = defaultdict(list)
    numbers: dict[str, tuple[str, ...]] = {}  # the same last words occur again and again
    for key, names in table.items():
        spelled = {key}
        if not abbreviations:
            spelled |= {key_of(_JOIN.sub("", name.text)) for name in names if _JOIN.search(name.text)}
        for spelling in tuple(spelled):
            head, _, last = spelling.rpartition(" ")
            if last not in numbers:
                numbers[last] = (f"{last}s",) if abbreviations else other_numbers(last)
            spelled |= {f"{head} {other}".lstrip() for other in numbers[last]}
        for spelling in spelled:
            if spelling not in table:
                result[spelling] += names
    table.update(result)


def _term(names: list[_Name], rank: Mapping[str, int], chosen: Mapping[str, str]) -> _Term | None:
    """What names of one spelling mean: the chosen concept, that of the first source, else all of them."""

    def several(some: Iterable[_Name]) -> bool:
        return len({name.concept for name in some}) > 1

    if not names:
        return None
    if chosen and several(names):
        means = {chosen.get(key_of(name.text)) for name in names}
        names = [name for name in names if name.concept in means] or names
    if several(names):
        ranks = [rank.get(name.source.casefold(), len(rank)) for name in names]
        names = [name for name, place in zip(names, ranks, strict=True) if place == min(ranks)]
    return tuple(sorted({name.concept for name in names})), names[0].text
