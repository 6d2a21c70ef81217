"""Labels of images: ``ID,modality,organ,...``, one column per label type, ``;`` between several values.

``groups.csv`` is such a table too: its first column says which images belong together, such as those of one
patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.study.parts.concepts import CUI_NAMES
from evalcore.study.parts.kind import TOML, Files, Opening, PartKind, Table, tables_named
from evalcore.study.tables.files import check_memory, reader
from evalcore.study.tables.frames import items
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.load import place_of_key, read
from evalcore.study.tables.problems import Problems, Rule, quoted, truncate
from evalcore.study.tables.schema import IMAGE, NO_ROWS, Column, Rows, Sample, Schema, no_rows
from evalcore.values.arrays import indptr_of, readonly
from evalcore.values.concept_scheme import describe, read_as, recognised
from evalcore.values.grouping import GROUP_NAME, groups_of_column, names_groups
from evalcore.values.model import ConceptSets, Groups, LabelColumn, Study
from evalcore.values.writing import listed, pluralize

MAX_TYPES = 500
"""Most label types of a study: each has its values for every image."""
_CELL_BYTES = 100
"""What a value of an image takes in memory."""


Cells = Mapping[str, str]
"""What a table says of each image in a column of labels, by id: values with ``;`` between."""
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
    header = rows.header
    if not header:
        return no_rows(problems.file, LABELS)
    if (ids := place_of_key(header, LABELS)) is None:
        message = f"The first row is taken for the header although it starts with {quoted(header[0])}."
        problems.warning(
            "no-header", message, "Let the first row name the columns: ID,modality,organ.", line=1
        )
    others = [at for at in range(len(header)) if at != (ids or 0)]
    check_number(sum(bool(header[at]) for at in others), problems)
    types = _types(header, others, problems)
    check_memory(problems, len(types) * rows.rows, _CELL_BYTES)
    columns = [1 + others.index(at) for at in types]
    return replace(rows, data=rows.data.select([0, *columns]).rename_columns(["id", *types.values()]))


def bind_labels(
    rows: Rows, problems: Problems, images: KnownIds, of_queries: Mapping[str, Cells] | None = None
) -> dict[str, LabelColumn]:
    """Align labels with the images of a study; unlisted images have no label, unknown ids are counted.

    Of several values in a cell each counts once. ``of_queries``: cells of queries by label type, where the
    rows have none of the type for them. No column of the rows, with an error, where none is about an image of
    the study.
    """
    types = rows.data.column_names[1:]
    ids, known = rows.texts("id") if types else [], dict[str, Cells]()
    if images.report_unlisted(problems, ids, "row"):
        known = {name: dict(zip(ids, rows.texts(name), strict=True)) for name in types}
    known |= {name: {**cells, **known.get(name, {})} for name, cells in (of_queries or {}).items()}
    columns: dict[str, LabelColumn] = {}
    for name, cells in known.items():
        values = {  # cells repeat
            cell: tuple(dict.fromkeys(value for part in cell.split(";") if (value := part.strip())))
            for cell in {"", *cells.values()}
        }
        column = label_column(name, (values[cells.get(image, "")] for image in images.ids))
        columns[name] = column
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


def check_number(n: int, problems: Problems) -> None:
    """Refuse more label types than a study can have."""
    if n > MAX_TYPES:
        message = f"There are {n:,} label types; at most {MAX_TYPES} are read, so none is."
        remedy = f"Delete columns until there are {MAX_TYPES}."
        problems.refuse("too-many-types", message, remedy, line=1, value=n)


def type_name(name: str, problems: Problems, *, line: int) -> str:
    """A label type by a name that can stand in a measure, P(organ&modality)@5; reported where it changed."""
    usable = re.sub(r"\s*[=,&]+\s*", "_", name)
    if usable != name:
        message = f"The label type {quoted(name)} is called {quoted(usable)} here."
        remedy = "Measures join label types by & and options by commas: rename it without these and =."
        problems.warning("renamed-type", message, remedy, line=line, value=name)
    return usable


def _types(header: Sequence[str], others: Sequence[int], problems: Problems) -> dict[int, str]:
    """Label type by its place in a header; ``others``: all places but that of the ids."""
    types: dict[int, str] = {}
    for at in others:
        name = type_name(header[at], problems, line=1)
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
    "malformed-row",
    "'{value}' is not a label type, a label and a concept.",
    "Correct the row; it is left out.",
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


LabelMap = Mapping[str, Mapping[str, tuple[str, ...]]]
"""{label type: {CUI: labels}} in file order."""


@reader(lambda _: {})
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
    check_number(len(types), problems)
    return types


def derive_labels(label_map: LabelMap, concepts: ConceptSets) -> dict[str, LabelColumn]:
    """Labels of each image from its concepts: a column for each label type, in the order of the map, with
    every label that the concepts lead to. An image without a mapped concept has no label."""
    columns: dict[str, LabelColumn] = {}
    for kind, of_cui in label_map.items():
        of_concept = [of_cui.get(cui, ()) for cui in concepts.vocabulary]
        values = [
            tuple(sorted({label for c in concepts.row(image) for label in of_concept[c]}))
            for image in range(len(concepts))
        ]
        columns[kind] = label_column(kind, values)
    return columns


# As parts of a study.


def _read_labels(opening: Opening) -> Mapping[str, LabelColumn]:
    """Labels of the label file and of queries."""
    rows = opening.read("labels")
    if rows is None and opening.own is not None and opening.own.labels:
        rows = no_rows(opening.own.file, LABELS)
    return opening.bind("labels", rows) or {}


def _read_groups(opening: Opening) -> Groups | None:
    """Which images belong together: the column ``study.toml`` names, else that of ``groups.csv``.

    Without either, columns of labels that look like groups are proposed.
    """
    rows, name = opening.read("groups"), opening.layout.toml.group
    columns: dict[str, LabelColumn] = {**opening.values["labels"]}
    if rows is not None:
        own = bind_labels(rows, opening.problems.of(rows.file), opening.images)
        columns |= own
        name = name or next(iter(own), "")
    of_labels = next(
        (part.file for (kind, _), part in opening.parts.items() if kind == "labels"), "labels.csv"
    )
    problems = opening.problems.of(TOML if opening.layout.toml.group else of_labels)
    if name and name not in columns:
        message = "No column of labels.csv or groups.csv is called '{value}': no groups."
        known = [*columns] or ["none"]
        problems.error("no-such-group", message, "Name one of these: {known}.", value=name, known=known)
    for proposed, column in columns.items() if not name else ():
        if names_groups(proposed, column):
            n, images = len(column.values), int(column.labelled.sum())
            message = (
                "'{value}' has {n} values on {images} images: it looks like a group, such as a patient, "
                "whose images count as independent."
            )
            remedy = 'Write group = "{value}" in study.toml: results of the own group are then left out.'
            problems.warning("looks-like-groups", message, remedy, value=proposed, n=n, images=images)
    return groups_of_column(columns[name]) if name in columns else None


def by_column(value: Any, _problems: Problems) -> Table:
    """The table of {id: {column: value or values}}."""
    if other := [cells for _, cells in items(value) if not isinstance(cells, Mapping)]:
        raise ValueError(f"{truncate(other[0])!r} is no mapping of columns to values")
    columns = list(dict.fromkeys(name for _, cells in items(value) for name in cells))
    return ("ID", *columns), ((row, *map(cells.get, columns)) for row, cells in items(value))


def label_rows(study: Study, labels: Mapping[str, LabelColumn]) -> Table:
    """Header and rows of labels.csv: one row per image, values joined by ``;``.

    The column of ids has a name that no label type has.
    """
    taken = {name.lower() for name in labels}
    first = next(name for name in ("ID", *IMAGE.names) if name.lower() not in taken)
    rows = (
        (image, *(";".join(column.of_image(i)) for column in labels.values()))
        for i, image in enumerate(study.image_ids)
    )
    return (first, *labels), rows


def _write_labels(study: Study) -> Files:
    if study.labels:
        yield "labels.csv", label_rows(study, study.labels)


def _write_groups(study: Study) -> Files:
    if study.groups is not None:
        pairs = zip(study.image_ids, study.groups.of_image.tolist(), strict=True)
        groups = ((image, None if group < 0 else f"group {group}") for image, group in pairs)
        yield "groups.csv", (("ID", study.groups.name), groups)


def _has_labels(rows: Rows) -> bool:
    return rows.rows > 0 and len(rows.data.column_names) > 1


def _is_labelled(columns: Mapping[str, LabelColumn]) -> bool:
    """Whether an image has a label of any type."""
    return any(len(column.indices) for column in columns.values())


def _label_types(rows: Rows) -> str:
    return f"{pluralize(rows.rows, 'image')}: {listed(rows.data.column_names[1:], limit=4)}"


def _is_called_group(sample: Sample) -> bool:
    """Whether a table of one label type is one of groups, by the name of the type or of the file."""
    called = sample.width == 2 and (
        GROUP_NAME.fullmatch(sample.header[1]) is not None or "group" in Path(sample.file).name.lower()
    )
    return sample.has_ids and called


PARTS = (
    PartKind(
        "labels",
        "Labels",
        tables_named("labels", "*_labels"),
        parse=parse_labels,
        used=_has_labels,
        bind=lambda rows, problems, opening: bind_labels(
            rows, problems, opening.images, opening.own and opening.own.labels
        ),
        useful=_is_labelled,
        study_field="labels",
        read=_read_labels,
        of_object=by_column,
        accepted="Give a DataFrame with the column ID and one per label type, or {image: {type: value}}.",
        write=_write_labels,
        kept_as="labels.csv",
        expected="One column per label type under a header such as ID,modality,organ.",
        adds="groups of queries, such as modality or organ",
        has_shape=lambda sample: (
            (sample.has_ids or (sample.names_ids and not sample.has_concepts(0)))
            and not sample.has_concepts(1)
            and not _is_called_group(sample)
        ),
        contents=_label_types,
        ids=("id",),
    ),
    PartKind(
        "groups",
        "Groups",
        tables_named("groups"),
        parse=parse_labels,
        used=_has_labels,
        bind=lambda rows, problems, opening: bind_labels(rows, problems, opening.images),
        useful=_is_labelled,
        study_field="groups",
        read=_read_groups,
        of_object=lambda value, _problems: (("ID", "group"), items(value)),
        accepted="Give {image: group}, a DataFrame (ID and patient), or the name of a label type.",
        write=_write_groups,
        kept_as="groups.csv",
        expected="Rows such as img_1,p_17 under the header ID,patient: which images belong together.",
        has_shape=_is_called_group,
        contents=_label_types,
        ids=("id",),
    ),
)
