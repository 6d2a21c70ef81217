"""The same part in every form of a file, and of an object in memory, makes the same study."""

import io
import json
from collections import namedtuple
from collections.abc import Mapping
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from evalcore.study import open_study
from evalcore.study.in_memory import make_study
from tests.study.hurt import IMAGES, TREC, VECTORS, WHOLE, A, B, saved
from tests.study.made import parquet, write

Forms = Mapping[str, str | bytes | Mapping[str, str | bytes]]
TABS = TREC.replace(" ", "\t")
RUNS: Forms = {
    "TABs": TABS,
    "blanks and TABs": TREC.replace(" ", " \t "),
    "blanks around": "  " + TREC.replace("\n", " \n"),
    "doubled TABs": TABS.replace("\t", "\t\t"),
    "one doubled TAB": TABS.replace("a\tQ0\tc", "a\tQ0\t\tc"),
    "TABs of several widths": TABS.replace("a\tQ0\tc", "a\t\t\tQ0\t\tc"),
    "TABs but for a blank": TABS.replace("a\tQ0\tc", "a Q0\tc"),
    "a TAB before": TABS.replace("a\tQ0\tc", "\ta\tQ0\tc"),
    "a TAB behind": TABS.replace("0.5\ts", "0.5\ts\t"),
    "a doubled TAB before the name": TABS.replace("0.5\ts", "0.5\t\ts"),
}
OTHER_RUNS: Forms = {
    "commas": "a,b,0.9\na,c,0.5\nb,d,0.7\nb,a,0.1\n",
    "ranks": "a,b,0.9,1\na,c,0.5,2\nb,d,0.7,1\nb,a,0.1,2\n",
    "semicolons": "a;b;0.9\na;c;0.5\nb;d;0.7\nb;a;0.1\n",
    "any order": "rank,score,doc,qid,extra\n1,.9,b,a,x\n2,.5,c,a,x\n1,.7,d,b,x\n2,.1,a,b,x\n",
    "JSON": json.dumps({"a": {"b": 0.9, "c": 0.5}, "b": {"d": 0.7, "a": 0.1}}),
}
FIXED = pa.array(VECTORS.tolist(), pa.list_(pa.float32(), 2))
NPY = {"embeddings.npy": saved(np.save, VECTORS), "ids.txt": b"ID\r\na\r\nb\r\nc\r\nd\r\n"}
EMBEDDINGS: Forms = {
    "by columns": saved(np.savez, ids=np.array(IMAGES), vectors=np.asfortranarray(VECTORS)),
    "backwards": saved(np.savez, ids=np.array(IMAGES[::-1]), vectors=VECTORS[::-1]),
    "other names": saved(np.savez_compressed, names=np.array(IMAGES), features=VECTORS),
    "bytes": saved(np.savez, ids=np.array([b"a", b"b", b"c", b"d"]), vectors=VECTORS),
    "npy": {f"systems/two/{name}": data for name, data in NPY.items()},
    "parquet": parquet({"id": list(IMAGES), "vector": VECTORS.tolist()}),
    "columns": parquet({"image_id": list(IMAGES), "0": VECTORS[:, 0], "1": VECTORS[:, 1]}),
    "lists of one length": parquet({"id": list(IMAGES), "vector": FIXED}),
    "CSV": "image,x,y\na,3,4\nb,0,1\nc,1,0\nd,1,1\n",
    "word2vec": "4 2\na 3 4\nb 0 1\nc 1 0\nd 1 1\n",
}
CONCEPTS: Forms = {
    "no header": f"b,{B}\na,{A};{B}\nc,\nd\n",
    "TABs": f"b\t{B}\na\t{A};{B}\nc\t\nd\n",
    "captions between": f"ID,caption,CUIs\nb,an image,{B}\na,another,{A};{B}\nc,,\nd\n",
}
CONCEPT_VECTORS: Forms = {
    "npz": saved(np.savez, cuis=np.array([A, B]), vectors=VECTORS[:2] / 10),
    "parquet": parquet({"cui": [A, B], "vector": (VECTORS[:2] / 10).tolist()}),
    "cui2vec": f'"","V1","V2"\n"{A}",0.3,0.4\n"{B}",0.0,1e-1\n',
    "glove": f"{A} 0.3 0.4\n{B} 0 .1\n",
    "word2vec": f"2 2\n{A} 0.3 0.4\n{B} 0 .1\n",
}


@pytest.mark.parametrize(
    ("path", "forms"),
    [
        ("systems/one/run.trec", RUNS | OTHER_RUNS),
        ("systems/two/embeddings.npz", EMBEDDINGS),
        ("concepts.csv", CONCEPTS),
        ("concept_vectors/v.txt", CONCEPT_VECTORS),
    ],
)
def test_every_form_of_a_file(path: str, forms: Forms, tmp_path: Path) -> None:
    expected = open_study(write(tmp_path / "whole", {path: next(iter(forms.values()))} | WHOLE))
    for name, form in forms.items():
        files = form if isinstance(form, Mapping) else {path: form}
        others = {place: data for place, data in WHOLE.items() if place != path}
        study = open_study(write(tmp_path / name, others | files))
        assert study.digest == expected.digest, name
        assert not study.report.of_file(path).problems, name


def test_trec_eval_reads_the_same_runs() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    expected = pytrec_eval.parse_run(TREC.splitlines())
    for name, form in RUNS.items():
        assert pytrec_eval.parse_run(form.splitlines()) == expected, name


# In memory.

TOY = {"a": ["C0000001", "C0000002"], "b": ["C0000001"], "c": [], "d": None}
SCORES = {"a": {"b": 0.75, "d": 0.5, "c": 0.25}, "b": {"a": 2.0, "c": 1.0, "d": -1.0}}
ROWS = [(query, result, score) for query, part in SCORES.items() for result, score in part.items()]
ScoredDoc = namedtuple("ScoredDoc", ("query_id", "doc_id", "score"))


class RanxRun:
    """What ranx.Run offers: `to_dataframe` with these columns."""

    def to_dataframe(self) -> pd.DataFrame:
        return pd.DataFrame(ROWS, columns=["q_id", "doc_id", "score"])


def as_frame(*names: str) -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=names)


NAMES, KINDS = {"C0000001": "one", "C0000002": "two"}, {"C0000001": "finding"}
CAPTIONS = {"a": 'A "quoted", caption;\nin two lines', "b": "B"}
LINKS = [("C0000002", "C0000001"), ("C0000003", "C0000001")]
WIDE = pd.DataFrame({"ID": ["a", "b", "c"], "CUIs": ["C0000001;C0000002", "C0000001", None]})
LONG = pd.DataFrame({"ID": ["a", "a", "b", "c"], "CUI": ["C0000001", "C0000002", "C0000001", None]})
OBJECTS = {
    "run": {
        "dicts": SCORES,
        "pairs": {query: list(part.items()) for query, part in SCORES.items()},
        "frame": as_frame("query_id", "doc_id", "score"),
        "trec names": as_frame("qid", "docno", "sim"),
        "pyterrier": as_frame("qid", "docno", "score").assign(
            query="a text", docid=range(6), rank=[0, 1, 2] * 2
        ),
        "no names": pd.DataFrame(ROWS),
        "index": as_frame("qid", "docid", "score").set_index(["qid", "docid"]),
        "category": as_frame("query", "doc", "similarity").astype({"query": "category", "doc": "category"}),
        "pyarrow": pa.Table.from_pandas(as_frame("query_id", "doc_id", "score")),
        "ranx": RanxRun(),
        "ir_measures": (ScoredDoc(*row) for row in ROWS),
        "rows": ROWS,
        "arrays": tuple(map(np.array, zip(*ROWS, strict=True))),
    },
    "vectors": {
        "arrays": (IMAGES, VECTORS),
        "lists": (IMAGES, VECTORS.tolist()),
        "dict": dict(zip(IMAGES, VECTORS, strict=True)),
        "frame": pd.DataFrame({"id": IMAGES, "x": VECTORS[:, 0], "y": VECTORS[:, 1]}),
        "frame of vectors": pd.DataFrame({"vector": list(VECTORS), "image_id": IMAGES}),
        "index": pd.DataFrame(VECTORS, index=list(IMAGES)),
        "pyarrow": pa.table({"id": list(IMAGES), "vector": VECTORS.tolist()}),
        "npz": np.load(io.BytesIO(WHOLE["systems/two/embeddings.npz"])),
    },
    "concepts": {"dict": {image: TOY[image] for image in "abc"}, "wide": WIDE, "long": LONG}
    | {"index": WIDE.set_index("ID")},
    "labels": {
        "dict": {"a": {"organ": ["lung", "heart"]}, "b": {"organ": "lung"}},
        "frame": pd.DataFrame({"ID": ["a", "b"], "organ": ["lung;heart", "lung"]}),
    },
    "names": {"dict": NAMES, "frame": pd.DataFrame(NAMES.items(), columns=["cui", "name"])},
    "kinds": {"dict": KINDS, "frame": pd.DataFrame(KINDS.items(), columns=["cui", "kind"])},
    "captions": {
        "dict": CAPTIONS,
        "series": pd.Series(CAPTIONS),
        "frame": pd.DataFrame(CAPTIONS.items(), columns=["ID", "Caption"]),
    },
    "graph": {
        "pairs": LINKS,
        "dict": {"C0000002": "C0000001", "C0000003": ["C0000001"]},
        "frame": pd.DataFrame(LINKS, columns=["child", "parent"]),
        "networkx": nx.DiGraph(LINKS),
        "ours": make_study(concepts=TOY, graph=LINKS).graph,
    },
}


def with_object(part: str, value: object) -> object:
    if part in ("run", "vectors"):
        return make_study(concepts=TOY, **{part.rstrip("s") + "s": {"x": value}})
    return make_study(**({"concepts": TOY} | {part: value}))


@pytest.mark.parametrize("part", OBJECTS)
def test_every_form_of_an_object(part: str, tmp_path: Path) -> None:
    expected = next(iter(OBJECTS[part].values()))
    if part == "run":
        rows = "".join(f"{query},{result},{score!r}\n" for query, result, score in ROWS)
        expected = write(tmp_path, {"run.csv": f"query,candidate,score\n{rows}"}) / "run.csv"
    first = with_object(part, expected)
    for name, value in OBJECTS[part].items():
        study = with_object(part, value)
        assert (study.digest, dict(study.names)) == (first.digest, dict(first.names)), name
