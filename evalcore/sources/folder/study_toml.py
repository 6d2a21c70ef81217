"""``study.toml``: the name of a study and, where the conventions do not fit, which file is what.

name = "ROCOv2 test"
description = "9,927 images, two systems"
group = "patient"   # the column of labels.csv (or groups.csv) that says which images belong together
images_root = "/data/rocov2/images"   # pictures outside the folder: only when it is opened by its path
scheme = "HP"       # which identifiers the concepts are: umls, a CURIE prefix, curie, wordnet or ids

[files]                       # paths inside the folder; "" for "there is none"
concepts = "test_concepts.csv"
graph = ["graph/edges.csv", "graph/part_of.csv"]

[systems.hog]                 # where no table names a file, the folders below systems/ are the systems
run = "runs/hog.txt.gz"
embeddings = "vectors/hog.npz"
title = "HOG (2005)"          # its name everywhere; then how it is shown, all of it optional
colour = "#0072B2"            # or one of the program's own, 1 to 10
marker = "square"
order = 1
notes = "cells of 8 x 8"

[graph]                       # keep only these sources and relations of the graph files
sources = ["MESH", "UBERON"]
rela = ["isa"]

[labels]                      # labels derived from a label map: see label_map.derive_labels
one_value = true

[format]                      # overrule what the content looks like
concepts = "clef2017"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from evalcore.concept_scheme import NAMED, scheme_named
from evalcore.model import MARKERS, PALETTE, READABLE, SystemLook
from evalcore.problems import Report
from evalcore.sources.folder.kinds import OF_A_STUDY, OF_A_SYSTEM
from evalcore.sources.tables.guard import reader
from evalcore.sources.tables.lines import broken, decode, lines_of
from evalcore.sources.tables.problems import Problems, shown, whole

_KEYS: Mapping[str, tuple[str, ...] | None] = {
    "name": None, "description": None, "group": None, "images_root": None, "scheme": None,
    "files": OF_A_STUDY, "systems": None,
    "graph": ("sources", "rela"), "labels": ("one_value",), "format": ("concepts",),
}  # fmt: skip
_WAY_OUT = "Mend it; for now the parts of the study were found by their names."
MAX_SIZE = 1 << 18
"""Largest ``study.toml``, in characters: some thousands of systems."""
MAX_DOTS = 100
"""Most dots in one key: the time to read it grows with their square."""


@dataclass(frozen=True, slots=True)
class StudyToml:
    """What ``study.toml`` says, all of it optional. Kinds missing from ``files`` are found by convention."""

    name: str = ""
    description: str = ""
    group: str = ""
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    systems: Mapping[str, Mapping[str, str]] | None = None
    graph_sources: tuple[str, ...] | None = None
    graph_rela: tuple[str, ...] | None = None
    one_value_labels: bool = False
    concept_format: str | None = None
    images_root: str = ""
    scheme: str | None = None
    looks: Mapping[str, SystemLook] = field(default_factory=dict)
    """By key; only what is said."""


_OF_A_LOOK = ("title", "colour", "marker", "order", "notes", "reads")
MAX_TITLE, MAX_NOTES, MAX_ORDER = 120, 4_000, 10**6


@reader(lambda _: StudyToml())
def parse_study_toml(data: bytes, *, file: str) -> tuple[StudyToml, Report]:
    """Read a ``study.toml``; unknown keys are warnings, values of the wrong kind errors and left out.

    A file that is no TOML, nested too deeply or beyond ``MAX_SIZE`` is an error, and nothing of it is used.
    """
    found = Problems(file)
    text = (decode(data, found) if data.strip() else "") or ""
    top = loaded(text, found)
    if top is None:
        return StudyToml(), found.report()
    typed = _Reader(found, text)
    typed.check_keys(top, tuple(_KEYS), "")
    tables = {name: typed.table(top, name) for name in ("files", "systems", "graph", "labels", "format")}
    for name, table in tables.items():
        typed.check_keys(table, _KEYS[name], f"{name}.")
    named = {kind: typed.texts(tables["files"], kind) for kind in OF_A_STUDY}
    systems = {name: typed.table(tables["systems"], name) for name in tables["systems"]}
    for name, table in systems.items():
        typed.check_keys(table, (*OF_A_SYSTEM, *_OF_A_LOOK), f"systems.{name}.")
    looks = {name: typed.look(table, name) for name, table in systems.items() if {*table} & {*_OF_A_LOOK}}
    # Tables that only say how systems are shown leave it to the folders which systems there are.
    named_here = "systems" in top and (not systems or any({*t} & {*OF_A_SYSTEM} for t in systems.values()))
    return StudyToml(
        name=typed.text(top, "name") or "",
        description=typed.text(top, "description") or "",
        group=typed.text(top, "group") or "",
        files={kind: paths for kind, paths in named.items() if paths is not None},
        systems={
            name: {key: path for key in OF_A_SYSTEM if (path := typed.text(table, key))}
            for name, table in systems.items()
        } if named_here else None,
        graph_sources=typed.texts(tables["graph"], "sources"),
        graph_rela=typed.texts(tables["graph"], "rela"),
        one_value_labels=typed.flag(tables["labels"], "one_value"),
        concept_format=typed.text(tables["format"], "concepts") or None,
        images_root=typed.text(top, "images_root") or "",
        scheme=typed.scheme(top),
        looks=looks,
    ), found.report()  # fmt: skip


def loaded(text: str, found: Problems, *, way_out: str = _WAY_OUT) -> dict[str, Any] | None:
    """The content of any TOML file of the user's; None with an error when it cannot be read."""
    if len(text) > MAX_SIZE:
        message = f"The file holds {len(text):,} characters; at most {MAX_SIZE:,} are read."
        found.error("too-large", message, way_out)
        return None
    for number, line in enumerate(lines_of(text), start=1):
        if line.partition("=")[0].count(".") > MAX_DOTS:
            message = f"The key has more than {MAX_DOTS} dots."
            found.error("bad-toml", message, way_out, line=number, value=line)
            return None
        if broken(line):
            message = "The line holds bytes that are not UTF-8; they are read as �."
            found.error("undecodable", message, "Save the file as UTF-8.", line=number, value=line)
    try:
        return tomllib.loads(whole(text))
    except RecursionError:
        found.error("bad-toml", "The file is nested too deeply.", way_out)
    except ValueError as reason:  # not TOML, or a number of thousands of digits
        at = re.search(r"line (\d+)", str(reason))
        message = f"The file is not TOML: {shown(reason)}."
        found.error("bad-toml", message, way_out, line=int(at.group(1)) if at else None)
    return None


def is_title(name: str) -> bool:
    """Whether a system can be called so on every page: one line, not like the program's own rankings."""
    return 0 < len(name) <= MAX_TITLE and name.isprintable() and name[0] != "@" and name == name.strip()


def is_colour(value: object) -> bool:
    """Whether a system can have this colour.

    >>> is_colour("#0072b2"), is_colour(3), is_colour(True), is_colour("red"), is_colour(11)
    (True, True, False, False, False)
    """
    if isinstance(value, str):
        return re.fullmatch(r"#[0-9A-Fa-f]{6}", value) is not None
    return type(value) is int and 1 <= value <= PALETTE


def line_of(text: str, needle: str) -> int | None:
    """The first line that holds a text, 1-based; None when no line does."""
    at = text.find(needle)
    return None if at < 0 else text.count("\n", 0, at) + 1


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed access to a TOML table; a value of the wrong kind is reported and read as absent."""

    found: Problems
    text_: str

    def table(self, table: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = self._typed(table, key, dict, "a table")
        return {} if value is None else dict(value)

    def text(self, table: Mapping[str, Any], key: str) -> str | None:
        value = self._typed(table, key, str, "a text in quotes")
        return None if value is None else str(value).strip()

    def flag(self, table: Mapping[str, Any], key: str) -> bool:
        return bool(self._typed(table, key, bool, "true or false"))

    def texts(self, table: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
        """A text or a list of texts; empty ones are dropped, so "" means none at all."""
        if isinstance(table.get(key), str):
            table = {key: [table[key]]}
        values = self._typed(table, key, list, "a text or a list of texts")
        if values is None or not all(isinstance(value, str) for value in values):
            if values is not None:
                self._wrong(key, "a text or a list of texts", values)
            return None
        return tuple(value.strip() for value in values if value.strip())

    def scheme(self, table: Mapping[str, Any]) -> str | None:
        """Which identifiers the concepts are, None where nobody says."""
        text = self.text(table, "scheme")
        named = scheme_named(text) if text else None
        if text and named is None:
            self._wrong("scheme", f"one of {', '.join(NAMED)}, or the prefix of CURIEs such as HP", text)
        return named

    def look(self, table: Mapping[str, Any], key: str) -> SystemLook:
        """How a system is shown; what cannot be is reported and left out."""
        title = self.text(table, "title") or ""
        if title and not is_title(title):
            self._wrong("title", f"one line of at most {MAX_TITLE} characters, without @ in front", title)
            title = ""
        colour: str | int | None = table.get("colour")
        if colour is not None and not is_colour(colour):
            self._wrong("colour", f'such as "#0072B2", or a number from 1 to {PALETTE}', colour)
            colour = None
        marker = self.text(table, "marker") or ""
        if marker and marker not in MARKERS:
            self._wrong("marker", f"one of {', '.join(MARKERS)}", marker)
            marker = ""
        order = table.get("order")
        if order is not None and not (type(order) is int and abs(order) <= MAX_ORDER):
            self._wrong("order", "a whole number", order)
            order = None
        notes = self.text(table, "notes") or ""
        if len(notes) > MAX_NOTES:
            self._wrong("notes", f"a text of at most {MAX_NOTES:,} characters", notes[:80])
            notes = ""
        reads = self.texts(table, "reads")
        if reads is not None and not set(reads) <= set(READABLE):
            self._wrong("reads", f"a list of {', '.join(READABLE)}", list(reads))
            reads = None
        return SystemLook(key, title, colour, marker, order, notes, reads)

    def check_keys(self, table: Mapping[str, Any], known: tuple[str, ...] | None, where: str) -> None:
        for key in table:
            if known is not None and key not in known:
                near = get_close_matches(key, known, n=1)
                offer = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(known)}."
                message = f"Nothing is called {where + key!r} here; it is ignored."
                self.found.warning("unknown-key", message, offer, line=line_of(self.text_, key), value=key)

    def _typed(self, table: Mapping[str, Any], key: str, kind: type, words: str) -> Any:
        value = table.get(key)
        if value is None or isinstance(value, kind):
            return value
        self._wrong(key, words, value)
        return None

    def _wrong(self, key: str, words: str, value: object) -> None:
        message = f"`{key}` must be {words}."
        self.found.error("wrong-value", message, "It is ignored.", line=line_of(self.text_, key), value=value)
