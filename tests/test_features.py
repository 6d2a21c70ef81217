"""Features are whole: without any one of them the rest still works, and a package can bring another."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evalcore import extensions

ROOT = Path(__file__).resolve().parent.parent
NAMES = [feature.name for feature in extensions.features()]
WITHOUT = """
import sys
from streamlit.testing.v1 import AppTest
from evalcore.cli import run

assert run(["--help"]) == 0
assert run(["score", "data", "--metric", "nnCUI@10"]) == 0
app = AppTest.from_file("app.py", default_timeout=120).run()
for page in ("app.py", "pages/5_Data.py", "pages/1_Queries.py", "pages/3_Concepts.py"):
    assert not app.switch_page(page).run().exception, page
assert not any(f"evalcore.features.{name}" in sys.modules for name in sys.argv[1:])
"""
"""What still has to work: commands, and the pages that show what features add. (That no module of the core
imports a feature is seen to by the architecture.)"""


def works_without(gone: list[str], folder: Path) -> None:
    for name in ("data", "pages", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "app.py", folder)
    features = folder / "evalcore" / "features"
    features.mkdir(parents=True)
    for whole, part in ((ROOT / "evalcore", features.parent), (ROOT / "evalcore" / "features", features)):
        for path in whole.iterdir():  # links, so that what is compiled need not be compiled again
            if path.name not in (*gone, "features"):
                (part / path.name).symlink_to(path)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *gone], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_core_works_without_any_feature(tmp_path: Path) -> None:
    works_without(NAMES, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("gone", NAMES)
def test_the_rest_works_without_a_feature(gone: str, tmp_path: Path) -> None:
    works_without([gone], tmp_path)


OTHER = '''
import click

from evalcore.extensions import Feature


@click.command()
def greet() -> None:
    """Say hello."""
    click.echo("hello")


COMMANDS = (greet,)
FEATURE = Feature(name="other", title="Other", commands="other_feature:COMMANDS")
'''


def test_a_package_brings_a_feature_by_its_entry_point(tmp_path: Path) -> None:
    (tmp_path / "other_feature.py").write_text(OTHER)
    about = tmp_path / "other_feature-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other-feature\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[cuiscope.features]\nother = other_feature:FEATURE\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from evalcore.cli import run; run(['greet'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "hello\n"), done.stderr
