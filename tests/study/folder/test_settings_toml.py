"""A settings file reads back as the view that was written, and nothing of a faulty one is used."""

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study.folder.settings_toml import parse_settings, settings_text
from evalcore.values.settings import Settings, View

CHOSEN = View(
    metrics=("P(organ)@5", "nnCUI@10"),
    queries="common",
    same_group="keep",
    unknown="zero",
    correction="bh",
    flips=99_999,
    settings=Settings(include_self=True, gain="exp", interval="bca"),
)


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@given(
    st.lists(TEXTS, max_size=3),
    TEXTS,
    st.floats(0, 1),
    st.integers(0, 4),
    st.integers(0, 10**12),
    st.floats(0.01, 0.99),
    st.floats(0, 10),
)
def test_what_is_written_reads_back(names, baseline, alpha, threshold, seed, level, smallest) -> None:
    view = replace(
        CHOSEN,
        systems=tuple(names),
        where=tuple(names),
        baseline=baseline,
        seed=seed,
        level=level,
        smallest_difference=smallest,
        settings=replace(CHOSEN.settings, alpha=alpha, threshold=threshold),
    )
    text = settings_text(view, study="a\nstudy", digest="ab12", program="1.2")
    assert tomllib.loads(text)["made_with"] == {"study": "a\nstudy", "digest": "ab12", "program": "1.2"}
    result, report = parse_settings(text.encode(), file="settings.toml")
    assert (result.chosen, result.digest, report.problems) == (view.as_dict(), "ab12", ())
    assert result.chosen.keys() >= {
        "metric",
        "same_group",
        "unknown",
        "correction",
        "flips",
        "gain",
        "interval",
    }


def test_only_what_the_file_sets_is_chosen() -> None:
    result, report = parse_settings(b'metric = "CUI@5"\nalpha = 1', file="s.toml")
    assert result.chosen == {"metric": ["CUI@5"], "alpha": 1.0} and not report.problems


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("alhpa = 1", "Nothing is called 'alhpa' here. Did you mean 'alpha'?"),
        ("alpha = 2", "`alpha` must be a number from 0 to 1. Got 2."),
        ("threshold = 1.5", "`threshold` must be a whole number from 0 to 4. Got 1.5."),
        ("include_self = 1", "`include_self` must be true or false. Got 1."),
        ('gain = "log"', "`gain` must be one of linear, exp. Got 'log'."),
        ("where = [1]", "`where` must be a list of at most 200 texts of at most 400 characters. Got [1]."),
        ("level = 1", "`level` must be a number between 0 and 1. Got 1."),
        ("smallest_difference = inf", "`smallest_difference` must be a number from 0 on. Got inf."),
        ('queries = ""', "`queries` must be one of all, common, common-pool. Got ''."),
    ],
)
def test_a_wrong_value_is_refused_by_line_and_nothing_is_used(line: str, says: str) -> None:
    result, report = parse_settings(f"# note\nties = 'id'\n{line}\n".encode(), file="s.toml")
    (problem,) = report.problems
    assert str(problem).startswith(f"s.toml:3: {says}") and problem.severity == "error" and problem.remedy
    assert not result.chosen


HOSTILE = [b"", b"\0\0", b"no toml", b"\xff\xfe", b"\x1f\x8b\x08", b"[metric]\nx=1", b"[[where]]\nx=1"]
LONG = [b"x=" + b"[" * 9000, b"alpha=" + b"9" * 9000, b"#" * 300_000, b"a." * 200 + b"b=1"]


@pytest.mark.parametrize("data", [*HOSTILE, *LONG])
def test_hostile_files_are_one_error_and_no_exception(data: bytes) -> None:
    result, report = parse_settings(data, file="s.toml")
    assert report.total("error") and not result.chosen
