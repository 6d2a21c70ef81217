"""The command line: ``evalcore.cli.program`` puts it together, of the commands here and those of features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.values.lazy import lazy

if TYPE_CHECKING:
    from evalcore.cli.program import main, run

__all__ = ["main", "run"]

__getattr__ = lazy(__name__, {"evalcore.cli.program": ("main", "run")})
"""On first use: features import what commands share before there is a program."""
