"""The lists that are judged: the first results of each system, as they count when it is scored."""

from __future__ import annotations

import shutil

import pytest

from evalcore.features.review.items import drawn, lists_of, queries_of
from evalcore.features.review.tasks import Task
from evalcore.study import open_study
from evalcore.values.errors import InputError, UnknownName

RUN = """a Q0 a 1 9 s
a Q0 b 2 8 s
a Q0 c 3 7 s
a Q0 d 4 6 s
b Q0 d 1 5 s
b Q0 c 2 5 s
"""


@pytest.fixture
def study(tmp_path):
    """Four images; system `two` answers b and c only; `vec` has no run; a and c are of one patient."""
    folder = tmp_path / "study"
    (folder / "systems/one").mkdir(parents=True)
    (folder / "systems/two").mkdir()
    (folder / "concepts.csv").write_text(
        "ID,CUIs\n" + "".join(f"{i},C000000{n}\n" for n, i in enumerate("abcd"))
    )
    (folder / "systems/one/run.trec").write_text(RUN)
    (folder / "systems/two/run.trec").write_text("b Q0 a 1 2 s\nc Q0 a 1 1 s\n")
    return folder


def task(**said):
    given = {"name": "t", "title": "T", "form": "graded", "systems": ("one", "two"), "queries": ("b", "a")}
    return Task(**{**given, **said})


def test_the_first_results_without_the_query_itself(study):
    opened = open_study(study)
    assert lists_of(opened, task(depth=2)) == {
        "b": {"one": ("c", "d"), "two": ("a",)},  # equal scores stand by id
        "a": {"one": ("b", "c"), "two": ()},
    }
    assert list(lists_of(opened, task())) == ["b", "a"]
    assert lists_of(opened, task())["a"]["one"] == ("b", "c", "d")


def test_images_of_the_querys_own_group_are_left_out(study):
    (study / "labels.csv").write_text("ID,patient\na,1\nb,2\nc,1\nd,3\n")
    (study / "study.toml").write_text('group = "patient"\n')
    assert lists_of(open_study(study), task(depth=2))["a"]["one"] == ("b", "d")


def test_queries_are_drawn_from_those_that_a_system_answers(study):
    opened = open_study(study)
    drew = queries_of(opened, task(queries=(), draw=2, seed=3))
    assert len(drew) == 2 and set(drew) <= {"a", "b", "c"}
    assert queries_of(opened, task(queries=(), draw=99)) and set(
        queries_of(opened, task(queries=(), draw=99))
    ) == {"a", "b", "c"}
    seeds = {queries_of(opened, task(queries=(), draw=1, seed=seed)) for seed in range(30)}
    assert seeds == {("a",), ("b",), ("c",)}


def test_a_query_that_joins_takes_the_place_of_one_at_most():
    ids = [f"q{n}" for n in range(200)]
    for seed in range(20):
        before, after = set(drawn(ids, seed)[:10]), set(drawn([*ids, "new"], seed)[:10])
        assert len(before - after) <= 1 and after - before <= {"new"}


def test_what_the_study_does_not_have(study):
    opened = open_study(study)
    with pytest.raises(UnknownName, match="No query called 'x'"):
        lists_of(opened, task(queries=("x",)))
    with pytest.raises(UnknownName, match="No system with a run called 'three'"):
        lists_of(opened, task(systems=("three",)))


def test_systems_that_have_no_single_run():
    sample = open_study("data")
    name = next(iter(sample.embeddings), None)
    if name is not None and name not in sample.runs:
        with pytest.raises(InputError, match="has no run, only vectors"):
            lists_of(sample, task(systems=(name,), queries=()))


def test_a_system_of_several_seeds_names_its_runs(study):
    shutil.rmtree(study / "systems/two")
    for seed in (1, 2):
        (study / f"systems/one/run.{seed}.trec").write_text(RUN)
    (study / "systems/one/run.trec").unlink()
    opened = open_study(study)
    assert opened.seeds
    with pytest.raises(InputError, match=r"trained several times\. Name one of its runs: one\.1, one\.2\."):
        lists_of(opened, task(systems=("one",)))
    assert lists_of(opened, task(systems=("one.2",), depth=1))["a"] == {"one.2": ("b",)}


def test_drawing_is_uniform_over_seeds():
    """Each of four first in about a quarter of 2,000 draws: within 5 standard deviations (19.4)."""
    first = [drawn("abcd", seed)[0] for seed in range(2000)]
    assert all(abs(first.count(one) - 500) < 97 for one in "abcd")
