"""Folders as BEIR, MTEB and ir_datasets write them open as studies."""

import json

import numpy as np
import pytest

import evalcore as cs
from evalcore.study.study import open_study
from evalcore.values.errors import InputError
from tests.study.made import parquet, write

DOCS = {"d1": "Lung mass", "d2": "Liver", "d3": "Bone"}
QUERIES = {"q1": "chest", "q2": "abdomen", "q9": "asked by nobody"}


def lines(texts, key):
    return "".join(json.dumps({key: name, "text": text}) + "\n" for name, text in texts.items())


def tabbed(texts):
    return "".join(f"{name}\t{text}\n" for name, text in texts.items())


JUDGED = {"query-id": ["q1", "q2", "q2"], "corpus-id": ["d1", "d2", "d1"], "score": [1, 2, 0]}
ROWS = [dict(zip(JUDGED, row, strict=True)) for row in zip(*JUDGED.values(), strict=True)]
TEXTS = {"corpus.jsonl": lines(DOCS, "_id"), "queries.jsonl": lines(QUERIES, "_id")}
HUB = {
    "corpus/corpus-00000-of-00001.parquet": parquet(
        {"_id": [*DOCS], "text": [*DOCS.values()], "title": [""] * 3}
    ),
    "queries/queries-00000-of-00001.parquet": parquet({"_id": [*QUERIES], "text": [*QUERIES.values()]}),
}
LAYOUTS = {
    "BEIR": TEXTS | {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\nq2\td1\t0\n"},
    "MTEB": TEXTS | {"qrels/test.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS)},
    "ir_datasets": {
        "docs.tsv": tabbed(DOCS),
        "queries.tsv": tabbed(QUERIES),
        "test.qrels": "q1 0 d1 1\nq2 0 d2 2\nq2 0 d1 0\n",
    },
    "Hugging Face": HUB | {"data/test-00000-of-00001.parquet": parquet(JUDGED)},
    "Hugging Face with qrels": HUB | {"qrels/test.parquet": parquet(JUDGED)},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_a_study(layout, tmp_path):
    run = {"runs/s.trec": "q1 Q0 d2 1 2 s\nq1 Q0 d1 2 1 s\nq2 Q0 d2 1 2 s\n"}
    study = open_study(write(tmp_path, LAYOUTS[layout] | run))
    assert study.report.total("error") == 0
    ids = study.image_ids
    assert [ids[i] for i in study.queries] == ["q1", "q2"] and list(study.qrels) == ["test"]
    assert [ids[i] for i in study.candidates] == ["d1", "d2", "d3"]
    assert study.caption_of(ids.index("q2")) == "abdomen" and study.caption_of(ids.index("d3")) == "Bone"
    q2, d1, d3 = (np.array([ids.index(name)]) for name in ("q2", "d1", "d3"))
    judged = study.qrels["test"]
    assert judged.has(q2, d1) and not judged.has(q2, d3), "one has the grade 0"
    (score,) = cs.score(study, ["RR(qrels:test)"])
    assert score.values.tolist() == [0.5, 1.0]


def test_errors_in_a_corpus_are_reported_by_line(tmp_path):
    text = lines(DOCS, "_id") + 'no json\n{"text": "no id"}\n{"_id": "d1", "text": "again"}\n'
    (tmp_path / "corpus.jsonl").write_text(text)
    (tmp_path / "test.qrels").write_text("q1 0 d1 1\n")
    problems = open_study(tmp_path).report.problems
    result = {(entry.rule, entry.line) for entry in problems if entry.file == "corpus.jsonl" and entry.line}
    assert result == {("bad-json", 4), ("missing-id", 5), ("duplicate-id", 6)}


# Judgments of the study's own.


def test_judges_differ_from_readers_by_their_column_or_folder(tmp_path):
    files = {
        "judgments/panel.csv": "reader,query,result,value\nanna,q1,d1,1\n",
        "judgments/gpt.csv": "judge,query,result,value\ngpt,q1,d1,1\n",
        "judges/clip.qrels": "q1 0 d1 1\n",
        "judges/panel.qrels": "q1 0 d1 1\n",
        "runs/s.trec": "q1 Q0 d1 1 0.5 s\n",
    }
    study = open_study(write(tmp_path, files))
    assert {name: part.by_program for name, part in study.qrels.items()} == {
        "clip": True,
        "gpt": True,
        "panel": False,
    }
    assert study.qrels["gpt"].raters == ("gpt",) and study.report.of_severity("error")[0].rule == "same-name"
    assert [study.image_ids[i] for i in study.queries] == ["q1"]
    assert [study.image_ids[i] for i in study.candidates] == ["d1"]


def test_runs_alone_are_not_a_study(tmp_path):
    with pytest.raises(InputError, match=r"judgments/NAME\.qrels"):
        open_study(write(tmp_path, {"runs/s.trec": "q1 Q0 d1 1 0.5 s\n"}))
