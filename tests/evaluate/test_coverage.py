"""A study of nothing; near duplicates by a hash computed by hand, and groups of them."""

import numpy as np
import pytest
from PIL import Image

from evalcore.evaluate.coverage import coverage
from evalcore.evaluate.duplicates import SIDE, dhash, group_rows, near_duplicates, proposed
from evalcore.study import open_study
from tests.toy import study_of


def test_a_study_of_nothing():
    counts = coverage(study_of({}))
    assert (counts.images, counts.concepts_per_image_mean, counts.concepts_per_image_max) == (0, 0.0, 0)
    assert counts.systems == () and counts.unknown == ()


# Near duplicates.


SIZE = 136  # 8 x 17, so that columns fall on whole pixels


def scene(seed):
    """A smooth picture of its own: a few bright spots."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:SIZE, :SIZE]
    spots = [(rng.uniform(0, SIZE, 2), rng.uniform(10, 30)) for _ in range(12)]
    light = sum(np.exp(-((x - c[0]) ** 2 + (y - c[1]) ** 2) / (2 * r * r)) for c, r in spots)
    return (255 * light / light.max()).astype(np.uint8)


@pytest.fixture
def folder(tmp_path):
    """a and b: one picture, b smaller; c another, d and f flat, e without."""
    (tmp_path / "concepts.csv").write_text("ID,CUIs\n" + "".join(f"{i},C0000001\n" for i in "abcdef"))
    images = tmp_path / "images"
    images.mkdir()
    Image.fromarray(scene(1)).save(images / "a.png")
    Image.fromarray(scene(1)).resize((100, 100)).save(images / "b.jpg", quality=60)
    Image.fromarray(scene(2)).save(images / "c.png")
    Image.fromarray(np.full((50, 50), 80, np.uint8)).save(images / "d.png")
    Image.fromarray(np.full((50, 50), 80, np.uint8)).save(images / "f.png")
    return tmp_path


def test_the_hash_is_the_fall_of_mean_brightness_from_each_cell_to_the_next():
    pixels = np.random.default_rng(4).integers(0, 256, (SIDE * 4, (SIDE + 1) * 4), dtype=np.uint8)
    cells = pixels.reshape(SIDE, 4, SIDE + 1, 4).mean(axis=(1, 3))
    expected = cells[:, :-1] > cells[:, 1:]
    # Pillow rounds twice on the way: cells that are nearly level are left out.
    clear = np.abs(cells[:, :-1] - cells[:, 1:]) > 2
    assert (dhash(Image.fromarray(pixels)).reshape(SIDE, SIDE) == expected)[clear].all()
    assert clear.mean() > 0.8


def test_only_copies_are_near_duplicates(folder):
    study = open_study(folder)
    duplicates = near_duplicates(study)
    ids = study.image_ids
    (pair,) = duplicates.pairs  # flat pictures say nothing
    bits = pair.bits
    assert (ids[pair.first], ids[pair.second]) == ("a", "b") and 0 <= bits <= 16
    assert duplicates.n_pictures == 3
    by_hand = np.count_nonzero(
        dhash(Image.open(folder / "images/a.png")) != dhash(Image.open(folder / "images/b.jpg"))
    )
    assert bits == by_hand


def test_proposed_groups_tie_duplicates_and_the_groups_of_the_study(folder):
    (folder / "groups.csv").write_text("ID,patient\nb,p1\nc,p1\nd,p2\n")
    study = open_study(folder)
    groups = proposed(study, near_duplicates(study))
    assert (groups.name, group_rows(study, groups)) == (
        "patient",
        [("a", "a"), ("b", "a"), ("c", "a"), ("d", "d")],
    )
