"""Every rule of a submission: found with its line, and judged per edition."""

from __future__ import annotations

import pytest

from evalcore.features.imageclef.concepts import read_concept_run
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS

IMAGES = ("img1", "img2", "img3")
A, B, C = "C0040405", "C0817096", "C0041618"


def check(edition: str, text: str | bytes, *, name: str = "DET_run.csv", images=IMAGES):
    data = text if isinstance(text, bytes) else text.encode()
    return read_concept_run(data, name=name, images=images, edition=CONCEPT_EDITIONS[edition])


def rules(run) -> dict[str, int | None]:
    return {problem.rule: problem.line for problem in run.report.problems}


GOOD = {
    "2017": f"img1\t{A},{B}\nimg2\t{B}\nimg3\n",
    "2018": f"img1\t{A};{B}\nimg2\t{B}\nimg3\n",
    "2022": f"img1|{A};{B}\nimg2|{B}\nimg3|\n",
    "2023": f"ID|CUIs\nimg1|{A};{B}\nimg2|{B}\nimg3|\n",
    "2025": f"ID,CUIs\nimg1,{A};{B}\nimg2,{B}\nimg3,\n",
    "2026": f"ID,CUIs\nimg1,{A};{B}\nimg2,{B}\nimg3,{C}\n",
}


@pytest.mark.parametrize("edition", GOOD)
def test_a_good_file_has_no_problem(edition: str) -> None:
    run = check(edition, GOOD[edition])
    assert run.accepted
    assert run.report.problems == ()
    assert set(run.read) == set(IMAGES)


def test_the_header_may_be_missing_in_2025() -> None:
    assert check("2025", GOOD["2025"].split("\n", 1)[1]).accepted


@pytest.mark.parametrize(
    ("edition", "text", "rule", "line", "rejects"),
    [
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
        ("2025", f"img1,{A}\nimg2,{B}\nimg3,C004\u00a01618\n", "special-character", 3, False),
        ("2017", f"img1\t{A}\nimg2\t{B}\nimg3\t{C}, {A}\n", "spaces", 3, False),
        ("2025", f"img1,{A}\nimg2,{B}\nimg3,{C} {A}\n", "wrong-concept-separator", 3, False),
        ("2018", f"img1\nimg2\t{B}\nimg3\t{C}\n", "first-row-bare", 1, True),
        ("2022", f"ID|CUIs\nimg1|{A}\nimg2|{B}\nimg3|{C}\n", "header", 1, True),
        ("2023", f"img1|{A}\nimg2|{B}\nimg3|{C}\n", "missing-header", 1, True),
        ("2025", f"id,cuis\nimg1,{A}\nimg2,{B}\nimg3,{C}\n", "header", 1, True),
        ("2025", f"img1\t{A}\nimg2\t{B}\nimg3\t{C}\n", "wrong-separator", 1, True),
        ("2025", b"\xef\xbb\xbfimg1,C0040405\nimg2,\nimg3,\n", "byte-order-mark", 1, True),
        ("2025", b"img1,C0040405\nimg2,\xff\nimg3,\n", "encoding", 2, True),
        ("2025", b"", "empty-file", 1, True),
        ("2025", f'img1,"{A}\nimg2,{B}"\nimg3,{C}\n', "broken-quotes", 1, False),
        ("2025", f"img1,{A}\nimg2,{B}\nimg3.jpg,{C}\n", "unknown-id", 3, True),
        ("2025", f"img1,{A}\nimg2,{B}\nxID3,{C}\nimg3,{C}\n", "skipped-row", 3, False),
    ],
)
def test_rules(edition: str, text: str | bytes, rule: str, line: int | None, rejects: bool) -> None:
    run = check(edition, text)
    found = {p.rule: p for p in run.report.problems}
    assert found[rule].line == line
    assert (found[rule].severity == "error") is rejects
    if rejects:
        assert not run.accepted


@pytest.mark.parametrize(
    ("edition", "n", "rejects"),
    [("2017", 51, False), ("2018", 1287, True), ("2022", 101, True), ("2025", 101, True)],
)
def test_too_many_concepts(edition: str, n: int, rejects: bool) -> None:
    e = CONCEPT_EDITIONS[edition]
    cell = e.separator.join(f"C{i:07d}" for i in range(n))
    run = check(edition, f"img1{e.run.cell}{cell}\n", images=("img1",))
    assert ("too-many-concepts" in rules(run), run.accepted) == (True, not rejects)
    assert check(edition, f"img1{e.run.cell}{cell[:-9]}\n", images=("img1",)).accepted


def test_file_names_of_2017() -> None:
    assert "file-name" in rules(check("2017", GOOD["2017"], name="run.csv"))
    assert check("2017", GOOD["2017"], name="run.csv").accepted


def test_all_problems_at_once() -> None:
    run = check("2025", f"img1.jpg,{A}\n\nimg2,{B};{B}\nimg2,{C}\n")
    assert set(rules(run)) == {"unknown-id", "blank-line", "duplicate-concept", "repeated-id", "missing-id"}


@pytest.mark.real
def test_real_runs(real_dir) -> None:
    rows = (real_dir / "imageclef/pair_2024_train/ground_truth.csv").read_text().splitlines()
    truth = tuple(row.split(",")[0] for row in rows[1:])
    original = (real_dir / "imageclef/2024_dev_run_aueb_densenet_original.csv").read_bytes()
    counts = {key[2]: n for key, n in check("2025", original, images=truth).report.counts.items()}
    assert counts == {"unknown-id": 7973 - 5976}
    tab = (real_dir / "imageclef/2019_test_run_ionpetro.tsv").read_bytes()
    own = tuple(line.split("\t")[0] for line in tab.decode().splitlines())
    assert check("2018", tab, images=own).accepted
    modern = check("2025", tab, images=own)
    assert rules(modern)["wrong-separator"] == 1
    assert not modern.accepted


def test_lost_characters_break_nothing() -> None:
    run = check("2025", b"img1,C0040405;\xff\nimg2,\nimg3,\n")
    assert not run.accepted
    assert run.read["img1"] == (A, "\ufffd")


def test_a_file_of_other_images_is_told_once() -> None:
    run = check("2025", f"x1,{A}\nx2,{A}\n")
    assert [p.rule for p in run.report.problems] == ["unknown-id", "unknown-id", "missing-id"]
