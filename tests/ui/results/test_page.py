"""The page Results: its board, a closer look, and two systems."""

from __future__ import annotations

import re
from math import sqrt
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore import score
from evalcore.evaluate import scoring
from evalcore.study import open_study
from evalcore.ui.frame.measures import choices
from evalcore.ui.results.closer import KINDS, PAPER, TITLES
from evalcore.values.writing import number, p_value
from tests.conftest import ROOT
from tests.measured import compare
from tests.ui.conftest import Open, page_text, table_with


def test_leaderboard_is_best_first_marks_the_baseline_and_counts_the_unanswered(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(study=study_folder, baseline="beta", reading="Expert")
    table = table_with(app, "Score ↑")
    assert table["System"].tolist() == ["alpha", "beta (baseline)"]
    # beta answers neither q5 nor q6; q6 has no findings, so it has no value for any system.
    assert table["Unanswered"].tolist() == [0, 1] and table["Undefined"].tolist() == [1, 1]
    assert "Left unanswered and counted as 0: **beta** (1 query)" in page_text(app)


def test_simple_explains_p_and_expert_shows_it_with_the_whole_method(
    open_app: Open, study_folder: Path
) -> None:
    plain = open_app(study=study_folder, numbers="open")
    few = {"p (Holm)", "Effect", "Undefined", "Unanswered"}
    assert not few & set(table_with(plain, "Score ↑").columns)
    assert "corrected for 1 comparison" in page_text(plain)
    app = open_app(study=study_folder, reading="Expert", numbers="open")
    assert {*few, "Short lists"} <= set(table_with(app, "Score ↑").columns)
    assert "of all queries of the study" in page_text(app) and "seed 0" in page_text(app)


def test_the_flips_of_the_link_decide_p_and_that_is_said_to_experts(open_app: Open) -> None:
    app = open_app(reading="Expert", flips="99", numbers="open")
    assert app.selectbox(key="flips").value == 99 and app.query_params["flips"] == "99"
    rows = score(open_study(ROOT / "data"), "nnCUI@10", flips=99).comparisons
    low, n = sum(row.p < 0.0101 for row in rows), len(rows)
    sentence = f"{low} of {n} p-values are the lowest that 99 flips can give: 1/100. "
    text = page_text(app).replace("\\", "")
    assert low > 1 and sentence in text and "More flips (*More settings*) can lower them." in text
    assert "99 flips, seed 0" in text
    table = table_with(app, "Score ↑").set_index("System")
    shown = {name: table.loc[name, "p (Holm)"] for name in table.index}
    assert sorted(filter(None, shown.values())) == sorted(p_value(row.p_corrected) for row in rows)
    plain = open_app(flips="99", numbers="open")
    assert "flips can give" not in page_text(plain), "no option is named to who reads for the first time"
    assert "1 changed under “More”" in page_text(plain)


def test_intervals_stand_in_the_table_for_a_paper_unless_they_are_hidden(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(study=study_folder, closer="open", look=PAPER)
    table = next(element.value for element in app.table if element.value.columns[0] == "System")
    means = table.iloc[:2, 1]
    assert all(re.fullmatch(r"(\*\*)?[01]\.\d{3}(\*\*)?[†‡]? :gray\[\(.+\)\]", cell) for cell in means)
    app.toggle(key="intervals_on").set_value(False).run()
    table = next(element.value for element in app.table if element.value.columns[0] == "System")
    assert all(":gray" not in cell for cell in table.iloc[:2, 1]) and not app.exception


def ways(app: AppTest) -> list[str]:
    """What can be looked at more closely."""
    (look,) = [group for group in app.get("button_group") if group.key == "look"]
    return list(look.options)


def test_without_kinds_it_is_not_offered(open_app: Open, study_folder) -> None:
    app = open_app(study=study_folder, closer="open")
    assert TITLES[KINDS] not in ways(app) and TITLES[KINDS] in ways(open_app(closer="open"))
    assert not any("[" in choice.family for choice in choices(open_study(study_folder)))


# Two systems.


def test_two_systems_have_no_such_part(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, at_once="results")
    assert [tab.label for tab in app.tabs] == ["Two systems", "Groups of queries"]
    assert "**alpha** scores" in page_text(app)


PAIR = {"a": "alpha", "b": "beta"}


def test_swap_exchanges_the_systems(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, **PAIR)
    app.button(key="swap").click().run()
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("beta", "alpha")
    assert "**alpha** scores" in page_text(app)


def test_the_verdict_names_the_difference_that_matters(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, reading="Expert", smallest_difference="0.9", **PAIR)
    alpha, beta = scoring.score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"])
    difference = compare(alpha, beta)
    assert difference.high < 0.9
    assert "too small to matter: within **0.9** in either direction" in page_text(app)
    reach = (1.959963984540054 + 0.8416212335729143) * difference.spread / sqrt(difference.n_pairs)
    assert f"queries can detect a difference of {number(reach)} with 80% power; 0.9 needs" in page_text(app)
    plain = open_app(study=study_folder, **PAIR)
    assert "power" not in page_text(plain) and "matters" not in page_text(plain)
