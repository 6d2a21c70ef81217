"""``annotate.toml``: what is written reads back, and everything wrong with it is said by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.features.annotate.read import TOML, annotate_text, parse_annotate_toml, read_annotate_toml
from evalcore.features.annotate.settings import AnnotateSettings

CHOSEN = AnnotateSettings(
    languages=("de", "en"),
    sources=('a "b"\n', "MESH"),
    stop=("é",),
    meanings=("mass = C1",),
    negated="keep",
    uncertain="leave-out",
)


@pytest.mark.parametrize("settings", [CHOSEN, AnnotateSettings()])
def test_there_and_back(tmp_path: Path, settings: AnnotateSettings) -> None:
    (tmp_path / TOML).write_text(annotate_text(settings))
    read, report = read_annotate_toml(tmp_path)
    assert (read, report.problems) == (settings, ())


def test_no_file_is_as_usual_but_a_named_one_must_be_there(tmp_path: Path) -> None:
    assert read_annotate_toml(tmp_path)[0] == AnnotateSettings()
    assert read_annotate_toml(tmp_path / "other.toml")[1].total("error") == 1


def test_everything_wrong_is_said_at_once() -> None:
    text = b'negated = "no"\n# x\nnegatted = "keep"\nstop = [1]\nmeanings = ["a"]\nsources = ["MSH"]\n'
    settings, report = parse_annotate_toml(text, file=TOML)
    assert settings == AnnotateSettings(sources=("MSH",))
    assert [(one.line, one.rule) for one in report.problems] == [
        (1, "wrong-value"),
        (3, "unknown-key"),
        (4, "wrong-value"),
        (5, "wrong-value"),
    ]
    assert "Did you mean 'negated'?" in str(report.problems[1])


@pytest.mark.parametrize("data", [b"stop = ", b"\xff\xfe", b"[[stop]]", b"stop = 7", b"negated = true"])
def test_no_toml_and_no_values_are_errors(data: bytes) -> None:
    settings, report = parse_annotate_toml(data, file="annotate.toml")
    assert settings == AnnotateSettings() and report.total("error") >= 1
