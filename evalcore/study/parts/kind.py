"""What a kind of part of a study is, and a study while its parts are read.

A kind of file is one declaration (`PartKind`), beside its schema in the file of this folder that is about it:
how it is named, recognised, read, matched with the images, taken from memory and written. ``layout`` finds
parts by their names, `recognise` by their content, ``study`` reads them, ``in_memory`` takes objects for
them, ``saving`` writes them, ``workspace.uploads`` tries a file before it is kept; the form of uploads and
the reference list what a declaration says.

What a function of the user's gives (see ``evalcore.register.register_format``) is taken as `make_study` takes
it: as a table that is checked as that of a file is, so that every rule of a part holds for it too.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, TypeVar

import pyarrow as pa

from evalcore.graph import ConceptGraph
from evalcore.study.graphs.obo import UNREAD
from evalcore.study.ids import StudyIds
from evalcore.study.tables.files import (
    MAX_RATIO,
    RATIO_FROM,
    max_bytes,
    open_file,
    packed,
    read_bytes,
    read_plain,
    report_unopened,
)
from evalcore.study.tables.frames import frame_of, frame_of_rows
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.problems import Problems, Refused, guarded, located, why
from evalcore.study.tables.schema import Rows, Sample, Schema
from evalcore.study.workspace.file_names import folder_name, place_in_words, readable, without_ending
from evalcore.values import plugins
from evalcore.values.arrays import Ints, position
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets, Part, Study
from evalcore.values.plugins import Plugin, PluginError, call
from evalcore.values.settings import Unknown
from evalcore.values.stores import Store, size_of
from evalcore.values.writing import pluralize

# Reading a file. One that was just parsed is not parsed again: its value is known by its name and content,
# not by date.

Value = TypeVar("Value")
Table = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""A header, and rows of values, each a cell; a row may end early."""
Files = Iterable[tuple[str, bytes | Table]]
Parse = Callable[..., tuple[Any, Report]]
ROOM = 64 << 20
"""Bytes of parsed files that are kept; a file that takes more is parsed whenever it is read."""
_KEPT: Store[tuple[Any, Report]] = Store(ROOM)


def parse_source(
    parse: Callable[..., tuple[Value, Report]], source: Any, problems: Problems, **options: Any
) -> Value | None:
    """What ``parse(content, file=..., **options)`` makes of a file by its path, of its content, or of a table
    in memory; None, with an error, of a file that cannot be opened.

    A file called .rrf is given to it as a stream, unpacked on the way when it is gzipped: it is never held
    whole, so no cap of ``limits`` concerns it but how far it may unpack. Every other is held whole and parsed
    once: kept is what was read without an error under the same cap, and nobody may change it. ``options``
    must be hashable, or lists; None counts as not given.
    """
    is_rrf = isinstance(source, Path) and ".rrf" in source.name.lower()
    try:
        if is_rrf:
            with open_file(source) as stream:
                is_packed = stream.read(2) == b"\x1f\x8b"
                stream.seek(0)
                content = _Unpacked(stream) if is_packed else stream
                value, report = parse(content, file=problems.file, **options)
            problems.include(report)
            return value
        data = read_plain(source, problems) if isinstance(source, Path) else source
    except Refused:
        return None
    except OSError as reason:
        report_unopened(problems, reason)
        return None
    key, kept = None, None
    if isinstance(data, bytes):
        chosen = {name: tuple(given) if isinstance(given, list) else given for name, given in options.items()}
        set_options = frozenset((name, option) for name, option in chosen.items() if option is not None)
        digest = hashlib.blake2b(data, digest_size=32).digest()
        key = (parse, problems.file, digest, max_bytes(), set_options)
        kept = _KEPT.get(key)
    if kept is None:
        kept = parse(data, file=problems.file, **options)
        if key is not None and not kept[1].total("error") and size_of(kept[0]) <= ROOM:
            _KEPT.keep(key, kept)
    problems.include(kept[1])
    return kept[0]


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


# What a kind of part is.

TABLE = packed(".csv", ".tsv", ".txt")
"""Endings of tables."""
_ENDINGS = (
    *(".trec", ".txt", ".csv", ".tsv", ".json", ".qrels", ".npz", ".npy", ".parquet", ".rrf", ".obo"),
    *(".graphml", ".xml", *UNREAD),
)


def tables_named(*stems: str) -> tuple[tuple[str, ...], ...]:
    """Groups of the names of tables, a group for each stem."""
    return tuple(tuple(f"{stem}{ending}" for ending in TABLE) for stem in stems)


def plain_name(stem: str) -> str:
    """The stem of a file as vectors and judgments can be called; "" where nothing is left of it."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", stem).strip("._-")[:64]


def stem_of(name: str) -> str:
    """The name of a file without the ending that says its form.

    >>> stem_of("umls.2024.csv.gz"), stem_of("ResNet v1.5"), stem_of(".csv")
    ('umls.2024', 'ResNet v1.5', '.csv')
    """
    custom = (known.ending for known in plugins.registered("reader").values())
    return without_ending(name, (*packed(*_ENDINGS, *custom), ".gz"))


def _unsupported(*_values: Any, **_options: Any) -> Any:
    raise TypeError("there is nothing that reads such a part")


def _has_rows(value: Any) -> bool:
    return value is not None and getattr(value, "rows", 1) > 0


@dataclass(frozen=True, slots=True, eq=False)
class PartKind:
    """One kind of part.

    ``known``: groups of conventional names, lower case, below the study folder (of a system: in its folder);
    the first group with a file counts, and takes the forms that users registered too (``names``). ``many``:
    all its files count together.

    ``parse`` reads a file and ``used`` says whether the value holds anything; ``bind(value, problems,
    opening)`` gives what is left of it in a study that is being opened, with its ``system``, ``name`` or
    ``metric`` where it has one (an upload is tried with the study that still has the file it would
    replace); ``useful`` says whether that is anything: for a study that opens, and for a file that is tried
    before it is kept. ``study_field``: what it becomes in a `Study`, which ``read`` gives; by default what is
    left of its only file.

    ``of_object(value, problems)``: the table that an object in memory is; raises ValueError, TypeError,
    KeyError or AttributeError for any other object, for which ``accepted`` says what to give. A
    DataFrame is a table already, unless ``of_frames`` says that it is called for these too. ``write(study)``:
    its files by their paths in a study folder, each with its bytes or as a table.

    ``kept_as``: the name that an upload gets in the study folder or in that of its system, or what makes it
    of the file's name, content and value. Kinds without it cannot be uploaded as single files (pictures are
    no single file): see `registry.IN_UPLOADS`.

    ``expected``: what a file of it looks like, for whoever adds one; ``adds``: what it is good for;
    ``contents``: how much a value holds, in words. ``schemas``: of its tables, by whose headers it is
    recognised where ``has_content`` agrees; ``has_shape`` recognises it by the cells of a table whose header
    says nothing. ``ids``: the columns of its tables that name images.
    """

    name: str
    title: str
    known: tuple[tuple[str, ...], ...]
    of_a_system: bool = False
    many: bool = False
    parse: Parse = _unsupported
    used: Callable[[Any], bool] = _has_rows
    bind: Callable[..., Any] = lambda value, _problems, _opening: value
    useful: Callable[[Any], bool] = bool
    study_field: str = ""
    read: Callable[[Opening], Any] | None = None
    of_object: Callable[[Any, Problems], Any] = _unsupported
    of_frames: bool = False
    accepted: str = ""
    write: Callable[[Study], Files] = lambda _study: ()
    kept_as: str | Callable[[str, bytes, Any], str] = ""
    expected: str = ""
    adds: str = ""
    schemas: tuple[Schema, ...] = ()
    has_content: Callable[[Sample], bool] = lambda _sample: True
    has_shape: Callable[[Sample], bool] = lambda _sample: False
    contents: Callable[[Any], str] = lambda value: pluralize(value.rows, "row")
    ids: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Groups of conventional names, with those of files that users' readers read."""
        custom = plugins.registered("reader").values()
        more = (f"{self.name}{known.ending}" for known in custom if known.part.name == self.name)
        return ((*self.known[0], *more), *self.known[1:])

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

    def source_of(self, value: Any, problems: Problems, *, filled: bool = False) -> Any:
        """What a part is read from that `make_study` is given: the table of an object, or the path of a file.

        ``filled``: whether a table without rows is an error too. None, with an error, for an object that
        cannot be such a part.
        """
        if isinstance(value, (str, os.PathLike)):
            return Path(value)
        try:
            frame = None if self.of_frames else frame_of(value)
            table = self.of_object(value, problems) if frame is None else frame
            table = frame_of_rows(*table) if isinstance(table, tuple) else table
            if not (filled and isinstance(table, pa.Table) and not table.num_rows):
                return table
            because = "there is nothing in it"
        except Refused:
            return None
        except (ValueError, TypeError, KeyError, AttributeError, pa.ArrowException) as reason:
            because = str(reason) if isinstance(reason, (TypeError, ValueError)) else why(reason)
        what = type(value).__name__
        message = f"An object of the type {what} cannot be read as {self.name.replace('_', ' ')}: {because}."
        problems.error("wrong-shape", message, self.accepted, value=what)
        return None


def system_folders(study: Study) -> dict[str, str]:
    """The folder below ``systems`` that each system of a study, in all its directions, is written to."""
    folders: dict[str, str] = {}
    for system in replace(study, directions=()).systems:
        folders[system] = folder_name(system, [*folders.values()])
    return folders


# Forms of files that users read by functions of their own.

FORMATS = ("run", "embeddings", "concepts", "captions", "labels", "groups")
"""Parts of a study that can be read so."""


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A form of files: of which part, by which ending, and the function that reads it."""

    part: PartKind
    ending: str
    plugin: Plugin

    def parse(self, data: bytes, *, file: str, **options: Any) -> tuple[Any, Report]:
        """The rows of a file, and its problems; only the error where the function fails."""
        problems, source, parse = Problems(file), None, self.part.parse
        try:
            result = call(self.plugin, data, about=lambda: file)
        except PluginError as error:
            problems.error("reader-failed", str(error), "Correct the reader or the file.")
        else:
            if isinstance(result, (str, bytes, os.PathLike)):  # would be the path of another file
                message = f"The reader of {self.plugin.file} gave a text, not a {self.part.name}."
                problems.error("wrong-shape", message, "See register_format for what it must give.")
            else:
                source = self.part.source_of(result, problems)
        if source is None:
            return parse(b"", file=file, **options)[0], problems.report()
        value, report = parse(source, file=file, **options)
        if not report.counts and not getattr(value, "rows", 1):
            message = f"The reader of {self.plugin.file} gave nothing."
            problems.error("empty-file", message, "Check that the file was copied completely.")
            report = problems.report()
        return value, located(report, {file})


def custom_format(part: str, file: str) -> Format | None:
    """The form of a user that a file of a part is of, by its ending; None for the program's own."""
    custom = plugins.registered("reader").values()
    of_part = (known for known in custom if known.part.name == part)
    return next((known for known in of_part if file.lower().endswith(known.ending)), None)


# A study while it is opened.

TOML = "study.toml"


@dataclass(frozen=True, slots=True)
class StudyToml:
    """What ``study.toml`` says, all of it optional. Kinds missing from ``files`` are found by convention.

    ``systems``: {name: {kind: file}}, None where the folders say which there are. ``vector_metrics``: how
    vectors of concepts are compared, by their name; the rest by the cosine. ``reads``: by system.
    """

    name: str = ""
    description: str = ""
    baseline: str = ""
    group: str = ""
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    systems: Mapping[str, Mapping[str, str]] | None = None
    graph_sources: tuple[str, ...] | None = None
    graph_rela: tuple[str, ...] | None = None
    scheme: str | None = None
    vector_metrics: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a study, checked to lie inside its folder.

    ``systems``: {name: {part: file}}.
    """

    root: Path
    toml: StudyToml
    files: Mapping[str, tuple[Path, ...]]
    systems: Mapping[str, Mapping[str, Path]]

    def name_of(self, path: Path) -> str:
        """A path as messages name it, whatever bytes it holds: relative to the study folder; of a file in
        memory that lies elsewhere, as `place_in_words`."""
        inside = path.is_relative_to(self.root)
        return readable(path.relative_to(self.root).as_posix()) if inside else place_in_words(path)


@dataclass(slots=True)
class Opening:
    """A study so far: where its files are, what was read and bound, and the problems.

    ``parts``: the files that were read, by kind and path; ``parsed``: those of them that are not bound
    yet. ``concept_rows``: concepts by image as files have them; ``judged``: kind and rows of the files of
    judgments, by name; ``own``: the queries of ``queries.csv``, None without such a table; ``lists``: the
    ids of ``queries.txt`` and ``candidates.txt``; ``pairs``: those of ``pairs.csv``. ``scored``: whether
    there is something to score by besides concepts. ``graph_names``: what graph files call their
    concepts. ``values``: parts that are bound. ``concepts``, ``images``, ``ids`` and ``queries`` (of all
    directions, as image indices) are there once it is settled which ids are what.
    """

    layout: Layout
    problems: Problems
    kinds: Mapping[str, PartKind]
    unknown: Unknown = "error"
    parts: dict[tuple[str, Path], Part] = field(default_factory=dict)
    scheme: str = UMLS
    concept_rows: Any = None
    judged: dict[str, tuple[str, Rows]] = field(default_factory=dict)
    own: Any = None
    lists: dict[str, Rows] = field(default_factory=dict)
    pairs: Rows | None = None
    scored: bool = False
    graph_names: list[pa.Table] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    concepts: ConceptSets = field(init=False)
    images: KnownIds = field(init=False)
    ids: StudyIds = field(init=False)
    queries: Ints = field(init=False)
    parsed: dict[tuple[str, Path | None], Any] = field(default_factory=dict)

    def read(self, kind: str, path: Path | None = None, **options: Any) -> Any:
        """The parsed value of a file, by default the first of its kind; None where there is none, or it
        cannot be read.

        A file is parsed once; it is a part of the study then, and its problems are those of the study.
        """
        path = path or next(iter(self.layout.files[kind]), None)
        if path is None:
            return None
        if (kind, path) not in self.parsed:
            name = self.layout.name_of(path)
            custom = custom_format(kind, name)
            parse = (custom or self.kinds[kind]).parse
            self.parsed[kind, path] = value = parse_source(parse, path, self.problems.of(name), **options)
            rows = getattr(value, "rows", 0)
            form = getattr(value, "format", "csv") if custom is None else str(custom.plugin)
            self.parts[kind, path] = Part(kind, name, form, rows, bool(rows))
        self.parts[kind, path] = self.parts.pop((kind, path))  # in the order in which they are used
        return self.parsed[kind, path]

    def system_file(self, kind: str, files: Mapping[str, Path]) -> Any:
        """The parsed ranking ("run") or vectors ("embeddings") of a system with these files; None without."""
        if kind not in files:
            return None
        options: dict[str, Any] = {}
        if kind == "embeddings" and "ids" in files and (kind, files[kind]) not in self.parsed:
            of_ids = self.problems.of(self.layout.name_of(files["ids"]))
            with suppress(Refused):
                options["ids"] = read_bytes(files["ids"], of_ids)
        return self.read(kind, files[kind], **options)

    def bind(self, kind: str, value: Any, file: str = "", **options: Any) -> Any:
        """What is left of a parsed value in the study; None without a value.

        Its file counts as used where that is useful.
        """
        if value is None:
            return None
        of_kind = self.kinds[kind]
        name = file or getattr(value, "file", "")
        of_file, bind = self.problems.of(name), of_kind.bind
        bound = guarded(of_file, lambda problems: bind(value, problems, self, **options), None)
        for key, part in self.parts.items():
            if (part.kind, part.file) == (kind, name):
                self.parts[key] = replace(part, used=bound is not None and of_kind.useful(bound))
        return bound

    def knows(self, concept: str) -> bool:
        """Whether an image or the graph has a concept, or may have it as the graph was not read."""
        if position(self.concepts.vocabulary, concept) >= 0:
            return True
        graph: ConceptGraph | None = self.values.get("graph")
        if graph is None:
            return "graph" not in self.values and bool(self.layout.files["graph"])
        return graph.index(concept) >= 0
