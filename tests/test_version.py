"""One version, wherever it is named."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import evalcore
from evalcore.cli import run

ROOT = Path(__file__).resolve().parent.parent


def test_every_place_names_the_version_of_the_package(capsys):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    assert project["tool"]["hatch"]["version"] == {"path": "evalcore/values/version.py"}
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), flags=re.M)
    assert cited is not None and cited[1] == evalcore.__version__
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"CUIscope {evalcore.__version__}\n"


def test_the_newest_release_of_the_changelog_is_this_version():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M)
    releases = [one.split(" - ") for one in headings if one != "Unreleased"]
    assert "Unreleased" not in headings[1:], "it comes first"
    assert releases[0][0] == evalcore.__version__
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for _, date in releases)
    assert [date for _, date in releases] == sorted((date for _, date in releases), reverse=True)
