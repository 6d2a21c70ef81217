"""MedImageInsight: vectors of images and captions by the package of its authors.

lion-ai/MedImageInsights is a folder, not a package of the index: ``medimageinsightmodel.py`` and
``MedImageInsight/`` (code), ``2024.09.27/`` (config, tokenizer, ``vision_model/medimageinsigt-v1.0.0.pt``).
Loading runs the code in that folder, so only take it from its authors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

from evalcore.values.errors import InputError

RELEASE, VISION, LANGUAGE = "2024.09.27", "medimageinsigt-v1.0.0.pt", "language_model.pth"


def load_medimageinsight(folder: str, *, device: str = "cpu", remedy: str = "") -> Any:
    """The model of a clone of MedImageInsights, with ``encode(images=...)`` and ``encode(texts=...)``.

    ``remedy``: what an error says one can do.

    Raises
    ------
    InputError
        The folder is not what it should be, or packages its code needs are missing.
    """
    where = Path(folder)
    weights = where / RELEASE / "vision_model" / VISION
    if not (where / "medimageinsightmodel.py").is_file() or not weights.is_file():
        raise InputError(f"{folder} lacks medimageinsightmodel.py or {weights}. {remedy}".rstrip())
    with _importable(where):
        module = _loaded(lambda: _imported("medimageinsightmodel"), remedy)
        model = module.MedImageInsight(
            model_dir=str(where / RELEASE), vision_model_name=VISION, language_model_name=LANGUAGE
        )
        _loaded(model.load_model, remedy)
    _loaded(lambda: _move(model, device), remedy)
    return model


def _loaded(load: Callable[[], Any], remedy: str) -> Any:
    try:
        return load()
    except (OSError, ValueError, LookupError, RuntimeError, AssertionError, ImportError) as reason:
        why = " ".join(str(reason).split())[:300]
        raise InputError(f"MedImageInsight cannot be loaded: {why}. {remedy}".rstrip()) from reason


def _move(model: Any, device: str) -> None:
    model.model.eval()  # the package leaves dropout on
    model.model.to(device)
    model.device = device


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as missing:
        raise OSError(f"its code needs the package {missing.name}") from missing


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The folder in front of the places that modules are imported from, only for as long as it takes."""
    sys.path.insert(0, str(folder))
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
