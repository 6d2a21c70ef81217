"""Measures and fused systems by their labels: typed, in the address, and refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.evaluate import scoring, summary
from evalcore.study import open_study
from evalcore.ui.frame.measures import examples
from tests.study.made import write
from tests.ui.conftest import CHEST, CT, MASS, NODULE, Open, plain, table_with


def mean_of(folder: Path, metric: str) -> float:
    """Alpha's mean."""
    (scores,) = scoring.score(open_study(folder), metrics=[metric], systems=["alpha"])
    return summary.summarise(scores).mean


def test_a_typed_label_counts_instead_of_the_list(open_tiny: Open, study_folder: Path) -> None:
    app = open_tiny(reading="Expert")
    app.text_input(key="metric").set_value("recall(organ)@2").run()
    assert app.query_params["metric"] == "recall(organ)@2"
    assert app.selectbox(key="measure").disabled
    (k,) = [field for field in app.number_input if field.label.startswith("Top results")]
    assert k.disabled and k.value == 2
    best = mean_of(study_folder, "Recall(organ)@2")
    assert table_with(app, "Score ↑")["Score ↑"].max() == pytest.approx(best)
    assert "Recall(organ)@2" in plain(app)


def test_every_label_given_as_an_example_can_be_typed(study_folder: Path) -> None:
    write(study_folder, {"judgments/pool.qrels": "q1 0 q2 1\n"})
    for study in (open_study(study_folder), open_study("sample")):
        labels = examples(study)
        assert len(labels) >= 6
        for label in labels:
            scoring.score(study, metrics=[label], systems=study.systems[:1])


def test_vectors_of_concepts(open_tiny: Open, study_folder: Path) -> None:
    rows = [f"{cui} {i} 1\n" for i, cui in enumerate((CT, CHEST, NODULE, MASS))]
    write(study_folder, {"concept_vectors/mine.txt": "".join(rows)})
    vectors = "nDCG(best-match:vectors-mine)@3"
    app = open_tiny(metric=vectors, reading="Expert")
    assert app.text_input(key="metric").value == vectors
    assert mean_of(study_folder, vectors) in table_with(app, "Score ↑")["Score ↑"].tolist()


def test_correction_and_smallest_difference_of_the_leaderboard(open_tiny: Open) -> None:
    both = open_tiny(reading="Expert", correction="bh", smallest_difference="0.05")
    board = table_with(both, "Score ↑")
    assert "p (Benjamini-Hochberg)" in board and set(board["Over 0.05?"]) <= {"", "yes", "no", "can't say"}


NAME = "rrf:alpha+beta"


def test_a_fused_system_of_the_address_is_shown_and_stays_on_offer(open_tiny: Open) -> None:
    app = open_tiny(systems=["alpha", "rrf:beta+alpha"])
    assert set(table_with(app, "Score ↑")["System"]) == {"alpha", NAME}
    assert app.query_params["fused"] in (NAME, [NAME])
    app.multiselect(key="systems").set_value(["alpha"]).run()
    assert list(table_with(app, "Score ↑")["System"]) == ["alpha"]
    assert NAME in app.multiselect(key="systems").options


@pytest.mark.parametrize("page", ["app.py", "pages/1_Queries.py?q=q1"])
def test_a_link_names_a_fused_system_in_any_order(open_tiny: Open, page: str) -> None:
    app = open_tiny(page, a="rrf:beta+alpha", b="alpha")
    assert app.selectbox(key="a").value == NAME
    assert not app.warning
