"""What is so in a study is said on its pages, which go on with what is left where something is missing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from evalcore.study import open_study
from evalcore.study.parts.registry import IN_UPLOADS, KINDS
from evalcore.values.writing import span
from tests.measured import judged as scored_by_people
from tests.studies import HERE, copied
from tests.study.made import write
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, ROOT, Open, said, write_study

QUERIES, ROBUSTNESS, CONCEPTS = "pages/1_Queries.py", "pages/2_Robustness.py", "pages/3_Concepts.py"
READERS, DATA = "pages/4_Readers.py", "pages/5_Data.py"
OTHERS = ("pages/6_Challenge.py", "pages/7_Generated_images.py")
SETTINGS, MEASURES, PAPER = (f"{ROBUSTNESS}?part={part}" for part in ("settings", "measures", "paper"))
NO_CONCEPTS = "**No image has concepts yet.**"
BY_JUDGMENTS = "systems are scored by the judgments"
DICTIONARY = "a neighbour dictionary in place of a concept graph"
APART = "over the 1 pair of each measure, p < 0.05"


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


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The tiny study, that with matched texts, one without one of its parts each, and one of judgments."""
    home = tmp_path_factory.mktemp("studies")
    made = {
        "tiny": write_study(home / "tiny"),
        "pairs": copied("pairs", write_study(home / "pairs", systems=False)),
        "judged": write_judged(home / "judged"),
        "no concepts": copied("tiny", home / "concepts", without=("concepts.csv",)),
        "no labels": copied("tiny", home / "labels", without=("labels.csv",)),
        "no systems": write_study(home / "systems", systems=False, pictures=False),
        "no graph": write_study(home / "graph", graph=False),
        "neighbours": write_study(home / "neighbours", graph=False),
    }
    rows = f"cui,neighbour,distance\n{NODULE},{MASS},1\n{HEAD},{CHEST},1\n"
    (home / "neighbours/neighbours.csv").write_text(rows)
    return made


SAID: list[tuple[str, str, tuple[str, ...]]] = [
    ("tiny", "app.py", ("**alpha** and **beta** are too close to call",)),
    (
        "tiny",
        f"{MEASURES}&view=ranking&reading=Expert",
        ("**alpha** is best under **all 7 measures**, over 5 queries, and no two systems swap",),
    ),
    ("tiny", f"{MEASURES}&view=power&reading=Expert", (f"seed 0, Holm {APART}",)),
    ("tiny", f"{MEASURES}&view=power&reading=Expert&correction=bh", (f"seed 0, Benjamini-Hochberg {APART}",)),
    ("tiny", f"{PAPER}&paper=curves&k=2", ("gains over IoU, in the share of",)),
    (
        "tiny",
        f"{PAPER}&paper=curves&k=2&subset=disagree",
        (
            "chosen because IoU and nn-IoU disagree",
            "IoU on the queries where the two disagree, in the share of",
        ),
    ),
    ("pairs", "app.py", ("alpha", "1.17", "3.33", "Mean place of the matched item")),
    ("pairs", "app.py", ("On average **alpha** scores **2.17** lower, which is better, than **beta**",)),
    ("pairs", f"{QUERIES}?how=open", ("“Good” means rank 2.00 or better; “poor” means worse.",)),
    ("pairs", f"{QUERIES}?q=q1", ("matched with the query",)),
    ("pairs", ROBUSTNESS, ("looks at the place of the matched item only",)),
    (
        "pairs",
        "app.py?where=direction=image->text",
        ("Left out, as they do not answer in this direction: **beta**",),
    ),
    *(("pairs", page, ()) for page in (MEASURES, CONCEPTS, DATA, READERS, f"{READERS}?part=review", *OTHERS)),
    ("judged", "app.py", ("**near** scores highest", BY_JUDGMENTS)),
    ("judged", QUERIES, ("queries",)),
    ("judged", f"{QUERIES}?q=q00", ("judged relevant",)),
    ("judged", SETTINGS, ("Nothing to vary",)),
    ("judged", CONCEPTS, ("No image has concepts yet.",)),
    ("judged", MEASURES, (BY_JUDGMENTS,)),
    ("judged", DATA, ("no concepts yet",)),
    ("judged", f"{READERS}?part=review", ("no measure can be compared",)),
    ("no concepts", "app.py", (NO_CONCEPTS, "Which system finds the better images?", "alpha")),
    ("no concepts", f"{QUERIES}?how=open", (NO_CONCEPTS, "alpha")),
    ("no concepts", f"{QUERIES}?q=q1&why=q2", (NO_CONCEPTS, "alpha")),
    ("no labels", f"{PAPER}&paper=curves", ("No labels",)),
    ("no systems", "app.py", ("@nn\\-iou",)),
    ("no systems", QUERIES, ()),
    ("no systems", f"{CONCEPTS}?reading=Expert", ()),
    ("no systems", f"{MEASURES}&view=ranking", ("No systems to compare",)),
    ("no systems", f"{MEASURES}&view=power", ("No systems to compare",)),
    ("no graph", "app.py", ("no graph",)),
    ("no graph", SETTINGS, ("Nothing to vary",)),
    ("no graph", CONCEPTS, ("This study has no concept graph",)),
    ("neighbours", "app.py", ("neighbour dictionary",)),
    ("neighbours", f"{QUERIES}?q=q1&why=q2", ("closely related ones count in part",)),
    ("neighbours", f"{DATA}?part=coverage", (DICTIONARY,)),
]
"""Study, page with what its address says, and words on it."""
UNTRUE = ("Nothing has been judged", "shares with the query", "same labels", "0 more measures")
"""Of a study of judgments."""


@pytest.mark.parametrize(("study", "page", "words"), SAID, ids=[f"{name}-{page}" for name, page, _ in SAID])
def test_pages_say_so_and_go_on(
    open_app: Open, studies: dict[str, Path], study: str, page: str, words: tuple[str, ...]
) -> None:
    link = {"measure": "MeanR(pairs)"} if study == "pairs" else {}
    app = open_app(page, study=studies[study], link=link, more=study != "pairs")
    assert not app.exception and not app.error
    assert [text for text in words if text not in said(app)] == []
    assert study != "judged" or not [text for text in UNTRUE if text in said(app)]


def test_weights_of_related_concepts_need_a_graph_or_a_dictionary(
    open_app: Open, studies: dict[str, Path]
) -> None:
    for study, disabled in (("no graph", True), ("neighbours", False)):
        app = open_app(study=studies[study], more=True)
        assert app.slider(key="alpha").disabled == app.slider(key="threshold").disabled == disabled


@pytest.mark.parametrize(
    ("reading", "measures"), [("Simple", ["iou", "overlap"]), ("Expert", ["iou", "cosine", "overlap"])]
)
def test_measures_that_need_no_graph_are_left(
    open_app: Open, studies: dict[str, Path], reading: str, measures: list[str]
) -> None:
    app = open_app(MEASURES, study=studies["no graph"], reading=reading)
    assert app.multiselect(key="yardsticks").value == measures


def test_measures_shows_scores_with_the_judge(open_app: Open, studies: dict[str, Path]) -> None:
    app = open_app(MEASURES, study=studies["judged"], view="judgments", filled_in="open")
    assert not app.exception
    of_people = scored_by_people(open_study(studies["judged"]), "nDCG(qrels:panel)@10", "qrels:llm")
    best, behind = of_people
    assert "People (**panel**) judged **20** of 40 queries, the judge (**llm**) all of them." in said(app)
    would = f"If people judged all 40, **{best.system}** would score about **{best.powered.mean:.3f}**"
    assert would in said(app) and "the highest of 2 systems" in said(app)
    assert behind.lead.high < 0
    assert f"It leads **far** by probably {span(-behind.lead.high, -behind.lead.low)}." in said(app)


PAGES = ("app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")))
OF_CUIS = re.compile(r"(?<![@\w])(?:name or CUI|CUIs?\b(?![@\w]))")
"""Not the measures, which are called nnCUI and CUI."""


@pytest.mark.parametrize("study", ["wordnet", "envo"])
@pytest.mark.parametrize("page", PAGES)
def test_concepts_of_another_scheme_are_called_by_no_other_name(
    open_app: Open, study: str, page: str
) -> None:
    app = open_app(page, study=HERE / study, reading="Expert")
    assert not app.exception
    assert study in said(app) or any(one.value == study for one in app.selectbox)
    words = [
        said(app),
        *(one.label for one in app.text_input),
        *(str(t.value.columns) for t in app.dataframe),
    ]
    if page != "pages/6_Challenge.py":  # which keeps its own rules
        assert OF_CUIS.findall(re.sub(r"CUIs; they", "", "\n".join(words))) == []


def test_every_kind_of_file_is_offered_with_what_it_looks_like(open_app: Open) -> None:
    app = open_app("pages/5_Data.py", link={"part": "new"})
    helps = "".join(uploader.proto.help for uploader in app.get("file_uploader"))
    for kind in IN_UPLOADS:
        assert f"**{KINDS[kind].title}**: " in helps
