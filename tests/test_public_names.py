"""The names the package offers, and that asking for help stays cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest

import evalcore

OWN = {"register_format", "register_metric", "register_relevance", "SettingError", "UnknownName"}
"""Beside what most scripts need, by name only: kinds of errors, and decorators for functions of a user."""


def test_a_user_sees_what_is_offered_and_nothing_else():
    assert set(dir(evalcore)) == {*evalcore.__all__, *OWN, "__version__"}
    assert len(evalcore.__all__) <= 31
    assert all(getattr(evalcore, name) is not None for name in dir(evalcore))
    errors = {name for name in dir(evalcore) if name.endswith("Error") or name == "UnknownName"}
    assert all(issubclass(getattr(evalcore, name), evalcore.CuiscopeError) for name in errors)


def test_a_name_that_is_not_offered():
    with pytest.raises(AttributeError, match="has no attribute 'bogus'"):
        evalcore.bogus  # noqa: B018


IMPORT_ALL = """import pkgutil, importlib, evalcore
for module in pkgutil.walk_packages(evalcore.__path__, "evalcore."):
    module.name.endswith("__main__") or importlib.import_module(module.name)
"""
HELP = "from evalcore.cli import run; run(['--help']); run(['imageclef', '--help'])"
LATE = "sklearn skimage nltk tifffile pydicom fastobo torch"


@pytest.mark.parametrize(
    ("code", "late"), [(IMPORT_ALL, LATE), (HELP, "numpy numba scipy pandas pyarrow networkx")]
)
def test_what_one_part_needs_is_imported_when_that_part_works(code: str, late: str):
    code += f"\nimport sys; sys.exit(','.join({set(late.split())} & sys.modules.keys()) or 0)"
    logging = "import logging; logging.disable()\n"
    done = subprocess.run([sys.executable, "-c", logging + code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
