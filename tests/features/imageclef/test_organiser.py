"""The organiser's board: who sent what, ranks, 2017's four tables, and the program for Codabench."""

from __future__ import annotations

import csv
import json
import random
import shlex
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.imageclef.board_page import board_html
from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.organiser import (
    Entry,
    Standing,
    Standings,
    best_of_teams,
    boards,
    entry_of,
    ranking,
)
from evalcore.features.imageclef.published import included, read_published
from evalcore.features.imageclef.read_submissions import entries_of, submissions
from evalcore.values.errors import InputError, Report

CONCEPTS_2017, CAPTIONS_2017 = edition_of("concepts", "2017"), edition_of("captions", "2017")
TRUTH = "ID,CUIs\na,C0000001;C0000002\nb,C0000003\n"
PERFECT, HALF = TRUTH, "ID,CUIs\na,C0000001;C0000002\nb,C0000009\n"


def standing(team: str, run: str, score: float, resources: str = "", metric: str = "F1") -> Standing:
    entry = Entry(f"{team}/{run}", team, run, "", resources)
    return Standing(entry, True, {metric: score}, None, None, Report())


def made_of(*some: Standing, edition=CONCEPTS_2017, metric: str = "F1") -> Standings:
    return Standings(edition, metric, some)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("run.csv", ("", "run", "", "")),
        ("NLM/run.csv", ("NLM", "run", "", "")),
        ("NLM__run__manual__external.csv", ("NLM", "run", "Manual", "External Resources Used")),
        ("NLM/1494012568180__DET_run_1__noexternal.txt", ("NLM", "run_1", "", "No External Resources Used")),
        ("DET.csv", ("", "DET", "", "")),
    ],
)
def test_a_path_says_who_sent_a_run(path: str, expected: tuple[str, ...]) -> None:
    entry = entry_of(path, CONCEPTS_2017)
    assert (entry.team, entry.run, entry.run_type, entry.resources) == expected


def test_equal_scores_share_a_rank_and_a_team_has_its_best_run() -> None:
    made = made_of(
        standing("A", "1", 0.5), standing("A", "2", 0.7), standing("B", "1", 0.7), standing("", "x", 0.1)
    )
    assert [(p.rank, p.team, p.run) for p in ranking(made)] == [
        (1, "A", "2"),
        (1, "B", "1"),
        (3, "A", "1"),
        (4, "", "x"),
    ]
    assert [(p.team, p.run) for p in ranking(made, by="team")] == [("A", "2"), ("B", "1"), ("", "x")]
    nameless = [standing("", "x", 0.1), standing("", "y", 0.2)]
    assert len(best_of_teams(ranking(made_of(*nameless)))) == 2


# The four tables of 2017: facts of the task's page, in the file that came with the specification.


@pytest.mark.parametrize(
    ("task", "without", "with_", "first"),
    [
        # Scores and counts as on the page: the best runs are also in the abstracts of CEUR-WS vol. 1866,
        # papers 122 (Katsios and Kavallieratou) and 158 (Ben Abacha et al.).
        ("concepts", 33, 5, (("Aegean AI Lab", 0.1583), ("NLM", 0.1718))),
        ("captions", 31, 3, (("AILAB", 0.3211), ("NLM", 0.5634))),
    ],
)
def test_the_four_tables_of_2017(task, without, with_, first, real_dir) -> None:
    source = real_dir.parent / "spec/published_2017.csv"
    rows = read_published(source.read_bytes(), file=source.name, task=task)
    nothing = Standings(edition_of(task, "2017"), "F1", ())
    tables = boards(nothing, published=rows)
    assert list(tables) == ["Without external resources", "With external resources"]
    assert [len(table) for table in tables.values()] == [without, with_]
    assert tuple((table[0].team, table[0].score) for table in tables.values()) == first
    for table in tables.values():
        assert [p.score for p in table] == sorted((p.score for p in table), reverse=True)
        # Within a category the page's own ranks have the same order; equal scores are in either order.
        for category in {p.resources for p in table}:
            own = [(p.score, int(p.source_rank)) for p in table if p.resources == category]
            assert own == sorted(own, key=lambda pair: (-pair[0], pair[1]))


def test_captions_that_stated_nothing_have_the_ranks_of_the_page_among_those_without() -> None:
    """The page ranked them so: its ranks of the 28 runs leave out exactly the places of NLM's three."""
    table = ranking(made_of(edition=CAPTIONS_2017), published=included(CAPTIONS_2017), external=False)
    stated = [(p.rank, int(p.source_rank)) for p in table if p.resources == "Unknown"]
    assert len(stated) == 28
    assert all(rank == source for rank, source in stated)


def test_a_run_is_in_its_place_in_the_table_of_its_resources() -> None:
    mine = standing("Us", "run_1", 0.15, "External Resources Used")
    tables = boards(made_of(mine), published=included(CONCEPTS_2017))
    places = {name: [p.rank for p in rows if p.team == "Us"] for name, rows in tables.items()}
    assert places == {"Without external resources": [], "With external resources": [3]}
    by_team = boards(made_of(mine), by="team", published=included(CONCEPTS_2017))
    assert [p.team for p in by_team["With external resources"]] == ["NLM", "Us"]


# All submissions of a folder or zip in one go.


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    for path, text in {
        "A/run_1.csv": HALF,
        "A/run_2__external.csv": PERFECT,
        "B/b&c.csv": HALF,
        "B/broken.csv": "ID,CUIs\na,C0000001\n",
        ".hidden": "x",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (tmp_path / "truth.csv").write_text(TRUTH)
    return folder


def board_of(source: Path, *more: str, capsys) -> dict:
    truth = source.parent / "truth.csv"
    asked = ["imageclef", "concepts", "--campaign", "--edition", "2025", "--truth", str(truth)]
    assert run([*asked, "--run", str(source), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def zipped(folder: Path) -> Path:
    target = folder.parent / "all.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*.csv")):
            archive.write(path, f"outer/{path.relative_to(folder).as_posix()}")
    return target


def test_a_folder_and_a_zip_of_it_give_the_same_board(campaign: Path, capsys) -> None:
    found = board_of(campaign, capsys=capsys)
    assert found == board_of(zipped(campaign), capsys=capsys)
    without = found["boards"]["Without external resources: all runs"]
    # a: 2 of 2 right, b: none: F1 = (1 + 0) / 2.
    assert [(row["rank"], row["team"], row["run"], row["score"]) for row in without] == [
        (1, "A", "run_1", 0.5),
        (1, "B", "b&c", 0.5),
    ]
    assert found["boards"]["With external resources: the best run of each team"][0]["score"] == 1.0
    (failure,) = found["failures"]
    assert failure["file"] == "B/broken.csv" and "missing-id" in failure["reasons"]


def test_the_table_of_entries_counts_over_file_names(campaign: Path, tmp_path: Path, capsys) -> None:
    (campaign / "entries.csv").write_text("file,team,run_type\nA/run_1.csv,Zeta,Manual\nnone.csv,Y,\n")
    found = board_of(campaign, capsys=capsys)
    rows = {row["run"]: row for row in found["boards"]["Without external resources: all runs"]}
    assert (rows["run_1"]["team"], rows["run_1"]["run_type"]) == ("Zeta", "Manual")
    with submissions(campaign, file="s") as files:
        _, report = entries_of(files, edition_of("concepts", "2025"))
    assert [(p.line, p.rule) for p in report.problems] == [(3, "unknown-file")]


def test_the_page_and_the_file_of_a_board(campaign: Path, tmp_path: Path, capsys) -> None:
    page, rows = tmp_path / "board.html", tmp_path / "board.csv"
    board_of(campaign, str(page), str(rows), capsys=capsys)
    text = page.read_text()
    assert "b&amp;c" in text and "b&c" not in text
    assert "missing-id" in text and "http" not in text.partition("<body>")[2]
    listed = list(csv.DictReader(rows.read_text().splitlines()))
    assert {row["refused_because_of"] for row in listed} == {"", "missing-id"}
    assert len(listed) == 2 + 1 + 2 + 1 + 1  # by team, all, each without and with; the failure


def test_folders_without_submissions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no submissions"), submissions(tmp_path, file="empty"):
        pass


def test_a_name_is_text_in_html() -> None:
    page = board_html(made_of(standing("<script>x</script>", "r", 0.5)), published=())
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_captions_of_2025_are_ranked_by_the_mean_of_six(tmp_path: Path, capsys) -> None:
    """Each run is better by one of the two: the script's mean of three prefers b, the task's of six a."""
    (tmp_path / "truth.csv").write_text("ID,Caption\ni,the left lung is opaque\n")
    columns = "ID,BERTScore,BLEURT,AlignScore,similarity,UMLS F1\n"
    for name, values in {"a": "0.5,0.5,0.9,0.5,0.9", "b": "0.6,0.5,0.1,0.6,0.1"}.items():
        for folder, text in {
            "runs": "ID,Caption\ni,the left lung\n",
            "values": f"{columns}i,{values}\n",
        }.items():
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{name}.csv").write_text(text)
    truth, runs, values = (str(tmp_path / name) for name in ("truth.csv", "runs", "values"))
    asked = ["imageclef", "captions", "--campaign", "--edition", "2025", "--json"]
    assert run([*asked, "--truth", truth, "--run", runs, "--values", values]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ranked_by"] == "mean6"
    rows = found["boards"]["Ranking: all runs"]
    # ROUGE-1 of both: 3 of 5 words recalled, all 3 right; F = 0.75.
    rouge = 0.75
    assert [row["run"] for row in rows] == ["a", "b"]
    assert rows[0]["score"] == pytest.approx((0.5 + rouge + 0.5 + 0.5 + 0.9 + 0.9) / 6)
    assert rows[1]["score"] == pytest.approx((0.6 + rouge + 0.5 + 0.6 + 0.1 + 0.1) / 6)


# Codabench: unpacked and called as its compute worker does.


def codabench(tmp_path: Path, *asked: str) -> Path:
    """Programs and data where the worker puts them; the folder that stands for /app."""
    assert run(["imageclef", *asked, str(tmp_path / "export.zip")]) == 0
    app = tmp_path / "app"
    with zipfile.ZipFile(tmp_path / "export.zip") as both:
        both.extractall(tmp_path)
    for name, place in {"scoring_program": "program", "reference_data": "input/ref"}.items():
        with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
            archive.extractall(app / place)
    (app / "input/res").mkdir()
    return app


def scored_there(app: Path) -> subprocess.CompletedProcess[str]:
    command = (app / "program/metadata.yaml").read_text().removeprefix("command: ").strip()
    for name, place in {"$input": "input", "$output": "output", "$program": "program"}.items():
        command = command.replace(name, str(app / place))
    words = [sys.executable if word == "python3" else word for word in shlex.split(command)]
    return subprocess.run(words, cwd=app, env={}, capture_output=True, text=True, check=False)


def test_the_scoring_program_gives_the_scores_of_the_command(tmp_path: Path, capsys) -> None:
    truth, submission = tmp_path / "truth.csv", tmp_path / "run.csv"
    truth.write_text(TRUTH)
    submission.write_text(HALF)
    app = codabench(tmp_path, "concepts", "--campaign", "--edition", "2025", "--truth", str(truth))
    (app / "input/res/submission.csv").write_text(HALF)
    done = scored_there(app)
    assert done.returncode == 0, done.stderr
    scores = json.loads((app / "output/scores.json").read_text())
    assert scores["score"] == scores["ranking"] == scores["f1"] == 0.5
    capsys.readouterr()
    asked = ["imageclef", "concepts", "--edition", "2025", "--truth", str(truth), "--run", str(submission)]
    assert run([*asked, "--json"]) == 0
    (here,) = json.loads(capsys.readouterr().out)["runs"]
    assert scores["micro_f1"] == here["metrics"]["micro_f1"]

    (app / "output/scores.json").unlink()
    (app / "input/res/submission.csv").write_text("ID,CUIs\na,C0000001\n")
    refused = scored_there(app)
    assert refused.returncode == 1 and "has no row" in refused.stderr
    assert not (app / "output/scores.json").exists()


@pytest.mark.nightly
def test_the_scoring_program_of_captions_needs_nothing_of_the_installed_one(tmp_path: Path) -> None:
    pytest.importorskip("nltk")
    truth = tmp_path / "truth.csv"
    truth.write_text("a\tleft lung\nb\tright kidney\n")
    app = codabench(tmp_path, "captions", "--campaign", "--edition", "2017", "--truth", str(truth))
    (app / "input/res/PRED_run.txt").write_text("a\tleft lung\nb\tright kidney\n")
    assert not any(path.name in ("ui", "cli") for path in (app / "program/evalcore").iterdir())
    done = scored_there(app)
    assert done.returncode == 0, done.stderr
    assert json.loads((app / "output/scores.json").read_text())["score"] == 1.0


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("task", "edition", "head", "line", "longest"),
    [("concepts", "2025", "ID,CUIs\n", (",", ";"), 8), ("captions", "2017", "", ("\t", " "), 40)],
)
def test_100_runs_of_10_000_images_take_less_than_a_minute(
    task: str, edition: str, head: str, line: tuple[str, str], longest: int, tmp_path: Path
) -> None:
    draw = random.Random(0)
    words = [
        f"C{i:07d}" if task == "concepts" else "".join(draw.choices("aeimnorst", k=8)) for i in range(2000)
    ]
    truth = {f"img{i:06d}": draw.sample(words, draw.randint(1, longest)) for i in range(10_000)}

    def written(rows: dict[str, list[str]]) -> str:
        return head + "".join(f"{image}{line[0]}{line[1].join(some)}\n" for image, some in rows.items())

    def rows(share: float) -> dict[str, list[str]]:
        some = {i: [w for w in own if draw.random() < share] for i, own in truth.items()}
        return {i: list(dict.fromkeys([*own, draw.choice(words)])) for i, own in some.items()}

    (tmp_path / "truth.csv").write_text(written(truth))
    (tmp_path / "runs").mkdir()
    text = [written(rows(share / 10)) for share in range(10)]
    for i in range(100):
        (tmp_path / "runs" / f"team{i // 10}__run{i}.csv").write_text(text[i % 10])
    asked = ["imageclef", task, "--campaign", "--edition", edition, "--json"]
    began = time.process_time()
    assert run([*asked, "--truth", str(tmp_path / "truth.csv"), "--run", str(tmp_path / "runs")]) == 0
    assert time.process_time() - began < 60
