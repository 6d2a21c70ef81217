"""Runs of every form: which row of them counts, in which order, and what is wrong with the others."""

import json

import numpy as np
import pytest

from evalcore.study.parts.runs import bind_run, parse_run
from tests.study.reported import reported

IMAGES = ("a", "b", "c", "d")
TREC = "a Q0 b 1 0.9 s\na Q0 c 2 0.5 s\nb Q0 d 1 0.7 s\nb Q0 a 2 0.1 s\n"
ANSWERS = {"a": [("b", 0.9), ("c", 0.5)], "b": [("d", 0.7), ("a", 0.1)]}


def read(data: str | bytes, **options):
    rows, first = parse_run(data.encode() if isinstance(data, str) else data, file="run")
    run, second = reported(
        bind_run, rows, system="s", image_ids=IMAGES, queries=np.array([0, 1], np.int32), **options
    )
    return run, first + second


def answers(run):
    return {
        IMAGES[q]: [(IMAGES[c] if c >= 0 else None, score) for c, score in zip(*run.answer(q), strict=True)]
        for q in run.queries.tolist()
    }


def problems(report):
    return [(p.severity, p.rule, p.line, p.count) for p in report.problems]


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("trec", TREC),
        ("trec", TREC.replace(" ", "\t")),
        ("trec", TREC.replace(" ", " \t ")),
        ("trec", "  " + TREC.replace("\n", " \n")),
        ("csv", "a,b,0.9\na,c,0.5\nb,d,0.7\nb,a,0.1\n"),
        ("csv", "a,b,0.9,1\na,c,0.5,2\nb,d,0.7,1\nb,a,0.1,2\n"),
        ("csv", "a;b;0.9\na;c;0.5\nb;d;0.7\nb;a;0.1\n"),
        ("csv", "rank,score,doc,qid,extra\n1,.9,b,a,x\n2,.5,c,a,x\n1,.7,d,b,x\n2,.1,a,b,x\n"),
        ("json", json.dumps({q: dict(c) for q, c in ANSWERS.items()})),
    ],
)
def test_every_form_gives_the_same_run(form, data):
    run, report = read(data)
    assert answers(run) == ANSWERS
    assert report.problems == ()
    rows, _ = parse_run(data if isinstance(data, bytes) else data.encode(), file="run")
    assert (rows.format, rows.rows) == (form, 4)
    assert run.digest == read(TREC)[0].digest


def test_equal_scores_stand_by_id_whether_the_study_knows_it_or_not():
    """By id: Zz (capitals come first), a, b, bb, c, zz; of these a, b and c are images of the study."""
    rows = "".join(f"d Q0 {image} 1 0.5 s\n" for image in ("zz", "c", "bb", "a", "Zz", "b"))
    run, _ = read("d Q0 zzz 1 0.4 s\n" + rows, unknown="zero")
    assert [c for c, _ in answers(run)["d"]] == [None, "a", "b", None, "c", None, None]
    assert run.answer(3)[1].tolist() == [0.5] * 6 + [0.4]


def test_scores_decide_whatever_the_order_of_the_rows():
    text = "a Q0 c 2 0.5 s\na Q0 b 1 0.9 s\nb Q0 d 1 0.7 s\nb Q0 a 2 0.1 s\na Q0 d 3 0.2 s\n"
    assert answers(read(text)[0])["a"] == [("b", 0.9), ("c", 0.5), ("d", 0.2)]


def test_unknown_ids_can_be_kept_at_relevance_zero_or_dropped():
    text = "a Q0 zz 1 0.95 s\n" + TREC + "yy Q0 a 1 .5 s\n"
    run, report = read(text, unknown="zero")
    assert answers(run)["a"] == [(None, 0.95), ("b", 0.9), ("c", 0.5)]
    assert ("warning", "unknown-id", 1, 2) in problems(report)
    run, report = read(text, unknown="drop")
    assert answers(run) == ANSWERS
    assert report.total("error") == 0


def trec_eval_reads(text: str):
    """The same run by pytrec_eval's own reader, best first."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    result = pytrec_eval.parse_run(text.splitlines())
    return {query: sorted(answer.items(), key=lambda entry: -entry[1]) for query, answer in result.items()}


@pytest.mark.parametrize(
    "text",
    [
        TREC.replace(" ", "\t").replace("a\tQ0\tc", "a\tQ0\t\tc"),
        TREC.replace(" ", "\t").replace("a\tQ0\tc", "a\t\t\tQ0\t\tc"),
        TREC.replace(" ", "\t").replace("a\tQ0\tc", "a Q0\tc"),
        TREC.replace(" ", "\t").replace("a\tQ0\tc", "\ta\tQ0\tc"),
        TREC.replace(" ", "\t").replace("0.5\ts", "0.5\ts\t"),
        TREC.replace(" ", "\t").replace("0.5\ts", "0.5\t\ts"),
        TREC.replace(" ", "\t\t"),
        TREC.replace(" ", "\t") * 30 + "a\tQ0\t\td\t3\t0.25\ts\n",
    ],
)
def test_a_doubled_tab_is_one_as_in_trec_eval(text):
    lines = list(dict.fromkeys(text.splitlines()))
    run, report = read(text)
    assert answers(run) == trec_eval_reads("\n".join(lines))
    assert {p.rule for p in report.problems} <= {
        "duplicate-candidate",
        "scattered-query",
        "unsorted",
        "unequal-depth",
    }
