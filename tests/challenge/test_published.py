"""Published results of 2017: facts with a source, and a new run among them."""

from __future__ import annotations

import json

import pytest

from evalcore.challenge.published import PUBLISHED, Published, placed, read_published
from evalcore.cli import run
from evalcore.errors import InputError

TABLE = b"team,run,score,resources,source\nNLM,one,0.2,external,Table 3\nAAI,two,0.1,,\n"


def test_facts_have_a_source_and_stand_in_order() -> None:
    for rows in PUBLISHED.values():
        assert all(row.source and row.team and 0 < row.score < 1 for row in rows)
        assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)


@pytest.mark.parametrize(("task", "best"), [("concepts", 0.1718), ("captions", 0.5634)])
def test_the_best_run_of_2017_is_that_of_nlm(task: str, best: float) -> None:
    # Ben Abacha et al. 2017: "outperforming all submitted runs by all the participants"
    assert (PUBLISHED[task][0].team, PUBLISHED[task][0].score) == ("NLM", best)


def test_a_run_among_them() -> None:
    rows = (Published("A", "x", 0.2, "", "s"), Published("B", "y", 0.1, "", "s"))
    found = placed(rows, {"mine": 0.1, "other": 0.3, "none": float("nan")})
    assert [(row["run"], row["published"]) for row in found] == [
        ("other", False), ("x", True), ("y", True), ("mine", False),
    ]  # fmt: skip


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
    words = ["imageclef", "concepts", "--edition", "2017", "--truth", f"{tmp_path}/truth", "--run",
             f"{tmp_path}/DET_mine"]  # fmt: skip
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["published"]
    assert found["scored_on"] == "the original test set of 2017 (10,000 images)"
    assert "not included" in found["note"]
    assert next(row["run"] for row in found["rows"]) == "DET_mine"  # 1/3 is above 0.1718
    assert run([*words, "--published", f"{tmp_path}/t.csv", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["published"]["rows"]) == 3
    assert run(words) == 0
    text = capsys.readouterr().out
    assert "Published results, scored on the original test set of 2017" in text
    assert "CEUR-WS vol. 1866, paper 122" in text


def test_other_editions_have_none(tmp_path, capsys) -> None:
    (tmp_path / "truth").write_text("a,C0000001\n")
    words = ["imageclef", "concepts", "--edition", "2025", "--truth", f"{tmp_path}/truth", "--run",
             f"{tmp_path}/truth", "--json"]  # fmt: skip
    assert run(words) == 0
    assert "published" not in json.loads(capsys.readouterr().out)
