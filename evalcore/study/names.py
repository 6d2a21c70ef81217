"""Names of concepts: one table of those in ``cui,name`` tables, the UMLS file ``MRCONSO.RRF`` and ontologies.

The name that a study shows for a concept is the best of these; search and finding concepts in texts go by all
of them, synonyms too and in every language.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.graphs.edges import NAMES, in_other_texts, is_id
from evalcore.study.graphs.obo import is_obo, read_obo, report_unsupported
from evalcore.study.graphs.rrf import MRCONSO, Source, is_rrf, read_rrf
from evalcore.study.tables.files import unpack
from evalcore.study.tables.frames import Frame
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import Column, Schema
from evalcore.values.arrays import Ints
from evalcore.values.concept_scheme import UMLS
from evalcore.values.writing import words

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


def is_english(language: str) -> bool:
    """Whether a name may be shown as an English one: it is, or nobody says.

    >>> [is_english(language) for language in ("", "en", "en-gb", "de")]
    [True, True, True, False]
    """
    return language.split("-")[0] in ("", "en")


@dataclass(frozen=True, slots=True, eq=False)
class NameRows:
    """The rows of `NAMES` in a file, and of which kind it is: "csv", "MRCONSO" or a format of ontologies."""

    table: pa.Table
    format: str

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)

    @property
    def names(self) -> dict[str, str]:
        """The best name of each concept, by concept."""
        best = self.table.take(_best(self.table))
        return dict(sorted(zip(best["concept"].to_pylist(), best["text"].to_pylist(), strict=True)))


@reader(lambda _: NameRows(NAMES.empty_table(), "csv"))
def parse_names(
    source: Source | Frame,
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
    if isinstance(source, Frame):
        return NameRows(_of_table(source, problems), "csv")
    plain = unpack(source, problems) if isinstance(source, bytes) else source
    if plain is None or (isinstance(plain, bytes) and report_unsupported(plain, problems)):
        return NameRows(NAMES.empty_table(), "csv")
    if is_rrf(plain, MRCONSO):
        table = _of_mrconso(plain, problems, every=bool(every), wanted=wanted)
        return NameRows(table, MRCONSO)
    assert isinstance(plain, bytes), "every stream is MRCONSO"
    if is_obo(plain):
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
        preferred = pc.equal(pc.bit_wise_and(rank, 7), 0)
        columns = [block["CUI"], block["STR"], block["SAB"], in_other_texts(block["LAT"], language_of)]
        rows = pa.table([*columns, preferred, rank], schema=NAMES)
        shown = pc.equal(pc.bit_wise_and(rank, 8), 0)
        return rows.filter(shown) if every else rows.take(_best(rows))

    columns = ("CUI", "STR", "SAB", *weights)
    blocks = read_rrf(source, MRCONSO, columns, problems, keep)
    rows = pa.concat_tables(blocks) if blocks else NAMES.empty_table()
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


def _of_table(data: bytes | Frame, problems: Problems) -> pa.Table:
    """Names of a ``cui,name[,source][,lang]`` table; the first English one of a concept is preferred."""
    rows = read(data, NAME_TABLE, problems)
    of_texts = {text: language_of(text) for text in {*rows.texts("lang")}}
    languages = [of_texts[text] for text in rows.texts("lang")]
    rank = [0 if is_english(language) else 1 for language in languages]
    texts = rows.texts("cui"), rows.texts("name"), rows.texts("source"), languages
    table = _cleaned(pa.table([*texts, [not place for place in rank], rank], schema=NAMES))
    first = np.zeros(table.num_rows, np.bool_)
    first[_best(table)] = True
    return table.set_column(4, "preferred", pc.and_(table["preferred"], pa.array(first)))
