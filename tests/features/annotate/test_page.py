"""The tab “Find concepts”: captions in, marked terms, names in and out, concepts of the study."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from evalcore.features.annotate.page import marked, reason
from evalcore.features.annotate.settings import STOP
from evalcore.features.annotate.terms import Term
from evalcore.study import open_study
from evalcore.study.workspace.home import study_folder
from evalcore.values.writing import plain
from tests.study.made import write
from tests.ui.conftest import CAPTIONS, HOSTILE, MASS, NODULE, page_text, table_with, write_study

PAGE = "pages/5_Data.py"
TAB = {"part": "concepts"}
TAB_OPEN = {**TAB, "names_found": "open"}
NAMES = f"""cui,name
C0817096,Chest
{NODULE},Nodule
{MASS},Mass
C0000099,Mass
"""
TEXTS = {**CAPTIONS, "q3": "No nodule of the chest", "q4": "Nothing known here"}


@pytest.fixture
def bare():
    """Captions, pictures and names in the workspace, no concepts."""
    home = write_study(study_folder("tiny"), systems=False, graph=False)
    for name in ("concepts.csv", "labels.csv"):
        (home / name).unlink()
    rows = "".join(f'{image},"{text}"\n' for image, text in TEXTS.items())
    return write(home, {"captions.csv": f"ID,Caption\n{rows}", "names.csv": NAMES})


def test_from_captions_to_concepts_of_the_study(open_app, bare):
    home = open_app(study=bare)
    assert "No image has concepts yet" in page_text(home)
    app = open_app(PAGE, study=bare, link=TAB_OPEN)
    words = page_text(app)
    # Chest and nodule of q1; chest of q2, whose mass is ambiguous; q3 denies all it names.
    assert "2 of 6 images get 2 different concepts" in words
    assert ":green-background[**Nodule**] in the :green-background[**chest**]" in words
    app = app.button("caption-right").click().run()
    assert ":violet-background[Mass] in the" in page_text(app)
    assert app.table[0].value["Why"].tolist() == ["left out\\: the name of 2 concepts", "counts"]
    assert not app.button("caption-left").disabled and app.selectbox("caption").value == "q2"
    app = app.button("caption-left").click().run()
    assert app.button("caption-left").disabled and app.selectbox("caption").value == "q1"
    app = app.button("use-concepts").click().run()
    assert not app.exception and "has concepts now: 2 images of 6" in page_text(app)
    study = open_study(bare)
    assert [set(study.concepts.of_image(at)) for at in (0, 1)] == [{"C0817096", NODULE}, {"C0817096"}]
    assert study.concepts.annotated.tolist() == [True, True, True, False, False, False]
    assert "No image has concepts yet" not in page_text(open_app(study=bare))


def test_a_synonym_that_is_added_is_looked_for(open_app, bare):
    assert "2 of 6 images get 2 different concepts" in page_text(open_app(PAGE, study=bare, link=TAB_OPEN))
    (bare / "names.csv").write_text(f"{NAMES}{NODULE},Nothing known\n")
    assert "3 of 6 images get 2 different concepts" in page_text(open_app(PAGE, study=bare, link=TAB_OPEN))


def ignored_in(app):
    (box,) = [box for box in app.multiselect if box.label.startswith("Names to ignore")]
    return box


def test_what_an_ambiguous_name_means_is_kept_beside_the_study(open_app, bare):
    app = open_app(PAGE, study=bare, link=TAB_OPEN)
    (means,) = [box for box in app.selectbox if "“Mass” (1 time) means" in box.label]
    means.select(MASS)
    ignored_in(app).set_value(["Chest"])
    app = app.button("apply-corrections").click().run()
    assert not app.exception
    written = tomllib.loads((bare / "annotate.toml").read_text())
    assert (written["meanings"], written["stop"]) == ([f"Mass = {MASS}"], [*STOP, "Chest"])
    assert (written["negated"], written["uncertain"]) == ("leave-out", "keep")
    assert "2 of 6 images get 2 different concepts" in page_text(app)
    assert ignored_in(app).value == ["Chest"]
    ignored_in(app).set_value([])
    app = app.button("apply-corrections").click().run()
    assert "2 of 6 images get 3 different concepts" in page_text(app)


def test_hostile_captions_are_text(open_app, bare):
    app = open_app(PAGE, study=bare, link={**TAB, "caption": "q6"})
    assert HOSTILE not in page_text(app) and "\\!\\[x\\]\\(http" in page_text(app)


def test_concepts_and_studies_of_others_are_kept(open_app, tmp_path):
    """What may not be changed is looked at; corrections and concepts are for one's own studies."""
    folder = write_study(study_folder("given"))
    (folder / "names.csv").write_text(NAMES)
    assert open_app(PAGE, study=folder, link=TAB_OPEN).button("use-concepts").disabled
    folder = write_study(tmp_path / "theirs")
    (folder / "names.csv").write_text(NAMES)
    app = open_app(PAGE, study=folder, link=TAB_OPEN)
    assert not {button.key for button in app.button} & {"use-concepts", "apply-corrections"}
    assert "put it into a copy of the folder" in page_text(app)
    (box,) = [box for box in app.checkbox if str(box.key).startswith("allow-correct")]
    app = box.check().run()
    ignored_in(app).set_value(["Chest"])
    app = app.button("apply-corrections").click().run()
    assert not app.exception and "Saved in annotate.toml" in page_text(app)
    assert "Chest" in tomllib.loads((folder / "annotate.toml").read_text())["stop"]


def test_results_of_a_tool_are_read_from_a_file(open_app, bare):
    app = open_app(PAGE, study=bare, link={**TAB, "tool": "file"})
    text = TEXTS["q1"]
    at = text.index("chest")
    match = {"cui": "C0817096", "start": at, "end": at + 5, "ngram": "chest", "similarity": 1.0}
    results = {"q1": [[match]], "q2": []}

    def upload(results):
        (files,) = [box for box in app.file_uploader if box.label == "Results of MedCAT or QuickUMLS"]
        files.set_value(("x.json", json.dumps(results).encode(), "application/json")).run()

    upload(results | {"nobody": []})
    assert "images get" not in page_text(app)
    assert "There is no caption of" in table_with(app, "What is wrong")["What is wrong"].iloc[0]
    upload(results)
    assert "1 of 6 images get 1 different concept" in page_text(app)
    app = app.button("use-concepts").click().run()
    assert "has concepts now: 1 image of 6" in page_text(app)
    assert open_study(bare).concepts.of_image(0) == {"C0817096"}


def term(start, end, **more):
    return Term(start, end, ("C1",), "name", **more)


CAPTION = "No effusion; possible mass [of] the lung"


@settings(max_examples=60)
@given(some.text("ab \\*_[]()<>`~:$#!|&\n\u2060é", max_size=40), some.sets(some.integers(0, 40), max_size=6))
def test_marks_and_escapes_aside_it_is_the_caption(text, ends):
    places = pairwise(sorted(end for end in ends if end <= len(text)))
    terms = [term(a, b) for a, b in [*places][::2] if plain(text[a:b])]
    shown = re.sub(r":green-background\[\*\*(.*?)(?<!\\)\*\*\]", r"\1", marked(text, terms))
    bare = re.sub(r"\\(.)", r"\1", shown).replace("\u2060", "")
    assert "".join(bare.split()) == "".join(plain(text).replace("\u2060", "").split())


def test_each_fate_has_its_mark_and_its_reason():
    terms = [term(3, 11, negated="No", why="negated"), term(22, 26, uncertain="possible"), term(36, 40)]
    assert marked(CAPTION, terms) == (
        "No :gray-background[~~effusion~~]; possible :orange-background[*mass*] "
        "\\[of\\] the :green-background[**lung**]"
    )
    assert [*map(reason, terms)] == [
        "left out: denied, because of “No”",
        "counts, though in doubt, because of “possible”",
        "counts",
    ]
    unclear = term(0, 4, why="ambiguous")._replace(concepts=("C1", "C2"))
    assert marked("lung", [unclear]) == ":violet-background[lung]"
    assert reason(unclear) == "left out: the name of 2 concepts"
    assert "as the tool says" in reason(term(3, 11, negated=""))
