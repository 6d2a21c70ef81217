"""Parts of a report, by their headings: a history is not what the image shows."""

from __future__ import annotations

import re
from bisect import bisect_right

SECTIONS = {
    "findings": ("findings", "finding", "report", "befund"),
    "impression": ("impression", "conclusion", "opinion", "summary", "interpretation", "beurteilung"),
    "history": (
        "history", "clinical history", "past medical history", "medical history", "clinical information",
        "clinical details", "anamnese", "klinische angaben",
    ),
    "indication": (
        "indication", "indications", "reason for exam", "reason for examination", "clinical question",
        "fragestellung", "indikation",
    ),
    "technique": ("technique", "procedure", "protocol", "method", "methods", "technik", "methodik"),
    "comparison": ("comparison", "comparisons", "prior study", "prior studies", "voraufnahmen"),
}  # fmt: skip
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
