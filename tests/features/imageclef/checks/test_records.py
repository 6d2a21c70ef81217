"""Whatever a file holds: no exception, and a verdict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.imageclef.captions import read_caption_run
from evalcore.features.imageclef.concepts import read_concept_run
from evalcore.features.imageclef.editions import CAPTION_EDITIONS, CONCEPT_EDITIONS, EDITIONS

WORDS = ["img1", "img2", "ID", ".jpg", "C0000001", "C0000002", "c1", "é", "\ufeff", "\n", "\r\n"]
ROWS = ["\nimg1,C0000001", "\nimg2\tC0000001", "\nimg1|C0000002;C0000001", "img1,\nimg2,"]
PIECES = st.sampled_from([*WORDS, *',;|\t" \v', *ROWS, "ID,CUIs\n", "ID,Caption\n"])
DATA = st.lists(PIECES, max_size=25).map(lambda parts: "".join(parts).encode()) | st.binary(max_size=60)


@given(DATA, st.sampled_from(EDITIONS))
def test_concept_runs(data: bytes, edition: str) -> None:
    rules, images = CONCEPT_EDITIONS[edition], ("img1", "img2")
    run = read_concept_run(data, name="DET.csv", images=images, edition=rules)
    assert run.accepted == (run.report.total("error") == 0)


@given(DATA, st.sampled_from(EDITIONS))
def test_caption_runs(data: bytes, edition: str) -> None:
    rules, truth = CAPTION_EDITIONS[edition], {"img1": "a", "img2": "b"}
    run = read_caption_run(data, name="PRED.csv", truth=truth, edition=rules)
    assert run.accepted == (run.report.total("error") == 0)
