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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evalcore.features.annotate.settings import AnnotateSettings
from evalcore.study.parts.names import Name
from evalcore.values.errors import InputError
from evalcore.values.writing import words

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
    return " ".join(word.text for word in words_of(name))


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
_TO_PLURAL, _TO_SINGULAR = (
    [tuple(pair.split()) for pair in words(pairs)]
    for pairs in (
        "nx nges, ex ices, ix ices, oma omas, oma omata, is es, us i, um a, on a, a ae",
        "nges nx, ices ix, ices ex, omata oma, ae a, ies y, sses ss, xes x, ches ch, shes sh, ses sis,ses se",
    )
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
    plurals, singulars = (
        [
            word.removesuffix(end) + other
            for end, other in table
            if word.endswith(end) and len(word) - len(end) > 1 and (end != "on" or word in _LATIN_ON)
        ]
        for table in (_TO_PLURAL, _TO_SINGULAR)
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
_CAPITALS = "-"
"""In front of the keys of abbreviations: in a key there is no hyphen."""


class Term(NamedTuple):
    """A term at its place in a text, start included, end not.

    ``concepts``: those of the name, ascending; several where the name is ambiguous. ``name``: as the
    terminology writes it. ``negated``, ``uncertain``: the words that make it so, None without any, "" where
    a tool reports it without naming any; ``by_tool``: a tool decided both, and the rules do not apply.
    ``why``: the reason it is left out, "" for one that counts.
    """

    start: int
    end: int
    concepts: tuple[str, ...]
    name: str
    negated: str | None = None
    uncertain: str | None = None
    by_tool: bool = False
    why: str = ""


class Names(NamedTuple):
    """How many names of how many concepts a tool looks for; none where it has its own terminology.

    ``ambiguous``: spellings that mean several concepts. ``dropped``: {why: names} not looked for.
    """

    names: int
    concepts: int
    ambiguous: int
    dropped: Mapping[str, int]


NO_NAMES = Names(0, 0, 0, {})


class _Name(NamedTuple):
    concept: str
    text: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """All names, ready to be found in texts. See `dictionary`."""

    names: Names
    _meanings: Mapping[str, tuple[tuple[str, ...], str]]
    """The concepts of each spelling, several where nothing decides, and the name as it is written."""
    _sizes: Mapping[str, Sequence[int]]
    """How many words the spellings that begin with a word have, the most first."""
    tool: str = "dictionary"

    def terms_of(self, _image: str, text: str) -> Iterator[Term]:
        """The terms of a text in order of place; ambiguous ones too, so that no part of one is found."""
        words = words_of(text)
        texts = [word.text for word in words]
        all_capitals = text.upper() == text
        at = 0
        while at < len(words):
            for size in self._sizes.get(texts[at], ()):
                last = at + size - 1
                if last >= len(words):
                    continue
                key, start, end = " ".join(texts[at : last + 1]), words[at].start, words[last].end
                meaning = self._meanings.get(key)
                if (in_capitals := self._meanings.get(_CAPITALS + key)) is not None and (
                    all_capitals or text[start:end].removesuffix("s").isupper()
                ):
                    meaning = in_capitals
                if meaning is not None:
                    yield Term(start, end, *meaning)
                    at = last
                    break
            at += 1


def dictionary(names: Sequence[Name], settings: AnnotateSettings) -> Dictionary:
    """The names that count under these settings, each with the concept it means; InputError without names."""
    if not names:
        raise InputError(
            "There are no names to look for. Put a names.csv (cui,name; several rows for synonyms) or "
            "MRCONSO.RRF into the folder, or give one with --names FILE."
        )
    spellings: dict[str, list[_Name]] = defaultdict(list)
    dropped = Counter[str]()
    stop = set(map(key_of, settings.stop))
    for concept, text, source, language in names:
        key = key_of(text)
        why = _why_dropped(key, language, settings.languages, stop)
        if why:
            dropped[why] += 1
            continue
        abbreviation = len(text) <= ABBREVIATION and text.isupper() and sum(map(str.isalpha, text)) > 1
        spellings[f"{_CAPITALS if abbreviation else ''}{key}"].append(_Name(concept, text, source))
    n_names = sum(map(len, spellings.values()))
    n_concepts = len({name.concept for same in spellings.values() for name in same})
    _add_variants(spellings)
    rank = {source.casefold(): place for place, source in enumerate(settings.sources)}
    parts = (meaning.rpartition("=") for meaning in settings.meanings)
    chosen = {key_of(name): concept.strip() for name, _, concept in parts}
    meanings, ambiguous = {}, set()
    sizes: dict[str, set[int]] = defaultdict(set)
    for key, same in spellings.items():
        meanings[key] = _meaning(same, rank, chosen)
        spelling = key.removeprefix(_CAPITALS)
        sizes[spelling.partition(" ")[0]].add(spelling.count(" ") + 1)
        if len(meanings[key][0]) > 1:
            ambiguous.add(spelling)
    about = Names(n_names, n_concepts, len(ambiguous), dict(sorted(dropped.items())))
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


def _add_variants(spellings: dict[str, list[_Name]]) -> None:
    """Add other spellings of the names, where they are no names themselves."""
    result: dict[str, list[_Name]] = defaultdict(list)
    other_number = lru_cache(maxsize=None)(other_numbers)  # the same last words occur again and again
    for key, names in spellings.items():
        spelled = {key}
        if not key.startswith(_CAPITALS):
            spelled |= {key_of(_JOIN.sub("", name.text)) for name in names if _JOIN.search(name.text)}
        for spelling in tuple(spelled):
            head, _, last = spelling.rpartition(" ")
            others = (f"{last}s",) if key.startswith(_CAPITALS) else other_number(last)
            spelled |= {f"{head} {other}".lstrip() for other in others}
        for spelling in spelled:
            if spelling not in spellings:
                result[spelling] += names
    spellings.update(result)


def _meaning(
    names: list[_Name], rank: Mapping[str, int], chosen: Mapping[str, str]
) -> tuple[tuple[str, ...], str]:
    """What names of one spelling mean: the chosen concept, that of the first source, else all of them."""
    if len({name.concept for name in names}) > 1:
        means = {chosen.get(key_of(name.text)) for name in names} if chosen else ()
        names = [name for name in names if name.concept in means] or names
    if len({name.concept for name in names}) > 1:
        ranks = [rank.get(name.source.casefold(), len(rank)) for name in names]
        names = [name for name, place in zip(names, ranks, strict=True) if place == min(ranks)]
    return tuple(sorted({name.concept for name in names})), names[0].text
