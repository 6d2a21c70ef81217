"""One claim everywhere: the library, the commands and the pages say the same about a study by default.

A claim is what one place says, by the names of `FACTS`; a place leaves out what it does not say. To hold
another fact against each other, let the places read it; to add a place, write what reads one there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalcore import open_study, score, summarise_all
from tests.conftest import ROOT
from tests.packs import write_pack
from tests.ui.conftest import open_app, page_text, table_with  # noqa: F401  (the fixture)

SAMPLE, ROCO, COVID = "sample", "roco", "covid"
STUDIES = [SAMPLE, pytest.param(ROCO, marks=pytest.mark.real), pytest.param(COVID, marks=pytest.mark.real)]
METRIC = {SAMPLE: "nnCUI@10", ROCO: "CUI@10", COVID: "CUI@10"}
"""What the Overview opens with: credit for related concepts where there is a graph."""


Claim = dict[str, Any]
"""{"rows": {system: (mean, low and high end, queries)}, "queries": which, ...}"""
FACTS = ("queries", "n_queries", "n_candidates", "groups", "same_group")


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
    rows = {s.system: (m.mean, m.low, m.high, m.n) for s, m in zip(board, means, strict=True)}
    counted = over.which, len(over.queries), len(over.candidates)
    of_groups = (groups.name, board.view.same_group) if groups else ("", "")
    return {"rows": rows, **dict(zip(FACTS, (*counted, *of_groups), strict=True))}


@pytest.fixture
def by_command(as_json) -> Callable[..., Claim]:
    def read(folder: Path, metric: str, *options: str) -> Claim:
        answer = as_json("score", folder, "--metric", metric, *options)
        over, groups = answer["compared_over"], answer.get("groups", {"name": "", "same_group": ""})
        columns = ("mean", "ci_low", "ci_high", "n_scored")
        rows = {row["system"]: tuple(row[name] for name in columns) for row in answer["scores"]}
        return {"rows": rows, **over, "groups": groups["name"], "same_group": groups["same_group"]}

    return read


@pytest.fixture
def on_page(open_app) -> Callable[..., Claim]:  # noqa: F811
    """Results as a link opens it; it says how many queries and images count where not all do."""

    def read(folder: Path, metric: str, **link: str) -> Claim:
        app = open_app(study=folder, link={"reading": "Expert", **link})
        text = page_text(app).replace("\\", "")  # as it is read, not as it is marked up
        assert f"scores highest on {metric}" in text
        claim: Claim = {"rows": {}, "queries": app.segmented_control(key="queries").value}
        if over := re.search(r"Compared over ([\d,]+) queries and ([\d,]+) images", text):
            claim["n_queries"], claim["n_candidates"] = (int(n.replace(",", "")) for n in over.groups())
        if own := re.search(r"the query’s own \**(\w+)\** (?:\(.*?\) )?(are left out|count)", text):
            claim["groups"], claim["same_group"] = own[1], "keep" if own[2] == "count" else "drop"
        for row in table_with(app, "Score ↑").to_dict("records"):
            ends = map(float, re.findall(r"[−-]?\d*\.\d+", row["95% interval"].replace("−", "-")))
            name = re.sub(r" \(.*\)$", "", row["System"])
            claim["rows"][name] = (row["Score ↑"], *ends, row["Queries"])
        return claim

    return read


ROUNDED = 5e-4
"""Ends of intervals stand on the page with three decimals."""


def agree(claim: Claim, other: Claim, *, ends: float = 0.0) -> None:
    """Every fact that both places state is the same; ends of intervals as far as they are written."""
    for fact in {*FACTS} & claim.keys() & other.keys():
        assert claim[fact] == other[fact], fact
    assert claim["rows"].keys() == other["rows"].keys()
    for system, (mean, *interval, n) in claim["rows"].items():
        their_mean, *theirs, their_n = other["rows"][system]
        assert (mean, n) == (pytest.approx(their_mean, rel=1e-12), their_n), system
        assert interval == pytest.approx(theirs, rel=1e-12, abs=ends), system


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
    assert library["queries"] == which
    agree(library, by_command(folder, metric, "--queries", which))
    agree(library, on_page(folder, metric, queries=which), ends=ROUNDED)


@pytest.mark.real
def test_patients_are_left_out_and_counted_alike(folder_of, by_command, on_page):
    folder = folder_of(COVID)
    left, kept = in_library(folder, "CUI@10"), in_library(folder, "CUI@10", same_group="keep")
    assert (left["groups"], left["same_group"], kept["same_group"]) == ("patient", "drop", "keep")
    assert all(kept["rows"][name] != row for name, row in left["rows"].items())
    agree(kept, by_command(folder, "CUI@10", "--same-group", "keep"))
    page = on_page(folder, "CUI@10", same_group="keep")
    assert page["same_group"] == "keep"
    agree(kept, page, ends=ROUNDED)
