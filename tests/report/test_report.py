"""The report says the numbers of ``score``, in a file that needs nothing else."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from evalcore.cli import run
from evalcore.evaluate import score
from evalcore.evaluate.conditions import select as only
from evalcore.report import document
from evalcore.report.content import More, find
from evalcore.report.html import from_markdown
from evalcore.study import open_study
from evalcore.values import extras
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings, View
from tests.hostile import PAYLOADS, write_hostile

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


@pytest.fixture
def no_browser(monkeypatch):
    """Figures are left to the document: most of what is said of it has nothing to do with them."""
    monkeypatch.setattr(extras, "is_installed", lambda _: False)
    monkeypatch.setattr(document, "plotly_script", lambda: "")


def written(study, view=VIEW) -> str:
    return document.report(study, view, folder="data", made="1 May 2026")


def scored(capsys, *options):
    assert run(["score", "data", *options, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_tables_hold_what_score_prints(no_browser, capsys):
    text = written(open_study("data"))
    found = scored(capsys, *VIEW.options())
    tables = Tables(text).tables
    for metric in VIEW.metrics:
        (rows,) = [rows for caption, rows in tables if caption.startswith(f"{metric}: means")]
        by_name = {row[0].removesuffix(" (baseline)"): row for row in rows[1:]}
        for one in (row for row in found["scores"] if row["metric"] == metric):
            cells = [
                f"{one['mean']:.4f}",
                f"{one['ci_low']:.4f} to {one['ci_high']:.4f}",
                str(one["n_scored"]),
            ]
            assert by_name[one["system"]][1:4] == cells
    differences = [(caption, rows[1:]) for caption, rows in tables if "minus texture" in caption]
    pairs = {(row[0], caption.partition(":")[0]): row for caption, rows in differences for row in rows}
    assert len(pairs) == len(found["comparisons"]) == 4
    for one in found["comparisons"]:
        row = pairs[one["system"], one["metric"]]
        assert row[1].replace("−", "-") == f"{one['difference']:+.4f}"
        assert row[5] == str(one["n_pairs"])
        assert row[4] == ("< 0.001" if one["p_corrected"] < 0.001 else f"{one['p_corrected']:.3f}")
    judging = [rows for caption, rows in tables if "larger than 0.05" in caption]
    judged = [row[rows[0].index("More than 0.05")] for rows in judging for row in rows[1:]]
    words = {"larger": "yes", "smaller": "no", "unclear": "can't say"}
    assert judged == [words[one["judgement"]] for one in found["comparisons"]]
    assert "Filter" in text and "organ!=brain" in text and "Benjamini-Hochberg" in text
    chosen = score(only(open_study("data"), ["organ!=brain"]), metrics=["nnCUI@10"])
    assert f"(organ!=brain: {len(chosen.queries)} of 160 queries)" in text


def test_nothing_of_a_hostile_study_is_markup(no_browser, tmp_path):
    study = open_study(write_hostile(tmp_path / "hostile"))
    text = written(study, View(systems=(PAYLOADS[0], PAYLOADS[2], "hog")))
    tags = {tag for tag, _ in Tables(text).tags}
    ours = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "section",
        "footer",
        "h1",
        "h2",
        "p",
        "strong",
        "figure",
        "img",
        "figcaption",
        "script",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "dl",
        "div",
        "dt",
        "dd",
        "pre",
        "a",
    }
    assert tags <= ours
    for tag, attributes in Tables(text).tags:
        assert not {name for name in attributes if name.startswith("on")}
        assert tag != "a" or attributes["href"].startswith("data:application/toml")
        assert tag != "img" or attributes.get("src", "data:").startswith("data:")
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text


@pytest.mark.parametrize("name", PAYLOADS)
def test_names_in_sentences_show_as_they_are(name):
    from html import unescape

    from evalcore.values.writing import md_escape, plain

    shown = from_markdown(f"**{md_escape(name)}** is best")
    assert shown.startswith("<strong>") and re.findall(r"<[^>]*>", shown) == ["<strong>", "</strong>"]
    assert unescape(re.sub(r"</?strong>", "", shown)) == f"{plain(name)} is best"


def test_a_report_that_would_be_too_large_is_refused_with_the_way_out(no_browser, monkeypatch):
    monkeypatch.setattr(document, "MOST", 10_000)
    with pytest.raises(InputError, match="name fewer, with --metric and --system"):
        written(open_study("data"))


MORE = More(("modality",), sweep=True)


def test_slices_in_a_report_are_those_of_score(no_browser, capsys):
    text = document.report(open_study("data"), VIEW, folder="data", made="1 May 2026", more=MORE)
    found = scored(capsys, *VIEW.options(), "--by", "modality")
    tables = Tables(text).tables
    for metric in VIEW.metrics:
        (rows,) = [rows for caption, rows in tables if caption.startswith(f"{metric} by modality: means")]
        means = {row["system"]: row["mean"] for row in found["scores"] if row["metric"] == metric}
        assert rows[0][:2] == ["modality", "n"]
        assert rows[0][2:] == sorted(means, key=lambda name: -means[name]), "the best system first"
        cells = {
            (row[0], name): cell for row in rows[1:] for name, cell in zip(rows[0][2:], row[2:], strict=True)
        }
        expected = {(row["slice"], row["system"]): row for row in found["slices"] if row["metric"] == metric}
        assert cells == {key: f"{row['mean']:.4f}" for key, row in expected.items()} and len(cells) > 8
        (rows,) = [rows for caption, rows in tables if caption.startswith(f"{metric} by modality: each")]
        pairs = {(row[0], row[1]): row for row in rows[1:]}
        of = [row for row in found["slice_comparisons"] if row["metric"] == metric]
        assert len(pairs) == len(of) > 6
        for one in of:
            assert pairs[one["slice"], one["system"]][2].replace("−", "-") == f"{one['difference']:+.4f}"


def test_the_sweep_in_a_report_is_that_of_the_command(no_browser, capsys):
    text = document.report(open_study("data"), VIEW, folder="data", made="1 May 2026", more=MORE)
    options = ["--metric", "nnCUI@10", "--where", "organ!=brain"]
    options += [word for name in VIEW.systems for word in ("--system", name)]
    assert run(["sweep", "data", *options, "--alpha", "0.25", "--json"]) == 0
    standings = json.loads(capsys.readouterr().out)["standings"]
    (rows,) = [rows for caption, rows in Tables(text).tables if "at other weights" in caption]
    orders = {(int(row[0]), float(row[1])): row[2] for row in rows[1:]}
    assert len(orders) == len(standings) == 36
    for one in standings:
        order = orders[one["threshold"], one["alpha"]]
        assert [part.rsplit(" ", 1)[0] for part in order.split(", ")] == [
            of["system"] for of in one["systems"]
        ]
    captions = [caption for caption, _ in Tables(text).tables]
    assert not any(caption.startswith("P(organ)@5 at other weights") for caption in captions)


def test_the_registry_holds_what_the_pages_draw_of_a_comparison():
    study = open_study("data")
    view = View(metrics=("nnCUI@10", "P(modality&organ)@5"))
    found = find(study, view, more=More(None, sweep=True))
    names = [one.name for one in found.figures(every=True)]
    each = ["means", "differences", "queries", "curve", "scatter", "pairs", "every-query"]
    ways = ["modality", "organ", "finding"]
    wanted = [f"{name}-{number}" for name in each for number in (1, 2)]
    wanted += [f"{kind}-{by}-{n}" for kind in ("slices", "slice-differences") for by in ways for n in (1, 2)]
    wanted += ["overlap"]
    wanted += ["kinds-results-1", "kinds-shares-1"]  # concepts have kinds, labels have none
    # P(modality&organ) looks at labels: the weights of related concepts change nothing there.
    wanted += ["leaders-1", "order-1", "alpha-0-1", "alpha-1-1", "alpha-2-1"]
    assert sorted(names) == sorted(wanted)
    assert all(one.drawn.alt and one.drawn.how_to_read.technical for one in found.figures(every=True))
    in_report = [one.name for one in found.figures()]
    assert set(in_report) < set(names) and "slices-organ-2" in in_report and "leaders-1" in in_report
