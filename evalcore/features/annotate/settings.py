"""How captions are turned into concepts: the settings, and their file beside a study."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from evalcore.study.folder.toml import Value, edited, one_of, read_toml, read_values
from evalcore.study.tables.files import content_of, reader
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import Report
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
"""Words that are names in a large terminology, and say nothing in a caption."""
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


TOML = "annotate.toml"
_WAY_OUT = "Correct the line, or remove it for the usual value."


def _name_and_concept(items: list[str]) -> list[str] | None:
    return items if all(part.strip() for item in items for part in item.rpartition("=")) else None


_MODEL: dict[str, Value] = {
    **dict.fromkeys(
        ("languages", "sources", "stop"),
        Value("a list of texts", lambda items: items if all(items) else None, of_texts=True),
    ),
    "meanings": Value('a list of texts such as "mass = C0577559"', _name_and_concept, of_texts=True),
    **dict.fromkeys(("negated", "uncertain"), one_of(FLAGGED)),
}


def read_settings(folder: Path) -> tuple[AnnotateSettings, Report]:
    """The settings of a study by its folder: the usual ones where it has no such file."""
    file = folder / TOML
    return parse_settings(file) if file.exists() else (AnnotateSettings(), Report())


def settings_text(settings: AnnotateSettings, folder: Path) -> str:
    """The file of these settings, with the comments of the one in the folder.

    All are written, so that later usual values change nothing.
    """
    file = folder / TOML
    before = content_of(file, TOML).decode("utf-8", "replace") if file.exists() else ""
    values = asdict(settings).items()
    return edited(before, {key: list(value) if isinstance(value, tuple) else value for key, value in values})


@reader(lambda _: AnnotateSettings())
def parse_settings(data: bytes, problems: Problems) -> AnnotateSettings:
    """Read such a file. Unknown keys and values that cannot be are errors, all of them listed; the settings
    then have the usual values in their places."""
    top, text = read_toml(data, problems, way_out=_WAY_OUT)
    values = read_values(top, _MODEL, text, problems, remedy=_WAY_OUT)
    chosen: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
    return AnnotateSettings(**chosen)
