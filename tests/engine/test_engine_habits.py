"""What the engine keeps, refuses and does not depend on."""

import os
import subprocess
import sys

import numpy as np
import pytest

from evalcore.engine import blocks, relevance_of_pairs, sets, space
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Settings
from tests.conftest import ROOT
from tests.engine.plain import ranked, values_of
from tests.toy import TOY_EDGES, drawn_study, study_of

SETS = {"a": {"vein", "brain"}, "b": {"vessel"}, "c": {"vein", "brain"}, "d": None, "e": ()}


def test_a_depth_below_nothing():
    with pytest.raises(SettingError, match=r"`depth` must be an integer >= 0, or None for all\. Got -1"):
        ranked(study_of(SETS), "iou", depth=-1)


@pytest.mark.parametrize("relevance", ["nn-iou", "best-match:lin-corpus", "matching:path"])
@pytest.mark.parametrize("rule", ["concepts", "matching"])
def test_neither_cores_nor_blocks_change_anything(monkeypatch, relevance, rule):
    study, digests = drawn_study(5, 300), set()
    for cores, size in ((2, 256), (1, 256), (4, 7), (3, 1)):
        monkeypatch.setattr(space, "cores", lambda cores=cores: cores)
        monkeypatch.setattr(sets, "QUERIES_PER_BLOCK", size)
        monkeypatch.setattr(blocks, "CELLS_PER_BLOCK", 300 * size)
        digests.add(ranked(study, relevance, depth=10, settings=Settings(count_rule=rule)).digest)
    assert len(digests) == 1


def test_nothing_to_rank():
    assert len(ranked(study_of({}), "iou").queries) == 0
    assert np.diff(ranked(study_of(SETS), "iou", candidates=[]).indptr).tolist() == [0, 0, 0, 0]


def test_numba_is_imported_late_and_needs_no_cache_folder(tmp_path):
    # A file where the cache folder should be: nothing can be written there, whoever runs this.
    (tmp_path / "file").touch()
    script = """
import sys
import evalcore.engine
print('numba' in sys.modules)
import numpy as np
from evalcore.values.compiled import compiled
print(compiled(lambda x: 2 * x)(np.int64(21)))
"""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    environment = clean | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["False", "42"], done.stderr


def test_unknown_candidates_and_studies_without_a_graph():
    study = study_of({"q": {"vein"}, "c": {"vessel"}}, TOY_EDGES)
    pairs = np.array([0, 1]), np.array([-1, 0])
    (values,) = relevance_of_pairs(study, "matching:path", *pairs, [Settings()])
    assert values.tolist() == [0, 0.5]
    bare = study_of({"q": {"vein"}, "c": {"vein", "vessel"}})
    assert values_of(bare, "best-match:cs1")[0, 1] == 2 / 3  # Dice
    with pytest.raises(InputError, match="which this study lacks"):
        ranked(bare, "matching:path")
