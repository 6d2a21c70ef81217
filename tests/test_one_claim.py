"""One claim everywhere: the library, the commands and the pages say the same about a study by default.

A `Claim` is what one place says; each place fills in what it shows and leaves the rest None. To hold another
fact against each other (a baseline, a verdict), give `Claim` a field and let the places read it; to add a
place (a report, a file), write a function that reads one and name it in `PLACES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore import open_study, score, summarise_all
from tests.conftest import ROOT
from tests.packs import write_pack
from tests.ui.conftest import page_text, table_with

SAMPLE, ROCO, COVID = "sample", "roco", "covid"
STUDIES = [SAMPLE, pytest.param(ROCO, marks=pytest.mark.real), pytest.param(COVID, marks=pytest.mark.real)]
METRIC = {SAMPLE: "nnCUI@10", ROCO: "CUI@10", COVID: "CUI@10"}
"""What the Overview opens with: credit for related concepts where there is a graph."""


@dataclass(frozen=True)
class Row:
    """Mean of a system with its interval, and over how many queries."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Claim:
    """What a place says about the systems of a study under one measure; None: it does not say."""

    rows: dict[str, Row]
    which: str
    n_queries: int | None = None
    n_candidates: int | None = None
    groups: str | None = None
    same_group: str | None = None


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory, request):
    """folder_of(study) -> its folder; skips where a real one is not here."""
    made: dict[str, Path] = {SAMPLE: ROOT / "data"}

    def folder(name: str) -> Path:
        if name not in made:
            pack, made[name] = request.getfixturevalue("images_dir") / name, tmp_path_factory.mktemp(name)
            other = {"group": "patient"} if name == COVID else {"body_region": "organ"}
            vectors = [path.stem for path in (pack / "embeddings").glob("*.npz")]
            write_pack(pack, made[name], {"modality": "modality", **other}, vectors=vectors)
        return made[name]

    return folder


def in_library(folder: Path, metric: str, *, queries=None, same_group=None) -> Claim:
    board = score(open_study(folder), [metric], queries=queries, same_group=same_group)
    means, over, groups = summarise_all(board), board.analysis.over, board.analysis.study.groups
    rows = {scores.system: Row(m.mean, m.low, m.high, m.n) for scores, m in zip(board, means, strict=True)}
    counted = over.which, len(over.queries), len(over.candidates)
    return Claim(rows, *counted, groups.name if groups else "", board.view.same_group if groups else "")


@pytest.fixture
def by_command(as_json) -> Callable[..., Claim]:
    def read(folder: Path, metric: str, *options: str) -> Claim:
        answer = as_json("score", folder, "--metric", metric, *options)
        over, groups = answer["compared_over"], answer.get("groups", {"name": "", "same_group": ""})
        rows = {
            row["system"]: Row(row["mean"], row["ci_low"], row["ci_high"], row["n_scored"])
            for row in answer["scores"]
        }
        counted = over["queries"], over["n_queries"], over["n_candidates"]
        return Claim(rows, *counted, groups["name"], groups["same_group"])

    return read


@pytest.fixture
def on_page(monkeypatch) -> Callable[..., Claim]:
    """Results as a link opens it; it says how many queries and images count where not all do."""

    def read(folder: Path, metric: str, **link: str) -> Claim:
        monkeypatch.chdir(ROOT)
        monkeypatch.setenv("CUISCOPE_STUDY", str(folder))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        for name, value in {"reading": "Expert", "numbers": "open", **link}.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        text = page_text(app).replace("\\", "")  # as it is read, not as it is marked up
        assert f"scores highest on {metric}" in text
        over = re.search(r"Compared over ([\d,]+) queries and ([\d,]+) images", text)
        counted = [int(number.replace(",", "")) for number in over.groups()] if over else [None, None]
        own = re.search(r"the query’s own \**(\w+)\** (?:\(.*?\) )?(are left out|count)", text)
        rows = {}
        for row in table_with(app, "Score ↑").to_dict("records"):
            low, high = map(float, re.findall(r"[−-]?\d*\.\d+", row["95% interval"].replace("−", "-")))
            name = re.sub(r" \(.*\)$", "", row["System"])
            rows[name] = Row(row["Score ↑"], low, high, row["Queries"])
        fate = {None: None, "are left out": "drop", "count": "keep"}[own and own[2]]
        which = app.segmented_control(key="queries").value
        return Claim(rows, which, *counted, own and own[1], fate)

    return read


ROUNDED = 5e-4
"""Ends of intervals stand on the page with three decimals."""


def agree(claim: Claim, other: Claim, *, ends: float = 0.0) -> None:
    """Every fact that both places state is the same; ends of intervals as far as they are written."""
    for fact in fields(Claim):
        a, b = getattr(claim, fact.name), getattr(other, fact.name)
        if fact.name != "rows" and None not in (a, b):
            assert a == b, fact.name
    assert claim.rows.keys() == other.rows.keys()
    for system, mine in claim.rows.items():
        theirs = other.rows[system]
        assert (mine.mean, mine.n) == (pytest.approx(theirs.mean, rel=1e-12), theirs.n), system
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12, abs=ends), system


@pytest.mark.parametrize("name", STUDIES)
def test_library_and_command_and_page_say_the_same(folder_of, by_command, on_page, name):
    folder, metric = folder_of(name), METRIC[name]
    library = in_library(folder, metric)
    agree(library, by_command(folder, metric))
    agree(library, on_page(folder, metric), ends=ROUNDED)


@pytest.mark.real
@pytest.mark.parametrize("which", ["all", "common"])
def test_they_do_for_every_choice_of_queries(folder_of, by_command, on_page, which):
    """Where systems search different images, which are compared over a pool of all unless that is chosen."""
    folder, metric = folder_of(ROCO), METRIC[ROCO]
    library = in_library(folder, metric, queries=which)
    assert library.which == which
    agree(library, by_command(folder, metric, "--queries", which))
    agree(library, on_page(folder, metric, queries=which), ends=ROUNDED)


@pytest.mark.real
def test_patients_are_left_out_and_counted_alike(folder_of, by_command, on_page):
    folder = folder_of(COVID)
    left, kept = in_library(folder, "CUI@10"), in_library(folder, "CUI@10", same_group="keep")
    assert (left.groups, left.same_group, kept.same_group) == ("patient", "drop", "keep")
    assert all(kept.rows[name] != row for name, row in left.rows.items())
    agree(kept, by_command(folder, "CUI@10", "--same-group", "keep"))
    page = on_page(folder, "CUI@10", same_group="keep")
    assert page.same_group == "keep"
    agree(kept, page, ends=ROUNDED)
