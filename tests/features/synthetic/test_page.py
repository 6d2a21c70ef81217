"""The page Generated images: the demonstration at first sight, uploads that stay, every part, nothing to
compare."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from evalcore.features.synthetic import page as words
from evalcore.features.synthetic import uploads as uploaded
from evalcore.features.synthetic.files import parse_features
from evalcore.features.synthetic.wsi import evaluate
from evalcore.values.writing import span
from tests.ui.conftest import HOSTILE, said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "pages/7_Generated_images.py"
REAL = "ID,a.x,a.y\n" + "".join(f"r{i},{i},{i * i % 7}\n" for i in range(30))
FAKE = "ID,a.x,a.y\n" + "".join(f"f{i},{i + 20},{i * i % 5}\n" for i in range(12))
OPENED = {"scores_table": "open", "own_images": "open"}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The tiny study, with tables of features uploaded for it."""
    folder = write_study(tmp_path / "tiny")
    uploaded.add(folder, "real", "ours", "real.csv", REAL.encode())
    uploaded.add(folder, "generated", "GAN", "fake.csv", FAKE.encode())
    return folder


def expected(**weights: float):
    real, fake = (parse_features(text.encode(), file="")[0] for text in (REAL, FAKE))
    return evaluate({"ours": real, "GAN": fake}, weights=weights or "uniform")


def upload(app: AppTest, role: str, name: str, data: bytes) -> None:
    app.selectbox(key=words.ROLE).set_value(role)
    app.file_uploader(key=words.FILE).set_value((name, data, "text/csv")).run()
    app.button(key="add-upload").click().run()
    assert not app.exception


def means(app: AppTest) -> list[float]:
    return list(table_with(app, "Mean ↑")["Mean ↑"])


def test_the_sample_shows_something_at_first_sight(open_app: Open) -> None:
    app = open_app(PAGE, scores_table="open", pixels="64")
    assert not app.exception
    text = said(app).replace("\\", "")
    assert "Demonstration only: altered copies" in text
    assert text.index("Near copies: ") < text.index("Held-out real images score")
    groups = ["real images", "real images, held out", "other real images", "blurred", "noisy", "near copies"]
    assert list(table_with(app, "Mean ↑")["Group"]) == groups
    assert means(app)[0] > means(app)[4] and len(app.get("plotly_chart")) == 2


def test_uploaded_tables_are_scored_as_by_evalcore(open_app: Open, study: Path) -> None:
    app = open_app(PAGE, study=study, link=OPENED | {"settings": "open"})
    assert not app.exception and "Generated images: GAN. Real images: ours." in said(app).replace("*", "")
    groups, values = table_with(app, "Mean ↑"), expected()
    assert list(groups["Group"]) == ["ours", "ours, held out", "GAN"]
    assert means(app) == pytest.approx([group.mean for group in values.rows])
    assert groups["95% interval"].tolist() == [span(group.low, group.high) for group in values.rows]
    rows = table_with(app, "Setting")
    now = rows[(rows["What is set"] == "alpha, beta") & (rows["Setting"] == "1, 1")]
    assert now["GAN"].tolist() == pytest.approx([values.groups[0].mean])


def test_copies_distances_and_people(open_app: Open, study: Path) -> None:
    uploaded.add(study, "generated", "copier", "c.csv", REAL.replace("\nr", "\nc").encode())
    pairs = "first,second,better\n" + "".join(f"f{i},f{i + 1},tie\n" for i in range(11))
    uploaded.add(study, uploaded.PEOPLE, "", "people.csv", pairs.encode())
    app = open_app(PAGE, study=study, link={"part": "copies", "tests_table": "open"})
    text = said(app).replace("\\", "")
    assert not app.exception and "Copier: images are nearer to a training image" in text
    assert "c5 · copier · cosine 1.00 · WSI 1.00" in text
    assert table_with(app, "More similar than chance")["More similar than chance"].tolist()[-1] == "yes"
    app = open_app(PAGE, study=study, link={"part": "distances", "pairs_table": "open"})
    assert not app.exception
    assert set(table_with(app, "Same choice as people")["Pairs"]) == {11}


def test_an_upload_is_scored_kept_and_there_again(open_app: Open, study: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for i in range(8):
            out = io.BytesIO()
            values = np.random.default_rng(i).integers(0, 255, (24, 24)).astype(np.uint8)
            Image.fromarray(values).save(out, "PNG")
            archive.writestr(f"{i}.png", out.getvalue())
    app = open_app(PAGE, study=study, own_images="open")
    app.text_input(key=words.NAME).set_value(f"new {HOSTILE[:20]}")
    upload(app, "generated", "new.zip", data.getvalue())
    assert "is used" in app.success[0].value and len(uploaded.groups(study)) == 3
    assert "cannot be compared" in said(app)  # pictures have no feature of the tables
    again = open_app(PAGE, study=study)
    assert any("3 uploaded groups" in expander.label for expander in again.expander)


def test_a_bad_upload_says_why_and_loses_nothing(open_app: Open, study: Path) -> None:
    app = open_app(PAGE, study=study, link=OPENED)
    upload(app, "generated", "bad.csv", b"x,y\n1,2\n")
    assert "was not saved" in app.error[0].value
    assert "GAN" in table_with(app, "Mean ↑")["Group"].tolist()
    app.button(key="remove-generated-GAN").click().run()
    assert not app.exception and "Removed GAN" in app.success[0].value
    assert [group.name for group in uploaded.groups(study)] == ["ours"]


def test_a_study_without_pictures_says_what_to_do(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "bare")
    assert "this study has only 6 pictures" in said(open_app(PAGE, study=folder))
    shutil.rmtree(folder / "images")
    app = open_app(PAGE, study=folder)
    assert not app.exception and "this study has no pictures" in said(app)


def test_weights_of_ones_own_count_until_they_are_removed(open_app: Open, study: Path) -> None:
    app = open_app(PAGE, study=study, link=OPENED)
    upload(app, uploaded.WEIGHTS, "w.csv", b"feature,weight\na.x,3\na.z,1\n")
    problems = " ".join(str(table.value.to_dict()) for table in app.table)
    assert "There is no feature or channel called" in problems  # a.z; what else the file holds counts
    assert means(app)[-1] == pytest.approx(expected(**{"a.x": 3.0}).groups[0].mean)
    app.button(key="remove-weights-").click().run()
    assert uploaded.kept(study, uploaded.WEIGHTS) is None
    assert means(app)[-1] == pytest.approx(expected().groups[0].mean)
