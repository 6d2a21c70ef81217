"""The optional packages of trained encoders: imported when one is opened, never asking a network."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalcore.study.tables.guard import attempt
from evalcore.values.errors import InputError

OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
_PYPI = {"open_clip": "open_clip_torch", "sentence_transformers": "sentence-transformers"}
INSTALL = (
    "Install the encoders: pip install torch torchvision transformers sentence-transformers open_clip_torch "
    "timm (versions: the extra embed in pyproject.toml)."
)


_WITHOUT_TORCHVISION = ("transformers", "sentence_transformers")
_MISFIT: list[Exception] = []
"""What torchvision raised when it was found not to fit torch."""


def needed(name: str) -> Any:
    """An optional package; InputError with the remedy where it is missing or does not fit the others."""
    for one in OFFLINE:
        os.environ[one] = "1"
    if name in _WITHOUT_TORCHVISION:
        _hide_misfit()
    elif name == "torchvision" and _MISFIT:
        raise _different_builds(name, _MISFIT[0]) from _MISFIT[0]
    try:
        return import_module(name)
    except ImportError as missing:
        deeper = _torchvision_in(missing)
        if deeper is not None:
            raise _different_builds("torchvision", deeper) from missing
        top = (missing.name or name).partition(".")[0]
        if find_spec(top) is None:
            package = _PYPI.get(top, top)
            raise InputError(f"The package {package} is not installed. {INSTALL}") from missing
        raise InputError(f"The package {name} cannot be imported: {_line(missing)}.") from missing
    except RuntimeError as reason:
        raise _different_builds(name, reason) from reason


def _hide_misfit() -> None:
    """Let a torchvision that does not fit torch count as not installed: transformers brings pictures to size
    with Pillow here and needs nothing of it, but imports it where it is, and stops."""
    if "torchvision" in sys.modules or find_spec("torchvision") is None:
        return
    try:
        import_module("torchvision")
    except (RuntimeError, ImportError, OSError) as reason:
        _MISFIT.append(reason)
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        sys.modules["torchvision"] = None  # type: ignore[assignment]


def check_torchvision() -> None:
    """InputError where torchvision is missing or of another build than torch; some libraries need it."""
    needed("torchvision")


def device_named(name: str) -> str:
    """The device, when torch finds it here; else InputError with those it finds."""
    torch = needed("torch")
    found = ["cpu"]
    if torch.cuda.is_available():
        found += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        found.append("mps")
    if name not in found:
        raise InputError(f"torch finds no device {name!r} here. There is: {', '.join(found)}.")
    return name


def guarded(load: Callable[[], Any], path: Path, what: str) -> Any:
    """What a library loads from a folder; what it stumbles over becomes an InputError about the folder."""
    with _quiet():
        made, reason = attempt(load)
    if reason is None:
        return made
    if isinstance(reason, (InputError, MemoryError)):
        raise reason
    deeper = _torchvision_in(reason)
    if deeper is not None:
        raise _different_builds("torchvision", deeper) from reason
    raise InputError(
        f"{path} cannot be used as {what}: {_line(reason)}. Check that its files are complete and belong "
        "together; the README lists which are needed."
    ) from reason


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bars and reports of transformers: what is wrong with weights is said by `check_loaded`."""
    library: Any = sys.modules.get("transformers")
    if library is None:
        yield
        return
    logger, bars = logging.getLogger("transformers"), library.utils.logging
    level, shows_bars = logger.level, bars.is_progress_bar_enabled()
    logger.setLevel(logging.CRITICAL + 1)
    bars.disable_progress_bar()
    try:
        yield
    finally:
        logger.setLevel(level)
        if shows_bars:
            bars.enable_progress_bar()


def _torchvision_in(reason: BaseException) -> BaseException | None:
    """What torchvision raised, where that is behind it: transformers imports it when it is installed."""
    below: BaseException | None = reason
    while below is not None:
        if "torchvision::" in str(below):
            return below
        below = below.__cause__ or below.__context__
    return None


def versions_of(*names: str) -> Mapping[str, str]:
    """Versions of packages, those that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return MappingProxyType(found)


def _different_builds(name: str, reason: BaseException) -> InputError:
    """torch and torchvision that do not fit each other: the usual reason for a RuntimeError at import."""
    said = versions_of("torch", "torchvision")
    both = " and ".join(f"{package} {number}" for package, number in said.items())
    return InputError(
        f"The package {name} cannot be imported: {_line(reason)}. {both} are of different builds (one for "
        "CPU, one for CUDA, or of other versions). Install both with one command from the same index, such "
        "as: pip install --force-reinstall torch torchvision"
    )


def _line(reason: BaseException) -> str:
    """What was raised, on one line."""
    return " ".join(str(reason).split())[:300].rstrip(".") or type(reason).__name__
