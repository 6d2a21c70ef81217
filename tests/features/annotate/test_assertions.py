"""200 sentences with accepted readings: how many are read as a person reads them, and which are not."""

from __future__ import annotations

import re
from pathlib import Path

from evalcore.features.annotate.negation import flags_of
from evalcore.features.annotate.values import assertion_of

TERM = re.compile(r"\{([^|}]+)\|([-+?<])\}")
READINGS = {"+": "present", "-": "denied", "?": "uncertain", "<": "past"}
SENTENCES = [
    line
    for line in (Path(__file__).parent / "assertions.txt").read_text(encoding="utf-8").splitlines()
    if line and line[0] != "#"
]


def plain(line: str) -> tuple[str, list[tuple[int, int]], list[str]]:
    """The sentence without marks, the places of its terms, and their accepted readings."""
    text, places, readings, at = "", [], [], 0
    for found in TERM.finditer(line):
        text += line[at : found.start()]
        places.append((len(text), len(text) + len(found[1])))
        readings.append(READINGS[found[2]])
        text += found[1]
        at = found.end()
    return text + line[at:], places, readings


def misses() -> list[str]:
    found = []
    for line in SENTENCES:
        text, places, readings = plain(line)
        said = [assertion_of(*flags) for flags in flags_of(text, places, window=5)]
        if said != readings:
            found.append(f"{line}  ->  {' '.join(said)}")
    return found


def test_at_least_nine_of_ten_sentences_are_read_as_accepted() -> None:
    assert len(SENTENCES) >= 200
    wrong = misses()
    assert len(wrong) <= 0.1 * len(SENTENCES), "\n".join(wrong)
