"""Whatever a study holds, no command steers the terminal it prints to, and its tables hold no formulas."""

from __future__ import annotations

import csv
import sys
import unicodedata
from pathlib import Path

import pytest

from evalcore.cli import run
from tests.hostile import CONTROLS, CUIS, PAYLOADS, write_hostile

IDS = tuple(text for text in CONTROLS if len(text.split()) == 1)
"""TREC files know no blanks."""
STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Controls, invisible and direction-changing signs, separators of lines: Unicode's names for them."""
METRICS = ("--metric", f"P({CONTROLS[0]})@3", "--metric", "CUI@3")
COMMANDS = {
    "check": ("check",),
    "score": ("score", *METRICS),
    "unknown system": ("score", "--system", "\x9b31m"),
    "explain": ("explain", CONTROLS[1], CONTROLS[2], "--relevance", "matching:path"),
    "unknown image": ("explain", "\x1b[2Jnobody", CONTROLS[2]),
    "path": ("path", CUIS[12], CUIS[10], "--every"),
    "unknown concept": ("path", "\x1b[2Jnothing", CUIS[0]),
    "neighbours": ("dictionary",),
    "search": ("search", "red"),
    "sweep": ("sweep", *METRICS, "--alphas", "0,1", "--thresholds", "1"),
    "table1": ("table1", "--relevance", "iou"),
    "unknown option": ("score", "--\x1b[31mred"),
}


def steering(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c) in STEERING}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hostile(tmp_path_factory.mktemp("controls") / "\x1b[31mstudy", CONTROLS, ids=IDS)


@pytest.mark.parametrize("as_json", [False, True], ids=["words", "json"])
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_nothing_steers_the_terminal(words: tuple[str, ...], as_json: bool, study: Path, capsys) -> None:
    code = run([*words[0].split(), str(study), *words[1:], *(["--json"] if as_json else [])])
    out, err = capsys.readouterr()
    assert code in {0, 2} and out + err
    assert steering(out) == steering(err) == set()


@pytest.mark.parametrize(
    "words", [("rank", "--system", "@nn-iou", "--depth", "3"), ("dictionary",)], ids=["rank", "dictionary"]
)
def test_files_are_exact_in_a_pipe_and_harmless_on_a_terminal(
    words: tuple[str, ...], study: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = [*words[0].split(), str(study), *words[1:]]
    assert run(ask) == 0
    piped = capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(ask) == 0
    shown = capsys.readouterr().out
    assert steering(shown) == set()
    assert len(shown) == len(piped) and shown.count("\n") == piped.count("\n")
    assert {old for new, old in zip(shown, piped, strict=True) if new != old} <= steering(piped)


def cells(path: Path) -> set[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {cell for row in csv.reader(file) for cell in row}


def is_formula(cell: str) -> bool:
    """As spreadsheets see it: the signs OWASP lists, unless the whole cell is a number."""
    try:
        return cell[:1] in "=+-@\t\r\n＝＋－＠" and bool(cell) and float(cell) != float(cell)
    except ValueError:
        return True


@pytest.mark.parametrize(
    "words",
    [
        ("score", "--metric", "CUI@3", "--system", "@nn-iou", "--per-query"),
        ("sweep", "--metric=CUI@3", "--system=@nn-iou", "--alphas=0,1", "--thresholds=1", "--csv"),
        ("rank", "--system", "@nn-iou", "--out"),
        ("dictionary", "--out"),
    ],
    ids=lambda words: words[0],
)
def test_no_table_holds_a_formula(words: tuple[str, ...], tmp_path: Path) -> None:
    # Signs at the front of every text, so that each column has some: ids, names, sources, relations.
    texts = tuple(sign + text for text in PAYLOADS[:7] for sign in "=+-@＝＋－＠")
    study = write_hostile(tmp_path / "study", texts)
    target = tmp_path / "table.csv"
    assert run([*words[0].split(), str(study), *words[1:], str(target), "--escape-formulas"]) == 0
    written = cells(target)
    assert written and not [cell for cell in written if is_formula(cell)]
    if words[0] != "dictionary":
        assert any(cell[:2] in {"'=", "'＝", "'@"} for cell in written), "the texts are there"
