"""What a study holds, counted by hand."""

from __future__ import annotations

from evalcore.evaluate.coverage import coverage
from tests.toy import study_of
from tests.toy_runs import with_parts


def test_counts():
    study = with_parts(
        study_of(
            {"a": {"vein", "odd"}, "b": {"vein", "odd", "rare"}, "c": set(), "d": None},
            [("vein", "vessel")],
            embeddings={"net": {"a": (1, 0)}},
        ),
        labels={"organ": {"a": "x"}},
        runs={"run": {"a": {"b": 1.0, "c": 1.0, "d": 0.5}, "b": {"a": 1.0}, "c": {}}},
    )
    found = coverage(study)
    assert (found.images, found.not_annotated, found.without_concepts) == (4, 1, 1)
    assert (found.concepts_per_image_mean, found.concepts_per_image_median, found.concepts_per_image_max) == (
        5 / 3,
        2,
        3,
    )
    assert (found.concepts, found.concepts_in_graph, found.concepts_named) == (3, 1, 0)
    assert (found.occurrences, found.occurrences_in_graph) == (5, 2)
    assert found.unknown == (("odd", 2), ("rare", 1))
    assert found.labelled == (("organ", 1),)
    net, run = found.systems
    assert (net.system, net.answered, net.embedded) == ("net", 0, 1)
    assert (run.answered, run.shortest, run.longest, run.tied) == (3, 0, 3, 1)


def test_a_study_of_nothing():
    found = coverage(study_of({}))
    assert (found.images, found.concepts_per_image_mean, found.concepts_per_image_max) == (0, 0.0, 0)
    assert found.systems == () and found.unknown == ()
