"""How to get the numbers of a report again: digests, versions, commands, the settings as a file."""

from __future__ import annotations

import base64
import platform
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import evalcore
from evalcore.evaluate.view import command_line
from evalcore.figures.numbers import count
from evalcore.report import html
from evalcore.study.folder.settings_toml import settings_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.report.found import Found

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
            ("CUIscope", evalcore.__version__), ("Python", platform.python_version()),
            ("System", f"{platform.system()} {platform.machine()}"), ("Libraries", ", ".join(_versions())),
        ]
    )  # fmt: skip
    files = html.table(
        ("File", "What it is", "Format", "Rows"),
        [(part.file, part.kind, part.format, count(part.rows)) for part in found.whole.parts if part.used],
        caption="The files of the study that were read.", words=3,
    )  # fmt: skip
    return "".join(
        [
            versions, html.paragraph(html.text(f"In the folder that holds {folder}:")),
            html.code("\n\n".join(commands(found, folder))),
            html.paragraph(f"The settings as a file, for commands and pages: {link}"),
            html.code(toml.rstrip()), files,
        ]
    )  # fmt: skip


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
