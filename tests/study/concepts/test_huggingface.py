"""Folders of a Hugging Face dataset: concepts, captions and pictures in shards."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from evalcore.study import open_study
from tests.study.made import parquet, write

A, B = "C0040405", "C0817096"


def shard(ids: list[str], cuis: list[list[str] | None], captions: list[str | None]) -> bytes:
    pictures = [{"bytes": b"JPEG", "path": f"{image}.jpg"} for image in ids]
    lists = pa.array(cuis, pa.list_(pa.string()))
    return parquet({"image_id": ids, "cui": lists, "image": pictures, "caption": captions})


def test_shards_give_concepts_captions_and_image_places(tmp_path: Path) -> None:
    first = shard(["b", "a"], [[A, B], []], ["CT of the\n chest", None])
    second = shard(["c"], [None], ["MRI"])
    study = open_study(write(tmp_path, {"data/test-0.parquet": first, "data/test-1.parquet": second}))
    assert not study.report.total("error") and study.image_ids == ("a", "b", "c")
    assert [study.concepts.of_image(i) for i in range(3)] == [set(), {A, B}, set()]
    assert study.concepts.annotated.tolist() == [True, True, False]
    assert study.captions.texts == (None, "CT of the\n chest", "MRI")
    assert study.images.entries == ("test-0.parquet#1", "test-0.parquet#0", "test-1.parquet#0")
    assert study.images.archive == study.images.folder == tmp_path / "data"
