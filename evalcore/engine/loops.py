"""The compiled loops, imported on first use: importing numba takes half a second."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType


def counting() -> ModuleType:
    """Loops that count matches of concept sets."""
    return import_module("evalcore.engine.loops_counting")


def selecting() -> ModuleType:
    """Loops that turn counts into values and rankings."""
    return import_module("evalcore.engine.loops_selecting")


def weighing() -> ModuleType:
    """Loops that count concepts by their weights."""
    return import_module("evalcore.engine.weighing.loops")


def vectors() -> ModuleType:
    """Loops over embeddings."""
    return import_module("evalcore.engine.loops_vectors")


def semantic() -> ModuleType:
    """Loops over sets of concepts that can be more or less alike."""
    return import_module("evalcore.engine.loops_semantic")


def what_is_compiled() -> str:
    """What to show a person who waits for the compiler; "" when it is not at work."""
    watcher = sys.modules.get("evalcore.compiled")
    return watcher.what_is_compiled() if watcher else ""
