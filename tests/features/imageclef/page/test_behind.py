"""What lies behind the score of a run: concepts and near misses, or caption metrics and what they lack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef.page import files
from evalcore.values.writing import number
from tests.features.imageclef.page.app import CAPTION, PAGE, bring, given, linked, text
from tests.ui.conftest import MASS, NODULE, said, table_with, write_study

Open = Callable[..., AppTest]
N = 6
TRUTH = "ID,CUIs\n" + "".join(f"q{i},{NODULE}\n" for i in range(N))
RUN = "ID,CUIs\n" + "".join(f"q{i},{MASS if i < 2 else NODULE}\n" for i in range(N))
"""Two of six images have the neighbour of the true concept instead of it."""


def behind(open_app: Open, folder: Path, **link: str) -> AppTest:
    app = given(open_app(PAGE, study=folder), TRUTH.encode(), {"run.csv": RUN.encode()})
    return linked(app, part=files.BEHIND, **link)


def test_concepts_with_their_hits(open_app: Open, study_folder: Path) -> None:
    app = behind(open_app, study_folder)
    table = table_with(app, "CUI").set_index("Concept")
    assert table.loc["Nodule", ["Found", "Wrong", "Missed"]].tolist() == [4, 0, 2]
    assert table.loc["Mass", ["Found", "Wrong", "Missed"]].tolist() == [0, 2, 0]
    assert table["F1 ↑"]["Nodule"] == pytest.approx(8 / 10)
    assert f"Detected best: Nodule ({number(0.8)})" in text(said(app))


@pytest.mark.parametrize("reading", ["Simple", "Expert"])
def test_near_misses_earn_a_part(open_app: Open, study_folder: Path, reading: str) -> None:
    app = behind(open_app, study_folder, reading=reading)
    # Per image: 1 where right; 0.5 · 2 neighbour matches / 2 concepts where the neighbour was predicted.
    assert f"**{number((4 + 2 * 0.5) / 6)}**" in said(app)
    assert "**Mass** instead of **Nodule**: 2 images" in said(app)
    assert ("NN" in said(app)) == (reading == "Expert")


def test_without_a_graph_there_are_no_near_misses(open_app: Open, tmp_path: Path) -> None:
    app = behind(open_app, write_study(tmp_path / "flat", graph=False))
    assert "no concept graph" in said(app) and "instead of" not in said(app)


def test_caption_metrics_and_what_they_lack(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    bring(app, [("scores.csv", b"ID,BLEURT\nq1,0.5\n")])
    linked(app, part=files.BEHIND)
    table = table_with(app, "Metric ↑").set_index("Metric ↑")
    assert table["Value"]["ROUGE\\-1"] == number(1.0, digits=4) and table["Missing"]["ROUGE\\-1"] == ""
    assert table["Value"]["BLEURT"] == number(0.5, digits=4)
    assert table["Value"]["BERTScore"] == "–" and "deberta" in table["Missing"]["BERTScore"]
    assert table["Missing"]["**Relevance (script of 2025)**"] == "Needs BERTScore, similarity\\."
    assert table["Missing"]["**Factuality**"] == "Needs UMLS F1, AlignScore\\."
    assert "All values per image" in [button.proto.label for button in app.get("download_button")]
