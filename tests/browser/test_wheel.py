"""The wheel, installed outside the repository without any extra: its files, its command, its dashboard."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from hatchling.build import build_wheel
from playwright.sync_api import expect

from evalcore.cli import run
from evalcore.values.writing import words
from tests.browser.hand import settle
from tests.conftest import ROOT
from tests.running import serve

pytestmark = pytest.mark.browser

OF_EXTRAS = words(
    """
    torch, torchvision, lpips, transformers, sentence_transformers, open_clip, timm, sentencepiece,
    bleurt_pytorch, psycopg, distributed, kaleido
    """
)
"""Modules that an installation without extras does not have."""
ASKED = ["--metric", "nnCUI@10", "--json"]
NOT_OURS = """
[server]
address = "0.0.0.0"
allowedHosts = ["*"]
maxUploadSize = 1
[browser]
gatherUsageStats = true
[theme.light]
textColor = "#FF0000"
"""
"""Settings of another program that uses Streamlit, in the folder where ours is started."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(ROOT)
        return folder / build_wheel(str(folder))


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an environment that holds the wheel alone; other packages are those of the tests, but the extras."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True)
    scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(home)}))
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python")]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", "--no-compile", wheel], check=True)
    (packages / "beside.pth").write_text(
        f"{sysconfig.get_path('purelib')}\nimport sys; sys.modules.update(dict.fromkeys({OF_EXTRAS!r}))\n"
    )
    _keep_compiled(packages)
    return scripts


def _keep_compiled(packages: Path) -> None:
    """Take over what Python and numba compiled of the same files here: both compare size and time only."""
    for source in (ROOT / "evalcore").rglob("*.py"):
        shutil.copystat(source, packages / source.relative_to(ROOT))
    for kept in (ROOT / "evalcore").rglob("__pycache__/*.*"):
        copied = packages / kept.relative_to(ROOT)
        with suppress(FileNotFoundError):  # of a package that is gone, or another process is writing it
            copied.parent.mkdir(exist_ok=True)
            shutil.copyfile(kept, copied)


def test_the_wheel_holds_the_program_and_the_sample_study_and_nothing_else(wheel: Path) -> None:
    def files(folder: str) -> set[str]:
        paths = (ROOT / folder).rglob("*")
        return {p.relative_to(ROOT).as_posix() for p in paths if p.is_file() and "__pycache__" not in p.parts}

    front = {"app.py", ".streamlit/config.toml", *files("pages"), *files("data")}
    front -= {"data/README.md"}
    wanted = {name for name in files("evalcore") if not name.endswith(".md")}
    wanted |= {f"evalcore/dashboard/{name}" for name in front}
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.startswith("cuiscope-")}
    pages = {name.removeprefix("evalcore/dashboard/") for name in names if "/dashboard/docs/" in name}
    assert {name for name in names if "/dashboard/docs/" not in name} == wanted
    assert files("docs/how-to") <= pages <= files("docs")
    assert {"data/review/simulated.toml", "pages/5_Data.py"} <= front


def test_the_command_scores_the_sample_from_elsewhere_as_the_repository_does(
    bin_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    called = subprocess.run(
        [bin_folder / "cuiscope", "score", "sample", *ASKED], cwd=tmp_path, capture_output=True, text=True
    )
    assert called.returncode == 0, called.stderr
    assert run(["score", str(ROOT / "data"), *ASKED]) == 0
    assert json.loads(called.stdout) == json.loads(capsys.readouterr().out)


def test_the_dashboard_of_the_wheel_keeps_its_settings_anywhere(
    bin_folder: Path, tmp_path: Path, open_page, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(NOT_OURS)
    monkeypatch.setenv("HOME", str(tmp_path))
    with serve(tmp_path / "home", command=[str(bin_folder / "cuiscope"), "open"], cwd=tmp_path) as url:
        page = open_page(url)
        settle(page)
        title = page.get_by_role("heading", level=1)
        expect(title).to_contain_text("Results")
        assert title.evaluate("title => getComputedStyle(title).color") == "rgb(23, 33, 43)"
        with pytest.raises(HTTPError, match="421"):
            urllib.request.urlopen(urllib.request.Request(url, headers={"Host": "evil.example"}))
        with pytest.raises(ConnectionRefusedError), socket.socket() as outside:
            outside.connect(("127.0.0.2", urlsplit(url).port))
        page.get_by_role("button", name="Guide", exact=True).click()
        expect(
            page.get_by_role("dialog").get_by_role("heading", name="Compare systems", level=1)
        ).to_be_visible()
