"""``imageclef``: submissions to ImageCLEF caption, checked and scored as the official scripts do."""

from __future__ import annotations

import click

from evalcore.cli.groups import WithModes
from evalcore.features.imageclef.commands.captions import captions, extract, models
from evalcore.features.imageclef.commands.concepts import concepts


@click.group()
def imageclef() -> None:
    """Check and score submissions to ImageCLEF caption.

    As the official scripts do; 2018 also serves 2019. Exit code 2 when the official script would refuse
    a run; its problems are listed, and its score, if any, is not official.
    """


imageclef.add_command(concepts)
imageclef.add_command(
    WithModes(captions, {"--list-models": (models, "which trained models can be run here.")})
)
imageclef.add_command(extract)
COMMANDS = (imageclef,)
