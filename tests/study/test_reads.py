"""Which systems read captions: as the study says, else by their names; and where it is said."""

from __future__ import annotations

import pytest

from evalcore.study import open_study
from evalcore.study.reads import in_words, readers, reads_captions, remark
from evalcore.values.model import SystemLook


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        ("caption-tfidf", True),
        ("text_tfidf_svd", True),
        ("BM25", True),
        ("PubMedBERT base", True),
        ("my text (2)", True),
        ("reports", True),
        ("rrf:hog+caption-tfidf", True),
        ("@cosine:bm25", True),
        ("hog", False),
        ("texture", False),
        ("contextual", False),
        ("pixel-pca", False),
        ("@iou", False),
        ("lbp_glcm", False),
        ("medclip_subset", False),
        ("rrf:hog+texture", False),
        ("Albert", True),
    ],
)
def test_names_that_speak_of_text(name: str, reads: bool) -> None:
    assert reads_captions(name, {}) == reads


def test_what_the_study_says_counts_more_than_a_name() -> None:
    looks = {
        "hog": SystemLook("hog", reads=("images", "captions")),
        "bm25": SystemLook("bm25", reads=("images",)),
        "mine": SystemLook("captions_v2"),
        "none": SystemLook("text", reads=()),
    }
    assert readers(["bm25", "mine", "hog", "hog", "none"], looks) == ["mine", "hog"]
    assert in_words(["mine", "hog"], looks) == (
        "hog reads captions. If the concepts were taken from captions, its score is flattered. Judging by "
        "its name, mine reads captions. If the concepts were taken from captions, its score is flattered."
    )
    assert [remark(name, looks) for name in ("hog", "mine", "bm25", "rrf:bm25+hog")] == [
        "reads captions",
        "reads captions?",
        "",
        "reads captions",
    ]
    assert in_words(["bm25"], looks) == ""


def test_the_sample_says_that_one_of_its_systems_reads_captions() -> None:
    assert readers(open_study("data").systems, open_study("data").looks) == ["caption-tfidf"]
