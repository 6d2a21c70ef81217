"""The names the package offers, and that asking for help stays cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest

import evalcore


def test_every_offered_name_exists_and_is_listed():
    for name in evalcore.__all__:
        assert getattr(evalcore, name) is not None
    assert set(evalcore.__all__) <= set(dir(evalcore))
    unlisted = {name for names in evalcore._HOME.values() for name in names} - set(evalcore.__all__)
    decorators = {name for name in unlisted if name.startswith("register_")}
    assert unlisted - decorators == {"SettingError", "UnknownName"} and len(evalcore.__all__) <= 31
    assert all(issubclass(getattr(evalcore, name), evalcore.CuiscopeError) for name in unlisted - decorators)
    assert len(decorators) == 3 and all(callable(getattr(evalcore, name)) for name in decorators)


def test_a_name_that_is_not_offered():
    with pytest.raises(AttributeError, match="has no attribute 'bogus'"):
        evalcore.bogus  # noqa: B018


def test_what_one_part_needs_is_imported_when_that_part_works():
    code = (
        "import sys, logging, pkgutil, importlib, evalcore; logging.disable()\n"
        "for one in pkgutil.walk_packages(evalcore.__path__, 'evalcore.'):\n"
        "    one.name.endswith('__main__') or importlib.import_module(one.name)\n"
        "late = {'sklearn', 'skimage', 'nltk', 'tifffile', 'pydicom', 'fastobo', 'torch'}\n"
        "sys.exit(','.join(late & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_loads_no_number_library():
    code = (
        "import sys; from evalcore.cli import run; run(['--help']); run(['imageclef', '--help']); "
        "heavy = {'numpy', 'numba', 'scipy', 'pandas', 'pyarrow', 'networkx'}; "
        "sys.exit(','.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
