"""What is in the drawer adds up: the numbers are read off the page, and by command they are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.relevance.explain import explain
from evalcore.study import open_study
from evalcore.values.settings import Settings
from evalcore.values.writing import number
from tests.ui.conftest import MASS, NODULE, Open, page_text, table_with


def test_why_shows_what_adds_up_to_the_score(open_query: Open, study_folder: Path) -> None:
    study, nn = open_study(study_folder), "Including related concepts \\(nn\\-IoU\\)"
    app = open_query(why="q2", more=True)
    values, cards = explain(study, "q1", "q2").values, {m.label: m.value for m in app.metric}
    assert cards["Same concepts \\(IoU\\)"] == number(values["iou"])
    assert cards[nn] == number(values["nn-iou"])
    (link,) = [element.proto for element in app.get("page_link") if "Open this path" in element.proto.label]
    assert link.page.endswith("Concepts") and f"from={NODULE}&to={MASS}" in link.query_string
    app.slider(key="what_if").set_value(1.0).run()
    changed = explain(study, "q1", "q2", settings=Settings(alpha=1.0)).values["nn-iou"]
    assert {m.label: m.value for m in app.metric}[nn] == number(changed)
    assert app.slider(key="alpha").value == 0.5


def test_why_by_a_measure_of_the_taxonomy(open_query: Open, study_folder: Path) -> None:
    app = open_query(why="q2", reading="Expert")
    assert not app.dataframe
    app.selectbox(key="why_by").set_value("matching:cs2-levels").run()
    explanation = explain(open_study(study_folder), "q1", "q2", measures=["matching:cs2-levels"])
    assert f"**{number(explanation.values['matching:cs2-levels'])}**" in page_text(app)
    table, alignment = table_with(app, "Similarity"), explanation.alignments["matching:cs2-levels"]
    assert sorted(table["Similarity"]) == sorted(pair.similarity for pair in alignment)
    nodule = table[table["Query"] == "Nodule"].iloc[0]
    assert (nodule["Result"], nodule["Common parent"], nodule["Best match of"]) == ("Mass", "Mass", "query")
    linked = open_query(why="q2", why_by="best-match:path")
    assert set(table_with(linked, "Best match of")["Best match of"]) == {"both"}, "found from both sides"


@pytest.mark.parametrize(
    ("by", "value", "parts"),
    [
        # q1 has CT, chest and nodule, q2 CT, chest and mass; nodule and mass are one step apart, alpha is .5.
        ("nn-iou[finding]", 1 / 2, {"Nodule": ("Mass", 1 / 2)}),
        ("nn-iou[finding=3,anatomy=1]", 4 / 7, {"Chest": ("the same", 1 / 7), "Nodule": ("Mass", 3 / 7)}),
    ],
)
def test_what_each_pair_adds_is_listed_once(
    open_query: Open, kinds: Path, by: str, value: float, parts: dict[str, tuple[str, float]]
) -> None:
    app = open_query(why="q2", why_by=by)
    rows = table_with(app, "Adds").set_index("Query")
    assert rows["Result"].to_dict() == {name: result for name, (result, _) in parts.items()}
    assert rows["Adds"].to_dict() == pytest.approx({name: adds for name, (_, adds) in parts.items()})
    assert f"**{value:.3f}**" in page_text(app) and f"add up to {value:.3f}" in page_text(app)


def test_concepts_of_both_images_are_listed_by_kind(open_query: Open, kinds: Path) -> None:
    groups = next(m.value for m in open_query(why="q2").markdown if ":small[Findings]" in m.value)
    assert groups.split("  \n") == [
        ":small[Findings] :gray-badge[Nodule]",
        ":small[Anatomy] :gray-badge[Chest]",
        ":small[Modality] :gray-badge[Computed tomography]",
    ]
