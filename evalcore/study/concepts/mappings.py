"""Mappings between vocabularies: SSSOM tables (``*.sssom.tsv``), whose exact matches count, or ``from,to``.

An exact match holds both ways, and so does a row ``from,to``. `translated` says what identifiers are in the
one scheme of a study, which is known only where there is exactly one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import dropwhile

from evalcore.study.graphs.obo import short
from evalcore.study.tables import tables
from evalcore.study.tables.lines import decode
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.concept_scheme import CURIE, IDS, belongs, in_words
from evalcore.values.errors import Report

_SSSOM = ("subject_id", "predicate_id", "object_id")
_EXACT = ("skos:exactMatch", "http://www.w3.org/2004/02/skos/core#exactMatch")
FROM, TO = ("from", "source", "subject_id"), ("to", "target", "object_id")
_CUI = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):(C[0-9]{7})\Z", re.IGNORECASE)
_NOTHING = "sssom:NoTermFound"


@dataclass(frozen=True, slots=True, eq=False)
class MappingRows:
    """{identifier: what it is the same as}, both ways, and which rows said so; repeats once."""

    forward: Mapping[str, tuple[str, ...]]
    backward: Mapping[str, tuple[str, ...]]
    format: str
    rows: int
    file: str


@dataclass(frozen=True, slots=True, eq=False)
class Translated:
    """``of`` maps the identifiers that have exactly one other in the scheme; the rest is counted.

    ``ambiguous`` have several, ``lost`` none; both in the order they were asked about.
    """

    of: Mapping[str, str]
    ambiguous: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@reader(lambda file: MappingRows({}, {}, "csv", 0, file))
def parse_mapping(data: bytes, *, file: str) -> tuple[MappingRows, Report]:
    """Read a mapping; lines that begin with # stand above the header (SSSOM) and are skipped.

    Rows without one of both identifiers are errors and left out; matches that are not exact, and those that a
    row denies, are counted in a remark.
    """
    problems = Problems(file)
    text = decode(data, problems) or ""
    body = re.sub(r"\A(?:#[^\n]*\n)+", "", text)
    rows = tables.read_rows(text, problems, delimiter=tables.guess_delimiter(body))
    rows = list(dropwhile(lambda row: row.cells[0].startswith("#"), rows))
    header = [cell.lower() for cell in rows[0].cells] if rows else []
    sssom = set(_SSSOM) <= set(header)
    at_from, at_to = tables.named(header, FROM), tables.named(header, TO)
    if rows and (at_from is None or at_to is None or ("subject_id" in header and not sssom)):
        message = f"The header must name the columns {', '.join(_SSSOM)}, or from and to."
        remedy = "Give an SSSOM table, or rows under the header from,to."
        problems.error("wrong-header", message, remedy, line=rows[0].line, value=rows[0].cells[0])
        rows = []
    forward: dict[str, dict[str, None]] = {}
    backward: dict[str, dict[str, None]] = {}
    others: Counter[str] = Counter()
    used, first_other = 0, 0
    for row in tables.full_rows(rows[1:], problems, len(header)):
        cells = dict(zip(header, row.cells, strict=True))
        source, other = (_identifier(row.cells[at]) for at in (at_from, at_to) if at is not None)
        if not source or not other:
            message = "The row names only one of two identifiers; it is left out."
            problems.error("empty-cell", message, "Fill both cells.", line=row.line, value=source or other)
        elif sssom and _denied(cells):
            first_other = first_other or row.line
            others[_predicate(cells)] += 1
        elif _NOTHING not in (source, other) and source != other:
            forward.setdefault(source, {})[other] = None
            backward.setdefault(other, {})[source] = None
            used += 1
    if others:
        kinds = ", ".join(f"{name} {n:,}" for name, n in others.most_common(5))
        message = f"{{n}} rows are no exact matches ({kinds}); they are not used."
        problems.counted("not-exact", others.total(), message, "", lines=[first_other])
    if rows and not used:
        problems.error(
            "no-mappings", "No row of the file can be used.", "Give rows with exact matches.", line=1
        )
    there, back = ({name: tuple(to) for name, to in mapping.items()} for mapping in (forward, backward))
    return MappingRows(there, back, "SSSOM" if sssom else "csv", used, file), problems.report()


def joined(several: Iterable[MappingRows]) -> MappingRows | None:
    """All mappings of a study as one; None without any row."""
    rows = [rows for rows in several if rows.rows]
    if len(rows) < 2:
        return rows[0] if rows else None
    forward: dict[str, tuple[str, ...]] = {}
    backward: dict[str, tuple[str, ...]] = {}
    for row in rows:
        for into, more in ((forward, row.forward), (backward, row.backward)):
            for name, to in more.items():
                into[name] = tuple(dict.fromkeys((*into.get(name, ()), *to)))
    return MappingRows(forward, backward, "several", sum(row.rows for row in rows), rows[0].file)


def translated(identifiers: Iterable[str], rows: MappingRows, scheme: str) -> Translated:
    """What identifiers that are not of a scheme are in it, each once.

    In a study of several vocabularies' CURIEs, or of any ids, only what stands under ``from`` is translated.
    """
    several = scheme in (CURIE, IDS)
    of: dict[str, str] = {}
    ambiguous, lost = list[str](), list[str]()
    for name in dict.fromkeys(identifiers):
        own = belongs(name, scheme)
        if own and (not several or name not in rows.forward):
            continue
        targets = rows.forward.get(name, ()) + (() if several else rows.backward.get(name, ()))
        to = [fromkey for fromkey in dict.fromkeys(targets) if belongs(fromkey, scheme)]
        if len(to) == 1:
            of[name] = to[0]
        else:
            (ambiguous if to else lost).append(name)
    return Translated(of, tuple(ambiguous), tuple(lost))


def report_translated(problems: Problems, done: Translated, what: str, scheme: str, then: str) -> None:
    """How many identifiers of a part were mapped, ambiguous, lost, and what becomes of the last two."""
    n = len(done.of) + len(done.ambiguous) + len(done.lost)
    if not n:
        return
    message = (
        f"Of {n:,} other ids in {what}: {len(done.of):,} mapped to {in_words(scheme)}s, "
        f"{len(done.ambiguous):,} ambiguous, {len(done.lost):,} lost for want of an exact match."
    )
    left = (*done.ambiguous, *done.lost)
    problems.warning("mapped", message, then if left else "", value=left[0] if left else "", count=n)


def _identifier(cell: str) -> str:
    """An identifier as lists of concepts write it: CURIEs for IRIs, CUIs without a prefix."""
    match = _CUI.match(cell)
    return match[1].upper() if match else short(cell)


def _denied(cells: Mapping[str, str]) -> bool:
    return cells["predicate_id"] not in _EXACT or bool(cells.get("predicate_modifier", "").strip())


def _predicate(cells: Mapping[str, str]) -> str:
    return " ".join((cells.get("predicate_modifier", ""), cells["predicate_id"])).strip() or "none"
