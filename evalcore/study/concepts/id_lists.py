"""Lists of image ids, one per line: ``queries.txt`` and ``candidates.txt``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.study.tables import tables
from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import hint
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Ints, frozen
from evalcore.values.problems import Report


@reader(lambda _: None)
def parse_id_list(data: bytes, *, file: str, image_ids: Sequence[str]) -> tuple[Ints | None, Report]:
    """Image indices of a list of ids, ascending, each once; None when no id is usable.

    A header such as ``ID`` is optional, and so are further columns. Unknown ids are errors and left
    out, repeated ids a warning.
    """
    found = Problems(file)
    rows = tables.rows_of(data, found)
    position = {image: i for i, image in enumerate(image_ids)}
    if rows and rows[0].cells[0].lower() in tables.ID_NAMES and rows[0].cells[0] not in position:
        rows = rows[1:]
    missing = [row for row in rows if row.cells[0] not in position]
    if missing:
        remedy = hint([row.cells[0] for row in missing], image_ids) or "Use the ids of the concept file."
        found.each(
            "error", "unknown-id", "No concept set knows the image '{value}'; it is left out.", remedy,
            lines=[row.line for row in missing], values=[row.cells[0] for row in missing],
        )  # fmt: skip
    listed = [position[row.cells[0]] for row in rows if row.cells[0] in position]
    indices = np.unique(np.asarray(listed, np.int32))
    repeated = len(listed) - len(indices)
    found.counted("repeated-id", repeated, "{n} ids are repeated; each counts once.", "")
    return (frozen(indices) if len(indices) else None), found.report()
