"""The part Readers: which measure agrees best with readers; people and simulated readers are kept apart."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evalcore.evaluate.readers import grades, reader_results
from evalcore.stats.agreement import alpha
from evalcore.study import open_study
from evalcore.study.reader_judgments import FOLDER, SIMULATED, ReaderJudgment, file_lines
from evalcore.values.writing import number
from tests.study.made import write
from tests.ui.conftest import Open, figures, page_text, table_with

PEOPLE = "pages/4_Readers.py?part=review"
GRADES = {
    "q1": {"q2": (1.0, 0.75), "q5": (0.5, 0.5), "q4": (0.0, 0.25)},
    "q2": {"q1": (1.0, 1.0), "q5": (0.5, 0.25), "q4": (0.0, 0.0)},
    "q3": {"q4": (0.5, 0.75), "q5": (1.0, 1.0), "q1": (0.0, 0.0)},
}
"""Of each query and result, by Ann and Bob."""
TWO_READERS = tuple(
    ReaderJudgment(reader, query, result, "", "", "", 2, values[at])
    for at, reader in enumerate(("ann", "bob"))
    for query, results in GRADES.items()
    for result, values in results.items()
)


def judge(study: Path, rows: Iterable[ReaderJudgment], name: str = "one", folder: str = FOLDER) -> Path:
    """The study with a file of judgments of the first two results."""
    cells = [(*row[:6], "2", repr(-1.0 if row.value is None else row.value), "", "", "") for row in rows]
    return write(study, {f"{folder}/{name}.csv": "".join(file_lines(cells))})


def test_the_headline_and_agreement(open_tiny: Open, study_folder: Path) -> None:
    judge(study_folder, TWO_READERS)
    app = open_tiny(PEOPLE, between="open", differing="open")
    results = reader_results(open_study(study_folder), TWO_READERS)
    best = max(each.within.mean for each in results.measures)
    known = alpha(grades(TWO_READERS).values, "ordinal")
    for words in (
        f"agrees best with the readers: **{number(best, 2)}**",
        f"{number(known, 2)}, where 1 means always",
    ):
        assert words in page_text(app)
    pairs = table_with(app, "Judged by both")
    assert pairs[["Judged by both", "Readers"]].values.tolist() == [[9, "ann and bob"]]
    assert "Where the readers and a measure differ most" in [each.label for each in app.expander]
    assert figures(app, "Measures against 2 readers")


def test_simulated_readers_move_no_headline(open_tiny: Open, study_folder: Path) -> None:
    judge(study_folder, TWO_READERS)
    alone = page_text(open_tiny(PEOPLE))
    turned = [row._replace(reader=f"S-{row.reader}", value=1 - row.value) for row in TWO_READERS]
    judge(study_folder, turned, folder=SIMULATED)
    assert "agrees best with the readers" in alone
    assert page_text(open_tiny(PEOPLE)).startswith(alone)
    (study_folder / FOLDER / "one.csv").unlink()
    text = page_text(open_tiny(PEOPLE, simulated_readers="open"))
    assert "No readers yet." in text and "with the simulated readers" in text
    assert "with the readers" not in text


def test_votes_of_a_second_file(open_tiny: Open, study_folder: Path) -> None:
    judge(study_folder, TWO_READERS)
    votes = [
        ReaderJudgment(reader, query, "", "alpha", "beta", "", 0, -1.0)
        for reader in ("ann", "bob")
        for query in ("q1", "q2", "q3", "q4")
    ]
    judge(study_folder, votes, "two")
    app = open_tiny(PEOPLE, agreeing="votes", how="open")
    assert "8 votes for one of two lists" in page_text(app) and len(figures(app)) == 1
    assert "No measure" not in page_text(open_tiny(PEOPLE, task="two"))


def test_whole_lists_compare_systems_and_no_measure(open_tiny: Open, study_folder: Path) -> None:
    rows = [
        ReaderJudgment(reader, query, "", system, "", "", 2, value + 0.25 * (query == "q1"))
        for reader in ("R1", "R2")
        for query in ("q1", "q2", "q3", "q4")
        for system, value in (("alpha", 0.75), ("beta", 0.25))
    ]
    judge(study_folder, rows)
    text = page_text(open_tiny(PEOPLE, other_readers="open"))
    assert "alpha has the highest mean rating" in text
    assert "Readers judged whole lists or by criteria here" in text
