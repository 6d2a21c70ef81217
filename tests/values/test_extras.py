"""What is not installed is named where it is needed, with the extra to install; never a traceback."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from evalcore.cli import run
from evalcore.features.imageclef.captions import metrics
from evalcore.study import open_study
from evalcore.study.pictures.pixels import decode
from evalcore.values import bundled, extras
from evalcore.values.errors import InputError
from tests.ui.conftest import open_app, said, study_folder  # noqa: F401 -- fixtures

DATA = Path(__file__).resolve().parents[2] / "data"
SYNTHETIC = ["synthetic", "score", "--side", "64", "--archetypes", "IMAGES", "--subjects", "again=IMAGES"]
CAPTIONS = ["imageclef", "captions", "--edition", "2017", "--truth", "truth.tsv", "--run", "truth.tsv"]
TFIDF = ["encode", "STUDY", "--model", "baseline:tfidf", "--out", "x.npz"]
TERM = "format-version: 1.2\n\n[Term]\nid: UMLS:C0000001\nname: a\n"


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in modules]:
        monkeypatch.delitem(sys.modules, name)
    for name in modules:
        monkeypatch.setitem(sys.modules, name, None)
    metrics._one_of.cache_clear()  # what an earlier test made with NLTK


@pytest.mark.parametrize(
    ("module", "package", "extra", "words"),
    [
        ("ahocorasick", "pyahocorasick", "annotate", ["annotate", "run", "STUDY", "--out", "x.csv"]),
        ("sklearn", "scikit-learn", "baselines", TFIDF),
        ("skimage", "scikit-image", "synthetic", SYNTHETIC),
        ("nltk", "nltk", "imageclef", CAPTIONS),
        ("kaleido", "kaleido", "print", ["report", "STUDY", "--figures", "--out", "figures"]),
        ("distributed", "distributed", "cluster", ["--scheduler", "tcp://127.0.0.1:9", "check", "STUDY"]),
    ],
)
def test_a_command_names_the_extra_it_needs(
    module: str,
    package: str,
    extra: str,
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "truth.tsv").write_text("a\tnodule in the lung\n")
    monkeypatch.chdir(tmp_path)
    without(monkeypatch, module)
    asked = [word.replace("STUDY", str(DATA)).replace("IMAGES", str(DATA / "images")) for word in words]
    assert run(asked) == 2
    err = capsys.readouterr().err
    assert f"needs the package {package}, which is not installed." in err
    assert err.count(f'pip install ".[{extra}]"') == 1


def test_an_ontology_in_obo_is_a_problem_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\nx,C0000001\n")
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "small.obo").write_text(TERM)
    without(monkeypatch, "fastobo")
    problems = open_study(tmp_path).report.of_severity("error")
    assert {(one.file, one.rule) for one in problems} == {("graph/small.obo", "missing-package")}
    assert "[obo]" in problems[0].remedy


def test_planes_of_a_tiff_name_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    stack, plain = io.BytesIO(), io.BytesIO()
    tifffile.imwrite(stack, np.zeros((2, 8, 8), np.uint8), imagej=True)
    Image.new("L", (8, 8)).save(plain, "TIFF")
    without(monkeypatch, "tifffile")
    with pytest.raises(InputError, match=r"cells\.tif.* needs the package tifffile.*\[tiff\]"):
        decode(stack.getvalue(), file="cells.tif")
    assert decode(plain.getvalue(), file="plain.tif").size == (8, 8)


@pytest.mark.parametrize(("part", "extra"), [("Systems", "baselines"), ("Find concepts", "annotate")])
def test_the_data_page_says_it_before_anything_is_tried(
    part: str,
    extra: str,
    open_app,  # noqa: F811
    study_folder: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda _: False)
    monkeypatch.setattr("evalcore.features.encode.baselines.is_installed", lambda _: False)
    app = open_app("pages/1_Data.py", study=study_folder, part=part)
    assert not app.exception and f"[{extra}]" in said(app).replace("\\", "")


def test_an_installed_program_names_itself_and_a_copy_of_the_repository_its_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not bundled.INSTALLED and extras.how_to_install("obo") == 'pip install ".[obo]"'
    monkeypatch.setattr(extras, "INSTALLED", True)
    assert extras.how_to_install("obo") == 'pip install "cuiscope[obo]"'


def test_a_package_that_is_there_and_broken_is_no_missing_one() -> None:
    with (
        pytest.raises(InputError, match=r"cannot be imported: its library is too old\. Install it again"),
        extras.needs("obo", "OBO"),
    ):
        raise ImportError("its library is too old", name="fastobo")
