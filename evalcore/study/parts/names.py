"""Names of concepts: one table of those in ``cui,name`` tables, the UMLS file ``MRCONSO.RRF`` and ontologies.
And which kind each concept has: from ``kinds.csv``, or MRSTY.

The name that a study shows for a concept is the best of these; search and finding concepts in texts go by all
of them, synonyms too and in every language.

``concept_kinds.csv`` has the semantic types of the UMLS and the words of other files, each with the kind that
it means here. Numbers (TUI) and names are those of the UMLS Semantic Network (U.S. National Library of
Medicine), 127 types; the kinds are this program's. Anatomy, findings and devices follow the network's groups
of anatomy, disorders and devices, with laboratory results among the findings. A diagnostic procedure is a
modality, as an imaging study is one; a spatial concept a plane, as views, planes and sides are.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph
from evalcore.study.graphs.edges import NAMES, in_other_texts, is_id
from evalcore.study.graphs.obo import is_obo, read_obo, report_unsupported
from evalcore.study.graphs.rrf import LINE, MRCONSO, MRSTY, Source, is_rrf, read_rrf
from evalcore.study.parts.kind import Files, Opening, PartKind
from evalcore.study.tables.files import packed, reader, unpack
from evalcore.study.tables.frames import items
from evalcore.study.tables.ids import report_other_concepts
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, quoted
from evalcore.study.tables.schema import Column, Sample, Schema
from evalcore.study.tables.tables import named
from evalcore.values.arrays import Ints
from evalcore.values.bundled import bundled
from evalcore.values.concept_scheme import UMLS, WORDNET, as_written, own_name
from evalcore.values.concept_values import KINDS, UNKNOWN, ConceptKinds
from evalcore.values.model import Study
from evalcore.values.writing import pluralize, words

# Languages of names: BCP 47 from what terminologies write (LAT of the UMLS, ISO 639-2).

_TWO = dict(
    word.split()
    for word in words(
        """
        ara ar, baq eu, eus eu, chi zh, zho zh, cze cs, ces cs, dan da, dut nl, nld nl, eng en, est et,
        fin fi, fre fr, fra fr, ger de, deu de, gre el, ell el, heb he, hun hu, ita it, jpn ja, kor ko,
        lav lv, lit lt, nor no, pol pl, por pt, rum ro, ron ro, rus ru, scr hr, hrv hr, slk sk, slo sk,
        slv sl, spa es, swe sv, tur tr, ukr uk
        """
    )
)
_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8})*")


def language_of(text: str) -> str:
    """The language a cell names, "" for one that names none.

    >>> [language_of(text) for text in ("ENG", "GER", "de_AT", "EN", "", "T047", "yes!")]
    ['en', 'de', 'de-at', 'en', '', '', '']
    """
    tag = text.strip().lower().replace("_", "-")
    if not _TAG.fullmatch(tag):
        return ""
    first, dash, rest = tag.partition("-")
    return _TWO.get(first, first) + dash + rest


class Name(NamedTuple):
    """A name of a concept. ``source``: the vocabulary it is from, ``language``: as BCP 47 ("en", "de"), both
    "" where nobody says."""

    concept: str
    text: str
    source: str = ""
    language: str = ""


@dataclass(frozen=True, eq=False)
class NameRows:
    """The rows of `NAMES` in a file, and of which kind it is: "csv", "MRCONSO" or a format of ontologies."""

    table: pa.Table
    format: str

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def names(self) -> dict[str, str]:
        """The best name of each concept, by concept."""
        best = self.table.take(_best(self.table))
        return dict(sorted(zip(best["concept"].to_pylist(), best["text"].to_pylist(), strict=True)))


@reader(lambda _: NameRows(NAMES.empty_table(), "csv"))
def parse_names(
    source: Source | pa.Table,
    problems: Problems,
    *,
    scheme: str | None = None,
    every: bool | None = None,
    wanted: Collection[str] | None = None,
) -> NameRows:
    """The names in a file of any kind, recognised from its content; a stream is MRCONSO.

    Parameters
    ----------
    scheme : of the study: concepts of an ontology are known by the ids they have in its graph.
    every : of MRCONSO all names that are not suppressed, in every language; else the best of each concept.
    wanted : of MRCONSO the names of these concepts only, of all when None.
    """
    plain = unpack(source, problems)
    if isinstance(plain, bytes) and report_unsupported(plain, problems):
        return NameRows(NAMES.empty_table(), "csv")
    if is_rrf(plain, MRCONSO):
        return NameRows(_of_mrconso(plain, problems, every=bool(every), wanted=wanted), MRCONSO)
    if isinstance(plain, bytes) and is_obo(plain):
        edges = read_obo(plain, problems, scheme=scheme or UMLS)
        return NameRows(NAMES.empty_table() if edges.names is None else edges.names, edges.format)
    return NameRows(_of_table(plain, problems), "csv")


def _of_mrconso(
    source: Source, problems: Problems, *, every: bool, wanted: Collection[str] | None
) -> pa.Table:
    """Names of MRCONSO.

    The best name of a concept is, in this order: English (LAT=ENG), not suppressed, preferred term of the
    concept (TS=P), preferred form of the term (STT=PF), preferred atom (ISPREF=Y), first in the file. A CUI
    without English name gets a name in another language. Source: UMLS Reference Manual, MRCONSO.
    """
    weights = {"LAT": (16, "ENG"), "SUPPRESS": (8, "N"), "TS": (4, "P"), "STT": (2, "PF"), "ISPREF": (1, "Y")}
    concepts = None if wanted is None else pa.array(sorted(wanted), pa.string())

    def keep(block: pa.Table) -> pa.Table:
        if concepts is not None:
            block = block.filter(pc.is_in(block["CUI"], concepts))
        rank: Any = pa.scalar(0, pa.int64())
        for column, (weight, good) in weights.items():
            accepted = pa.array([good, ""] if column == "SUPPRESS" else [good])
            rank = pc.add(rank, pc.if_else(pc.is_in(block[column], accepted), 0, weight))
        columns = [block["CUI"], block["STR"], block["SAB"], in_other_texts(block["LAT"], language_of)]
        rows = pa.table([*columns, rank], schema=NAMES)
        shown = pc.equal(pc.bit_wise_and(rank, 8), 0)
        return rows.filter(shown) if every else rows.take(_best(rows))

    columns = ("CUI", "STR", "SAB", *weights)
    rows = read_rrf(source, MRCONSO, columns, problems, keep) or NAMES.empty_table()
    return _cleaned(rows if every else rows.take(_best(rows)))


def _best(rows: pa.Table) -> Ints:
    """The row of each concept that has the lowest rank, of equal ones the first; never one without a rank."""
    usable = np.flatnonzero(pc.and_(pc.is_valid(rows["rank"]), pc.not_equal(rows["text"], "")))
    some = rows.select(["concept", "rank"]).take(usable)
    n = max(len(usable), 1)
    order = some["rank"].to_numpy() * n + np.arange(len(usable))
    firsts = (
        pa.table({"concept": some["concept"], "order": order})
        .group_by("concept")
        .aggregate([("order", "min")])
    )
    return np.sort(usable[firsts["order_min"].to_numpy() % n])


def _cleaned(rows: pa.Table) -> pa.Table:
    """The rows that name something, spaces in names collapsed."""
    texts = [" ".join(text.split()) for text in rows["text"].to_pylist()]
    rows = rows.set_column(1, "text", pa.array(texts, pa.string()))
    return rows.filter(pc.not_equal(rows["text"], ""))


NAME_TABLE = Schema(
    (
        Column(words("cui, cuis, concept, concept_id, concept_cui, id")),
        Column(
            words(
                """
                name, label, str, term, title, preferred_name, preferred name, canonical_name, canonical name,
                concept_name, cui_name, description
                """
            ),
            empty=None,
        ),
        Column(
            words("source, sab, vocabulary, ontology, terminology"), required=False, empty=None, coded=True
        ),
        Column(words("lang, language, lat, locale"), required=False, empty=None, coded=True),
    ),
    remedy="Let the first row be: cui,name.",
    header="optional",
    positional=lambda cells: is_id(cells[0]),
    row_bytes=200,
)


def _of_table(data: bytes | pa.Table, problems: Problems) -> pa.Table:
    """Names of a ``cui,name[,source][,lang]`` table; the first English one of a concept, or one
    of no language, is its best."""
    rows = read(data, NAME_TABLE, problems)
    of_texts = {text: language_of(text) for text in {*rows.texts("lang")}}
    languages = [of_texts[text] for text in rows.texts("lang")]
    rank = [int(language.partition("-")[0] not in ("", "en")) for language in languages]
    columns = rows.texts("cui"), rows.texts("name"), rows.texts("source"), languages, rank
    return _cleaned(pa.table(list(columns), schema=NAMES))


_KNOWN = [*csv.DictReader(bundled("evalcore.study", "concept_kinds.csv").splitlines())]
KIND_OF_TYPE: Mapping[str, str] = {row["tui"]: row["kind"] for row in _KNOWN if row["tui"]}
"""By the number (TUI) of a semantic type."""
_OF_WORD = {
    **{kind: kind for kind in (*KINDS, UNKNOWN)},
    **{row[name].lower(): row["kind"] for row in _KNOWN for name in ("word", "tui")},
}
KIND_NAMES = words(
    """
    kind, concept_kind, group, semantic_group, semantic group, category, semantic_type, semantic type, sty,
    tui
    """
)
"""Header names of a column of kinds, lower case."""


def kind_of_word(word: str) -> str | None:
    """One of our kinds, or `UNKNOWN`; None for a word that means none of them.

    The names and numbers of UMLS semantic types are words too.

    >>> kind_of_word("Disease"), kind_of_word("body_region"), kind_of_word("T060"), kind_of_word("colour")
    ('finding', 'anatomy', 'modality', None)
    """
    plain = " ".join(word.lower().replace("_", " ").split())
    return _OF_WORD.get(plain) if plain else None


KIND_TABLE = Schema(
    (NAME_TABLE.columns[0], Column(KIND_NAMES, empty=None)),
    remedy="Let the first row be: cui,kind.",
    header="optional",
    positional=lambda cells: any(map(str.isdigit, cells[0])) and kind_of_word(cells[1]) is not None,
)


@dataclass(frozen=True, slots=True, eq=False)
class KindRows:
    """Kinds by concept; ``format``: "csv" or "MRSTY".

    ``concepts``: those that the file is about, with their lines; of MRSTY the first, and those wanted.
    """

    kinds: Mapping[str, str]
    concepts: Mapping[str, int]
    format: str

    @property
    def rows(self) -> int:
        return len(self.kinds)


@reader(lambda _: KindRows({}, {}, "csv"))
def parse_kinds(
    source: Source | pa.Table, problems: Problems, *, wanted: Collection[str] | None = None
) -> KindRows:
    """The kinds in a table ``cui,kind`` or in MRSTY, recognised from its content; a stream is MRSTY.

    ``wanted``: of MRSTY the kinds of these concepts only, of all when None.
    """
    plain = unpack(source, problems)
    if is_rrf(plain, MRSTY):
        return _of_mrsty(plain, problems, wanted)
    return _kinds_of_table(plain, problems)


def _kinds_of_table(data: bytes | pa.Table, problems: Problems) -> KindRows:
    """The kinds in a table, header optional, further columns ignored, by the words of `kind_of_word`.

    A word that means no kind and a concept with two kinds are errors, and left out (of two kinds the first
    stays); a repeated row is a warning. ``unknown`` and empty cells say nothing.
    """
    rows = read(data, KIND_TABLE, problems)
    kinds: dict[str, str] = {}
    lines: dict[str, int] = {}
    columns = rows.texts("cui"), rows.texts("kind"), rows.lines.tolist()
    for written, word, line in zip(*columns, strict=True):
        concept, kind = as_written(written), kind_of_word(word) if word else UNKNOWN
        first = kinds.get(concept)
        if kind is None:
            remedy = f"Write one of {', '.join(KINDS)}."
            message = f"{quoted(word)} is no kind of concept; the row is left out."
            problems.error("unknown-kind", message, remedy, line=line, value=word)
        elif kind == UNKNOWN:
            lines.setdefault(concept, line)
        elif first is None:
            kinds[concept], lines[concept] = kind, line
        elif first == kind:
            message = f"{concept} is already on line {lines[concept]}."
            problems.warning("repeated-row", message, "Remove the row.", line=line, value=concept)
        else:
            message = f"{concept} is {first} on line {lines[concept]} and {kind} here; {first} counts."
            problems.error("two-kinds", message, "Keep one of the two rows.", line=line, value=concept)
    return KindRows(kinds, lines, "csv")


FIRST = ("finding", "device", "modality", "plane", "anatomy", "other")
"""Of a concept with types of several kinds the first of these: what an image is looked at for."""


def _of_mrsty(source: Source, problems: Problems, wanted: Collection[str] | None) -> KindRows:
    """The kinds by the semantic types in MRSTY.

    A type that is not in `KIND_OF_TYPE` is counted as a warning and says nothing.
    Source: UMLS Reference Manual, MRSTY.
    """
    concepts = None if wanted is None else pa.array(sorted(wanted), pa.string())
    top = list[pa.Table]()

    def keep(block: pa.Table) -> pa.Table:
        top.append(block[: not top])
        return block if concepts is None else block.filter(pc.is_in(block["CUI"], concepts))

    rows = read_rrf(source, MRSTY, ("CUI", "TUI"), problems, keep)
    if rows is None:
        return KindRows({}, {}, MRSTY)
    ranks = pa.array(map(FIRST.index, KIND_OF_TYPE.values()))
    ranked = ranks.take(pc.index_in(rows["TUI"], pa.array(KIND_OF_TYPE)))
    strange = rows.filter(pc.is_null(ranked)).group_by("TUI").aggregate([(LINE, "count"), (LINE, "min")])
    for tui, n, line in sorted(zip(*strange.to_pydict().values(), strict=True)):
        message = f"The semantic type {tui} of {pluralize(n, 'concept')} is unknown."
        remedy = "Give these concepts a kind in kinds.csv."
        problems.warning("unknown-type", message, remedy, line=line, value=tui, count=n)
    lines = pa.concat_tables([*top, rows]).group_by("CUI").aggregate([(LINE, "min")])
    best = rows.append_column("rank", ranked).group_by("CUI").aggregate([("rank", "min")])
    ranked_first = zip(*best.to_pydict().values(), strict=True)
    kinds = {cui: FIRST[rank] for cui, rank in sorted(ranked_first) if rank is not None}
    return KindRows(kinds, dict(zip(*lines.to_pydict().values(), strict=True)), MRSTY)


# As parts of a study.


def _bind_names(rows: NameRows, problems: Problems, opening: Opening) -> Mapping[str, str] | None:
    """All names; None, with an error, where none is of a concept of the images or of the graph."""
    names, concepts = rows.names, opening.concepts
    if names and concepts.vocabulary and not any(map(opening.knows, names)):
        what = "The file of names"
        report_other_concepts(problems, "unknown-concept", concepts, list(names), what, opening.scheme)
        return None
    return names


def _bind_kinds(rows: KindRows, problems: Problems, opening: Opening) -> Mapping[str, str] | None:
    """The kinds in a file; None, with an error, when neither an image nor the graph has any of its concepts.

    Those of a table that nobody has are counted: most likely a slip of the pen.
    """
    known, ids = opening.knows, list(rows.concepts)
    if opening.concepts.vocabulary and ids and not any(map(known, ids)):
        what = "The file of kinds"
        report_other_concepts(problems, "unknown-concept", opening.concepts, ids, what, opening.scheme)
        return None
    strange = [concept for concept in rows.kinds if not known(concept)] if rows.format == "csv" else []
    message = f"{{n}} of {len(rows.kinds):,} concepts are on no image and not in the graph."
    remedy = "Check how they are written; their rows have no effect."
    lines = [rows.concepts[concept] for concept in strange]
    problems.add_summary("unknown-concept", strange, message, remedy, lines=lines)
    return rows.kinds


def _read_names(opening: Opening) -> Mapping[str, str]:
    """Names by concept: of the files of names, then the labels of ontologies, then the words of synsets.

    Where files of names disagree the first one counts. One that names no concept of the images or of the
    graph is an error, and left out.
    """
    names: dict[str, str] = {}
    for path in opening.layout.files["names"]:
        rows = opening.read("names", path)
        of_file = opening.bind("names", rows, opening.layout.name_of(path))
        listed = rows.names if of_file is None and rows is not None else of_file or {}
        opening.parts["names", path] = replace(opening.parts["names", path], rows=len(listed))
        names = {**(of_file or {}), **names}
    for table in opening.graph_names:
        labels = table.filter(pc.is_valid(table["rank"]))
        for concept, text in zip(labels["concept"].to_pylist(), labels["text"].to_pylist(), strict=True):
            names.setdefault(concept, text)
    if opening.scheme == WORDNET:
        graph: ConceptGraph | None = opening.values["graph"]
        known = {*opening.concepts.vocabulary, *(graph.cuis if graph is not None else ())}
        names |= {concept: name for concept in known - names.keys() if (name := own_name(concept))}
    return dict(sorted(names.items()))


def _read_kinds(opening: Opening) -> ConceptKinds | None:
    """The kind of each concept on the images, from everything the study says; None where nothing says any.

    ``kinds.csv`` counts more than MRSTY: five rows can correct what a terminology says of a million.
    """
    wanted, paths = frozenset(opening.concepts.vocabulary), opening.layout.files["concept_kinds"]
    read = [(opening.read("concept_kinds", path, wanted=wanted), path) for path in paths]
    of_concepts: dict[str, str] = {}
    used: list[str] = []
    for rows, path in sorted(read, key=lambda item: item[0] is not None and item[0].format == MRSTY):
        file = opening.layout.name_of(path)
        kinds = opening.bind("concept_kinds", rows, file) or {}
        new = {cui: kind for cui, kind in kinds.items() if cui in wanted and cui not in of_concepts}
        of_concepts |= new
        used += [file] if new else []
    return ConceptKinds.of_concepts(of_concepts, ", ".join(used)) if of_concepts else None


def _write_names(study: Study) -> Files:
    if study.names:
        yield "names.csv", (("cui", "name"), study.names.items())


def _write_kinds(study: Study) -> Files:
    if study.kinds is not None:
        yield "kinds.csv", (("cui", "kind"), study.kinds.kind_by_cui.items())


def _is_about_concepts(sample: Sample) -> bool:
    """Whether a table that seems to name or sort concepts is not one of the concepts of images."""
    at = named(sample.header, NAME_TABLE.columns[0].names)
    return at is not None and sample.has_concepts(at) and sample.header[0] not in ("name", "file", "image")


PARTS = (
    PartKind(
        "names",
        "Concept names",
        (("names.csv", "names.tsv", "names.csv.gz"), packed("mrconso.rrf", "graph/mrconso.rrf")),
        many=True,
        parse=parse_names,
        bind=_bind_names,
        study_field="names",
        read=_read_names,
        of_object=lambda value, _problems: (("cui", "name"), items(value)),
        accepted="Give {concept: name}, or a DataFrame with the columns cui and name.",
        write=_write_names,
        kept_as=lambda _name, _data, rows: "MRCONSO.RRF" if rows.format == "MRCONSO" else "names.csv",
        expected="Rows cui,name (CSV), or MRCONSO.RRF.",
        adds="concepts in words",
        schemas=(NAME_TABLE,),
        has_content=_is_about_concepts,
        has_shape=lambda sample: (
            sample.width > 1 and sample.has_concepts(0) and not sample.has_concepts(1) and not sample.has_ids
        ),
        contents=lambda rows: pluralize(rows.rows, "name"),
    ),
    PartKind(
        "concept_kinds",
        "Kinds of concepts",
        (("kinds.csv", "kinds.tsv", "kinds.csv.gz", *packed("mrsty.rrf", "graph/mrsty.rrf")),),
        many=True,
        parse=parse_kinds,
        bind=_bind_kinds,
        study_field="kinds",
        read=_read_kinds,
        of_object=lambda value, _problems: (("cui", "kind"), items(value)),
        accepted="Give {concept: kind}, or a DataFrame with the columns cui and kind.",
        write=_write_kinds,
        kept_as=lambda _name, _data, rows: "MRSTY.RRF" if rows.format == "MRSTY" else "kinds.csv",
        expected="Rows such as C0032227,finding under the header cui,kind, or MRSTY.RRF.",
        schemas=(KIND_TABLE,),
        has_content=_is_about_concepts,
        contents=lambda rows: pluralize(rows.rows, "concept"),
    ),
)
