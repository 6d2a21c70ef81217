"""Studies of what is in memory: what is taken, what is refused, and the way back to files."""

import json

import numpy as np
import pandas as pd
import pytest

import evalcore as cs
from evalcore.values.stores import size_of
from tests.study.made import npz

TOY = {"a": ["C0000001", "C0000002"], "b": ["C0000001"], "c": [], "d": None}


def test_all_errors_are_reported_at_once():
    with pytest.raises(cs.InputError) as caught:
        cs.make_study(
            concepts={"img_01": ["C0000001", "bogus"], "img_02": ["C0000002"]},
            labels=3,
            queries=["img_1"],
            baseline="nobody",
            groups="ward",
            vectors={"v": (["img_01"], np.ones((2, 3)))},
            runs={
                "near": {"img_01": {"img_2": 0.5}},
                "bad": [("img_01", "img_02", "high"), ("img_02", "img_01", 0.5)],
                "columns": pd.DataFrame({"x": [1]}),
                "@iou": {},
            },
        )
    text = str(caught.value)
    lines = text.split("\n")
    assert lines[0] == "The study cannot be made: 11 errors."
    for messages in (
        "  concepts, row 1: 'bogus' is not a CUI",
        "  labels: An object of the type int cannot be read as labels",
        "  queries, row 1: No concept set contains the image 'img_1'; its rows are left out.",
        "  runs['near'], row 1: No concept set contains the image 'img_2'; its rows are left out.",
        "  runs['bad'], row 1: The score 'high' is not a number",
        "  runs['columns']: An object of the type DataFrame cannot be read as run: its columns are x.",
        "  runs['@iou']: No system can be called '@iou'",
        "  vectors['v']: There are 1 ids for 2 vectors.",
        "  baseline: No system is called 'nobody'",
        "  groups: No column of labels.csv or groups.csv is called 'ward'",
    ):
        assert messages in text, messages
    assert caught.value.report.total("error") == 11
    assert "study.toml:" not in text


def test_runs_without_names_are_refused():
    with pytest.raises(cs.InputError, match=r"`runs` is a str\. Give"):
        cs.with_runs(cs.make_study(concepts=TOY), "run.trec")


def test_a_text_where_results_are_listed_is_a_single_result():
    study = cs.make_study(concepts={"a": [], "b": [], "bc": ["C0000001"]}, runs={"x": {"a": "bc"}})
    assert study.runs["x"].candidates.tolist() == [study.concepts.index("bc")]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"labels": {"a": "chest"}}, "'chest' is no mapping of columns to values"),
        ({"vectors": {"x": np.ones((4, 2))}}, "an array alone has no ids"),
        ({"runs": {"x": {"a": {"b": None}}}}, "row 1: The row has no score; it is left out."),
    ],
    ids=["labels", "vectors", "score"],
)
def test_objects_are_refused_in_words_of_their_user(part, message):
    with pytest.raises(cs.InputError) as caught:
        cs.make_study(concepts=TOY, **part)
    assert message in str(caught.value)


def test_unknown_ids_and_empty_runs():
    run = {"a.jpg": {"b.jpg": 1.0}, "b.jpg": {"a.jpg": 1.0}}
    with pytest.raises(cs.InputError, match=r"Apart from a file ending such as \.jpg both match"):
        cs.make_study(concepts=TOY, runs={"x": run})
    study = cs.make_study(concepts=TOY, runs={"x": {"a": {"b": 1.0, "zz": 2.0}}}, unknown="drop")
    assert len(study.runs["x"].candidates) == 1 and study.report.total("warning")
    with pytest.raises(cs.SettingError, match="unknown"):
        cs.make_study(concepts=TOY, unknown="guess")
    with pytest.raises(cs.InputError, match="no readable concepts"):
        cs.make_study(runs={"x": run})
    for empty in ({}, {"a": {}}, [], pd.DataFrame({"qid": [], "docid": [], "score": []})):
        with pytest.raises(cs.InputError, match=r"runs\['x'\]: .* there is nothing in it"):
            cs.make_study(concepts=TOY, runs={"x": empty})
    with pytest.raises(cs.InputError, match="`runs` is a list"):
        cs.make_study(concepts=TOY, runs=[run])
    with pytest.raises(cs.InputError, match="3 cannot be the name of a system"):
        cs.with_runs(study, {3: run})


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (np.eye(2), "wrong-shape"),
        (5, "wrong-shape"),
        (("ab", np.eye(2), 1), "wrong-shape"),
        (("ab", [[1], [2, 3]]), "wrong-shape"),
        (("a", np.eye(2)), "wrong-count"),
        ({}, "wrong-shape"),
        (pd.DataFrame(np.eye(2)), "wrong-header"),
        (pd.DataFrame({"id": ["a", "b", "c"], "x": [1, "a", None]}), "wrong-shape"),
        ("nowhere.npz", "unreadable-file"),
    ],
)
def test_objects_without_vectors_are_refused(value, rule):
    with pytest.raises(cs.InputError) as caught:
        cs.make_study(concepts=TOY, vectors={"x": value})
    (problem,) = caught.value.report.of_severity("error")
    assert problem.rule == rule and problem.remedy and problem.message[-1] == "."


def test_numbers_are_ids_and_paths_are_read(tmp_path):
    (tmp_path / "v.npz").write_bytes(npz("12"))
    for vectors in ({1.0: [1.0, 0], 2.0: [0, 1.0]}, str(tmp_path / "v.npz"), tmp_path / "v.npz"):
        study = cs.make_study(concepts={1: ["C0000001"], 2: []}, vectors={"x": vectors})
        assert study.image_ids == ("1", "2") and study.embeddings["x"].vectors.tolist() == [[1, 0], [0, 1]]


# More runs, and the way back to files.


def test_a_saved_study_keeps_everything_odd(tmp_path):
    study = cs.make_study(
        concepts={"=1,x": ["C0000001"], "b;c": [], "d": None, "é 1": ["C0000002"], "t\tt": []},
        captions={"d": 'say "a",\nb', "b;c": "1\t2\n3\t4\n5\t6\n7\t8"},
        labels=pd.DataFrame({"img": ["CT\tx"], "id": ["d"]}),
        graph=[("C0000001", "C0000003"), ("C0000009", "C0000009")],
        groups={"d": "p", "b;c": "p"},
        queries=["=1,x", "b;c", "d", "é 1"],
        candidates=["b;c", "d", "t\tt"],
        runs={"a/b": {"d": {"é 1": 0.1, "b;c": 1 / 3}}, "net v1.5": {"é 1": {"d": 1e-300}}},
        vectors={"net v1.5": (["d", "é 1"], np.eye(2))},
        name="Ünï",
        description="two\nlines",
        baseline="a/b",
    )
    opened = cs.open_study(cs.save_study(study, tmp_path / "new" / "study"))
    assert opened.digest == study.digest
    assert (opened.name, opened.description, opened.baseline) == ("Ünï", "two\nlines", "a/b")
    assert opened.systems == study.systems
    assert (opened.captions.texts, opened.labels["img"].values) == (study.captions.texts, ("CT\tx",))
    with pytest.raises(cs.InputError, match="something at"):
        cs.save_study(study, tmp_path / "new" / "study")
    kept = cs.make_study(concepts=TOY, runs={"x": {"a": {"b": 1.0, "zz": 2.0}}}, unknown="zero")
    with pytest.raises(cs.InputError, match='unknown="drop"'):
        cs.save_study(kept, tmp_path / "unknown")
    assert not (tmp_path / "unknown").exists() and not list(tmp_path.glob(".saving*"))


def test_a_saved_study_of_words_is_equal(tmp_path):
    words = cs.make_study(concepts={"a": ["dog.n.01"], "b": ["cat.n.01"]}, names={"dog.n.01": "hound"})
    assert dict(words.names) == {"cat.n.01": "cat", "dog.n.01": "hound"}
    assert cs.open_study(cs.save_study(words, tmp_path / "words")).digest == words.digest


def test_line_ends_are_those_of_files_wherever_texts_come_from(tmp_path):
    texts = {"a": "one\r\ntwo\rthree", "b": " x "}
    frame = pd.DataFrame({"ID": texts.keys(), "Caption": texts.values()})
    studies = [cs.make_study(concepts=TOY, captions=captions) for captions in (texts, frame)]
    lines = [json.dumps({"id": image, "caption": text}) for image, text in texts.items()]
    (tmp_path / "captions.jsonl").write_text("\n".join(lines))
    studies.append(cs.make_study(concepts=TOY, captions=tmp_path / "captions.jsonl"))
    for study in studies:
        assert study.captions.texts[:2] == ("one\ntwo\nthree", "x")
    assert len({study.digest for study in studies}) == 1


def test_memory_of_many_raters_grows_with_the_rows() -> None:
    """A table of raters by pairs would take 3 GB."""
    images, n = [f"i{i}" for i in range(200)], 20_000
    rows = [(f"r{i}", images[i % 200], images[i // 200], 1) for i in range(n)]
    judgments = pd.DataFrame(rows, columns=["reader", "query", "result", "value"])
    study = cs.make_study(concepts=dict.fromkeys(images, "C0000001"), judgments={"p": judgments})
    assert len(study.qrels["p"].raters) == n
    assert size_of(study.qrels["p"]) < 300 * n
