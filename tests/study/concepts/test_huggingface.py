"""Folders of a Hugging Face dataset: concepts, captions and pictures in shards."""

import pyarrow as pa

from evalcore.study.concepts.concepts import images_in_shards, read_shards
from evalcore.study.concepts.texts import texts_in
from tests.study.made import parquet
from tests.study.reported import reported

A, B = "C0040405", "C0817096"


def write(path, ids, cuis, captions=None, images=True):
    columns = {"image_id": ids, "cui": pa.array(cuis, pa.list_(pa.string()))}
    if images:
        columns["image"] = [{"bytes": b"JPEG", "path": f"{image}.jpg"} for image in ids]
    if captions is not None:
        columns["caption"] = captions
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(parquet(columns))
    return path


def test_shards_give_concepts_captions_and_image_places(tmp_path):
    first = write(tmp_path / "data/test-0.parquet", ["b", "a"], [[A, B], []], ["CT of the\n chest", None])
    second = write(tmp_path / "data/test-1.parquet", ["c"], [None], ["MRI"])
    shards, report = reported(read_shards, [second, first], root=tmp_path)
    assert report.problems == ()
    assert shards.concepts.sets == {"b": (A, B), "a": (), "c": None}
    assert texts_in(shards.captions) == {"b": "CT of the\n chest", "c": "MRI"}
    images = images_in_shards(shards, ("a", "b", "c", "d"))
    assert images.entries == ("test-0.parquet#1", "test-0.parquet#0", "test-1.parquet#0", None)
    assert images.archive == images.folder == tmp_path / "data"
