"""Which identifiers the concepts of a study are. One scheme a study:

| scheme        | identifiers                                    | such as                          |
|---------------|------------------------------------------------|----------------------------------|
| ``umls``      | CUIs: C and seven digits                       | ``C0040405``                     |
| a prefix      | CURIEs of that vocabulary                      | ``HP:0002088`` (scheme ``HP``)   |
| ``curie``     | CURIEs of any vocabularies                     | ``RADLEX:RID1301``, ``ENVO:1``   |
| ``wordnet``   | synsets: word, part of speech and number       | ``dog.n.01``                     |
| ``ids``       | anything without spaces; never recognised      | ``RID1301``                      |
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

UMLS, CURIE, WORDNET, IDS = "umls", "curie", "wordnet", "ids"
NAMED = (UMLS, CURIE, WORDNET, IDS)
_PREFIX = r"[A-Za-z][A-Za-z0-9_.-]{0,59}"
_LOCAL = r"[A-Za-z0-9_](?:[A-Za-z0-9_.%()+~#/-]{0,198}[A-Za-z0-9_)])?"
_PATTERNS = {
    UMLS: re.compile(r"C[0-9]{7}\Z"),
    CURIE: re.compile(rf"{_PREFIX}:{_LOCAL}\Z"),
    WORDNET: re.compile(r"[^\s;,|:]{1,200}\.[nvars]\.[0-9]{2,3}\Z"),
    IDS: re.compile(r"[^\s;,|]{1,200}\Z"),
}
_A_CUI = re.compile(r"(?:UMLS(?:_CUI)?:)?C[0-9]{7}\Z", re.IGNORECASE)
_A_PREFIX = re.compile(rf"{_PREFIX}\Z")
_WORDS = {
    UMLS: ("CUI", "A CUI is the letter C and seven digits, such as C0040405."),
    CURIE: ("CURIE", "A CURIE is a prefix, a colon and a local id, such as HP:0002088."),
    WORDNET: ("WordNet synset", "A synset is a word, its part of speech and a number, such as dog.n.01."),
    IDS: ("concept id", "An id has no spaces, commas or semicolons."),
}


def scheme_named(text: str) -> str | None:
    """The scheme that somebody calls so; None where it can be none.

    >>> scheme_named("UMLS"), scheme_named("HP"), scheme_named("hp:"), scheme_named("H P")
    ('umls', 'HP', 'hp', None)
    """
    name = text.strip().removesuffix(":")
    if name.lower() in NAMED:
        return name.lower()
    return name if _A_PREFIX.match(name) else None


def prefix_of(identifier: str) -> str:
    """The prefix of a CURIE, "" for what is none.

    >>> prefix_of("HP:0002088"), prefix_of("dog.n.01"), prefix_of("http://x.org/a")
    ('HP', '', '')
    """
    return identifier.partition(":")[0] if _PATTERNS[CURIE].match(identifier) else ""


def belongs(identifier: str, scheme: str) -> bool:
    """Whether an identifier is one of the scheme, as it is written."""
    if scheme in _PATTERNS:
        return _PATTERNS[scheme].match(identifier) is not None
    return prefix_of(identifier) == scheme


def read_as(text: str, scheme: str) -> str | None:
    """The identifier that a text means in a scheme: letters of a CUI or a prefix may have another case, and
    ``UMLS:`` may stand before a CUI.

    >>> read_as("c0040405", "umls"), read_as("UMLS:C0040405", "umls")
    ('C0040405', 'C0040405')
    >>> read_as("hp:0002088", "HP"), read_as("MONDO:1", "HP")
    ('HP:0002088', None)
    """
    if belongs(text, scheme):
        return text
    if scheme == UMLS:
        return text.upper().rpartition(":")[2] if _A_CUI.match(text) else None
    prefix = prefix_of(text)
    if prefix and prefix.casefold() == scheme.casefold():
        return f"{scheme}:{text.partition(':')[2]}"
    return None


def as_written(concept: str) -> str:
    """A concept as studies write it: a CUI with a capital C and no prefix, any other as it is.

    >>> as_written("c0040405"), as_written("UMLS:C0040405"), as_written("hp:0002088")
    ('C0040405', 'C0040405', 'hp:0002088')
    """
    return read_as(concept, UMLS) or concept


def recognised(identifiers: Iterable[str]) -> str:
    """The scheme most of these texts belong to: CUIs unless more than half are all of one other kind.

    CURIEs of one vocabulary are its scheme, those of several ``curie``.

    >>> recognised(["C0040405", "C0817096", "HP:1"]), recognised(["HP:1", "HP:2"]), recognised([])
    ('umls', 'HP', 'umls')
    >>> recognised(["HP:1", "MONDO:2"]), recognised(["dog.n.01", "cat.n.01", "?"])
    ('curie', 'wordnet')
    """
    n = 0
    kinds: Counter[str] = Counter()
    prefixes: Counter[str] = Counter()
    for text in identifiers:
        n += 1
        if _A_CUI.match(text):
            kinds[UMLS] += 1
        elif _PATTERNS[WORDNET].match(text):
            kinds[WORDNET] += 1
        elif prefix := prefix_of(text):
            kinds[CURIE] += 1
            prefixes[prefix] += 1
    kind, most = max(kinds.items(), key=lambda count: count[1], default=(UMLS, 0))
    if kind == UMLS or 2 * most <= n:
        return UMLS
    if kind == CURIE and len({prefix.casefold() for prefix in prefixes}) == 1:
        return max(sorted(prefixes), key=prefixes.__getitem__)
    return kind


def own_name(identifier: str) -> str:
    """What an identifier calls itself: a synset its word; "" for any other.

    >>> own_name("ice_cream.n.01"), own_name("HP:0002088")
    ('ice cream', '')
    """
    if not _PATTERNS[WORDNET].match(identifier):
        return ""
    return identifier.rsplit(".", 2)[0].replace("_", " ")


def describe(scheme: str) -> str:
    """What one identifier of a scheme is called.

    >>> describe("umls"), describe("HP"), describe("wordnet")
    ('CUI', 'HP identifier', 'WordNet synset')
    """
    return _WORDS[scheme][0] if scheme in _WORDS else f"{scheme} identifier"


def form(scheme: str) -> str:
    """What identifiers of a scheme look like, as a sentence."""
    if scheme in _WORDS:
        return _WORDS[scheme][1]
    return f"Each begins with {scheme}: and goes on without spaces, such as {scheme}:0001234."


def id_word(scheme: str) -> str:
    """The short word for an identifier on screen: "CUI" where they are CUIs, else "Concept id".

    >>> id_word("umls"), id_word("HP")
    ('CUI', 'Concept id')
    """
    return "CUI" if scheme == UMLS else "Concept id"
