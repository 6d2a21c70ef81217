"""The filter of queries: in the address, on every page it changes, and the slices of the Compare page."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.evaluate.conditions import select
from evalcore.study import open_study
from tests.ui.conftest import Open, page_text


def test_several_conditions_and_removing_them(open_tiny: Open) -> None:
    app = open_tiny(where=["organ=head", "modality=MR"], more=True)
    assert "**2 of 6 queries**" in page_text(app)
    app.button(key="no-filter").click().run()
    assert "where" not in app.query_params and app.multiselect(key="where").value == []
    text = page_text(app)
    assert "**alpha**" in text and "of 6 queries**" not in text and "Only **" not in text


def test_two_labels_of_a_column_chosen_one_after_the_other_are_alternatives(open_app: Open) -> None:
    app, study = open_app(more=True), open_study("data")
    app.multiselect(key="where").set_value(["modality=CT"]).run()
    app.multiselect(key="where").set_value(["modality=CT", "modality=MRI"]).run()
    ct, mri = (len(select(study, [f"modality={name}"]).queries) for name in ("CT", "MRI"))
    assert app.multiselect(key="where").value == ["modality=CT|MRI"]
    assert app.query_params["where"] == "modality=CT|MRI"
    assert f"**{ct + mri} of {len(study.queries)} queries**" in page_text(app) and 0 < mri < ct


@pytest.mark.parametrize("n", [20, 21])
def test_of_many_conditions_the_first_20_count_and_the_page_says_so(
    open_tiny: Open, study_folder: Path, n: int
) -> None:
    """Only the 20th, modality=CT, leaves some out, and so would the 21st."""
    tags = ";".join(f"t{i}" for i in range(19))
    rows = [f"q{i},{'CT' if i < 5 else 'MR'},head,{tags}" for i in range(1, 7)]
    (study_folder / "labels.csv").write_text("\n".join(["ID,modality,organ,tag", *rows]))
    conditions = [*(f"tag=t{i}" for i in range(19)), "modality=CT", "organ="][:n]
    app = open_tiny(where=conditions, more=True)
    assert "**4 of 6 queries**" in page_text(app)
    assert app.multiselect(key="where").value == conditions[:20]
    assert ("Only the first 20 of 21 conditions are used" in page_text(app)) == (n == 21)
