"""Which kinds of parts a study has: how each is named, recognised, read and matched with the images.

A kind of file is one declaration here. ``layout`` finds parts by their names, `recognise` by their content,
``study`` reads them, ``workspace.uploads`` tries a file before it is kept; the form of uploads and the
reference list what a declaration says.

What a function of the user's gives (see ``evalcore.register.register_format``) is taken as `make_study` takes
it: as a table that is checked as the one of a file is, so that every rule of a part holds for it too.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from evalcore.study.concepts.concepts import CAPTION_NAMES, CONCEPTS, CUI_NAMES, parse_concepts, parse_id_list
from evalcore.study.concepts.labels import bind_labels, parse_labels
from evalcore.study.concepts.texts import (
    CAPTIONS,
    PAIRS,
    QUERIES,
    bind_captions,
    bind_pairs,
    is_table,
    parse_captions,
    parse_corpus,
    parse_pairs,
    parse_queries,
    texts_in,
)
from evalcore.study.concepts.texts import NAMES as OF_TEXTS
from evalcore.study.graphs.edges import EDGES
from evalcore.study.graphs.graph_files import NEIGHBOURS, bind_neighbours, parse_graph, parse_neighbours
from evalcore.study.graphs.obo import UNREAD
from evalcore.study.names import KIND_TABLE, NAME_TABLE, KindRows, NameRows, parse_kinds, parse_names
from evalcore.study.objects import located, source_of
from evalcore.study.parts.judgments import (
    ELSEWHERE,
    FOLDER,
    JUDGMENTS,
    OF_PROGRAMS,
    bind_judgments,
    name_of_judgments,
    parse_judgments,
    raters_of,
)
from evalcore.study.parts.judgments import ENDINGS as OFJUDGMENTS
from evalcore.study.parts.runs import RUN, bind_run, parse_run
from evalcore.study.tables.files import (
    MAX_RATIO,
    RATIO_FROM,
    max_bytes,
    open_file,
    packed,
    read_plain,
    report_unopened,
)
from evalcore.study.tables.ids import report_other_concepts
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import Rows, Sample, Schema
from evalcore.study.tables.tables import named
from evalcore.study.vectors.files import (
    VectorRows,
    bind_concept_vectors,
    bind_embeddings,
    parse_concept_vectors,
    parse_embeddings,
)
from evalcore.study.workspace.file_names import safe_name
from evalcore.values import plugins
from evalcore.values.errors import Report
from evalcore.values.grouping import is_called_group
from evalcore.values.model import LabelColumn
from evalcore.values.plugins import Plugin, PluginError, call
from evalcore.values.stores import Store, size_of
from evalcore.values.writing import count, listed, pluralize

FORMATS = ("run", "embeddings", "concepts", "captions", "labels", "groups")
"""Parts of a study that can be read so."""


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A form of files: of which part, by which ending, and the parser of what the function gives."""

    part: str
    ending: str
    plugin: Plugin
    known: Callable[..., tuple[Any, Report]]

    def parse(self, data: bytes, *, file: str, **options: Any) -> tuple[Any, Report]:
        """The rows of a file, and its problems; only the error where the function fails."""
        problems, source = Problems(file), None
        try:
            result = call(self.plugin, data, about=lambda: file)
        except PluginError as error:
            problems.error("reader-failed", str(error), "Correct the reader or the file.")
        else:
            if isinstance(result, (str, bytes, os.PathLike)):  # would be the path of another file
                message = f"The reader of {self.plugin.file} gave a text, not a {self.part}."
                problems.error("wrong-shape", message, "See register_format for what it must give.")
            else:
                source = source_of(result, self.part, problems)
        if source is None:
            return self.known(b"", file=file, **options)[0], problems.report()
        value, report = self.known(source, file=file, **options)
        if not report.counts and not getattr(value, "rows", 1):
            message = f"The reader of {self.plugin.file} gave nothing."
            problems.error("empty-file", message, "Check that the file was copied completely.")
            report = problems.report()
        return value, located(report, {file})


def custom_format(part: str, file: str) -> Format | None:
    """The form of a user that a file of a part is of, by its ending; None for the program's own."""
    return next((known for known in custom_formats(part) if file.lower().endswith(known.ending)), None)


def custom_formats(part: str) -> list[Format]:
    """The forms that users registered for a part."""
    return [known for known in plugins.registered("format").values() if known.part == part]


# A file that was just parsed is not parsed again: its value is known by its name and content, not by date.

Value = TypeVar("Value")
ROOM = 64 << 20
"""Bytes of parsed files that are kept; a file that takes more is parsed whenever it is read."""
_KEPT: Store[tuple[Any, Report]] = Store(ROOM)


def parse_once(
    parse: Callable[..., tuple[Value, Report]], data: Any, *, file: str, **options: Any
) -> tuple[Value, Report]:
    """What ``parse(data, file=file, **options)`` gives, from the store when it was asked for before.

    ``options`` must be hashable, or lists; None counts as not given. Kept is what was read without an error
    under the same cap. The value is shared: nobody may change it.
    """
    if not isinstance(data, bytes):  # a table in memory
        return parse(data, file=file, **options)
    chosen = {name: tuple(option) if isinstance(option, list) else option for name, option in options.items()}
    content = hashlib.blake2b(data, digest_size=32).digest()
    set_options = frozenset((name, option) for name, option in chosen.items() if option is not None)
    key = (parse, file, content, max_bytes(), set_options)
    kept = _KEPT.get(key)
    if kept is None:
        kept = parse(data, file=file, **options)
        if not kept[1].total("error") and size_of(kept[0]) <= ROOM:
            _KEPT.keep(key, kept)
    return kept


def parse_path(
    parse: Callable[..., tuple[Value, Report]], path: Path, problems: Problems, **options: Any
) -> Value | None:
    """What ``parse(source, file=..., **options)`` makes of a file; None, with an error, of one that cannot be
    opened.

    One called .rrf is given to it as a stream, unpacked on the way when it is gzipped: it is never held
    whole, so no cap of ``limits`` concerns it but how far it may unpack. Every other is held whole and parsed
    once.
    """
    if ".rrf" in path.name.lower():
        try:
            with open_file(path) as stream:
                is_packed = stream.read(2) == b"\x1f\x8b"
                stream.seek(0)
                value, report = parse(
                    _Unpacked(stream) if is_packed else stream, file=problems.file, **options
                )
        except OSError as reason:
            report_unopened(problems, reason)
            return None
        problems.include(report)
        return value
    plain = read_plain(path, problems)
    if plain is None:
        return None
    value, report = parse_once(parse, plain, file=problems.file, **options)
    problems.include(report)
    return value


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


_TABLE = packed(".csv", ".tsv", ".txt")
_OF_GRAPHS = {"OBO": ".obo", "GraphML": ".graphml"}
RUN_ENDINGS = (".trec", ".txt", ".csv", ".tsv", ".json")
_ENDINGS = (*RUN_ENDINGS, ".qrels", ".npz", ".npy", ".parquet", ".rrf", ".obo", ".graphml", ".xml", *UNREAD)
VECTOR_ENDINGS = (
    *packed(".txt", ".vec", ".csv", ".tsv"),
    *(".npz", ".parquet", ".kv", ".model", ".pkl", ".pickle"),
)
"""Of vectors of concepts; the last are pickles, which are refused with the way out."""
Parse = Callable[..., tuple[Any, Report]]


def _no_parser(_data: Any, **_options: Any) -> tuple[Any, Report]:
    raise TypeError("this part is not read from one file")


def _has_rows(value: Any) -> bool:
    return value is not None and getattr(value, "rows", 1) > 0


@dataclass(frozen=True, slots=True)
class PartKind:
    """One kind of part.

    ``known``: groups of conventional names, lower case, below the study folder (of a system: in its folder);
    the first group with a file counts, and takes the forms that users registered too (``names``). ``many``:
    all its files count together.

    ``parse`` reads a file and ``used`` says whether the value holds anything; ``bind(value, problems,
    study)`` gives what is left of it in a study that is being opened (see `study`), with its ``system``,
    ``name`` or ``metric`` where it has one (an upload is tried with the study that still has the file
    it would replace); ``useful`` says whether that is anything: for a study that opens,
    and for a file that is tried before it is kept. ``kept_as``: the name that an upload gets in the study
    folder or in that of its system, or what makes it of the file's name, content and value. Kinds without it
    cannot be uploaded as single files (pictures are no single file): ``in_uploads`` says which can.

    ``expected``: what a file of it looks like, for whoever adds one; ``adds``: what it is good for;
    ``contents``: how much a value holds, in words. ``schemas``: of its tables, by whose headers it is
    recognised where ``has_content`` agrees; ``has_shape`` recognises it by the cells of a table whose header
    says nothing.
    """

    name: str
    title: str
    known: tuple[tuple[str, ...], ...]
    of_a_system: bool = False
    many: bool = False
    parse: Parse = _no_parser
    used: Callable[[Any], bool] = _has_rows
    bind: Callable[..., Any] = lambda value, _problems, _study: value
    useful: Callable[[Any], bool] = lambda bound: bound is not None
    kept_as: str | Callable[[str, bytes, Any], str] = ""
    expected: str = ""
    adds: str = ""
    schemas: tuple[Schema, ...] = ()
    has_content: Callable[[Sample], bool] = lambda _sample: True
    has_shape: Callable[[Sample], bool] = lambda _sample: False
    contents: Callable[[Any], str] = lambda value: pluralize(value.rows, "row")

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Groups of conventional names, with those of files that users' readers read."""
        more = tuple(f"{self.name}{known.ending}" for known in custom_formats(self.name))
        return ((*self.known[0], *more), *self.known[1:])

    @property
    def in_uploads(self) -> bool:
        return bool(self.kept_as) or self.name == "images"

    def parser_of(self, file: str) -> Parse:
        """The parser of a file: a user's reader by its ending, else that of the kind."""
        custom = custom_format(self.name, file)
        return self.parse if custom is None else custom.parse

    def place(self, name: str, data: bytes, value: Any) -> str:
        """Where an upload of this name, content and value belongs."""
        custom = custom_format(self.name, name)
        if custom is not None:
            return f"{self.name}{custom.ending}"
        return self.kept_as if isinstance(self.kept_as, str) else self.kept_as(name, data, value)


def stem_of(name: str) -> str:
    """The name of a file without the ending that says its form.

    >>> stem_of("umls.2024.csv.gz"), stem_of("ResNet v1.5"), stem_of(".csv")
    ('umls.2024', 'ResNet v1.5', '.csv')
    """
    plain = name[:-3] if name.lower().endswith(".gz") else name
    ending = Path(plain).suffix
    custom = (known.ending for part in FORMATS for known in custom_formats(part))
    return plain[: -len(ending)] if ending.lower() in (*_ENDINGS, *custom) else plain


def _named(*stems: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(f"{stem}{ending}" for ending in _TABLE) for stem in stems)


def _is_labelled(columns: Mapping[str, LabelColumn]) -> bool:
    """Whether an image has a label of any type."""
    return any(len(column.indices) for column in columns.values())


def _bind_names(rows: NameRows, problems: Problems, study: Any) -> Mapping[str, str] | None:
    """All names where one is of a concept of the images or of the graph."""
    names = rows.names
    are_others = names and study.concepts.vocabulary and not any(map(study.knows, names))
    if are_others:
        what = "The file of names"
        report_other_concepts(problems, "unknown-concept", study.concepts, list(names), what, study.scheme)
    return None if are_others else names


def _bind_kinds(rows: KindRows, problems: Problems, study: Any) -> Mapping[str, str] | None:
    """The kinds in a file; None, with an error, when neither an image nor the graph has any of its concepts.

    Those of a table that nobody has are counted: most likely a slip of the pen.
    """
    known, ids = study.knows, list(rows.concepts)
    if study.concepts.vocabulary and ids and not any(map(known, ids)):
        what = "The file of kinds"
        report_other_concepts(problems, "unknown-concept", study.concepts, ids, what, study.scheme)
        return None
    strange = [concept for concept in rows.kinds if not known(concept)] if rows.format == "csv" else []
    message = f"{{n}} of {len(rows.kinds):,} concepts are on no image and not in the graph."
    remedy = "Check how they are written; their rows have no effect."
    lines = [rows.concepts[concept] for concept in strange]
    problems.add_summary("unknown-concept", strange, message, remedy, lines=lines)
    return rows.kinds


def name_of_vectors(file: str) -> str:
    """What vectors of concepts are called: their file without the ending.

    >>> name_of_vectors("cui2vec.500.txt.gz"), name_of_vectors("graph.npz")
    ('cui2vec.500', 'graph')
    """
    ending = max((e for e in VECTOR_ENDINGS if file.lower().endswith(e)), key=len, default="")
    return file[: len(file) - len(ending)]


def _plain_name(stem: str) -> str:
    """The stem of a file as vectors and judgments can be called; "" where nothing is left of it."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", stem).strip("._-")[:64]


def _vectors_place(name: str, _data: bytes, rows: VectorRows) -> str:
    ending = {"npz": ".npz", "parquet": ".parquet"}.get(rows.format, ".txt")
    return f"concept_vectors/{_plain_name(name_of_vectors(Path(name).name)) or 'vectors'}{ending}"


def _of_judgments(
    kind: str, title: str, folder: str, *elsewhere: str, expected: str, adds: str = ""
) -> PartKind:
    """Judgments of others, by people or by programs."""

    def place(name: str, _data: bytes, rows: Rows) -> str:
        stem = _plain_name(re.sub(r"(?<=.)\.[A-Za-z]{1,4}\Z", "", name_of_judgments(name))) or "judgments"
        ending = {"trec": "qrels", "jsonl": "jsonl", "parquet": "parquet"}.get(rows.format, "csv")
        return f"{folder}/{stem}.{ending}"

    return PartKind(
        kind,
        title,
        ((*(f"{folder}/*{ending}" for ending in OFJUDGMENTS), *elsewhere),),
        many=True,
        parse=parse_judgments,
        bind=lambda rows, problems, study, name="judgments": bind_judgments(
            rows, problems, study.images, by_program=kind == "judges", name=name
        ),
        kept_as=place,
        expected=expected,
        adds=adds,
        schemas=(JUDGMENTS,),
        has_content=lambda sample: _is_judged(sample, by_program=kind == "judges"),
        contents=_judgments,
    )


def _has_labels(rows: Rows) -> bool:
    return rows.rows > 0 and len(rows.data.column_names) > 1


def _label_types(rows: Rows) -> str:
    return f"{pluralize(rows.rows, 'image')}: {listed(rows.data.column_names[1:], limit=4)}"


def _vectors(rows: VectorRows) -> str:
    return f"{pluralize(rows.rows, 'vector')} of {count(rows.vectors.shape[1])} numbers"


def _judgments(rows: Rows) -> str:
    queries, raters = rows.codes("query")[0], raters_of(rows)[0]
    text = f"{pluralize(rows.rows, 'judgment')} of {pluralize(len(queries), 'query')}"
    return f"{text} by {pluralize(len(raters), 'rater')}" if raters else text


def _is_judged(sample: Sample, *, by_program: bool) -> bool:
    """Whether a table may be judgments of programs, or of people; those of the desk have more columns."""
    judges = named(sample.header, JUDGMENTS.columns[4].names) is not None
    others = {"task", "kind"} <= {*sample.header} or sample.named(RUN) > 0
    return judges == by_program and not others


def _is_called_group(sample: Sample) -> bool:
    """Whether a table of one label type is one of groups, by the name of the type or of the file."""
    called = sample.width == 2 and (
        is_called_group(sample.header[1]) or "group" in Path(sample.file).name.lower()
    )
    return sample.has_ids and called


def _is_about_concepts(sample: Sample) -> bool:
    """Whether a table that seems to name or sort concepts is not one of the concepts of images."""
    at = named(sample.header, NAME_TABLE.columns[0].names)
    return at is not None and sample.has_concepts(at) and sample.header[0] not in ("name", "file", "image")


_ALL = (
    PartKind(
        "concepts",
        "Concepts",
        (
            *_named("concepts"),
            ("concepts.parquet",),
            *_named("*_concepts"),
            ("concepts/*.parquet",),
            ("data/*.parquet",),
            ("*.parquet",),
        ),
        parse=parse_concepts,
        used=lambda rows: any(rows.sets.values()),
        kept_as=lambda name, data, _rows: (
            f"data/{safe_name(Path(name).stem)}.parquet" if data[:4] == b"PAR1" else "concepts.csv"
        ),
        expected="Rows such as image_1,C0040405;C0817096 under the header ID,CUIs; "
        "other ids such as HP:0002088 too.",
        adds="what is in each image; nothing is scored without them",
        schemas=(CONCEPTS,),
        has_content=lambda sample: named(sample.header[1:], CUI_NAMES) is not None,
        has_shape=lambda sample: (
            sample.has_concepts(1)
            if sample.has_ids
            else not sample.has_concepts(0) and any(map(sample.has_concepts, range(1, sample.width)))
        ),
        contents=lambda rows: pluralize(len(rows.sets), "image"),
    ),
    PartKind(
        "captions",
        "Captions",
        _named("captions", "*_captions"),
        parse=parse_captions,
        used=lambda rows: bool(texts_in(rows)),
        bind=lambda rows, problems, study: bind_captions(
            rows, problems, study.images, study.own and study.own.texts
        ),
        kept_as="captions.csv",
        expected="Rows such as image_1,CT of the chest under the header ID,Caption.",
        adds="words beside the pictures, and concepts found in them",
        schemas=(CAPTIONS,),
        has_content=lambda sample: named(sample.header[1:], CAPTION_NAMES) is not None,
        has_shape=lambda sample: (
            sample.width == 2 and not sample.has_ids and any(" " in cell for cell in sample.columns[1])
        ),
        contents=lambda rows: pluralize(len(texts_in(rows)), "caption"),
    ),
    PartKind(
        "labels",
        "Labels",
        _named("labels", "*_labels"),
        parse=parse_labels,
        used=_has_labels,
        bind=lambda rows, problems, study: bind_labels(
            rows, problems, study.images, study.own and study.own.labels
        ),
        useful=_is_labelled,
        kept_as="labels.csv",
        expected="One column per label type under a header such as ID,modality,organ.",
        adds="groups of queries, such as modality or organ",
        has_shape=lambda sample: (
            sample.has_ids and not sample.has_concepts(1) and not _is_called_group(sample)
        ),
        contents=_label_types,
    ),
    PartKind(
        "groups",
        "Groups",
        _named("groups"),
        parse=parse_labels,
        used=_has_labels,
        bind=lambda rows, problems, study: bind_labels(rows, problems, study.images),
        useful=_is_labelled,
        kept_as="groups.csv",
        expected="Rows such as img_1,p_17 under the header ID,patient: which images belong together.",
        has_shape=_is_called_group,
        contents=_label_types,
    ),
    PartKind(
        "graph",
        "Concept graph",
        (
            (
                *(f"graph/*{e}" for e in packed(".csv", ".tsv", ".obo", ".json", *UNREAD)),
                *("graph/*.graphml", "graph/*.xml", *packed("graph/mrrel.rrf")),
                *("graph/mrrel_[2-9].rrf", "graph/mrrel_[1-9][0-9].rrf"),
            ),
            (
                *("edges.csv", "edges.tsv", "edges.csv.gz", *packed("mrrel.rrf"), "*.obo", "*.graphml"),
                *(f"*{ending}" for ending in UNREAD),
            ),
        ),
        many=True,
        parse=parse_graph,
        used=lambda edges: edges.links.num_rows > 0,
        kept_as=lambda name, _data, edges: (
            "graph/MRREL.RRF"
            if edges.format == "MRREL"
            else f"graph/{safe_name(stem_of(name))}{_OF_GRAPHS.get(edges.format, '.csv')}"
        ),
        expected="Rows child,parent (CSV), or MRREL.RRF, OBO, GraphML; ROBOT converts "
        "OWL. An ontology names its concepts too.",
        adds="credit for related concepts",
        schemas=(EDGES,),
        has_shape=lambda sample: sample.has_concepts(0) and sample.has_concepts(1) and not sample.has_ids,
        contents=lambda edges: pluralize(edges.rows, "link"),
    ),
    PartKind(
        "neighbours",
        "Neighbours",
        (sum(_named("neighbours", "neighbors"), ()),),
        schemas=(NEIGHBOURS,),
        parse=parse_neighbours,
        bind=lambda rows, problems, study: bind_neighbours(rows, problems, study.concepts.vocabulary),
    ),
    PartKind(
        "names",
        "Concept names",
        (("names.csv", "names.tsv", "names.csv.gz"), packed("mrconso.rrf", "graph/mrconso.rrf")),
        many=True,
        parse=parse_names,
        bind=_bind_names,
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
        "concept_vectors",
        "Concept vectors",
        (tuple(f"concept_vectors/*{e}" for e in VECTOR_ENDINGS),),
        many=True,
        parse=parse_concept_vectors,
        bind=lambda rows, problems, study, name="vectors", metric="cosine": bind_concept_vectors(
            rows, problems, name=name, metric=metric, concepts=study.concepts
        ),
        kept_as=_vectors_place,
        expected="word2vec as text, cui2vec’s CSV, .npz or .parquet. No pickles.",
        contents=_vectors,
    ),
    PartKind(
        "concept_kinds",
        "Kinds of concepts",
        (("kinds.csv", "kinds.tsv", "kinds.csv.gz", *packed("mrsty.rrf", "graph/mrsty.rrf")),),
        many=True,
        parse=parse_kinds,
        bind=_bind_kinds,
        kept_as=lambda _name, _data, rows: "MRSTY.RRF" if rows.format == "MRSTY" else "kinds.csv",
        expected="Rows such as C0032227,finding under the header cui,kind, or MRSTY.RRF.",
        schemas=(KIND_TABLE,),
        has_content=_is_about_concepts,
        contents=lambda rows: pluralize(rows.rows, "concept"),
    ),
    _of_judgments(
        "judgments",
        "Judgments",
        FOLDER,
        *ELSEWHERE,
        expected="TREC qrels, or rows query,result,value (reader,query,result,value of several readers).",
        adds="scores by what people said is relevant",
    ),
    _of_judgments(
        "judges",
        "Judgments of a program",
        OF_PROGRAMS,
        expected="The same of a language model or classifier: rows judge,query,result,value.",
    ),
    PartKind("corpus", "Texts of documents and queries", (OF_TEXTS,), many=True, parse=parse_corpus),
    PartKind(
        "images",
        "Pictures",
        (("images",), ("images.zip",)),
        expected="JPEG, PNG or TIFF files named by image id, or a zip of them.",
        adds="pictures beside the scores",
    ),
    PartKind(
        "run",
        "System: ranking",
        (packed(*(f"run{e}" for e in RUN_ENDINGS)),),
        of_a_system=True,
        parse=parse_run,
        bind=lambda rows, problems, study, system: bind_run(
            rows, problems, study.images, system=system, queries=study.queries
        ),
        kept_as=lambda name, _data, _rows: next(
            (f"run{e}" for e in RUN_ENDINGS if name.lower().removesuffix(".gz").endswith(e)), "run.trec"
        ),
        expected="TREC with six columns, CSV query,candidate,score, or JSON; also gzipped.",
        adds="a system to compare",
        schemas=(RUN,),
        has_shape=lambda sample: (
            sample.width in (3, 4) and sample.has_numbers(2) and not sample.has_concepts(0)
        ),
        contents=lambda rows: (
            f"{pluralize(len(rows.codes('query')[0]), 'query')}, {pluralize(rows.rows, 'result')}"
        ),
    ),
    PartKind(
        "embeddings",
        "System: vectors",
        (("embeddings.npz", "embeddings.npy", "embeddings.parquet", "embeddings.csv"),),
        of_a_system=True,
        parse=parse_embeddings,
        bind=lambda rows, problems, study, system: bind_embeddings(
            rows, problems, study.images, system=system
        ),
        kept_as=lambda _name, _data, rows: (
            f"embeddings{ {'parquet': '.parquet', 'text': '.csv'}.get(rows.format, '.npz') }"
        ),
        expected="npz with ids and vectors, parquet, or CSV with an id and the numbers in each row.",
        adds="similarity as a system sees it, and larger result lists",
        contents=_vectors,
    ),
    PartKind(
        "ids",
        "System: image ids",
        (("ids.txt", "ids.csv", "embeddings.ids.txt", "embeddings_ids.txt", "embeddings.txt"),),
        of_a_system=True,
    ),
    PartKind(
        "queries",
        "Queries",
        (("queries.txt", "queries.csv"),),
        parse=parse_queries,
        kept_as="queries.csv",
        expected="Rows id,kind,text,image,concepts: queries that are texts, reports or pictures of their "
        "own.",
        schemas=(QUERIES,),
        has_content=lambda sample: is_table(sample.header),
        contents=lambda rows: pluralize(rows.rows, "query"),
    ),
    PartKind(
        "pairs",
        "Matched pairs",
        (("pairs.csv", "pairs.tsv"),),
        parse=parse_pairs,
        bind=lambda rows, problems, study: bind_pairs(rows, problems, study.images),
        kept_as="pairs.csv",
        expected="Rows query,candidate: which candidate each query was matched with.",
        schemas=(PAIRS,),
        contents=lambda rows: pluralize(rows.rows, "pair"),
    ),
    PartKind("candidates", "Candidates", (("candidates.txt", "candidates.csv"),), parse=parse_id_list),
)
KINDS: Mapping[str, PartKind] = {kind.name: kind for kind in _ALL}
OF_A_STUDY: tuple[str, ...] = tuple(kind.name for kind in _ALL if not kind.of_a_system)
OF_A_SYSTEM = tuple(kind.name for kind in _ALL if kind.of_a_system)
IN_UPLOADS = tuple(kind.name for kind in _ALL if kind.in_uploads)
