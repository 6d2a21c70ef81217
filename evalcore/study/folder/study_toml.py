"""``study.toml``: the name of a study and, where the conventions do not fit, which file is what.

name = "ROCOv2 test"
description = "9,927 images, two systems"
baseline = "hog"    # the system that the others are compared with; without it, they are with the leader
group = "patient"   # the column of labels.csv (or groups.csv) that says which images belong together
scheme = "HP"       # which identifiers the concepts are: umls, a CURIE prefix, curie, wordnet or ids

[files]                       # paths inside the folder; "" for "there is none"
concepts = "test_concepts.csv"
graph = ["graph/edges.csv", "graph/part_of.csv"]

[systems.hog]                 # where no table names a file, the folders below systems/ are the systems
run = "runs/hog.txt.gz"
embeddings = "vectors/hog.npz"
reads = ["images"]            # images, captions, concepts, labels: a system that reads captions is marked

[graph]                       # keep only these sources and relations of the graph files
sources = ["MESH", "UBERON"]
rela = ["isa"]

[concept_vectors.cui2vec]     # of concept_vectors/cui2vec.csv: how two vectors become a similarity
metric = "cosine"             # or euclidean, poincare
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalcore.study.folder.toml import Each, Model, Value, line, one_of, read_toml, read_values
from evalcore.study.parts.registry import OF_A_STUDY, OF_A_SYSTEM
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.concept_scheme import NAMED, scheme_named
from evalcore.values.concept_values import METRICS
from evalcore.values.model import READABLE, SystemLook

MAX_TITLE = 120


def is_title(name: str) -> bool:
    """Whether a system can be called so on every page: one line, not like the program's own rankings."""
    return 0 < len(name) <= MAX_TITLE and name.isprintable() and name[0] != "@" and name == name.strip()


def _scheme(value: Any) -> str | None:
    """Which identifiers the concepts are; "" where nobody says."""
    if not isinstance(value, str):
        return None
    return scheme_named(value.strip()) if value.strip() else ""


def _texts(value: Any) -> tuple[str, ...] | None:
    """A text, or several; "" says that there is none."""
    items = [value] if isinstance(value, str) else value
    good = isinstance(items, list) and all(isinstance(item, str) for item in items)
    return tuple(item.strip() for item in items if item.strip()) if good else None


def _readable(value: Any) -> tuple[str, ...] | None:
    parts = _texts(value)
    return parts if parts is not None and {*parts} <= {*READABLE} else None


_TEXTS = Value("a text or a list of texts", _texts)
_MODEL: Model = {
    **dict.fromkeys(("name", "description", "baseline", "group"), line()),
    "scheme": Value(f"one of {', '.join(NAMED)}, or the prefix of CURIEs such as HP", _scheme),
    "files": dict.fromkeys(OF_A_STUDY, _TEXTS),
    "systems": Each(
        {**dict.fromkeys(OF_A_SYSTEM, line()), "reads": Value(f"a list of {', '.join(READABLE)}", _readable)}
    ),
    "graph": {"sources": _TEXTS, "rela": _TEXTS},
    "concept_vectors": Each({"metric": one_of(METRICS)}),
}


@dataclass(frozen=True, slots=True)
class StudyToml:
    """What ``study.toml`` says, all of it optional. Kinds missing from ``files`` are found by convention.

    ``systems``: {name: {kind: file}}, None where the folders say which there are. ``vector_metrics``: how
    vectors of concepts are compared, by their name; the rest by the cosine. ``looks``: by system.
    """

    name: str = ""
    description: str = ""
    baseline: str = ""
    group: str = ""
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    systems: Mapping[str, Mapping[str, str]] | None = None
    graph_sources: tuple[str, ...] | None = None
    graph_rela: tuple[str, ...] | None = None
    scheme: str | None = None
    vector_metrics: Mapping[str, str] = field(default_factory=dict)
    looks: Mapping[str, SystemLook] = field(default_factory=dict)


@reader(lambda _: StudyToml())
def parse_study_toml(data: bytes, problems: Problems) -> StudyToml:
    """Read a ``study.toml``; unknown keys are warnings, values of the wrong kind errors and left out.

    A file that is no TOML, nested too deeply or too large is an error, and nothing of it is used.
    """
    way_out = "Correct it; until then, parts of the study are recognised by their file names."
    top, content = read_toml(data, problems, way_out=way_out, may_be_empty=True)
    if top is None:
        return StudyToml()
    values = read_values(top, _MODEL, content, problems, remedy="It is ignored.", unknown="warning")
    systems = values.get("systems", {})
    # Tables that only say how systems are shown leave it to the folders which systems there are.
    by_table = "systems" in values and (
        not top["systems"] or any({*table} & {*OF_A_SYSTEM} for table in systems.values())
    )
    plain: dict[str, Any] = {key: value for key, value in values.items() if isinstance(value, str) and value}
    graph = values.get("graph", {})
    files = {
        name: {kind: table[kind] for kind in OF_A_SYSTEM if table.get(kind)}
        for name, table in systems.items()
    }
    return StudyToml(
        **plain,
        files=values.get("files", {}),
        systems=files if by_table else None,
        graph_sources=graph.get("sources"),
        graph_rela=graph.get("rela"),
        vector_metrics={
            name: table["metric"] for name, table in values.get("concept_vectors", {}).items() if table
        },
        looks={name: SystemLook(reads=table["reads"]) for name, table in systems.items() if "reads" in table},
    )
