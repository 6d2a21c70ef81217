"""Editions: a rule that differs by year is a field, and a year nobody knows is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evalcore.features.imageclef.editions import CAPTION_EDITIONS, CONCEPT_EDITIONS, EDITIONS, edition_of
from evalcore.values.errors import InputError

ROOT = Path(__file__).resolve().parents[3] / "evalcore"
YEAR_TESTED = re.compile(r"""(==|!=|\bin)\s*\(?["']20[12][0-9]["']""")


def test_both_tasks_have_the_same_years() -> None:
    assert tuple(CONCEPT_EDITIONS) == tuple(CAPTION_EDITIONS) == EDITIONS
    assert all(edition_of("captions", year).key == year for year in EDITIONS)


@pytest.mark.parametrize(
    ("year", "nearest"), [("1999", "2017"), ("2019", "2018"), ("2021", "2022"), ("2024", "2025")]
)
def test_a_year_without_rules_is_answered_with_the_nearest(year: str, nearest: str) -> None:
    with pytest.raises(InputError, match=f"no rules for the edition '{year}'.* The nearest is {nearest}"):
        edition_of("concepts", year)


def test_no_file_but_one_tests_a_year() -> None:
    assert YEAR_TESTED.search('if edition == "2017"') and YEAR_TESTED.search('edition in ("2017", "2018")')
    files = [path for path in (ROOT / "features/imageclef").rglob("*.py") if path.name != "editions.py"]
    assert len(files) > 10
    assert [path.name for path in files if YEAR_TESTED.search(path.read_text())] == []
