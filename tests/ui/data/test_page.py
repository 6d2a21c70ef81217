"""The data page: what was read, and the ways to bring a study in."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from evalcore.cli import run
from evalcore.study import open_study
from evalcore.study.workspace import folders, home, uploads
from evalcore.study.workspace.folders import recent
from evalcore.ui.components import own_data
from evalcore.ui.frame import pages, studies
from tests.ui.conftest import ROOT, Open, page_text, table_with, write_study

PAGE = "pages/5_Data.py"


def drop(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Give the page several files at once."""
    (widget,) = [widget for widget in app.file_uploader if str(widget.key).startswith("files")]
    widget.set_value([(name, data, "application/octet-stream") for name, data in files])
    return app.run()


def rows_of(app: AppTest, what: str) -> list[Any]:
    """The widgets of the files that were dropped: ``kind`` or ``system``."""
    kinds = app.selectbox if what == "kind" else app.text_input
    return [widget for widget in kinds if str(widget.key).startswith(f"{what}_of_file")]


def upload(app: AppTest, kind: str, name: str, data: bytes, *, system: str | None = None) -> AppTest:
    """Give one file, say what it is where that was not recognised, name its system, and add it."""
    drop(app, (name, data))
    (what,) = rows_of(app, "kind")
    if what.value != kind:
        what.set_value(kind).run()
    if system is not None:
        rows_of(app, "system")[0].set_value(system).run()
    return app.button(key="add-files").click().run()


def test_coverage_counts_by_hand(open_app: Open, study_folder: Path) -> None:
    table = table_with(open_app(PAGE, study=study_folder, part="coverage"), "What").set_index("What")
    rows = {what: (row["Number"], row["Of"]) for what, row in table.iterrows()}
    assert (rows["Images with concepts"], rows["Images with a caption"]) == ((5, 6), (5, 6))
    # Graph: nodule, mass, head, chest. Sets: 2 chest, 3 head, nodule and mass once, of 14 in all.
    assert (rows["Concepts in the graph"], rows["Uses of these concepts"]) == ((4, 7), (7, 14))


def test_open_a_folder_by_path(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "other", systems=False)
    app = open_app(PAGE, part="new")
    app.text_input(key="folder_path").set_value(str(folder))
    app.button(key="open-folder").click().run()
    assert "Opened **other**" in page_text(app).replace("\\", "")
    assert app.selectbox(key="study").value == "other"
    assert folder.resolve() in recent()


def test_files_dropped_together_are_recognised_shown_corrected_and_compared(
    open_app: Open, study_folder: Path
) -> None:
    """To the first verdict by one click after the files are dropped."""
    concepts = (study_folder / "concepts.csv").read_bytes()
    run = (study_folder / "systems/alpha/run.trec").read_bytes()
    app = drop(
        open_app(PAGE, part="new"), ("b.txt", run), ("a", concepts), ("c.txt", run), ("notes.md", b"# No")
    )
    assert [widget.value for widget in rows_of(app, "kind")] == ["concepts", "run", "run", ""]
    assert [widget.value for widget in rows_of(app, "system")] == ["b", "c"]
    words = page_text(app).replace("\\", "")
    assert "**a**  \n:gray[6 images]" in words and "**b.txt**  \n:gray[6 queries, 21 results]" in words
    assert "**Concept graph** (credit for related concepts)" in words and "**Concepts**" not in words
    assert table_with(app, "What to do")["File"].tolist() == ["notes\\.md"]
    rows_of(app, "kind")[2].set_value("").run()
    rows_of(app, "system")[0].set_value("mine").run()
    app.button(key="add-files").click().run()
    assert not app.exception and "**My study** is open: 2 files added" in page_text(app)
    assert "**mine** scores **" in page_text(app) and app.title[0].value == "Results"
    study = open_study(folders.study_folder("My study"))
    assert study.systems == ("mine",) and len(study.image_ids) == 6


def test_files_that_wait_are_there_after_a_reload_and_only_for_their_owner(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    concepts = (study_folder / "concepts.csv").read_bytes()
    app = drop(open_app(PAGE, part="new"), ("c.csv", concepts))
    link = {"waiting": str(app.query_params["waiting"]), "part": "new"}
    again = open_app(PAGE, link=link)
    assert [widget.value for widget in rows_of(again, "kind")] == ["concepts"]
    with monkeypatch.context() as patched:
        patched.setattr(own_data, "home", lambda: study_folder)
        assert not rows_of(open_app(PAGE, link=link), "kind")
    again.button(key="forget-files").click().run()
    assert not rows_of(again, "kind") and "waiting" not in again.query_params
    again = open_app(PAGE, link=link)
    again.button(key="add-files").click().run()
    assert not again.exception and "is open: 1 file added" in page_text(again)
    assert "waiting" not in again.query_params


def test_bad_upload_is_reported_by_line_and_loses_nothing(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, part="new")
    drop(app, ("c.csv", (study_folder / "concepts.csv").read_bytes()))
    app.text_input(key="new_name").set_value("Mine").run()
    app.button(key="add-files").click().run()
    before = open_study(folders.study_folder("Mine")).digest
    upload(app, "concepts", "broken.csv", b"\x00\x01\x02 this is no table")
    assert not app.exception
    assert "was not saved" in page_text(app) and "what was loaded before is unchanged" in page_text(app)
    assert open_study(folders.study_folder("Mine")).digest == before
    problems = [t.value for t in app.table if "What to do" in t.value.columns]
    assert any("broken\\.csv" in set(table["File"]) for table in problems)


def test_zip_that_climbs_out_is_refused(open_app: Open, study_folder: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../evil.csv", "ID,CUIs\nq1,C0000001\n")
    app = drop(open_app(PAGE, study=study_folder, part="new"), ("evil.zip", out.getvalue()))
    assert not app.exception and app.button(key="add-files").disabled
    assert folders.studies() == []


PAGES = ["app.py", PAGE]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("hurt", ["concepts.csv", "no concepts", "gone"])
def test_one_study_that_cannot_be_read_leaves_the_others_alone(
    open_app: Open, study_folder: Path, tmp_path: Path, page: str, hurt: str
) -> None:
    good = write_study(home.home() / "studies" / "good")
    bad = write_study(home.home() / "studies" / "bad")
    for name in ("concepts.csv", "captions.csv", "labels.csv"):
        (bad / name).unlink(missing_ok=True)
    for name in ("images", "systems"):
        shutil.rmtree(bad / name, ignore_errors=True)
    if hurt == "concepts.csv":
        (bad / "concepts.csv").write_bytes(b"\x00\x01")
    link = {"gone": "0123456789abcdef", "no concepts": "bad", "concepts.csv": "bad"}[hurt]
    app = open_app(page, study=study_folder, link={"study": link})
    words = "is not in this workspace" if hurt == "gone" else "The folder of study **bad** cannot be used"
    assert words in page_text(app)
    if hurt != "gone":
        assert "There are no readable concepts in" in page_text(app)
    digest = open_study(good).digest[:8]
    app = open_app(page, study=bad, link={"study": digest})
    assert "cannot be used" not in page_text(app) and app.selectbox(key="study").value == "good"


def test_a_folder_whose_name_is_not_utf8(open_app: Open, study_folder: Path) -> None:
    place = home.home() / "studies" / os.fsdecode(b"caf\xe9")
    write_study(place)
    (place / "systems" / "alpha").rename(place / "systems" / os.fsdecode(b"\xe4lpha"))
    app = open_app(PAGE, study=study_folder, part="new")
    assert "caf%E9" in app.selectbox(key="study").options
    drop(app, ("r.trec", (study_folder / "systems/alpha/run.trec").read_bytes()))
    assert "caf%E9" in app.selectbox(key="target").options
    app.selectbox(key="target").set_value("caf%E9").run()
    upload(app, "run", "r.trec", (study_folder / "systems/alpha/run.trec").read_bytes(), system="gamma")
    assert not app.exception and "**caf%E9** is open" in page_text(app)
    assert open_study(place).systems == ("%E4lpha", "beta", "gamma")
    for page in PAGES:
        app = open_app(page, study=place, part="systems")
        assert "%E4lpha" in page_text(app) + str(app.multiselect) + str(app.selectbox)


@pytest.mark.parametrize("typed", ["~nobody-there/x", "a\0b", "x" * 5000, "/", "~"])
def test_whatever_is_typed_as_a_folder_is_answered(
    open_app: Open, study_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    app = open_app(PAGE, study=study_folder, part="new")
    app.text_input(key="folder_path").set_value(typed)
    app.button(key="open-folder").click().run()
    assert not app.exception
    assert "There is no study" in page_text(app) or "There are no readable concepts" in page_text(app)
    assert app.selectbox(key="study").value == "tiny"


def test_two_studies_of_one_name_are_told_apart(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare name in an address says which of them opened; each has an address of its own that stays."""
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    first = write_study(tmp_path / "here" / "tiny")
    second = write_study(tmp_path / "there" / "tiny", systems=False)
    studies.note_opened(first)
    assert "tiny" in studies.entries()
    assert open_app(link={"study": "tiny"}).query_params["study"] == "tiny"
    studies.note_opened(second)
    names = {entry.path: slug for slug, entry in studies.entries().items()}
    assert names[first] != names[second]
    assert {slug[:6] for slug in (names[first], names[second])} == {"tiny ("}
    for folder, systems in ((first, "2 systems"), (second, "no systems")):
        text = page_text(open_app(link={"study": names[folder]}))
        assert systems in text and "studies are called" not in text
    app = open_app(link={"study": "tiny"})
    opened = {slug: path for path, slug in names.items()}[app.query_params["study"]]
    text = page_text(app).replace("\\", "")
    assert f"2 studies are called **tiny**. This is the one in {opened.parent}" in text
    assert ("2 systems" if opened == first else "no systems") in text
    before = names[first]
    studies.note_opened(first)
    assert {entry.path: slug for slug, entry in studies.entries().items()}[first] == before


def test_near_duplicates_are_looked_for_when_asked(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "copies")
    ids = open_study(folder).image_ids
    rough = np.random.default_rng(0).integers(0, 256, (9, 9)).astype(np.uint8)
    picture = Image.fromarray(rough).resize((200, 200), Image.Resampling.BICUBIC)
    (folder / "images").mkdir(exist_ok=True)
    for image, version in zip(ids, (picture, picture.resize((90, 90))), strict=False):
        version.save(folder / "images" / f"{image}.png")
    app = open_app(PAGE, study=folder, link={"part": pages.COVERAGE, "near": "open"})
    assert "near-identical" not in page_text(app)
    (switch,) = [switch for switch in app.toggle if switch.label.startswith("Look for images")]
    switch.set_value(True).run()
    pairs = table_with(app, "Bits that differ")
    assert (ids[0], ids[1]) in set(zip(pairs["Image"], pairs["And image"], strict=True)) and not app.exception


def test_a_study_too_large_for_a_download_says_so_instead_of_a_button_that_fails(
    open_app: Callable[..., AppTest], study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_PACKED", 5)
    app = open_app("pages/5_Data.py", study=study_folder)
    assert "Copy its folder instead" in page_text(app)
    assert not app.main.get("download_button")


MAP = "column,label,cui\norgan,brain,C0006104\norgan,lung,C0024109\nmodality,CT,C0040405\n"
LINK = {"part": pages.COVERAGE, "labels_from_concepts": "open", "k": "5"}


def test_a_typed_table_gives_the_labels_of_the_command(
    open_app: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "map.csv").write_text(MAP)
    words = ["labels", str(ROOT / "data"), "--map", str(tmp_path / "map.csv"), "--reach", "0", "--json"]
    assert run(words) == 0
    expected = {row["label"]: row["images"] for row in json.loads(capsys.readouterr().out)["labels"]}
    app = open_app("pages/5_Data.py", study=ROOT / "data", link=LINK)
    assert not any("Label" in frame.value.columns for frame in app.dataframe)
    app.text_area(key="label-map-").input(MAP).run()
    assert not app.exception
    assert table_with(app, "Label").set_index("Label")["Images"].to_dict() == expected
    again = open_app("pages/5_Data.py", study=ROOT / "data", link=LINK)
    assert table_with(again, "Label").set_index("Label")["Images"].to_dict() == expected, "the table is kept"
