"""Labels of images: ``ID,modality,organ,...``, one column per label type, ``;`` between several values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalcore.study.concepts.concepts import CUI_NAMES
from evalcore.study.tables.files import within_memory_limit
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, quoted, reader
from evalcore.study.tables.schema import IMAGE, NO_ROWS, Column, Rows, Rule, Schema, no_rows
from evalcore.values.arrays import digest_of, indptr_of, readonly
from evalcore.values.concept_scheme import describe, read_as, recognised
from evalcore.values.model import ConceptSets, LabelColumn, Labels

MAX_TYPES = 500
"""Most label types of a study: each has its values for every image."""
_CELL_BYTES = 100
"""What a value of an image takes in memory."""


Values = Mapping[str, tuple[str, ...]]
"""The values of a label type by image id."""

LABELS = Schema(
    (IMAGE,),
    remedy="Give each column of the header one cell; separate several values with ';'.",
    header="first",
    others="keep",
    keys=("id",),
)


@reader(lambda file: no_rows(file, LABELS))
def parse_labels(data: bytes, problems: Problems) -> Rows:
    """Read a label file: the ids, and a column for each label type, which the first row names.

    The readable rows, and every problem: wrong column counts, duplicate ids, columns without a name or with
    the name of another one (left out), more than ``MAX_TYPES`` (none is read). An empty cell means "no such
    label".
    """
    rows = read(data, LABELS, problems)
    header, nothing = rows.header, no_rows(problems.file, LABELS)
    if not header:
        return nothing
    if header[0].lower() not in IMAGE.names:
        message = f"The first row is taken for the header although it starts with {quoted(header[0])}."
        problems.warning(
            "no-header", message, "Let the first row name the columns: ID,modality,organ.", line=1
        )
    if are_too_many(sum(map(bool, header[1:])), problems):
        return nothing
    types = _types(header, problems)
    if not within_memory_limit(problems, len(types) * rows.rows, _CELL_BYTES):
        return nothing
    return replace(rows, data=rows.data.select([0, *types]).rename_columns(["id", *types.values()]))


def split_values(cell: str) -> tuple[str, ...]:
    """Values of a cell, each once, in order.

    >>> split_values("CT; MR;;CT")
    ('CT', 'MR')
    """
    return tuple(dict.fromkeys(value for part in cell.split(";") if (value := part.strip()))) if cell else ()


def bind_labels(
    rows: Rows, problems: Problems, images: KnownIds, of_queries: Mapping[str, Values] | None = None
) -> dict[str, LabelColumn]:
    """Align labels with the images of a study; unlisted images have no label, unknown ids are counted.

    ``of_queries``: labels of queries by label type, where the rows have none of the type for them. No column
    of the rows, with an error, where none is about an image of the study.
    """
    types = rows.data.column_names[1:]
    ids, known = rows.texts("id") if types else [], dict[str, Values]()
    for name in types if images.report_unlisted(problems, ids, "rows label images") else ():
        cells = rows.texts(name)
        values = {cell: split_values(cell) for cell in dict.fromkeys(cells)}  # cells repeat
        known[name] = {image: values[cell] for image, cell in zip(ids, cells, strict=True)}
    known |= {name: {**values, **known.get(name, {})} for name, values in (of_queries or {}).items()}
    columns = {
        name: label_column(name, (values.get(image, ()) for image in images.ids))
        for name, values in known.items()
    }
    for name, column in columns.items():
        if not len(column.indices):
            problems.warning("empty-column", f"No image of the study has a {name}.", "", value=name)
    return columns


def label_column(name: str, values: Iterable[tuple[str, ...]]) -> LabelColumn:
    """A label type from the values of each image in order; () for an image without one."""
    per_image = list(values)
    distinct = dict.fromkeys(per_image)
    names = tuple(sorted({value for row in distinct for value in row}))
    code = {value: i for i, value in enumerate(names)}
    coded = {row: sorted({code[value] for value in row}) for row in distinct}
    sizes = np.fromiter((len(coded[row]) for row in per_image), np.int64, len(per_image))
    indptr = indptr_of(sizes)
    indices = np.fromiter((i for row in per_image for i in coded[row]), np.int32, int(indptr[-1]))
    return LabelColumn(name, names, readonly(indptr), readonly(indices))


def all_labels(columns: Mapping[str, LabelColumn]) -> Labels | None:
    """All label types of a study with their digest; None without any."""
    if not columns:
        return None
    parts = [part for c in columns.values() for part in (c.name, c.values, c.indptr, c.indices)]
    return Labels(dict(columns), digest_of(*parts))


def are_too_many(n: int, problems: Problems) -> bool:
    """Whether there are more label types than a study can have, which is then an error."""
    if n > MAX_TYPES:
        message = f"There are {n:,} label types; at most {MAX_TYPES} are read, so none is."
        remedy = f"Delete columns until there are {MAX_TYPES}."
        problems.error("too-many-types", message, remedy, line=1, value=n)
    return n > MAX_TYPES


def type_name(name: str, problems: Problems, *, line: int) -> str:
    """A label type by a name that can stand in a measure, P(organ&modality)@5; reported where it changed."""
    usable = re.sub(r"\s*[=,&]+\s*", "_", name)
    if usable != name:
        message = f"The label type {quoted(name)} is called {quoted(usable)} here."
        remedy = "Measures join label types by & and options by commas: rename it without these and =."
        problems.warning("renamed-type", message, remedy, line=line, value=name)
    return usable


def _types(header: Sequence[str], problems: Problems) -> dict[int, str]:
    """Label type by column position."""
    types: dict[int, str] = {}
    for at, written in enumerate(header[1:], start=1):
        name = type_name(written, problems, line=1)
        if not name:
            remedy = f"Write its name in cell {at + 1} of the first row."
            problems.error("unnamed-column", f"Column {at + 1} has no name; it is left out.", remedy, line=1)
        elif name in types.values():
            message = f"Two columns are called {quoted(name)}; the second is left out."
            remedy = "Give each label type its own name."
            problems.error("duplicate-column", message, remedy, line=1, value=name)
        else:
            types[at] = name
    if not types:
        remedy = "Add one column per label type."
        problems.error("no-columns", "The file has no label column.", remedy, line=1)
    return types


# A label map ``label_type,label,cui``: labels that follow from the concepts of an image.
#
# The last column may be called concept too, as in a study whose concepts are no CUIs.

_MALFORMED = Rule(
    "malformed-row", "{value} is not a label type, a label and a concept.", "Correct the row; it is left out."
)
LABEL_MAP = Schema(
    (
        Column(("label_type", "column"), empty=_MALFORMED),
        Column(("label",), empty=_MALFORMED),
        Column(CUI_NAMES, empty=_MALFORMED),
    ),
    remedy="Let the first row be: label_type,label,cui. Give each column one cell.",
    no_rows=NO_ROWS,
)


@dataclass(frozen=True, slots=True, eq=False)
class LabelMap:
    """{label type: {CUI: labels}} in file order."""

    types: Mapping[str, Mapping[str, tuple[str, ...]]]
    rows: int


@reader(lambda _: LabelMap({}, 0))
def parse_label_map(data: bytes, problems: Problems, *, scheme: str | None = None) -> LabelMap:
    """Read a label map with the columns ``label_type``, ``label`` and ``cui``; others are ignored.

    One CUI may stand for several labels and a label for several CUIs. Rows with an empty cell or a
    malformed CUI are errors and left out; a repeated row is a warning. ``scheme``: of the study, else what
    most of the map's concepts are.
    """
    rows = read(data, LABEL_MAP, problems)
    scheme = scheme or recognised(rows.texts("cui"))
    types: dict[str, dict[str, tuple[str, ...]]] = {}
    called: dict[str, str] = {}
    columns = (rows.texts(name) for name in ("label_type", "label", "cui"))
    for line, kind, label, written in zip(rows.lines.tolist(), *columns, strict=True):
        cui = read_as(written, scheme)
        if cui is None:
            message = f"{quoted(written)} is not a {describe(scheme)}."
            problems.error(_MALFORMED.rule, message, _MALFORMED.remedy, line=line, value=written)
            continue
        if kind not in called:
            called[kind] = type_name(kind, problems, line=line)
        labels = types.setdefault(called[kind], {}).setdefault(cui, ())
        if label in labels:
            message = f"{cui} means {label} already."
            problems.warning("repeated-row", message, "Remove the row.", line=line, value=cui)
        types[called[kind]][cui] = tuple(dict.fromkeys((*labels, label)))
    if are_too_many(len(types), problems):
        return LabelMap({}, 0)
    return LabelMap(types, sum(len(labels) for of_cui in types.values() for labels in of_cui.values()))


def derive_labels(label_map: LabelMap, concepts: ConceptSets) -> dict[str, LabelColumn]:
    """Labels of each image from its concepts: a column for each label type, in the order of the map, with
    every label that the concepts lead to. An image without a mapped concept has no label."""
    columns: dict[str, LabelColumn] = {}
    for kind, of_cui in label_map.types.items():
        of_concept = [of_cui.get(cui, ()) for cui in concepts.vocabulary]
        values = [
            tuple(sorted({label for c in concepts.row(image) for label in of_concept[c]}))
            for image in range(len(concepts))
        ]
        columns[kind] = label_column(kind, values)
    return columns
