"""What changes or deletes a study on the Data page: nothing without a question, and undone on demand."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.study import open_study
from evalcore.study.workspace import folders
from evalcore.study.workspace.home import make_folder
from evalcore.ui.frame import pages, state
from tests.ui.conftest import Open, page_text, table_with, write_study
from tests.ui.data.test_page import drop, rows_of

PAGE = "pages/5_Data.py?part=systems"


@pytest.fixture
def mine() -> Path:
    """The tiny study as an uploaded one."""
    return write_study(folders.study_folder("mine"))


def test_removed_and_brought_back(open_app: Open, mine: Path) -> None:
    app = open_app(PAGE, link={"study": "mine"})
    assert table_with(app, "Queries answered")["Queries answered"].tolist() == [6, 4]
    before = {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()}
    app.button(key="remove-system").click().run()
    assert not app.exception and open_study(mine).systems == ("beta",)
    assert not (mine / "systems" / "alpha").exists()
    (undo,) = [button for button in app.button if str(button.key).startswith("restore-")]
    assert undo.label == "Restore alpha"
    undo.click().run()
    assert not app.exception
    assert {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()} == before


def test_only_what_was_uploaded_is_removed(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder)
    assert not app.exception and "remove-system" not in {button.key for button in app.button}
    (allow,) = app.main.checkbox
    assert str(study_folder) in allow.label.replace("\\", "").replace("\u2060", "")


def test_the_sample_is_never_changed(open_app: Open) -> None:
    app = open_app(PAGE)
    assert not app.main.checkbox and "read-only" in page_text(app)
    assert "remove-system" not in {button.key for button in app.button}


def test_nothing_is_replaced_without_a_question(open_app: Open, mine: Path) -> None:
    run = mine / "systems" / "alpha" / "run.trec"
    before, new = run.read_bytes(), b"q1 Q0 q2 1 0.5 x\n"
    app = open_app("pages/5_Data.py?part=new", link={"study": "mine"})
    drop(app, ("new.trec", new))
    assert app.selectbox(key="target").value == "mine", "the study on view"
    assert app.button(key="add-files").label == "Add and compare"
    rows_of(app, "system")[0].set_value("alpha").run()
    assert "Replaces what is there" in page_text(app) and run.read_bytes() == before
    assert app.button(key="add-files").label == "Replace and add"
    app.button(key="add-files").click().run()
    assert not app.exception and run.read_bytes() == new


def test_an_upload_into_an_opened_folder_after_a_yes(open_app: Open, study_folder: Path) -> None:
    app = open_app("pages/5_Data.py?part=new", study=study_folder)
    drop(app, ("new.trec", b"q1 Q0 q2 1 0.5 x\n"))
    assert len(app.selectbox(key="target").options) == 1
    app.main.checkbox[0].check().run()
    (_, folder) = app.selectbox(key="target").options
    app.selectbox(key="target").set_value(folder).run()
    rows_of(app, "system")[0].set_value("C 3").run()
    app.button(key="add-files").click().run()
    assert not app.exception
    study = open_study(study_folder)
    assert study.systems == ("C 3", "alpha", "beta")
    assert not [path for path in study_folder.iterdir() if path.name.startswith(".")]


def labelled(app: AppTest, label: str):
    (button,) = [button for button in app.button if button.label == label]
    return button


def on_view(app: AppTest) -> str:
    """The study of the address, which leaves the sample out."""
    value = app.query_params.get(state.STUDY, "sample")
    return value if isinstance(value, str) else value[0]


def test_a_study_is_deleted_and_restored(open_app: Open) -> None:
    for name in ("head", "chest"):
        make_folder(folders.study_folder(name))
        write_study(folders.study_folder(name), pictures=False)
    app = open_app("pages/5_Data.py", link={state.TAB: pages.BRING, "kept": "open", "study": "head"})
    assert "**head** will be deleted" in page_text(app)
    labelled(app, "Delete head").click().run()
    assert not app.exception and "**head** is deleted. It can be restored here for 30 days." in page_text(app)
    assert [path.name for path in folders.studies()] == ["chest"]
    assert on_view(app) == "sample", "what is gone is no longer on view"
    assert "30 days left" in page_text(app)
    labelled(app, "Restore head").click().run()
    assert "**head** is restored." in page_text(app) and on_view(app) == "head"
    app.selectbox(key=pages.DELETED_STUDY).select(folders.study_folder("chest")).run()
    labelled(app, "Delete chest").click().run()
    assert on_view(app) == "head", "another was deleted"
