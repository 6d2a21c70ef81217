"""What is found in captions: terms with their place, and the concepts of each image that follow from them.

Places are character positions of the caption as it is written, start included, end not: what
``caption[start:end]`` gives is the text to mark.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from evalcore.values.arrays import digest_of
from evalcore.values.errors import SettingError
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Mapping

# What decides which concepts a caption gets: one frozen value, kept as ``annotate.toml`` beside a study.

# Parts of a report, by their headings: a history is not what the image shows.

SECTIONS = {
    "findings": ("findings", "finding", "report", "befund"),
    "impression": ("impression", "conclusion", "opinion", "summary", "interpretation", "beurteilung"),
    "history": words(
        """
        history, clinical history, past medical history, medical history, clinical information,
        clinical details, anamnese, klinische angaben
        """
    ),
    "indication": words(
        """
        indication, indications, reason for exam, reason for examination, clinical question, fragestellung,
        indikation
        """
    ),
    "technique": ("technique", "procedure", "protocol", "method", "methods", "technik", "methodik"),
    "comparison": ("comparison", "comparisons", "prior study", "prior studies", "voraufnahmen"),
}
"""{section: its headings, lower case}."""

_OF = {heading: section for section, headings in SECTIONS.items() for heading in headings}
_NAMES = "|".join(sorted(map(re.escape, _OF), key=len, reverse=True))
_HEADING = re.compile(rf"(?:^|[.;!?\n])\s*(?:[^\W\d]+\s+(?:and|und|&)\s+)?({_NAMES})\s*:", re.IGNORECASE)


def sections_of(text: str) -> list[tuple[int, str]]:
    """(begin, section) of every part with a heading, in order; "Technique and findings:" is findings.

    >>> sections_of("History: fall. Findings: no fracture.")
    [(8, 'history'), (24, 'findings')]
    """
    return [(match.end(), _OF[match[1].lower()]) for match in _HEADING.finditer(text)]


def section_at(sections: list[tuple[int, str]], place: int) -> str:
    """The section a place is in, "" before any."""
    at = bisect_right(sections, place, key=lambda one: one[0])
    return sections[at - 1][1] if at else ""


Ambiguous = Literal["drop", "preferred"]
Flagged = Literal["keep", "leave-out"]
WithoutTerms = Literal["not-annotated", "nothing"]

STOP = words(
    """
    about, after, age, all, also, an, and, any, appearance, are, area, arrow, arrows, as, at, before, both,
    but, by, case, compatible, day, days, demonstrates, figure, first, for, from, had, has, have, high, his,
    her, image, images, in, into, is, it, its, large, left, level, low, months, more, new, no, normal, not,
    note, of, old, on, one, or, patient, patients, present, right, same, second, seen, several, show, showing,
    shows, side, size, small, that, the, their, there, these, this, three, to, two, using, was, were, white,
    who, with, year, years
    """
)
"""Words that name something in a big terminology and nothing worth finding in a caption."""
MAX_WINDOW, MAX_LENGTH = 100, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateSettings:
    """How captions are read.

    Which names: ``languages`` (BCP 47; names of which nobody says the language always count, none given:
    all), ``sources`` (in this order they decide whose a name is that several concepts have; the others come
    after them), ``ambiguous`` (a name several concepts still have: dropped, or given to the only one that
    puts it first), ``min_length`` in characters, ``stop`` (names that are not looked for), ``meanings``
    ("name = concept", which of its concepts such a name means, before all else). How they are written:
    ``plurals``, ``hyphens`` (x-ray, x ray, xray), ``capitals`` (a name of up to five capital
    letters is looked for in capitals only). Which matches count: ``negation`` (the rules are applied at all),
    ``negated`` and ``uncertain`` terms, ``window`` (words between trigger and term, 0 for the whole
    sentence), ``leave_out_sections`` (by their headings). ``without_terms``: what an image is whose caption
    holds no known term. Tools other than the dictionary use what they can.
    """

    languages: tuple[str, ...] = ("en",)
    sources: tuple[str, ...] = ()
    ambiguous: Ambiguous = "drop"
    min_length: int = 3
    stop: tuple[str, ...] = STOP
    plurals: bool = True
    hyphens: bool = True
    capitals: bool = True
    negation: bool = True
    negated: Flagged = "leave-out"
    uncertain: Flagged = "keep"
    window: int = 5
    leave_out_sections: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    without_terms: WithoutTerms = "not-annotated"

    def __post_init__(self) -> None:
        """SettingError for a value that cannot be."""
        for name, options in _CHOICES.items():
            if getattr(self, name) not in get_args(options):
                raise SettingError(name, f"one of {', '.join(get_args(options))}", getattr(self, name))
        for name, (low, high) in _WHOLE.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise SettingError(name, f"a whole number from {low} to {high}", value)
        for name in _FLAGS:
            if type(getattr(self, name)) is not bool:
                raise SettingError(name, "true or false", getattr(self, name))
        for name in _LISTS:
            value = getattr(self, name)
            if not isinstance(value, tuple) or not all(isinstance(one, str) and one for one in value):
                raise SettingError(name, "a list of texts", value)
        if not SECTIONS.keys() >= {*self.leave_out_sections}:
            rule = f"among {', '.join(SECTIONS)}"
            raise SettingError("leave_out_sections", rule, list(self.leave_out_sections))
        for meaning in self.meanings:
            if not all(part.strip() for part in meaning.rpartition("=")):
                raise SettingError("meanings", 'a list of texts such as "mass = C0577559"', meaning)

    def as_dict(self) -> dict[str, Any]:
        """{setting: value}, lists for tuples: what `from_dict` takes, JSON and TOML hold."""
        return {key: list(one) if isinstance(one, tuple) else one for key, one in asdict(self).items()}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> AnnotateSettings:
        """From some settings, the others as they usually are; SettingError for a value that cannot be."""
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        return AnnotateSettings(**given)

    @property
    def digest(self) -> str:
        """Of everything chosen."""
        return digest_of(repr(self.as_dict()))


_CHOICES = {"ambiguous": Ambiguous, "negated": Flagged, "uncertain": Flagged, "without_terms": WithoutTerms}
_WHOLE = {"min_length": (1, MAX_LENGTH), "window": (0, MAX_WINDOW)}
_FLAGS = ("plurals", "hyphens", "capitals", "negation")
_LISTS = ("languages", "sources", "stop", "leave_out_sections", "meanings")

Assertion = Literal["present", "denied", "uncertain", "past"]
"""What a caption says of a term."""
NEGATED, UNCERTAIN, AMBIGUOUS = "negated", "uncertain", "ambiguous"
"""Why a match is left out; ``section: NAME`` is the fourth reason."""


@dataclass(frozen=True, slots=True)
class Span:
    """A term as a tool found it, before anything is said about it.

    ``concepts``: whose name it is, ascending; several where the name is ambiguous. ``name``: as the
    terminology writes it, ``source`` the vocabulary it is from ("" where nobody says). ``negated``,
    ``uncertain``: what the tool itself says, None where it says nothing and the rules decide.
    """

    start: int
    end: int
    concepts: tuple[str, ...]
    name: str
    source: str = ""
    negated: bool | None = None
    uncertain: bool | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """What makes a term negated or uncertain: the words at ``start`` to ``end``, and how far they reach.

    ``trigger`` is "" and the places are those of the term where the tool itself said so.
    """

    trigger: str
    start: int
    end: int
    scope_start: int
    scope_end: int


@dataclass(frozen=True, slots=True)
class Match:
    """A term of a caption. ``why``: the reason it is left out, "" for one that counts.

    ``section``: the heading it stands under, lower case, "" before any.
    """

    start: int
    end: int
    text: str
    concepts: tuple[str, ...]
    name: str
    source: str
    negated: Flag | None
    uncertain: Flag | None
    section: str
    why: str = ""
    past: Flag | None = None

    @property
    def assertion(self) -> Assertion:
        """Whether the caption denies the term, doubts it, speaks of the past, or says that it is there."""
        return assertion_of(self.negated, self.uncertain, self.past)

    @property
    def kept(self) -> bool:
        """Whether its concept is one of the image."""
        return not self.why


def assertion_of(negated: Flag | None, uncertain: Flag | None, past: Flag | None) -> Assertion:
    """The assertion of a term; a denial goes before a doubt, and a doubt before the past."""
    if negated is not None:
        return "denied"
    if uncertain is not None:
        return "uncertain"
    return "present" if past is None else "past"


@dataclass(frozen=True, slots=True)
class AnnotatedCaption:
    """The terms of one caption, in order. ``caption`` None: the image has none.

    ``concepts``: of the kept terms, ascending, each once; None for "not annotated".
    """

    image: str
    caption: str | None
    matches: tuple[Match, ...]
    concepts: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """Names of the terminology that are not looked for, and why: how many, and the first of them."""

    why: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """The names a tool looks for: how many of how many concepts, what was dropped, what is ambiguous.

    ``ambiguous``: {name as compared: its concepts} for those that no rule resolves. ``concepts``: all that
    have a name. Empty for a tool that brings its own terminology and does not list it.
    """

    n_names: int = 0
    concepts: frozenset[str] = frozenset()
    dropped: tuple[Dropped, ...] = ()
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class NameCount:
    """How often a name was found: ``n`` matches, ``kept`` of them, in ``images`` captions."""

    name: str
    concepts: tuple[str, ...]
    n: int
    kept: int
    images: int


@dataclass(frozen=True, eq=False)
class Annotation:
    """The captions of a study, annotated by one tool with one choice of settings."""

    tool: str
    settings: AnnotateSettings
    captions: tuple[AnnotatedCaption, ...]
    names: Names

    @cached_property
    def concepts(self) -> dict[str, tuple[str, ...] | None]:
        """{image: its concepts}, None for "not annotated": what `ConceptSets.of` takes."""
        return {caption.image: caption.concepts for caption in self.captions}

    @cached_property
    def counts(self) -> tuple[NameCount, ...]:
        """Of every name that was found, the most frequent first."""
        n, kept, images = Counter[_Key](), Counter[_Key](), Counter[_Key]()
        for caption in self.captions:
            keys = [((match.name, match.concepts), match.kept) for match in caption.matches]
            n.update(key for key, _ in keys)
            kept.update(key for key, counts in keys if counts)
            images.update({key for key, _ in keys})
        order = sorted(n, key=lambda key: (-n[key], key))
        return tuple(NameCount(*key, n[key], kept[key], images[key]) for key in order)

    @cached_property
    def left_out(self) -> dict[str, int]:
        """{why: matches} of those that do not count, the most frequent reason first."""
        return dict(
            Counter(
                match.why for caption in self.captions for match in caption.matches if match.why
            ).most_common()
        )

    @property
    def n_matches(self) -> int:
        """Terms found, left out or not."""
        return sum(len(caption.matches) for caption in self.captions)

    @property
    def digest(self) -> str:
        """Of what was found, not of how long it took."""
        images = tuple(caption.image for caption in self.captions)
        result = tuple(
            "?" if caption.concepts is None else ";".join(caption.concepts) for caption in self.captions
        )
        return digest_of(self.tool, self.settings.digest, self.names.digest, images, result)


_Key = tuple[str, tuple[str, ...]]
