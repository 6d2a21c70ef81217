"""Options of tools that run in Python environments of their own, MedCAT and QuickUMLS."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import Number, options

if TYPE_CHECKING:
    from evalcore.features.annotate.tools import Finder
    from evalcore.values.progress import Progress


elsewhere = options(
    click.option("--weights", type=click.Path(), metavar="F",
                 help="Model pack of MedCAT or folder of QuickUMLS; else the workspace's. Loading it "
                      "runs code that lies in it: give only what you trust."),
    click.option("--environment", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
                 help="The Python environment the tool is in; else the one made by `tools --make`."),
    click.option("--timeout", type=Number(min=1), metavar="SECONDS",
                 help="How long the tool may take for all captions. Usual: 3600."),
)  # fmt: skip
"""Where such a tool and its concepts are."""


def finder_of(
    tool: str, *, weights: str | None, environment: Path | None, timeout: float | None, progress: Progress
) -> Finder | None:
    """The tool made ready, None for one that runs here; it is then told what it has no use for."""
    from evalcore.features.annotate.tools_read.environments import TOOLS

    if tool not in TOOLS:
        given = {"--weights": weights, "--environment": environment, "--timeout": timeout}
        if idle := [name for name, value in given.items() if value is not None]:
            message = f"{' and '.join(idle)}: --tool {tool} runs here and needs none. Leave it out."
            raise click.UsageError(message)
        return None
    from evalcore.features.annotate.outside import outside
    from evalcore.features.annotate.tools_read.asked import TIMEOUT

    return outside(
        tool, weights=weights, environment=environment, timeout=timeout or TIMEOUT, progress=progress
    )
