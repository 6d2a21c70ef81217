"""Which systems read captions: as the study says, else by their names; and where it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.reads import in_words, readers, reads_captions, remark
from evalcore.values.model import SystemLook
from tests.ui.conftest import write_study


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


def test_study_toml_says_it_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "tiny")
    text = 'name = "Tiny"\n[systems.beta]\nreads = ["minds"]\n[systems.alpha]\nreads = ["captions"]\n'
    (folder / "study.toml").write_text(text)
    study = open_study(folder)
    assert study.looks["alpha"].reads == ("captions",) and study.looks["beta"].reads is None
    (wrong,) = [one for one in study.report.problems if one.severity == "error"]
    assert wrong.line == 3 and "a list of images, captions, concepts, labels" in str(wrong)


def test_the_sample_says_that_one_of_its_systems_reads_captions() -> None:
    assert readers(open_study("data").systems, open_study("data").looks) == ["caption-tfidf"]
