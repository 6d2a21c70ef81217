"""Every rule of a submission: found with its line, and judged as the official script of its year does."""

from __future__ import annotations

import csv
import gzip
import tracemalloc
from pathlib import Path

import pytest

from evalcore.features.imageclef import rules, submissions
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS, EDITIONS, edition_of
from evalcore.features.imageclef.scoring import read_concepts, read_values
from evalcore.features.imageclef.submissions import open_submission, read_truth
from evalcore.study.tables.problems import Rule
from evalcore.values.errors import InputError, Report
from tests.features.imageclef.scored import checked, table
from tests.study.made import zipped

A, B, C = "C0040405", "C0817096", "C0041618"
CAPTIONS = {"a": "Chest X-ray", "b": "CT", "c": "Any of the above"}


def accepted(report: Report) -> bool:
    return report.total("error") == 0


def concepts(edition: str, run: str | bytes, *, name: str = "", truth: str = "") -> tuple[dict, Report]:
    images = dict.fromkeys(("img1", "img2", "img3"), A)
    return checked(
        "concepts", edition, truth or table(images, CONCEPT_EDITIONS[edition].cell), run, name=name
    )


def captions(edition: str, run: str | bytes, *, truth: dict[str, str] = CAPTIONS) -> tuple[dict, Report]:
    return checked("captions", edition, table(truth, "\t"), run)


@pytest.mark.parametrize(
    ("year", "nearest"), [("1999", "2017"), ("2019", "2018"), ("2021", "2022"), ("2024", "2025")]
)
def test_a_year_without_rules_is_answered_with_the_nearest(year, nearest):
    with pytest.raises(InputError, match=f"no rules for the edition '{year}'.* The nearest is {nearest}"):
        edition_of("concepts", year)


def test_every_rule_that_an_edition_refuses_is_one():
    known = {rule.rule for rule in vars(rules).values() if isinstance(rule, Rule)}
    assert all(edition_of(task, e).refuses <= known for task in ("concepts", "captions") for e in EDITIONS)


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_good_file_has_no_problem(edition):
    rules = edition_of("concepts", edition)
    rows = {"img1": rules.separator.join((A, B)), "img2": B, "img3": C}
    head = "" if rules.header == "none" else f"ID{rules.cell}CUIs\n"
    content, report = concepts(edition, table(rows, rules.cell, head))
    assert report.problems == () and content == {"img1": (A, B), "img2": (B,), "img3": (C,)}
    head = "" if rules.header == "none" else f"ID{rules.cell}Caption\n"
    content, report = captions(edition, table(CAPTIONS, rules.cell, head))
    assert report.problems == () and content == CAPTIONS


# What the official script of an edition makes of a file, and the rule that is broken on which line. Those
# without a rule are the organisers' own verdicts: each was given to submission_check.py and evaluator.py of
# taubsity/clef-caption-evaluation-2026.

with Path(__file__).with_name("verdicts.csv").open(encoding="utf-8", newline="") as rows:
    VERDICTS = list(csv.DictReader(rows))
STRICT_TRUTH = f"ID,CUIs\ni1,{A};{B}\ni2,\ni3,{B}\n"
STRICT = {"concepts": STRICT_TRUTH, "captions": {"i1": "CT, chest", "i2": "", "i3": "MRI"}}


@pytest.mark.parametrize("row", VERDICTS, ids=lambda row: f"{row['task']} {row['edition']} {row['rule']}")
def test_verdicts(row):
    """Signs are written as Python escapes them, and bytes that are no UTF-8 as \\udcff."""
    check = {"concepts": concepts, "captions": captions}[row["task"]]
    data = row["file"].encode().decode("unicode_escape").encode("utf-8", "surrogateescape")
    truth = {} if row["rule"] else {"truth": STRICT[row["task"]]}
    _, report = check(row["edition"], data, **truth)
    if row["rule"]:
        (problem,) = (problem for problem in report.problems if problem.rule == row["rule"])
        refused = "yes" if problem.severity == "error" else ""
        assert (str(problem.line or ""), refused) == (row["line"], row["refused"])
    else:
        assert accepted(report) is (row["refused"] == ""), report.problems


def test_a_name_that_the_edition_does_not_ask_for():
    _, report = concepts("2017", f"img1\t{A}\nimg2\t\nimg3\n", name="run.csv")
    assert accepted(report) and "file-name" in {problem.rule for problem in report.problems}


def test_a_caption_that_is_empty_on_both_sides_breaks_the_script_of_2023():
    _, report = captions("2023", "ID|Caption\na|\nb|y\nc|z\n", truth={**CAPTIONS, "a": ""})
    assert "both-empty" in {problem.rule for problem in report.of_severity("error")}


@pytest.mark.parametrize(
    ("edition", "n", "rejects"),
    [("2017", 51, False), ("2018", 1287, True), ("2022", 101, True), ("2025", 101, True)],
)
def test_too_many_concepts(edition, n, rejects):
    rules = CONCEPT_EDITIONS[edition]
    items = [f"C{i:07d}" for i in range(n)]
    truth = f"img1{rules.cell}{A}\n"
    run = f"img1{rules.cell}{rules.separator.join(items)}\n"
    _, report = concepts(edition, run, truth=truth)
    assert [problem.rule for problem in report.problems] == ["too-many-concepts"]
    assert accepted(report) is not rejects
    _, report = concepts(edition, run.replace(rules.separator + items[-1], ""), truth=truth)
    assert report.problems == ()


@pytest.mark.real
def test_real_runs(real_dir):
    folder = real_dir / "imageclef"
    truth = (folder / "pair_2024_train/ground_truth.csv").read_text()
    original = (folder / "2024_dev_run_aueb_densenet_original.csv").read_bytes()
    _, report = concepts("2025", original, truth=truth)
    assert {key[2]: n for key, n in report.counts.items()} == {"unknown-id": 7973 - 5976}
    tab = (folder / "2019_test_run_ionpetro.tsv").read_text()
    assert accepted(concepts("2018", tab, truth=tab)[1])
    _, report = concepts("2025", tab, truth=tab)
    assert [p.line for p in report.of_severity("error") if p.rule == "wrong-separator"] == [1]


# The mark of Excel's UTF-8 in 2025, as evaluator.py of taubsity/clef-caption-evaluation takes it.

REST, HEAD = f"\ni2,{B}\ni3,{B}\n", "ID,CUIs\n"
GOOD = f"{HEAD}i1,{A};{B}{REST}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"\ufeff{GOOD}", True),
        (f"\ufeffi1,{A};{B}{REST}", False),
        (f"\ufeffid,cuis\ni1,{A};{B}{REST}", False),
        (GOOD.encode("utf-16"), False),
    ],
)
def test_a_byte_order_mark_is_skipped_with_the_header_of_2025(text, expected):
    _, report = concepts("2025", text, truth=STRICT_TRUTH)
    mark = next(problem for problem in report.problems if problem.rule == "byte-order-mark")
    assert accepted(report) is expected
    assert (mark.severity, mark.line) == ("warning" if expected else "error", 1)
    assert not accepted(captions("2025", f"\ufeff{table(CAPTIONS, ',', 'ID,Caption')}")[1])


def test_an_id_with_id_in_it_that_the_truth_has_is_wanted_and_not_scored():
    # The check compares it with the truth; the script then skips it on both sides.
    truth, short = f"{HEAD}i1,{A}\nxID2,{B}\ni3,{B}\n", f"{HEAD}i1,{A}\ni3,{B}\n"
    content, report = concepts("2026", f"{HEAD}i1,{A}\nxID2,{A}\ni3,{B}\n", truth=truth)
    assert accepted(report) and content == {"i1": (A,), "i3": (B,)}
    assert not accepted(concepts("2026", short, truth=truth)[1])
    assert accepted(concepts("2025", short, truth=truth)[1])


@pytest.mark.parametrize("edition", ["2017", "2025"])
def test_cells_longer_than_the_csv_module_reads_are_refused(edition):
    # csv.field_size_limit() is 131072 unless a program raises it, which no script does.
    rules = CONCEPT_EDITIONS[edition]
    head = "" if rules.header == "none" else f"ID{rules.cell}CUIs\n"
    longest, longer = (f"{head}i1{rules.cell}{'C' + '1' * n}\n" for n in (131_071, 131_072))
    truth = f"i1{rules.cell}{A}\n"
    assert accepted(concepts(edition, longest, truth=truth)[1])
    _, report = concepts(edition, longer, truth=truth)
    assert "long-cell" in {problem.rule for problem in report.of_severity("error")}


@pytest.mark.parametrize(
    ("data", "content", "rule"),
    [
        (b"a,C0000001\n", b"a,C0000001\n", ""),
        (zipped(submission_csv="a,\n"), b"a,\n", ""),
        (zipped(**{"my run.csv": "a,\n"}), b"a,\n", "zip-name"),
        (zipped(), b"", "zip"),
        (zipped(a_csv="", b_csv=""), b"", "zip"),
        (zipped(**{"../submission.csv": "a"}), b"", "unsafe-path"),
        (zipped(submission_csv="0" * (17 << 20)), b"", "zip-bomb"),
        (b"PK\x03\x04 broken", b"", "unreadable-container"),
    ],
)
def test_zips(data, content, rule):
    inside, report = open_submission(data, name="run.zip")
    assert (inside, [p.rule for p in report.problems]) == (content, [rule] if rule else [])
    assert accepted(report) is bool(content)


# Files that would fill memory.

BOMB = gzip.compress(b"\n" * (64 << 20))
"""64 MB in 65 kB: a thousand times, where text reaches fifty."""
READERS = {
    "truth": lambda data: read_truth(data, file="t", edition=edition_of("concepts", "2025")).report,
    "captions": lambda data: read_truth(data, file="t", edition=edition_of("captions", "2025")).report,
    "concept run": lambda data: concepts("2025", data)[1],
    "caption run": lambda data: captions("2025", data)[1],
    "scores": lambda data: read_values(data, "t", ("i1",)),
    "concepts": lambda data: read_concepts(data, "t", ("i1",)),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_small_file_does_not_fill_memory(reader):
    assert len(BOMB) < 70_000
    tracemalloc.start()
    try:
        try:
            report = READERS[reader](BOMB)
        except InputError as error:
            report = error.report
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    messages = [problem.message for problem in report.problems]
    assert any("It unpacks to more than 200 times its 65 kB" in message for message in messages)
    assert peak < 40 << 20  # 16 MB may always be unpacked


def test_a_zip_that_claims_to_be_too_large_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(submissions, "MAX_SUBMISSION", 1000)
    for packed in (zipped(submission_csv=b"x" * 1001), zipped(a=b"x" * 600, b=b"x" * 600)):
        data, report = open_submission(packed, name="run.zip")
        assert (data, [p.rule for p in report.problems]) == (b"", ["too-large"])


def test_a_file_of_too_many_lines_is_refused_unread():
    data = b"\n" * 1_000_001 + b"x"
    _, report = concepts("2025", data)
    assert [p.rule for p in report.of_severity("error")] == ["too-many-lines", "missing-id"]
    with pytest.raises(InputError, match="cannot be used") as caught:
        read_truth(data, file="truth", edition=edition_of("concepts", "2025"))
    assert "1,000,001 lines" in caught.value.report.problems[0].message
