"""The page Generated images: what it asks for, uploads that stay, every part."""

from __future__ import annotations

import shutil
import sys

import pytest

from evalcore.features.synthetic import uploads
from evalcore.features.synthetic.files import parse_features
from evalcore.features.synthetic.wsi import evaluate
from evalcore.values.writing import span
from tests.study.made import png, zipped
from tests.ui.conftest import HOSTILE, button, page_text, plain, table_with, write_study

PAGE = "pages/7_Generated_images.py"
REAL = "ID,a.x,a.y\n" + "".join(f"r{i},{i},{i * i % 7}\n" for i in range(30))
FAKE = "ID,a.x,a.y\n" + "".join(f"f{i},{i + 20},{i * i % 5}\n" for i in range(12))
OPENED = {"scores_table": "open", "own_images": "open"}


@pytest.fixture
def study(tmp_path):
    """The tiny study, with tables of features uploaded for it."""
    folder = write_study(tmp_path / "tiny")
    uploads.add(folder, "real", "ours.csv", REAL.encode())
    uploads.add(folder, "generated", "GAN.csv", FAKE.encode())
    return folder


def expected(**weights):
    real, fake = (parse_features(text.encode(), file="")[0] for text in (REAL, FAKE))
    return evaluate({"real: ours": real, "GAN": fake}, weights=weights or "uniform")


def upload(app, role, name, data):
    app.file_uploader(key=f"synthetic-{role}").set_value((name, data, "text/csv")).run()
    assert not app.exception


def means(app):
    return list(table_with(app, "Mean ↑")["Mean ↑"])


def test_a_study_without_generated_images_is_told_what_to_add(open_app, tmp_path):
    """And nothing is measured or loaded for that."""
    heavy = {"skimage", "sklearn", "tifffile", "torch"} - sys.modules.keys()
    app = open_app(PAGE)
    assert "how similar they are to the pictures of this study" in page_text(app)
    assert len(app.get("file_uploader")) == 4 and not heavy & sys.modules.keys()
    folder = write_study(tmp_path / "bare")
    shutil.rmtree(folder / "images")
    assert "how similar they are to the real images you add with them" in page_text(
        open_app(PAGE, study=folder)
    )


def test_uploaded_tables_are_scored_as_by_evalcore(open_app, study):
    app = open_app(PAGE, study=study, link=OPENED)
    text = plain(app)
    assert "Generated images: GAN. Real images: real: ours" in text
    groups, values = table_with(app, "Mean ↑"), expected()
    assert list(groups["Group"]) == ["real: ours", "real: ours, held out", "GAN"]
    assert means(app) == pytest.approx([group.mean for group in values.rows])
    assert groups["95% interval"].tolist() == [span(group.low, group.high) for group in values.rows]
    app = open_app(PAGE, study=study, link={"part": "settings", "sensitivity_table": "open"})
    rows = table_with(app, "Setting")
    now = rows[(rows["What is set"] == "alpha, beta") & (rows["Setting"] == "1, 1")]
    assert now["GAN"].tolist() == pytest.approx([values.groups[0].mean])


def test_copies_distances_and_people(open_app, study):
    uploads.add(study, "generated", "copier.csv", REAL.replace("\nr", "\nc").encode())
    pairs = "first,second,better\n" + "".join(f"f{i},f{i + 1},tie\n" for i in range(11))
    uploads.add(study, "people", "people.csv", pairs.encode())
    app = open_app(PAGE, study=study, link={"part": "copies", "similarities_table": "open"})
    assert "images are nearer to a training image" in page_text(app)
    assert table_with(app, "Question")["Generated"].tolist()[-1] == pytest.approx(1)  # cosine to the nearest
    app = open_app(PAGE, study=study, link={"part": "distances", "pairs_table": "open"})
    assert set(table_with(app, "Same choice as people")["Pairs"]) == {11}


def test_pictures_are_compared_with_those_of_the_study(open_app, tmp_path):
    study = write_study(tmp_path / "tiny")
    app = open_app(PAGE, study=study, own_images="open", pixels="64", part="copies")
    pictures = zipped(**{f"{grey}.png": png(grey) for grey in (10, 90, 170, 250)})
    upload(app, "generated", f"new {HOSTILE[:20]}.zip", pictures)
    assert "Nothing to compare yet" not in page_text(app) and len(uploads.files(study, "generated")) == 1
    assert "Real images: real: this study (6 pictures)" in plain(app)
    again = open_app(PAGE, study=study, part="copies", pixels="64")
    assert not again.exception and any("1 group of generated" in fold.label for fold in again.expander)
    assert "The most similar pairs" in page_text(again)


def test_a_bad_upload_says_why_and_loses_nothing(open_app, study):
    app = open_app(PAGE, study=study, link=OPENED)
    upload(app, "generated", "bad.csv", b"x,y\n1,2\n")
    assert "bad.csv was not kept: The header must name" in app.error[0].value.replace("\\", "")
    assert "GAN" in table_with(app, "Mean ↑")["Group"].tolist()
    button(app, "GAN").click().run()
    assert not app.exception and uploads.files(study, "generated") == []
    assert "Nothing to compare yet" in page_text(app)


def test_weights_of_ones_own_count_until_they_are_removed(open_app, study):
    app = open_app(PAGE, study=study, link=OPENED)
    upload(app, "weights", "w.csv", b"feature,weight\na.x,3\na.z,1\n")
    problems = " ".join(str(table.value.to_dict()) for table in app.table)
    assert "There is no feature or channel called" in problems  # a.z; what else the file holds counts
    assert means(app)[-1] == pytest.approx(expected(**{"a.x": 3.0}).groups[0].mean)
    button(app, "w").click().run()
    assert means(app)[-1] == pytest.approx(expected().groups[0].mean)
