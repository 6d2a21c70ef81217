"""Names of concepts: from ``cui,name`` tables or the UMLS file ``MRCONSO.RRF``, the preferred name first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.graphs.ontology import report_unread
from evalcore.study.graphs.rrf import DAMAGED, as_utf8, is_rrf, read_rrf_or, report_damaged, rrf_blocks
from evalcore.study.tables.columns import read_columns
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.workspace.file_names import named_below
from evalcore.values.errors import Report
from evalcore.values.model import Part
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
ENGLISH = "en"


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
    return language.split("-")[0] in ("", ENGLISH)


SYNONYMS: Mapping[str, frozenset[str]] = {
    "cui": frozenset(("cui", "cuis", "concept", "concept_id", "concept_cui", "id")),
    "name": frozenset(
        words(
            """
            name, label, str, term, title, preferred_name, preferred name, canonical_name, canonical name,
            concept_name, cui_name, description
            """
        )
    ),
    "source": frozenset(("source", "sab", "vocabulary", "ontology", "terminology")),
    "lang": frozenset(("lang", "language", "lat", "locale")),
}
MRCONSO = words(
    """
    CUI, LAT, TS, LUI, STT, SUI, ISPREF, AUI, SAUI, SCUI, SDUI, SAB, TTY, CODE, STR, SRL, SUPPRESS, CVF
    """
)
ROW_BYTES = 200
"""What a name takes in memory beside its text."""
_PREFERRED = {
    "LAT": (16, ("ENG",)),
    "SUPPRESS": (8, ("N", "")),
    "TS": (4, ("P",)),
    "STT": (2, ("PF",)),
    "ISPREF": (1, ("Y",)),
}


@dataclass(frozen=True, slots=True)
class NameRows:
    """Names by CUI, and which kind of file they come from: "csv" or "MRCONSO"."""

    names: Mapping[str, str]
    format: str

    @property
    def rows(self) -> int:
        return len(self.names)


@reader(lambda _: {})
def parse_names(data: bytes, *, file: str) -> tuple[dict[str, str], Report]:
    """Read ``cui,name`` (comma, TAB or semicolon; header optional; a column ``lang`` where there is one).

    Returns {cui: its first name, spaces collapsed}, of those that say their language the first English one.
    A row without CUI is an error and left out; a row without name says nothing; further names of a CUI are
    alternatives.
    """
    problems = Problems(file)
    columns = read_columns(data, problems, synonyms=SYNONYMS, required=("cui", "name"), ids=("cui",))
    if columns is None or not fits(problems, len(columns["cui"]), ROW_BYTES):
        return {}, problems.report()
    pairs = list(zip(columns["cui"].to_pylist(), columns["name"].to_pylist(), strict=True))
    first = {cui: name for cui, name in reversed(pairs) if name}  # backwards: the first one stays
    if "lang" in columns:
        english = [is_english(language_of(text)) for text in columns["lang"].to_pylist()]
        shown = zip(reversed(pairs), reversed(english), strict=True)
        first |= {cui: name for (cui, name), known in shown if name and known}
    return {cui: " ".join(first[cui].split()) for cui in sorted(first)}, problems.report()


@reader(lambda _: {})
def parse_mrconso(data: bytes | IO[bytes], *, file: str) -> tuple[dict[str, str], Report]:
    """Read the preferred name of each CUI from MRCONSO, block by block.

    Preferred is, in this order: English (LAT=ENG), not suppressed, preferred term of the concept
    (TS=P), preferred form of the term (STT=PF), preferred atom (ISPREF=Y), first in the file. A CUI
    without English name gets a name in another language.
    Source: UMLS Reference Manual, MRCONSO.
    """
    problems = Problems(file)
    best: dict[str, tuple[int, str]] = {}
    try:
        for block in rrf_blocks(data, MRCONSO, ("CUI", "STR", *_PREFERRED), problems):
            for cui, rank, name in _best_of_block(block):
                if cui not in best or rank < best[cui][0]:
                    best[cui] = (rank, name)
    except DAMAGED as reason:
        report_damaged(problems, reason, "MRCONSO")
        return {}, problems.report()
    return {cui: " ".join(as_utf8(best[cui][1]).split()) for cui in sorted(best)}, problems.report()


def parse_name_file(data: bytes, *, file: str) -> tuple[NameRows, Report]:
    """Names from either kind of file, recognised from its content."""
    problems = Problems(file)
    plain = unpack(data, problems) or b""
    if report_unread(plain, problems):
        return NameRows({}, "csv"), problems.report()
    if is_rrf(plain, MRCONSO):
        return _mrconso(plain, file=file)
    names, report = parse_names(data, file=file)
    return NameRows(names, "csv"), report


def _mrconso(data: bytes | IO[bytes], *, file: str) -> tuple[NameRows, Report]:
    names, report = parse_mrconso(data, file=file)
    return NameRows(names, "MRCONSO"), report


def read_names(paths: Sequence[Path], *, root: Path) -> tuple[Mapping[str, str], Report, list[Part]]:
    """Names from several files; where files disagree the first one named wins.

    ``root`` the study folder, for the names in messages.
    """
    names: dict[str, str] = {}
    reports, parts = Report(), []
    for path in paths:
        file = named_below(path, root)
        read, report = read_rrf_or(
            path, file, "MRCONSO", rrf=_mrconso, other=parse_name_file, nothing=partial(NameRows, {})
        )
        for cui, name in read.names.items():
            names.setdefault(cui, name)
        reports += report
        parts.append(Part("names", file, read.format, read.rows, bool(read.rows)))
    return names, reports, parts


def _best_of_block(block: pa.Table) -> zip[tuple[str, int, str]]:
    """The best row of each CUI of a block: (cui, rank, name), lower rank is better."""
    rank: Any = pa.scalar(0, pa.int64())
    for column, (weight, good) in _PREFERRED.items():
        rank = pc.add(rank, pc.if_else(pc.is_in(block[column], pa.array(good)), 0, weight))
    n = max(block.num_rows, 1)
    order = pc.add(pc.multiply(rank, n), pa.array(np.arange(block.num_rows)))  # of equal rank the first row
    best = pa.table({"cui": block["CUI"], "order": order}).group_by("cui").aggregate([("order", "min")])
    ranks, rows = np.divmod(best["order_min"].to_numpy(), n)
    names = block["STR"].take(pa.array(rows))
    return zip(best["cui"].to_pylist(), ranks.tolist(), names.to_pylist(), strict=True)
