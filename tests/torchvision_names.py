"""torchvision that can be imported, whichever build it is.

Where torch is the build for CPUs and torchvision one for CUDA, parts of torchvision are missing, so that
importing it fails ("operator torchvision::nms does not exist"), and with it transformers, timm and open_clip,
which import it when it is installed. What the tests run needs none of them: their names are
declared before the import, which then passes. The program itself never does this; it says what is wrong.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path


@cache
def torchvision_imports() -> object:
    """Make torchvision importable where it is of another build than torch; nothing where it is already."""
    import torch

    if importlib.util.find_spec("torchvision") is None:
        return None
    try:
        import torchvision
    except RuntimeError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
    else:
        return torchvision
    spec = importlib.util.find_spec("torchvision")
    assert spec is not None and spec.origin is not None
    text = (Path(spec.origin).parent / "_meta_registrations.py").read_text()
    library = torch.library.Library("torchvision", "DEF")
    for name in sorted(set(re.findall(r'register_(?:meta|fake)\("(?:torchvision::)?(\w+)"\)', text))):
        library.define(f"{name}() -> ()")
    return library  # the names are there as long as this is
