"""Which systems read captions, as the study says, and where it is said."""

from __future__ import annotations

from evalcore.study import open_study
from evalcore.study.reads import describe, readers, remark
from evalcore.values.model import SystemLook

LOOKS = {
    "hog": SystemLook(reads=("images", "captions")),
    "bm25": SystemLook(reads=("captions",)),
    "pixels": SystemLook(reads=("images",)),
    "mine": SystemLook(),
}


def test_systems_read_captions_where_the_study_says_so() -> None:
    assert readers(["bm25", "mine", "hog", "hog", "pixels", "unknown"], LOOKS) == ["bm25", "hog"]
    assert describe(["hog", "mine"], LOOKS) == (
        "hog reads captions. If the concepts were taken from captions, its score is flattered."
    )
    assert describe(["hog", "bm25"], LOOKS) == (
        "hog and bm25 read captions. If the concepts were taken from captions, their scores are flattered."
    )
    assert describe(["pixels"], LOOKS) == ""


def test_a_system_put_together_of_others_reads_what_any_of_them_reads() -> None:
    expected = {"rrf:pixels+hog": True, "rrf:pixels+mine": False, "@cosine:hog": True, "@iou": False}
    assert {name: bool(remark(name, LOOKS)) for name in expected} == expected


def test_the_sample_says_that_one_of_its_systems_reads_captions() -> None:
    assert readers(open_study("data").systems, open_study("data").looks) == ["caption-tfidf"]
