"""Deleting an uploaded study on the Data page: it asks, says how much, and can be undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.study.workspace import folders
from evalcore.study.workspace.home import make_folder
from evalcore.study.workspace.removed import delete_study, size_of
from evalcore.ui.frame import pages, state
from evalcore.values.writing import file_size
from tests.ui.conftest import said, write_study

Open = Callable[..., AppTest]
PAGE = "pages/5_Data.py"


def upload(name: str) -> Path:
    make_folder(folders.study_folder(name))
    return write_study(folders.study_folder(name), pictures=False)


def labelled(app: AppTest, label: str):
    (button,) = [button for button in app.button if button.label == label]
    return button


def on_view(app: AppTest) -> str:
    """The study of the address, which leaves the sample out."""
    given = app.query_params.get(state.STUDY, "sample")
    return given if isinstance(given, str) else given[0]


def opened(open_app: Open, **link: str) -> AppTest:
    app = open_app(PAGE, link={state.TAB: pages.BRING, "kept": "open", **link})
    assert not app.exception
    return app


def test_without_uploads_there_is_nothing_to_delete(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={state.TAB: pages.BRING, "kept": "open"})
    assert not [one for one in app.expander if "Delete" in one.label]


def test_a_study_is_deleted_and_restored(open_app: Open) -> None:
    upload("head"), upload("chest")
    app = opened(open_app, study="head")
    size = file_size(size_of(folders.study_folder("head")))
    assert f"**head** ({size}) will be deleted" in said(app)
    labelled(app, "Delete head").click().run()
    assert not app.exception and "**head** is deleted. It can be restored here for 30 days." in said(app)
    assert [path.name for path in folders.studies()] == ["chest"]
    assert on_view(app) == "sample", "what is gone is no longer on view"
    assert "30 days left" in said(app)
    labelled(app, "Restore head").click().run()
    assert "**head** is restored." in said(app) and on_view(app) == "head"
    app.selectbox(key=pages.DELETED_STUDY).select(folders.study_folder("chest")).run()
    labelled(app, "Delete chest").click().run()
    assert on_view(app) == "head", "another was deleted"


def test_a_study_deleted_elsewhere_meanwhile_is_an_error_on_the_page(open_app: Open) -> None:
    folder = upload("head")
    app = opened(open_app, study="head")
    delete_study(folder)
    labelled(app, "Delete head").click().run()
    assert not app.exception and any("is not one of your uploaded studies" in one.value for one in app.error)
    assert labelled(app, "Restore head")
