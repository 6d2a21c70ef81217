"""What the program needs: bounded above everywhere, locked with digests as a whole; and its one version."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import evalcore
from evalcore.cli import run

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "requirements.lock").read_text()
ENTRY = re.compile(
    r"^(?P<what>[a-z0-9-]+==[^\s;]+(?: ; [^\\\n]+)?) \\\n(?P<hashes>(?:    --hash=\S+(?: \\)?\n)+)", re.M
)


def listed(name: str) -> list[Requirement]:
    """The requirements of a file, one a line."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return [Requirement(line) for line in lines if line]


_TOML = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, TOOLS = _TOML["project"], _TOML["tool"]
OPTIONAL = {extra: [*map(Requirement, lines)] for extra, lines in PROJECT["optional-dependencies"].items()}
OF_DEVELOPERS = OPTIONAL.pop("dev")
MOST_PACKAGES = 59
"""Of an installation without extras, this program included."""
TRIED = {
    "models": "torch 2.6, torchvision 0.21, transformers 5.23, sentence-transformers 6, open_clip_torch 3.3, "
    "timm 1.0.26",
    "caption-models": "torch 2.6, transformers 4.57",
}
"""By extra with torch: the oldest version of what opens files of models. With just these, the tests of
features/encode, of features/imageclef/models and of features/synthetic networks passed, hostile folders among
them. (torch 2.5 runs code in files opened as numbers only, CVE-2025-32434; timm 1.0.24 that of a checkpoint
which a config.json names.) Who lowers a bound runs them with it first."""
NOT_BROUGHT = {"torchvision", "lpips", "sentencepiece", "bleurt-pytorch"}
"""What the tests do without: stand-ins have their interfaces."""
OPENS_NO_MODEL = {"sentencepiece", "bleurt-pytorch", "lpips"}


def optional() -> list[Requirement]:
    """The packages of all extras."""
    return [requirement for some in OPTIONAL.values() for requirement in some]


def locked() -> dict[str, Requirement]:
    requirements = [Requirement(entry["what"]) for entry in ENTRY.finditer(LOCK)]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def needed(wanted: list[Requirement]) -> set[str]:
    """The names of everything that is installed because of these, themselves included."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = list(wanted)
    while waiting:
        requirement = waiting.pop()
        here = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if here in seen:
            continue
        seen.add(here)
        for line in distribution(requirement.name).requires or ():
            more = Requirement(line)
            extras = ("", *requirement.extras)
            if more.marker is None or any(more.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(more)
    return {name for name, _ in seen}


EVERYWHERE = ["requirements.txt", "tests/requirements.txt", "tests/benchmarks/requirements.txt"]


def test_every_requirement_has_an_upper_bound() -> None:
    every = [*(requirement for name in EVERYWHERE for requirement in listed(name)), *optional()]
    bounded = {"<", "<=", "==", "~="}
    assert [
        str(requirement)
        for requirement in every
        if not {spec.operator for spec in requirement.specifier} & bounded
    ] == []


def test_every_entry_of_the_lock_is_one_version_with_digests() -> None:
    entries = list(ENTRY.finditer(LOCK))
    left = "".join(line for line in ENTRY.sub("", LOCK).splitlines(keepends=True) if line[0] != "#")
    assert entries and left == ""
    for entry in entries:
        hashes = [line.strip(" \\") for line in entry["hashes"].splitlines()]
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", line) for line in hashes)
    assert len(locked()) == len(entries)


def test_the_lock_keeps_within_the_bounds_and_holds_all_that_is_needed() -> None:
    wanted, pinned = listed("requirements.txt"), locked()
    for requirement in wanted:
        (spec,) = pinned[canonicalize_name(requirement.name)].specifier
        assert spec.operator == "==" and requirement.specifier.contains(spec.version)
    assert needed(wanted) <= pinned.keys()


def test_an_installation_stays_small() -> None:
    assert len(needed(listed("requirements.txt")) | {"cuiscope"}) <= MOST_PACKAGES


def test_every_extra_is_known_to_the_program() -> None:
    assert OPTIONAL.keys() == {"models", "caption-models", "postgres", "cluster", "print"}
    code = "\n".join(path.read_text() for path in (ROOT / "evalcore").rglob("*.py"))
    named = re.findall(r"\b(?:needs|why_not|missing|remedy|how_to_install)\(\s*[\"']([a-z-]+)[\"']", code)
    assert {*named} == OPTIONAL.keys()


def test_developers_get_what_the_tests_need() -> None:
    assert [*map(str, OF_DEVELOPERS)] == [*map(str, listed("tests/requirements.txt"))]


def test_the_tests_bring_the_extras_within_the_same_bounds() -> None:
    brought = {canonicalize_name(r.name): r for r in listed("tests/requirements.txt")}
    others = [r for key, some in OPTIONAL.items() if key != "caption-models" for r in some]
    for requirement in [r for r in others if r.name not in NOT_BROUGHT]:
        here = brought[canonicalize_name(requirement.name)]
        pinned = [spec.version for spec in here.specifier if spec.operator == "=="]
        assert here.extras == requirement.extras
        within = (
            requirement.specifier.contains(pinned[0]) if pinned else here.specifier == requirement.specifier
        )
        assert within, requirement


def test_bounds_of_what_opens_files_of_models_begin_where_hostile_ones_were_tried() -> None:
    for extra, tried in TRIED.items():
        oldest = {
            r.name: Version(next(spec.version for spec in r.specifier if spec.operator == ">="))
            for r in OPTIONAL[extra]
            if r.name not in OPENS_NO_MODEL
        }
        assert oldest == {name: Version(text) for name, text in map(str.split, tried.split(", "))}


def licences(name: str) -> str:
    """What a package says of its licence: expression, classifiers, and the first line of a licence text."""
    metadata = distribution(name).metadata
    stated = [metadata.get("License-Expression") or "", *metadata.get_all("Classifier", [])]
    return "\n".join([*stated, (metadata.get("License") or "").strip().partition("\n")[0]])


COPYLEFT = re.compile(r"(?<!L)(?<!Lesser )(A?GPL|(Affero )?General Public License)", re.I)


def test_no_required_package_is_under_a_licence_that_would_bind_ours() -> None:
    some = [requirement for key in OPTIONAL.keys() - TRIED.keys() for requirement in OPTIONAL[key]]
    bound = {name for name in needed([*listed("requirements.txt"), *some]) if COPYLEFT.search(licences(name))}
    assert not bound


def test_every_place_names_the_version_of_the_package(capsys):
    assert "version" in PROJECT["dynamic"] and "version" not in PROJECT
    assert TOOLS["hatch"]["version"] == {"path": "evalcore/values/version.py"}
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), flags=re.M)
    assert cited is not None and cited[1] == evalcore.__version__
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"CUIscope {evalcore.__version__}\n"


def test_the_newest_release_of_the_changelog_is_this_version():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M)
    releases = [heading.split(" - ") for heading in headings if heading != "Unreleased"]
    assert "Unreleased" not in headings[1:], "it comes first"
    assert releases[0][0] == evalcore.__version__
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for _, date in releases)
    assert [date for _, date in releases] == sorted((date for _, date in releases), reverse=True)
