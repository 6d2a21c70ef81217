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
from tests.ui.conftest import Open, figures, page_text, plain, table_with


def test_leaderboard_is_best_first_marks_the_baseline_and_counts_the_unanswered(open_tiny: Open) -> None:
    app = open_tiny(baseline="beta", reading="Expert")
    table = table_with(app, "Score ↑")
    assert table["System"].tolist() == ["alpha", "beta (baseline)"]
    # beta answers neither q5 nor q6; q6 has no findings, so it has no value for any system.
    assert table["Unanswered"].tolist() == [0, 1] and table["Undefined"].tolist() == [1, 1]


def test_simple_explains_p_and_expert_shows_it_with_the_whole_method(open_tiny: Open) -> None:
    few = {"p (Holm)", "Effect", "Undefined", "Unanswered"}
    for reading, shown in (("Simple", set()), ("Expert", few)):
        app = open_tiny(reading=reading)
        assert few & set(table_with(app, "Score ↑").columns) == shown
        heads = [note["text"] for note in figures(app)[0]["layout"]["annotations"]]
        assert ("p" in heads) == bool(shown)
    assert "Short lists" in table_with(app, "Score ↑").columns


def test_the_flips_of_the_link_decide_p_and_that_is_said_to_experts(open_app: Open) -> None:
    app = open_app(reading="Expert", flips="99")
    assert app.selectbox(key="flips").value == 99 and app.query_params["flips"] == "99"
    rows = score(open_study(ROOT / "data"), "nnCUI@10", flips=99).comparisons
    low, n = sum(row.p < 0.0101 for row in rows), len(rows)
    text = page_text(app).replace("\\", "")
    assert low > 1 and f"{low} of {n} p-values are the lowest that 99 flips can give: 1/100. " in text
    assert "More flips (*More settings*) can lower them." in text and "99 flips, seed 0" in text
    shown = table_with(app, "Score ↑")["p (Holm)"]
    assert sorted(filter(None, shown)) == sorted(p_value(row.p_corrected) for row in rows)
    simple = page_text(open_app(flips="99"))
    assert "flips can give" not in simple, "no option is named to who reads for the first time"
    assert "1 changed under “More”" in simple


def test_intervals_stand_in_the_table_for_a_paper_unless_they_are_hidden(open_tiny: Open) -> None:
    def means(app: AppTest) -> list[str]:
        table = next(element.value for element in app.table if element.value.columns[0] == "System")
        return list(table.iloc[:2, 1])

    app = open_tiny(closer="open", look=PAPER)
    assert all(re.fullmatch(r"(\*\*)?[01]\.\d{3}(\*\*)?[†‡]? :gray\[\(.+\)\]", cell) for cell in means(app))
    app.toggle(key="intervals_on").set_value(False).run()
    assert all(":gray" not in cell for cell in means(app))


def looks(app: AppTest) -> list[str]:
    """What can be looked at more closely."""
    (look,) = [group for group in app.get("button_group") if group.key == "look"]
    return list(look.options)


def test_without_kinds_it_is_not_offered(open_tiny: Open, open_app: Open, study_folder: Path) -> None:
    assert TITLES[KINDS] not in looks(open_tiny(closer="open"))
    assert TITLES[KINDS] in looks(open_app(closer="open"))
    assert not any("[" in choice.family for choice in choices(open_study(study_folder)))


# Two systems.


def test_two_systems_have_no_part_for_all_pairs_and_can_be_swapped(open_tiny: Open) -> None:
    app = open_tiny(a="alpha", b="beta")
    assert [tab.label for tab in app.tabs] == ["Two systems", "Groups of queries"]
    app.button(key="swap").click().run()
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("beta", "alpha")
    assert "**alpha** scores" in page_text(app)


def test_the_verdict_names_the_difference_that_matters(open_tiny: Open, study_folder: Path) -> None:
    app = open_tiny(reading="Expert", smallest_difference="0.9", a="alpha", b="beta")
    alpha, beta = scoring.score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"])
    difference = compare(alpha, beta)
    assert difference.high < 0.9
    assert "too small to matter: within 0.9 in either direction" in plain(app)
    reach = (1.959963984540054 + 0.8416212335729143) * difference.spread / sqrt(difference.n_pairs)
    assert f"queries can detect a difference of {number(reach)} with 80% power; 0.9 needs" in plain(app)
    simple = page_text(open_tiny(a="alpha", b="beta"))
    assert "power" not in simple and "matters" not in simple
