"""``--where`` on every command that counts queries, and ``score --by``."""

from __future__ import annotations

import csv
import json
import re

import pandas as pd
import pytest
from markdown_it import MarkdownIt
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexWalker

from evalcore.cli import run

TWO = ["--system", "hog", "--system", "texture", "--baseline", "texture"]
BRAIN = ["--where", "organ=brain"]


def document(capsys, *arguments):
    assert run([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


@pytest.fixture(scope="module")
def brains():
    labels = pd.read_csv("data/labels.csv", dtype=str).set_index("ID")["organ"].str.split(";")
    return set(labels.index[labels.apply(lambda row: "brain" in [part.strip() for part in row])])


def test_score_of_chosen_queries_is_the_mean_of_their_values(capsys, tmp_path, brains):
    every = tmp_path / "every.csv"
    whole, _ = document(capsys, "score", "data", "--metric", "nnCUI@10", "--per-query", str(every), *TWO)
    found, err = document(capsys, "score", "data", "--metric", "nnCUI@10", *TWO, *BRAIN)
    values = pd.read_csv(every)
    means = values[values["query"].isin(brains)].groupby("system")["value"].mean()
    assert {row["system"]: row["mean"] for row in found["scores"]} == pytest.approx(dict(means))
    assert found["comparisons"][0]["difference"] == pytest.approx(means["hog"] - means["texture"])
    assert {row["n_queries"] for row in found["scores"]} == {len(brains)} == {42}
    assert found["digest"] == whole["digest"]
    assert found["settings"] == {**whole["settings"], "where": ["organ=brain"]} != whole["settings"]
    assert "Only organ=brain: 42 of 160 queries." in err


def test_conditions_are_said_in_the_line_on_the_method(capsys):
    assert run(["score", "data", "--metric", "nnCUI@10", *BRAIN, "--where", "concepts>=4"]) == 0
    out, _ = capsys.readouterr()
    assert "27 queries with organ=brain, concepts>=4. Intervals: 95%" in out


@pytest.mark.parametrize(
    ("command", "where_is"),
    [
        (["measures", "--unit", "queries", "--relevance", "iou", "--relevance", "nn-iou"], "settings"),
        (["discrimination", "--relevance", "iou"], "settings"),
        (["table1", "--relevance", "iou", "--metric", "P(organ)@5"], "settings"),
        (["rank", "--system", "@iou", "--depth", "3"], "settings"),
        (["sweep", "--metric", "nnCUI@10", "--alphas", "0.5", "--thresholds", "1"], "settings"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_every_command_records_the_conditions(capsys, command, where_is):
    name, *options = command
    found, err = document(capsys, *name.split(), "data", *options, *BRAIN)
    assert (found[where_is] if where_is else found)["where"] == ["organ=brain"]
    assert "Only organ=brain: 42 of 160 queries." in err
    without, _ = document(capsys, *name.split(), "data", *options)
    assert "where" not in (without[where_is] if where_is else without)


def test_rank_answers_chosen_queries_from_all_candidates(capsys, brains):
    found, _ = document(capsys, "rank", "data", "--system", "@iou", "--depth", "150", *BRAIN)
    assert set(found["run"]) == brains
    assert {image for ranked in found["run"].values() for image in ranked} - brains


def test_csv_has_a_column_of_the_conditions(capsys, tmp_path):
    options = ["sweep", "data", "--metric", "nnCUI@10", "--alphas", "0.5", "--thresholds", "1", "--csv"]
    for extra, expected in ((BRAIN, {"organ=brain"}), ([], {None})):
        file = tmp_path / "rows.csv"
        assert run([*options, str(file), *extra]) == 0
        with file.open(newline="") as lines:
            assert {row.get("where") for row in csv.DictReader(lines)} == expected


def test_score_by_label_is_a_groupby(capsys, tmp_path):
    every = tmp_path / "every.csv"
    found, _ = document(
        capsys, "score", "data", "--metric", "CUI@10", "--by", "modality", "--per-query", str(every), *TWO
    )
    values = pd.read_csv(every).merge(pd.read_csv("data/labels.csv"), left_on="query", right_on="ID")
    groups = values.groupby(["modality", "system"])["value"]
    expected, sizes = groups.mean(), groups.count()
    rows = {(row["slice"], row["system"]): row for row in found["slices"]}
    assert set(rows) == set(expected.index)
    for key, row in rows.items():
        assert (row["mean"], row["n_scored"]) == (pytest.approx(expected[key]), sizes[key])
        assert row["n_queries"] == row["n_scored"] + row["n_undefined"]
    assert {row["p_corrected"] >= row["p"] for row in found["slice_comparisons"]} == {True}
    ct = next(row for row in found["slice_comparisons"] if row["slice"] == "CT")
    assert ct["difference"] == pytest.approx(expected["CT", "hog"] - expected["CT", "texture"])


def cells_of_latex(text):
    """Every tabular as rows of cells in plain text, footnotes of intervals left out."""
    nodes, *_ = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    tables = []
    for table in (one for one in nodes if isinstance(one, LatexEnvironmentNode)):
        inner = [one for one in table.nodelist if isinstance(one, LatexEnvironmentNode)]
        lines = [one.latex_verbatim().splitlines() for one in inner]
        tables.append(
            [
                [
                    LatexNodes2Text().latex_to_text(cell).strip()
                    for cell in row.removesuffix(r"\\").split(" & ")
                ]
                for rows in lines
                for row in rows
                if row.endswith(r"\\")
            ]
        )
    return tables


def test_files_hold_the_slices(capsys, tmp_path):
    every, rows, tex, md = (tmp_path / name for name in ("every.csv", "rows.csv", "t.tex", "t.md"))
    options = ["score", "data", "--metric", "CUI@10", "--by", "modality", *TWO, "--no-intervals"]
    files = ["--per-query", every, "--csv", rows, "--latex", tex, "--markdown", md]
    assert run([*options, *map(str, files)]) == 0
    capsys.readouterr()
    values = pd.read_csv(every).merge(pd.read_csv("data/labels.csv"), left_on="query", right_on="ID")
    expected = values.groupby(["modality", "system"])["value"].mean()
    overall = values.groupby("system")["value"].mean()
    saved = pd.read_csv(rows)
    assert saved["slice"].tolist()[:2] == ["All queries"] * 2 and saved["by"].isna().sum() == 2
    parts = saved[saved["by"] == "modality"].set_index(["slice", "system"])["mean"]
    assert dict(parts) == pytest.approx(dict(expected)) and len(parts) == 10
    assert dict(saved[saved["by"].isna()].set_index("system")["mean"]) == pytest.approx(dict(overall))
    assert "In slices: p corrected by Holm over all 5 differences in slices." in md.read_text()
    # LaTeX and Markdown: the table over all queries, then systems x slices, read back by other programs.
    _, latex = cells_of_latex(tex.read_text())
    page = MarkdownIt("commonmark").enable("table").render(md.read_text())
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"(?s)<tr>(.*?)</tr>", page)]
    for head, *body in (latex, found[3:]):
        slices = [name.partition(" (n = ")[0] for name in head[1:]]
        assert slices == ["All queries", "radiograph", "CT", "MRI", "ultrasound", "mammogram"]
        order = [re.sub(r" \(baseline\)", "", row[0]) for row in body]
        assert order == sorted(overall.index, key=lambda name: -overall[name])
        for name, row in zip(order, body, strict=True):
            means = [float(re.search(r"0\.\d{3}", cell)[0]) for cell in row[1:]]
            of_slices = [overall[name], *(expected[one, name] for one in slices[1:])]
            assert means == pytest.approx(of_slices, abs=5.1e-4)


def test_without_a_baseline_nothing_is_said_of_differences_in_slices(capsys, tmp_path):
    file = tmp_path / "t.md"
    options = ["score", "data", "--metric", "CUI@10", "--by", "modality", *TWO[:4]]
    assert run([*options, "--markdown", str(file)]) == 0
    assert "mammogram" in file.read_text() and "In slices" not in file.read_text()


def test_files_hold_the_differences_in_slices(capsys, tmp_path):
    file = tmp_path / "rows.csv"
    found, _ = document(
        capsys,
        "score",
        "data",
        "--metric",
        "CUI@10",
        "--by",
        "organ",
        "--by",
        "concepts",
        *TWO,
        "--csv",
        str(file),
    )
    saved = pd.read_csv(file, keep_default_na=False)
    by_slice = {(row["by"], row["slice"]): row for _, row in saved[saved["system"] == "hog"].iterrows()}
    assert len(found["slice_comparisons"]) == len(by_slice) - 1 > 10
    for one in found["slice_comparisons"]:
        row = by_slice[one["by"], one["slice"]]
        if one["p_corrected"] is None:
            assert row["p_corrected"] == ""
            continue
        assert float(row["p_corrected"]) == one["p_corrected"] and row["correction"] == one["correction"]
        assert float(row["difference"]) == one["difference"] and row["compared_with"] == "texture"


def test_a_slice_is_the_score_of_its_condition(capsys):
    options = ["score", "data", "--metric", "P(organ)@5", *TWO]
    found, _ = document(capsys, *options, "--by", "organ")
    alone, _ = document(capsys, *options, *BRAIN)
    of_slice = [row for row in found["slices"] if row["slice"] == "brain"]
    for row, same in zip(of_slice, alone["scores"], strict=True):
        assert {key: row[key] for key in same if key in row} == {key: same[key] for key in same if key in row}
    difference = next(row for row in found["slice_comparisons"] if row["slice"] == "brain")
    (same,) = alone["comparisons"]
    kept = {"difference", "ci_low", "ci_high", "p", "n_pairs"}
    assert {key: difference[key] for key in kept} == {key: same[key] for key in kept}


def test_tables_say_what_has_to_be_known(capsys):
    options = ["score", "data", "--metric", "P(organ)@5", *TWO]
    assert run([*options, "--by", "organ", "--by", "difficulty", "--by", "concepts"]) == 0
    out, _ = capsys.readouterr()
    assert "organ: 4 queries have several values and count in each of their groups." in out
    assert "difficulty: Quarters of the queries by their mean over the systems compared" in out
    assert "slice by slice:" in out and "p corrected by Holm over all " in out and "not annotated" in out


def test_without_the_options_nothing_is_added(capsys):
    found, err = document(capsys, "score", "data", "--metric", "CUI@10", *TWO)
    keys = ["study", "digest", "settings", "compared_over", "scores", "comparisons", "verdicts", "counts"]
    assert list(found) == keys
    assert "where" not in found["settings"] and "Only" not in err


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--where", "organ=brian"], "No value of organ called 'brian'. Did you mean: brain, breast."),
        (["--where", "brain"], "'brain' is no condition"),
        (["--where", "judged=yes"], "this study contains no judgments"),
        (["--where", "concepts>=99"], "None of the 160 queries fits concepts>=99."),
        (["--by", "orgn"], "No way to slice the queries called 'orgn'. Did you mean: organ."),
    ],
)
def test_what_is_not_there_is_refused(capsys, option, said):
    assert run(["score", "data", "--metric", "CUI@10", *option]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err
