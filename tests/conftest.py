"""What every test may ask for: the spec's golden values and the real studies beside the project."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from streamlit.components.v2 import manifest_scanner

from evalcore.cli import run
from evalcore.figures import frame
from evalcore.values import plugins

# A slow machine is no failure of a law; a run is the same every time.
settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")

frame.CHECKED = True

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("CUISCOPE_SHARED", ROOT.parent / "shared"))


def _beside(relative: str) -> Path:
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"needs {relative} of the folder 'shared' beside the project")
    return path


@pytest.fixture(scope="session")
def spec_golden() -> dict:
    return json.loads(_beside("spec/golden.json").read_text())


@pytest.fixture(scope="session")
def spec_extra() -> dict:
    return json.loads(_beside("spec/extra.json").read_text())


@pytest.fixture(scope="session")
def real_dir() -> Path:
    return _beside("real")


@pytest.fixture(scope="session")
def images_dir() -> Path:
    return _beside("images")


@pytest.fixture
def as_json(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What a command prints with --json; it succeeds, or ends with another ``code``."""

    def printed(*words: object, code: int = 0) -> Any:
        capsys.readouterr()
        assert run([*map(str, words), "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return printed


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders, numbered here: pytest looks through all the folders it has made to find the next number."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(n) for n in count())


@pytest.fixture(autouse=True)
def _own_workspace(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """No test writes into the home, or the database, of whoever runs it."""
    home = next(_homes)
    home.mkdir()
    monkeypatch.setenv("CUISCOPE_HOME", str(home))
    monkeypatch.delenv("CUISCOPE_DATABASE", raising=False)


@pytest.fixture(autouse=True)
def _own_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is gone after it, and nothing is registered by the environment."""
    monkeypatch.delenv(plugins.VARIABLE, raising=False)
    yield
    registries: list[Any] = [*plugins.functions.values(), *plugins.specs.values()]
    for registry in (*registries, plugins.files, plugins.left_out):
        registry.clear()


@pytest.fixture(scope="session", autouse=True)
def _packages_are_looked_through_once() -> Iterator[None]:
    """Streamlit reads the metadata of all that is installed at each run of a page: over half of its time."""
    with pytest.MonkeyPatch.context() as patched:
        scan = manifest_scanner.scan_component_manifests
        patched.setattr(manifest_scanner, "scan_component_manifests", cache(scan))
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Before the tests go to several processes: compile once what each of them would compile.

    Of what is collected nothing is garbage, so the collector rests until then.
    """
    gc.disable()
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        subprocess.run([sys.executable, "-m", "tests.warm"], cwd=ROOT, check=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow rooms first: on several processors, the short tests then fill what time is left on each."""
    slow = ("tests/browser/", "tests/ui/")
    items.sort(
        key=lambda item: next((i for i, room in enumerate(slow) if item.nodeid.startswith(room)), len(slow))
    )


def pytest_collection_finish() -> None:
    """Collected tests and modules stay to the end: the garbage collector need not look at them again."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    """Where every test can run (CUISCOPE_NO_SKIPS), a skipped test is a failed one."""
    report = (yield).get_result()
    if report.skipped and os.environ.get("CUISCOPE_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        why = call.excinfo.value if call.excinfo else ""
        report.longrepr = f"skipped where nothing may be skipped: {why}"
