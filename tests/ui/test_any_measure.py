"""Measures and fused systems by their labels: typed, in the address, and refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate import scoring, summary
from evalcore.study import open_study
from evalcore.ui.frame.measures import examples
from tests.ui.conftest import CHEST, CT, MASS, NODULE, Open, page_text, table_with


def test_a_typed_label_counts_instead_of_the_list(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, reading="Expert")
    app.text_input(key="metric").set_value("recall(organ)@2").run()
    assert not app.exception
    assert app.query_params["metric"] == "recall(organ)@2"
    assert app.selectbox(key="measure").disabled
    (k,) = [field for field in app.number_input if field.label.startswith("Top results")]
    assert k.disabled and k.value == 2
    best, *_ = scoring.score(open_study(study_folder), metrics=["Recall(organ)@2"], systems=["alpha"])
    board = table_with(app, "Score ↑")
    assert board["Score ↑"].max() == pytest.approx(summary.summarise(best).mean)
    assert "Recall\\(organ\\)\\@2" in page_text(app)


def test_every_label_given_as_an_example_can_be_typed(study_folder: Path) -> None:
    (study_folder / "judgments").mkdir()
    (study_folder / "judgments/pool.qrels").write_text("q1 0 q2 1\n")
    for study in (open_study(study_folder), open_study("sample")):
        labels = examples(study)
        assert len(labels) >= 6
        for label in labels:
            scoring.score(study, metrics=[label], systems=study.systems[:1])


@pytest.mark.parametrize(
    ("page", "label"),
    [
        ("pages/1_Queries.py?q=q1", "HAP(levels(modality>organ),a=2)"),
        ("app.py", "nDCG(best-match:vectors-mine)@3"),
    ],
)
def test_levels_and_vectors_of_concepts(open_app: Open, study_folder: Path, page: str, label: str) -> None:
    (study_folder / "concept_vectors").mkdir()
    rows = [f"{cui} {i} 1\n" for i, cui in enumerate((CT, CHEST, NODULE, MASS))]
    (study_folder / "concept_vectors/mine.txt").write_text("".join(rows))
    app = open_app(page, study=study_folder, link={"metric": label}, reading="Expert")
    assert app.text_input(key="metric").value == label
    if page == "app.py":
        (score, _) = scoring.score(open_study(study_folder), metrics=[label], systems=["alpha", "beta"])
        assert summary.summarise(score).mean in table_with(app, "Score ↑")["Score ↑"].tolist()
    else:
        assert "from the top: modality, then organ" in page_text(app)


def test_correction_and_smallest_difference_of_the_leaderboard(open_app: Open, study_folder: Path) -> None:
    both = open_app(study=study_folder, reading="Expert", correction="bh", smallest_difference="0.05")
    board = table_with(both, "Score ↑")
    assert "p (Benjamini-Hochberg)" in board and set(board["Over 0.05?"]) <= {"", "yes", "no", "can't say"}
    usual = open_app(study=study_folder, reading="Expert")
    assert "p (Holm)" in table_with(usual, "Score ↑")


NAME = "rrf:alpha+beta"


def shown(app: AppTest) -> list[str]:
    return list(table_with(app, "Score ↑")["System"])


def test_a_fused_system_of_the_address_is_shown_and_stays_on_offer(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app("app.py", study=study_folder, systems=["alpha", "rrf:beta+alpha"])
    assert {"alpha", NAME} == set(shown(app))
    assert app.query_params["fused"] in (NAME, [NAME])
    app.multiselect(key="systems").set_value(["alpha"]).run()
    assert shown(app) == ["alpha"] and NAME in app.multiselect(key="systems").options


@pytest.mark.parametrize("page", ["app.py", "pages/1_Queries.py?q=q1"])
def test_a_link_names_a_fused_system_in_any_order(open_app: Open, study_folder: Path, page: str) -> None:
    app = open_app(page, study=study_folder, a="rrf:beta+alpha", b="alpha")
    assert app.selectbox(key="a").value == NAME
    assert not app.warning
