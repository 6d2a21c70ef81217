"""``mrmc`` and `evalcore.mrmc`: one answer however ratings are given; broken ratings are named by line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evalcore as cs
from evalcore.cli import run

HEAD = "reader,system,case,truth,rating\n"
ROWS = [
    (f"r{r}", s, f"c{c}", c % 2, int(v))
    for r, s, c, v in zip(
        *np.array([(r, s, c) for r in range(3) for s in range(2) for c in range(10)]).T.tolist(),
        np.random.default_rng(4).integers(1, 6, 60),
        strict=True,
    )
]
ROWS = [(r, ("cnn", "hog")[s], c, t, v) for r, s, c, t, v in ROWS]
KEYS = ["components", "n_readers", "n_cases", "n_readings", "design", "rows", "differences"]


def written(rows):
    return HEAD + "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text(written(ROWS))
    return path


def test_one_answer_of_file_frame_rows_and_imrmc(file, tmp_path, as_json):
    out = tmp_path / "readings.imrmc"
    answer = as_json("mrmc", file, "--imrmc", f"{out}")
    assert list(answer) == KEYS
    assert [*answer["rows"][0]] == ["system", "value", "variance"]
    keys = {"a", "b", "difference", "variance", "se", "df", "p", "low", "high"}
    assert keys <= {*answer["differences"][0]} <= keys | {"p_corrected"}
    assert [answer[key] for key in ("n_readers", "n_cases", "n_readings", "design")] == [3, 10, 60, "full"]
    frame = pd.DataFrame(ROWS, columns=HEAD.strip().split(","))
    records = frame.to_dict("records")
    for source in (file, frame, ROWS, records, out):
        assert [row.estimate.value for row in cs.mrmc(source)] == [row["value"] for row in answer["rows"]]
    auc = [
        np.mean(
            np.heaviside(np.subtract.outer(*(part[part.truth == t].rating.to_numpy() for t in (1, 0))), 0.5)
        )
        for _, part in frame.groupby(["system", "reader"])
    ]
    assert [row["value"] for row in answer["rows"]] == pytest.approx([np.mean(auc[:3]), np.mean(auc[3:])])
    older = tmp_path / "older.imrmc"
    older.write_text(out.read_text().replace("truth,c", "-1,c").replace(",truth,", ",0,"))
    assert as_json("mrmc", older) == answer
    means = as_json("mrmc", file, "--measure", "mean")
    assert [row["value"] for row in means["rows"]] == pytest.approx([*frame.groupby("system").rating.mean()])
    assert cs.mrmc(frame.drop(columns="truth"), measure="mean").differences[
        0
    ].estimate.value == pytest.approx(means["differences"][0]["difference"])
    assert cs.mrmc(file).differences.to_frame().columns.tolist() == [*answer["differences"][0]]


def changed(at, **cells):
    """The rows with some cells of one changed."""
    names = HEAD.strip().split(",")
    row = tuple(cells.get(name, value) for name, value in zip(names, ROWS[at], strict=True))
    return written([*ROWS[:at], row, *ROWS[at + 1 :]])


IMRMC = "A study\nBEGIN DATA:\n" + "".join(f"truth,c{c},truth,{c % 2}\n" for c in range(9))
IMRMC += "".join(f"{r},{c},{s},{v}\n" for r, s, c, _, v in ROWS)
BROKEN = {
    "a reading twice": (written([*ROWS, ROWS[3]]), "62: 'r0 cnn c3' is read on line 5 already"),
    "truth differs": (changed(13, truth=0), "15: The truth of case 'c3' is 0, but 1 on line 5."),
    "no truth": (changed(4, truth=""), "6: The row has no truth"),
    "rating is nan": (changed(5, rating="nan"), "7: The rating 'nan' is not a number"),
    "rating is huge": (changed(6, rating="1e308"), "8: The rating '1e+308' is not a number up to ±1,000,000"),
    "a column is missing": (written(ROWS).replace("truth", "gold", 1), "1: The header must name the columns"),
    "one reader": (written(row for row in ROWS if row[0] == "r1"), "2: There is one reader, 'r1'"),
    "one class": (written((*row[:3], 1, row[4]) for row in ROWS), "2: All 10 cases are positive"),
    "a system without comparisons": (
        written(row for row in ROWS if row[1] == "cnn" or row[3] == 1),
        "No reader has read a positive and a negative case with system 'hog'.",
    ),
    "not UTF-8": (
        changed(10, reader="Müller").encode("latin-1"),
        "12: The row contains 0xFC, which is not UTF-8",
    ),
    "iMRMC: no truth": (IMRMC, "21: The case 'c9' has no truth."),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_ratings_are_named_by_line(name, tmp_path, capsys):
    content, message = BROKEN[name]
    path = tmp_path / "broken.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert run(["mrmc", str(path)]) == 2
    out, err = capsys.readouterr()
    named = [line for line in err.splitlines() if message in line]
    assert not out and len(named) == 1 and named[0].startswith("broken.csv:")
    assert "Traceback" not in err and "Error: broken.csv has" in err
    assert not named[0].endswith(message)  # and what to do about it
