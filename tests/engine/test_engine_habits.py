"""What the engine keeps, refuses and does not depend on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evalcore.engine import rank, sets, space
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.settings import Settings
from tests.toy import TOY_EDGES, study_of

ROOT = Path(__file__).resolve().parents[2]
SETS = {"a": {"vein", "brain"}, "b": {"vessel"}, "c": {"vein", "brain"}, "d": None, "e": ()}


def random_study(n=300):
    rng = np.random.default_rng(5)
    words = [f"C{k:07d}" for k in range(40)]
    edges = [(words[k], words[(k - 1) // 2]) for k in range(1, 40)]
    sets = {f"image{k:03d}": set(rng.choice(words, rng.integers(0, 6), replace=False)) for k in range(n)}
    return study_of(sets, edges)


def everything(study, **settings):
    return rank(
        study, "nn-iou", study.queries, candidates=study.candidates, depth=10, settings=Settings(**settings)
    )


@pytest.mark.parametrize("wrong", ["", "jaccard", "cosine:", "nn_iou"])
def test_a_relevance_that_is_not_there(wrong):
    study = study_of(SETS)
    with pytest.raises(UnknownName, match="No relevance called"):
        rank(study, wrong, study.queries, candidates=study.candidates, depth=1, settings=Settings())


def test_a_depth_below_nothing():
    study = study_of(SETS)
    with pytest.raises(SettingError, match=r"`depth` must be an integer >= 0, or None for all\. Got -1"):
        rank(study, "iou", study.queries, candidates=study.candidates, depth=-1, settings=Settings())


def test_not_annotated_is_absent_and_annotated_with_nothing_is_not():
    study = study_of(SETS, TOY_EDGES)
    run = everything(study)
    assert run.system == "@nn-iou"
    assert [study.image_ids[q] for q in run.queries] == ["a", "b", "c", "e"]
    assert run.answer(4)[0].tolist() == [0, 1, 2, 3]
    assert run.answer(4)[1].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("rule", ["concepts", "matching"])
def test_neither_cores_nor_blocks_change_anything(monkeypatch, rule):
    study = random_study()
    digests = {everything(study, count_rule=rule).digest}
    for cores, size in ((1, 256), (4, 7), (3, 1)):
        monkeypatch.setattr(space, "cores", lambda cores=cores: cores)
        monkeypatch.setattr(sets, "QUERIES_PER_BLOCK", size)
        digests.add(everything(study, count_rule=rule).digest)
    assert len(digests) == 1


def test_nothing_to_rank():
    study = study_of({})
    assert len(everything(study).queries) == 0
    study = study_of(SETS)
    run = rank(study, "iou", study.queries, candidates=study.candidates[:0], depth=None, settings=Settings())
    assert np.diff(run.indptr).tolist() == [0, 0, 0, 0]


def run_python(script, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**clean, "PYTHONPATH": str(ROOT), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_engine_does_not_import_numba():
    assert run_python("import evalcore.engine, sys; print('numba' in sys.modules)") == "False\n"


def test_without_a_folder_for_compiled_code(tmp_path):
    # A file where the cache folder should be: nothing can be written there, whoever runs this.
    blocked = tmp_path / "file"
    blocked.touch()
    script = """
import numpy as np
from evalcore.values.compiled import compiled
double = compiled(lambda x: 2 * x)
print(double(np.int64(21)))
"""
    assert run_python(script, NUMBA_CACHE_DIR=str(blocked / "cache")) == "42\n"
