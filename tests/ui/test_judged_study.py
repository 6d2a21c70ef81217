"""A study of judgments and rankings alone: every page opens with what applies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evalcore.study.study import open_study
from evalcore.values.writing import span
from tests.measured import judged as scored_by_people
from tests.ui.conftest import Open, said


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems, 40 queries; people judge half of them, a program all."""
    folder, rng = tmp_path_factory.mktemp("judged") / "judged", np.random.default_rng(3)
    queries, images = [f"q{i:02}" for i in range(40)], [f"d{i:02}" for i in range(12)]
    truth = rng.integers(0, 3, (40, 12))
    guessed = np.minimum(truth + rng.integers(0, 2, truth.shape), 2)
    rows = [(q, d, truth[i, j], guessed[i, j]) for i, q in enumerate(queries) for j, d in enumerate(images)]
    files = {
        "judgments/panel.qrels": [f"{q} 0 {d} {grade}" for q, d, grade, _ in rows if q < "q20"],
        "judges/llm.csv": ["judge,query,result,value", *(f"m,{q},{d},{grade}" for q, d, _, grade in rows)],
    }
    for system, noise in (("near", 0.5), ("far", 3.0)):
        files[f"runs/{system}.trec"] = [
            f"{q} Q0 {d} 0 {grade + rng.normal(0, noise):.5f} {system}" for q, d, grade, _ in rows
        ]
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("app.py", "**near** scores highest"),
        ("app.py", "systems are scored by the judgments"),
        ("pages/1_Queries.py", "queries"),
        ("pages/1_Queries.py?q=q00", "judged relevant"),
        ("pages/2_Robustness.py?part=settings", "Nothing to vary"),
        ("pages/3_Concepts.py", "No image has concepts yet."),
        ("pages/2_Robustness.py?part=measures", "systems are scored by the judgments"),
        ("pages/5_Data.py", "no concepts yet"),
        ("pages/4_Readers.py?part=review", "no measure can be compared"),
    ],
)
def test_every_page_opens_with_what_applies(open_app: Open, judged: Path, page: str, text: str) -> None:
    app = open_app(page, study=judged)
    assert not app.exception
    assert text in said(app)
    untrue = ("Nothing has been judged", "shares with the query", "same labels", "0 more measures")
    assert not [words for words in untrue if words in said(app)]


def test_measures_shows_scores_with_the_judge(open_app: Open, judged: Path) -> None:
    app = open_app("pages/2_Robustness.py?part=measures", study=judged, view="judgments", filled_in="open")
    assert not app.exception
    best, behind = scored_by_people(open_study(judged), "nDCG(qrels:panel)@10", "qrels:llm")
    assert "People (**panel**) judged **20** of 40 queries, the judge (**llm**) all of them." in said(app)
    would = f"If people judged all 40, **{best.system}** would score about **{best.powered.mean:.3f}**"
    assert would in said(app) and "the highest of 2 systems" in said(app)
    assert behind.lead.high < 0
    assert f"It leads **far** by probably {span(-behind.lead.high, -behind.lead.low)}." in said(app)
