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
    counts = coverage(study)
    assert (counts.images, counts.not_annotated, counts.without_concepts) == (4, 1, 1)
    assert (
        counts.concepts_per_image_mean,
        counts.concepts_per_image_median,
        counts.concepts_per_image_max,
    ) == (5 / 3, 2, 3)
    assert (counts.concepts, counts.concepts_in_graph, counts.concepts_named) == (3, 1, 0)
    assert (counts.occurrences, counts.occurrences_in_graph) == (5, 2)
    assert counts.unknown == (("odd", 2), ("rare", 1))
    assert counts.labelled == (("organ", 1),)
    net, run = counts.systems
    assert (net.system, net.answered, net.embedded) == ("net", 0, 1)
    assert (run.answered, run.shortest, run.longest, run.tied) == (3, 0, 3, 1)


def test_a_study_of_nothing():
    counts = coverage(study_of({}))
    assert (counts.images, counts.concepts_per_image_mean, counts.concepts_per_image_max) == (0, 0.0, 0)
    assert counts.systems == () and counts.unknown == ()
