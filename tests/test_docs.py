"""README and docs say what is true: their code runs, their links lead somewhere, their site builds."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from docs import make_reference
from evalcore.cli import main, run
from evalcore.cli.program import iter_commands
from evalcore.study.folder.layout import parse_study_toml
from evalcore.study.folder.settings_toml import parse_settings
from evalcore.study.workspace.home import home, make_folder
from evalcore.ui.frame.pages import PAGES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WRITTEN = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>.+?) -->\n)?"
    r'```(?P<language>\w*)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$',
    flags=re.S | re.M,
)
MOST_NOT_RUN = 21


@dataclass(frozen=True, slots=True)
class Block:
    """One code block: why it is not run or "", its language, the file it is saved as or ""."""

    page: Path
    why: str
    language: str
    file: str
    text: str


def blocks_of(page: Path) -> list[Block]:
    matches = BLOCK.finditer(page.read_text("utf-8"))
    return [Block(page, **match.groupdict(default="")) for match in matches]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


BLOCKS = [block for page in WRITTEN for block in blocks_of(page)]
RUN = ("sh", "python")


def test_every_block_is_of_a_kind_that_is_tried() -> None:
    """Commands and Python run; tables and settings are saved, or stand in the reference, which is made."""
    kinds = {(b.language, bool(b.file)) for b in BLOCKS if not b.why}
    saved = {(language, True) for language in ("csv", "toml", "text", "json", "yaml")}
    shown = {("text", False), ("toml", False)}
    assert kinds <= {("sh", False), ("python", False), *saved, *shown}
    assert {name_of(b.page) for b in BLOCKS if (b.language, b.file) == ("toml", "")} <= {
        "docs/reference/settings.md",
        "docs/reference/study-folder.md",
    }
    assert [b for b in BLOCKS if b.why and b.language not in RUN] == []
    assert sum(bool(b.why) for b in BLOCKS) <= MOST_NOT_RUN


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each line of a block, without its comment; lines that end in a backslash go on."""
    for line in text.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            yield words


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader has: a study, one that nobody annotated yet, real pictures and generated ones."""
    folder = tmp_path_factory.mktemp("reader")
    shutil.copytree(ROOT / "data", folder / "my_study")
    annotated = shutil.ignore_patterns(
        "concepts.csv", "labels.csv", "kinds.csv", "study.toml", "systems", "review"
    )
    shutil.copytree(ROOT / "data", folder / "new_study", ignore=annotated)
    pictures = sorted((ROOT / "data" / "images").iterdir())
    for name, some in (("real", pictures[:16]), ("generated", pictures[16:32])):
        (folder / name).mkdir()
        for picture in some:
            shutil.copy(picture, folder / name)
    return folder


RUNNING = [page for page in WRITTEN if any(b.language in RUN and not b.why for b in blocks_of(page))]


@pytest.mark.parametrize("page", RUNNING, ids=name_of)
def test_code_runs(page: Path, sample: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    """In the order of the page, in a folder of its own."""
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BROWSER_PATH", "no-browser")  # reports are drawn in one by tests/report
    make_folder(home())  # a reader has used the program before
    text = page.read_text("utf-8")
    for name in ("my_study", "new_study", "real", "generated"):
        if name in text:
            shutil.copytree(sample / name, tmp_path / "here" / name)
    (tmp_path / "here").mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / "here")
    names: dict[str, object] = {}
    for block in blocks_of(page):
        if block.why:
            continue
        if block.file:
            place = Path(block.file)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, "utf-8")
        if block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "python":
            exec(compile(block.text, name_of(page), "exec"), names)
            assert capsys.readouterr().out.strip() or "print(" not in block.text
        elif block.language == "sh":
            for words in commands_in(block.text):
                check_command(words, capsys)


def check_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = words
    assert program == "cuiscope", "mark what is not run"
    written = [Path(value) for option, value in pairwise(words) if option == "--out"]
    code = run(arguments)
    out, err = capsys.readouterr()
    assert code == 0, (words, err)
    assert out.strip() or written, words
    assert all(path.exists() for path in written), words


def test_the_workflow_stops_a_decline(sample: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    """Its step ends with exit code 3 when the run is worse than that of the main branch, else with 0."""
    shutil.copytree(sample / "my_study", tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "how-to" / "continuous-integration.md").read_text("utf-8")
    (step,) = re.findall(r"^ +cuiscope (compare .*) > comment.md", text, flags=re.M)
    assert run(["rank", "study", "--system", "hog", "--out", "main.trec"]) == 0
    for system, code in (("hog", 0), ("texture", 3)):
        assert run(["rank", "study", "--system", system, "--out", "run.trec"]) == 0
        assert run(shlex.split(step.replace("main.trec.gz", "main.trec"))) == code
    out, err = capsys.readouterr()
    assert out.count("| System | Minus | Metric |") == 2 and "Declined: run under nnCUI@10" in err


def test_what_the_readme_says_of_running_and_testing_is_what_runs() -> None:
    test = next(b for b in blocks_of(ROOT / "README.md") if "pytest" in b.text)
    assert test.why and test.text.strip() in (ROOT / ".ci" / "run").read_text().splitlines()
    assert test.text in (DOCS / "CONTRIBUTING.md").read_text()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 160


# The reference follows from the code.


def test_the_examples_of_the_script_that_makes_it() -> None:
    tried = doctest.testmod(make_reference)
    assert tried.attempted >= 3 and tried.failed == 0


@pytest.mark.parametrize("page", make_reference.PAGES, ids=lambda page: page.name)
def test_what_is_made_is_up_to_date(page: Path) -> None:
    text = page.read_text("utf-8")
    assert make_reference.made(text) == text, "run: python docs/make_reference.py"


def test_every_part_that_is_made_is_on_a_page() -> None:
    text = "".join(page.read_text("utf-8") for page in make_reference.PAGES)
    assert set(re.findall(r"<!-- made: ([\w-]+) -->", text)) == set(make_reference.BLOCKS)


@pytest.mark.parametrize(
    ("page", "parse"), [("study-folder.md", parse_study_toml), ("settings.md", parse_settings)]
)
def test_what_the_reference_shows_of_toml_is_read(page: str, parse) -> None:
    (block,) = (b for b in blocks_of(make_reference.REFERENCE / page) if b.language == "toml")
    _, report = parse(block.text.encode(), file="file.toml")
    assert [str(problem) for problem in report.problems] == []


def test_every_page_and_every_command_is_listed() -> None:
    text = (make_reference.REFERENCE / "pages.md").read_text("utf-8")
    rows = re.findall(r"^\| \[([\w ]+)\]\(\.\./([\w/-]+)\.md\) \| ([^|]+\?) \| ([^|]+) \|$", text, flags=re.M)
    assert [(title, guide, question) for title, guide, question, _ in rows] == [
        (p.title, p.guide, p.question) for p in PAGES
    ]
    listed = {words for *_, some in rows for words in re.findall(r"`([\w ]+?)(?: --[^`]+)?`", some)}
    assert listed == {words for words, _ in iter_commands(main)}


CONCEPTS = {"plain X-ray", "postero-anterior", "pleural effusion", "pneumothorax", "femur"}
"""Words in italics that are no label on a page."""


def test_labels_of_pages_are_as_the_pages_have_them() -> None:
    """What guides put in italics, such as *Data > Systems*, is somewhere in the program in these words."""
    files = [*(ROOT / "evalcore").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    sources = "".join(path.read_text("utf-8") for path in sorted(files))
    written = re.sub(r'"\s*\n\s*f?"', "", sources)
    missing = {}
    for page in (
        page for folder in ("how-to", "explanation", "papers") for page in (DOCS / folder).glob("*.md")
    ):
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.S)
        labels = re.findall(r"(?<!\*)\*([^*\n]+(?:\n[^*\n]+)?)\*(?!\*)", prose)
        words = {part for label in labels for part in " ".join(label.split()).split(" > ")} - CONCEPTS
        if absent := sorted(word for word in words if word not in written):
            missing[page.name] = absent
    assert missing == {}


# Links and the site.


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    """Those of docs are checked when the site is built."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / "README.md").read_text("utf-8"))
    assert links and [link for link in links if not (ROOT / link).exists()] == []


def test_the_index_leads_to_every_page_of_its_purpose() -> None:
    index = (DOCS / "index.md").read_text("utf-8")
    pages = [p.relative_to(DOCS).as_posix() for p in WRITTEN[1:] if p.parent.name != "results"]
    assert [page for page in pages if page != "index.md" and f"({page}" not in index] == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation as a site; broken links end the build."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(DOCS, folder / "docs")
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


def test_the_site_asks_no_network(site: Path) -> None:
    """Links are for whoever follows them; nothing else on a page comes from elsewhere."""
    pages = list(site.rglob("*.html"))
    assert len(pages) == len(WRITTEN), "every page of docs, and one for what is not found"
    loads = re.compile(r'<(?!a\b)[^>]*\b(?:src|href|content|data-[\w-]+)="(?:https?:)?//[^"]*"')
    assert [(page.name, match[0]) for page in pages if (match := loads.search(page.read_text("utf-8")))] == []
    styles = "".join(style.read_text("utf-8") for style in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//[^)]*", styles) == []
    assert not any('class="mermaid"' in page.read_text("utf-8") for page in pages), "its script is fetched"
