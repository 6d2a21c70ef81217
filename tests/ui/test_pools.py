"""Systems that search different images: pages compare them over the images all of them search, and say so."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from evalcore.evaluate import scoring, summary
from evalcore.evaluate.common_pool import compared_over
from evalcore.study import open_study
from tests.study.made import write
from tests.ui.conftest import Open, page_text, table_with

IDS = [f"p{n:02}" for n in range(20)]


def written(folder: Path, **searched: list[str]) -> Path:
    """A study of 20 images and systems that search these of them: all have vectors, and runs of six."""
    rng = np.random.default_rng(1)
    rows = [f"{i},{';'.join(f'C000000{c}' for c in rng.choice(9, 3, replace=False))}" for i in IDS]
    organs = [f"{i},{'ab'[n % 2]}" for n, i in enumerate(IDS)]
    files: dict[str, str | bytes] = {
        "concepts.csv": "\n".join(["ID,CUIs", *rows, ""]),
        "labels.csv": "\n".join(["ID,organ", *organs, ""]),
    }
    for system, ids in searched.items():
        vectors = rng.normal(size=(len(ids), 4)).astype(np.float32)
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        close = units @ units.T - 9 * np.eye(len(ids))
        files[f"systems/{system}/embeddings.npz"] = npz(ids, vectors)
        files[f"systems/{system}/run.trec"] = "".join(
            f"{query} Q0 {ids[c]} {rank} {close[q, c]:.6f} {system}\n"
            for q, query in enumerate(ids)
            for rank, c in enumerate(np.argsort(-close[q])[:6], start=1)
        )
    return write(folder, files)


def npz(ids: list[str], vectors: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez(out, ids=np.array(ids), vectors=vectors)
    return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`wide` and `other` search all images, `half` ten."""
    return written(tmp_path, half=IDS[:10], other=IDS, wide=IDS)


@pytest.mark.parametrize(
    ("link", "which", "n"),
    [({}, "common-pool", 10), ({"queries": "common"}, "common", 10), ({"queries": "all"}, "all", 20)],
)
def test_the_overview_compares_over_what_is_chosen_and_says_so(
    open_app: Open, folder: Path, link: dict[str, str], which: str, n: int
) -> None:
    app, study = open_app(study=folder, every_query="open", link=link), open_study(folder)
    assert len(table_with(app, "A − B")) == n
    systems = ["half", "other", "wide"]
    limit = compared_over(study, systems, which=which).limit(study)
    means = summary.summarise_all(scoring.score(limit, metrics=["CUI@10"], systems=systems))
    shown = table_with(app, "Score ↑").set_index("System")["Score ↑"]
    shown = shown.rename(lambda name: name.removesuffix(" (baseline)"))
    assert shown[["half", "wide"]].tolist() == pytest.approx([means[0].mean, means[2].mean])
    assert "**half** 10 of 20" in page_text(app)
    assert ("do not compare like with like" in page_text(app)) == (which != "common-pool")


def test_other_pages_say_over_what_they_compare(open_app: Open, folder: Path) -> None:
    for page in ("pages/1_Queries.py?q=q1", "pages/2_Robustness.py?part=measures"):
        app = open_app(page, study=folder)
        assert "Compared over the 10 queries and 10 images that all systems cover" in page_text(app)


@pytest.mark.parametrize(("first", "shared"), [(10, "only one image"), (11, "no images")])
def test_systems_with_too_few_images_in_common(
    open_app: Open, tmp_path: Path, first: int, shared: str
) -> None:
    app = open_app(study=written(tmp_path, left=IDS[:11], right=IDS[first:]))
    assert f"They have {shared} in common; select other systems on the left." in page_text(app)
