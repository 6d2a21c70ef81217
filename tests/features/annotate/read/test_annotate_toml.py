"""``annotate.toml``: what is written reads back, and everything wrong with it is said by its line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from evalcore.features.annotate.read import (
    annotate_text,
    parse_annotate_toml,
    read_annotate_toml,
    write_annotate_toml,
)
from evalcore.features.annotate.values import AnnotateSettings
from evalcore.values.errors import InputError

CHOSEN = AnnotateSettings(
    languages=("de", "en"),
    sources=('a "b"\n', "MESH"),
    ambiguous="preferred",
    min_length=2,
    stop=("é",),
    plurals=False,
    hyphens=False,
    capitals=False,
    negation=False,
    negated="keep",
    uncertain="leave-out",
    window=0,
    leave_out_sections=("history",),
    without_terms="nothing",
)


@pytest.mark.parametrize("settings", [CHOSEN, AnnotateSettings()])
def test_there_and_back(tmp_path: Path, settings: AnnotateSettings) -> None:
    write_annotate_toml(tmp_path, settings)
    read, report = read_annotate_toml(tmp_path)
    assert (read, report.problems) == (settings, ())
    assert tomllib.loads(annotate_text(settings)) == settings.as_dict()


def test_no_file_is_as_usual_but_a_named_one_must_be_there(tmp_path: Path) -> None:
    assert read_annotate_toml(tmp_path)[0] == AnnotateSettings()
    assert read_annotate_toml(tmp_path / "other.toml")[1].total("error") == 1
    with pytest.raises(InputError, match="Cannot write"):
        write_annotate_toml(tmp_path / "no" / "where.toml", CHOSEN)


def test_everything_wrong_is_said_at_once() -> None:
    text = b'window = -1\n# x\nnegatted = "keep"\nstop = [1]\nambiguous = "first"\nmin_length = 4\n'
    settings, report = parse_annotate_toml(text, file="annotate.toml")
    assert settings == AnnotateSettings(min_length=4)
    assert [(one.line, one.rule) for one in report.problems] == [
        (1, "wrong-value"),
        (3, "unknown-key"),
        (4, "wrong-value"),
        (5, "wrong-value"),
    ]
    assert "Did you mean 'negated'?" in str(report.problems[1])


@pytest.mark.parametrize("data", [b"window = ", b"\xff\xfe", b"[[window]]", b"stop = 'a'", b"window = true"])
def test_no_toml_and_no_values_are_errors(data: bytes) -> None:
    settings, report = parse_annotate_toml(data, file="annotate.toml")
    assert settings == AnnotateSettings() and report.total("error") >= 1
