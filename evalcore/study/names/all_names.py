"""Every name of every concept, for searching and for finding in texts: synonyms too, in all languages, where
`names` keeps the preferred name only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.concepts.mappings import joined, parse_mapping, translated
from evalcore.study.folder.layout import Layout, read_layout
from evalcore.study.graphs import terms
from evalcore.study.graphs.ontology import ENDINGS, ontology_names, report_unread
from evalcore.study.graphs.rrf import DAMAGED, as_utf8, is_rrf, rrf_blocks, rrf_stream
from evalcore.study.names.names import MRCONSO, SYNONYMS, is_english, language_of
from evalcore.study.tables.columns import read_columns
from evalcore.study.tables.lines import read_bytes, read_plain
from evalcore.study.tables.problems import Problems, attempt
from evalcore.values.concept_scheme import UMLS
from evalcore.values.concept_values import NameTable
from evalcore.values.errors import Report
from evalcore.values.model import Study

Named = list[tuple[str, str]]


class Name(NamedTuple):
    """One name of a concept, as a row of a `NameTable`."""

    concept: str
    text: str
    source: str = ""
    language: str = ""
    preferred: bool = False


def all_names(folder: Path, *, wanted: Collection[str] | None = None, scheme: str = UMLS) -> Named:
    """(cui, name) of every name in a study's files of names and ontologies, in that order, repeats once.

    ``wanted`` keeps only these CUIs; ``scheme`` is that of the study. Of MRCONSO the names that are not
    suppressed, in every language. What cannot be read was reported when the study was opened, and is left out
    here. Empty without such files.
    """
    rows = _rows_of(folder, wanted, scheme)
    return list(dict.fromkeys((row.concept, row.text) for row in rows))


def name_table(folder: Path, *, scheme: str = UMLS) -> NameTable:
    """The same with the source and the language of every name."""
    return table_of(_rows_of(folder, None, scheme))


def names_of_study(study: Study) -> NameTable:
    """All names of a study's files, else those it has without any: words of synsets, labels of its graph."""
    table = table_of(()) if study.path is None else name_table(study.path, scheme=study.scheme)
    if len(table):
        return table
    return table_of(Name(concept, text, preferred=True) for concept, text in sorted(study.names.items()))


def names_in(paths: Sequence[Path], *, scheme: str = UMLS) -> tuple[NameTable, Report]:
    """All names of files of any kind; a file without a single one is an error."""
    rows, report = list[Name](), Report()
    for path in paths:
        problems = Problems(path.name)
        some = list(_of_file(path, None, problems, scheme))
        if not some and not problems.n_errors:
            what = "Give a table with the columns cui,name, an ontology, or MRCONSO.RRF."
            problems.error("no-names", f"{path.name} contains no names of concepts.", what, value=str(path))
        rows, report = rows + some, report + problems.report()
    return table_of(rows), report


def table_of(names: Iterable[Name]) -> NameTable:
    """Names as columns, in their order, repeats once."""
    return terms.name_table(list(dict.fromkeys(names)))


def _rows_of(folder: Path, wanted: Collection[str] | None, scheme: str) -> list[Name]:
    layout, _ = read_layout(folder)
    paths = [*layout.files["names"], *(path for path in layout.files["graph"] if _is_ontology(path))]
    kept = None if layout.files["mapping"] else wanted  # before a mapping, any id may be meant
    rows = _of_files(paths, kept, scheme)
    of = _mapped(layout, [row.concept for row in rows], scheme)
    moved = dict.fromkeys(row._replace(concept=of.get(row.concept, row.concept)) for row in rows)
    return [name for name in moved if wanted is None or name.concept in wanted]


def _mapped(layout: Layout, concepts: list[str], scheme: str) -> Mapping[str, str]:
    """What the mapping of a study makes of ids that are not of its scheme."""
    contents = [(path, read_bytes(path, Problems(path.name))) for path in layout.files["mapping"]]
    rows = joined(parse_mapping(data, file=path.name)[0] for path, data in contents if data is not None)
    return {} if rows is None else translated(concepts, rows, scheme).of


def _is_ontology(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(tuple(ENDINGS.values()))


def _of_files(paths: Sequence[Path], wanted: Collection[str] | None, scheme: str) -> list[Name]:
    names: dict[Name, None] = {}
    for path in paths:
        # of a file that fails on the way, the names so far
        rows = _of_file(path, wanted, Problems(path.name), scheme)
        attempt(partial(names.update, zip(rows, repeat(None))))
    return list(names)


def _of_file(path: Path, wanted: Collection[str] | None, problems: Problems, scheme: str) -> Iterator[Name]:
    if _is_ontology(path):
        yield from _of_ontology(path, wanted, scheme)
        return
    if ".rrf" in path.name.lower():
        with rrf_stream(path, problems) as stream:
            if stream is not None:
                yield from mrconso_names(stream, wanted=wanted)
        return
    plain = read_plain(path, problems) or b""
    if report_unread(plain, problems):
        return
    if is_rrf(plain, MRCONSO):
        yield from mrconso_names(plain, wanted=wanted)
    else:
        yield from table_names(plain, wanted=wanted)


def _of_ontology(path: Path, wanted: Collection[str] | None, scheme: str) -> Iterator[Name]:
    table = ontology_names(path, scheme=scheme)
    rows = zip(table.concepts, table.texts, table.sources, table.languages, strict=True)
    for row, preferred in zip(rows, table.preferred.tolist(), strict=True):
        if wanted is None or row[0] in wanted:
            yield Name(*row, preferred)


def table_names(data: bytes, *, wanted: Collection[str] | None = None) -> Iterator[Name]:
    """Every row of a ``cui,name[,source][,lang]`` table with both; the first of a concept is preferred."""
    columns = read_columns(data, Problems("names"), synonyms=SYNONYMS, required=("cui", "name"), ids=("cui",))
    if columns is None:
        return
    keep = None if wanted is None else frozenset(wanted)
    cuis, names = columns["cui"].to_pylist(), columns["name"].to_pylist()
    none = [""] * len(cuis)
    sources = columns["source"].to_pylist() if "source" in columns else none
    languages = columns["lang"].to_pylist() if "lang" in columns else none
    first: set[str] = set()
    for cui, name, source, written in zip(cuis, names, sources, languages, strict=True):
        if name and (keep is None or cui in keep):
            language = language_of(written) if written else ""
            preferred = cui not in first and is_english(language)
            if preferred:
                first.add(cui)
            yield Name(cui, " ".join(name.split()), source, language, preferred)


def mrconso_names(data: object, *, wanted: Collection[str] | None = None) -> Iterator[Name]:
    """Every name of MRCONSO that is not suppressed, in every language."""
    keep = None if wanted is None else pa.array(sorted(wanted), pa.string())
    columns = ("CUI", "LAT", "TS", "STT", "ISPREF", "SAB", "STR", "SUPPRESS")
    try:
        for block in rrf_blocks(data, MRCONSO, columns, Problems("names")):  # type: ignore[arg-type]
            mask = pc.is_in(block["SUPPRESS"], pa.array(["N", ""]))
            kept = block.filter(mask if keep is None else pc.and_(mask, pc.is_in(block["CUI"], keep)))
            preferred = pc.and_(
                pc.and_(pc.equal(kept["TS"], "P"), pc.equal(kept["STT"], "PF")), pc.equal(kept["ISPREF"], "Y")
            )
            of = {text: language_of(text) for text in kept["LAT"].unique().to_pylist()}
            for cui, name, source, language, best in zip(
                kept["CUI"].to_pylist(),
                kept["STR"].to_pylist(),
                kept["SAB"].to_pylist(),
                kept["LAT"].to_pylist(),
                preferred.to_pylist(),
                strict=True,
            ):
                yield Name(cui, " ".join(as_utf8(name).split()), source, of[language], best)
    except DAMAGED:
        return
