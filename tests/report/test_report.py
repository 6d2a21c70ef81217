"""The report says the numbers of ``score``, in a file that needs nothing else."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from evalcore import score
from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.conditions import select as only
from evalcore.report import document, parts
from evalcore.report.content import compute_report
from evalcore.report.html import from_markdown
from evalcore.study import open_study
from evalcore.values import extras
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings, View
from evalcore.values.writing import md_escape, plain
from tests.hostile import PAYLOADS, write_hostile
from tests.toy import study_of, with_parts

VIEW = View(
    metrics=("nnCUI@10", "P(organ)@5"),
    systems=("texture", "hog", "pixel-pca"),
    baseline="texture",
    where=("organ!=brain",),
    correction="bh",
    smallest_difference=0.05,
    seed=3,
    settings=Settings(alpha=0.25),
)


class Tables(HTMLParser):
    """Every table: its caption and its rows of cells; and every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[list[str]]]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._at = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._at = tag
        if tag == "table":
            self.tables.append(("", []))
        if tag == "tr":
            self.tables[-1][1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][1][-1].append("")

    def handle_data(self, data):
        if self._at == "caption":
            self.tables[-1] = (self.tables[-1][0] + data, self.tables[-1][1])
        elif self._at in {"td", "th"}:
            self.tables[-1][1][-1][-1] += data

    def handle_endtag(self, _tag):
        self._at = ""


@pytest.fixture(autouse=True)
def no_browser(monkeypatch):
    """Figures are left to the document: most of what is said of it has nothing to do with them."""
    monkeypatch.setattr(extras, "is_installed", lambda _: False)
    monkeypatch.setattr(document, "plotly_script", lambda: "")


def written(study, view=VIEW, **more) -> str:
    return document.report(study, view, folder="data", **more).decode()


def numbers(rows) -> list[list[str]]:
    """The cells below the head, with the signs of the command."""
    return [[cell.replace("−", "-") for cell in row] for row in rows[1:]]


def test_tables_hold_what_the_commands_print(as_json):
    """Means, differences, slices and other weights of related concepts."""
    text = written(open_study("data"), by=["modality"], sweep=True)
    printed = as_json("score", "data", *VIEW.options(), "--by", "modality")
    tables = Tables(text).tables

    def table(start: str) -> list[list[str]]:
        (rows,) = [rows for caption, rows in tables if caption.startswith(start)]
        return rows

    for metric in VIEW.metrics:
        scores, pairs, slices = (
            [row for row in printed[key] if row["metric"] == metric]
            for key in ("scores", "comparisons", "slices")
        )
        by_name = {row[0].removesuffix(" (baseline)"): row for row in table(f"{metric}: means")[1:]}
        for row in scores:
            interval = f"{row['ci_low']:.4f} to {row['ci_high']:.4f}"
            assert by_name[row["system"]][1:4] == [f"{row['mean']:.4f}", interval, str(row["n_scored"])]
        shown = table(f"{metric}: each system minus texture")
        judged = shown[0].index("More than 0.05")
        words = {"larger": "yes", "smaller": "no", "unclear": "can't say"}
        assert {(row[0], row[1], row[5], row[judged]) for row in numbers(shown)} == {
            (row["system"], f"{row['difference']:+.4f}", str(row["n_pairs"]), words[row["judgement"]])
            for row in pairs
        }
        head, *rows = table(f"{metric} by modality: means")
        assert {
            (row[0], name, cell) for row in rows for name, cell in zip(head[2:], row[2:], strict=True)
        } == {(row["slice"], row["system"], f"{row['mean']:.4f}") for row in slices}
    systems = [word for name in VIEW.systems for word in ("--system", name)]
    how = ["--metric", "nnCUI@10", "--where", "organ!=brain", *systems, "--alpha", "0.25"]
    orders = {(int(row[0]), float(row[1])): row[2] for row in table("nnCUI@10 at other weights")[1:]}
    standings = as_json("sweep", "data", *how)["standings"]
    assert len(orders) == len(standings) == 36
    for row in standings:
        order = orders[row["threshold"], row["alpha"]].split(", ")
        assert [name.rsplit(" ", 1)[0] for name in order] == [system["system"] for system in row["systems"]]
    assert not any(caption.startswith("P(organ)@5 at other weights") for caption, _ in tables)
    assert "Filter" in text and "Benjamini-Hochberg" in text
    chosen = score(only(open_study("data"), ["organ!=brain"]), metrics=["nnCUI@10"])[0]
    assert f"(organ!=brain: {len(chosen.queries)} of 160 queries)" in text


OURS = (
    "html head meta title style body header section footer h1 h2 p strong figure img figcaption script table "
    "caption thead tbody tr th td dl div dt dd pre a"
)


def test_nothing_of_a_hostile_study_is_markup(tmp_path):
    study = open_study(write_hostile(tmp_path / "hostile"))
    text = written(study, View(systems=(PAYLOADS[0], PAYLOADS[2], "hog")))
    assert {tag for tag, _ in Tables(text).tags} <= {*OURS.split()}
    for tag, attributes in Tables(text).tags:
        assert not {name for name in attributes if name.startswith("on")}
        assert tag != "a" or attributes["href"].startswith("data:application/toml")
        assert tag != "img" or attributes.get("src", "data:").startswith("data:")
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text


@pytest.mark.parametrize("name", PAYLOADS)
def test_names_in_sentences_show_as_they_are(name):
    shown = from_markdown(f"**{md_escape(name)}** is best")
    assert shown.startswith("<strong>") and re.findall(r"<[^>]*>", shown) == ["<strong>", "</strong>"]
    assert unescape(re.sub(r"</?strong>", "", shown)) == f"{plain(name)} is best"


def test_a_report_that_would_be_too_large_is_refused_with_the_way_out(monkeypatch):
    monkeypatch.setattr(document, "MOST", 10_000)
    with pytest.raises(InputError, match="select fewer"):
        written(open_study("data"))


def test_every_figure_of_the_pages_of_a_comparison_has_a_name():
    view = View(metrics=("nnCUI@10", "P(modality&organ)@5"))
    content = compute_report(open_study("data"), view, by=None, sweep=True)
    figures = list(content.figures())
    each = ["means", "differences", "queries", "curve", "scatter", "pairs", "every-query"]
    ways = ["modality", "organ", "finding"]
    each += [f"{kind}-{by}" for kind in ("slices", "slice-differences") for by in ways]
    # Concepts have kinds, labels have none, and the weights of related concepts change nothing for them.
    wanted = ["overlap", "kinds-1", "leaders-1", "alpha-0-1", "alpha-1-1", "alpha-2-1"]
    assert sorted(figure.name for figure in figures) == sorted(
        wanted + [f"{name}-{n}" for name in each for n in (1, 2)]
    )
    assert all(figure.drawn.alt and figure.drawn.how_to_read.technical for figure in figures)


def test_a_label_called_like_the_queries_without_one_is_a_slice_of_its_own():
    sets = {f"q{i}": {"vein", f"c{i % 2}"} for i in range(6)}
    answers = {query: [other for other in sets if other != query] for query in sets}
    labels = {"side": {"q0": "no side", "q1": "no side", "q2": "no side", "q3": "left", "q4": "left"}}
    study = with_parts(study_of(sets), runs={"a": answers}, labels=labels)
    section = parts.slices(analyse(study, View(metrics=("CUI@3",))), "CUI@3", "side")
    assert [(row[0], row[1]["a"].n) for row in section.table.rows] == [
        ("no side", 3),
        ("left", 2),
        ("no side", 1),
    ]
