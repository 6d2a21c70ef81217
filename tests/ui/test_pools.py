"""Systems that search different images: pages compare them over the images all of them search, and say so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from evalcore.evaluate import scoring, summary
from evalcore.evaluate.common_pool import compared_over
from evalcore.study import open_study
from tests.study.made import npz, write
from tests.ui.conftest import Open, page_text, plain, table_with

IDS = [f"q{n}" for n in range(1, 7)]


def searches(folder: Path, system: str, ids: Sequence[str]) -> None:
    """Let a system of the tiny study have vectors of these images alone, and results among them."""
    lines = (folder / f"systems/{system}/run.trec").read_text().splitlines()
    run = [line for line in lines if {*line.split()[:3:2]} <= {*ids}]
    files = {"run.trec": "\n".join([*run, ""]), "embeddings.npz": npz(ids)}
    write(folder / "systems" / system, files)


@pytest.fixture
def open_half(open_tiny: Open, study_folder: Path) -> Open:
    """beta searches all images, alpha four."""
    searches(study_folder, "alpha", IDS[:4])
    searches(study_folder, "beta", IDS)
    return open_tiny


@pytest.mark.parametrize(
    ("link", "which", "n"),
    [({}, "common-pool", 4), ({"queries": "common"}, "common", 4), ({"queries": "all"}, "all", 6)],
)
def test_the_overview_compares_over_what_is_chosen_and_says_so(
    open_half: Open, study_folder: Path, link: dict[str, str], which: str, n: int
) -> None:
    app, study, systems = (
        open_half(every_query="open", link=link),
        open_study(study_folder),
        ("alpha", "beta"),
    )
    assert len(table_with(app, "A − B")) == n
    limit = compared_over(study, systems, which=which).limit(study)
    means = summary.summarise_all(scoring.score(limit, metrics=["nnCUI@10"], systems=systems))
    shown = table_with(app, "Score ↑").set_index("System")["Score ↑"]
    shown = shown.rename(lambda name: name.removesuffix(" (baseline)"))
    assert shown[[*systems]].tolist() == pytest.approx([mean.mean for mean in means])
    assert "alpha 4 of 6" in plain(app)
    assert ("do not compare like with like" in plain(app)) == (which != "common-pool")


def test_other_pages_say_over_what_they_compare(open_half: Open) -> None:
    for page in ("pages/1_Queries.py?q=q1", "pages/2_Robustness.py?part=measures"):
        text = page_text(open_half(page))
        assert "Compared over the 4 queries and 4 images that all systems cover" in text


@pytest.mark.parametrize(("first", "shared"), [(3, "only one image"), (4, "no images")])
def test_systems_with_too_few_images_in_common(
    open_tiny: Open, study_folder: Path, first: int, shared: str
) -> None:
    searches(study_folder, "alpha", IDS[:4])
    searches(study_folder, "beta", IDS[first:])
    text = page_text(open_tiny())
    assert f"They have {shared} in common; select other systems on the left." in text
