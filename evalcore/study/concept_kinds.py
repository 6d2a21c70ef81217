"""Which kind each concept has: from ``kinds.csv``, or MRSTY.

``concept_kinds.csv`` has the semantic types of the UMLS and the words of other files, each with the kind that
it means here. Numbers (TUI) and names are those of the UMLS Semantic Network (U.S. National Library of
Medicine), 127 types; the kinds are this program's. Anatomy, findings and devices follow the network's groups
of anatomy, disorders and devices, with laboratory results among the findings. A diagnostic procedure is a
modality, as an imaging study is one; a spatial concept a plane, as views, planes and sides are.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.graphs.rrf import LINE, MRSTY, Source, is_rrf, read_rrf
from evalcore.study.names import NAME_TABLE
from evalcore.study.tables.files import unpack
from evalcore.study.tables.frames import Frame
from evalcore.study.tables.load import header_of, read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import Column, Schema
from evalcore.study.tables.tables import quoted
from evalcore.values.bundled import bundled
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import KINDS, UNKNOWN
from evalcore.values.writing import words

_KNOWN = [*csv.DictReader(bundled("evalcore.study", "concept_kinds.csv").splitlines())]
SEMANTIC_TYPES: Mapping[str, tuple[str, str]] = {
    row["tui"]: (row["word"], row["kind"]) for row in _KNOWN if row["tui"]
}
"""{TUI: (name, kind)}."""
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
"""Header names of a column of kinds, lower case, the clearest first."""


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
    source: Source | Frame, problems: Problems, *, wanted: Collection[str] | None = None
) -> KindRows:
    """The kinds in a table ``cui,kind`` or in MRSTY, recognised from its content; a stream is MRSTY.

    ``wanted``: of MRSTY the kinds of these concepts only, of all when None.
    """
    plain = unpack(source, problems) if isinstance(source, bytes) else source
    if plain is None:
        return KindRows({}, {}, "csv")
    if not isinstance(plain, Frame) and is_rrf(plain, MRSTY):
        return _of_mrsty(plain, problems, wanted)
    assert isinstance(plain, (bytes, Frame)), "every stream is MRSTY"
    return _of_table(plain, problems)


def _of_table(data: bytes | Frame, problems: Problems) -> KindRows:
    """The kinds in a table, header optional, further columns ignored, by the words of `kind_of_word`.

    A word that means no kind and a concept with two kinds are errors, and left out (of two kinds the first
    stays); a repeated row is a warning. ``unknown`` and empty cells say nothing.
    """
    header = header_of(data, NAME_TABLE)
    kind_column = next((name for name in KIND_NAMES if name in header), "kind")
    ids, kind_of = KIND_TABLE.columns
    rows = read(data, replace(KIND_TABLE, columns=(ids, replace(kind_of, names=(kind_column,)))), problems)
    kinds: dict[str, str] = {}
    lines: dict[str, int] = {}
    columns = rows.texts("cui"), rows.texts(kind_column), rows.lines.tolist()
    for written, word, line in zip(*columns, strict=True):
        concept, kind = as_written(written), kind_of_word(word) if word else UNKNOWN
        first = kinds.get(concept)
        if kind is None:
            near = get_close_matches(word.lower(), KINDS, n=1)
            remedy = f"Did you mean {near[0]}?" if near else f"Write one of {', '.join(KINDS)}."
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

    A type that is not in `SEMANTIC_TYPES` is counted as a warning and says nothing.
    Source: UMLS Reference Manual, MRSTY.
    """
    concepts = None if wanted is None else pa.array(sorted(wanted), pa.string())
    first: dict[str, int] = {}

    def keep(block: pa.Table) -> pa.Table:
        for row in block[:1].to_pylist() if not first else ():
            first[row["CUI"]] = row[LINE]
        return block if concepts is None else block.filter(pc.is_in(block["CUI"], concepts))

    best: dict[str, int] = {}
    strange: dict[str, list[int]] = {}
    for block in read_rrf(source, MRSTY, ("CUI", "TUI"), problems, keep) or ():
        for cui, tui, line in zip(*(column.to_pylist() for column in block.columns), strict=True):
            first.setdefault(cui, line)
            if tui in SEMANTIC_TYPES:
                rank = FIRST.index(SEMANTIC_TYPES[tui][1])
                best[cui] = min(rank, best.get(cui, rank))
            else:
                strange.setdefault(tui, []).append(line)
    for tui, lines in sorted(strange.items()):
        n = len(lines)
        message = f"The semantic type {tui} of {n:,} concept{'s' if n > 1 else ''} is unknown."
        remedy = "Give these concepts a kind in kinds.csv."
        problems.warning("unknown-type", message, remedy, line=lines[0], value=tui, count=n)
    return KindRows({cui: FIRST[rank] for cui, rank in sorted(best.items())}, first, MRSTY)
