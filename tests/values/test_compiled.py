"""Compiled loops: what is kept on disk of older code is passed over."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

CODE = """
from typing import NamedTuple
from evalcore.values.compiled import compiled

class {name}(NamedTuple):
    number: int

@compiled
def twice(pair):
    return 2 * pair.number

def answer():
    return twice({name}(21))
"""


def loaded(path: Path, name: str) -> ModuleType:
    spec: Any = importlib.util.spec_from_file_location("loops_of_this_test", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    path.write_text(CODE.format(name=name))
    os.utime(path, ns=(0, len(name)))
    spec.loader.exec_module(module)
    return module


def test_compiled_code_of_a_renamed_type_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "loops_of_this_test.py"
    assert loaded(path, "Pair").answer() == 42
    assert list((tmp_path / "__pycache__").glob("*.nbi"))
    assert loaded(path, "RenamedPair").answer() == 42
    again = loaded(path, "RenamedPair")
    assert again.answer() == 42 and sum(again.twice.stats.cache_hits.values()) == 1
    del sys.modules["loops_of_this_test"]
