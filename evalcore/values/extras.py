"""Packages that only a part of the program needs: is one installed, and which extra brings it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import MappingProxyType

from evalcore.values.bundled import INSTALLED
from evalcore.values.errors import InputError

EXTRAS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "models": (
            "torch",
            "torchvision",
            "lpips",
            "transformers",
            "sentence_transformers",
            "open_clip",
            "timm",
        ),
        "caption-models": ("torch", "transformers", "sentencepiece", "bleurt_pytorch"),
        "postgres": ("psycopg",),
        "cluster": ("distributed",),
        "print": ("kaleido",),
    }
)
"""By extra (pyproject.toml): the modules it brings."""


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


def why_not(extra: str, what: str) -> str:
    """Why ``what`` cannot be done without an extra, with the remedy; "" where all its modules are here."""
    missing = [module for module in EXTRAS[extra] if not is_installed(module)]
    return _missing(extra, what, missing[0]) if missing else ""


def _missing(extra: str, what: str, module: str) -> str:
    return (
        f"{what} needs the package {module.partition('.')[0]}, which is not installed. Install it and start "
        f"again: {how_to_install(extra)}"
    )


@contextmanager
def needs(extra: str, what: str) -> Iterator[None]:
    """Import optional modules within: InputError names the extra to install where one is missing.

    Parameters
    ----------
    extra : a key of `EXTRAS`.
    what : what needs it, the beginning of a sentence: "A cluster".

    Raises
    ------
    InputError
        A module is missing, or cannot be imported.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise InputError(_missing(extra, what, missing.name or extra)) from missing
    except ImportError as broken:
        why = " ".join(str(broken).split())[:300]
        raise InputError(
            f"{what} needs the package {broken.name}, which cannot be imported: {why}. "
            f"Install it again: {how_to_install(extra)}"
        ) from broken
