"""A study as one HTML file: opens from disk without a network, prints on A4 and Letter."""

from __future__ import annotations

import base64
import hashlib
import platform
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from itertools import repeat
from os import PathLike
from pathlib import Path
from typing import Any

from markupsafe import Markup

from evalcore.evaluate.coverage import coverage
from evalcore.evaluate.sweep import THRESHOLDS, covered
from evalcore.figures.frame import fitted
from evalcore.figures.printed import PAPER, Wanted, pixels, plotly_script, printed, why_unavailable
from evalcore.ranking.families import METRICS
from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import RELEVANCE, describe, own_measures, parse_relevance
from evalcore.report import html
from evalcore.report.content import DOUBLE, ReportData, compute_report
from evalcore.report.parts import Named, Section
from evalcore.results.method import OVER, chosen_of, describe_pools, too_narrow
from evalcore.results.rows import Table, placed
from evalcore.results.study import coverage_table, parts_table, returned_table
from evalcore.results.writers import Paper, on_paper
from evalcore.study.folder.settings_toml import settings_text
from evalcore.study.reads_captions import describe as describe_readers
from evalcore.study.tables.writers import write_pieces
from evalcore.values.bundled import bundled
from evalcore.values.errors import InputError
from evalcore.values.grouping import describe as groups_in_words
from evalcore.values.model import Study
from evalcore.values.plugins import used_in
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import View, as_list
from evalcore.values.version import __version__
from evalcore.values.writing import pluralize

MOST = 10_000_000
"""Bytes of a report."""
WARNING = "Research tool. Not for diagnosis."
Facts = list[tuple[str, object]]


def report(
    study: Study,
    view: View,
    *,
    folder: str,
    by: Sequence[str] = (),
    sweep: bool = False,
    progress: Progress = silent,
) -> bytes:
    """The report of a study as HTML in UTF-8, everything in it.

    ``study``: as its files hold it. ``view``: what is compared and how; see `content.compute_report` for
    what it leaves open, and for ``by`` and ``sweep``. ``folder``: the name of the study's folder, for the
    commands it prints.

    Figures are drawn beforehand where Kaleido and a browser are there (see `figures.printed`). Else Plotly's
    own script is put in, 5 MB, and draws them when the file is opened; that too needs no network.

    Raises
    ------
    UnknownName, SettingError, InputError
        As `content.compute_report`; a report that would be larger than 10 MB.
    """
    result = compute_report(study, view, by=by, sweep=sweep, progress=part_of(progress, 0, 10, share=6))
    progress(0.6, "figures and tables")
    sections = list(result.sections())
    questions, scripts = _questions(sections, study, part_of(progress, 7, 10, share=3))
    page = html.page(
        title=study.name,
        policy=Markup(_policy(scripts)),
        style=Markup(bundled(__package__, "report.css")),
        subtitle=_subtitle(result),
        questions=questions,
        notes=_notes(result),
        why_not=why_unavailable(),
        data=_data(result),
        covered=_covered(result),
        methods=[section.method for section in sections if section.method],
        measures=_measures(result),
        settings=_settings(result),
        versions=_versions(result),
        folder=folder,
        commands="\n\n".join(commands(result, folder)),
        toml=settings_text(result.analysis.view, study=study.name, digest=study.content, program=__version__),
        files=_files(study),
        warning=WARNING,
        program=__version__,
        scripts=list(map(Markup, scripts)),
    )
    data = page.encode("utf-8", "replace")
    if len(data) > MOST:
        view = result.analysis.view
        raise InputError(
            f"The report would be larger than {MOST // 1_000_000} MB. It is about {len(view.metrics)} "
            f"measures and {len(view.systems)} systems: select fewer."
        )
    return data


def write_report(
    study: Study,
    path: str | PathLike[str],
    *,
    view: View | None = None,
    by: str | Sequence[str] = (),
    sweep: bool = False,
    progress: Progress = silent,
) -> Path:
    """Write verdict, figures and tables of a study as one HTML file, as the command ``report`` does.

    ``view``: what is compared and how, such as that of a board. ``by``: also slice by slice, by a label
    column or several. ``sweep``: also other weights of related concepts. Returns the path. Raises as
    `report`, and InputError where the file cannot be written.
    """
    folder = study.name if study.path is None else study.path.name
    data = report(study, view or View(), folder=folder, by=as_list(by), sweep=sweep, progress=progress)
    write_pieces(Path(path), [data])
    return Path(path)


# The answers: one section a question.


def _questions(
    sections: Sequence[Section], study: Study, progress: Progress
) -> tuple[list[dict[str, Any]], Sequence[str]]:
    """Question by question: the answers, then figure and table of each; and the scripts that draw the figures
    when the file is opened, none where they are pictures already."""
    theme = replace(PAPER, width=DOUBLE, reads=study.reads)
    figures = [list(section.figures(theme)) for section in sections]
    every = [named for some in figures for named in some]
    images: Iterator[bytes] = repeat(b"")
    scripts: Sequence[str] = ()
    if every and why_unavailable():
        scripts = plotly_script(), bundled(__package__, "draw.js")
    elif every:
        images = iter(printed([Wanted(named.drawn, "svg", "double") for named in every], progress=progress))
    questions: dict[str, dict[str, Any]] = {}
    for section, some in zip(sections, figures, strict=True):
        shown = questions.setdefault(section.question, {"answers": [], "shown": []})
        if section.answer:
            shown["answers"].append(section.answer)
        table = None if section.table is None else on_paper(section.table, section.caption)
        shown["shown"].append(([_picture(named, next(images)) for named in some], table))
    return [{"question": question, **shown} for question, shown in questions.items()], scripts


def _picture(named: Named, image: bytes) -> dict[str, object]:
    """A figure as the template shows it; without an image as what Plotly draws one of."""
    wide = pixels("double")
    return {
        "name": named.name,
        "drawn": named.drawn,
        "svg": html.as_base64(image),
        "spec": "" if image else Markup(str(named.drawn.figure.to_json()).replace("<", "\\u003c")),
        "width": wide,
        "height": f"{fitted(named.drawn.figure, wide).layout.height:.0f}",
    }


def _notes(result: ReportData) -> list[str]:
    """What limits the answers."""
    analysis, view = result.analysis, result.analysis.view
    narrow = too_narrow(
        [mean.n_independent for mean in analysis.means]
        + [comparison.n_independent for comparison in analysis.comparisons]
    )
    virtual = [name for name in view.systems if name.startswith("@")]
    ideal = "Systems that begin with @ rank by the concepts themselves: a reference, not competitors."
    systems = used_in(virtual)
    own = f"Rankings by plugins: {'; '.join(map(str, systems))}." if systems else ""
    reading = describe_readers(view.systems, analysis.study.reads)
    left_out = covered(analysis.study, THRESHOLDS)[1] if result.sweep else ""
    limits = [*describe_pools(analysis.over), groups_in_words(analysis.study)]
    return [note for note in (*limits, narrow, ideal if virtual else "", own, reading, left_out) if note]


# What was compared: the study, its measures, the settings.


def _data(result: ReportData) -> Facts:
    """The study, the queries and candidates that count."""
    study, over = result.analysis.study, result.analysis.over
    errors, remarks = study.report.kinds("error"), study.report.kinds("warning")
    return [
        ("Study", study.name),
        ("Description", study.description),
        ("Queries that count", f"{len(study.queries):,} of {len(result.whole.queries):,}"),
        ("Filter", chosen_of(study) if study.where else "none: every query of the study"),
        ("Candidates", f"{len(study.candidates):,} of {over.n_all:,}"),
        ("Compared over", OVER[over.which]),
        ("Graph", f"{study.graph.n_nodes:,} concepts" if study.graph else "none"),
        ("Groups", f"{study.groups.name}: {pluralize(study.groups.n, 'group')}" if study.groups else "none"),
        ("Problems found in the files", f"{pluralize(errors, 'error')}, {pluralize(remarks, 'remark')}"),
    ]


def _covered(result: ReportData) -> list[Paper]:
    """How much of the study has what, and what each system returned."""
    held, systems = coverage(result.whole), result.analysis.view.systems
    listed = [system for system in held.systems if system.system in systems]
    return [
        on_paper(coverage_table(held), "How much of the study has what."),
        on_paper(returned_table(result.whole, listed), "What each system returned, and what it searches."),
    ]


def _measures(result: ReportData) -> Paper:
    """The measures, and the relevances they use, by formula and source."""
    known = {label: parse_metric(label) for label in result.analysis.view.metrics}
    families = [(label, METRICS[metric.family]) for label, metric in known.items()]
    rows = [(label, family.plain, family.formula, family.reference) for label, family in families]
    described = (*RELEVANCE, *own_measures())
    for name in dict.fromkeys(metric.relevance for metric in known.values()):
        if name and parse_relevance(name).kind in described:
            measure = describe(name)
            rows.append((name, measure.title, measure.formula, measure.reference))
    columns = placed("measure", "what it is", "formula", "source", shown=True)
    return on_paper(Table(rows, columns), "The measures, and the relevances they use, by formula and source.")


def _settings(result: ReportData) -> Facts:
    """Every setting, those at their usual value too."""
    words: dict[object, str] = {True: "yes", False: "no"}

    def written(value: object) -> object:
        return words[value] if isinstance(value, bool) else value

    return [
        (name.replace("_", " "), ", ".join(value) if isinstance(value, list) else written(value))
        for name, value in result.analysis.view.as_dict().items()
    ]


# How to get the numbers of a report again: digests, versions, commands, the files that were read.

LIBRARIES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "networkx", "plotly", "kaleido")
"""Those that compute or draw; others only serve pages."""


def _versions(result: ReportData) -> Facts:
    """Digests of the study, and what the program ran on."""
    return [
        ("Digest of the study's files", result.whole.content),
        ("Digest with queries, candidates and groups", result.analysis.study.digest),
        ("CUIscope", __version__),
        ("Python", platform.python_version()),
        ("System", f"{platform.system()} {platform.machine()}"),
        ("Libraries", ", ".join(f"{name} {version(name)}" for name in LIBRARIES if find_spec(name))),
    ]


def commands(result: ReportData, folder: str) -> list[str]:
    """Command lines that print the numbers of the report and make it again, each below a comment."""
    view = result.analysis.view
    files = dict.fromkeys(plugin.file for plugin in used_in([*view.metrics, *view.systems]))
    options = [*(word for file in files for word in ("--plugin", file)), *view.options()]
    options += [word for by in result.by for word in ("--by", by)]
    wanted = [*options, *(["--sweep"] if result.sweep else [])]
    return [
        f"# The tables\n{shlex.join(('cuiscope', 'score', folder, *options))}",
        f"# This report\n{shlex.join(('cuiscope', 'report', folder, '--out', 'report.html', *wanted))}",
    ]


def _files(study: Study) -> Paper:
    """The files of the study that were read."""
    used = [part for part in study.parts if part.used]
    columns = [column for column in parts_table(study).columns if column.head]
    return on_paper(Table(used, columns), "The files of the study that were read.")


def _subtitle(result: ReportData) -> str:
    study, systems = result.analysis.study, result.analysis.view.systems
    return (
        f"{pluralize(len(systems), 'system')}, {pluralize(len(study.queries), 'query')}, "
        f"{pluralize(study.concepts.n_images, 'image')}. Study {result.whole.content[:8]}. "
        f"{date.today():%d %B %Y}."
    )


def _policy(scripts: Sequence[str]) -> str:
    """Only the scripts put in here may run, and nothing may be fetched."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    may_run = f"script-src {allowed}; " if digests else ""
    return (
        f"default-src 'none'; {may_run}img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'"
    )
