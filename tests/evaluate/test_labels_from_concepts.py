"""Labels from concepts by hand on the toy taxonomy, and as the command writes them."""

import csv
from dataclasses import replace

import pytest

from evalcore.cli import run
from evalcore.evaluate.labels_from_concepts import below, labels_below
from evalcore.graph import build_graph
from evalcore.study import open_study
from evalcore.study.parts.labels import parse_label_map
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


def test_the_command_writes_the_labels_and_counts_images(as_json, tmp_path):
    study, out = open_study(DATA), tmp_path / "labels.csv"
    (tmp_path / "map.csv").write_bytes(MAP)

    def counted(*words):
        answer = as_json("labels", DATA, "--map", tmp_path / "map.csv", "--out", out, *words)
        return {row["label"]: row["images"] for row in answer["labels"]}

    counts = counted()
    rows = {row["ID"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert set(rows) == set(study.image_ids)
    for i, image in enumerate(study.image_ids):
        concepts = study.concepts.of_image(i) or ()
        assert ("CT" in rows[image]["modality"].split(";")) >= ("C0040405" in concepts)
    assert counts["lung"] == sum("lung" in row["organ"].split(";") for row in rows.values())
    assert counted("--reach", 0)["lung"] < counts["lung"]


def test_concepts_below_need_a_graph():
    label_map, _ = parse_label_map(MAP, file="map.csv")
    with pytest.raises(InputError, match="need a graph"):
        labels_below(replace(open_study(DATA), graph=None), label_map, 1)


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        (MAP, ["--reach", "x"], "neither a number nor all"),
        (b"a,b\n1,2\n", [], "must name the columns"),
        (b"column,label,cui\norgan,x,C9999999\n", ["--reach", "0"], "No image of the study has a concept"),
    ],
)
def test_refused(capsys, tmp_path, text, words, says):
    (tmp_path / "map.csv").write_bytes(text)
    call = ["labels", str(DATA), "--map", str(tmp_path / "map.csv")]
    assert run([*call, *words]) == 2 and says in capsys.readouterr().err
