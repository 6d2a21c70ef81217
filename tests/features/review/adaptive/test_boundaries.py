"""Boundaries of several looks against published tables."""

from __future__ import annotations

from math import e, log

import pytest

from evalcore.features.review.adaptive.boundaries import boundaries, crossing, spent


def equal(n: int) -> tuple[float, ...]:
    return tuple((look + 1) / n for look in range(n))


# Jennison & Turnbull 2000, tables 2.1 and 2.3: two-sided, alpha .05, equally spaced looks.
@pytest.mark.parametrize(
    ("n", "pocock", "obrien_fleming"),
    [(2, 2.178, 1.977), (3, 2.289, 2.004), (4, 2.361, 2.024), (5, 2.413, 2.040)],
)
def test_published_constants_keep_the_level(n: int, pocock: float, obrien_fleming: float) -> None:
    looks = equal(n)
    assert crossing((pocock,) * n, looks) == pytest.approx(0.05, abs=1e-4)
    falling = tuple(obrien_fleming / look**0.5 for look in looks)
    assert crossing(falling, looks) == pytest.approx(0.05, abs=1e-4)


def test_spending_gives_the_published_boundaries_of_five_looks() -> None:
    """As gsDesign prints them, to three digits."""
    looks = equal(5)
    assert boundaries(tuple(spent(look, 0.05) for look in looks), looks) == pytest.approx(
        [4.877, 3.357, 2.680, 2.290, 2.031], abs=5e-4
    )
    like_pocock = tuple(0.05 * log(1 + (e - 1) * look) for look in looks)
    assert boundaries(like_pocock, looks) == pytest.approx([2.438, 2.427, 2.410, 2.397, 2.386], abs=5e-4)
    assert (spent(0, 0.05), spent(1, 0.05)) == (0, pytest.approx(0.05))
