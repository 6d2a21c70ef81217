"""Encoding a study: what is encoded, what is kept, what is left out and said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from evalcore.cli import run
from evalcore.features.encode.baselines import BASELINES, principal_components
from evalcore.features.encode.encoding import Encoder, encode_study, make_system
from evalcore.features.encode.read import made_here
from evalcore.study import open_study
from evalcore.study.parts.vectors import npz_bytes
from evalcore.study.workspace.home import study_folder
from evalcore.values.errors import InputError
from evalcore.values.writing import md_escape
from tests.features.encode.made import CAPTIONS, folder
from tests.ui.conftest import page_text, table_with


def encoder_of(rows, *, digest="abc"):
    """An encoder whose rows are a function of a picture or text."""
    about = {"name": "mine", "title": "Mine", "what": "images", "backend": "test"}
    return Encoder(**about, digest=digest, batch=2, encode=lambda items: np.array([*map(rows, items)]))


def mean_and_size(picture):
    return [np.asarray(picture).mean(), picture.width]


@pytest.fixture
def study(tmp_path):
    return folder(tmp_path)


def test_a_second_run_encodes_what_is_new_or_changed(study):
    seen = []

    def counted(picture):
        seen.append(picture)
        return mean_and_size(picture)

    opened = open_study(study)
    first = encode_study(opened, encoder_of(counted))
    assert not opened.concepts.annotated.any() and first.ids == ("a", "b", "c", "d")
    means = [np.asarray(Image.open(study / f"images/{i}.png")).mean() for i in first.ids]
    np.testing.assert_array_equal(first.vectors, np.float32([[mean, 48] for mean in means]))
    assert (first.n_new, first.n_kept, first.n_without) == (4, 0, 0) and first.vectors.dtype == np.float32
    Image.new("L", (20, 30), 100).save(study / "images" / "b.png")
    Image.new("L", (31, 30), 50).save(study / "images" / "e.png")
    (study / "captions.csv").write_text((study / "captions.csv").read_text() + "e,New\n")
    again = encode_study(open_study(study), encoder_of(counted))
    assert len(seen) == 6 and (again.n_new, again.n_kept) == (2, 3)
    np.testing.assert_array_equal(again.vectors[[0, 2, 3]], first.vectors[[0, 2, 3]])
    np.testing.assert_array_equal(again.vectors[[1, 4]], [[100, 20], [50, 31]])
    encode_study(open_study(study), encoder_of(counted, digest="another model"))
    assert len(seen) == 11


def test_stopped_work_goes_on_where_it_was(tmp_path):
    study, seen = open_study(folder(tmp_path)), []

    def failing(picture):
        seen.append(picture)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return mean_and_size(picture)

    with pytest.raises(KeyboardInterrupt):
        encode_study(study, encoder_of(failing))
    encoded = encode_study(study, encoder_of(failing))
    assert (encoded.n_kept, encoded.n_new, len(seen)) == (2, 2, 5)


def test_damaged_rows_are_encoded_anew(tmp_path, monkeypatch):
    study = open_study(folder(tmp_path))
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    first = encode_study(study, encoder_of(mean_and_size))
    (piece,) = (tmp_path / "home/cache/vectors").rglob("*.npz")
    piece.write_bytes(piece.read_bytes()[:-40])
    again = encode_study(study, encoder_of(mean_and_size))
    assert again.n_new == 4
    np.testing.assert_array_equal(again.vectors, first.vectors)


def test_broken_pictures_and_vectors_without_a_direction_are_named_and_left_out(tmp_path):
    where = folder(tmp_path)
    (where / "images" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    rows = iter([[0.0, 0.0], [1.0, np.nan], [1.0, 2.0]])
    encoded = encode_study(open_study(where), encoder_of(lambda _: next(rows)))
    assert encoded.ids == ("d",)
    problems = {problem.value: problem.message for problem in encoded.report.problems}
    assert sorted(problems) == ["a", "b", "c"] and "b is left out: b.png is" in problems["b"]
    wrong = replace(encoder_of(mean_and_size, digest="wrong"), encode=lambda items: np.zeros((1, 3)))
    with pytest.raises(InputError, match=r"gave \(1, 3\) numbers for 2 pictures; one row each is needed"):
        encode_study(open_study(folder(tmp_path / "whole")), wrong)


def test_images_without_a_caption_are_counted(study):
    (study / "captions.csv").write_text('ID,Caption\na,"one lung"\nb,\nc,"  "\n')
    encoded = encode_study(open_study(study), BASELINES["caption-tfidf"])
    assert (encoded.ids, encoded.n_without) == (("a",), 3)


# Systems made here: with how they were made, replaced by the next run, never over another's.


def make(study, name="cnn", rows=mean_and_size, in_place=True, **more):
    return make_system(open_study(study), study, encoder_of(rows, **more), name=name, in_place=in_place)


def test_the_next_run_replaces_it_and_what_the_user_wrote_stays(study):
    first = make(study)
    opened = open_study(study)
    np.testing.assert_array_equal(opened.embeddings["cnn"].vectors, first.vectors)
    assert made_here(study)["cnn"]["digest"] == "abc" and opened.report.total("error") == 0
    with (study / "study.toml").open("a") as toml:
        toml.write("# kept\n")
    make(study, rows=lambda picture: mean_and_size(picture)[::-1], digest="other")
    opened = open_study(study)
    np.testing.assert_array_equal(opened.embeddings["cnn"].vectors, first.vectors[:, ::-1])
    assert opened.reads["cnn"] == ("images",) and "# kept" in (study / "study.toml").read_text()


def test_a_system_is_called_as_its_folder_can_be(study, as_json):
    """And named so in the answer: `rrf:a+b` would be read as a fusion of two others."""
    for name in ("rrf:a+b", "mine"):
        (row,) = as_json("encode", study, "--model", "baseline:hog", "--name", name)["systems"]
        assert row["system"] in open_study(study).systems and (row["system"] == name) == (name == "mine")


def test_another_system_is_never_written_over(study):
    (study / "systems/cnn").mkdir(parents=True)
    (study / "systems/cnn/embeddings.npz").write_bytes(npz_bytes("abcd", np.eye(4, dtype=np.float32)))
    with pytest.raises(InputError, match="'cnn' is a system that was not made by an encoder here"):
        make(study)
    (study / "systems/cnn/encoder.json").write_text("{}")
    make(study)
    (study / "systems/cnn/run.csv").write_text("query,candidate,score\na,b,1\n")
    with pytest.raises(InputError, match="Give the new one another name"):
        make(study)


def test_folders_are_changed_only_where_that_is_allowed(study):
    with pytest.raises(InputError, match="never changed unless you allow it"):
        make(study, in_place=False)
    with pytest.raises(InputError, match="without @ in front"):
        make(study, "@iou")
    assert not (study / "systems").exists()


# Baselines are what the libraries they name compute with the parameters that are documented.


def vectors(name, items):
    encoder = BASELINES[name]
    rows = encoder.encode(items)
    return rows if encoder.together is None else encoder.together(rows)


def test_tfidf_by_hand():
    # two captions, "ct" in both (idf ln(3/3) + 1 = 1), the others in one (ln(3/2) + 1)
    rows = vectors("caption-tfidf", ["CT of a mass, mass", "the CT: cyst"])
    once = np.log(3 / 2) + 1
    assert sorted(rows[0].tolist()) == pytest.approx([0, 1, 2 * once])
    assert sorted(rows[1].tolist()) == pytest.approx([0, 1, once])


def test_topics_keep_the_cosines_when_there_are_as_many_as_captions_carry():
    texts = [*CAPTIONS.values(), CAPTIONS["a"]]  # rank 4 of 5 rows: four topics lose nothing
    counted = TfidfVectorizer(
        token_pattern=r"[a-z0-9]{2,}", sublinear_tf=True, stop_words="english", ngram_range=(1, 2)
    ).fit_transform(texts)
    rows = vectors("caption-tfidf-svd", texts)
    assert rows.shape == (5, 4)
    np.testing.assert_allclose(cosine_similarity(rows), cosine_similarity(counted), atol=1e-9)


def test_topics_are_those_of_scikit_learn_and_the_same_every_time_where_captions_repeat():
    """Where topics weigh the same, scikit-learn finds others every time."""
    texts = [*CAPTIONS.values(), "kidney stone in the ureter", "fracture of the femur"]
    counted = TfidfVectorizer(
        token_pattern=r"[a-z0-9]{2,}", sublinear_tf=True, stop_words="english", ngram_range=(1, 2)
    ).fit_transform(texts)
    wide = TruncatedSVD(5, algorithm="arpack", random_state=0).fit_transform(counted)
    np.testing.assert_allclose(vectors("caption-tfidf-svd", texts), wide, atol=1e-12)
    words = [f"word{i // 2}" for i in range(12)]
    first, again = (vectors("caption-tfidf-svd", words) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert cosine_similarity(first)[0, 1] == pytest.approx(1)


def test_captions_without_a_word_are_zeros_and_one_caption_is_enough():
    for name in ("caption-tfidf", "caption-tfidf-svd"):
        assert not vectors(name, ["", "the of 5 %"]).any()
        assert vectors(name, ["lung mass"]).any()


def test_principal_components_are_those_of_scikit_learn():
    rows = np.random.default_rng(7).random((12, 40))
    expected = PCA(svd_solver="full").fit_transform(rows)
    np.testing.assert_allclose(np.abs(principal_components(rows)), np.abs(expected), atol=1e-8)  # either sign


def test_no_baseline_takes_the_kept_rows_of_another():
    assert len({baseline.digest for baseline in BASELINES.values()}) == len(BASELINES)


# ``encode`` on the command line.


def test_all_baselines_make_a_first_leaderboard_and_kept_rows_are_not_made_again(study, as_json):
    rows = as_json("encode", study)["systems"]
    wanted = [(name, baseline.what, 4) for name, baseline in BASELINES.items()]
    assert [(row["system"], row["what"], row["vectors"]) for row in rows] == wanted
    assert set(open_study(study).systems) == set(BASELINES)
    captions = as_json("encode", study, "--what", "captions")["systems"]
    assert captions == [row | {"encoded": 4, "kept": 0} for row in rows[4:]]
    (row,) = as_json("encode", study, "--model", "baseline:hog", "--name", "edges")["systems"]
    assert (row["system"], row["encoded"], row["kept"]) == ("edges", 0, 4)
    assert open_study(study).reads["edges"] == ("images",)


def test_captions_are_encoded_where_no_picture_can_be(study, as_json, capsys):
    for picture in (study / "images").iterdir():
        picture.write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    assert {row["what"] for row in as_json("encode", study)["systems"]} == {"captions"}
    assert run(["encode", str(study), "--what", "images"]) == 2
    error = capsys.readouterr().err
    assert "hog could not be made: None of the 4 pictures" in error and "No system was made." in error
    assert error.count("b is left out: b.png is") == 1


# First systems made on the page, out of pictures and captions that nobody annotated.

PAGE = "pages/5_Data.py"


def test_systems_are_made_from_a_study_without_annotations(open_app):
    uploaded = folder(study_folder("first").parent, name="first")
    (uploaded / "images" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    app = open_app(PAGE, study=uploaded, part="systems")
    assert "Histogram of oriented gradients" in page_text(app)
    app.button(key="make-systems").click().run()
    assert not app.exception and "They are systems of this study now." in page_text(app)
    assert [name for name in BASELINES if f"**{md_escape(name)}**" not in page_text(app)] == []
    assert "b is left out" in " ".join(table_with(app, "What to do").astype(str).to_numpy().ravel())
    study = open_study(uploaded)
    assert set(study.systems) == set(BASELINES)
    wanted = encode_study(study, BASELINES["hog"])
    np.testing.assert_array_equal(study.embeddings["hog"].vectors, wanted.vectors)


def test_the_sample_and_folders_in_place_are_not_changed_unasked(open_app, study):
    app = open_app(PAGE, study=study, part="systems")
    assert app.button(key="make-systems").disabled
    (allow,) = [box for box in app.checkbox if str(box.key).startswith("allow-systems")]
    allow.check().run()
    assert not app.button(key="make-systems").disabled
    assert not (study / "systems").exists()
    app = open_app(PAGE, part="systems")
    assert app.button(key="make-systems").disabled and "The sample study is read-only" in page_text(app)
