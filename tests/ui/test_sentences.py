"""What is so in a study is said on its pages, which go on with what is left where something is missing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from evalcore import score
from evalcore.study import open_study
from evalcore.study.parts.registry import IN_UPLOADS, KINDS
from evalcore.ui.frame.measures import examples
from evalcore.values.writing import span
from tests.measured import judged as scored_by_people
from tests.studies import HERE, copied
from tests.study.made import npz, write
from tests.ui.conftest import (
    BLEED,
    CHEST,
    CT,
    HEAD,
    MASS,
    NODULE,
    ROOT,
    Open,
    as_text,
    page_text,
    plain,
    rows_of_table,
    take,
)

MEASURES = "pages/2_Robustness.py?part=measures"


def write_judged(folder: Path) -> Path:
    """Two systems, 40 queries; people judge half of them, a program all; no concepts."""
    rng = np.random.default_rng(3)
    queries, images = [f"q{i:02}" for i in range(40)], [f"d{i:02}" for i in range(12)]
    truth = rng.integers(0, 3, (40, 12))
    guessed = np.minimum(truth + rng.integers(0, 2, truth.shape), 2)
    rows = [(q, d, truth[i, j], guessed[i, j]) for i, q in enumerate(queries) for j, d in enumerate(images)]
    files = {
        "judgments/panel.qrels": [f"{q} 0 {d} {grade}" for q, d, grade, _ in rows if q < "q20"],
        "judges/llm.csv": ["judge,query,result,value", *(f"m,{q},{d},{grade}" for q, d, _, grade in rows)],
    }
    for system, noise in (("near", 0.5), ("far", 3.0)):
        files[f"runs/{system}.trec"] = [
            f"{q} Q0 {d} 0 {grade + rng.normal(0, noise):.5f} {system}" for q, d, grade, _ in rows
        ]
    return write(folder, {name: "\n".join([*lines, ""]) for name, lines in files.items()})


def searches(folder: Path, first: int) -> Path:
    """The tiny study; alpha has vectors of its first four images alone, beta from there to the last."""
    ids = [f"q{n}" for n in range(1, 7)]
    copied("tiny", folder)
    for system, some in (("alpha", ids[:4]), ("beta", ids[first:])):
        lines = (HERE / f"tiny/systems/{system}/run.trec").read_text().splitlines()
        run = [line for line in lines if {*line.split()[:3:2]} <= {*some}]
        files = {"run.trec": "\n".join([*run, ""]), "embeddings.npz": npz(some)}
        write(folder / "systems" / system, files)
    return folder


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The tiny study, with more parts and with fewer, and one of judgments."""
    home = tmp_path_factory.mktemp("studies")
    as_alpha = (HERE / "tiny/systems/alpha/run.trec").read_text()
    vectors = "".join(f"{cui} {i} 1\n" for i, cui in enumerate((CT, CHEST, NODULE, MASS)))
    copies = {f"systems/copy{i}/run.trec": as_alpha for i in range(6)}
    groups = "ID,patient\nq1,p1\nq2,p1\nq3,p2\nq4,p2\n"
    kinds = f"cui,kind\n{CT},modality\n{CHEST},anatomy\n{NODULE},finding\n{MASS},finding\n"
    bleed = f"cui,kind\n{BLEED},finding\n"
    near = f"cui,neighbour,distance\n{NODULE},{MASS},1\n{HEAD},{CHEST},1\n"
    return {
        "sample": ROOT / "data",
        "tiny": copied("tiny", home / "tiny"),
        "deep": HERE / "deep",
        "grouped": write(copied("tiny", home / "grouped"), {"groups.csv": groups}),
        "kinds": write(copied("tiny", home / "kinds"), {"kinds.csv": kinds}),
        "level": write(copied("tiny", home / "level"), {"systems/beta/run.trec": as_alpha}),
        "vectors": write(copied("tiny", home / "vectors"), {"concept_vectors/mine.txt": vectors}),
        "eight": write(copied("tiny", home / "eight"), copies),
        "three": copied("three", copied("tiny", home / "three")),
        "pairs": copied("pairs", copied("tiny", home / "pairs", without=("systems",))),
        "judged": write_judged(home / "judged"),
        "readers": copied("simulated", copied("readers", copied("tiny", home / "readers"))),
        "simulated": copied("simulated", copied("tiny", home / "simulated")),
        "lists": copied("lists", copied("tiny", home / "lists")),
        "half": searches(home / "half", 0),
        "one shared": searches(home / "one", 3),
        "none shared": searches(home / "none", 4),
        "findings": write(copied("tiny", home / "findings", without=("labels.csv",)), {"kinds.csv": bleed}),
        "no concepts": copied("tiny", home / "concepts", without=("concepts.csv",)),
        "no labels": copied("tiny", home / "labels", without=("labels.csv",)),
        "no systems": copied("tiny", home / "systems", without=("systems", "images")),
        "no graph": copied("tiny", home / "graph", without=("graph",)),
        "neighbours": write(copied("tiny", home / "near", without=("graph",)), {"neighbours.csv": near}),
    }


SENTENCES: dict[tuple[str, str, str], list[dict[str, str]]] = {}
"""{study, address and steps: rows of the table, with what the page says then, and what it never says}"""
for _row in rows_of_table("sentences.csv"):
    SENTENCES.setdefault((_row["study"], _row["address"], _row["do"]), []).append(_row)
UNTRUE = ["Nothing has been judged", "shares with the query", "same labels", "0 more measures"]
"""Of a study of judgments."""


@pytest.mark.parametrize(
    ("study", "page", "do"), SENTENCES, ids=["-".join(filter(None, place)) for place in SENTENCES]
)
def test_pages_say_so_and_go_on(
    open_app: Open, studies: dict[str, Path], study: str, page: str, do: str
) -> None:
    """Opened, and after the steps; a page as text is described at `as_text`, a step at `take`."""
    link = {"measure": "MeanR(pairs)"} if study == "pairs" and "measure=" not in page else {}
    app = open_app(page, study=studies[study], link=link, more=study != "pairs")
    for step in filter(None, do.split("; ")):
        take(app, step)
    assert not app.error
    text, rows = as_text(app), SENTENCES[study, page, do]
    assert [row["says"] for row in rows if row["says"].replace("\\n", "\n") not in text] == []
    never = [row["never"] for row in rows if row["never"]] + UNTRUE * (study == "judged")
    assert [words for words in never if words in text] == []


def test_measures_shows_scores_with_the_judge(open_app: Open, studies: dict[str, Path]) -> None:
    app = open_app(MEASURES, study=studies["judged"], view="judgments", filled_in="open")
    best, behind = scored_by_people(open_study(studies["judged"]), "nDCG(qrels:panel)@10", "qrels:llm")
    text = plain(app)
    assert "People (panel) judged 20 of 40 queries, the judge (llm) all of them." in text
    would = f"If people judged all 40, {best.system} would score about {best.powered.mean:.3f}"
    assert would in text and "the highest of 2 systems" in text
    assert behind.lead.high < 0
    assert f"It leads far by probably {span(-behind.lead.high, -behind.lead.low)}." in text


PAGES = ("app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")))
OF_CUIS = re.compile(r"(?<![@\w])(?:name or CUI|CUIs?\b(?![@\w]))")
"""Not the measures, which are called nnCUI and CUI."""


@pytest.mark.parametrize("study", ["wordnet", "envo"])
@pytest.mark.parametrize("page", PAGES)
def test_concepts_of_another_scheme_have_no_other_name(open_app: Open, study: str, page: str) -> None:
    app = open_app(page, study=HERE / study, reading="Expert")
    assert study in page_text(app) or any(box.value == study for box in app.selectbox)
    words = [
        page_text(app),
        *(field.label for field in app.text_input),
        *(str(t.value.columns) for t in app.dataframe),
    ]
    if page != "pages/6_Challenge.py":  # which keeps its own rules
        assert OF_CUIS.findall(re.sub(r"CUIs; they", "", "\n".join(words))) == []


def test_every_label_given_as_an_example_can_be_typed(studies: dict[str, Path], tmp_path: Path) -> None:
    judged = write(copied("tiny", tmp_path / "judged"), {"judgments/pool.qrels": "q1 0 q2 1\n"})
    for study in map(open_study, (judged, studies["sample"])):
        labels = examples(study)
        assert len(labels) >= 6
        score(study, metrics=labels, systems=study.systems[:1])


def test_every_kind_of_file_is_offered_with_what_it_looks_like(open_app: Open) -> None:
    app = open_app("pages/5_Data.py", link={"part": "new"})
    helps = "".join(uploader.proto.help for uploader in app.get("file_uploader"))
    for kind in IN_UPLOADS:
        assert f"**{KINDS[kind].title}**: " in helps
