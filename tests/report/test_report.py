"""The report says the numbers of ``score``, in a file that needs nothing else."""

from __future__ import annotations

import base64
import json
import re
import shlex
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.errors import InputError
from evalcore.figures import printed
from evalcore.report import document
from evalcore.report.again import commands
from evalcore.report.figures import figures_of
from evalcore.report.found import find
from evalcore.report.html import from_markdown
from evalcore.settings import Settings
from evalcore.study import open_study
from evalcore.view import View
from tests.hostile import PAYLOADS, write_hostile

VIEW = View(
    metrics=("nnCUI@10", "P(organ)@5"), systems=("texture", "hog", "pixel-pca"), baseline="texture",
    where=("concepts>=3",), correction="bh", smallest_difference=0.05, seed=3, settings=Settings(alpha=0.25),
)  # fmt: skip


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
    monkeypatch.setattr(printed, "find_spec", lambda _: None)
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
    (rows,) = [rows for caption, rows in tables if "minus texture" in caption]
    pairs = {(row[0], row[1]): row for row in rows[1:]}
    assert len(pairs) == len(found["comparisons"]) == 4
    for one in found["comparisons"]:
        row = pairs[one["system"], one["metric"]]
        assert row[2].replace("−", "-") == f"{one['difference']:+.4f}"
        assert row[6] == str(one["n_pairs"])
        assert row[5] == ("< 0.001" if one["p_corrected"] < 0.001 else f"{one['p_corrected']:.3f}")
    (judged,) = [rows for caption, rows in tables if "larger than 0.05" in caption]
    words = {"larger": "yes", "smaller": "no", "unclear": "can't say"}
    assert [row[4] for row in judged[1:]] == [words[one["judgement"]] for one in found["comparisons"]]
    assert "Filter" in text and "concepts&gt;=3" in text and "Benjamini-Hochberg" in text


def test_its_commands_give_the_same_numbers(no_browser, capsys):
    found = find(open_study("data"), VIEW)
    lines = [line for text in commands(found, "data") for line in text.splitlines() if line[0] != "#"]
    tables, by_file, *pairs, again = [shlex.split(line)[3:] for line in lines]
    assert scored(capsys, *tables[2:]) == scored(capsys, *VIEW.options(), "--queries", found.over.which)
    assert by_file == ["score", "data", "--settings", "settings.toml"] and again[:2] == ["report", "data"]
    gaps = [of.gap for of in found.metrics if of.gap.baseline != "texture"]
    assert len(pairs) == len(gaps) > 0
    for gap, words in zip(gaps, pairs, strict=True):
        of = scored(capsys, *words[2:])["comparisons"]
        (one,) = [row for row in of if row["system"] == gap.system]
        assert (one["difference"], one["ci_low"], one["p"]) == (gap.difference, gap.low, gap.p)


def test_the_settings_in_it_are_those_of_the_view(no_browser, capsys, tmp_path):
    text = written(open_study("data"))
    (link,) = [attrs for tag, attrs in Tables(text).tags if tag == "a"]
    data = base64.b64decode(link["href"].partition("base64,")[2])
    assert link["download"] == "settings.toml"
    study = open_study("data")
    assert tomllib.loads(data.decode())["made_with"]["digest"] == study.content == study.digest
    (tmp_path / "settings.toml").write_bytes(data)
    by_file = scored(capsys, "--settings", str(tmp_path / "settings.toml"))
    assert by_file == scored(capsys, *VIEW.options(), "--queries", "all")


def test_the_digest_of_the_files_stands_whatever_is_chosen(no_browser):
    assert f"<dd>{open_study('data').content}</dd>" in written(open_study("data"))


def test_without_anything_asked_the_usual_is_compared():
    found = find(open_study("data"), View())
    assert found.view.metrics == ("nnCUI@10",) and len(found.view.systems) == 5
    assert found.view.baseline == found.view.systems[0] and found.view.queries == "all"


def test_nothing_of_a_hostile_study_is_markup(no_browser, tmp_path):
    study = open_study(write_hostile(tmp_path / "hostile"))
    text = written(study, View(systems=(PAYLOADS[0], PAYLOADS[2], "hog")))
    tags = {tag for tag, _ in Tables(text).tags}
    ours = {
        "html", "head", "meta", "title", "style", "body", "header", "section", "footer", "h1", "h2", "p",
        "strong", "figure", "img", "figcaption", "script", "table", "caption", "thead", "tbody", "tr", "th",
        "td", "dl", "div", "dt", "dd", "pre", "a",
    }  # fmt: skip
    assert tags <= ours
    for tag, attributes in Tables(text).tags:
        assert not {name for name in attributes if name.startswith("on")}
        assert tag != "a" or attributes["href"].startswith("data:application/toml")
        assert tag != "img" or attributes.get("src", "data:").startswith("data:")
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text


@pytest.mark.parametrize("name", PAYLOADS)
def test_names_in_sentences_show_as_they_are(name):
    from html import unescape

    from evalcore.markdown import md_escape, plain

    shown = from_markdown(f"**{md_escape(name)}** is best")
    assert shown.startswith("<strong>") and re.findall(r"<[^>]*>", shown) == ["<strong>", "</strong>"]
    assert unescape(re.sub(r"</?strong>", "", shown)) == f"{plain(name)} is best"


def test_a_report_that_would_be_too_large_is_refused_with_the_way_out(no_browser, monkeypatch):
    monkeypatch.setattr(document, "MOST", 10_000)
    with pytest.raises(InputError, match="name fewer, with --metric and --system"):
        written(open_study("data"))


def test_the_command_writes_the_file_and_says_how_large_it_is(no_browser, capsys, tmp_path):
    out = tmp_path / "report.html"
    assert run(["report", "data", "--out", str(out), "--metric", "CUI@5", "--json"]) == 0
    printed_out, err = capsys.readouterr()
    assert json.loads(printed_out)["bytes"] == out.stat().st_size < 10_000_000
    assert "pip install kaleido" in err
    assert run(["report", "data", "--out", str(tmp_path / "no" / "r.html")]) == 2
    assert "Cannot write" in capsys.readouterr().err


def test_with_one_system_there_is_nothing_to_compare(no_browser):
    text = written(open_study("data"), View(systems=("hog",), metrics=("P(organ)@5",)))
    assert "<strong>hog</strong> scores" in text and "minus" not in text


def test_a_folder_for_figures_that_cannot_be_made(capsys, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("evalcore.report.files.why_not", lambda: "")
    monkeypatch.setattr("evalcore.report.files.printed", lambda wanted, progress: [b""] * len(wanted))
    assert run(["figures", "data", "--out", str(tmp_path / "file" / "x")]) == 2
    assert "Cannot make the folder" in capsys.readouterr().err
    assert run(["figures", "data", "--out", str(tmp_path / "new"), "--system", "hog", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert [one["file"] for one in files] == [path.name for path in sorted(Path(tmp_path / "new").iterdir())]
    assert files[0]["width_mm"] == 85 and "hog has the highest mean" in files[0]["alt"]


def test_many_differences_are_drawn_measure_by_measure():
    metrics = tuple(f"P({label})@{k}" for label in ("organ", "modality", "finding") for k in (1, 3, 5))
    few, many = (find(open_study("data"), View(metrics=some)) for some in (metrics[:2], metrics))
    assert [len(few.comparisons), len(many.comparisons)] == [8, 36]
    names = [one.name for one in figures_of(few)]
    assert names == ["means-1", "means-2", "differences", "queries-1", "queries-2"]
    names = [one.name for one in figures_of(many) if one.name.startswith("differences")]
    assert names == [f"differences-{number}" for number in range(1, 10)]
    assert all(one.drawn.alt and one.drawn.how_to_read.technical for one in figures_of(many))


def test_without_kaleido_figures_are_refused_with_the_way_out(no_browser, capsys, tmp_path):
    assert run(["figures", "data", "--out", str(tmp_path / "f")]) == 2
    assert "pip install kaleido" in capsys.readouterr().err and not (tmp_path / "f").exists()
