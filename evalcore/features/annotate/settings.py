"""What decides which concepts a caption gets: one frozen value, kept as ``annotate.toml`` beside a study."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from evalcore.values.arrays import digest_of
from evalcore.values.errors import SettingError
from evalcore.values.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    return [(found.end(), _OF[found[1].lower()]) for found in _HEADING.finditer(text)]


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
        for one in self.meanings:
            if not all(part.strip() for part in one.rpartition("=")):
                raise SettingError("meanings", 'a list of texts such as "mass = C0577559"', one)

    def as_dict(self) -> dict[str, Any]:
        """{setting: value}, lists for tuples: what `from_dict` takes, JSON and TOML hold."""
        return {key: list(one) if isinstance(one, tuple) else one for key, one in asdict(self).items()}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> AnnotateSettings:
        """From some settings, the others as they usually are; SettingError for a value that cannot be."""
        given: dict[str, Any] = {
            key: tuple(one) if isinstance(one, list) else one for key, one in values.items()
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
