"""Runs: the order of their results, unknown ids, and the names of systems read from files."""

from pathlib import Path

from evalcore.study.given_runs import run_files, system_name
from tests.study.hurt import IMAGES, TREC, study_with


def answers(folder: Path, text: str, unknown: str = "zero") -> dict[str, list[tuple[str | None, float]]]:
    """{query: results with their scores}, None for a result that is no image of the study."""
    study = study_with(folder, "systems/one/run.trec", text.encode(), unknown=unknown)
    assert study.report.total("error") == 0
    run = study.runs["one"]
    return {
        IMAGES[query]: [(IMAGES[c] if c >= 0 else None, s) for c, s in zip(*run.answer(query), strict=True)]
        for query in run.queries.tolist()
    }


def test_results_are_ordered_by_score_then_id(tmp_path: Path) -> None:
    """By id: Zz (capitals come first), a, b, bb, c, zz; of these a, b and c are images of the study."""
    rows = "".join(f"d Q0 {image} 1 0.5 s\n" for image in ("zz", "c", "bb", "a", "Zz", "b"))
    ids = (None, "a", "b", None, "c", None)
    expected = [*((image, 0.5) for image in ids), (None, 0.4)]
    assert answers(tmp_path, "d Q0 zzz 1 0.4 s\n" + rows) == {"d": expected}


def test_unknown_ids_can_be_kept_at_relevance_zero_or_dropped(tmp_path: Path) -> None:
    text = f"a Q0 zz 1 0.95 s\n{TREC}yy Q0 a 1 .5 s\n"
    known = {"a": [("b", 0.9), ("c", 0.5)], "b": [("d", 0.7), ("a", 0.1)]}
    assert answers(tmp_path, text, "drop") == known
    assert answers(tmp_path, text, "zero") == known | {"a": [(None, 0.95), *known["a"]]}


def test_ids_spelled_otherwise_are_counted_as_one_problem(tmp_path: Path) -> None:
    for ids, words in (("b", "the image 'b.png'"), ("bc", "2 ids that no concept set")):
        text = "".join(f"a Q0 {image}.png 1 0.9 s\n" for image in ids)
        problems = study_with(tmp_path, "systems/one/run.trec", text.encode()).report.problems
        (unknown,) = [problem for problem in problems if problem.rule == "unknown-id"]
        assert words in unknown.message and unknown.count == len(ids)


def test_files_of_a_pattern_are_named_by_where_they_differ(tmp_path, monkeypatch):
    for path, name in (("a/b.trec.gz", "b"), ("lr=0.1.run", "lr=0.1"), ("x.v2", "x.v2"), ("t.CSV", "t")):
        assert system_name(path) == name
    for depth in ("x", "y"):
        (tmp_path / "deep" / depth).mkdir(parents=True)
        (tmp_path / "deep" / depth / f"{depth}.trec").write_text("")
    monkeypatch.chdir(tmp_path)
    assert run_files(["deep/**/*.trec"], ["y"]) == {
        "deep/**/*.trec": {"x": "deep/x/x.trec", "deep/y/y.trec": "deep/y/y.trec"}
    }
