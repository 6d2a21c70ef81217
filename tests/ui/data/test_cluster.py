"""The pages on a cluster: connected by the Data page, the same numbers, and a message when it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.engine import cluster, interface
from tests.ui.conftest import said

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of distributed itself, about its own clean-up

Open = Callable[..., AppTest]
PAGE, TAB = "pages/1_Data.py", {"part": "Open or upload", "cluster": "open"}


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    yield
    cluster.unshare()


@pytest.fixture(scope="module")
def machines() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as two:
        yield two.scheduler_address


def connected(app: AppTest, address: str) -> AppTest:
    app.text_input(key="scheduler").set_value(address)
    return app.button(key="use-cluster").click().run()


def test_off_by_default(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **TAB)
    assert not app.exception
    assert app.text_input(key="scheduler").value == ""
    assert cluster.sharing() == cluster.Sharing()


@pytest.mark.parametrize(
    ("address", "words"),
    [(" ", "Type the address of a scheduler first."), ("http://evil.example/x", "must be of the form tcp")],
)
def test_a_wrong_address_is_a_message(open_app: Open, study_folder: Path, address: str, words: str) -> None:
    app = connected(open_app(PAGE, study=study_folder, **TAB), address)
    assert not app.exception
    assert words in app.error[0].value.replace("\\", "")
    assert cluster.active() is None


def test_nobody_there_is_a_message(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECTING", 0.3)
    app = connected(open_app(PAGE, study=study_folder, **TAB), "tcp://127.0.0.1:9")
    assert not app.exception
    assert "No scheduler answers" in app.error[0].value


def test_the_pages_compute_there_until_they_are_reported_not_to(
    open_app: Open, study_folder: Path, machines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = connected(open_app(PAGE, study=study_folder, **TAB), machines)
    assert not app.exception
    assert "1 worker" in said(app)
    asked: list[str] = []
    real = cluster.over_blocks
    monkeypatch.setattr(cluster, "over_blocks", lambda *a: (asked.append(a[4]), real(*a))[1])
    interface.forget()
    other = open_app("pages/2_Compare.py", study=study_folder, systems="@iou", alpha="0.37")
    assert not other.exception
    assert asked, "the Compare page ranked on the cluster"
    app.button(key="leave-cluster").click().run()
    assert not app.exception
    assert cluster.active() is None and app.text_input(key="scheduler")


def test_a_cluster_that_fails_says_so(open_app: Open, study_folder: Path) -> None:
    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp://", dashboard_address=None, silence_logs=50
    ) as short:
        cluster.share(short.scheduler_address)
        used = cluster.active()
        assert used is not None
        cluster.give_up(used, "a test")
    app = open_app(PAGE, study=study_folder, part=TAB["part"])
    assert not app.exception
    assert "was given up" in app.warning[0].value
