"""Kinds of concepts: which words mean what, tables, MRSTY, and which of them counts."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from evalcore.study import open_study
from evalcore.study.names import parse_kinds
from tests.study.made import write

if TYPE_CHECKING:
    from pathlib import Path

CT, CHEST, MASS, LEFT = "C0040405", "C0817096", "C0577559", "C0205091"


def test_mrsty() -> None:
    rows = (
        f"{CT}|T060|B1.3.1.2|Diagnostic Procedure|AT1|256|\n{MASS}|T023|A1|Body Part|AT2||\n"
        f"{MASS}|T033|A2.2|Finding|AT3||\n{LEFT}|T082|A2.1.5|Spatial Concept|AT4||\n{CHEST}|T999|x|x|AT5||\n"
    )
    result, report = parse_kinds(rows.encode(), file="MRSTY.RRF")
    assert result.kinds == {CT: "modality", MASS: "finding", LEFT: "plane"}
    assert [(p.rule, p.value, p.count) for p in report.problems] == [("unknown-type", "T999", 1)]
    assert parse_kinds(rows.encode(), file="M", wanted=[LEFT])[0].kinds == {LEFT: "plane"}


def test_the_users_own_table_counts_most(tmp_path: Path) -> None:
    a, b, c, d, e = (f"C000000{i}" for i in range(1, 6))
    folder = write(tmp_path, {"concepts.csv": f"ID,CUIs\n1,{a};{b};{c};{d};{e}\n"})
    assert open_study(folder).kinds is None
    rows = "".join(f"{x}|T047|A|Disease or Syndrome|A||\n" for x in (a, b, c, d, e)).encode()
    names = f"cui,name,kind\n{a},A,organ\n{b},B,organ\n"
    kinds = f"cui,kind\n{a},device\nC9999999,finding\n"
    write(folder, {"MRSTY.RRF.gz": gzip.compress(rows), "names.csv": names, "kinds.csv": kinds})
    study = open_study(folder)
    assert study.kinds is not None
    assert study.kinds.kind_by_cui == {a: "device"} | dict.fromkeys((b, c, d, e), "finding")
    assert study.kinds.source == "kinds.csv, MRSTY.RRF.gz"
    assert study.report.total("error") == 0
    problems = {(p.file, p.line, p.rule, p.value) for p in study.report.problems}
    assert ("kinds.csv", 3, "unknown-concept", "C9999999") in problems, "no image and no graph knows it"
    (folder / "kinds.csv").write_text(f"cui,kind\n{a},other\n")
    assert open_study(folder).digest != study.digest
