"""What changes or deletes a study on the Data page: nothing without a question, and undone on demand."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.study import open_study
from evalcore.study.workspace import home
from evalcore.study.workspace.home import make_folder
from evalcore.ui.frame import pages, state
from tests.study.made import content
from tests.ui.conftest import Open, button, page_text, table_with, write_study
from tests.ui.data.test_page import drop, rows_of

PAGE = "pages/5_Data.py?part=systems"


@pytest.fixture
def mine() -> Path:
    """The tiny study as an uploaded one."""
    return write_study(home.study_folder("mine"))


def test_removed_and_brought_back(open_app: Open, mine: Path) -> None:
    app = open_app(PAGE, link={"study": "mine"})
    assert table_with(app, "Queries answered")["Queries answered"].tolist() == [6, 4]
    before = content(mine)
    app.button(key="remove-system").click().run()
    assert open_study(mine).systems == ("beta",)
    assert not (mine / "systems" / "alpha").exists()
    button(app, "Restore alpha").click().run()
    assert content(mine) == before


def test_only_what_was_uploaded_is_removed(open_app: Open, open_tiny: Open, study_folder: Path) -> None:
    opened, sample = open_tiny(PAGE), open_app(PAGE)
    for app in (opened, sample):
        assert "remove-system" not in {button.key for button in app.button}
    (allow,) = opened.main.checkbox
    assert str(study_folder) in allow.label.replace("\\", "").replace("\u2060", "")
    assert not sample.main.checkbox and "read-only" in page_text(sample)


NEW = ("new.trec", b"q1 Q0 q2 1 0.5 x\n")


def test_nothing_is_replaced_without_a_question(open_app: Open, mine: Path) -> None:
    run = mine / "systems" / "alpha" / "run.trec"
    before = run.read_bytes()
    app = open_app("pages/5_Data.py?part=new", link={"study": "mine"})
    drop(app, NEW)
    assert app.selectbox(key="target").value == "mine", "the study on view"
    assert app.button(key="add-files").label == "Add and compare"
    rows_of(app, "system")[0].set_value("alpha").run()
    assert "Replaces what is there" in page_text(app) and run.read_bytes() == before
    button(app, "Replace and add").click().run()
    assert run.read_bytes() == NEW[1]


def test_an_upload_into_an_opened_folder_after_a_yes(open_tiny: Open, study_folder: Path) -> None:
    app = open_tiny("pages/5_Data.py?part=new")
    drop(app, NEW)
    assert len(app.selectbox(key="target").options) == 1
    app.main.checkbox[0].check().run()
    (_, folder) = app.selectbox(key="target").options
    app.selectbox(key="target").set_value(folder).run()
    rows_of(app, "system")[0].set_value("C 3").run()
    app.button(key="add-files").click().run()
    assert open_study(study_folder).systems == ("C 3", "alpha", "beta")
    assert not [path for path in study_folder.iterdir() if path.name.startswith(".")]


def on_view(app: AppTest) -> str:
    """The study of the address, which leaves the sample out."""
    value = app.query_params.get(state.STUDY, "sample")
    return value if isinstance(value, str) else value[0]


def test_a_study_is_deleted_and_restored(open_app: Open) -> None:
    for name in ("head", "chest"):
        make_folder(home.study_folder(name))
        write_study(home.study_folder(name), pictures=False)
    app = open_app("pages/5_Data.py", link={state.TAB: pages.BRING, "kept": "open", "study": "head"})
    assert "**head** will be deleted" in page_text(app)
    button(app, "Delete head").click().run()
    assert "**head** is deleted. It can be restored here for 30 days." in page_text(app)
    assert [path.name for path in home.studies()] == ["chest"]
    assert on_view(app) == "sample", "what is gone is no longer on view"
    assert "30 days left" in page_text(app)
    button(app, "Restore head").click().run()
    assert "**head** is restored." in page_text(app) and on_view(app) == "head"
    app.selectbox(key=pages.DELETED_STUDY).select(home.study_folder("chest")).run()
    button(app, "Delete chest").click().run()
    assert on_view(app) == "head", "another was deleted"
