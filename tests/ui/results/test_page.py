"""The overview says what evalcore computes."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore import score
from evalcore.study import open_study
from evalcore.ui.frame.measures import choices
from evalcore.ui.results.closer import KINDS, PAPER, TITLES
from evalcore.values.writing import p_value
from tests.conftest import ROOT
from tests.ui.conftest import Open, said, table_with


def test_intervals_of_few_queries_are_said_to_be_too_narrow(open_app: Open, study_folder: Path) -> None:
    warning = "Intervals from fewer than 50 queries are too narrow"
    simple, expert = (said(open_app(study=study_folder, reading=level)) for level in ("Simple", "Expert"))
    assert f"{warning}. Read them with caution." in simple and "64 of 100" not in simple
    assert f"{warning}: " in expert and "64 of 100" in expert
    assert warning not in said(open_app()), "the sample study has 160"


def test_leaderboard_is_best_first_marks_the_baseline_and_counts_the_unanswered(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(study=study_folder, baseline="beta", reading="Expert")
    table = table_with(app, "Score ↑")
    assert table["System"].tolist() == ["alpha", "beta (baseline)"]
    # beta answers neither q5 nor q6; q6 has no findings, so it has no value for any system.
    assert table["Unanswered"].tolist() == [0, 1] and table["Undefined"].tolist() == [1, 1]
    assert "Left unanswered and counted as 0: **beta** (1 query)" in said(app)


def test_simple_explains_p_and_expert_shows_it_with_the_whole_method(
    open_app: Open, study_folder: Path
) -> None:
    plain = open_app(study=study_folder, numbers="open")
    few = {"p (Holm)", "Effect", "Undefined", "Unanswered"}
    assert not few & set(table_with(plain, "Score ↑").columns)
    assert "corrected for 1 comparison" in said(plain)
    app = open_app(study=study_folder, reading="Expert", numbers="open")
    assert {*few, "Short lists"} <= set(table_with(app, "Score ↑").columns)
    assert "of all queries of the study" in said(app) and "seed 0" in said(app)


def test_queries_without_a_value_are_counted_with_the_reason(open_app: Open, study_folder: Path) -> None:
    """q6 has no concepts and no label; q5 and q6 are not answered by beta."""

    def line(**link: str) -> str:
        (found,) = [one.value for one in open_app(study=study_folder, **link).caption if "count" in one.value]
        return str(re.search(r"\d+ of \d+ queries count.*", found)[0])

    assert line(measure="P(organ)") == "5 of 6 queries count; 1 left out (no label)."
    assert line() == "5 of 6 queries count; 1 left out (no concepts)."
    assert line(queries="common") == "4 of 6 queries count; 2 left out (not answered by every system)."


def test_the_flips_of_the_link_decide_p_and_that_is_said_to_experts(open_app: Open) -> None:
    app = open_app(reading="Expert", flips="99", numbers="open")
    assert app.selectbox(key="flips").value == 99 and app.query_params["flips"] == "99"
    rows = score(open_study(ROOT / "data"), "nnCUI@10", flips=99).comparisons
    low, n = sum(one.p < 0.0101 for one in rows), len(rows)
    sentence = f"{low} of {n} p-values are the lowest that 99 flips can give: 1/100. "
    text = said(app).replace("\\", "")
    assert low > 1 and sentence in text and "More flips (*More settings*) can lower them." in text
    assert "99 flips, seed 0" in text
    table = table_with(app, "Score ↑").set_index("System")
    shown = {name: table.loc[name, "p (Holm)"] for name in table.index}
    assert sorted(filter(None, shown.values())) == sorted(p_value(one.p_corrected) for one in rows)
    plain = open_app(flips="99", numbers="open")
    assert "flips can give" not in said(plain), "no option is named to who reads for the first time"
    assert "1 changed under “More”" in said(plain)


def test_intervals_stand_in_the_table_for_a_paper_unless_they_are_hidden(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(study=study_folder, closer="open", look=PAPER)
    table = next(one.value for one in app.table if one.value.columns[0] == "System")
    means = table.iloc[:2, 1]
    assert all(re.fullmatch(r"(\*\*)?[01]\.\d{3}(\*\*)?[†‡]? :gray\[\(.+\)\]", cell) for cell in means)
    app.toggle(key="intervals_on").set_value(False).run()
    table = next(one.value for one in app.table if one.value.columns[0] == "System")
    assert all(":gray" not in cell for cell in table.iloc[:2, 1]) and not app.exception


def ways(app: AppTest) -> list[str]:
    """What can be looked at more closely."""
    (look,) = [one for one in app.get("button_group") if one.key == "look"]
    return list(look.options)


def test_without_kinds_it_is_not_offered(open_app: Open, study_folder) -> None:
    app = open_app(study=study_folder, closer="open")
    assert TITLES[KINDS] not in ways(app) and TITLES[KINDS] in ways(open_app(closer="open"))
    assert not any("[" in one.family for one in choices(open_study(study_folder)))
