"""Files of a study with something wrong: each problem by its rule, line and value.

Faults that any table may have are tried with every table in ``tables/test_schemas.py``.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from evalcore.values.model import Study
from tests.study.hurt import IMAGES, TREC, VECTORS, A, B, C, saved, study_with
from tests.study.made import parquet, zipped

FOREIGN = "C9999998"
RUN, VECTOR_FILE, TEXTS = "systems/one/run.trec", "systems/two/embeddings.npz", "concept_vectors/v.txt"
INSTEAD = {"data/s.parquet": ("concepts.csv",), "queries.csv": ("queries.txt",)}
"""Files of the study that are not there beside these."""
Rows = Sequence[tuple[str | bytes, list[str]]]


def npz(ids: object = IMAGES, vectors: object = VECTORS, **more: object) -> bytes:
    return saved(np.savez, ids=np.array(ids), vectors=np.array(vectors), **more)


def with_row(row: str) -> str:
    """The run with a blank line and this one behind its first."""
    return TREC.replace("\n", f"\n\n{row}\n", 1)


def with_rank(word: str) -> str:
    return TREC.replace("c 2", f"c {word}")


NO_CUIS = ("C00404050", "C004040", "CO040405", "C004040٥", f"{A} {B}", "0040405")
NO_NUMBERS = ("high", "1_000", "0x1p3", "1,5", "１２", "1e", "--1", ".")
NOT_FINITE = ("nan", "-inf", "Infinity", "1e400", "-1e400")
NO_RANKS = ("inf", "nan", "1e400", "-1e308", "1_0")
NO_VECTOR = f"warning no-vector - {B}"
DAMAGED: Mapping[str, Rows] = {
    "concepts.csv": [
        (
            f"ID,CUIs\na,{A};C12;D0040405\nb,X1\n",
            ["error malformed-cui 2 C12", "error malformed-cui 2 D0040405", "error malformed-cui 3 X1"],
        ),
        *((f"ID,CUIs\na,{A};{word}\n", [f"error malformed-cui 2 {word}"]) for word in NO_CUIS),
    ],
    "data/s.parquet": [
        (
            parquet({"image_id": ["a", "a", "", "b"], "cui": [[A], [B], [A], ["X1", A]]}),
            ["error duplicate-id 2 a", f"error missing-id 3 ,{A}", "error malformed-cui 4 X1"],
        )
    ],
    "labels.csv": [
        ("ID,organ,organ\na,chest,head\n", ["error duplicate-column 1 organ"]),
        ("ID,organ,\na,chest,head\n", ["error unnamed-column 1 "]),
        ("chest_1,organ\na,chest\n", ["warning no-header 1 "]),
        ("ID,organ\na,chest\nzz,head\n", ["warning unknown-id - zz"]),
    ],
    "kinds.csv": [
        (
            f"cui,kind,note\n{A},modality,x\n{B},anatomi,x\n{B},organ,x\n{A},modality,x\n{A},finding,x\n"
            f",finding,x\n{C},,x\nc1306645,view,x\n{C},finding\n",
            [
                "error unknown-kind 3 anatomi",
                f"warning repeated-row 5 {A}",
                f"error two-kinds 6 {A}",
                "error empty-cell 7 ,finding",
                f"error wrong-columns 10 {C}",
            ],
        ),
        (f"cui,kind\n{A},finding\n{FOREIGN},anatomy\n", [f"warning unknown-concept 3 {FOREIGN}"]),
    ],
    "names.csv": [(f"cui,name\n{FOREIGN},Heart\n{A},Tomography\n", [])],
    "queries.csv": [
        (
            "id,kind,text,concepts\nt1,sound,x,\nt2,text,,\nt3,text,Lung,C0040405;lung\nt3,text,Again,\n"
            f"a,report,An image,\nt4,text,Unknown,{FOREIGN}\n",
            [
                "error unknown-kind 2 sound",
                "error no-text 3 t2",
                "error malformed-cui 4 lung",
                "error duplicate-id 5 t3",
                "error id-of-an-image 6 a",
                f"warning unknown-concept 7 {FOREIGN}",
            ],
        )
    ],
    "pairs.csv": [
        ("query,candidate\na,b\na,b\nc,nobody\n", ["warning repeated-pair - ", "error unknown-id 4 nobody"])
    ],
    "judgments/t.qrels": [
        (
            "a 0 b 2\nq9\t0\tb\t1\na  0 \t d9 1\n",
            ["warning judged-not-in-study 2 q9", "warning judged-not-in-study 3 d9"],
        )
    ],
    RUN: [
        *(
            (with_row(row), ["warning blank-line 2 ", "error wrong-columns 3 a"])
            for row in ("a Q0 b 1 0.9", "a Q0 b 1 0.9 s x")
        ),
        *(
            (with_row(f"a Q0 d 3 {word} s"), ["warning blank-line 2 ", f"error bad-score 3 {word}"])
            for word in NO_NUMBERS
        ),
        *(
            (with_row(f"a Q0 d 3 {word} s"), ["warning blank-line 2 ", f"error nan-score 3 {word}"])
            for word in NOT_FINITE
        ),
        *((with_rank(word), ["warning missing-rank - ", f"warning bad-rank 2 {word}"]) for word in NO_RANKS),
        (with_rank("9" * 5_000), ["warning missing-rank - ", f"warning bad-rank 2 {'9' * 30}"]),
        (f"a Q0 b 1 0.2 s\n{TREC}", ["error duplicate-candidate 1 b of query a", "warning unsorted 2 "]),
        (
            "a Q0 c 2 0.5 s\na Q0 b 1 0.9 s\nb Q0 d 1 0.7 s\nb Q0 a 2 0.1 s\na Q0 d 3 0.2 s\n",
            ["warning scattered-query - ", "warning unequal-depth - b", "warning unsorted 2 "],
        ),
        (
            "a Q0 b 1 0.1 s\na Q0 c 2 0.5 s\na Q0 d 3 0.9 s\nb Q0 c 1 0.2 s\nb Q0 d 2 0.3 s\n",
            ["warning ranks-disagree - ", "warning unequal-depth - b", "warning unsorted 2 "],
        ),
        ("a Q0 b.png 1 0.9 s\na Q0 c.png 1 0.9 s\n", ["error no-rows - ", "error unknown-id 1 b.png"]),
    ],
    VECTOR_FILE: [
        (
            npz(vectors=[[3, 4], [np.nan, 1], [1, 0], [1, 1]]),
            ["warning no-vector - b", "error nan-vector 2 b"],
        ),
        (
            npz(vectors=[[3, 4], [np.inf, 1], [1, 0], [1, 1]]),
            ["warning no-vector - b", "error nan-vector 2 b"],
        ),
        (npz(vectors=[[3, 4], [0, 0], [1, 0], [1, 1]]), ["warning no-vector - b", "warning zero-vector 2 b"]),
    ],
    TEXTS: [
        (f"2 2\n{A} 0.1 0.2\n{B} 0.1 high\n", [NO_VECTOR, "error not-a-number 3 high"]),
        (f"2 2\n{A} 0.1 0.2\n{B} 0.1\n", [NO_VECTOR, f"error wrong-columns 3 {B}"]),
        (f"3 2\n{A} 0.1 0.2\n{B} 0.1 0.3\n", ["error wrong-count 1 3"]),
        (f",V1,V2\n{A},0.1,0.2\n{A.lower()},0.1,0.3\n", [NO_VECTOR, f"error duplicate-id 3 {A}"]),
        (f"{A} 0.1 0.2\n{B} 0.1 1e99\n", [NO_VECTOR, f"error nan-vector 2 {B}"]),
        (f"{A} 0.6 0.8\n{B} 0.1 0.1\n", [f"warning no-vector - {A}", f"error outside-ball 1 {A}"]),
    ],
    "study.toml": [
        ("x = \n", ["error bad-toml 1 "]),
        ("[files]\nconcept = 'c.csv'\n", ["warning unknown-key 2 concept"]),
        ("name = 3\n", ["error wrong-value 1 3"]),
        ("[files]\n\ngraph = [1]\n", ["error wrong-value 3 [1]"]),
        ("files = 1\n", ["error wrong-value 1 1"]),
        ("[systems]\nhog = 'run.txt'\n", ["error wrong-value 2 run.txt"]),
        ("[systems.a]\nreads = []\n[systems.b]\nreads = 'x'\n", ["error wrong-value 4 x"]),
        ("a = " + "[" * 100_000 + "]" * 100_000, ["error bad-toml - "]),
        ("name = 1" + "0" * 5_000, ["error bad-toml - "]),
        ("x = 1\n" + "a." * 50_000 + "b = 1\n", ["error bad-toml 2 "]),
        ("# " + "x" * 300_000, ["error too-large - "]),
        (b'name = "K\xf6ln"\n', ['error undecodable 1 name = "K\ufffdln"']),
    ],
}


class Bomb:
    def __reduce__(self) -> tuple:
        return (pytest.fail, ("a pickle was loaded",))


def lying(*shape: int) -> bytes:
    """The head of an array of this shape, without the array."""
    head = {"descr": "<f4", "fortran_order": False, "shape": shape}
    return with_array(saved(np.lib.format.write_array_header_1_0, head))


def with_array(data: bytes) -> bytes:
    return zipped(**{"ids.npy": saved(np.save, np.array(IMAGES)), "vectors.npy": data})


def mrrel(cui1: str, rel: str, cui2: str) -> str:
    return f"{cui1}|A1|AUI|{rel}|{cui2}|A2|AUI||R1||MSH|MSH|||N||\n"


ENTITIES = '<!DOCTYPE g [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE g [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
XML = '<graphml><graph><edge source="&b;" target="y"/></graph></graphml>'
REFUSED: Mapping[str, Rows] = {
    "kinds.csv": [
        (f"cui,kind\n{FOREIGN},finding\n", [f"error unknown-concept - {FOREIGN}"]),
        ("cui,kind\nHP:1,finding\n", ["error unknown-concept - HP:1"]),
    ],
    "MRSTY.RRF": [(f"{FOREIGN}|T047|B2|Disease or Syndrome|AT1||\n", [f"error unknown-concept - {FOREIGN}"])],
    "names.csv": [
        (f"cui,name\n{FOREIGN},Heart\n", [f"error unknown-concept - {FOREIGN}"]),
        ("cui,name\nHP:0001627,Heart\n", ["error unknown-concept - HP:0001627"]),
    ],
    VECTOR_FILE: [
        (npz(vectors=np.array([Bomb()], object), allow_pickle=True), ["error pickled-array - "]),
        (saved(np.save, np.array([Bomb()], object), allow_pickle=True), ["error pickled-array - "]),
        (pickle.dumps({"a": [1.0]}), ["error pickle 1 8004"]),
        (saved(np.savez, VECTORS), ["error wrong-header - "]),
        (saved(np.save, VECTORS), ["error no-ids - "]),
        (npz(IMAGES[:2]), ["error wrong-count - "]),
        (npz(vectors=[1.0, 2.0, 3.0, 4.0]), ["error wrong-shape - "]),
        (npz(vectors=[["w"], ["x"], ["y"], ["z"]]), ["error wrong-shape - "]),
        (npz([], np.empty((0, 3))), ["error no-rows - "]),
        (npz()[:-30], ["error unreadable-container - "]),
        (b"PAR1 no parquet", ["error unreadable-container - "]),
        (lying(10**12, 10**6), ["error unreadable-container - "]),
        (lying(*(1,) * 70), ["error unreadable-container - "]),
        (with_array(b"no array"), ["error unreadable-container - "]),
        (lying(10**12, 0), ["error wrong-count - "]),
        (npz(np.array(["2020-01-01"] * 4, "M8[D]")), ["error wrong-type - "]),
        (npz(np.array([0x110000, 97, 98, 99], "<u4").view("<U1")), ["error undecodable - "]),
        (parquet({"id": IMAGES[:2], "vector": [[1.0, 2.0], [1.0]]}), ["error wrong-shape - "]),
        (parquet({"id": IMAGES[:2], "vector": ["x", "y"]}), ["error wrong-shape - "]),
        (parquet({"key": IMAGES, "vector": VECTORS.tolist()}), ["error wrong-header - "]),
        (b"", ["error empty-file - "]),
        (b"MATLAB 5.0\0\1", ["error unknown-format - "]),
    ],
    TEXTS: [
        (b"\x80\x04\x95\x10\x00", ["error pickle 1 8004"]),
        (f"{A}\n{B}\n", [f"error wrong-columns 1 {A}"]),
    ],
    "graph/edges.csv": [
        ("CUI1,REL,CUI2\nC0000001,PAR,C0000002\n", ["error wrong-header 1 CUI1"]),
        ("cui,name\nC0000001,Heart\n", ["error wrong-header 1 cui"]),
        ("[Term]\nname: a\n\n[Term]\nid: X:1\n", ["error bad-line 2 name: a"]),
        ("[Term]\nid: X 4\n", ["error bad-line 2 id: X 4"]),
        ("[Term]\nid: X:1\nis_a:\n", ["error bad-line 3 is_a:"]),
        ("[Term]\nid: X:1\nis_a: {}\n", ["error bad-line 3 is_a: {}"]),
        (b"[Term]\nid: X:1\nname: \xe9\n", ["error undecodable 3 name: \ufffd"]),
        (ENTITIES + XML, ["error unsafe-xml - "]),
        (OUTSIDE + XML, ["error unsafe-xml - "]),
        ("<graphml>", ["error broken-xml 1 "]),
        ("<graphml><graph></graphml>", ["error broken-xml 1 "]),
        ("<?xml version='1.0' encoding='nonsense'?><graphml/>", ["error broken-xml - "]),
        ("<a>" * 200_000, ["error broken-xml - "]),
        ("<graphml>" + "".join(f"<n{i}/>" for i in range(11_000)), ["error broken-xml - "]),
        ("<graphml>" + "".join(f'<n a{i}=""/>' for i in range(11_000)), ["error broken-xml - "]),
        ('<graphml><edge source="a"/></graphml>', ["error empty-cell 1 a"]),
        (mrrel("C1", "RO", "C2") + "C1|broken\n", ["error wrong-columns 2 C1|broken"]),
        (mrrel("C1", "PAR", "C2")[:-2], ["error wrong-columns 1 C1|A1|AUI|PAR|C2|A2|AUI||R1||M"]),
        (mrrel("C1", "SIB", "C2") + mrrel("", "CHD", "C2"), ["error empty-cell 2 "]),
    ],
}


def problems_of(study: Study, path: str) -> list[str]:
    problems = study.report.of_file(path).problems
    assert all(problem.remedy or problem.severity == "warning" for problem in problems)
    lines = sorted(problems, key=lambda problem: (problem.line or 0, problem.rule))
    return [f"{p.severity} {p.rule} {p.line or '-'} {p.value[:30]}" for p in lines]


def opened(folder: Path, path: str, data: str | bytes) -> Study:
    plain = data if isinstance(data, bytes) else data.encode()
    return study_with(folder, path, plain, *INSTEAD.get(path, ()))


@pytest.mark.parametrize("path", DAMAGED)
def test_what_is_wrong_is_named_by_line_and_the_rest_is_used(path: str, tmp_path: Path) -> None:
    for row, (data, problems) in enumerate(DAMAGED[path]):
        study = opened(tmp_path / str(row), path, data)
        assert problems_of(study, path) == problems, data[:99]
        assert path == "study.toml" or [part.used for part in study.parts if part.file == path] == [True]


@pytest.mark.parametrize("path", REFUSED)
def test_what_cannot_be_used_says_why(path: str, tmp_path: Path) -> None:
    for row, (data, problems) in enumerate(REFUSED[path]):
        study = opened(tmp_path / str(row), path, data)
        assert problems_of(study, path) == problems, data[:99]
        assert [part.used for part in study.parts if part.file == path] == [False], data[:99]


def test_a_faulty_row_of_a_run_costs_no_other(tmp_path: Path) -> None:
    """Of two rows of a result the better scored one counts."""
    whole = opened(tmp_path / "whole", RUN, TREC).runs["one"].digest
    rows = [with_row(f"a Q0 d 3 {word} s") for word in ("0.1 s", "high", "nan")]
    for n, text in enumerate([*rows, with_rank("inf"), f"a Q0 b 1 0.2 s\n{TREC}"]):
        assert opened(tmp_path / str(n), RUN, text).runs["one"].digest == whole, text
