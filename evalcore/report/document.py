"""A study as one HTML file: opens from disk without a network, prints on A4 and Letter."""

from __future__ import annotations

import base64
import hashlib
import platform
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import evalcore
from evalcore.figures.printed import Wanted, fitted, pixels, plotly_script, printed, why_not
from evalcore.report import html, sections
from evalcore.report.figures import figures_of
from evalcore.report.found import NOTHING_MORE, More, find
from evalcore.study.folder.settings_toml import settings_text
from evalcore.values.errors import InputError
from evalcore.values.progress import silent
from evalcore.values.view import command_line
from evalcore.values.writing import count, things

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.report.figures import Named
    from evalcore.report.found import Found
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress
    from evalcore.values.view import View

# How to get the numbers of a report again: digests, versions, commands, the settings as a file.

LIBRARIES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "networkx", "plotly", "kaleido")
"""Those that compute or draw; others only serve pages."""


def again(found: Found, folder: str) -> str:
    """The whole section; ``folder``: the name of the study's folder."""
    toml = settings_text(
        found.view, study=found.whole.name, digest=found.whole.content, program=evalcore.__version__
    )
    address = f"data:application/toml;base64,{base64.b64encode(toml.encode()).decode()}"
    link = f'<a download="settings.toml" href="{address}">settings.toml</a>'
    versions = html.facts(
        [
            ("Digest of the study's files", found.whole.content),
            ("Digest with queries, candidates and groups", found.study.digest),
            ("CUIscope", evalcore.__version__),
            ("Python", platform.python_version()),
            ("System", f"{platform.system()} {platform.machine()}"),
            ("Libraries", ", ".join(_versions())),
        ]
    )
    files = html.table(
        ("File", "What it is", "Format", "Rows"),
        [(part.file, part.kind, part.format, count(part.rows)) for part in found.whole.parts if part.used],
        caption="The files of the study that were read.",
        words=3,
    )
    return "".join(
        [
            versions,
            html.paragraph(html.text(f"In the folder that holds {folder}:")),
            html.code("\n\n".join(commands(found, folder))),
            html.paragraph(f"The settings as a file, for commands and pages: {link}"),
            html.code(toml.rstrip()),
            files,
        ]
    )


def commands(found: Found, folder: str) -> list[str]:
    """Command lines that print the numbers of the report, each below a comment that says which."""
    view = found.view
    options = view.options()
    ways = replace(found.more, sweep=False).options()
    lines = [
        f"# The tables\n{command_line('score', folder, *options, *ways)}",
        "# The same, with the settings below saved as settings.toml\n"
        + command_line("score", folder, "--settings", "settings.toml"),
    ]
    for of in found.metrics:
        if of.gap is not None and of.gap.family == "pairs":
            every = replace(view, metrics=(of.metric,), baseline="")
            said = f"# Every two systems, the best and the second among them, {of.metric}"
            lines.append(f"{said}\n{command_line('compare', folder, '--all', *every.options())}")
    wanted = [*options, *found.more.options()]
    lines.append(f"# This report\n{command_line('report', folder, '--out', 'report.html', *wanted)}")
    return lines


def _versions() -> Iterator[str]:
    for name in LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


# The look of a report: light, for screen and paper. A constant; no data ever passes through here.

STYLE = """
:root {color-scheme: light;}
@page {margin: 15mm;}
body {font: 10pt/1.45 "Source Sans 3", "Segoe UI", Arial, Helvetica, "Liberation Sans", sans-serif;
  color: #17212B; background: #FFFFFF; max-width: 180mm; margin: 12mm auto; padding: 0 4mm;}
h1 {font-size: 19pt; line-height: 1.2; margin: 0 0 2mm;}
h2 {font-size: 13pt; margin: 8mm 0 2mm; padding-top: 2mm; border-top: 1px solid #C9D1D7;
  break-after: avoid;}
h1, dd, td, figcaption, p {overflow-wrap: anywhere;}
p {margin: 0 0 2mm; orphans: 3; widows: 3;}
.kind {color: #0B6E6E; font-weight: 600; margin: 0;}
.verdict {font-size: 12pt;}
header p, figcaption, caption {color: #45525D;}
figure {margin: 4mm 0 6mm; break-inside: avoid;}
img {display: block; width: 100%; height: auto; max-height: 235mm; object-fit: contain;
  object-position: left top;}
figcaption, caption {font-size: 8.5pt; text-align: left;}
caption {padding-bottom: 1mm; break-after: avoid;}
table {border-collapse: collapse; width: 100%; margin: 3mm 0 6mm; font-size: 8pt; line-height: 1.3;}
thead {display: table-header-group;}
.short, tr {break-inside: avoid;}
th, td {padding: 1mm 1.2mm; text-align: left; vertical-align: top; border-bottom: 1px solid #E3E8EC;}
th {border-bottom-color: #56626D; font-weight: 600; vertical-align: bottom;}
.n {text-align: right; font-variant-numeric: tabular-nums;}
td:first-child {min-width: 20mm;}
td.n {white-space: nowrap; overflow-wrap: normal;}
dl {margin: 0 0 4mm; columns: 2; column-gap: 8mm; font-size: 9pt;}
dl div {break-inside: avoid; padding: 0.6mm 0; border-bottom: 1px solid #E3E8EC;}
dt {color: #45525D; font-size: 8pt;}
dd {margin: 0;}
pre {font: 8pt/1.4 "DejaVu Sans Mono", Consolas, monospace; background: #F4F7F8; padding: 2mm;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 4mm;}
a {color: #0B6E6E;}
footer {margin-top: 8mm; padding-top: 2mm; border-top: 1px solid #C9D1D7; font-size: 8.5pt; color: #45525D;}
@media print {body {margin: 0; padding: 0; max-width: none;}}
"""

MOST = 10_000_000
"""Bytes of a report."""
WARNING = "Research tool. Not for diagnosis."
_DRAW = (
    'document.querySelectorAll("img[data-figure]").forEach(async (image) => {'
    "const spec = JSON.parse(document.getElementById(image.dataset.figure).textContent);"
    'const [width, height] = ["width", "height"].map((name) => Number(image.getAttribute(name)));'
    'image.src = await Plotly.toImage(spec, {width, height, format: "svg"});'
    "});"
)


def report(
    study: Study,
    view: View,
    *,
    folder: str,
    made: str,
    more: More = NOTHING_MORE,
    progress: Progress = silent,
) -> str:
    """The report of a study as HTML, everything in it.

    Parameters
    ----------
    study
        As its files hold it.
    view
        What is compared and how; see `found.find` for what it leaves open.
    more
        What it says besides, slice by slice and under other settings.
    folder
        The name of the study's folder, for the commands it prints.
    made
        The day, as it should be read.

    Figures are drawn beforehand where Kaleido and a browser are there (see `figures.printed`). Else Plotly's
    own script is put in, 5 MB, and draws them when the file is opened; that too needs no network.

    Raises
    ------
    UnknownName, SettingError, InputError
        As `found.find`; a report that would be larger than 10 MB.
    """
    found = find(study, view, more=more, progress=lambda done, doing: progress(0.7 * done, doing))
    return document(
        found, folder=folder, made=made, progress=lambda done, doing: progress(0.7 + 0.3 * done, doing)
    )


def document(found: Found, *, folder: str, made: str, progress: Progress = silent) -> str:
    """The same of what was found."""
    named = figures_of(found)
    if why_not():
        figures, scripts = _drawn_when_opened(named)
    else:
        wanted = [Wanted(one.drawn, "svg", "double") for one in named]
        figures, scripts = _drawn_now(named, printed(wanted, progress=progress)), ()
    body = "".join(
        [
            "<header>",
            html.paragraph(html.text("CUIscope report"), "kind"),
            html.heading(found.whole.name, 1),
            html.paragraph(html.text(_subtitle(found, made))),
            "</header>",
            _section(sections.QUESTION, sections.verdict(found)),
            _section("Figures", figures),
            _section("Tables", sections.results(found)),
            _section("Data", sections.data(found)),
            _section("Method", sections.methods(found)),
            _section("Settings", sections.settings(found)),
            _section("The same numbers again", again(found, folder)),
            f"<footer>{html.text(WARNING)} {html.text(f'CUIscope {evalcore.__version__}')}</footer>",
        ]
    )
    page = _page(found.whole.name, body, scripts)
    if len(page.encode("utf-8", "replace")) > MOST:
        measures = len(found.metrics)
        raise InputError(
            f"The report would be larger than {MOST // 1_000_000} MB. It is about {measures} measures and "
            f"{len(found.view.systems)} systems: name fewer, with --metric and --system."
        )
    return page


def _subtitle(found: Found, made: str) -> str:
    study = found.study
    return (
        f"{things(len(found.view.systems), 'system')}, {things(len(study.queries), 'query')}, "
        f"{things(len(study.image_ids), 'image')}. Study {found.whole.content[:8]}. {made}."
    )


def _section(title: str, inner: str) -> str:
    return f"<section>{html.heading(title)}{inner}</section>"


def _drawn_now(named: Sequence[Named], pictures: Sequence[bytes]) -> str:
    return "".join(
        _figure(one, f'src="data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"')
        for one, picture in zip(named, pictures, strict=True)
    )


def _drawn_when_opened(named: Sequence[Named]) -> tuple[str, tuple[str, ...]]:
    figures = []
    for one in named:
        spec = str(one.drawn.figure.to_json()).replace("<", "\\u003c")
        figures.append(_figure(one, f'data-figure="{one.name}"'))
        figures.append(f'<script type="application/json" id="{one.name}">{spec}</script>')
    note = (
        f"<p>Drawn by this file when it is opened. {html.text(why_not())} It then holds them as pictures.</p>"
    )
    return note + "".join(figures), (plotly_script(), _DRAW)


def _figure(one: Named, source: str) -> str:
    drawn = one.drawn
    wide = pixels("double")
    size = f'width="{wide}" height="{fitted(drawn.figure, wide).layout.height:.0f}"'
    below = f"{drawn.alt} {drawn.how_to_read.technical}"
    return (
        f'<figure><img {source} {size} alt="{html.text(drawn.alt)}">'
        f"<figcaption>{html.text(below)}</figcaption></figure>"
    )


def _page(title: str, body: str, scripts: Sequence[str]) -> str:
    """The whole file. Only the scripts put in here may run, and nothing may be fetched."""
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in digests)
    may_run = f"script-src {allowed}; " if digests else ""
    policy = (
        f"default-src 'none'; {may_run}img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.text(title)} · CUIscope report</title><style>{STYLE}</style></head>"
        f"<body>{body}{''.join(f'<script>{one}</script>' for one in scripts)}</body></html>\n"
    )
