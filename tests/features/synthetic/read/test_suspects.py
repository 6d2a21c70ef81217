"""Generated images that nearly repeat a real one: by picture, by features, none where too few are known."""

from __future__ import annotations

import numpy as np
from PIL import Image

from evalcore.features.synthetic.images import ImageSettings
from evalcore.features.synthetic.read.feature_files import suspected_copies
from evalcore.features.synthetic.read.groups import of_paths
from evalcore.features.synthetic.read.material import measured_groups


def picture(seed):
    rough = np.random.default_rng(seed).integers(0, 256, (7, 6)).astype(np.uint8)
    return Image.fromarray(rough).resize((96, 112), Image.Resampling.BICUBIC)


def found_in(tmp_path, *groups):
    of = measured_groups(
        of_paths(("real", tmp_path / "real"), [(one, tmp_path / one) for one in groups]),
        settings=ImageSettings(side=64),
    )
    return suspected_copies(of)


def test_copies_of_pictures(tmp_path):
    for name in ("real", "mixed", "honest"):
        (tmp_path / name).mkdir()
    for i in range(12):
        picture(i).save(tmp_path / "real" / f"{i}.png")
        made = picture(i).resize((80, 90)) if i < 3 else picture(100 + i)
        made.save(tmp_path / "mixed" / f"m{i}.jpg", quality=70)
        picture(200 + i).save(tmp_path / "honest" / f"{i}.png")
    mixed, honest = found_in(tmp_path, "mixed", "honest")
    assert (mixed.group, mixed.n, mixed.copies) == ("mixed", 12, ("m0", "m1", "m2")) and mixed.many
    assert (honest.copies, honest.many) == ((), False)


def test_copies_by_features_need_enough_of_them(tmp_path):
    rng = np.random.default_rng(0)
    real = rng.integers(0, 9, (12, 6)).astype(float)
    real[0, 2] = np.nan
    for width, expected in ((6, ("f0", "f1")), (2, ())):
        for name, rows in (("real", real), ("made.csv", np.vstack([real[:2], real[2:] + 100]))):
            lines = ["ID," + ",".join(f"a{k}" for k in range(width))]
            lines += [
                f"f{i}," + ",".join("" if np.isnan(v) else f"{v:g}" for v in row[:width])
                for i, row in enumerate(rows)
            ]
            (tmp_path / name).write_text("\n".join(lines) + "\n")
        (made,) = found_in(tmp_path, "made.csv")
        assert made.copies == expected
