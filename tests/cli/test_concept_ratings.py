"""`concept-vectors` and `concept-ratings`: what the library finds, as JSON and as text; faults exit 2."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run
from evalcore.evaluate.ratings import against_ratings
from evalcore.study import open_study
from evalcore.study.concepts.ratings import read_ratings
from tests.ui.conftest import CHEST, CT, HEAD, MASS, NODULE, write_study


@pytest.fixture
def folder(tmp_path):
    return write_study(tmp_path / "tiny", pictures=False)


@pytest.fixture
def file(tmp_path):
    pairs = [(NODULE, MASS, 9), (HEAD, CHEST, 6), (NODULE, CHEST, 1), (NODULE, CT, 0.5), (MASS, HEAD, 2)]
    path = tmp_path / "ratings.csv"
    path.write_text("CUI1,CUI2,Mean,Term1\n" + "".join(f"{a},{b},{mean},x\n" for a, b, mean in pairs))
    return path


def test_similarities_are_compared_with_the_ratings(folder, file, capsys):
    (folder / "concept_vectors").mkdir()
    rows = [f"{cui} {i / 10} {1 - i / 10}\n" for i, cui in enumerate((CT, CHEST, NODULE, MASS, HEAD))]
    (folder / "concept_vectors/graph.txt").write_text("".join(rows))
    assert run(["ratings", str(folder), "--ratings", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    study, (ratings, _) = open_study(folder), read_ratings(file)
    assert found["n_pairs"] == 5 and found["digest"] == study.digest
    expected = against_ratings(study, ratings)
    assert [row["measure"] for row in found["measures"]] == [one.measure for one in expected]
    by_name = {row["measure"]: row for row in found["measures"]}
    path = by_name["path"]
    assert (path["n_pairs"], path["n_known"], path["n_connected"]) == (5, 4, 2)
    assert {"spearman", "ci_low", "ci_high"} < set(path)
    assert by_name["vectors-graph"]["relatedness"] and not path["relatedness"]
    assert by_name["cs1"]["spearman"] is None
    assert run(["ratings", str(folder), "--ratings", str(file), "--similarity", "path"]) == 0
    out, err = capsys.readouterr()
    assert "similarity" in out and "1 column" in err.replace("The column 'Term1'", "1 column")
