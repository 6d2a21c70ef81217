"""The data page: what was read, the ways to bring a study in, and to change or delete it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from evalcore.study import open_study
from evalcore.study.workspace import home, uploads
from evalcore.study.workspace.home import make_folder, recent
from evalcore.ui.frame import pages, state, studies
from tests.studies import copied
from tests.study.made import content, zipped
from tests.ui.conftest import ROOT, Open, button, page_text, plain, table_with, write_study

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


@pytest.fixture
def concepts(study_folder: Path) -> bytes:
    return (study_folder / "concepts.csv").read_bytes()


@pytest.fixture
def run(study_folder: Path) -> bytes:
    return (study_folder / "systems/alpha/run.trec").read_bytes()


def test_open_a_folder_by_path(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "other", systems=False)
    app = open_app(PAGE, part="new")
    app.text_input(key="folder_path").set_value(str(folder))
    app.button(key="open-folder").click().run()
    assert "Opened other" in plain(app) and app.selectbox(key="study").value == "other"
    assert folder.resolve() in recent()


def test_files_dropped_together_are_recognised_shown_corrected_and_compared(
    open_app: Open, concepts: bytes, run: bytes
) -> None:
    """To the first verdict by one click after the files are dropped."""
    files = {"b.txt": run, "a": concepts, "c.txt": run, "notes.md": b"# No"}
    app = drop(open_app(PAGE, part="new"), *files.items())
    assert [widget.value for widget in rows_of(app, "kind")] == ["concepts", "run", "run", ""]
    assert [widget.value for widget in rows_of(app, "system")] == ["b", "c"]
    words = page_text(app).replace("\\", "")
    assert "**a**  \n:gray[6 images]" in words and "**b.txt**  \n:gray[6 queries, 21 results]" in words
    assert "**Concept graph** (credit for related concepts)" in words and "**Concepts**" not in words
    assert table_with(app, "What to do")["File"].tolist() == ["notes\\.md"]
    rows_of(app, "kind")[2].set_value("").run()
    rows_of(app, "system")[0].set_value("mine").run()
    app.button(key="add-files").click().run()
    assert "**My study** is open: 2 files added" in page_text(app)
    assert "**mine** scores **" in page_text(app) and app.title[0].value == "Results"
    study = open_study(home.study_folder("My study"))
    assert study.systems == ("mine",) and len(study.image_ids) == 6


def test_bad_upload_is_reported_by_line_and_loses_nothing(open_app: Open, concepts: bytes) -> None:
    app = drop(open_app(PAGE, part="new"), ("c.csv", concepts))
    app.text_input(key="new_name").set_value("Mine").run()
    app.button(key="add-files").click().run()
    before = open_study(home.study_folder("Mine")).digest
    drop(app, ("broken.csv", b"\x00\x01\x02 this is no table"))
    rows_of(app, "kind")[0].set_value("concepts").run()
    app.button(key="add-files").click().run()
    assert "was not saved" in page_text(app) and "what was loaded before is unchanged" in page_text(app)
    assert open_study(home.study_folder("Mine")).digest == before
    problems = [t.value for t in app.table if "What to do" in t.value.columns]
    assert any("broken\\.csv" in set(table["File"]) for table in problems)


def test_zip_that_climbs_out_is_refused(open_tiny: Open) -> None:
    evil = zipped(**{"..__evil_csv": "ID,CUIs\nq1,C0000001\n"})
    app = drop(open_tiny(PAGE, part="new"), ("evil.zip", evil))
    assert app.button(key="add-files").disabled
    assert home.studies() == []


PAGES = ["app.py", PAGE]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("hurt", ["concepts.csv", "no concepts", "gone"])
def test_one_study_that_cannot_be_read_leaves_the_others_alone(
    open_app: Open, open_tiny: Open, page: str, hurt: str
) -> None:
    good, bad = (home.home() / "studies" / name for name in ("good", "bad"))
    write_study(good)
    copied("tiny", bad, without=("concepts.csv", "captions.csv", "labels.csv", "images", "systems"))
    if hurt == "concepts.csv":
        (bad / "concepts.csv").write_bytes(b"\x00\x01")
    text = page_text(open_tiny(page, link={"study": "gone" if hurt == "gone" else "bad"}))
    if hurt == "gone":
        assert "is not in this workspace" in text
    else:
        assert "The folder of study **bad** cannot be used" in text
        assert "There are no readable concepts in" in text
    app = open_app(page, study=bad, link={"study": "good"})
    assert "cannot be used" not in page_text(app) and app.selectbox(key="study").value == "good"


def test_a_folder_whose_name_is_not_utf8(open_app: Open, open_tiny: Open, run: bytes) -> None:
    place = home.home() / "studies" / os.fsdecode(b"caf\xe9")
    write_study(place)
    (place / "systems" / "alpha").rename(place / "systems" / os.fsdecode(b"\xe4lpha"))
    app = open_tiny(PAGE, part="new")
    assert "caf%E9" in app.selectbox(key="study").options
    drop(app, ("r.trec", run))
    assert "caf%E9" in app.selectbox(key="target").options
    app.selectbox(key="target").set_value("caf%E9").run()
    rows_of(app, "system")[0].set_value("gamma").run()
    app.button(key="add-files").click().run()
    assert "**caf%E9** is open" in page_text(app)
    assert open_study(place).systems == ("%E4lpha", "beta", "gamma")
    for page in PAGES:
        app = open_app(page, study=place, part="systems")
        assert "%E4lpha" in page_text(app) + str(app.multiselect) + str(app.selectbox)


def test_whatever_is_typed_as_a_folder_is_answered(
    open_tiny: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for typed in ("~nobody-there/x", "a\0b", "x" * 5000, "/", "~"):
        app = open_tiny(PAGE, part="new")
        app.text_input(key="folder_path").set_value(typed)
        app.button(key="open-folder").click().run()
        assert re.search("There is no study|There are no readable concepts", page_text(app))
        assert app.selectbox(key="study").value == "tiny"


def test_two_studies_of_one_name_are_told_apart(open_app: Open, tmp_path: Path) -> None:
    """A bare name in an address says which of them opened; each has an address of its own that stays."""

    def names() -> dict[Path, str]:
        return {entry.path: slug for slug, entry in studies.entries().items()}

    first = write_study(tmp_path / "here" / "tiny")
    second = write_study(tmp_path / "there" / "tiny", systems=False)
    studies.note_opened(first)
    assert names()[first] == "tiny"
    assert open_app(link={"study": "tiny"}).query_params["study"] == "tiny"
    studies.note_opened(second)
    before = names()
    assert before[first] != before[second]
    systems = {first: "2 systems", second: "no systems"}
    for folder, words in systems.items():
        assert before[folder].startswith("tiny (")
        text = page_text(open_app(link={"study": before[folder]}))
        assert words in text and "studies are called" not in text
    app = open_app(link={"study": "tiny"})
    (opened,) = [path for path, slug in before.items() if slug == app.query_params["study"]]
    assert f"2 studies are called tiny. This is the one in {opened.parent}" in plain(app)
    assert systems[opened] in plain(app)
    studies.note_opened(first)
    assert names()[first] == before[first]


def test_near_duplicates_are_looked_for_when_asked(open_tiny: Open, study_folder: Path) -> None:
    rough = np.random.default_rng(0).integers(0, 256, (9, 9)).astype(np.uint8)
    picture = Image.fromarray(rough).resize((200, 200), Image.Resampling.BICUBIC)
    picture.save(study_folder / "images/q1.png")
    picture.resize((90, 90)).save(study_folder / "images/q2.png")
    app = open_tiny(PAGE, part=pages.COVERAGE, near="open")
    assert "near-identical" not in page_text(app)
    (switch,) = [switch for switch in app.toggle if switch.label.startswith("Look for images")]
    switch.set_value(True).run()
    pairs = table_with(app, "Bits that differ")
    assert ("q1", "q2") in set(zip(pairs["Image"], pairs["And image"], strict=True))


def test_a_study_too_large_for_a_download_says_so_instead_of_a_button_that_fails(
    open_tiny: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_PACKED", 5)
    app = open_tiny(PAGE)
    assert "Copy its folder instead" in page_text(app)
    assert not app.main.get("download_button")


MAP = "column,label,cui\norgan,brain,C0006104\norgan,lung,C0024109\nmodality,CT,C0040405\n"


def test_a_typed_table_gives_the_labels_of_the_command(open_app: Open, tmp_path: Path, as_json) -> None:
    (tmp_path / "map.csv").write_text(MAP)
    answer = as_json("labels", ROOT / "data", "--map", tmp_path / "map.csv", "--reach", 0)
    expected = {row["label"]: row["images"] for row in answer["labels"]}
    link = {"part": pages.COVERAGE, "labels_from_concepts": "open", "k": "5"}
    app = open_app(PAGE, study=ROOT / "data", link=link)
    assert not any("Label" in frame.value.columns for frame in app.dataframe)
    app.text_area(key="label-map-").input(MAP).run()
    again = open_app(PAGE, study=ROOT / "data", link=link)
    for shown in (app, again):
        assert table_with(shown, "Label").set_index("Label")["Images"].to_dict() == expected


# What changes or deletes a study: nothing without a question, and undone on demand.


SYSTEMS = "pages/5_Data.py?part=systems"


@pytest.fixture
def mine() -> Path:
    """The tiny study as an uploaded one."""
    return write_study(home.study_folder("mine"))


def test_removed_and_brought_back(open_app: Open, mine: Path) -> None:
    app = open_app(SYSTEMS, link={"study": "mine"})
    assert table_with(app, "Queries answered")["Queries answered"].tolist() == [6, 4]
    before = content(mine)
    app.button(key="remove-system").click().run()
    assert open_study(mine).systems == ("beta",)
    assert not (mine / "systems" / "alpha").exists()
    button(app, "Restore alpha").click().run()
    assert content(mine) == before


def test_only_what_was_uploaded_is_removed(open_app: Open, open_tiny: Open, study_folder: Path) -> None:
    opened, sample = open_tiny(SYSTEMS), open_app(SYSTEMS)
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
