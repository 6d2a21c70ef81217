"""Names of a package that are imported from their modules on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names are imported from their modules on first use.

    package: its ``__name__``. homes: {module: names}. AttributeError for any other name.

    Importing the package costs nothing then, and two threads can import it and its modules at once. A package
    that imports its own modules can deadlock with a thread that imports one of them directly; Python ends the
    deadlock by handing out an incomplete module.
    """

    def look_up(name: str) -> Any:
        for module, names in homes.items():
            if name in names:
                value = getattr(import_module(module), name)
                setattr(sys.modules[package], name, value)
                return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return look_up
