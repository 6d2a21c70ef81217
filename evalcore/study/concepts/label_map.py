"""A label map ``label_type,label,cui``: labels that follow from the concepts of an image.

The last column may be called concept too, as in a study whose concepts are no CUIs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalcore.study.concepts.concepts import CUI_NAMES
from evalcore.study.concepts.labels import MAX_TYPES, label_column, report_many_types, type_name
from evalcore.study.tables import tables
from evalcore.study.tables.guard import reader
from evalcore.study.tables.problems import Problems
from evalcore.values.concept_scheme import UMLS, in_words, read_as, recognised
from evalcore.values.label_types import with_all_values
from evalcore.values.model import ConceptSets, LabelColumn
from evalcore.values.problems import Report

_COLUMNS = ("label_type", "label", "cui")
_CALLED = (("label_type",), ("label",), CUI_NAMES)


@dataclass(frozen=True, slots=True, eq=False)
class LabelMap:
    """{label type: {CUI: labels}} in file order."""

    types: Mapping[str, Mapping[str, tuple[str, ...]]]
    rows: int


@reader(lambda _: LabelMap({}, 0))
def parse_label_map(data: bytes, *, file: str, scheme: str | None = None) -> tuple[LabelMap, Report]:
    """Read a label map with the columns ``label_type``, ``label`` and ``cui``; others are ignored.

    One CUI may stand for several labels and a label for several CUIs. Rows with an empty cell or a
    malformed CUI are errors and left out; a repeated row is a warning. ``scheme``: of the study, else what
    most of the map's concepts are.
    """
    found = Problems(file)
    rows = tables.rows_of(data, found)
    at = [tables.named(rows[0].cells, names) for names in _CALLED] if rows else []
    if rows and None in at:
        message = f"The header must name the columns {', '.join(_COLUMNS)}."
        found.error("wrong-header", message, "Let the first row be: label_type,label,cui.", line=rows[0].line)
        return LabelMap({}, 0), found.report()
    width = len(rows[0].cells) if rows else 0
    concepts = (row.cells[at[2] or 0] for row in rows[1:] if len(row.cells) == width)
    of = scheme or recognised(concepts)
    types: dict[str, dict[str, tuple[str, ...]]] = {}
    called: dict[str, str] = {}
    used = 0
    for row in tables.full_rows(rows[1:], found, width, "Give each one cell."):
        kind, label, given = (row.cells[i] for i in at if i is not None)
        cui = (given.upper() if of == UMLS else given) if (said := read_as(given, of)) is None else said
        if not (kind and label and said):
            what = in_words(of)
            message = f"{tables.quoted(f'{kind},{label},{cui}')} is not a label type, a label and a {what}."
            found.error("malformed-row", message, "Mend the row; it is left out.", line=row.line, value=cui)
            continue
        if kind not in called:
            called[kind] = type_name(kind, found, line=row.line)
        kind = called[kind]
        labels = types.setdefault(kind, {}).get(cui, ())
        if label in labels:
            found.warning(
                "repeated-row", f"{cui} means {label} already.", "Remove the row.", line=row.line, value=cui
            )
            continue
        types[kind][cui] = (*labels, label)
        used += 1
    if len(types) > MAX_TYPES:
        report_many_types(found, len(types))
        return LabelMap({}, 0), found.report()
    return LabelMap(types, used), found.report()


def derive_labels(
    label_map: LabelMap, concepts: ConceptSets, *, one_value: bool = False
) -> dict[str, LabelColumn]:
    """Labels of each image from its concepts.

    Parameters
    ----------
    one_value : False: a column ``<type>`` with every label the concepts lead to. True: ``<type>``
        holds the label only where there is exactly one, and ``<type>_all`` holds all.

    Returns
    -------
    Columns by name, in the order of the map. An image without a mapped concept has no label.
    """
    columns: dict[str, LabelColumn] = {}
    for kind, of_cui in label_map.types.items():
        of_concept = [of_cui.get(cui, ()) for cui in concepts.vocabulary]
        values = [
            tuple(sorted({label for c in concepts.row(image) for label in of_concept[c]}))
            for image in range(len(concepts))
        ]
        if one_value:
            columns[kind] = label_column(kind, (row if len(row) == 1 else () for row in values))
        name = with_all_values(kind) if one_value else kind
        columns[name] = label_column(name, values)
    return columns
