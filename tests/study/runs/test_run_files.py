"""Run files found by a pattern: what each is called."""

from __future__ import annotations

from evalcore.study.given_runs import run_files, system_name


def test_names(tmp_path, monkeypatch):
    for path, name in (("a/b.trec.gz", "b"), ("lr=0.1.run", "lr=0.1"), ("x.v2", "x.v2"), ("t.CSV", "t")):
        assert system_name(path) == name
    for depth in ("x", "y"):
        (tmp_path / "deep" / depth).mkdir(parents=True)
        (tmp_path / "deep" / depth / f"{depth}.trec").write_text("")
    monkeypatch.chdir(tmp_path)
    assert run_files(["deep/**/*.trec"], ["y"]) == {
        "deep/**/*.trec": {"x": "deep/x/x.trec", "deep/y/y.trec": "deep/y/y.trec"}
    }
