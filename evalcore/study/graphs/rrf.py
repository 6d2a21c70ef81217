"""Edges from the UMLS file ``MRREL.RRF``, read by columns and in blocks: it has tens of millions of rows.

REL and RELA say what the second concept is to the first (UMLS Reference Manual, MRREL):

| row                                | means                              |
|------------------------------------|------------------------------------|
| ``A|..|PAR|B|..|inverse_isa``      | B is the parent of A               |
| ``A|..|CHD|B|..|isa``              | B is a child of A, B isa A         |
| ``A|..|RB|B`` and ``A|..|RN|B``    | B is broader, narrower than A      |
| ``A|..|RO|B|..|part_of``           | B is part of A                     |

Every statement stands in the file twice, once from each side; both give the same edge.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from evalcore.study.graphs.edges import Edges, edges_of, no_edges, spelled
from evalcore.study.tables.ids import parse_once
from evalcore.study.tables.limits import MAX_RATIO, RATIO_FROM
from evalcore.study.tables.lines import open_file, read_plain, report_open_end, report_unopened
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.errors import Report
from evalcore.values.writing import words

MRREL = words(
    """
    CUI1, AUI1, STYPE1, REL, CUI2, AUI2, STYPE2, RELA, RUI, SRUI, SAB, SL, RG, DIR, SUPPRESS, CVF
    """
)
IS_A = ("isa", "")
"""Relations of the default graph: isa, and hierarchies that name none (MeSH)."""
_INVERSE = {"inverse_isa": "isa", "has_part": "part_of"}
_HIERARCHY, _WIDER = ("PAR", "CHD"), ("RB", "RN")
_BLOCK = 1 << 25
_HEAD = 10_000
DAMAGED = (pa.ArrowException, OSError, EOFError, zlib.error)
"""What reading a damaged file in blocks raises."""
Value = TypeVar("Value")


@reader(lambda _: no_edges("MRREL"))
def parse_mrrel(
    data: bytes | IO[bytes],
    *,
    file: str,
    sources: Collection[str] | None = None,
    rela: Collection[str] | None = None,
) -> tuple[Edges, Report]:
    """Read the hierarchy of an MRREL file as child -> parent edges.

    Parameters
    ----------
    data : the file, or a stream of it (then it is never held whole).
    sources : keep these source vocabularies (SAB) only.
    rela : keep these relations only, "" for rows that name none; default ``IS_A``. With names given,
        RB, RN and RO rows of that relation count too.

    Returns
    -------
    edges, report : suppressed and obsolete rows are left out; rows of the wrong width are errors,
        rows whose REL and RELA contradict each other warnings (REL decides). Statements repeated
        from the other side, or for other atoms of the same concepts, count once.
    """
    problems = Problems(file)
    wanted = frozenset(map(spelled, IS_A if rela is None else rela))
    parts, n_rows, contrary = [], 0, 0
    sides: Counter[str] = Counter()
    try:
        for block in rrf_blocks(data, MRREL, ("CUI1", "REL", "CUI2", "RELA", "SAB", "SUPPRESS"), problems):
            n_rows += block.num_rows
            oriented, against = _oriented(block, named=rela is not None)
            contrary += against
            sides.update(_relations(block))
            mask = pc.is_in(oriented["rela"], pa.array(sorted(wanted), pa.string()))
            if sources is not None:
                mask = pc.and_(mask, pc.is_in(oriented["source"], pa.array(list(sources), pa.string())))
            parts.append(oriented.filter(mask))
    except DAMAGED as reason:
        report_damaged(problems, reason, "MRREL")
        return no_edges("MRREL"), problems.report()
    message = "In {n} rows REL and RELA point opposite ways; REL was followed."
    problems.counted("contrary-relation", contrary, message, "")
    if not parts:
        return no_edges("MRREL"), problems.report()
    edges = edges_of(_distinct(pa.concat_tables(parts)), format="MRREL", rows=n_rows)
    # Each statement stands there twice: half the rows of relations whose links are not made.
    every = {name: (n + 1) // 2 for name, n in sides.items()} | dict(edges.relations)
    return replace(edges, relations=every), problems.report()


def rrf_blocks(
    data: bytes | IO[bytes], names: tuple[str, ...], wanted: tuple[str, ...], problems: Problems
) -> Any:
    """Tables of some columns of a pipe-delimited file without quoting, block by block.

    Rows of the wrong width are errors in ``problems`` and left out."""

    def ragged(row: Any) -> str:
        n = max(row.actual_columns - 1, 0)
        message = f"A row has {len(names)} cells, but this one has {n}; it is left out."
        remedy = "Copy the file again."
        problems.error("wrong-columns", message, remedy, line=row.number, value=as_utf8(row.text or ""))
        return "skip"

    # Each row ends with a pipe, hence one more column than names.
    options = (
        csv.ReadOptions(column_names=[*names, ""], block_size=_BLOCK, use_threads=False, encoding="latin1"),
        csv.ParseOptions(delimiter="|", quote_char=False, invalid_row_handler=ragged),
        csv.ConvertOptions(include_columns=list(wanted), column_types=dict.fromkeys(names, pa.string())),
    )
    source = pa.BufferReader(data) if isinstance(data, bytes) else pa.PythonFile(data, mode="r")
    with csv.open_csv(source, *options) as reader:
        for batch in reader:
            yield pa.Table.from_batches([batch])


def report_damaged(problems: Problems, reason: Exception, form: str) -> None:
    """A file of that form, such as "MRREL", that cannot be read to its end."""
    text = str(reason).split("\n")[0]
    problems.error("unreadable-container", f"The file cannot be read as {form}: {text}", "Copy it again.")


def is_rrf(plain: bytes, columns: Sequence[str]) -> bool:
    """Whether the first line of a file has as many cells as a file of these columns."""
    return plain[:_HEAD].split(b"\n", 1)[0].count(b"|") >= len(columns) - 1


def read_rrf_or(
    path: Path,
    file: str,
    form: str,
    *,
    rrf: Callable[..., tuple[Value, Report]],
    other: Callable[..., tuple[Value, Report]],
    nothing: Callable[[str], Value],
    **options: Any,
) -> tuple[Value, Report]:
    """The value of a file: one called .rrf is read as a stream, every other is held whole and parsed once.

    Parameters
    ----------
    file : its name in messages.
    form : of such an RRF file, such as "MRREL".
    rrf, other : its reader, and that of every other file, which takes the ``options``.
    nothing : the value of a file of a format that cannot be opened.
    """
    problems = Problems(file)
    if ".rrf" in path.name.lower():
        with rrf_stream(path, problems) as stream:
            return (nothing(form), problems.report()) if stream is None else rrf(stream, file=file)
    plain = read_plain(path, problems)
    if plain is None:
        return nothing("csv"), problems.report()
    value: Any
    value, report = parse_once(other, plain, file=file, **options)
    if value.rows and value.format in ("csv", form):
        report_open_end(problems, plain)
    return value, report + problems.report()


@contextmanager
def rrf_stream(path: Path, problems: Problems) -> Iterator[IO[bytes] | None]:
    """The bytes of an RRF file, unpacked when it is gzipped; None with an error when it cannot be opened.

    It is never held whole, so the cap of ``limits`` does not concern it; how far it may unpack does.
    """
    try:
        stream = open_file(path)
    except OSError as reason:
        report_unopened(problems, reason)
        yield None
        return
    with stream:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        yield cast("IO[bytes]", _Unpacked(stream)) if packed else stream


class _Unpacked(gzip.GzipFile):
    """A gzip stream that gives up where it grows beyond ``MAX_RATIO``."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(fileobj=stream)
        self._room = max(RATIO_FROM, MAX_RATIO * os.fstat(stream.fileno()).st_size)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._room -= len(data)
        if self._room < 0:
            raise OSError(f"it unpacks to more than {MAX_RATIO} times its size")
        return data


def as_utf8(text: str) -> str:
    """A text of ``rrf_blocks`` as the UTF-8 it is in the file; damaged bytes become "�"."""
    return text if text.isascii() else text.encode("latin1").decode("utf-8", "replace")


def _oriented(block: pa.Table, *, named: bool) -> tuple[pa.Table, int]:
    """Hierarchical rows as child, parent, source, rela, and how many contradict themselves."""
    rels = [*_HIERARCHY, *((*_WIDER, "RO") if named else ())]
    kept = pc.and_(pc.is_in(block["REL"], pa.array(rels)), pc.is_in(block["SUPPRESS"], pa.array(["N", ""])))
    block = block.filter(kept)
    rel, stated = block["REL"], block["RELA"]
    inverse = pc.is_in(stated, pa.array(list(_INVERSE)))
    up = pc.if_else(pc.equal(rel, "RO"), inverse, pc.is_in(rel, pa.array(["PAR", "RB"])))
    forward = pc.is_in(stated, pa.array(list(_INVERSE.values())))
    contrary = pc.or_(pc.and_(up, forward), pc.and_(pc.invert(up), inverse))
    rela = stated
    for name, other in _INVERSE.items():
        rela = pc.if_else(pc.equal(rela, name), other, rela)
    columns = {
        "child": pc.if_else(up, block["CUI1"], block["CUI2"]),
        "parent": pc.if_else(up, block["CUI2"], block["CUI1"]),
        "source": block["SAB"],
        "rela": rela,
    }
    return pa.table(columns), int(pc.sum(contrary).as_py() or 0)


def _relations(block: pa.Table) -> dict[str, int]:
    """{relation: rows that could be links}, each inverse counted as what it inverts."""
    rels = pa.array([*_HIERARCHY, *_WIDER, "RO"])
    kept = pc.and_(pc.is_in(block["REL"], rels), pc.is_in(block["SUPPRESS"], pa.array(["N", ""])))
    # Rows other than PAR and CHD that name no relation are never links.
    linked = pc.or_(pc.is_in(block["REL"], pa.array(_HIERARCHY)), pc.not_equal(block["RELA"], ""))
    counts = pc.value_counts(block["RELA"].filter(pc.and_(kept, linked)).combine_chunks()).to_pylist()
    counter: Counter[str] = Counter()
    for count in counts:
        counter[_INVERSE.get(count["values"], count["values"])] += count["counts"]
    return counter


def _distinct(table: pa.Table) -> dict[str, Any]:
    """Each statement once: the file has it from both sides, and for every pair of atoms."""
    keys = ["child", "parent", "source", "rela"]
    once = table.group_by(keys, use_threads=False).aggregate([])
    return {name: once[name] for name in keys}
