"""The command line: ``evalcore.cli.program`` puts it together, of the commands here and those of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcore.cli.program import main, run

__all__ = ["main", "run"]


def __getattr__(name: str) -> Any:
    """The program on first use: features import what commands share before there is a program."""
    if name in __all__:
        from evalcore.cli import program

        return getattr(program, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
