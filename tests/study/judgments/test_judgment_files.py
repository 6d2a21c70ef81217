"""Files of judgments: what is read, what is wrong with them, and where dropped ones go."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from evalcore.study.parts.judgments import are_of_programs, bind_judgments, parse_judgments, raters_of
from evalcore.study.study import open_study
from evalcore.study.workspace.recognise import recognise
from evalcore.values.errors import InputError
from tests.study.reported import reported

TREC = "q1 0 d1 2\nq1\t0\td2\t0\nq2  0 \t d1 -1\n"


def rules(report):
    return {(severity, rule): n for (severity, _, rule), n in report.counts.items()}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_qrels_of_trec_with_blanks_and_tabs(pack):
    rows, report = parse_judgments(pack(TREC.encode()), file="judgments/t.qrels")
    assert (rows.texts("query"), rows.texts("result")) == (["q1", "q1", "q2"], ["d1", "d2", "d1"])
    assert rows.numbers("value").tolist() == [2, 0, -1] and raters_of(rows)[0] == () and not report.counts


@pytest.mark.parametrize(
    "header",
    ["reader,query,result,value", "annotator;query_id;doc_id;relevance", "Rater\tquery-id\tcorpus-id\tscore"],
)
def test_tables_by_their_header(header):
    sign = next(sign for sign in ",;\t" if sign in header)
    lines = [header, *(sign.join(row) for row in (("a", "q", "x", "1"), ("b", "q", "x", "0.5")))]
    rows, report = parse_judgments("\n".join(lines).encode() + b"\n", file="p.csv")
    assert raters_of(rows)[0] == ("a", "b") and not report.counts
    assert rows.numbers("value").tolist() == [1, 0.5]
    assert not are_of_programs(rows)


def test_every_faulty_row_is_named_and_the_others_are_read():
    text = TREC + "q1 0 d1 2\nq1 0 d3\nq3 0 d1 nan\nq3 0 d1 high\nq3 0 d2 1\nq3 0 d9 1e308\n"
    rows, report = parse_judgments(text.encode(), file="t.qrels")
    assert rows.rows == 4
    found = [(problem.rule, problem.line) for problem in report.problems]
    assert sorted(found) == [
        ("duplicate-judgment", 4),
        ("not-a-number", 6),
        ("not-a-number", 7),
        ("not-a-number", 9),
        ("wrong-columns", 5),
    ]
    assert "line 1 already" in next(p.message for p in report.problems if p.rule == "duplicate-judgment")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"a b c\n", b"\x00\x01\x02", b"ID,CUIs\na,C0000001\n"])
def test_what_holds_no_judgments_is_an_error(data):
    rows, report = parse_judgments(data, file="t.qrels")
    assert not rows.rows and report.total("error")


def test_images_that_the_study_does_not_have_are_counted():
    rows, _ = parse_judgments(TREC.encode() + b"q9 0 d1 1\nq1 0 d9 1\n", file="judgments/t.qrels")
    of, report = reported(bind_judgments, rows, image_ids=["d1", "d2", "q1", "q2"])
    assert rules(report) == {("warning", "judged-not-in-study"): 2}
    assert of.judged.has(np.array([2, 2, 3]), np.array([0, 1, 0])).tolist() == [True, True, False]
    assert of.n_queries == 1


def test_a_name_that_no_label_can_hold():
    rows, _ = parse_judgments(TREC.encode(), file="judgments/my judgments,2.qrels")
    assert rules(reported(bind_judgments, rows, image_ids=["q1", "d1"])[1]) == {("error", "bad-name"): 1}


def test_judges_are_told_from_readers_by_their_column_or_folder(tmp_path):
    files = {
        "judgments/panel.csv": "reader,query,result,value\nanna,q1,d1,1\n",
        "judgments/gpt.csv": "judge,query,result,value\ngpt,q1,d1,1\n",
        "judges/clip.qrels": "q1 0 d1 1\n",
        "judges/panel.qrels": "q1 0 d1 1\n",
        "runs/s.trec": "q1 Q0 d1 1 0.5 s\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    study = open_study(tmp_path)
    assert {name: of.by_program for name, of in study.qrels.items()} == {
        "clip": True,
        "gpt": True,
        "panel": False,
    }
    assert ("error", "same-name") in rules(study.report)
    assert [study.image_ids[i] for i in study.queries] == ["q1"]
    assert [study.image_ids[i] for i in study.candidates] == ["d1"]


def test_rankings_alone_are_no_study(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/s.trec").write_text("q1 Q0 d1 1 0.5 s\n")
    with pytest.raises(InputError, match=r"judgments/NAME\.qrels"):
        open_study(tmp_path)


def test_dropped_files_are_recognised_by_their_content():
    review = "task,reader,kind,query,result,value\nt,anna,graded,q,a,1\n"
    dropped = [
        ("a.txt", TREC.encode()),
        ("b.csv", b"query,result,value\nq,x,1\n"),
        ("c.tsv", b"judge\tquery\tresult\tvalue\nm\tq\tx\t1\n"),
        ("test.tsv", b"query-id\tcorpus-id\tscore\nq\tx\t1\n"),
        ("d.judgments.csv", review.encode()),
    ]
    kinds = {file.file: file.kind for file in recognise(dropped)}
    assert kinds == {
        "a.txt": "judgments",
        "b.csv": "judgments",
        "c.tsv": "judges",
        "test.tsv": "judgments",
        "d.judgments.csv": "",
    }


def test_a_row_that_is_left_out_names_no_image(tmp_path):
    (tmp_path / "judgments").mkdir()
    (tmp_path / "judgments/j.qrels").write_text("q1 0 d1 1\nq1 0 d3 0\nq9 0 d2 high\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/s.trec").write_text("q1 Q0 d1 1 0.5 s\n")
    assert open_study(tmp_path).image_ids == ("d1", "d3", "q1")
