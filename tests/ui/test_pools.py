"""Systems that search different images: pages compare them over the images all of them search, and say so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evalcore.evaluate import scoring, summary
from evalcore.evaluate.common_pool import compared_over
from evalcore.study import open_study
from tests.ui.conftest import Open, page_text, table_with

IDS = [f"p{n:02}" for n in range(20)]
HALF = IDS[:10]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """20 images; `wide` and `other` search all of them, `half` ten. All have vectors; runs of five."""
    return written(tmp_path, half=HALF, other=IDS, wide=IDS)


def written(folder: Path, **searched: list[str]) -> Path:
    """A study of 20 images and systems that search these of them."""
    rng = np.random.default_rng(1)
    rows = [f"{i},{';'.join(f'C000000{c}' for c in rng.choice(9, 3, replace=False))}\n" for i in IDS]
    (folder / "concepts.csv").write_text("ID,CUIs\n" + "".join(rows))
    (folder / "labels.csv").write_text(
        "ID,organ\n" + "".join(f"{i},{'ab'[n % 2]}\n" for n, i in enumerate(IDS))
    )
    for system, ids in searched.items():
        where = folder / "systems" / system
        where.mkdir(parents=True)
        vectors = rng.normal(size=(len(ids), 4)).astype(np.float32)
        np.savez(where / "embeddings.npz", ids=np.array(ids), vectors=vectors)
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        close = units @ units.T - 9 * np.eye(len(ids))
        lines = [
            f"{query} Q0 {ids[c]} {rank} {close[q, c]:.6f} {system}\n"
            for q, query in enumerate(ids)
            for rank, c in enumerate(np.argsort(-close[q])[:6], start=1)
        ]
        (where / "run.trec").write_text("".join(lines))
    return folder


def values(folder: Path, which: str, systems: list[str], metric: str = "CUI@10") -> list[float]:
    study = open_study(folder)
    over = compared_over(study, systems, which=which)
    scores = scoring.score(over.limit(study), metrics=[metric], systems=systems)
    return [mean.mean for mean in summary.summarise_all(scores)]


@pytest.mark.parametrize(
    ("link", "which", "n"),
    [({}, "common-pool", 10), ({"queries": "common"}, "common", 10), ({"queries": "all"}, "all", 20)],
)
def test_the_overview_compares_over_what_is_chosen_and_says_so(
    open_app: Open, folder: Path, link: dict[str, str], which: str, n: int
) -> None:
    app = open_app(study=folder, every_query="open", link=link)
    assert len(table_with(app, "A − B")) == n
    table = table_with(app, "Score ↑").set_index("System")
    shown = table["Score ↑"].rename(lambda name: name.removesuffix(" (baseline)"))
    assert shown[["half", "wide"]].tolist() == pytest.approx(
        values(folder, which, ["half", "other", "wide"])[::2]
    )
    assert "**half** 10 of 20" in page_text(app)
    assert ("do not compare like with like" in page_text(app)) == (which != "common-pool")
    assert not app.exception


@pytest.mark.parametrize("page", ["pages/1_Queries.py?q=q1", "pages/2_Robustness.py?part=measures"])
def test_other_pages_say_over_what_they_compare(open_app: Open, folder: Path, page: str) -> None:
    app = open_app(page, study=folder)
    assert "Compared over the 10 queries and 10 images that all systems cover" in page_text(app)


@pytest.mark.parametrize(("first", "shared"), [(10, "only one image"), (11, "no images")])
def test_systems_with_too_few_images_in_common(
    open_app: Open, tmp_path: Path, first: int, shared: str
) -> None:
    app = open_app(study=written(tmp_path, left=IDS[:11], right=IDS[first:]))
    assert f"They have {shared} in common; select other systems on the left." in page_text(app)
