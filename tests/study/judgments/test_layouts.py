"""Folders as BEIR, MTEB and ir_datasets write them open as studies."""

from __future__ import annotations

import json

import pytest

import evalcore as cs
from evalcore.study.judgments.corpus import parse_corpus
from evalcore.study.study import open_study

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


@pytest.mark.parametrize("layout", [BEIR, MTEB, IR_DATASETS], ids=["beir", "mteb", "ir_datasets"])
def test_a_layout_is_a_study(layout, tmp_path):
    for name, text in (layout | {"runs/s.trec": "q1 Q0 d2 1 2 s\nq1 Q0 d1 2 1 s\nq2 Q0 d2 1 2 s\n"}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    study = open_study(tmp_path)
    assert study.report.total("error") == 0
    ids = study.image_ids
    assert [ids[i] for i in study.queries] == ["q1", "q2"]
    assert [ids[i] for i in study.candidates] == ["d1", "d2", "d3"]
    assert study.caption_of(ids.index("q2")) == "abdomen" and study.caption_of(ids.index("d3")) == "Bone"
    (score,) = cs.score(study, ["RR(qrels:test)"])
    assert score.values.tolist() == [0.5, 1.0]


def test_what_is_wrong_with_a_corpus_is_named_by_line(tmp_path):
    text = lines(DOCS, "_id") + 'no json\n{"text": "no id"}\n{"_id": "d1", "text": "again"}\n'
    (tmp_path / "corpus.jsonl").write_text(text)
    (tmp_path / "test.qrels").write_text("q1 0 d1 1\n")
    problems = open_study(tmp_path).report.problems
    found = {(one.rule, one.line) for one in problems if one.file == "corpus.jsonl" and one.line}
    assert found == {("bad-json", 4), ("missing-id", 5), ("duplicate-id", 6)}


@pytest.mark.parametrize("text", [b"caf\xe9", b"\\ud800"])
def test_a_text_that_is_no_unicode_is_an_error(text):
    data = b'{"_id": "d1", "text": "Lung"}\n{"_id": "d2", "text": "%s"}\n' % text
    rows, report = parse_corpus(data, file="corpus.jsonl")
    assert list(rows.texts) == ["d1"] and [(p.rule, p.line) for p in report.problems] == [("undecodable", 2)]
