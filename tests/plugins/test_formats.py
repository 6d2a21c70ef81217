"""Readers of one's own: the same study as from the program's own forms, and files that they cannot read."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalcore as cs
from evalcore.cli import run
from evalcore.values import plugins
from evalcore.values.model import Study
from tests.plugins.conftest import DATA

READERS = '''
import io
import numpy as np
import pandas as pd
import evalcore as cs


@cs.register_format("knn")
def knn(data):
    """Lines such as SYN_001>SYN_004:0.5,SYN_009:0.25"""
    lists = {}
    for line in data.decode().splitlines():
        query, _, rest = line.partition(">")
        pairs = (result.split(":") for result in rest.split(","))
        lists[query] = {image: float(score) for image, score in pairs}
    return lists


@cs.register_format("jsonl", part="labels")
def labels(data):
    return pd.read_json(io.BytesIO(data), lines=True, dtype=False)


@cs.register_format("raw", part="embeddings")
def vectors(data):
    values = np.frombuffer(data, "<f4").reshape(160, -1)
    return [f"SYN_{n:03}" for n in range(1, 161)], values
'''


@pytest.fixture
def readers(tmp_path: Path) -> str:
    file = tmp_path / "readers.py"
    file.write_text(READERS)
    return str(file)


def as_knn(study: Study, system: str) -> str:
    ids, ranked = study.image_ids, study.runs[system]
    return "".join(
        f"{ids[query]}>"
        + ",".join(
            f"{ids[c]}:{s!r}"
            for c, s in zip(ranked.candidates[a:b], ranked.scores[a:b].tolist(), strict=True)
        )
        + "\n"
        for query, a, b in zip(ranked.queries.tolist(), ranked.indptr[:-1], ranked.indptr[1:], strict=True)
    )


def as_folder(folder: Path, study: Study) -> Path:
    """The sample with a run, labels and vectors in other forms."""
    shutil.copytree(DATA, folder, ignore=shutil.ignore_patterns("systems", "review", "labels.csv"))
    (folder / "systems" / "hog").mkdir(parents=True)
    (folder / "systems" / "hog" / "run.knn").write_text(as_knn(study, "hog"))
    (folder / "runs").mkdir()
    (folder / "runs" / "texture.KNN").write_text(as_knn(study, "texture"))
    table = pd.read_csv(DATA / "labels.csv", dtype=str, keep_default_na=False)
    toml = folder / "study.toml"
    toml.write_text(toml.read_text().replace('"labels.csv"', '"labels.jsonl"'))
    table.to_json(folder / "labels.jsonl", orient="records", lines=True)
    assert list(study.image_ids) == [f"SYN_{n:03}" for n in range(1, 161)]
    vectors = study.embeddings["hog"].vectors
    (folder / "systems" / "hog" / "embeddings.raw").write_bytes(vectors.astype("<f4").tobytes())
    return folder


def test_a_study_of_other_forms_is_the_same_study(
    readers: str, sample: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = as_folder(tmp_path / "other", sample)
    plugins.load_file(readers)
    study = cs.open_study(folder)
    assert study.report.total("error") == 0
    metrics = ["CUI@10", "P(organ)@5", "mean(cosine:hog)@3"]
    systems = ["hog", "texture"]
    for ours, theirs in zip(
        cs.score(study, metrics, systems=systems), cs.score(sample, metrics, systems=systems), strict=True
    ):
        np.testing.assert_array_equal(ours.values, theirs.values)
    beside = sample.with_runs(mine=str(folder / "systems" / "hog" / "run.knn"))
    (mine,), (theirs,) = (cs.score(beside, ["CUI@10"], systems=[name]) for name in ("mine", "hog"))
    np.testing.assert_array_equal(mine.values, theirs.values)
    assert run(["score", str(folder), "--metric", "CUI@10", "--json"]) == 0
    used = json.loads(capsys.readouterr().out)["plugins"]
    assert [(plugin["kind"], plugin["name"]) for plugin in used] == [
        ("reader", "labels:jsonl"),
        ("reader", "run:knn"),
        ("reader", "embeddings:raw"),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("SYN_001>SYN_002:x\n", r"run\.knn: readers\.py:15: The reader run:knn failed for .*: ValueError"),
        ("SYN_001>SYN_002:nan\n", r"run\.knn, row 1: The score is nan"),
        ("SYN_001>OTHER:0.5\n", "run.knn.*OTHER"),
        ("", r"run\.knn: The reader of readers\.py gave nothing\."),
    ],
)
def test_what_is_wrong_with_a_file_is_named(content: str, words: str, readers: str, tmp_path: Path) -> None:
    plugins.load_file(readers)
    (tmp_path / "systems" / "a").mkdir(parents=True)
    (tmp_path / "concepts.csv").write_text("ID,CUIs\nSYN_001,C0000001\nSYN_002,C0000001\n")
    (tmp_path / "systems" / "a" / "run.knn").write_text(content)
    problems = [str(problem) for problem in cs.open_study(tmp_path).report.problems]
    assert any(re.search(words, line) for line in problems), problems


def test_a_text_is_no_path_of_another_file(tmp_path: Path) -> None:
    """What a reader makes of a hostile file must not open a file of its choice."""
    secret = tmp_path / "secret.trec"
    secret.write_text("SYN_001 Q0 SYN_002 1 0.5 x\n")
    cs.register_format("path")(lambda data: data.decode().strip())
    folder = tmp_path / "study"
    (folder / "systems" / "a").mkdir(parents=True)
    (folder / "concepts.csv").write_text("ID,CUIs\nSYN_001,C0000001\nSYN_002,C0000001\n")
    (folder / "systems" / "a" / "run.path").write_text(str(secret))
    study = cs.open_study(folder)
    assert not study.runs
    assert "gave a text, not a run" in " ".join(map(str, study.report.problems))
