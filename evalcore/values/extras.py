"""Packages that only a part of the program needs: is one installed, and which extra brings it?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from evalcore.values.bundled import INSTALLED
from evalcore.values.errors import InputError


def how_to_install(extra: str) -> str:
    """The command that installs an extra, for the program that runs: a package, or a copy of the repository.

    >>> how_to_install("print").endswith('[print]"')
    True
    """
    return f'pip install "cuiscope[{extra}]"' if INSTALLED else f'pip install ".[{extra}]"'


def is_installed(module: str) -> bool:
    """Whether a module can be imported here; a folder of that name without code is none."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None


def missing(extra: str, what: str, module: str) -> str:
    """Why ``what`` cannot be done without a module of an extra, with the remedy."""
    return (
        f"{what} needs the package {module.partition('.')[0]}, which is not installed. Install it and start "
        f"again: {how_to_install(extra)}"
    )


@contextmanager
def needs(extra: str, what: str) -> Iterator[None]:
    """Import optional modules within: InputError names the extra to install where one is missing.

    Parameters
    ----------
    extra : one of pyproject.toml that brings them.
    what : what needs it, the beginning of a sentence: "A cluster".

    Raises
    ------
    InputError
        A module is missing, or cannot be imported.
    """
    try:
        yield
    except ModuleNotFoundError as absent:
        raise InputError(missing(extra, what, absent.name or extra)) from absent
    except (ImportError, RuntimeError, OSError) as broken:  # also of packages that do not fit each other
        name, why = getattr(broken, "name", None), " ".join(str(broken).split())[:300]
        raise InputError(
            f"{what} needs {f'the package {name}, which' if name else 'packages of which one'} cannot be "
            f"imported: {why}. Install again: {how_to_install(extra)}"
        ) from broken
