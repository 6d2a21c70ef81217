"""A study as one HTML file: opens from disk without a network, prints on A4 and Letter."""

from __future__ import annotations

import base64
import hashlib
import platform
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path

from markupsafe import Markup

from evalcore.figures.narrow import fitted
from evalcore.figures.printed import Wanted, pixels, plotly_script, printed, why_not
from evalcore.report import html, sections, tables
from evalcore.report.figures import Named, figures_of
from evalcore.report.html import Table, drawn
from evalcore.report.results import NOTHING_MORE, Content, More, find
from evalcore.results.rows import Table as Rows
from evalcore.results.study import parts_table
from evalcore.study.folder.settings_toml import settings_text
from evalcore.study.tables.writers import write_pieces
from evalcore.values.bundled import bundled
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.plugins import used_in
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import View, command_line
from evalcore.values.version import __version__
from evalcore.values.writing import pluralize

# How to get the numbers of a report again: digests, versions, commands, the settings as a file.

LIBRARIES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "networkx", "plotly", "kaleido")
"""Those that compute or draw; others only serve pages."""


def versions(result: Content) -> list[tuple[str, object]]:
    """Digests of the study, and what the program ran on."""
    return [
        ("Digest of the study's files", result.whole.content),
        ("Digest with queries, candidates and groups", result.study.digest),
        ("CUIscope", __version__),
        ("Python", platform.python_version()),
        ("System", f"{platform.system()} {platform.machine()}"),
        ("Libraries", ", ".join(_versions())),
    ]


def files(result: Content) -> Table:
    """The files of the study that were read."""
    study = result.whole
    used = [part for part in study.parts if part.used]
    columns = [column for column in parts_table(study).columns if column.head]
    return drawn(Rows(used, columns), "The files of the study that were read.")


def commands(result: Content, folder: str) -> list[str]:
    """Command lines that print the numbers of the report, each below a comment that says which."""
    view = result.view
    files = dict.fromkeys(plugin.file for plugin in used_in([*view.metrics, *view.systems]))
    own = [word for file in files for word in ("--plugin", file)]
    options = [*own, *view.options()]
    ways = replace(result.more, sweep=False).options()
    lines = [
        f"# The tables\n{command_line('score', folder, *options, *ways)}",
        "# The same, with the settings below saved as settings.toml\n"
        + command_line("score", folder, *own, "--settings", "settings.toml"),
    ]
    for of in result.metrics:
        if of.gap is not None and of.gap.family == "pairs":
            every = replace(view, metrics=(of.metric,), baseline="")
            text = f"# Every two systems, the best and the second among them, {of.metric}"
            lines.append(f"{text}\n{command_line('compare', folder, *own, '--all', *every.options())}")
    wanted = [*options, *result.more.options()]
    lines.append(f"# This report\n{command_line('report', folder, '--out', 'report.html', *wanted)}")
    return lines


def _versions() -> Iterator[str]:
    for name in LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


MOST = 10_000_000
"""Bytes of a report."""
WARNING = "Research tool. Not for diagnosis."


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

    ``study``: as its files hold it. ``view``: what is compared and how; see `results.find` for what it leaves
    open. ``more``: what it says besides, slice by slice and under other settings. ``folder``: the name of the
    study's folder, for the commands it prints. ``made``: the day, as it should be read.

    Figures are drawn beforehand where Kaleido and a browser are there (see `figures.printed`). Else Plotly's
    own script is put in, 5 MB, and draws them when the file is opened; that too needs no network.

    Raises
    ------
    UnknownName, SettingError, InputError
        As `results.find`; a report that would be larger than 10 MB.
    """
    result = find(study, view, more=more, progress=lambda done, doing: progress(0.7 * done, doing))
    return document(
        result, folder=folder, made=made, progress=lambda done, doing: progress(0.7 + 0.3 * done, doing)
    )


def write_report(
    study: Study,
    path: str | PathLike[str],
    *,
    view: View | None = None,
    metrics: Sequence[str] = (),
    systems: Sequence[str] = (),
    by: Sequence[str] = (),
    sweep: bool = False,
    progress: Progress = silent,
) -> Path:
    """Write verdict, figures and tables of a study as one HTML file, as the command ``report`` does.

    ``view``: what is compared and how, such as that of a board. ``metrics``, ``systems``: in place of those
    of the view. ``by``: also slice by slice. ``sweep``: also other weights of related concepts. Returns the
    path. Raises as `report`, and InputError where the file cannot be written.
    """
    view = View() if view is None else view
    chosen = replace(view, metrics=tuple(metrics) or view.metrics, systems=tuple(systems) or view.systems)
    folder = study.name if study.path is None else study.path.name
    made, more = f"{date.today():%d %B %Y}", More(tuple(dict.fromkeys(by)), sweep=sweep)
    text = report(study, chosen, folder=folder, made=made, more=more, progress=progress)
    write_pieces(Path(path), [text.encode("utf-8", "replace")])
    return Path(path)


def document(result: Content, *, folder: str, made: str, progress: Progress = silent) -> str:
    """The same of what was found."""
    undrawn, (figures, scripts) = why_not(), _drawn_figures(figures_of(result), progress)
    page = html.page(
        title=result.whole.name,
        policy=Markup(_policy(scripts)),
        style=Markup(bundled(__package__, "report.css")),
        subtitle=_subtitle(result, made),
        answers=sections.answers(result),
        notes=sections.notes(result),
        why_not=undrawn,
        figures=figures,
        results=sections.results(result),
        data=sections.data(result),
        searched=tables.searched(result),
        methods=sections.methods(result),
        measures=sections.measures(result),
        settings=sections.settings(result),
        versions=versions(result),
        folder=folder,
        commands="\n\n".join(commands(result, folder)),
        toml=settings_text(
            result.view, study=result.whole.name, digest=result.whole.content, program=__version__
        ),
        files=files(result),
        warning=WARNING,
        program=__version__,
        scripts=list(map(Markup, scripts)),
    )
    if len(page.encode("utf-8", "replace")) > MOST:
        measures = len(result.metrics)
        raise InputError(
            f"The report would be larger than {MOST // 1_000_000} MB. It is about {measures} measures and "
            f"{len(result.view.systems)} systems: name fewer, with --metric and --system."
        )
    return page


def _drawn_figures(
    figures: Sequence[Named], progress: Progress
) -> tuple[list[dict[str, object]], tuple[str, ...]]:
    """Figures as the templates show them, and the scripts that draw them when the file is opened: none where
    they are pictures already."""
    if not figures:
        return [], ()
    if why_not():
        scripts = plotly_script(), bundled(__package__, "draw.js")
        return [_figure(named, b"") for named in figures], scripts
    pictures = printed([Wanted(named.drawn, "svg", "double") for named in figures], progress=progress)
    return list(map(_figure, figures, pictures)), ()


def _subtitle(result: Content, made: str) -> str:
    study = result.study
    return (
        f"{pluralize(len(result.view.systems), 'system')}, {pluralize(len(study.queries), 'query')}, "
        f"{pluralize(study.concepts.n_images, 'image')}. Study {result.whole.content[:8]}. {made}."
    )


def _figure(named: Named, picture: bytes) -> dict[str, object]:
    """A figure as the template shows it; without a picture as what Plotly draws one of."""
    drawn, wide = named.drawn, pixels("double")
    return {
        "name": named.name,
        "constant": drawn.constant,
        "svg": html.as_base64(picture),
        "spec": "" if picture else Markup(str(drawn.figure.to_json()).replace("<", "\\u003c")),
        "width": wide,
        "height": f"{fitted(drawn.figure, wide).layout.height:.0f}",
        "alt": drawn.alt,
        "how_to_read": drawn.how_to_read.technical,
    }


def _policy(scripts: Sequence[str]) -> str:
    """Only the scripts put in here may run, and nothing may be fetched."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    may_run = f"script-src {allowed}; " if digests else ""
    return (
        f"default-src 'none'; {may_run}img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'"
    )
