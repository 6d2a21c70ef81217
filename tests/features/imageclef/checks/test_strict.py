"""The submission check of 2026, and the mark of Excel's UTF-8 in 2025: the organisers' own verdicts.

Every file below was given to submission_check.py and evaluator.py of taubsity/clef-caption-evaluation-2026
(2025: evaluator.py of taubsity/clef-caption-evaluation); True where they went through.
"""

from __future__ import annotations

import pytest

from evalcore.features.imageclef.captions import read_caption_run, read_caption_truth
from evalcore.features.imageclef.concepts import read_concept_run, read_concept_truth
from evalcore.features.imageclef.editions import CAPTION_EDITIONS, CONCEPT_EDITIONS

A, B = "C0040405", "C0817096"
CONCEPT_TRUTH = f"ID,CUIs\ni1,{A};{B}\ni2,\ni3,{B}\n"
CAPTION_TRUTH = 'ID,Caption\ni1,"CT, chest"\ni2,\ni3,MRI\n'
REST = f"\ni2,{B}\ni3,{B}\n"
HEAD = "ID,CUIs\n"
GOOD = f"{HEAD}i1,{A};{B}{REST}"
FULL = "ID,Caption\ni1,x\ni2,y\ni3,z\n"

CONCEPTS = [
    (GOOD, True),
    (f"{HEAD}i1,{REST}", True),
    (f'"ID","CUIs"\ni1,"{A};{B}"{REST}', True),
    (f"ID,CUIs\r\ni1,{A}\r\ni2,\r\ni3,\r\n", True),
    (f"{HEAD}i1,{A}; {B}{REST}", True),
    (f"{HEAD}i1,C1{REST}", True),
    (f"{HEAD}i1,{A}\ni2,{B}\ni3,{B}", True),
    (f"i1,{A};{B}{REST}", False),
    (f"ID,cuis\ni1,{A};{B}{REST}", False),
    (f"id,CUIs\ni1,{A};{B}{REST}", False),
    (f"ID,CUIs,\ni1,{A};{B}{REST}", False),
    (f"ID, CUIs\ni1,{A};{B}{REST}", False),
    (f"ImageID,CUIs\ni1,{A};{B}{REST}", False),
    (f"\ufeff{GOOD}", False),
    (f"{HEAD}i1,{A.lower()};{B}{REST}", False),
    (f"{HEAD}i1,{A};lung{REST}", False),
    (f"{HEAD}i1,{A};0817096{REST}", False),
    (f"{HEAD}i1,{A}:{B}{REST}", False),
    (f"{HEAD}i1,{A} {B}{REST}", False),
    (f"{HEAD}i1, {A};{B}{REST}", False),
    (f"{HEAD}i1,{A};{B} {REST}", False),
    (f"{HEAD}i1, {REST}", False),
    (f"{HEAD}i1,{A};{B};{REST}", False),
    (f"{HEAD}i1,{A};{B};{A}{REST}", False),
    (f"{HEAD}i1{REST}", False),
    (f"{HEAD}i1,{A},{B}{REST}", False),
    (f"{HEAD}i1,{A};{B}\v{REST}", False),
    (f"{HEAD}i1,{A};{B}\f{REST}", False),
    (f"{HEAD}i1,{A};{B}\x85{REST}", False),
    (f"{HEAD}i1,{A};{B}\u2028{REST}", False),
    (f"{HEAD}i1,{A};{B}{REST}\v", False),
    (f"{HEAD}\ni1,{A};{B}{REST}", False),
    (f"{HEAD}i1,{A};{B}\nxID9,{A}{REST}", False),
    (f"{HEAD}i1 ,{A};{B}{REST}", False),
    (f"{HEAD}i2,{B}\ni1,{A};{B}\ni3,{B}\n", False),
    (f"{HEAD}i1,{A};{B}\ni1,{A};{B}{REST}", False),
    (f"{HEAD}i1,{A};{B}\ni1,{A}{REST}", False),
    (f"{HEAD}i1,{A};{B}\ni2,{B}\n", False),
    (f"{HEAD}i1,{';'.join(f'C{i}' for i in range(101))}{REST}", False),
]

CAPTIONS = [
    (FULL, True),
    (FULL.replace("x", ""), True),
    (FULL.replace("x", " x "), True),
    (FULL.replace("x", '"a, b"'), True),
    (FULL.replace("x", '"a ""b"", c"'), True),
    (FULL.replace("x", '"a\nb"'), True),
    (FULL.replace("x", "a\vb"), True),
    (FULL.replace("ID,Caption\n", ""), False),
    (FULL.replace("Caption", "caption"), False),
    (FULL.replace("ID,", "id,"), False),
    (f"\ufeff{FULL}", False),
    (FULL.replace("x", "a, b"), False),
    (FULL.replace("x", '"a, b" '), False),
    (FULL.replace("x", "x\v"), False),
    (FULL.replace("x", "x\f"), False),
    (FULL.replace("x", '"a\n\nb"'), False),
    (FULL.replace("x", '"a, b\nc"'), False),
    (FULL.replace("x", '"a\nb"').replace("y", '"c, d\ne"'), False),
    (FULL.replace("i1", "i1.jpg"), False),
    (FULL.replace("i3,z\n", ""), False),
    (FULL.replace("i1,x\ni2,y", "i2,y\ni1,x"), False),
    (FULL.replace("i1,x", "i1,x\ni1,x"), False),
    (FULL.replace("i1,x", "i1,x\ni1,y"), False),
]

MARKED = [
    (f"\ufeff{GOOD}", True),
    (f"\ufeffi1,{A};{B}{REST}", False),
    (f"\ufeffid,cuis\ni1,{A};{B}{REST}", False),
]


def concepts(text: str, *, edition: str = "2026", truth: str = CONCEPT_TRUTH):
    rules = CONCEPT_EDITIONS[edition]
    images = read_concept_truth(truth.encode(), file="truth", edition=rules).images
    return read_concept_run(text.encode(), name="run.csv", images=images, edition=rules)


def captions(text: str, *, edition: str = "2026"):
    truth = read_caption_truth(CAPTION_TRUTH.encode(), file="truth").content
    return read_caption_run(text.encode(), name="run.csv", truth=truth, edition=CAPTION_EDITIONS[edition])


@pytest.mark.parametrize(("text", "accepted"), CONCEPTS)
def test_concepts(text: str, accepted: bool) -> None:
    assert concepts(text).accepted is accepted


@pytest.mark.parametrize(("text", "accepted"), CAPTIONS)
def test_captions(text: str, accepted: bool) -> None:
    assert captions(text).accepted is accepted


@pytest.mark.parametrize(("text", "accepted"), MARKED)
def test_the_mark_of_excel_is_skipped_with_the_header_of_2025(text: str, accepted: bool) -> None:
    run = concepts(text, edition="2025")
    assert run.accepted is accepted
    mark = next(p for p in run.report.problems if p.rule == "byte-order-mark")
    assert (mark.severity, mark.line) == ("warning" if accepted else "error", 1)


def test_the_mark_of_excel_stops_the_captions_of_2025() -> None:
    assert not captions(f"\ufeff{FULL}", edition="2025").accepted


def test_utf16_is_refused_with_or_without_header() -> None:
    rules = CONCEPT_EDITIONS["2025"]
    data = GOOD.encode("utf-16")
    assert not read_concept_run(data, name="r", images=("i1", "i2", "i3"), edition=rules).accepted


def test_an_id_with_id_in_it_that_the_truth_has_is_asked_for_and_not_scored() -> None:
    # The check compares it with the truth; the script then skips it on both sides.
    truth = f"ID,CUIs\ni1,{A}\nxID2,{B}\ni3,{B}\n"
    full = concepts(f"ID,CUIs\ni1,{A}\nxID2,{A}\ni3,{B}\n", truth=truth)
    assert full.accepted
    assert dict(full.read) == {"i1": (A,), "i3": (B,)}
    assert not concepts(f"ID,CUIs\ni1,{A}\ni3,{B}\n", truth=truth).accepted
    assert concepts(f"ID,CUIs\ni1,{A}\ni3,{B}\n", truth=truth, edition="2025").accepted


@pytest.mark.parametrize("edition", CONCEPT_EDITIONS)
def test_cells_longer_than_the_csv_module_reads_are_refused(edition: str) -> None:
    # csv.field_size_limit() is 131072 unless a program raises it, which no script does.
    mark = CONCEPT_EDITIONS[edition].run.cell
    head = {"2023": "ID|CUIs\n", "2025": "ID,CUIs\n", "2026": "ID,CUIs\n"}.get(edition, "")
    longest, longer = (f"{head}i1{mark}{'C' + '1' * n}\n".encode() for n in (131_071, 131_072))
    rules = CONCEPT_EDITIONS[edition]
    assert read_concept_run(longest, name="DET", images=("i1",), edition=rules).accepted
    run = read_concept_run(longer, name="DET", images=("i1",), edition=rules)
    assert "long-cell" in {problem.rule for problem in run.report.of_severity("error")}
