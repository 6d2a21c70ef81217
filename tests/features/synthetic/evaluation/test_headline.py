"""The yardstick of held-out real images, and the sentences: copies first, and never praised."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic.evaluation.evaluate import Suspected, evaluate, headline
from evalcore.features.synthetic.evaluation.scores import WsiSettings
from evalcore.features.synthetic.features import table

NAMES = [f"a.f{k}" for k in range(12)]


def group(values, name):
    return table([f"{name}{i}" for i in range(len(values))], NAMES, values, name=name)


@pytest.fixture
def images():
    """Real images, honest ones of the same kind, poor ones, and copies of typical real images."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(60, 12))
    typical = real[np.argsort(np.abs(real).max(1))[:6]]
    return (
        group(real, "real"),
        group(rng.normal(size=(400, 12)), "honest"),
        group(rng.normal(2, 1, (40, 12)), "poor"),
        group(np.repeat(typical, 5, axis=0), "copies"),
    )


def test_held_out_images_score_as_new_ones_of_their_kind(images):
    real, honest, *_ = images
    found = evaluate(real, [honest])
    assert found.held_out is not None and found.yardstick is found.held_out
    own, new = found.held_out.distribution.mean, found.groups[0].distribution.mean
    assert abs(own - new) < 0.02 < found.archetypes.distribution.mean - own
    # by hand: each part against the quantiles of all others
    part = np.random.default_rng((0, 5)).permutation(60) % 5
    expected = np.empty(60)
    for fold in range(5):
        low, high = np.quantile(real.values[part != fold], [0.05, 0.95], axis=0)
        within = (real.values[part == fold] >= low) & (real.values[part == fold] <= high)
        expected[part == fold] = within.mean(1)
    assert found.held_out.values == pytest.approx(expected)
    assert found.held_out.tally.ids == real.ids and found.held_out.name == "real, held out"


def test_held_out_images_among_each_other(images):
    real, honest, *_ = images
    found = evaluate(real, [honest], settings=WsiSettings(archetype="each"))
    assert abs(found.held_out.distribution.mean - found.groups[0].distribution.mean) < 0.02


def test_few_real_images_are_not_held_out(images):
    real, honest, *_ = images
    found = evaluate(real.rows(range(9)), [honest])
    assert found.held_out is None and found.yardstick is found.archetypes


def said(found, *suspected):
    return headline(found, suspected, name=str, number=lambda one: f"{one:.3f}")


def test_copies_are_named_first_and_never_called_like_real_images(images):
    real, honest, poor, copies = images
    found = evaluate(real, [honest, poor, copies])
    means = {one.name: one.distribution.mean for one in found.groups}
    assert means["copies"] > found.held_out.distribution.mean + 0.05  # as in the paper's score, copying pays
    first, second = said(found, Suspected("copies", 30, copies.ids), Suspected("honest", 400, ()))
    assert (
        first
        == "copies: 30 of 30 images are near-identical to a real image, so its score says nothing about "
        "quality."
    )
    own = found.held_out.distribution.mean
    assert second == (
        f"Held-out real images score {own:.3f}: honest comes closest ({means['honest']:.3f}), "
        f"poor is farthest ({means['poor']:.3f})."
    )


def test_without_suspicion_a_score_above_real_images_asks_for_a_look(images):
    real, honest, poor, copies = images
    lines = said(evaluate(real, [honest, poor, copies]))
    assert "Above real images: copies. Look for copies and for little variety." in lines
    assert "copies comes closest" not in " ".join(lines)


def test_few_suspected_images_leave_the_group_in_the_comparison(images):
    real, honest, *_ = images
    lines = said(evaluate(real, [honest]), Suspected("honest", 400, ("honest1",)))
    assert lines[0] == "honest: 1 of 400 images is near-identical to a real image."
    assert lines[1].startswith("Held-out real images score ") and "images of honest" in lines[1]
    assert all(len(line.split()) <= 20 for line in lines)
