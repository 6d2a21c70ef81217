"""Every rule of a submission: found with its line, and judged as the official script of its year does."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from evalcore.features.imageclef import submissions
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS, EDITIONS, edition_of
from evalcore.features.imageclef.rules import RULES
from evalcore.features.imageclef.scoring import read_concepts, read_values
from evalcore.features.imageclef.submissions import open_submission, read_truth
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
    rules = {rule.partition("/")[0] for rule in RULES}
    assert all(edition_of(task, e).refuses <= rules for task in ("concepts", "captions") for e in EDITIONS)


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


# The edition, a file, a rule that it breaks, the line, and whether the script stops there.

RULES_OF_CONCEPTS = [
    ("2025", f"img1,{A}\n\nimg2,{B}\nimg3,{C}\n", "blank-line", 2, True),
    ("2025", f"img1,{A}\nimg2,{B},{C}\nimg3,{C}\n", "row-length", 2, True),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,{C}\nimg9,{C}\n", "unknown-id", 4, True),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,{C}\nimg1,{A}\n", "repeated-id", 4, True),
    ("2017", f"img1\t{A}\nimg2\t{B}\nimg3\t{C}\nimg1\t{A}\n", "repeated-id", 4, False),
    ("2025", f"img1,{A}\nimg2,{B}\n", "missing-id", None, True),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,{C};{C}\n", "duplicate-concept", 3, True),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,{C};{C.lower()}\n", "case-repetition", 3, False),
    ("2017", f"img1\t{A}\nimg2\t{B}\nimg3\t{C},{C}\n", "duplicate-concept", 3, False),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,{C};\n", "empty-concept", 3, False),
    ("2026", f"img1,{A}\nimg2,{B}\nimg3,{C};\n", "empty-concept", 3, True),
    ("2026", f"img1,{A}\nimg2,{B}\nimg3\n", "no-concepts", 3, True),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3\n", "no-concepts", 3, False),
    ("2026", f"img2,{A}\nimg1,{B}\nimg3,{C}\n", "wrong-order", 1, True),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,lung\n", "not-a-cui", 3, False),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,C004\u00a01618\n", "not-a-cui", 3, False),
    ("2017", f"img1\t{A}\nimg2\t{B}\nimg3\t{C}, {A}\n", "spaces", 3, False),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3,{C} {A}\n", "wrong-concept-separator", 3, False),
    ("2018", f"img1\nimg2\t{B}\nimg3\t{C}\n", "first-row-bare", 1, True),
    ("2022", f"ID|CUIs\nimg1|{A}\nimg2|{B}\nimg3|{C}\n", "header", 1, True),
    ("2023", f"img1|{A}\nimg2|{B}\nimg3|{C}\n", "missing-header", 1, True),
    ("2025", f"id,cuis\nimg1,{A}\nimg2,{B}\nimg3,{C}\n", "header", 1, True),
    ("2025", f"img1\t{A}\nimg2\t{B}\nimg3\t{C}\n", "wrong-separator", 1, True),
    ("2025", f"img1\t{A}", "wrong-separator", 1, True),
    ("2025", b"\xef\xbb\xbfimg1,C0040405\nimg2,\nimg3,\n", "byte-order-mark", 1, True),
    ("2025", b"img1,C0040405\nimg2,\xff\nimg3,\n", "encoding", 2, True),
    ("2025", b"", "empty-file", 1, True),
    ("2025", f'img1,"{A}\nimg2,{B}"\nimg3,{C}\n', "broken-quotes", 1, False),
    ("2025", f"img1,{A}\nimg2,{B}\nimg3.jpg,{C}\n", "unknown-id", 3, True),
    ("2025", f"img1,{A}\nimg2,{B}\nxID3,{C}\nimg3,{C}\n", "skipped-row", 3, False),
    ("2025", b"img1,C0040405;\xff\nimg2,\nimg3,\n", "encoding", 1, True),
]
RULES_OF_CAPTIONS = [
    ("2025", "ID,Caption\na,x\n\nb,y\nc,z\n", "blank-line", 3, True),
    ("2025", "a,x\nb,y\nc,z\n", "missing-header", 1, True),
    ("2018", "ID\tCaption\na\tx\nb\ty\nc\tz\n", "header", 1, True),
    ("2025", "image_id,Caption\na,x\nb,y\nc,z\n", "header", 1, True),
    ("2025", "ID,Caption\na,x, y\nb,y\nc,z\n", "cut-caption", 2, False),
    ("2017", "a\tx\ty\nb\ty\nc\tz\n", "cut-caption", 1, True),
    ("2025", "ID,Caption\na\nb,y\nc,z\n", "row-length", 2, True),
    ("2025", "ID,Caption\na,x\nb,y\nc,z\nd,z\n", "unknown-id", 5, True),
    ("2025", "ID,Caption\na,x\nb,y\nc,z\na,z\n", "repeated-id", 5, True),
    ("2017", "a\tx\nb\ty\nc\tz\na\tz\n", "repeated-id", 4, False),
    ("2025", "ID,Caption\na,x\nb,y\n", "missing-id", None, True),
    ("2026", "ID,Caption\nb,x\na,y\nc,z\n", "wrong-order", 2, True),
    ("2026", "ID,Caption\na,\nb,y\nc,z\n", "empty-caption", 2, False),
    ("2026", "ID,Caption\na,x, y\nb,y\nc,z\n", "cut-caption", 2, True),
    ("2025", "ID,Caption\na,\nb,y\nc,z\n", "empty-caption", 2, False),
    ("2025", "ID|Caption\na|x\nb|y\nc|z\n", "wrong-separator", 1, True),
    ("2025", "ID,Caption\na,x\x07\nb,y\u00a0y\nc,z\n", "special-character", 2, False),
    ("2017", "a\tx\nb\té\nc\tz\n", "special-character", 2, False),
]


@pytest.mark.parametrize(
    ("check", "case"),
    [*((concepts, case) for case in RULES_OF_CONCEPTS), *((captions, case) for case in RULES_OF_CAPTIONS)],
)
def test_rules(check, case):
    edition, text, rule, line, rejects = case
    _, report = check(edition, text)
    (problem,) = (problem for problem in report.problems if problem.rule == rule)
    assert (problem.line, problem.severity == "error") == (line, rejects)


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


# The submission check of 2026, and the mark of Excel's UTF-8 in 2025: the organisers' own verdicts. Every
# file below was given to submission_check.py and evaluator.py of taubsity/clef-caption-evaluation-2026 (2025:
# evaluator.py of taubsity/clef-caption-evaluation); True where they went through.

REST, HEAD = f"\ni2,{B}\ni3,{B}\n", "ID,CUIs\n"
GOOD, FULL = f"{HEAD}i1,{A};{B}{REST}", "ID,Caption\ni1,x\ni2,y\ni3,z\n"
STRICT_TRUTH = f"{HEAD}i1,{A};{B}\ni2,\ni3,{B}\n"
OWN = {  # cells of i1 in a good file
    "accepted": ("", f"{A}; {B}", "C1"),
    "not a concept": (f"{A.lower()};{B}", f"{A};lung", f"{A};0817096", " "),
    "separators": (f"{A}:{B}", f"{A} {B}", f"{A},{B}", f"{A};{B};", f"{A};{B};{A}"),
    "white space": (f" {A};{B}", f"{A};{B} ", f"{A};{B}\v", f"{A};{B}\f", f"{A};{B}\x85", f"{A};{B}\u2028"),
    "too many": (";".join(f"C{i}" for i in range(101)),),
}
HEADS = ("ID,cuis", "id,CUIs", "ID,CUIs,", "ID, CUIs", "ImageID,CUIs")
WHOLE = {
    "accepted": (GOOD, f'"ID","CUIs"\ni1,"{A};{B}"{REST}', f"ID,CUIs\r\ni1,{A}\r\ni2,\r\ni3,\r\n"),
    "without a last line break": (f"{HEAD}i1,{A}\ni2,{B}\ni3,{B}",),
    "headers": [f"{head}\ni1,{A};{B}{REST}" for head in HEADS],
    "beginnings": (GOOD.removeprefix(HEAD), f"\ufeff{GOOD}", GOOD.replace(HEAD, f"{HEAD}\n"), f"{GOOD}\v"),
    "ids": (f"{HEAD}i1{REST}", f"{HEAD}i1 ,{A};{B}{REST}", f"{HEAD}i1,{A};{B}\nxID9,{A}{REST}"),
    "order": (f"{HEAD}i2,{B}\ni1,{A};{B}\ni3,{B}\n", f"{HEAD}i1,{A};{B}\ni2,{B}\n"),
    "twice": (f"{HEAD}i1,{A};{B}\ni1,{A};{B}{REST}", f"{HEAD}i1,{A};{B}\ni1,{A}{REST}"),
}
CAPTION = {  # of i1 in a good file
    "accepted": ("x", "", " x ", '"a, b"', '"a ""b"", c"', '"a\nb"', "a\vb"),
    "commas": ("a, b", '"a, b" ', '"a, b\nc"'),
    "white space": ("x\v", "x\f", '"a\n\nb"'),
}
WHOLE_CAPTIONS = {
    "headers": (
        FULL.removeprefix("ID,Caption\n"),
        FULL.replace("C", "c"),
        FULL.replace("ID", "id"),
        f"\ufeff{FULL}",
    ),
    "ids": (
        FULL.replace("i1", "i1.jpg"),
        FULL.replace("i3,z\n", ""),
        FULL.replace("i1,x\ni2,y", "i2,y\ni1,x"),
    ),
    "twice": (FULL.replace("i1,x", "i1,x\ni1,x"), FULL.replace("i1,x", "i1,x\ni1,y")),
    "two lines": (FULL.replace("x", '"a\nb"').replace("y", '"c, d\ne"'),),
}
FILES_OF_2026 = [
    *((concepts, kind, f"{HEAD}i1,{cell}{REST}") for kind, cells in OWN.items() for cell in cells),
    *((concepts, kind, text) for kind, texts in WHOLE.items() for text in texts),
    *((captions, kind, FULL.replace("x", cell)) for kind, cells in CAPTION.items() for cell in cells),
    *((captions, kind, text) for kind, texts in WHOLE_CAPTIONS.items() for text in texts),
]


def test_the_check_of_2026():
    truths = {concepts: STRICT_TRUTH, captions: {"i1": "CT, chest", "i2": "", "i3": "MRI"}}
    assert len(FILES_OF_2026) == 62
    for check, kind, text in FILES_OF_2026:
        _, report = check("2026", text, truth=truths[check])
        assert accepted(report) is (kind in ("accepted", "without a last line break")), text


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
    "concepts": lambda data: read_concepts(data, "t"),
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
