"""The page Synthetic: the demonstration at first sight, uploads that stay, every part, nothing to compare."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from evalcore.features.synthetic import page_scored as words
from evalcore.features.synthetic import uploads as uploaded
from evalcore.features.synthetic.files import parse_features
from evalcore.features.synthetic.wsi import evaluate
from evalcore.values.writing import span
from tests.ui.conftest import HOSTILE, said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "pages/7_Generated_images.py"
REAL = "ID,a.x,a.y\n" + "".join(f"r{i},{i},{i * i % 7}\n" for i in range(30))
FAKE = "ID,a.x,a.y\n" + "".join(f"f{i},{i + 20},{i * i % 5}\n" for i in range(12))


def shown(app: AppTest) -> dict[str, Any]:
    """The figures by their titles."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return {spec["layout"]["title"]["text"].partition("</b>")[0].removeprefix("<b>"): spec for spec in specs}


def problems(app: AppTest) -> str:
    """What the tables of problems say."""
    return " ".join(str(one.value.to_dict()) for one in app.table)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The tiny study, with tables of features uploaded for it."""
    folder = write_study(tmp_path / "tiny")
    uploaded.add(folder, "real", "ours", "real.csv", REAL.encode())
    uploaded.add(folder, "generated", "GAN", "fake.csv", FAKE.encode())
    return folder


UPLOADED = {"subjects": "uploaded", "real": "ours", "table": "open", "own_images": "open"}


def expected():
    real, fake = (parse_features(text.encode(), file="")[0] for text in (REAL, FAKE))
    return evaluate(real, {"GAN": fake}, name="ours")


def test_the_sample_shows_something_at_first_sight(open_app: Open) -> None:
    app = open_app(PAGE, images="24", table="open", image_by_image="open")
    assert not app.exception
    text = said(app)
    assert "Demonstration only: these are altered copies" in text and "Held-out real images score" in text
    assert text.index("Near copies**: ") < text.index("Held-out real images score")
    groups = table_with(app, "Both outside")
    assert list(groups["Group"]) == [
        "real images",
        "real images, held out",
        "other real images",
        "blurred",
        "noisy",
        "too dark",
        "part missing",
        "near copies",
    ]
    assert groups["Mean ↑"][0] > groups["Mean ↑"][4] and len(app.get("image")) == 1
    assert "How similar to the real images?" in shown(app)


def test_uploaded_tables_are_scored_as_by_evalcore(open_app: Open, study: Path) -> None:
    app = open_app(PAGE, study=study, link=UPLOADED)
    assert not app.exception
    groups, values = table_with(app, "Both outside"), expected()
    assert list(groups["Group"]) == ["ours", "ours, held out", "GAN"]
    assert groups["Mean ↑"].tolist() == pytest.approx([one.mean for one in values.rows])
    assert groups["95% interval"].tolist() == [span(one.low, one.high) for one in values.rows]


def test_sensitivity(open_app: Open, study: Path) -> None:
    app = open_app(PAGE, study=study, link=UPLOADED | {"settings": "open", "wsi_alpha": "2.0"})
    assert not app.exception
    rows = table_with(app, "Setting")
    chosen = (rows["Group"] == "GAN") & (rows["What is set"] == "alpha, beta") & (rows["Setting"] == "1, 1")
    now = rows[chosen]["Mean score"]
    assert now.tolist() == pytest.approx([expected().groups[0].mean])
    assert {"GAN: what the settings change", "GAN: each feature left out"} <= set(shown(app))


def test_copies_of_features_alone(open_app: Open, study: Path) -> None:
    uploaded.add(study, "generated", "copier", "c.csv", REAL.replace("\nr", "\nc").encode())
    app = open_app(
        PAGE,
        study=study,
        link=UPLOADED | {"part": "copies", "copying": "copier", "nearest": "open", "duplicates": "open"},
    )
    assert not app.exception and "near duplicates are found in pictures" in said(app)
    nearest = table_with(app, "Nearest by vectors")
    own = nearest.set_index("Generated image")
    assert own.loc["c5", "Nearest by vectors"] == "r5" and own["Cosine"].tolist() == pytest.approx([1.0] * 30)
    tests = table_with(app, "More similar than chance")
    assert tests["More similar than chance"].tolist()[0] == ""
    assert tests["More similar than chance"].tolist()[-1] == "yes"


def test_distances_and_people(open_app: Open, study: Path) -> None:
    ranks = "ID,rank\n" + "".join(f"f{i},{i + 1}\n" for i in range(12))
    uploaded.add(study, uploaded.PEOPLE, "", "people.csv", ranks.encode())
    app = open_app(PAGE, study=study, link=UPLOADED | {"part": "others"})
    assert not app.exception
    rows = table_with(app, "Sum of both")
    assert rows["Sum of both"][0] == pytest.approx(rows["KL(group ‖ real)"][0] + rows["KL(real ‖ group)"][0])
    agreed = table_with(app, "Spearman’s ρ")
    assert set(agreed[agreed["With"] == "people"]["Images"]) == {12}


def png(grey: int) -> bytes:
    out = io.BytesIO()
    values = np.random.default_rng(grey).integers(0, 255, (24, 24)).astype(np.uint8)
    Image.fromarray(values).save(out, "PNG")
    return out.getvalue()


def test_an_upload_is_scored_kept_and_there_again(open_app: Open, study: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for i in range(8):
            archive.writestr(f"{i}.png", png(i))
    app = open_app(PAGE, study=study, own_images="open")
    app.text_input(key=words.NAME).set_value(f"new {HOSTILE[:20]}")
    app.selectbox(key=words.ROLE).set_value("real")
    app.file_uploader(key=words.FILE).set_value(("new.zip", data.getvalue(), "application/zip")).run()
    app.button(key="add-upload").click().run()
    assert not app.exception and "is now part of the group" in app.success[0].value
    assert len([one for one in uploaded.groups(study) if one.role == "real"]) == 2
    assert "no feature is in all" in said(app).lower() or "cannot be compared" in said(app)
    again = open_app(PAGE, study=study, link=UPLOADED)
    assert "GAN" in table_with(again, "Both outside")["Group"].tolist() and any(
        "3 uploaded groups" in one.label for one in again.expander
    )


def test_a_bad_upload_says_why_and_loses_nothing(open_app: Open, study: Path) -> None:
    app = open_app(PAGE, study=study, link=UPLOADED)
    app.file_uploader(key=words.FILE).set_value(("bad.csv", b"x,y\n1,2\n", "text/csv")).run()
    app.button(key="add-upload").click().run()
    assert not app.exception and "was not saved" in app.error[0].value
    assert "GAN" in table_with(app, "Both outside")["Group"].tolist()
    app.button(key="remove-generated-GAN").click().run()
    assert not app.exception and "Removed GAN" in app.success[0].value
    assert [one.name for one in uploaded.groups(study)] == ["ours"]


def test_a_study_without_pictures_says_what_to_do(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "bare")
    assert "6 pictures are too few for two halves" in said(open_app(PAGE, study=folder))
    shutil.rmtree(folder / "images")
    app = open_app(PAGE, study=folder)
    assert not app.exception and "no pictures that could be the real images" in said(app)


def add(app: AppTest, role: str, text: bytes) -> None:
    """Upload a table of people or weights."""
    app.selectbox(key=words.ROLE).set_value(role)
    app.file_uploader(key=words.FILE).set_value(("w.csv", text, "text/csv")).run()
    app.button(key="add-upload").click().run()
    assert not app.exception


def test_weights_of_ones_own_count_until_they_are_removed(open_app: Open, study: Path) -> None:
    app = open_app(PAGE, study=study, part="features", link=UPLOADED)
    assert not app.exception and "as uploaded" not in str([one.options for one in app.segmented_control])
    add(app, uploaded.WEIGHTS, b"feature,weight\na.x,3\na.z,1\n")
    assert app.query_params["weights"] in ("own", ["own"])
    assert "There is no feature or channel called" in problems(app)  # a.z; what else the file holds counts
    assert table_with(app, "Weight")["Weight"].tolist() == [3, 1]
    app = open_app(PAGE, study=study, part="scores", link={**UPLOADED, "weights": "own"})  # kept: a reload
    real, fake = (parse_features(text.encode(), file="")[0] for text in (REAL, FAKE))
    weighted = evaluate(real, {"GAN": fake}, weights={"a.x": 3.0})
    assert table_with(app, "Both outside")["Mean ↑"].tolist()[-1] == pytest.approx(weighted.groups[0].mean)
    app.button(key="remove-weights-").click().run()
    assert uploaded.kept(study, uploaded.WEIGHTS) is None
    assert table_with(app, "Both outside")["Mean ↑"].tolist()[-1] == pytest.approx(expected().groups[0].mean)


def test_a_file_without_weights_is_refused_and_what_was_there_stays(open_app: Open, study: Path) -> None:
    uploaded.add(study, uploaded.WEIGHTS, "", "w.csv", b"feature,weight\na.x,2\n")
    app = open_app(PAGE, study=study, part="features", link=UPLOADED)
    add(app, uploaded.WEIGHTS, b"feature,weight\na.x,-1\n")
    assert "was not saved; nothing has changed" in said(app) and "no weight of" in problems(app)
    assert uploaded.kept(study, uploaded.WEIGHTS).numbers("weight").tolist() == [2]
