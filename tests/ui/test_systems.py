"""The systems tab of the Data page: names, order, notes, removal; the same on every page."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.study import open_study
from evalcore.study.workspace import workspace
from tests.ui.conftest import HOSTILE, RUNS, board, said, table_with, write_study
from tests.ui.data.test_page import drop, rows_of

Open = Callable[..., AppTest]
PAGE = "pages/5_Data.py"


@pytest.fixture
def mine() -> Path:
    """The tiny study as an uploaded one."""
    return write_study(workspace.study_folder("mine"))


def field(app: AppTest, kind: str, name: str) -> Any:
    (found,) = [one for one in getattr(app, kind) if str(one.key).startswith(name)]
    return found


def open_systems(open_app: Open, **link: str) -> AppTest:
    app = open_app(PAGE, part="systems", link={"study": "mine", **link})
    assert not app.exception
    return app


def change(app: AppTest, system: str, **fields: Any) -> AppTest:
    kinds = {"title": "text_input", "notes": "text_area"}
    app.selectbox(key="changed_system").set_value(system).run()
    for name, value in fields.items():
        field(app, kinds.get(name, "selectbox"), f"system_{name}").set_value(value)
    app.button(key="save-system").click().run()
    assert not app.exception
    return app


def dots(app: AppTest) -> dict[str, tuple[str, str]]:
    """{system: colour and marker} of the overview's figure."""
    chart = json.loads(app.get("plotly_chart")[0].proto.spec)
    return {
        trace["name"]: (trace["marker"]["color"], trace["marker"]["symbol"])
        for trace in chart["data"]
        if trace.get("name")
    }


def test_the_table_says_what_each_system_holds(open_app: Open, mine: Path) -> None:
    rows = table_with(open_systems(open_app), "Pool").set_index("System")
    assert rows["Results"].to_dict() == {name: sum(map(len, of.values())) for name, of in RUNS.items()}
    assert rows["Queries"].to_dict() == {"alpha": 6, "beta": 4}
    assert rows["Pool"].to_dict() == {
        name: len({image for images in of.values() for image in images}) for name, of in RUNS.items()
    }
    assert rows["Depth"].to_dict() == {"alpha": "1 to 4", "beta": "4"}
    assert set(rows["Vectors"]) == {0}


def test_a_name_is_kept_as_typed_and_shown_everywhere(open_app: Open, mine: Path) -> None:
    app = change(open_systems(open_app), "alpha", title="Best / one (2024)", notes="First.\nSecond.")
    assert "**Best / one" in said(app).replace("\\", "")
    assert (mine / "systems" / "alpha").is_dir(), "the folder keeps its safe name"
    assert open_study(mine).systems == ("Best / one (2024)", "beta")
    for page in ("app.py", "pages/1_Queries.py?q=q1", "pages/1_Queries.py", "pages/2_Robustness.py"):
        app = open_app(page, link={"study": "mine"})
        shown = said(app).replace("\\", "") + (str(board(app)) if "q=" in page else "")
        assert not app.exception and "Best / one (2024)" in shown, page
        assert "alpha" not in shown, page
    app = open_app(link={"study": "mine", "systems": "alpha", "baseline": "alpha"})
    assert app.multiselect(key="systems").value == ["Best / one (2024)"]
    assert not app.warning


def test_the_order_is_the_same_on_every_page(open_app: Open, mine: Path) -> None:
    app = change(open_systems(open_app), "beta", place=1)
    assert table_with(app, "Pool")["System"].tolist() == ["beta", "alpha"]
    home = open_app(link={"study": "mine"})
    assert home.multiselect(key="systems").value == ["beta", "alpha"]
    said_now = tomllib.loads((mine / "study.toml").read_text())["systems"]
    assert said_now == {"beta": {"order": 1}, "alpha": {"order": 2}}


def test_a_system_that_joins_changes_no_colour(open_app: Open, mine: Path) -> None:
    before = dots(open_app(link={"study": "mine"}))
    for name in ("aaa", "azz", "zzz"):
        shutil.copytree(mine / "systems" / "beta", mine / "systems" / name)
    after = dots(open_app(link={"study": "mine"}))
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == 5


def test_removed_and_brought_back(open_app: Open, mine: Path) -> None:
    app = change(open_systems(open_app), "alpha", title="One")
    before = {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()}
    app.selectbox(key="changed_system").set_value("One").run()
    app.button(key="remove-system").click().run()
    assert not app.exception and open_study(mine).systems == ("beta",)
    assert not (mine / "systems" / "alpha").exists()
    (undo,) = [one for one in app.button if str(one.key).startswith("undo-")]
    assert undo.label == "Bring back One"
    undo.click().run()
    assert not app.exception
    assert {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()} == before
    assert not [one for one in app.button if str(one.key).startswith("undo-")]


def test_name_and_description_of_the_study(open_app: Open, mine: Path) -> None:
    (mine / "study.toml").write_text("# by hand\nname = 'Old'\n")
    app = open_systems(open_app)
    field(app, "text_input", "study_name").set_value("New *name*")
    field(app, "text_area", "study_description").set_value(HOSTILE)
    app.button(key="save-study").click().run()
    assert not app.exception
    study = open_study(mine)
    assert (study.name, study.description) == ("New *name*", HOSTILE)
    assert "# by hand" in (mine / "study.toml").read_text()
    assert "<script" not in said(app).replace("\\<script", "")


@pytest.mark.parametrize("name", ["beta", "@iou", "two\nlines", "bell\x07"])
def test_names_that_cannot_be_change_nothing(open_app: Open, mine: Path, name: str) -> None:
    app = change(open_systems(open_app), "alpha", title=name)
    assert app.error and open_study(mine).systems == ("alpha", "beta")
    assert not (mine / "study.toml").exists()


def test_hostile_names_stay_text(open_app: Open, mine: Path) -> None:
    change(open_systems(open_app), "alpha", title=HOSTILE, notes=HOSTILE)
    assert HOSTILE in open_study(mine).systems
    for page, link in (("app.py", {}), (PAGE, {"part": "systems"}), ("app.py", {})):
        app = open_app(page, link={"study": "mine", **link})
        assert not app.exception
        assert "![x](http" not in said(app) and "<script" not in said(app).replace("\\<script", "")


def test_an_opened_folder_changes_only_after_a_yes(open_app: Open, study_folder: Path) -> None:
    before = sorted(path.relative_to(study_folder) for path in study_folder.rglob("*"))
    app = open_app(PAGE, study=study_folder, part="systems")
    assert app.button(key="save-system").disabled and app.button(key="remove-system").disabled
    (allow,) = app.main.checkbox
    assert str(study_folder) in allow.label.replace("\\", "").replace("\u2060", "")
    allow.check().run()
    app = change(app, "beta", title="Second")
    after = sorted(path.relative_to(study_folder) for path in study_folder.rglob("*"))
    assert after == sorted([*before, Path("study.toml")])
    assert open_study(study_folder).systems == ("Second", "alpha")


def test_the_sample_is_never_changed(open_app: Open) -> None:
    app = open_app(PAGE, part="systems")
    assert not app.exception and not app.main.checkbox
    assert app.button(key="save-system").disabled and "read-only" in said(app)


def test_nothing_is_replaced_without_a_question(open_app: Open, mine: Path) -> None:
    run = mine / "systems" / "alpha" / "run.trec"
    before, new = run.read_bytes(), b"q1 Q0 q2 1 0.5 x\n"
    app = open_app(PAGE, link={"study": "mine", "part": "new"})
    drop(app, ("new.trec", new))
    assert app.selectbox(key="target").value == "mine", "the study on view"
    assert app.button(key="add-files").label == "Add and compare"
    rows_of(app, "system")[0].set_value("alpha").run()
    assert "Replaces what is there" in said(app) and run.read_bytes() == before
    assert app.button(key="add-files").label == "Replace and add"
    app.button(key="add-files").click().run()
    assert not app.exception and run.read_bytes() == new


def test_an_upload_into_an_opened_folder_after_a_yes(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, part="new")
    drop(app, ("new.trec", b"q1 Q0 q2 1 0.5 x\n"))
    assert len(app.selectbox(key="target").options) == 1
    app.main.checkbox[0].check().run()
    (_, folder) = app.selectbox(key="target").options
    app.selectbox(key="target").set_value(folder).run()
    rows_of(app, "system")[0].set_value("C/3").run()
    app.button(key="add-files").click().run()
    assert not app.exception
    study = open_study(study_folder)
    assert study.systems == ("C/3", "alpha", "beta")
    assert not [path for path in study_folder.iterdir() if path.name.startswith(".")]
