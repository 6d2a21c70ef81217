"""Runs of every form: which row of them counts, in which order, and what is wrong with the others."""

import json

import numpy as np
import pytest

from evalcore.study.parts.runs import bind_run, parse_run
from evalcore.study.tables.ids import KnownIds
from tests.study.reported import reported

IMAGES = ("a", "b", "c", "d")
TREC = "a Q0 b 1 0.9 s\na Q0 c 2 0.5 s\nb Q0 d 1 0.7 s\nb Q0 a 2 0.1 s\n"
ANSWERS = {"a": [("b", 0.9), ("c", 0.5)], "b": [("d", 0.7), ("a", 0.1)]}


def read(data: str | bytes, unknown="error"):
    rows, first = parse_run(data.encode() if isinstance(data, str) else data, file="run")
    images, queries = KnownIds(IMAGES, unknown), np.array([0, 1], np.int32)
    run, second = reported(bind_run, rows, images, system="s", queries=queries)
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


FAULTY = [
    ("a Q0 b 1 0.9", "wrong-columns"),
    ("a Q0 b 1 0.9 s x", "wrong-columns"),
    ("a Q0 d 3 high s", "bad-score"),
    *((f"a Q0 d 3 {word} s", "bad-score") for word in ("1_000", "0x1p3", "1,5", "１２", "1e", "--1", ".")),
    *((f"a Q0 d 3 {word} s", "nan-score") for word in ("nan", "-inf", "Infinity", "1e400", "-1e400")),
]


@pytest.mark.parametrize(("line", "rule"), FAULTY)
def test_a_faulty_row_is_named_and_the_others_stay(line, rule):
    top, rest = TREC.split("\n", 1)
    run, report = read(f"{top}\n\n{line}\n{rest}")
    assert answers(run) == ANSWERS
    assert [p for p in problems(report) if p[0] == "error"] == [("error", rule, 3, 1)]
    assert ("warning", "blank-line", 2, 1) in problems(report)


def test_of_duplicates_the_better_scored_one_stays():
    run, report = read("a Q0 b 1 0.2 s\n" + TREC)
    assert answers(run) == ANSWERS
    duplicate = report.of_severity("error")[0]
    assert (duplicate.rule, duplicate.line) == ("duplicate-candidate", 1)
    assert duplicate.message == "The result b of query a is listed already; the better scored one is kept."


def test_equal_scores_stand_by_id_whether_the_study_knows_it_or_not():
    """By id: Zz (capitals come first), a, b, bb, c, zz; of these a, b and c are images of the study."""
    rows = "".join(f"d Q0 {image} 1 0.5 s\n" for image in ("zz", "c", "bb", "a", "Zz", "b"))
    run, _ = read("d Q0 zzz 1 0.4 s\n" + rows, unknown="zero")
    assert [c for c, _ in answers(run)["d"]] == [None, "a", "b", None, "c", None, None]
    assert run.answer(3)[1].tolist() == [0.5] * 6 + [0.4]


def test_unsorted_rows_and_scattered_queries_are_counted():
    run, report = read("a Q0 c 2 0.5 s\na Q0 b 1 0.9 s\nb Q0 d 1 0.7 s\nb Q0 a 2 0.1 s\na Q0 d 3 0.2 s\n")
    assert answers(run)["a"] == [("b", 0.9), ("c", 0.5), ("d", 0.2)]
    assert problems(report) == [
        ("warning", "unsorted", 2, 1),
        ("warning", "scattered-query", None, 1),
        ("warning", "unequal-depth", None, 1),
    ]


def test_scores_that_are_distances_are_noticed():
    run, report = read("a Q0 b 1 0.1 s\na Q0 c 2 0.5 s\na Q0 d 3 0.9 s\nb Q0 c 1 0.2 s\nb Q0 d 2 0.3 s\n")
    assert answers(run)["a"][0] == ("d", 0.9), "scores decide, higher is better"
    result = next(p for p in report.problems if p.rule == "ranks-disagree")
    assert result.count == 3
    assert result.remedy == "They look like distances: change their sign, so that higher is better."


def test_unknown_ids_can_be_kept_at_relevance_zero_or_dropped():
    text = "a Q0 zz 1 0.95 s\n" + TREC + "yy Q0 a 1 .5 s\n"
    run, report = read(text, unknown="zero")
    assert answers(run)["a"] == [(None, 0.95), ("b", 0.9), ("c", 0.5)]
    assert ("warning", "unknown-id", 1, 2) in problems(report)
    run, report = read(text, unknown="drop")
    assert answers(run) == ANSWERS
    assert report.total("error") == 0


@pytest.mark.parametrize(("rows", "words"), [(1, "the image 'b.png'"), (2, "2 ids that no concept set")])
def test_ids_written_in_another_way_are_one_problem_where_they_are_several(rows, words):
    _, report = read("".join(f"a Q0 {image}.png 1 0.9 s\n" for image in "bc"[:rows]))
    first = report.problems[0]
    assert (first.rule, first.count) == ("unknown-id", rows) and words in first.message


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


@pytest.mark.parametrize("word", ["inf", "nan", "1e400", "-1e308", "1_0", "9" * 5_000])
@pytest.mark.parametrize("form", ["{} Q0 {} {} {} s", "{},{},{},{}"])
def test_a_rank_that_is_no_rank_counts_as_missing(word, form):
    rows = [("a", "b", "1", "0.9"), ("a", "c", word, "0.5"), ("b", "d", "1", "0.7"), ("b", "a", "2", "0.1")]
    if "," in form:
        rows = [(q, c, score, rank) for q, c, rank, score in rows]
    run, report = read("\n".join(form.format(*row) for row in rows) + "\n")
    assert answers(run) == ANSWERS
    assert [(p.severity, p.rule, p.line) for p in report.problems] == [
        ("warning", "bad-rank", 2),
        ("warning", "missing-rank", None),
    ]
    assert report.problems[0].message.endswith("is not a finite number; it counts as missing.")
