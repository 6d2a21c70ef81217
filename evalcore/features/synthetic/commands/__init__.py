"""``synthetic``: machine-generated images against real ones."""

from __future__ import annotations

import click

from evalcore.cli.groups import WithModes
from evalcore.features.synthetic.commands.distances import distances
from evalcore.features.synthetic.commands.memorisation import ablation, copies
from evalcore.features.synthetic.commands.wsi import score


@click.group()
def synthetic() -> None:
    """Compare machine-generated images with real ones."""


synthetic.add_command(
    WithModes(score, {"--ablation": (ablation, "whether the index notices channels that are taken away.")})
)
synthetic.add_command(copies)
synthetic.add_command(distances)
COMMANDS = (synthetic,)
