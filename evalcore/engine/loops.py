"""The compiled loops, imported on first use: importing numba takes half a second."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module

counting = partial(import_module, "evalcore.engine.loops_counting")
"""Loops that count matches of concept sets, or their weights."""
selecting = partial(import_module, "evalcore.engine.loops_selecting")
"""Loops that turn the values of counts into rankings."""
vectors = partial(import_module, "evalcore.engine.loops_vectors")
"""Loops over embeddings."""
semantic = partial(import_module, "evalcore.engine.loops_semantic")
"""Loops over sets of concepts that can be more or less alike."""


def what_is_compiled() -> str:
    """What to show a person who waits for the compiler; "" when it is not at work."""
    name = "evalcore.values.compiled"
    if name not in sys.modules:
        return ""
    watcher = import_module(name)  # waits for a thread that is importing it
    shown: str = watcher.what_is_compiled()
    return shown
