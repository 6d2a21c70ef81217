"""How captions are turned into concepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evalcore.values.writing import words

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
Flagged = Literal["leave-out", "keep"]
FLAGGED: tuple[Flagged, Flagged] = "leave-out", "keep"
LEAVE_OUT, KEEP = FLAGGED


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateSettings:
    """How captions are read: kept as ``annotate.toml`` beside a study, whose reader checks the values.

    ``languages``: of the names to look for (BCP 47; names without a language always count; empty: all).
    ``stop``: names that are not looked for. Where several concepts have a name, ``meanings``
    ("name = concept") decides first, then the order of ``sources``; a name that nothing decides counts for
    none. ``negated``, ``uncertain``: whether such terms count. Results of tools use these two alone.
    """

    languages: tuple[str, ...] = ("en",)
    sources: tuple[str, ...] = ()
    stop: tuple[str, ...] = STOP
    meanings: tuple[str, ...] = ()
    negated: Flagged = "leave-out"
    uncertain: Flagged = "keep"
