"""The Hugging Face form of ROCOv2: parquet shards with image, id, caption and concept list in each row.

``eltorio/ROCOv2-radiology`` has the columns ``image`` (struct of bytes and path), ``image_id``,
``caption`` and ``cui`` (list of texts). Shards are read one by one, without the image bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from evalcore.study.concepts.concepts import (
    CAPTION_NAMES,
    CUI_NAMES,
    CaptionRows,
    ConceptRows,
    Concepts,
    clean_concepts,
    recognise,
)
from evalcore.study.tables.lines import has_invalid_utf8, open_file, report_undecodable
from evalcore.study.tables.parquet import named_texts, parquet_schema
from evalcore.study.tables.problems import Problems, report_unreadable, try_call
from evalcore.study.tables.tables import Row, quoted, report_missing_id
from evalcore.study.workspace.file_names import named_below
from evalcore.values.arrays import digest_of
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import Report
from evalcore.values.model import ImageFiles

_ID_NAMES = ("image_id", "id", "imageid")


@dataclass(frozen=True, slots=True, eq=False)
class Shards:
    """What parquet shards hold: concepts, captions, and where in which shard each image lies.

    ``places`` {image id: "shard.parquet#row"}, rows counted from 0, shards named relative to ``folder``.
    """

    concepts: ConceptRows
    captions: CaptionRows | None
    places: Mapping[str, str]
    folder: Path
    digest: str


def read_shards(paths: Sequence[Path], *, root: Path, scheme: str | None = None) -> tuple[Shards, Report]:
    """Read concepts, captions and image places of parquet shards, one shard at a time.

    Parameters
    ----------
    paths : the shards, at least one; read in name order.
    root : the study folder, for the names in messages.
    scheme : see `concepts.parse_concepts`; without it the first shard with concepts decides.

    Returns
    -------
    shards, report : null concepts mean "not annotated", an empty list "nothing". A damaged shard, or
        one without the needed columns, is an error and left out; line numbers count rows from 1.
    """
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    rows, report = _Rows(scheme), Report()
    for path in sorted(paths):
        problems = Problems(named_below(path, root))
        _, reason = try_call(partial(_add_shard, rows, path, path.relative_to(folder).as_posix(), problems))
        if reason is not None:
            report_unreadable(problems, reason)
        report += problems.report()
    captions = CaptionRows(rows.captions, len(rows.captions), problems.file) if rows.captions else None
    digest = digest_of(list(rows.places), list(rows.places.values()), rows.sizes)
    concepts = ConceptRows(rows.sets, len(rows.sets), rows.scheme or UMLS)
    return Shards(concepts, captions, rows.places, folder, digest), report


def bind_images(shards: Shards, image_ids: Sequence[str]) -> ImageFiles | None:
    """The images inside the shards, aligned with the images of the study; None when there are none."""
    if not shards.places:
        return None
    entries = tuple(map(shards.places.get, image_ids))
    return ImageFiles(entries, shards.folder, shards.folder, shards.digest)


@dataclass(slots=True)
class _Rows:
    """What the shards read so far hold, by image id; ``first`` says where an id was met first."""

    scheme: str | None = None
    sets: dict[str, Concepts | None] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)


def _add_shard(rows: _Rows, path: Path, name: str, problems: Problems) -> None:
    table, has_images, size = _read_shard(path, problems)
    rows.sizes.append(size)
    cells = table.get("cui", [])
    captions = table.get("caption", [None] * len(cells))
    if rows.scheme is None and any(cells):
        rows.scheme = recognise((value for cuis in cells for value in _values(cuis or ())), problems)
    for at, (image, cuis, text) in enumerate(zip(table.get("id", []), cells, captions, strict=True)):
        image, text = (image or "").strip(), (text or "").strip()
        row = Row(at + 1, [image])
        if not image:
            report_missing_id(problems, row)
        elif has_invalid_utf8(image):
            report_undecodable(problems, row.line, image)
        elif image in rows.first:
            message = f"The image {quoted(image)} is already in {rows.first[image]}; this row is left out."
            problems.error("duplicate-id", message, "Keep one row per image.", line=row.line, value=image)
        else:
            rows.first[image] = f"row {row.line} of {name}"
            scheme = rows.scheme or UMLS
            concepts = clean_concepts(row, _values(cuis or ()), problems, scheme)
            rows.sets[image] = None if cuis is None else concepts
            if has_images:
                rows.places[image] = f"{name}#{at}"
            if has_invalid_utf8(text):
                report_undecodable(problems, row.line, text)
            elif text:
                rows.captions[image] = text


def _read_shard(path: Path, problems: Problems) -> tuple[dict[str, list[Any]], bool, int]:
    """Columns "id", "cui" and, if there, "caption" of one shard, whether it holds images, and its size.

    Without columns, and with an error, when the shard cannot be used. Images are structs with ``bytes`` in a
    column ``image``, as Hugging Face stores them.
    """
    wanted = {"id": _ID_NAMES, "cui": CUI_NAMES, "caption": CAPTION_NAMES}
    with open_file(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        table = named_texts(stream, wanted, problems, lists=("cui",))
        schema = parquet_schema(stream, Problems(problems.file))
    if table is None or schema is None:
        return {}, False, size
    if not {"id", "cui"} <= table.keys():
        if not problems.n_errors:
            message = f"The columns image_id and cui are needed; there are {', '.join(schema.names[:10])}."
            problems.error("wrong-header", message, "Give the shards of ROCOv2 as Hugging Face stores them.")
        return {}, False, size
    kind = schema.field("image").type if "image" in schema.names else pa.null()
    return table, bool(pa.types.is_struct(kind)) and kind.get_field_index("bytes") >= 0, size


def _values(cuis: str | Sequence[str | None]) -> Iterable[str]:
    """Concepts of a cell: a list, or one text with ``;`` between."""
    return cuis.split(";") if isinstance(cuis, str) else [cui for cui in cuis if cui is not None]
