"""``annotate.toml``: what is written reads back, and everything wrong with it is said by its line."""

from __future__ import annotations

import pytest

from evalcore.features.annotate.settings import (
    TOML,
    AnnotateSettings,
    parse_settings,
    read_settings,
    settings_text,
)

CHOSEN = AnnotateSettings(
    languages=("de", "en"),
    sources=('a "b"\n', "MESH"),
    stop=("é",),
    meanings=("mass = C1",),
    negated="keep",
    uncertain="leave-out",
)


@pytest.mark.parametrize("settings", [CHOSEN, AnnotateSettings()])
def test_there_and_back(tmp_path, settings):
    (tmp_path / TOML).write_text(settings_text(settings))
    read, report = read_settings(tmp_path)
    assert (read, report.problems) == (settings, ())


def test_everything_wrong_is_said_at_once():
    text = b'negated = "no"\n# x\nnegatted = "keep"\nstop = [1]\nmeanings = ["a"]\nsources = ["MSH"]\n'
    settings, report = parse_settings(text, file=TOML)
    assert settings == AnnotateSettings(sources=("MSH",))
    assert [(problem.line, problem.rule) for problem in report.problems] == [
        (1, "wrong-value"),
        (3, "unknown-key"),
        (4, "wrong-value"),
        (5, "wrong-value"),
    ]
    assert "Did you mean 'negated'?" in str(report.problems[1])
