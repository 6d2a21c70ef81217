"""The filter of queries: in the address, on every page it changes, and the slices of the Compare page."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.evaluate.conditions import select
from evalcore.study import open_study
from tests.ui.conftest import Open, page_text

COMPARE, QUERY = "app.py", "pages/1_Queries.py?q=q1"


def test_several_conditions_and_removing_them(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, link={"where": ["organ=head", "modality=MR"]}, more=True)
    assert "**2 of 6 queries**" in page_text(app)
    app.button(key="no-filter").click().run()
    assert "Only **" not in page_text(app) and "where" not in app.query_params
    assert app.multiselect(key="where").value == []


def test_two_labels_of_a_column_chosen_one_after_the_other_are_alternatives(open_app: Open) -> None:
    app = open_app(more=True)
    app.multiselect(key="where").set_value(["modality=CT"]).run()
    ct = len(select(open_study("data"), ["modality=CT"]).queries)
    app.multiselect(key="where").set_value(["modality=CT", "modality=MRI"]).run()
    mri = len(select(open_study("data"), ["modality=MRI"]).queries)
    assert app.multiselect(key="where").value == ["modality=CT|MRI"]
    assert app.query_params["where"] == "modality=CT|MRI"
    assert f"**{ct + mri} of {len(open_study('data').queries)} queries**" in page_text(app) and 0 < mri < ct


@pytest.mark.parametrize("n", [20, 21])
def test_of_many_conditions_the_first_20_count_and_the_page_says_so(
    open_app: Open, study_folder: Path, n: int
) -> None:
    """Only the 20th, modality=CT, leaves some out, and so would the 21st."""
    tags = ";".join(f"t{i}" for i in range(19))
    rows = [f"q{i},{'CT' if i < 5 else 'MR'},head,{tags}" for i in range(1, 7)]
    (study_folder / "labels.csv").write_text("\n".join(["ID,modality,organ,tag", *rows]))
    conditions = [*(f"tag=t{i}" for i in range(19)), "modality=CT", "organ="][:n]
    app = open_app(study=study_folder, link={"where": conditions}, more=True)
    assert "**4 of 6 queries**" in page_text(app)
    assert app.multiselect(key="where").value == conditions[:20]
    assert ("Only the first 20 of 21 conditions are used" in page_text(app)) == (n == 21)


def test_a_condition_that_means_nothing_is_named_and_the_others_hold(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(study=study_folder, link={"where": ["organ=hed", "organ=HEAD"]})
    text = page_text(app)
    assert "No value of organ called" in text and "Did you mean\\: head" in text and "is not used" in text
    assert "**3 of 6 queries**" in text and app.query_params["where"] == "organ=head"


def test_no_query_left_says_why_and_offers_the_way_out(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, link={"where": ["organ=head", "organ=chest"]})
    assert "None of the 6 queries fits all of" in page_text(app)
    app.button(key="no-filter").click().run()
    assert "**alpha**" in page_text(app) and "None of the 6 queries" not in page_text(app)
