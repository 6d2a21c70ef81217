"""Mappings between vocabularies: SSSOM tables (``*.sssom.tsv``), whose exact matches count, or ``from,to``.

An exact match holds both ways, and so does a row ``from,to``. `translated` says what identifiers are in the
one scheme of a study, which is known only where there is exactly one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evalcore.study.tables.load import header_of, read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import Column, Schema
from evalcore.values.concept_scheme import CURIE, IDS, belongs, in_words
from evalcore.values.errors import Report

_REMEDY = "Give an SSSOM table, or rows under the header from,to."
FROM_TO = Schema(
    (Column(("from", "source")), Column(("to", "target"))), remedy=_REMEDY, comment="#", row_bytes=500
)
SSSOM = Schema(
    (
        Column(("subject_id",)),
        Column(("object_id",)),
        Column(("predicate_id",), empty=None),
        Column(("predicate_modifier",), required=False, empty=None),
    ),
    remedy=_REMEDY,
    comment="#",
    row_bytes=500,
)
_EXACT = ("skos:exactMatch", "http://www.w3.org/2004/02/skos/core#exactMatch")
_CUI = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):(C[0-9]{7})\Z", re.IGNORECASE)
_NOTHING = "sssom:NoTermFound"


@dataclass(frozen=True, slots=True, eq=False)
class MappingRows:
    """Pairs of identifiers that mean the same, as a file lists them."""

    pairs: tuple[tuple[str, str], ...]
    format: str
    file: str

    @property
    def rows(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """{identifier: what it is the same as}, both ways, each once; ``file``: of the first of the rows."""

    forward: Mapping[str, Mapping[str, None]]
    backward: Mapping[str, Mapping[str, None]]
    file: str


@dataclass(frozen=True, slots=True, eq=False)
class Translated:
    """``ids`` maps the identifiers that have exactly one other in the scheme; the rest is counted.

    ``ambiguous`` have several, ``lost`` none; both in the order they were asked about.
    """

    ids: Mapping[str, str]
    ambiguous: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@reader(lambda file: MappingRows((), "csv", file))
def parse_mapping(data: bytes, *, file: str) -> tuple[MappingRows, Report]:
    """Read a mapping; lines that begin with # are skipped (SSSOM has them above the header).

    Rows without one of both identifiers are errors and left out; matches that are not exact, and those that a
    row denies, are counted in a remark.
    """
    problems = Problems(file)
    schema = SSSOM if "subject_id" in header_of(data, SSSOM) else FROM_TO
    rows = read(data, schema, problems)
    pairs: list[tuple[str, str]] = []
    others: list[tuple[str, int]] = []
    ids = (map(_identifier, rows.texts(column.name)) for column in schema.columns[:2])
    predicates, modifiers = rows.texts("predicate_id"), rows.texts("predicate_modifier")
    for source, other, predicate, modifier, line in zip(*ids, predicates, modifiers, rows.lines, strict=True):
        if schema is SSSOM and (modifier or predicate not in _EXACT):
            others.append((f"{modifier} {predicate}".strip() or "none", int(line)))
        elif _NOTHING not in (source, other) and source != other:
            pairs.append((source, other))
    if others:
        kinds = Counter(name for name, _ in others).most_common(5)
        message = (
            f"{{n}} rows are no exact matches ({', '.join(f'{name} {n:,}' for name, n in kinds)}); "
            "they are not used."
        )
        problems.add_summary("not-exact", len(others), message, "", lines=[others[0][1]])
    if rows.header and not pairs:
        problems.error(
            "no-mappings", "No row of the file can be used.", "Give rows with exact matches.", line=1
        )
    return MappingRows(tuple(pairs), "SSSOM" if schema is SSSOM else "csv", file), problems.report()


def joined(several: Iterable[MappingRows]) -> Matches | None:
    """All mappings of a study as one; None without any row."""
    files = [rows for rows in several if rows.rows]
    forward: dict[str, dict[str, None]] = {}
    backward: dict[str, dict[str, None]] = {}
    for source, other in (pair for rows in files for pair in rows.pairs):
        forward.setdefault(source, {})[other] = None
        backward.setdefault(other, {})[source] = None
    return Matches(forward, backward, files[0].file) if files else None


def translated(identifiers: Iterable[str], matches: Matches, scheme: str) -> Translated:
    """What identifiers that are not of a scheme are in it, each once.

    In a study of several vocabularies' CURIEs, or of any ids, only what stands under ``from`` is translated.
    """
    several = scheme in (CURIE, IDS)
    ids: dict[str, str] = {}
    ambiguous, lost = list[str](), list[str]()
    for name in dict.fromkeys(identifiers):
        if belongs(name, scheme) and (not several or name not in matches.forward):
            continue
        targets = {**matches.forward.get(name, {}), **({} if several else matches.backward.get(name, {}))}
        own = [target for target in targets if belongs(target, scheme)]
        if len(own) == 1:
            ids[name] = own[0]
        else:
            (ambiguous if own else lost).append(name)
    return Translated(ids, tuple(ambiguous), tuple(lost))


def report_translated(problems: Problems, done: Translated, what: str, scheme: str, then: str) -> None:
    """How many identifiers of a part were mapped, ambiguous, lost, and what becomes of the last two."""
    n = len(done.ids) + len(done.ambiguous) + len(done.lost)
    if not n:
        return
    message = (
        f"Of {n:,} other ids in {what}: {len(done.ids):,} mapped to {in_words(scheme)}s, "
        f"{len(done.ambiguous):,} ambiguous, {len(done.lost):,} lost for want of an exact match."
    )
    left = (*done.ambiguous, *done.lost)
    problems.warning("mapped", message, then if left else "", value=left[0] if left else "", count=n)


def _identifier(cell: str) -> str:
    """An identifier as lists of concepts write it: CURIEs for IRIs, CUIs without a prefix."""
    match = _CUI.match(cell)
    return match[1].upper() if match else shorten_iri(cell)


# IRIs of ontologies in the short form of lists of concepts: ``HP:0002088`` for ``.../obo/HP_0002088``.

_IRIS = (
    re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]+)?)_([A-Za-z0-9]+)\Z"),
    re.compile(r"http://purl\.bioontology\.org/ontology/([A-Za-z0-9_-]+)/([^/#]+)\Z"),
)
_PREFIXES = {
    "http://www.radlex.org/RID/": "RADLEX",
    "http://radlex.org/RID/": "RADLEX",
    "http://id.nlm.nih.gov/mesh/": "MESH",
    "http://snomed.info/id/": "SNOMEDCT",
    "http://www.ebi.ac.uk/efo/EFO_": "EFO",
    "http://www.orpha.net/ORDO/Orphanet_": "Orphanet",
    "http://linkedlifedata.com/resource/umls/id/": "UMLS",
}


def shorten_iri(iri: str) -> str:
    """An IRI as a CURIE, by the OBO rules or by what is known of some vocabularies; any other as it is.

    >>> shorten_iri("http://purl.obolibrary.org/obo/HP_0002088"), shorten_iri("http://radlex.org/RID/RID1301")
    ('HP:0002088', 'RADLEX:RID1301')
    >>> shorten_iri("http://x.org/v/lung"), shorten_iri("HP:0002088")
    ('http://x.org/v/lung', 'HP:0002088')
    """
    if not iri.startswith("http"):
        return iri
    match = next((match for pattern in _IRIS if (match := pattern.match(iri))), None)
    if match:
        return f"{match[1]}:{match[2]}"
    start = next((start for start in _PREFIXES if iri.startswith(start)), "")
    local = iri[len(start) :]
    return f"{_PREFIXES[start]}:{local}" if start and local and not {*"/#"} & {*local} else iri
