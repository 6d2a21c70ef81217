"""Near duplicates: pictures by a hash worked out by hand, captions letter by letter; groups of both."""

from __future__ import annotations

import csv
import json
from itertools import product

import numpy as np
import pytest
from PIL import Image, ImageOps

from evalcore.cli import run
from evalcore.evaluate.duplicates import SIDE, _of_parts, dhash, group_rows, near_duplicates, packed, proposed
from evalcore.evaluate.loops import nearest_windows
from evalcore.study import open_study

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
    """a and b: one picture, b smaller; c another, d and f flat, e without; captions of c and e are equal."""
    (tmp_path / "concepts.csv").write_text("ID,CUIs\n" + "".join(f"{i},C0000001\n" for i in "abcdef"))
    (tmp_path / "captions.csv").write_text(
        'ID,Caption\na,One\nb,Two\nc,"A chest film "\nd,\ne,A chest film\nf,a chest film\n'
    )
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


def test_copies_and_equal_captions_are_found_and_nothing_else(folder):
    study = open_study(folder)
    found = near_duplicates(study)
    ids = study.image_ids
    pairs = {(ids[one.first], ids[one.second]): (one.bits, one.same_caption) for one in found.pairs}
    assert set(pairs) == {("a", "b"), ("c", "e")}  # flat pictures say nothing, letters decide
    bits, same = pairs["a", "b"]
    assert bits is not None and 0 <= bits <= 16 and not same and pairs["c", "e"] == (None, True)
    assert (found.n_pictures, found.n_captions) == (3, 5)
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
        [("a", "a"), ("b", "a"), ("c", "a"), ("d", "d"), ("e", "a")],
    )


def test_the_command_lists_pairs_and_writes_groups_that_a_study_reads(folder, tmp_path, capsys):
    out = tmp_path / "groups.csv"
    assert run(["check", "--duplicates", str(folder), "--json", "--out", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["first"], one["second"], one["same_caption"]) for one in found["pairs"]] == [
        ("a", "b", False),
        ("c", "e", True),
    ]
    with out.open(newline="") as lines:
        assert list(csv.reader(lines)) == [
            ["ID", "near_duplicate"],
            ["a", "a"],
            ["b", "a"],
            ["c", "c"],
            ["e", "c"],
        ]
    study = open_study(folder)
    assert study.groups is not None and (study.groups.name, study.groups.n) == ("near_duplicate", 2)
    assert run(["check", "--duplicates", str(folder)]) == 0
    assert "yes" in capsys.readouterr().out


def textured(seed):
    """A picture with coarse and fine structure, 200 x 200 pixels."""
    rng, total = np.random.default_rng(seed), np.zeros((200, 200))
    for side in (4, 8, 16):
        rough = Image.fromarray(rng.integers(0, 256, (side, side)).astype(np.uint8))
        total += np.asarray(rough.resize((200, 200), Image.Resampling.BICUBIC), float)
    return (total / 3).astype(np.uint8)


def copies_of(folder, change):
    """Eight pictures and a changed copy of each, b0 of a0 and so on."""
    (folder / "images").mkdir()
    ids = [f"{k}{i}" for k in "ab" for i in range(8)]
    (folder / "concepts.csv").write_text("ID,CUIs\n" + "".join(f"{i},C0000001\n" for i in ids))
    for i in range(8):
        picture = Image.fromarray(textured(20 + i))
        picture.save(folder / "images" / f"a{i}.png")
        change(picture).save(folder / "images" / f"b{i}.jpg", quality=80)
    return open_study(folder)


def cut(left, top, right, bottom):
    return lambda one: one.crop((left * 200, top * 200, (1 - right) * 200, (1 - bottom) * 200))


@pytest.mark.parametrize(
    ("change", "asked", "how"),
    [
        (ImageOps.mirror, {"mirrored": True}, "mirrored"),
        (cut(0.04, 0.04, 0.04, 0.04), {"cropped": True}, "cropped"),
        (cut(0.08, 0.08, 0.08, 0.08), {"cropped": True}, "cropped"),
        (cut(0, 0, 0.08, 0.08), {"cropped": True}, "cropped"),
        (
            lambda one: ImageOps.mirror(cut(0, 0.08, 0, 0.08)(one)),
            {"mirrored": True, "cropped": True},
            "mirrored, cropped",
        ),
    ],
)
def test_mirrored_and_cropped_copies_are_found_when_asked_for(tmp_path, change, asked, how):
    study = copies_of(tmp_path, change)
    found = near_duplicates(study, **asked)
    ids = study.image_ids
    pairs = {(ids[one.first], ids[one.second]): one.how for one in found.pairs}
    assert pairs == {(f"a{i}", f"b{i}"): how for i in range(8)}
    assert found.n_alike == 8 and all(one.bits is not None and one.bits <= 22 for one in found.pairs)
    assert near_duplicates(study).n_alike <= 1


def test_a_copy_that_is_alike_as_it_is_is_called_so(tmp_path):
    study = copies_of(tmp_path, lambda one: one.resize((90, 90)))
    found = near_duplicates(study, mirrored=True, cropped=True)
    assert {one.how for one in found.pairs} == {"alike"} and len(found.pairs) == 8


def test_the_hashes_of_parts_are_those_of_the_parts(tmp_path):
    values = np.random.default_rng(3).integers(0, 256, (400, 425), dtype=np.uint8)
    grey = Image.fromarray(values)
    hashes = _of_parts(grey)
    assert hashes.shape == (81, 256)
    for k, (top, bottom, left, right) in enumerate(product((0, 0.04, 0.08), repeat=4)):
        part = grey.crop((425 * left, 400 * top, 425 * (1 - right), 400 * (1 - bottom)))
        small = np.asarray(part.resize((SIDE + 1, SIDE), Image.Resampling.BOX), int)
        # Pillow rounds twice on the way: cells that are nearly level are left out.
        clear = (np.abs(small[:, :-1] - small[:, 1:]) > 2).ravel()
        assert (hashes[k] == dhash(part))[clear].all() and clear.mean() > 0.4


def test_the_loop_over_parts_is_that_of_a_count_by_hand():
    rng = np.random.default_rng(0)
    parts = rng.random((30, 5, 256)) < 0.5
    whole = parts[::3, 2] ^ (rng.random((10, 256)) < 0.08)
    used = rng.random((30, 5)) < 0.9
    differ = (whole[:, None, None] != parts[None]).sum(-1)
    differ[:, ~used] = 999
    expected = [(a, b, differ[a, b].min()) for a, b in np.argwhere(differ.min(2) <= 30)]
    assert len(expected) > 4
    assert list(map(tuple, nearest_windows(packed(whole), packed(parts), used, 30))) == expected


def test_the_command_says_how(tmp_path, capsys):
    copies_of(tmp_path, ImageOps.mirror)
    assert run(["check", "--duplicates", str(tmp_path), "--mirrored", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mirrored"] and not found["cropped"]
    assert [one["how"] for one in found["pairs"]] == ["mirrored"] * 8
    assert run(["check", "--duplicates", str(tmp_path)]) == 0
    assert "0 pairs of 16 pictures are near-identical" in capsys.readouterr().out
