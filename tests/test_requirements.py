"""What the program needs: bounded above everywhere, and locked with digests as a whole."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "requirements.lock").read_text()
ENTRY = re.compile(
    r"^(?P<what>[a-z0-9-]+==[^\s;]+(?: ; [^\\\n]+)?) \\\n(?P<hashes>(?:    --hash=\S+(?: \\)?\n)+)", re.M
)


def listed(name: str) -> list[Requirement]:
    """The requirements of a file, one a line."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return [Requirement(line) for line in lines if line]


def optional() -> list[Requirement]:
    """The extras of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [Requirement(line) for lines in project["optional-dependencies"].values() for line in lines]


def locked() -> dict[str, Requirement]:
    found = [Requirement(entry["what"]) for entry in ENTRY.finditer(LOCK)]
    return {canonicalize_name(one.name): one for one in found}


def needed(wanted: list[Requirement]) -> set[str]:
    """The names of everything that is installed because of these, themselves included."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = list(wanted)
    while waiting:
        one = waiting.pop()
        here = canonicalize_name(one.name), frozenset(one.extras)
        if here in found:
            continue
        found.add(here)
        for line in distribution(one.name).requires or ():
            more = Requirement(line)
            extras = ("", *one.extras)
            if more.marker is None or any(more.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(more)
    return {name for name, _ in found}


EVERYWHERE = ["requirements.txt", "tests/requirements.txt", "tests/benchmarks/requirements.txt"]


@pytest.mark.parametrize(
    "one", [*(one for name in EVERYWHERE for one in listed(name)), *optional()], ids=lambda one: one.name
)
def test_every_requirement_has_an_upper_bound(one: Requirement) -> None:
    assert {spec.operator for spec in one.specifier} & {"<", "<=", "==", "~="}


def test_every_entry_of_the_lock_is_one_version_with_digests() -> None:
    entries = list(ENTRY.finditer(LOCK))
    left = "".join(line for line in ENTRY.sub("", LOCK).splitlines(keepends=True) if line[0] != "#")
    assert entries and left == ""
    for entry in entries:
        hashes = [line.strip(" \\") for line in entry["hashes"].splitlines()]
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", line) for line in hashes)
    assert len(locked()) == len(entries)


def test_the_lock_names_no_place_to_download_from() -> None:
    assert "://" not in LOCK and "index" not in LOCK


def test_the_lock_keeps_within_the_bounds_and_holds_all_that_is_needed() -> None:
    wanted, pinned = listed("requirements.txt"), locked()
    for one in wanted:
        (spec,) = pinned[canonicalize_name(one.name)].specifier
        assert spec.operator == "==" and one.specifier.contains(spec.version)
    assert needed(wanted) <= pinned.keys()


def licences(name: str) -> str:
    """What a package says of its licence: expression, classifiers, and the first line of a licence text."""
    told = distribution(name).metadata
    stated = [told.get("License-Expression") or "", *told.get_all("Classifier", [])]
    return "\n".join([*stated, (told.get("License") or "").strip().partition("\n")[0]])


COPYLEFT = re.compile(r"(?<!L)(?<!Lesser )(A?GPL|(Affero )?General Public License)", re.I)


def test_no_required_package_is_under_a_licence_that_would_bind_ours() -> None:
    bound = {name for name in needed(listed("requirements.txt")) if COPYLEFT.search(licences(name))}
    assert not bound


@pytest.mark.parametrize("name", ["krippendorff"])
def test_such_a_licence_is_recognised(name: str) -> None:
    assert COPYLEFT.search(licences(name))


def test_the_walk_finds_what_others_need() -> None:
    found = needed([Requirement("streamlit")])
    assert {"streamlit", "pandas", "numpy", "python-dateutil", "six"} <= found and "pytest" not in found
    with pytest.raises(PackageNotFoundError):
        needed([Requirement("no-such-package-anywhere")])
