"""The Hugging Face form of ROCOv2: parquet shards with image, id, caption and concept list in each row.

``eltorio/ROCOv2-radiology`` has the columns ``image`` (struct of bytes and path), ``image_id``,
``caption`` and ``cui`` (list of texts). Shards are read one by one, without the image bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evalcore.model import ImageFiles, Report, digest_of
from evalcore.sources.captions import CAPTION_NAMES, CaptionRows
from evalcore.sources.concepts import CUI_NAMES, ConceptRows, clean_cuis
from evalcore.sources.problems import Problems
from evalcore.sources.tables import Row, named, quoted, report_missing_id

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


def read_shards(paths: Sequence[Path], *, root: Path) -> tuple[Shards, Report]:
    """Read concepts, captions and image places of parquet shards, one shard at a time.

    Parameters
    ----------
    paths : the shards, at least one; read in name order.
    root : the study folder, for the names in messages.

    Returns
    -------
    shards, report : null concepts mean "not annotated", an empty list "nothing". A damaged shard, or
        one without the needed columns, is an error and left out; line numbers count rows from 1.
    """
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    rows, report = _Rows(), Report()
    for path in sorted(paths):
        found = Problems(path.relative_to(root).as_posix())
        _add_shard(rows, path, path.relative_to(folder).as_posix(), found)
        report += found.report()
    captions = CaptionRows(rows.captions, len(rows.captions), found.file) if rows.captions else None
    sizes = [path.stat().st_size for path in sorted(paths)]
    digest = digest_of(list(rows.places), list(rows.places.values()), sizes)
    concepts = ConceptRows(rows.sets, "huggingface", len(rows.sets))
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

    sets: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)


def _add_shard(rows: _Rows, path: Path, name: str, found: Problems) -> None:
    table, has_images = _read_shard(path, found)
    captions = table.get("caption", ())
    for at, (image, cuis) in enumerate(zip(table.get("id", ()), table.get("cui", ()), strict=True)):
        image = str("" if image is None else image).strip()
        row = Row(at + 1, [image])
        if not image:
            report_missing_id(found, row)
        elif image in rows.first:
            message = (
                f"The image {quoted(image)} stands in {rows.first[image]} already; this row is left out."
            )
            found.error("duplicate-id", message, "Keep one row per image.", line=row.line, value=image)
        else:
            rows.first[image] = f"row {row.line} of {name}"
            rows.sets[image] = None if cuis is None else clean_cuis(row, _values(cuis), found)
            if captions and (text := str(captions[at] or "").strip()):
                rows.captions[image] = text
            if has_images:
                rows.places[image] = f"{name}#{at}"


def _read_shard(path: Path, found: Problems) -> tuple[dict[str, list[Any]], bool]:
    """Columns "id", "cui" and, if there, "caption" of one shard, and whether it holds images.

    Empty with an error when the shard cannot be used.
    """
    try:
        with pq.ParquetFile(path) as shard:
            schema = shard.schema_arrow
            at = {
                "id": named(schema.names, _ID_NAMES),
                "cui": named(schema.names, CUI_NAMES),
                "caption": named(schema.names, CAPTION_NAMES),
            }
            if at["id"] is None or at["cui"] is None:
                message = (
                    f"The columns image_id and cui are needed; there are {', '.join(schema.names[:10])}."
                )
                found.error("wrong-header", message, "Give the shards of ROCOv2 as Hugging Face stores them.")
                return {}, False
            wanted = {key: schema.names[i] for key, i in at.items() if i is not None}
            table = shard.read(columns=list(wanted.values()))
            return {key: table.column(name).to_pylist() for key, name in wanted.items()}, _has_images(schema)
    except (pa.ArrowException, OSError) as reason:
        text = str(reason).split("\n")[0]
        found.error("unreadable-container", f"The parquet file is damaged: {text}", "Download it again.")
        return {}, False


def _has_images(schema: pa.Schema) -> bool:
    """Whether there is a column ``image`` of structs with ``bytes``, as Hugging Face stores images."""
    kind = schema.field("image").type if "image" in schema.names else pa.null()
    return bool(pa.types.is_struct(kind)) and kind.get_field_index("bytes") >= 0


def _values(cuis: object) -> Iterable[str]:
    """Concepts of a cell: a list, or one text with ``;`` between."""
    if isinstance(cuis, str):
        return cuis.split(";")
    return [str(cui) for cui in cuis if cui is not None] if isinstance(cuis, list) else [str(cuis)]
