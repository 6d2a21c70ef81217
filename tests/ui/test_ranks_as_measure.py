"""Matched pairs by their ranks on the pages: the lowest leads, and every page says and draws it so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.conftest import Open, said, write_study

TEXTS = ("t1", "t2", "t3", "t4", "t5", "t6")
IMAGES = ("q1", "q2", "q3", "q4", "q5")
MATCHED = dict(zip(TEXTS, (*IMAGES, "q1"), strict=True))
PLACES = {"alpha": (1, 1, 2, 1, 1, 1), "beta": (3, 2, 1, 4, 5, 5)}
"""At which place each system lists the match of each text: 7 / 6 and 20 / 6 on average."""


@pytest.fixture(scope="module")
def matched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts, a report and an image with a text; both systems answer, and one the other way round too."""
    folder = write_study(tmp_path_factory.mktemp("pairs") / "pairs", systems=False)
    kinds = ("text", "report", "text", "text", "image+text", "text")
    asked = [f"{t},{kind},words of {t},,C0000001" for t, kind in zip(TEXTS, kinds, strict=True)]
    turned = ["q1", "q2"]
    (folder / "queries.csv").write_text(
        "\n".join(["id,kind,text,image,concepts", *asked, *(f"{i},image,,," for i in turned)]) + "\n"
    )
    pairs = [f"{t},{i}" for t, i in MATCHED.items() if t != "t5"]
    (folder / "pairs.csv").write_text("\n".join(["query,candidate", *pairs, "t5,q5"]) + "\n")
    for system, places in PLACES.items():
        rows = []
        for text, place in zip(TEXTS, places, strict=True):
            others = [i for i in IMAGES if i != MATCHED[text]]
            others.insert(place - 1, MATCHED[text])
            rows += [f"{text} Q0 {i} {r} {1 / r:.5f} {system}" for r, i in enumerate(others, start=1)]
        if system == "alpha":
            rows += [f"{i} Q0 t{i[1]} 1 1 alpha" for i in turned]
        (folder / "systems" / system).mkdir(parents=True)
        (folder / "systems" / system / "run.trec").write_text("\n".join(rows) + "\n")
    return folder


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("app.py", ("alpha", "1.17", "3.33", "Mean place of the matched item")),
        ("app.py", ("On average **alpha** scores **2.17** lower, which is better, than **beta**",)),
        ("pages/1_Queries.py?how=open", ("“Good” means rank 2.00 or better; “poor” means worse.",)),
        ("pages/1_Queries.py?q=q1", ("matched with the query",)),
        ("pages/2_Robustness.py", ("looks at the place of the matched item only",)),
        ("pages/2_Robustness.py?part=measures", ()),
        ("pages/3_Concepts.py", ()),
        ("pages/5_Data.py", ()),
        ("pages/4_Readers.py?part=review", ()),
        ("pages/4_Readers.py", ()),
        ("pages/6_Challenge.py", ()),
        ("pages/7_Generated_images.py", ()),
    ],
)
def test_every_page_opens_with_texts_as_queries(
    open_app: Open, matched: Path, page: str, texts: tuple[str, ...]
) -> None:
    app = open_app(page, study=matched, measure="MeanR(pairs)")
    assert not app.exception and not app.error
    told = said(app)
    assert [text for text in texts if text not in told] == []


def test_the_filter_of_one_direction(open_app: Open, matched: Path) -> None:
    turned = open_app("app.py", study=matched, measure="MedR(pairs)", where="direction=image->text")
    assert not turned.exception
    assert "Left out, as they do not answer in this direction: **beta**" in said(turned)
