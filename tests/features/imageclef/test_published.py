"""Published results of 2017: facts with a source, and a new run among them."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run
from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.published import Published, included, placed, read_published
from evalcore.features.imageclef.read import bundled
from evalcore.values.errors import InputError

TABLE = b"team,run,score,resources,source\nNLM,one,0.2,external,Table 3\nAAI,two,0.1,,\n"


@pytest.mark.parametrize(("task", "n", "teams"), [("concepts", 38, 9), ("captions", 34, 5)])
def test_the_tables_of_the_page_are_complete_and_in_order(task: str, n: int, teams: int) -> None:
    # Counted on the task's page of 2017.
    rows = included(edition_of(task, "2017"))
    assert (len(rows), len({row.team for row in rows})) == (n, teams)
    assert all(row.source == "ImageCLEFcaption 2017 task page, results" for row in rows)
    assert all(row.team and row.run and row.resources and row.run_type for row in rows)
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)


def test_the_table_is_the_one_that_was_read_from_the_page(real_dir) -> None:
    assert bundled("published_2017.csv") == (real_dir.parent / "spec/published_2017.csv").read_bytes()


@pytest.mark.parametrize(
    ("task", "team", "score", "part_of_the_name"),
    [
        # CEUR-WS vol. 1866, paper 158 (Ben Abacha et al.), abstract: the best of all by retrieval with Open-i
        ("concepts", "NLM", 0.1718, "openI_MetaMapLite"),
        ("captions", "NLM", 0.5634, "OpeniMethod"),
        ("captions", "NLM", 0.2247, "CNN_comb"),
        # paper 122 (Katsios and Kavallieratou), abstract
        ("concepts", "Aegean AI Lab", 0.1583, ""),
        # Pinho, Silva, Silva and Costa, abstract: bags of words, and the best denoising autoencoder
        ("concepts", "BioinformaticsUA", 0.0488, ""),
        ("concepts", "BioinformaticsUA", 0.0414, ""),
    ],
)
def test_the_papers_say_the_same(task: str, team: str, score: float, part_of_the_name: str) -> None:
    found = [row for row in included(edition_of(task, "2017")) if (row.team, row.score) == (team, score)]
    assert len(found) == 1
    assert part_of_the_name in found[0].run


@pytest.mark.parametrize("task", ["concepts", "captions"])
def test_the_best_run_of_2017_is_that_of_nlm(task: str) -> None:
    # Ben Abacha et al. 2017: "outperforming all submitted runs by all the participants"
    assert included(edition_of(task, "2017"))[0].team == "NLM"
    assert (
        included(edition_of(task, "2017"))[0].resources
        == "External Resources Used, Test Data Potentially Included"
    )


def test_a_run_among_them() -> None:
    rows = (Published("A", "x", 0.2, "", "s"), Published("B", "y", 0.1, "", "s"))
    found = placed(rows, {"mine": 0.1, "other": 0.3, "none": float("nan")})
    assert [(row.run, row.published) for row in found] == [
        ("other", False),
        ("x", True),
        ("y", True),
        ("mine", False),
    ]


def test_a_table_that_is_brought() -> None:
    assert read_published(TABLE, file="t.csv") == (
        Published("NLM", "one", 0.2, "external", "Table 3"),
        Published("AAI", "two", 0.1, "", "the file t.csv"),
    )


HEAD = b"team,run,score\n"


@pytest.mark.parametrize(
    "data", [b"", b"a,b\n1,2\n", HEAD, HEAD + b"A,x,much\n", HEAD + b"A,x,nan\n", HEAD + b"A,x,1_0\n"]
)
def test_tables_that_cannot_be_used(data: bytes) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        read_published(data, file="t.csv")


def test_command_line(tmp_path, capsys) -> None:
    (tmp_path / "truth").write_text("a\tC0000001,C0000002\nb\tC0000003\n")
    (tmp_path / "DET_mine").write_text("a\tC0000001\nb\tC0000009\n")
    (tmp_path / "t.csv").write_bytes(TABLE)
    words = [
        "imageclef",
        "concepts",
        "--edition",
        "2017",
        "--truth",
        f"{tmp_path}/truth",
        "--run",
        f"{tmp_path}/DET_mine",
    ]
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["published"]
    assert found["scored_on"] == "the original test set of 2017 (10,000 images)"
    assert sum(row["published"] for row in found["rows"]) == 38
    # 1/3 is above 0.1718, so it is first in each of the overview's three rankings.
    firsts = {row["ranking"]: row["run"] for row in reversed(found["rows"])}
    rankings = ("without external resources", "with external resources", "unknown resources")
    assert firsts == dict.fromkeys(rankings, "DET_mine")
    assert set(found) == {"rows", "scored_on"}
    assert run([*words, "--published", f"{tmp_path}/t.csv", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["published"]["rows"]) == 3
    assert run(words) == 0
    text = capsys.readouterr().out
    assert "Published results, scored on the original test set of 2017" in text
    assert text.count("ImageCLEFcaption 2017 task page, results") == 38


def test_captions_of_2017(tmp_path, capsys) -> None:
    (tmp_path / "PRED").write_text("a\tChest nodule\n")
    words = [
        "imageclef",
        "captions",
        "--edition",
        "2017",
        "--truth",
        f"{tmp_path}/PRED",
        "--run",
        f"{tmp_path}/PRED",
        "--json",
    ]
    assert run(words) == 0
    found = json.loads(capsys.readouterr().out)["published"]["rows"]
    assert sum(row["published"] for row in found) == 34


def test_other_editions_have_none(tmp_path, capsys) -> None:
    (tmp_path / "truth").write_text("a,C0000001\n")
    words = [
        "imageclef",
        "concepts",
        "--edition",
        "2025",
        "--truth",
        f"{tmp_path}/truth",
        "--run",
        f"{tmp_path}/truth",
        "--json",
    ]
    assert run(words) == 0
    assert "published" not in json.loads(capsys.readouterr().out)


def test_captions_of_2025_are_placed_by_the_overall_score(tmp_path, capsys) -> None:
    """As the task ranks, not by the mean of three that the script prints."""
    for name, text in {
        "truth.csv": "ID,Caption\ni,the left lung is opaque\n",
        "run.csv": "ID,Caption\ni,the left lung\n",
        "values.csv": "ID,BERTScore,BERTScore recall,BLEURT,AlignScore,similarity,UMLS F1\n"
        "i,0.5,0.5,0.5,0.9,0.5,0.9\n",
        "published.csv": "team,run,score\nA,x,0.6\n",
    }.items():
        (tmp_path / name).write_text(text)
    asked = ["imageclef", "captions", "--edition", "2025", "--json"]
    for option, name in {
        "truth": "truth",
        "run": "run",
        "values": "values",
        "published": "published",
    }.items():
        asked += [f"--{option}", str(tmp_path / f"{name}.csv")]
    assert run(asked) == 0
    rows = json.loads(capsys.readouterr().out)["published"]["rows"]
    # ROUGE-1 is 0.75, so what the script prints (similarity, BERTScore, ROUGE-1) is 0.583, below 0.6.
    assert [(row["run"], row["published"]) for row in rows] == [("run.csv", False), ("x", True)]
    assert rows[0]["score"] == pytest.approx(((0.5 + 0.75 + 0.5 + 0.5) / 4 + 0.9) / 2)
