"""Journeys through the running program, as a user takes them: what only a browser can get wrong.

Numbers, words and addresses of the pages are checked without one, in `tests/ui` and with the features. All
journeys visit one server; what one leaves there (answers of a reader, a new study) no other one looks at.
"""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from evalcore.values.bundled import SAMPLE
from tests.browser.conftest import HOSTILE
from tests.browser.hand import (
    OVERLAPPING,
    UNNAMED,
    add,
    answer,
    begin,
    choose,
    counted,
    resize,
    saved,
    script,
    select,
    settle,
    title,
    visit,
)
from tests.hostile import AT, CUIS, PAYLOADS
from tests.ui.conftest import rows_of_table

pytestmark = pytest.mark.browser

PAGES = ("Results", "Queries", "Robustness", "Concepts", "Readers", "Data", "Challenge", "Generated images")
MOST = {"words": 250, "widgets": 15, "figures": 2}
"""What a page may say at Simple when it is opened."""


def violations(page: Page) -> list[str]:
    """What axe calls serious or critical, with the first element of each; it lists no rule that is kept."""
    result = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{rule['id']}: {rule['nodes'][0]['html'][:200]}"
        for rule in result
        if rule["impact"] in {"serious", "critical"}
    ]


def overlapping(main: Locator) -> list[str]:
    """Texts in figures that overlap, once the figures are drawn for a new width."""
    for _ in range(20):
        texts: list[str] = main.evaluate(OVERLAPPING)
        if not texts:
            break
        main.page.wait_for_timeout(250)
    return texts


def assert_fits(main: Locator) -> None:
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 0


def test_the_checkers_see_what_is_wrong(open_page) -> None:
    page = open_page("about:blank")
    page.set_content("<html lang=en><title>Page</title><main><h1>Page</h1><button></button></main>")
    assert [rule.split(":")[0] for rule in violations(page)] == ["button-name"]
    text = "<text x=10 y={}>ten letters</text>"
    figure = "<main><div class=js-plotly-plot><svg width=90 height=60>{}</svg></div></main>"
    for second, seen in (("50", []), ("24", ["ten letters: over ten letters"])):
        page.set_content(figure.format(text.format(20) + text.format(second)))
        assert page.locator("main").evaluate(OVERLAPPING) == seen


def test_every_page_fits_screen_and_phone_and_keeps_the_rules_of_access(server: str, open_page) -> None:
    """From page to page by the links of the sidebar, in light and dark by turns; then two in full detail."""
    page = open_page(f"{server}/Generated_images?alpha=0.3&images=24")
    sidebar, main = page.get_by_test_id("stSidebar"), page.get_by_test_id("stMain")
    expect(title(page)).to_have_text("Generated images")
    for n, name in enumerate(PAGES):
        page.emulate_media(color_scheme=("light", "dark")[n % 2])
        visit(page, name)
        expect(main).to_contain_text("Research tool. Not for diagnosis. Use de-identified images only.")
        carried = sidebar.get_by_role("link", name="Queries", exact=True)
        expect(carried).to_have_attribute("href", re.compile(r"alpha=0\.3"))
        said = counted(page)
        assert all(said[kind] <= most for kind, most in MOST.items()), (name, said)
        assert violations(page) == [] and overlapping(main) == [], name
        assert_fits(main)
        resize(page, 390, 900)
        assert_fits(main)
        assert overlapping(main) == [], f"{name} on a phone"
        expect(page.get_by_test_id("stException")).to_have_count(0)
        resize(
            page, 1440, 900
        )  # figures are drawn again: a click meanwhile could meet what is being replaced
    sidebar.get_by_role("radio", name="Expert").click()  # the mouse stays on it: its colours there count too
    expect(page).to_have_url(re.compile("reading=Expert"))
    for name in ("Queries", "Results"):
        visit(page, name)
        assert_fits(main)
        assert violations(page) == [] and main.evaluate(UNNAMED) == [], name


HAS_FOCUS = "place => place.contains(document.activeElement)"
FOCUSED = """() => {
  const now = document.activeElement;
  return [now.innerText.trim(), getComputedStyle(now).outlineStyle, now.matches(":focus-visible")];
}"""


def tab_to(place: Locator, *, most: int = 150) -> None:
    """Press Tab until the place has the focus."""
    page = place.page
    for _ in range(most):
        if place.evaluate(HAS_FOCUS):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{most} times Tab do not lead to {place}")


def press(page: Page, key: str) -> None:
    page.keyboard.press(key)
    page.wait_for_timeout(60)
    settle(page)


def test_by_keyboard_to_why_a_result_counts_and_to_another_query(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?q=SYN_011")
    why = page.get_by_role("button", name="Why result 1 of A?", exact=True)
    expect(why).to_be_visible()
    settle(page)
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == ["Skip to the results", "solid", True]
    page.keyboard.press("Enter")
    for _ in range(12):
        page.keyboard.press("Tab")
        words, outline, visible = page.evaluate(FOCUSED)
        assert (outline, visible) == ("solid", True), words
        if words.startswith("Why"):
            break
    expect(why).to_be_focused()
    press(page, "Enter")
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("heading", name=re.compile("Result 1 of 10"), level=2)).to_be_visible()
    settle(page)
    press(page, "ArrowRight")
    expect(drawer.get_by_role("heading", name=re.compile("Result 2 of 10"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"why=SYN_\d+"))
    press(page, "Escape")
    expect(drawer).to_have_count(0)
    expect(page.get_by_role("button", name="Why result 2 of A?")).to_be_focused()
    tab_to(page.get_by_test_id("stSidebar").get_by_role("link", name="Queries", exact=True))
    press(page, "Enter")
    tab_to(page.get_by_placeholder("ID, caption, concept or label"))
    page.keyboard.type("SYN_001")
    press(page, "Enter")
    tab_to(page.get_by_role("button", name="Open SYN_001"))
    press(page, "Enter")
    expect(page.get_by_text("SYN_001 · query 1 of 1", exact=True)).to_be_visible()


def test_from_a_choice_over_two_systems_to_a_query(server: str, open_page) -> None:
    page = open_page(f"{server}/")
    settle(page)
    sidebar, alpha = page.get_by_test_id("stSidebar"), page.locator(".st-key-alpha")
    sidebar.get_by_text("More", exact=True).click()
    alpha.get_by_role("slider").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"alpha=0\.45"))
    expect(sidebar.get_by_text("1 changed under “More”")).to_be_visible()
    settle(page)
    page.get_by_role("tab", name="All pairs").click()
    expect(page.get_by_text("Every system against every other")).to_be_visible()
    settle(page)
    # Row by row without the diagonal: the last square of the fourth of five rows.
    square = page.locator('[class*="st-key-pairs-"] .scatterlayer .points path.point').nth(15)
    select(square, until=re.compile("a=texture&b=intensity-histogram"))
    settle(page)
    expect(page.get_by_role("tab", name="Two systems")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("texture − intensity-histogram", exact=False).first).to_be_visible()
    figure = page.locator(".js-plotly-plot", has=page.locator(".barlayer .point")).filter(
        has_text="queries, sorted by difference"
    )
    expect(figure).to_be_visible()
    settle(page)
    first = figure.evaluate("f => f.data.find(trace => trace.customdata).customdata[0]")
    select(figure.locator(".barlayer .point path").first, until=re.compile(f"q={first}"))
    expect(title(page)).to_have_text("Queries")
    expect(sidebar.get_by_text("1 changed under “More”")).to_be_visible()
    page.reload()
    expect(page.get_by_text(f"{first} · query ", exact=False).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"alpha=0\.45"))


SHIFTS = """() => {
  window.__shifted = 0;
  new PerformanceObserver(list => { for (const entry of list.getEntries()) window.__shifted += entry.value; })
    .observe({ type: "layout-shift" });
}"""
"""Adds up how much of the page moves from now on."""
FULLY_SHOWN = """row => {
  const end = row.getBoundingClientRect().right;
  return [...row.children].filter(item => item.getBoundingClientRect().right <= end).length;
}"""


def test_from_the_map_of_queries_to_one_and_to_the_next(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?systems=hog&systems=texture&systems=pixel-pca")
    figure = page.locator(".js-plotly-plot").filter(has_text="Every query under every system")
    expect(figure.locator(".scatterlayer .points path.point").first).to_be_attached()
    settle(page)
    carried = figure.evaluate("f => f.data.find(trace => trace.customdata).customdata")
    at = next(at for at, (_, system) in enumerate(carried) if system == "texture")
    query, system = carried[at]
    select(figure.locator(".scatterlayer .points path.point").nth(at), until=re.compile(f"q={query}"))
    expect(page.get_by_text(f"A · {system}").first).to_be_visible()
    expect(page.get_by_text("3 of 5 systems shown").first).to_be_visible()
    here = page.get_by_text(re.compile(rf"{query} · query \d+ of 160"))
    expect(here).to_be_visible()
    way, back = (
        ("Left", "Right") if page.get_by_role("button", name="Next").is_disabled() else ("Right", "Left")
    )
    settle(page)
    page.evaluate(SHIFTS)
    page.keyboard.press(f"Arrow{way}")
    expect(here).to_have_count(0)
    expect(page.get_by_text(re.compile(r"SYN_\d+ · query \d+ of 160"))).to_be_visible()
    expect(page).not_to_have_url(re.compile(f"q={query}"))
    settle(page)
    assert page.evaluate("window.__shifted") < 0.05, "nothing moves but the pictures that change"
    page.keyboard.press(f"Arrow{back}")
    expect(here).to_be_visible()
    settle(page)
    # They do not while somebody types.
    page.get_by_role("button", name="Find").click()
    field = page.locator(".st-key-find input")
    field.click()
    before = page.evaluate("window.__sent")
    field.press("ArrowRight")
    page.wait_for_timeout(500)
    assert page.evaluate("window.__sent") == before, "the server hears nothing of it"
    expect(here).to_be_visible()


def test_the_board_of_a_query_on_a_screen_and_on_a_phone(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?q=SYN_011&a=hog&b=texture&also=pixel-pca&also=intensity-histogram")
    expect(page.get_by_role("heading", name="D · intensity-histogram")).to_be_visible()
    settle(page)
    tops = page.locator(".cuiscope-board .result .tile").evaluate_all(
        "tiles => tiles.map(tile => tile.getBoundingClientRect()).map(box => [box.top, box.width])"
    )
    assert min(top for top, _ in tops) <= 400 and min(width for _, width in tops) >= 140
    rows = page.locator(".cuiscope-board .results")
    expect(rows).to_have_count(4)
    assert {row.evaluate(FULLY_SHOWN) for row in rows.all()} == {5}, "the rest by scrolling"
    assert rows.first.evaluate("row => row.children.length") == 10
    twice = page.locator(".result.shared").first.get_attribute("data-id")
    page.locator(f".result[data-id='{twice}'] button").first.hover()
    assert {cell.get_attribute("data-id") for cell in page.locator(".result.lit").all()} == {twice}
    page.get_by_role("button", name="Open result 2 of B large").click()
    expect(page).to_have_url(re.compile("large=B2"))
    settle(page)
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("large="))
    settle(page)
    page.get_by_role("button", name="Guide", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Explain a result", level=1)).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    settle(page)
    page.get_by_role("button", name="Why result 1 of A?").click()
    expect(dialog.get_by_text("Why does this image count?")).to_be_visible()
    expect(dialog.locator(".js-plotly-plot").first).to_be_visible()
    expect(page).to_have_url(re.compile("why=SYN_"))
    settle(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    picture = page.locator(".cuiscope-board .query img")
    for width, height in (720, 450), (600, 900), (390, 844):  # the first: 1440 by 900 at 200 %
        resize(page, width, height)
        page.get_by_test_id("stMain").evaluate("m => m.scrollTo(0, 0)")
        box = picture.bounding_box()
        assert box is not None and box["y"] + box["height"] <= height, width
        assert_fits(page.get_by_test_id("stMain"))
        assert rows.first.evaluate(FULLY_SHOWN) >= 2
    pickers = page.locator(".st-key-query-systems")
    expect(pickers).to_be_hidden()
    page.get_by_text("Systems and filters").click()
    expect(pickers).to_be_visible()


MOVED = script("moved")


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+", text)]


def test_settings_are_tried_meanwhile_and_curves_follow_the_slider_at_once(server: str, open_page) -> None:
    page = open_page(f"{server}/Robustness?alpha=0.3&k=7&reach=1&reach=2")
    expect(title(page)).to_have_text("Robustness")
    for name in ("Data", "Robustness"):
        visit(page, name)
    expect(page.get_by_text(re.compile("leads on .* 41 settings"))).to_be_visible()
    expect(page.get_by_text("42 settings tried, 41 of them different")).to_be_visible()
    page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    # The page was drawn anew by a fragment, after which number inputs once showed their smallest value.
    expect(page.get_by_role("spinbutton", name="Top results counted (k)")).to_have_value("7")
    expect(page).to_have_url(re.compile("alpha=0.3.*k=7"))
    plot = page.locator(".st-key-lines-now .js-plotly-plot")
    expect(plot.locator(".scatterlayer .point").first).to_be_visible()
    for key, old in ("alpha", 0.3), ("threshold", 1):
        settle(page)
        plot.evaluate(MOVED)
        page.locator(f".st-key-{key}").get_by_role("slider").press("ArrowRight")
        place, drawn = page.wait_for_function("window.__moved").json_value()
        assert drawn[key] == old, "the server has not drawn it yet"
        page.wait_for_function(
            "([key, old]) => document.querySelector('.st-key-lines-now .js-plotly-plot')"
            "?.layout.meta[key] !== old",
            arg=[key, old],
        )
        settle(page)
        confirmed = plot.locator(".scatterlayer .point").first.get_attribute("transform")
        assert numbers(place) == pytest.approx(numbers(confirmed), abs=1.5)


def test_from_measures_that_disagree_to_an_explanation(server: str, open_page) -> None:
    page = open_page(f"{server}/Robustness?part=measures&view=agreement&alpha=0.3")
    page.get_by_text("Pairs of images on which two measures disagree").click()
    expect(page.get_by_text("Select a ring to see why.")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(2)
    settle(page)
    ring = page.locator(".st-key-cloud .scatterlayer .trace").last.locator(".point").first
    select(ring, until=re.compile(r"why=SYN_\d+"))
    expect(title(page)).to_have_text("Queries")
    expect(page.get_by_text("Why does this image count?")).to_be_visible()
    expect(page).to_have_url(re.compile(r"alpha=0\.3"))


CT, IMAGING, CHEST_FILM = "C0040405", "C0011923", "C0039985"


def test_from_concept_to_concept(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?from={CT}&to={CHEST_FILM}")
    path = page.locator(".js-plotly-plot").filter(has_text="From X-ray computed tomography to Plain")
    expect(path).to_be_visible()
    select(path.get_by_text("Diagnostic imaging", exact=True).last, until=re.compile(f"to={IMAGING}"))
    expect(page.get_by_text("1 step apart", exact=False).first).to_be_visible()


SYSTEMS = sorted(path.name for path in (SAMPLE / "systems").iterdir())


def test_a_reader_judges_by_keyboard_alone_and_on_a_phone(server: str, open_page) -> None:
    page = open_page(f"{server}/Readers?review=practice&draw=1&read=yes")
    begin(page, "K12")
    shown = page.content() + page.locator(".desk").evaluate(
        "desk => desk.getRootNode().host.shadowRoot.innerHTML"
    )
    assert not [name for name in SYSTEMS if name in shown], "a reader sees no system"
    state, words = page.locator(".desk .state"), page.locator(".desk .said")
    for key, text in (("+", "Zoom 125%"), ("w", "window 240, level 128"), ("i", "inverted"), ("x", "1:1")):
        page.keyboard.press(key)
        expect(words).to_contain_text(text)
    page.keyboard.press("0")
    expect(words).to_have_text("Zoom 100%")
    for n in range(10):
        answer(page, str(1 + n % 5), *(("o",) if n % 3 else ("m", "f")), "Enter")
    answer(page, "c")
    page.keyboard.press("Enter")
    assert saved(page) == 11
    expect(state).to_contain_text("Choose a grade first")
    page.keyboard.press("t")
    page.keyboard.type("1 <b>or</b> 2?")
    page.keyboard.press("Escape")
    answer(page, "2", "Enter")
    assert saved(page) == 12
    expect(state).to_have_text("Saved")
    page.keyboard.press("u")
    expect(page.get_by_label("Comment")).to_have_value("1 <b>or</b> 2?")
    assert saved(page) == 11
    answer(page, "Enter")
    assert saved(page) == 12
    page.reload()
    expect(page.locator("[data-testid=stMain] .desk[data-item]")).to_be_visible()
    assert saved(page) == 12, "another day goes on here"
    expect(page.get_by_test_id("stException")).to_have_count(0)
    for task in "", "review=simulated-lists&draw=11":
        if task:
            page.goto(f"{server}/Readers?{task}&read=yes")
            begin(page, "P1")
        resize(page, 390, 844)
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        for button in [*page.locator(".desk .steps button").all(), page.locator(".desk .go")]:
            box = button.bounding_box()
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= 844


# A study whose every text tries something: it is shown, and nothing of it happens.

FIRST, SECOND = PAYLOADS[0], PAYLOADS[1]


def open_folds(page: Page) -> None:
    """Open every part of the page, or of its drawer, that is closed until a reader opens it."""
    drawer = page.get_by_role("dialog")
    place = drawer if drawer.count() else page.get_by_test_id("stMain")
    closed = place.locator("details:not([open]) > summary")
    for _ in range(20):
        if not closed.count():
            return
        closed.first.click()
        settle(page)


OF_THE_DAY = (
    "?",
    f"Queries?{urlencode({'q': FIRST, 'why': SECOND, 'why_by': 'matching:path', 'reading': 'Expert'})}",
    "Robustness?part=measures&view=ranking&reading=Expert",
    "Readers?part=judge&review=practice&read=yes&reader=R1",
)
OTHERS = (
    f"Queries?k=20&reading=Expert&q={quote(PAYLOADS[26])}",
    f"Queries?q={quote(PAYLOADS[26])}&large=A1",
    "Robustness?part=measures&view=ratings",
    *(
        re.sub(r"^(app|pages/\d_(\w+))\.py\??", r"\2?", view["address"])
        for view in rows_of_table("views.csv")
    ),
)
"""The pages in all their other views."""
MEANINGLESS = dict.fromkeys(("systems", "why", "part", "task", "large", "reader"), FIRST)
MEANINGLESS |= dict.fromkeys(("reading", "view"), SECOND) | {"measure": AT, "as": "\ud800"}
MEANINGLESS |= {"k": "9" * 5000, "alpha": "nan", "threshold": "1e999", "q": "x" * 3000, "find": "y" * 3000}
"""What no address means, a half of a character among it."""
FOREIGN = script("foreign")


def assert_untouched(page: Page) -> None:
    """None of the texts did anything."""
    assert page.evaluate(FOREIGN) == []
    assert page.evaluate("window.__owned") is None
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.title().endswith(" · CUIscope")


@pytest.fixture
def watched(open_page) -> Page:
    """A page on which no dialog may open; that it asks no other host is seen to by ``open_page``."""
    page = open_page("about:blank")
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert dialogs == []


@pytest.mark.parametrize(
    "views", [OF_THE_DAY, pytest.param(OTHERS, marks=pytest.mark.nightly)], ids=["", "others"]
)
def test_no_text_of_a_study_does_anything(server: str, watched: Page, views: tuple[str, ...]) -> None:
    main = watched.get_by_test_id("stMain")
    for address in views:
        watched.goto(f"{server}/{address}&study={HOSTILE}")
        settle(watched)
        open_folds(watched)
        assert_untouched(watched)
        assert main.evaluate(UNNAMED) == [], address
        if address == "?":
            assert FIRST in main.inner_text().replace("\u2060", ""), "it is shown as it is written"
    watched.goto(f"{server}/Queries?{urlencode({'study': HOSTILE} | MEANINGLESS, errors='surrogatepass')}")
    settle(watched)
    assert_untouched(watched)
    expect(watched.locator(".st-key-k input")).to_have_value("10")


def test_a_submission_does_nothing_and_stays_until_it_is_removed(server: str, watched: Page) -> None:
    watched.goto(f"{server}/Challenge?study={HOSTILE}")
    settle(watched)
    uploader = watched.locator("[data-testid=stMain] [data-testid=stFileUploader] input[type=file]")
    rows = "ID,CUIs\n" + "".join(f'"{image}",{CUIS[0]}\n' for image in ("a", "b"))
    names = [f"{text}.csv" for text in (FIRST, *PAYLOADS[8:13])]
    uploader.set_input_files(
        [{"name": name, "mimeType": "text/csv", "buffer": rows.encode()} for name in names]
    )
    removing = watched.locator("[class*='st-key-forget-'] button:visible")
    expect(removing).to_have_count(len(names))
    settle(watched)
    removing.last.hover()
    expect(watched.get_by_test_id("stTooltipContent")).to_contain_text("Remove ")
    expect(watched.get_by_text("over 2 images").first).to_be_visible()
    watched.get_by_text("Run details").click()
    for tab in ("Images", "Problems"):
        watched.get_by_role("tab", name=tab).click()
        settle(watched)
        assert_untouched(watched)
    for name in ("Concepts", "Challenge"):
        visit(watched, name)
    expect(watched.get_by_text("over 2 images").first).to_be_visible()
    expect(removing).to_have_count(len(names))
    for n in range(len(names), 0, -1):
        removing.first.click()
        expect(removing).to_have_count(n - 1)
        settle(watched)
    expect(watched.get_by_text("over 2 images")).to_have_count(0)


# Last: what follows opens a study of its own.

COUNT_CLICKS = """() => {
  window.clicks = 0;
  document.addEventListener("click", e => window.clicks += e.isTrusted, true);
}"""
"""Counts the clicks that reach the page. Playwright aims again, and keeps back its first click at the window,
when what it aims at moves under the mouse; a listener on the window would count that one too."""


def faulty_run(path: Path, out: Path) -> dict[str, int]:
    """A real run with three kinds of error; {words of the message: line}."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    parts = [line.split() for line in lines[:2000]]
    parts[10][4] = "nan"
    parts[20][2] = "NOBODY_KNOWS_ME"
    parts[31][2] = parts[30][2]
    out.write_text("\n".join(" ".join(p) for p in parts) + "\n")
    return {"The score is nan": 11, "NOBODY_KNOWS_ME": 21, "is listed already": 32}


def test_from_files_to_a_verdict_in_three_clicks_and_every_error_with_its_line(
    server: str, tmp_path: Path, open_page
) -> None:
    run, bad = tmp_path / "hog.txt.gz", tmp_path / "bad.txt"
    shutil.copy(SAMPLE / "systems" / "hog" / "run.trec.gz", run)
    expected = faulty_run(run, bad)
    page = open_page(server)
    page.evaluate(COUNT_CLICKS)
    choose(page, run, SAMPLE / "concepts.csv")
    add(page, run, SAMPLE / "concepts.csv")
    verdict = page.locator(".st-key-lead")
    expect(verdict).to_have_text(re.compile(r"^hog scores 0\.\d+ on .* over 157 queries\.$"))
    assert page.evaluate("window.clicks") == 3
    expect(title(page)).to_have_text("Results")
    choose(page, bad)
    add(page, bad)
    assert page.evaluate("window.clicks") == 3 + 3
    rows = page.get_by_test_id("stTable").locator("tr")
    for words, line in expected.items():
        of_the_study = rows.filter(has_text="systems/bad/run.txt")  # the form may still show its own
        expect(of_the_study.filter(has_text=words).filter(has_text=str(line))).to_be_visible()
    expect(verdict).to_contain_text("2 systems")
