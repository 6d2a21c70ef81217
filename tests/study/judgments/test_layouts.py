"""Folders as BEIR, MTEB and ir_datasets write them open as studies."""

from __future__ import annotations

import json

import pytest

import evalcore as cs
from evalcore.study.parts.judgments import parse_judgments
from evalcore.study.study import open_study
from evalcore.values.errors import InputError
from tests.study.made import parquet, write

DOCS = {"d1": "Lung mass", "d2": "Liver", "d3": "Bone"}
QUERIES = {"q1": "chest", "q2": "abdomen", "q9": "asked by nobody"}


def lines(texts, key):
    return "".join(json.dumps({key: name, "text": text}) + "\n" for name, text in texts.items())


def tabbed(texts):
    return "".join(f"{name}\t{text}\n" for name, text in texts.items())


BEIR = {
    "corpus.jsonl": lines(DOCS, "_id"),
    "queries.jsonl": lines(QUERIES, "_id"),
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\nq2\td1\t0\n",
}
MTEB = BEIR | {
    "qrels/test.tsv": "",
    "qrels/test.jsonl": '{"query-id": "q1", "corpus-id": "d1", "score": 1}\n'
    '{"query-id": "q2", "corpus-id": "d2", "score": 2}\n{"query-id": "q2", "corpus-id": "d1", "score": 0}\n',
}
del MTEB["qrels/test.tsv"]
IR_DATASETS = {
    "docs.tsv": tabbed(DOCS),
    "queries.tsv": tabbed(QUERIES),
    "test.qrels": "q1 0 d1 1\nq2 0 d2 2\nq2 0 d1 0\n",
}
HUB = ("corpus/corpus-00000-of-00001", "queries/queries-00000-of-00001", "data/test-00000-of-00001")
"""Files of a benchmark on Hugging Face, without .parquet; some keep the judgments in qrels/."""


def on_hub(folder, places=HUB, *, score=(1, 2, 0)):
    texts = [{"_id": [*part], "text": [*part.values()]} for part in (DOCS, QUERIES)]
    texts[0]["title"] = [""] * 3
    judged = {"query-id": ["q1", "q2", "q2"], "corpus-id": ["d1", "d2", "d1"], "score": list(score)}
    for place, table in zip(places, (*texts, judged), strict=True):
        write(folder, {f"{place}.parquet": parquet(table)})


@pytest.mark.parametrize("judged", ["data/test-00000-of-00001", "qrels/test"])
def test_a_benchmark_in_parquet_is_a_study(tmp_path, judged):
    on_hub(tmp_path, (*HUB[:2], judged))
    check_study(tmp_path)


def check_study(folder):
    write(folder, {"runs/s.trec": "q1 Q0 d2 1 2 s\nq1 Q0 d1 2 1 s\nq2 Q0 d2 1 2 s\n"})
    study = open_study(folder)
    assert study.report.total("error") == 0
    ids = study.image_ids
    assert [ids[i] for i in study.queries] == ["q1", "q2"] and list(study.qrels) == ["test"]
    assert [ids[i] for i in study.candidates] == ["d1", "d2", "d3"]
    assert study.caption_of(ids.index("q2")) == "abdomen" and study.caption_of(ids.index("d3")) == "Bone"
    (score,) = cs.score(study, ["RR(qrels:test)"])
    assert score.values.tolist() == [0.5, 1.0]


def test_a_column_of_lists_is_refused_with_file_column_and_rule(tmp_path):
    on_hub(tmp_path, score=([1], [2], [0]))
    rows, report = parse_judgments((tmp_path / f"{HUB[2]}.parquet").read_bytes(), file="data/test.parquet")
    (problem,) = report.problems
    assert not rows.rows and (problem.file, problem.rule, problem.value) == (
        "data/test.parquet",
        "wrong-type",
        "score",
    )


@pytest.mark.parametrize("layout", [BEIR, MTEB, IR_DATASETS], ids=["beir", "mteb", "ir_datasets"])
def test_a_layout_is_a_study(layout, tmp_path):
    check_study(write(tmp_path, layout))


def test_what_is_wrong_with_a_corpus_is_named_by_line(tmp_path):
    text = lines(DOCS, "_id") + 'no json\n{"text": "no id"}\n{"_id": "d1", "text": "again"}\n'
    (tmp_path / "corpus.jsonl").write_text(text)
    (tmp_path / "test.qrels").write_text("q1 0 d1 1\n")
    problems = open_study(tmp_path).report.problems
    result = {(entry.rule, entry.line) for entry in problems if entry.file == "corpus.jsonl" and entry.line}
    assert result == {("bad-json", 4), ("missing-id", 5), ("duplicate-id", 6)}


# Judgments of the study's own.


def test_judges_are_told_from_readers_by_their_column_or_folder(tmp_path):
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


def test_rankings_alone_are_no_study(tmp_path):
    with pytest.raises(InputError, match=r"judgments/NAME\.qrels"):
        open_study(write(tmp_path, {"runs/s.trec": "q1 Q0 d1 1 0.5 s\n"}))
