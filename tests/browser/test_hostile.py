"""Every page of a study whose every text tries something: it is shown, and nothing of it happens.

All in these views has a name, too.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, serve
from tests.browser.hand import UNNAMED, settle
from tests.hostile import AT, CUIS, PAYLOADS, write_hostile

pytestmark = pytest.mark.browser

FIRST, SECOND = PAYLOADS[0], PAYLOADS[1]
MIDDLE = quote(PAYLOADS[26])
VIEWS = (
    "?",
    "?part=all",
    f"Queries?k=20&reading=Expert&q={MIDDLE}",
    f"Queries?{urlencode({'q': FIRST, 'why': SECOND, 'why_by': 'matching:path', 'reading': 'Expert'})}",
    "Robustness?part=measures&view=ranking&reading=Expert&means=open",
    "Readers?part=judge&review=practice&read=yes&reader=R1",
)
OTHERS = (
    "?look=Under+other+measures&reading=Expert",
    "Data?",
    "Data?part=coverage",
    "Data?part=new",
    f"Queries?k=20&q={MIDDLE}",
    f"Queries?q={MIDDLE}&large=A1",
    "?part=groups",
    "Robustness?part=settings&reading=Expert",
    "Robustness?part=paper",
    "Robustness?part=measures&view=agreement&disagree=open",
    "Robustness?part=measures&view=power",
    "Robustness?part=measures&view=ratings",
    "Robustness?part=measures&view=definitions",
    "Concepts?reading=Expert",
    "Concepts?near=open&covered=open",
    "Readers?part=judge&answers=practice",
)
"""All pages in all views, in either reading, the first in every run; Challenge has a test of its own."""
ASKED = {
    "k": "9" * 5000,
    "alpha": "nan",
    "threshold": "1e999",
    "measure": AT,
    "systems": FIRST,
    "reading": SECOND,
    "q": "x" * 3000,
    "find": "y" * 3000,
    "why": FIRST,
    "part": FIRST,
    "view": SECOND,
    "from": SECOND,
    "to": FIRST,
    "link": SECOND,
    "off": FIRST,
    "as": "\ud800",
    "task": FIRST,
    "edition": SECOND,
    "large": FIRST,
    "review": FIRST,
    "draw": SECOND,
    "read": "yes",
    "reader": FIRST,
    "answers": SECOND,
}
"""What no address means, a half of a character among it."""
FOREIGN = """() => {
  const found = [], names = ["src", "srcset", "href", "xlink:href", "action", "data", "poster"];
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (["IFRAME", "OBJECT", "EMBED", "BASE", "META", "FORM"].includes(one.tagName) && one.closest("body"))
        found.push(one.outerHTML.slice(0, 200));
      for (const name of names) {
        if (!one.hasAttribute(name)) continue;
        const to = new URL(one.getAttribute(name), location.origin);
        if (!(to.host === location.host || ["data:", "blob:"].includes(to.protocol)))
          found.push(one.outerHTML.slice(0, 200));
      }
      if (one.shadowRoot) look(one.shadowRoot);
    }
  };
  look(document);
  return found;
}"""
"""What of the page leads to another host, or could hold or send something."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("home")
    with serve(home, CUISCOPE_STUDY=str(write_hostile(home / "study"))) as url:
        yield url


@pytest.fixture
def watched(open_page: Callable):
    """A page on which no dialog may open; that it asks no other host is seen to by ``open_page``."""
    page = open_page("about:blank")
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert dialogs == []


def assert_untouched(page) -> None:
    """None of the texts did anything."""
    assert page.evaluate(FOREIGN) == []
    assert page.evaluate("window.__owned") is None
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.title().endswith(" · CUIscope")


PRACTICE = SimpleNamespace(name="practice")
"""The task of a study without tasks, for folds that each task has."""


def folds() -> dict[str, str]:
    """What opens every part of a page that is closed until a reader opens it."""
    opened = {}
    for file in sorted((ROOT / "evalcore").rglob("*.py")):
        text = file.read_text("utf-8")
        if "fold.section(" not in text:
            continue
        module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        for call in calls:
            if ast.unparse(call.func) == "fold.section":
                keep = next(argument.value for argument in call.keywords if argument.arg == "keep")
                if isinstance(keep, ast.Subscript):  # one of a table of keys
                    opened |= dict.fromkeys(map(str, vars(module)[ast.unparse(keep.value)].values()), "open")
                else:
                    opened[str(eval(ast.unparse(keep), {**vars(module), "task": PRACTICE}))] = "open"
    return opened


@pytest.mark.parametrize(
    "views", [VIEWS, pytest.param(OTHERS, marks=pytest.mark.nightly)], ids=["", "others"]
)
def test_no_text_of_a_study_does_anything(hostile: str, watched, views: tuple[str, ...]) -> None:
    opened = urlencode(folds())
    for address in views:
        watched.goto(f"{hostile}/{address}{'' if address.endswith('?') else '&'}{opened}")
        settle(watched)
        assert_untouched(watched)
        assert watched.get_by_test_id("stMain").evaluate(UNNAMED) == [], address
        if address == "?":
            shown = watched.get_by_test_id("stMain").inner_text().replace("\u2060", "")
            assert FIRST in shown, "it is shown as it is written"


def test_no_file_of_a_submission_does_anything(hostile: str, watched) -> None:
    watched.goto(f"{hostile}/Challenge?")
    settle(watched)
    given = watched.locator("[data-testid=stMain] [data-testid=stFileUploader] input[type=file]")
    rows = "ID,CUIs\n" + "".join(f'"{image}",{CUIS[0]}\n' for image in ("a", "b"))
    names = [f"{text}.csv" for text in (FIRST, *PAYLOADS[8:13])]
    given.set_input_files([{"name": name, "mimeType": "text/csv", "buffer": rows.encode()} for name in names])
    watched.locator("[class*='st-key-forget-']").nth(len(names) - 1).wait_for()
    settle(watched)
    hint = watched.get_by_test_id("stTooltipContent")
    for button in watched.locator("[class*='st-key-forget-'] button:visible").all():
        button.hover()
        expect(hint).to_contain_text("Remove ")
        assert_untouched(watched)
    expect(watched.get_by_text("over 2 images").first).to_be_visible()
    assert_untouched(watched)
    watched.get_by_text("Run details").click()
    for tab in ("Behind the score", "Images"):
        watched.get_by_role("tab", name=tab).click()
        settle(watched)
        assert_untouched(watched)


def test_no_address_breaks_a_page(hostile: str, watched) -> None:
    for page in ("", "Queries", "Robustness", "Concepts"):
        watched.goto(f"{hostile}/{page}?{urlencode(ASKED, errors='surrogatepass')}")
        settle(watched)
        assert_untouched(watched)
        if page not in ("Robustness", "Concepts"):  # which have their own choices
            expect(watched.locator(".st-key-k input")).to_have_value("10")
