"""Every name of every concept, for searching: synonyms too, where `names` keeps the preferred name only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import repeat
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.concept_scheme import UMLS
from evalcore.sources.concepts.mappings import joined, parse_mapping, translated
from evalcore.sources.folder.layout import Layout, read_layout
from evalcore.sources.graphs.ontology import ontology_names
from evalcore.sources.graphs.rrf import DAMAGED, as_utf8, rrf_blocks, rrf_stream
from evalcore.sources.names.names import MRCONSO, SYNONYMS
from evalcore.sources.tables.columns import read_columns
from evalcore.sources.tables.guard import attempt
from evalcore.sources.tables.lines import read_bytes, unpack
from evalcore.sources.tables.problems import Problems

Named = list[tuple[str, str]]

_HEAD = 10_000
_NO_ONTOLOGY = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".rrf", ".rrf.gz", ".graphml")


def all_names(folder: Path, *, wanted: Collection[str] | None = None, scheme: str = UMLS) -> Named:
    """(concept, name) of every name in a study's files of names and its ontologies, in order, repeats once.

    ``wanted`` keeps only these concepts, ``scheme`` is that of the study, into which its mapping translates.
    Of MRCONSO the English names that are not suppressed. What cannot be read was reported when the study was
    opened, and is left out here. Empty without files of names.
    """
    layout, _ = read_layout(folder)
    names: dict[tuple[str, str], None] = {}
    kept = None if layout.files["mapping"] else wanted  # before a mapping, any id may be meant
    for path in layout.files["names"]:
        # of a file that fails on the way, the names so far
        attempt(partial(names.update, zip(_of_file(path, kept), repeat(None))))
    for path in layout.files["graph"]:
        if not path.name.lower().endswith(_NO_ONTOLOGY):
            table = ontology_names(path, scheme=scheme)
            names.update(zip(zip(table.concepts, table.texts, strict=True), repeat(None)))
    of = _mapped(layout, [concept for concept, _ in names], scheme)
    moved = dict.fromkeys((of.get(concept, concept), name) for concept, name in names)
    return [one for one in moved if wanted is None or one[0] in wanted]


def _mapped(layout: Layout, concepts: list[str], scheme: str) -> Mapping[str, str]:
    """What the mapping of a study makes of ids that are not of its scheme."""
    contents = [(path, read_bytes(path, Problems(path.name))) for path in layout.files["mapping"]]
    rows = joined(parse_mapping(data, file=path.name)[0] for path, data in contents if data is not None)
    return {} if rows is None else translated(concepts, rows, scheme).of


def _of_file(path: Path, wanted: Collection[str] | None) -> Iterator[tuple[str, str]]:
    found = Problems(path.name)
    if ".rrf" in path.name.lower():
        with rrf_stream(path, found) as stream:
            if stream is not None:
                yield from mrconso_names(stream, wanted=wanted)
        return
    data = read_bytes(path, found)
    plain = (unpack(data, found) or b"") if data is not None else b""
    if plain[:_HEAD].split(b"\n", 1)[0].count(b"|") >= len(MRCONSO) - 1:
        yield from mrconso_names(plain, wanted=wanted)
    else:
        yield from table_names(plain, wanted=wanted)


def table_names(data: bytes, *, wanted: Collection[str] | None = None) -> Iterator[tuple[str, str]]:
    """(cui, name) of every row of a ``cui,name`` table that has both."""
    columns = read_columns(data, Problems("names"), synonyms=SYNONYMS, required=("cui", "name"), ids=("cui",))
    if columns is None:
        return
    keep = None if wanted is None else frozenset(wanted)
    for cui, name in zip(columns["cui"].to_pylist(), columns["name"].to_pylist(), strict=True):
        if name and (keep is None or cui in keep):
            yield cui, " ".join(name.split())


def mrconso_names(data: object, *, wanted: Collection[str] | None = None) -> Iterator[tuple[str, str]]:
    """(cui, name) of every English name of MRCONSO that is not suppressed."""
    keep = None if wanted is None else pa.array(sorted(wanted), pa.string())
    try:
        for block in rrf_blocks(data, MRCONSO, ("CUI", "LAT", "SUPPRESS", "STR"), Problems("names")):  # type: ignore[arg-type]
            mask = pc.and_(pc.equal(block["LAT"], "ENG"), pc.is_in(block["SUPPRESS"], pa.array(["N", ""])))
            kept = block.filter(mask if keep is None else pc.and_(mask, pc.is_in(block["CUI"], keep)))
            for cui, name in zip(kept["CUI"].to_pylist(), kept["STR"].to_pylist(), strict=True):
                yield cui, " ".join(as_utf8(name).split())
    except DAMAGED:
        return
