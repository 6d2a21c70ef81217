"""``study.toml``: the name of a study and, where the conventions do not fit, which file is what.

name = "ROCOv2 test"
description = "9,927 images, two systems"
baseline = "hog"    # the system that the others are compared with; without it, they are with the leader
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
order = 1
notes = "cells of 8 x 8"

[graph]                       # keep only these sources and relations of the graph files
sources = ["MESH", "UBERON"]
rela = ["isa"]

[kinds]                       # concepts below these have that kind, where no table says otherwise
modality = ["C0011923"]
finding = ["C0012634"]

[labels]                      # labels derived from a label map: see label_map.derive_labels
one_value = true

[concept_vectors.cui2vec]     # of concept_vectors/cui2vec.csv: how two vectors become a similarity
metric = "cosine"             # or euclidean, poincare
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalcore.study.folder.toml_text import line_of, offered, read_toml
from evalcore.study.parts.registry import OF_A_STUDY, OF_A_SYSTEM
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.concept_scheme import NAMED, scheme_named
from evalcore.values.concept_values import KINDS, METRICS
from evalcore.values.errors import Report
from evalcore.values.system_styles import READABLE, SystemLook

_KEYS: Mapping[str, tuple[str, ...] | None] = {
    "name": None,
    "description": None,
    "baseline": None,
    "group": None,
    "images_root": None,
    "scheme": None,
    "files": OF_A_STUDY,
    "systems": None,
    "graph": ("sources", "rela"),
    "kinds": KINDS,
    "labels": ("one_value",),
    "concept_vectors": None,
}
_TABLES = ("files", "systems", "graph", "kinds", "labels", "concept_vectors")
_WAY_OUT = "Correct it; until then, parts of the study are recognised by their file names."


@dataclass(frozen=True, slots=True)
class StudyToml:
    """What ``study.toml`` says, all of it optional. Kinds missing from ``files`` are found by convention."""

    name: str = ""
    description: str = ""
    baseline: str = ""
    group: str = ""
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    systems: Mapping[str, Mapping[str, str]] | None = None
    graph_sources: tuple[str, ...] | None = None
    graph_rela: tuple[str, ...] | None = None
    kind_roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    one_value_labels: bool = False
    images_root: str = ""
    scheme: str | None = None
    vector_metrics: Mapping[str, str] = field(default_factory=dict)
    """How vectors of concepts are compared, by their name; the rest by the cosine."""
    looks: Mapping[str, SystemLook] = field(default_factory=dict)
    """By key; only what is said."""
    """By image the labels that do not count."""


_OF_A_LOOK = ("title", "order", "notes", "reads")
MAX_TITLE, MAX_NOTES, MAX_ORDER = 120, 4_000, 10**6


@reader(lambda _: StudyToml())
def parse_study_toml(data: bytes, *, file: str) -> tuple[StudyToml, Report]:
    """Read a ``study.toml``; unknown keys are warnings, values of the wrong kind errors and left out.

    A file that is no TOML, nested too deeply or too large is an error, and nothing of it is used.
    """
    problems = Problems(file)
    top, text = read_toml(data, problems, way_out=_WAY_OUT, may_be_empty=True)
    if top is None:
        return StudyToml(), problems.report()
    typed = _Reader(problems, text)
    typed.check_keys(top, tuple(_KEYS), "")
    tables = {name: typed.table(top, name) for name in _TABLES}
    for name, table in tables.items():
        typed.check_keys(table, _KEYS[name], f"{name}.")
    of_vectors = {name: typed.table(tables["concept_vectors"], name) for name in tables["concept_vectors"]}
    for name, table in of_vectors.items():
        typed.check_keys(table, ("metric",), f"concept_vectors.{name}.")
    named = {kind: typed.texts(tables["files"], kind) for kind in OF_A_STUDY}
    systems = {name: typed.table(tables["systems"], name) for name in tables["systems"]}
    for name, table in systems.items():
        typed.check_keys(table, (*OF_A_SYSTEM, *_OF_A_LOOK), f"systems.{name}.")
    looks = {name: typed.look(table, name) for name, table in systems.items() if {*table} & {*_OF_A_LOOK}}
    # Tables that only say how systems are shown leave it to the folders which systems there are.
    named_here = "systems" in top and (not systems or any({*t} & {*OF_A_SYSTEM} for t in systems.values()))
    return StudyToml(
        name=typed.text(top, "name"),
        description=typed.text(top, "description"),
        baseline=typed.text(top, "baseline"),
        group=typed.text(top, "group"),
        files={kind: paths for kind, paths in named.items() if paths is not None},
        systems={
            name: {key: path for key in OF_A_SYSTEM if (path := typed.text(table, key))}
            for name, table in systems.items()
        }
        if named_here
        else None,
        graph_sources=typed.texts(tables["graph"], "sources"),
        graph_rela=typed.texts(tables["graph"], "rela"),
        kind_roots={kind: roots for kind in KINDS if (roots := typed.texts(tables["kinds"], kind))},
        one_value_labels=typed.flag(tables["labels"], "one_value"),
        images_root=typed.text(top, "images_root"),
        scheme=typed.scheme(top),
        vector_metrics={
            name: metric for name, table in of_vectors.items() if (metric := typed.metric(table))
        },
        looks=looks,
    ), problems.report()


def is_title(name: str) -> bool:
    """Whether a system can be called so on every page: one line, not like the program's own rankings."""
    return 0 < len(name) <= MAX_TITLE and name.isprintable() and name[0] != "@" and name == name.strip()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed access to a TOML table; a value of the wrong kind is reported and read as absent."""

    problems: Problems
    text_: str

    def table(self, table: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = self._typed(table, key, dict, "a table")
        return {} if value is None else dict(value)

    def text(self, table: Mapping[str, Any], key: str) -> str:
        """A text without the spaces around it; "" where there is none."""
        return str(self._typed(table, key, str, "a text in quotes") or "").strip()

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

    def metric(self, table: Mapping[str, Any]) -> str:
        """How vectors of concepts are compared; "" where nobody says, or it cannot be so."""
        metric = self.text(table, "metric")
        if metric and metric not in METRICS:
            message = f"`metric` must be one of {', '.join(METRICS)}."
            line = line_of(self.text_, f'"{metric}"')
            self.problems.error("wrong-value", message, "It is ignored.", line=line, value=metric)
        return metric if metric in METRICS else ""

    def look(self, table: Mapping[str, Any], key: str) -> SystemLook:
        """How a system is shown; what cannot be is reported and left out."""
        title = self.text(table, "title")
        if title and not is_title(title):
            self._wrong("title", f"one line of at most {MAX_TITLE} characters, without @ in front", title)
            title = ""
        order = table.get("order")
        if order is not None and not (type(order) is int and abs(order) <= MAX_ORDER):
            self._wrong("order", "a whole number", order)
            order = None
        notes = self.text(table, "notes")
        if len(notes) > MAX_NOTES:
            self._wrong("notes", f"a text of at most {MAX_NOTES:,} characters", notes[:80])
            notes = ""
        reads = self.texts(table, "reads")
        if reads is not None and not set(reads) <= set(READABLE):
            self._wrong("reads", f"a list of {', '.join(READABLE)}", list(reads))
            reads = None
        return SystemLook(key, title, None, order, notes, reads)

    def check_keys(self, table: Mapping[str, Any], known: tuple[str, ...] | None, where: str) -> None:
        for key in table:
            if known is not None and key not in known:
                message = f"Nothing is called {where + key!r} here; it is ignored."
                shows = self.problems.shows("warning", "unknown-key")  # else nobody sees line and remedy
                line, remedy = (line_of(self.text_, key), offered(key, known)) if shows else (None, "")
                self.problems.warning("unknown-key", message, remedy, line=line, value=key)

    def _typed(self, table: Mapping[str, Any], key: str, kind: type, words: str) -> Any:
        value = table.get(key)
        if value is None or isinstance(value, kind):
            return value
        self._wrong(key, words, value)
        return None

    def _wrong(self, key: str, words: str, value: object) -> None:
        message = f"`{key}` must be {words}."
        self.problems.error(
            "wrong-value", message, "It is ignored.", line=line_of(self.text_, key), value=value
        )
