"""Views kept with a study: what is saved reads back, whole or not at all, and only where that is allowed."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest

from evalcore.study import open_study
from evalcore.study.folder.settings_toml import SettingsFile
from evalcore.study.workspace import views, workspace
from evalcore.study.workspace.views import SavedView, delete_view, parse_views, read_views, save_view
from evalcore.values.errors import InputError, UnknownName

VIEW = SavedView(
    'Chest "only" ü',
    "compare",
    {"where": ("organ=chest", "concepts>=5"), "k": ("5",)},
    SettingsFile({"metric": ["nnCUI@5"], "alpha": 0.25}),
    ("paper", "figure 2"),
    "Two\nlines.",
    "2026-05-01",
)


@pytest.fixture
def mine(tmp_path):
    """A study of the workspace."""
    folder = workspace.study_folder("mine")
    folder.mkdir(parents=True)
    (folder / "concepts.csv").write_text("ID,CUIs\na,C0000001\nb,C0000001\n")
    return folder


def test_what_is_saved_is_listed_in_order_and_replaced_by_name(mine):
    assert read_views(mine)[0] == ()
    save_view(mine, VIEW)
    save_view(mine, SavedView("Second", "home", {}))
    found, report = read_views(mine)
    assert [one.name for one in found] == [VIEW.name, "Second"] and not report.problems
    assert found[0] == VIEW
    said = tomllib.loads((mine / "views.toml").read_text())["views"][VIEW.name]
    assert said["address"] == {"where": ["organ=chest", "concepts>=5"], "k": ["5"]}
    assert said["settings"] == {"metric": ["nnCUI@5"], "alpha": 0.25}
    save_view(mine, SavedView("Second", "home", {"k": ("3",)}))
    assert read_views(mine)[0][1].address == {"k": ("3",)} and len(read_views(mine)[0]) == 2
    delete_view(mine, VIEW.name)
    assert [one.name for one in read_views(mine)[0]] == ["Second"]
    with pytest.raises(UnknownName, match="No saved view called 'gone'"):
        delete_view(mine, "gone")


def test_comments_of_the_owner_stay_and_nothing_lies_about(mine):
    (mine / "views.toml").write_text('# mine\n[views.a]\npage = "home" # first\n')
    save_view(mine, VIEW)
    text = (mine / "views.toml").read_text()
    assert text.startswith('# mine\n[views.a]\npage = "home" # first\n')
    assert sorted(path.name for path in mine.iterdir()) == ["concepts.csv", "views.toml"]
    assert (mine / "views.toml").stat().st_mode & 0o777 == 0o600


def test_a_study_keeps_so_many_views_and_any_of_them_can_be_replaced(mine, monkeypatch):
    monkeypatch.setattr(views, "MOST", 2)
    first, second, third = (replace(VIEW, name=name) for name in ("one", "two", "three"))
    save_view(mine, first)
    save_view(mine, second)
    with pytest.raises(InputError, match="keeps at most 2 views; delete one first"):
        save_view(mine, third)
    save_view(mine, replace(first, note="other"))
    assert [one.note for one in read_views(mine)[0]] == ["other", VIEW.note]


def test_views_change_nothing_of_the_study(mine):
    before = open_study(mine)
    save_view(mine, VIEW)
    after = open_study(mine)
    assert after.digest == before.digest and after.report.problems == before.report.problems


def test_a_folder_opened_in_place_takes_a_yes(tmp_path, mine):
    other = tmp_path / "other"
    other.mkdir()
    (other / "concepts.csv").write_bytes((mine / "concepts.csv").read_bytes())
    with pytest.raises(InputError, match="never changed unless you allow it"):
        save_view(other, VIEW)
    assert not (other / "views.toml").exists()
    save_view(other, VIEW, in_place=True)
    assert read_views(other)[0] == (VIEW,)


def test_a_link_that_leads_out_is_not_written_through(tmp_path, mine):
    (tmp_path / "outside").write_text("")
    (mine / "views.toml").symlink_to(tmp_path / "outside")
    save_view(mine, VIEW)
    assert (tmp_path / "outside").read_text() == "" and read_views(mine)[0] == (VIEW,)


@pytest.mark.parametrize(
    "wrong",
    [
        SavedView("", "home", {}),
        SavedView("a\nb", "home", {}),
        SavedView("x" * 81, "home", {}),
        SavedView("a", "home", {}, tags=("x" * 41,)),
        SavedView("a", "home", {}, tags=("x",) * 21),
        SavedView("a", "home", {}, note="x" * 2001),
        SavedView("a", "home", {"k": ("x" * 2001,)}),
        SavedView("a", "home", {str(i): ("x",) for i in range(101)}),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(mine, wrong):
    with pytest.raises(InputError):
        save_view(mine, wrong)
    assert not (mine / "views.toml").exists()


@pytest.mark.parametrize(
    "data",
    [
        b"\0",
        b"views = 3",
        b"views = [[1]]",
        b"[views.a]\naddress = 1",
        b"[views.a]\ntags = [1]",
        b"[views]\na = 1",
        b"x = " + b"[" * 9000,
        b"[views.a.settings]\nalpha = 9",
        b"#" * 300_000,
        b"[views.'\\u001b']\npage = 'home'",
    ],
)
def test_hostile_files_never_raise_and_stay(mine, data):
    found, report = parse_views(data, file="views.toml")
    assert all(isinstance(one, SavedView) for one in found)
    (mine / "views.toml").write_bytes(data)
    if report.total("error"):
        with pytest.raises(InputError, match="has errors"):
            save_view(mine, VIEW)
        assert (mine / "views.toml").read_bytes() == data
