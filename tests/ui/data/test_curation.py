"""Curation on the data page: the rules of the address, and what they leave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.study import open_study
from evalcore.ui.frame import pages
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]


def test_the_rules_of_the_page(open_app: Open, study_folder: Path) -> None:
    study = open_study(study_folder)
    often = [cui for i in range(len(study.image_ids)) for cui in study.concepts.of_image(i)]
    gone = max(sorted(set(often)), key=often.count)
    link = {"part": pages.COVERAGE, "curation": "open", "fewest_images": "1", "blacklist": gone}
    app = open_app("pages/1_Data.py", study=study_folder, link=link)
    assert not app.exception
    rows = table_with(app, "Occurrences removed").set_index("Rule")
    assert rows.loc["blacklist", ["Concepts removed", "Occurrences removed"]].tolist() == [
        1,
        often.count(gone),
    ]
    assert rows.loc["too rare", "Occurrences left"] == len(often) - often.count(gone)
    assert table_with(app, "Removed by")["Concept"].tolist() == [gone]
    assert f"**{len(set(often)) - 1:,}** are left" in " ".join(said(app).split())
