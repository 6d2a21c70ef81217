"""Labels from concepts by hand on the toy taxonomy, and label metrics under several choices of them."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from evalcore.cli import run
from evalcore.evaluate.labels_from_concepts import below, in_words, label_choices, labels_below
from evalcore.evaluate.scoring import score
from evalcore.graph import build_graph
from evalcore.study import open_study
from evalcore.study.concepts.labels import parse_label_map
from evalcore.values.errors import InputError
from tests.cli.test_names import DATA
from tests.toy import TOY_EDGES

MAP = b"column,label,cui\norgan,brain,C0006104\norgan,lung,C0024109\nmodality,CT,C0040405\n"


@pytest.mark.parametrize(
    ("reach", "more"),
    [
        (0, {}),
        (1, {"vein": ("v",), "aorta": ("a",), "cerebral_artery": ("a", "b")}),
        (None, {"vein": ("v",), "aorta": ("a",), "cerebral_artery": ("a", "b")}),
    ],
)
def test_below_by_hand(reach, more):
    """artery is below vessel and keeps its own label; cerebral_artery is as near to artery as to brain."""
    graph = build_graph(*zip(*TOY_EDGES, strict=True))[0]
    own = {"vessel": ("v",), "artery": ("a",), "brain": ("b",), "nowhere": ("n",)}
    assert below(graph, own, reach) == own | more
    deep = below(graph, {"body": ("x",)}, 2)
    assert set(deep) == {"body", "vessel", "head", "vein", "artery", "brain"}
    assert set(below(graph, {"body": ("x",)}, None)) == {*deep, "aorta", "cerebral_artery"}


def test_choices_score_as_a_study_with_such_labels(tmp_path):
    """The numbers are those of a study whose labels.csv was written by the command."""
    study = open_study(DATA)
    out = tmp_path / "labels.csv"
    (tmp_path / "map.csv").write_bytes(MAP)
    words = ["labels", str(DATA), "--map", str(tmp_path / "map.csv"), "--reach", "all"]
    assert run([*words, "--metric", "P(organ)@5", "--out", str(out), "--json"]) == 0
    rows = {row["ID"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert set(rows) == set(study.image_ids)
    for i, image in enumerate(study.image_ids):
        concepts = study.concepts.of_image(i) or ()
        assert ("CT" in rows[image]["modality"].split(";")) >= ("C0040405" in concepts)
    label_map, _ = parse_label_map(MAP, file="map.csv")
    found = label_choices(study, label_map, reaches=[0, None], metrics=["P(organ)@5"], systems=["hog"])
    assert [row.reach for row in found] == [0, None] and found[1].n_labelled > found[0].n_labelled
    assert found[1].n_labelled == sum(bool(row["organ"]) for row in rows.values())
    shutil.copytree(DATA, tmp_path / "copy")
    shutil.copy(out, tmp_path / "copy" / "labels.csv")
    (plain,) = score(open_study(tmp_path / "copy"), ["P(organ)@5"], systems=["hog"])
    assert found[1].mean.mean == pytest.approx(float(np.nanmean(plain.values)))


def test_command_and_sentence(capsys, tmp_path):
    (tmp_path / "map.csv").write_bytes(MAP)
    words = ["labels", str(DATA), "--map", str(tmp_path / "map.csv"), "--metric", "P(organ)@5"]
    assert run([*words, "--system", "hog", "--system", "texture", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["rows"]) == 3 * 2 and {row["reach"] for row in document["rows"]} == {"0", "1", "all"}
    assert run([*words, "--system", "hog"]) == 0
    assert "Choosing other labels moves P(organ)@5 of hog by" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        (MAP, ["--reach", "1,x"], "not a list such as 0,1,all"),
        (b"a,b\n1,2\n", [], "must name the columns"),
        (b"column,label,cui\norgan,x,C9999999\n", ["--reach", "0"], "No image of the study has a concept"),
    ],
)
def test_refused(capsys, tmp_path, text, words, says):
    (tmp_path / "map.csv").write_bytes(text)
    call = ["labels", str(DATA), "--map", str(tmp_path / "map.csv"), "--metric", "P(organ)@5"]
    assert run([*call, *words]) == 2 and says in capsys.readouterr().err


def test_sentence_without_a_graph(tmp_path):
    label_map, _ = parse_label_map(MAP, file="map.csv")
    with pytest.raises(InputError, match="need a graph"):
        labels_below(replace(open_study(DATA), graph=None), label_map, 1)
    found = label_choices(open_study(DATA), label_map, reaches=[0], metrics=["P(organ)@5"], systems=["hog"])
    assert in_words(found).endswith("Under every choice hog is best.")
