"""The Hugging Face form of ROCOv2: parquet shards with image, id, caption and concept list in each row.

``eltorio/ROCOv2-radiology`` has the columns ``image`` (struct of bytes and path), ``image_id``,
``caption`` and ``cui`` (list of texts). Shards are read one by one, without the image bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evalcore.model import ImageFiles, Report, digest_of
from evalcore.sources.captions import CAPTION_NAMES, CaptionRows
from evalcore.sources.concepts import CUI_NAMES, ConceptRows, clean_cuis
from evalcore.sources.problems import Problems
from evalcore.sources.tables import Row, named, report_duplicate_id, report_missing_id

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
    paths : the shards, all in one folder, read in name order.
    root : the study folder, for the names in messages.

    Returns
    -------
    shards, report : null concepts mean "not annotated", an empty list "nothing". A damaged shard, or
        one without the needed columns, is an error and left out; line numbers count rows from 1.
    """
    sets: dict[str, tuple[str, ...] | None] = {}
    texts: dict[str, str] = {}
    places: dict[str, str] = {}
    seen: dict[str, int] = {}
    facts: list[object] = []
    reports = Report()
    any_caption = False
    folder = paths[0].parent
    for path in sorted(paths):
        found = Problems(path.relative_to(root).as_posix())
        table, has_images = _read_shard(path, found)
        captions = table.get("caption")
        any_caption |= captions is not None
        for at, (image, cuis) in enumerate(zip(table.get("id", ()), table.get("cui", ()), strict=True)):
            row = Row(at + 1, [str(image or "").strip()])
            if not row.cells[0]:
                report_missing_id(found, row)
            elif row.cells[0] in seen:
                report_duplicate_id(found, row.line, row.cells[0], seen[row.cells[0]])
            else:
                seen[row.cells[0]] = row.line
                sets[row.cells[0]] = None if cuis is None else clean_cuis(row, _values(cuis), found)
                if captions is not None and captions[at]:
                    texts[row.cells[0]] = " ".join(str(captions[at]).split())
                if has_images:
                    places[row.cells[0]] = f"{path.name}#{at}"
        facts += [path.name, path.stat().st_size]
        reports += found.report()
    file = paths[0].relative_to(root).as_posix()
    rows = CaptionRows(texts, len(texts), file) if any_caption else None
    concepts = ConceptRows(sets, "huggingface", len(sets))
    return Shards(concepts, rows, places, folder, digest_of(*facts, list(places.values()))), reports


def bind_images(shards: Shards, image_ids: Sequence[str]) -> ImageFiles | None:
    """The images inside the shards, aligned with the images of the study; None when there are none."""
    if not shards.places:
        return None
    entries = tuple(map(shards.places.get, image_ids))
    return ImageFiles(entries, shards.folder, shards.folder, shards.digest)


def _read_shard(path: Path, found: Problems) -> tuple[dict[str, list[Any]], bool]:
    """Columns "id", "cui" and, if there, "caption" of one shard; empty with an error when unusable."""
    try:
        with pq.ParquetFile(path) as shard:
            fields = list(shard.schema_arrow.names)
            at = {
                "id": named(fields, _ID_NAMES),
                "cui": named(fields, CUI_NAMES),
                "caption": named(fields, CAPTION_NAMES),
            }
            if at["id"] is None or at["cui"] is None:
                found.error(
                    "wrong-header",
                    f"The columns image_id and cui are needed; there are {', '.join(fields[:10])}.",
                    "Give the shards of ROCOv2 as Hugging Face stores them.",
                )  # fmt: skip
                return {}, False
            wanted = {key: fields[i] for key, i in at.items() if i is not None}
            table = shard.read(columns=list(wanted.values()))
            return {key: table.column(name).to_pylist() for key, name in wanted.items()}, "image" in fields
    except (pa.ArrowException, OSError) as reason:
        text = str(reason).split("\n")[0]
        found.error("unreadable-container", f"The parquet file is damaged: {text}", "Download it again.")
        return {}, False


def _values(cuis: object) -> Iterable[str]:
    """Concepts of a cell: a list, or one text with ``;`` between."""
    if isinstance(cuis, str):
        return cuis.split(";")
    return [str(cui) for cui in cuis if cui is not None] if isinstance(cuis, list) else [str(cuis)]
