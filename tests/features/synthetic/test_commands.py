"""``synthetic score|copies|distances``: numbers from files, what people and programs read, broken inputs."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
import tifffile
from PIL import Image

from evalcore.cli import run
from evalcore.features.synthetic.distances import fit, frechet_squared


@pytest.fixture
def call(capsys):
    def call(*arguments):
        code = run(["synthetic", "score", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


def cells(folder, n, *, seed, empty=(), slices=0):
    """Fluorescence images as ImageJ writes them: discs on noise in three channels."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    for i in range(n):
        values = rng.integers(0, 12, (3, 48, 48)).astype(np.uint8)
        for k in range(3):
            for _ in range(rng.integers(3, 6)):
                y, x = rng.integers(6, 42, 2)
                down, across = np.ogrid[:48, :48]
                values[k][(down - y) ** 2 + (across - x) ** 2 < (k + 3) ** 2] = rng.integers(120, 220)
        values[list(empty)] = 0
        stack = np.stack([values // (z + 1) for z in range(slices)]) if slices else values
        axes = "ZCYX" if slices else "CYX"
        labels = {"Labels": ["DAPI", "GFP", "RFP"]} if not slices else {}
        tifffile.imwrite(folder / f"{i}.tif", stack, imagej=True, metadata={"axes": axes, **labels})
    return folder


def test_planes_of_stacks(call, tmp_path):
    real = cells(tmp_path / "real", 24, seed=0)
    stacks = cells(tmp_path / "stacks", 4, seed=1, slices=3)
    code, _, err = call("--real", real, "--generated", stacks)
    assert code == 2 and "channels are channel 1, channel 2, channel 3" in err and "DAPI, GFP, RFP" in err
    (tmp_path / "flat").mkdir()
    for path in stacks.glob("*.tif"):
        values = tifffile.imread(path).max(0)
        tifffile.imwrite(tmp_path / "flat" / path.name, values, imagej=True, metadata={"axes": "CYX"})
    both = ("--real", tmp_path / "flat", "--generated", stacks, "--json")
    code, out, err = call(*both)
    assert code == 0 and "4 images are stacks of planes; the largest value over the planes" in err
    first = json.loads(out)
    assert first["scores"][1]["mean"] == first["scores"][0]["mean"]  # the same pictures
    code, out, _ = call(*both, "--planes", "mean")
    assert json.loads(out)["scores"][1]["mean"] < first["scores"][1]["mean"]


def test_a_link_to_itself_is_named(call, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    real = cells(tmp_path / "real", 6, seed=0)
    for loop in ("loop", "loop.csv"):
        for arguments in ((tmp_path / loop, real), (real, tmp_path / loop), (real, f"a={tmp_path / loop}")):
            code, out, err = call("--real", arguments[0], "--generated", arguments[1])
            assert (code, out) == (2, "") and loop in err and "There is no file or folder" in err
    code, _, err = call(
        "--real", real, "--generated", f"b={real}", "--feature-weights", tmp_path / "loop.csv"
    )
    assert code == 2 and "loop.csv" in err


def write(path, values, names=("a", "b", "c")):
    rows = [f"i{k}," + ",".join(map(str, row)) for k, row in enumerate(values)]
    path.write_text("\n".join([",".join(("ID", *names)), *rows]) + "\n")
    return path


def test_options_reach_the_index(call, tmp_path):
    """b in tolerance, a not: of weights 3 and 1 with beta 2 that is 1 / (1 + 2 * 3)."""
    real = write(tmp_path / "real.csv", [[1, 1], [2, 2]], ("x.a", "x.b"))
    made = write(tmp_path / "made.csv", [[9, 1.5]], ("x.b", "x.a"))
    (tmp_path / "w.csv").write_text("feature,weight\nx.b,3\n")
    common = ("--real", real, "--generated", made, "--quantiles", "0,1", "--json")
    _, out, _ = call(*common, "--feature-weights", tmp_path / "w.csv", "--wsi-beta", "2")
    assert json.loads(out)["images"][0]["wsi"] == pytest.approx(1 / 7)
    made.write_text("ID,x.a,x.b\nm,,\n")
    _, out, _ = call(*common)
    assert (json.loads(out)["images"][0]["wsi"], json.loads(out)["scores"][1]["mean"]) == (None, None)


def test_folders_of_images(call, tmp_path):
    rng = np.random.default_rng(0)
    for group, dark in (("real", 1), ("made", 4)):
        (tmp_path / group).mkdir()
        for k in range(22):
            Image.fromarray((rng.integers(0, 200, (24, 24)) // dark).astype(np.uint8)).save(
                tmp_path / group / f"{k}.png"
            )
    (tmp_path / "made" / "21.png").write_text("no image")
    common = ("--real", tmp_path / "real", "--generated", tmp_path / "made", "--channels", "grey")
    code, out, err = call(*common)
    assert (code, out) == (2, "") and "made/21.png: 21.png is not an image of a known format" in err
    assert "--broken drop leaves images out" in err
    code, out, _ = call(*common, "--broken", "drop", "--json")
    found = json.loads(out)
    assert (code, found["left_out"], found["scores"][-1]["n"]) == (0, {"real": 0, "made": 1}, 21)
    assert found["settings"]["images"] == {"side": None, "channels": "grey", "planes": "max"}
    # a quarter as bright: never within tolerance
    (brightness,) = [row for row in found["features"] if row["name"] == "grey.mean"]
    assert brightness["share made"] == 0 and found["scores"][-1]["mean"] < 0.8
    # nothing is left of a group: that is an error also where broken images are left out
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.png").write_text("no image")
    code, out, err = call(*common, "--generated", tmp_path / "none", "--broken", "drop")
    assert (code, out) == (2, "") and "none: No image of this group can be measured." in err


BROKEN = {
    "twice": ("ID,f,g\na,1,2\na,1,3\n", "twice.csv:3: The image 'a' is already on line 2"),
    "words": ("ID,f,g\na,1,high\n", "words.csv:2: 'high' under 'g' is not a finite number"),
    "headless": ("0.1,0.2\n0.3,0.4\n", "headless.csv:1: The first column must contain the image ids"),
    "empty": ("", "empty.csv: The file is empty"),
    "quotes": ('ID,f\na,"1\n', "quotes.csv:2: A quoted cell that starts in this row does not end properly"),
}


def test_every_fault_of_every_group_at_once(call, tmp_path):
    real = write(tmp_path / "real.csv", [[1, 2]], ("f", "g"))
    arguments = ["--real", real]
    for name, (text, _) in BROKEN.items():
        (tmp_path / f"{name}.csv").write_text(text)
        arguments += ["--generated", tmp_path / f"{name}.csv"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "w.csv").write_text("feature,weight\nf,-1\nf,heavy\n")
    arguments += [
        "--generated",
        tmp_path / "folder",
        "--generated",
        tmp_path / "nowhere",
        "--feature-weights",
        tmp_path / "w.csv",
    ]
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    said = [*(said for _, said in BROKEN.values())]
    said += [
        "folder: There are no images here. Give a folder or a zip with .jpg",
        "nowhere: There is no file or folder",
    ]
    said += [
        "w.csv:2: '-1' is no weight of 'f'. Write a number of at least 0.",
        "w.csv:3: 'heavy' is no weight.",
    ]
    assert [one for one in said if one not in err] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--quantiles", "0.95,0.05"], "numbers from 0 to 1, the lower first. Got (0.95, 0.05)."),
        (["--quantiles", "low"], "'low' is neither two numbers such as 0.05,0.95 nor a share such as 10%."),
        (["--quantiles", "0.5"], "`quantiles` must be two numbers from 0 to 1"),
        (["--wsi-alpha", "-1"], "-1.0 is not in the range x>=0"),
        (["--wsi-alpha", "nan"], "nan is not a finite number. Give one, such as 0.05."),
        (
            ["--feature-weights", "nothing.csv"],
            "nothing.csv: The file cannot be read: No such file or directory.",
        ),
        (["--side", "4"], "`side` must be 8 to 2,048 pixels. Got 4."),
        (["--generated", "made.csv"], "Two groups are called 'made'"),
    ],
)
def test_settings_out_of_range(call, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "real.csv", [[1, 2]], ("f", "g"))
    write(tmp_path / "made.csv", [[1, 2]], ("f", "g"))
    code, out, err = call("--real", "real.csv", "--generated", "made.csv", *arguments)
    assert (code, out) == (2, "") and said in err


def test_options_that_decide_nothing_are_refused(call, tmp_path):
    real = write(tmp_path / "real.csv", [[1, 2]], ("f", "g"))
    code, out, err = call("--real", real, "--generated", f"made={real}", "--side", 64)
    assert (code, out) == (2, "") and "--side has no use here: there are feature tables only." in err
    code, _, err = call("--real", real, "--generated", f"made={real}", "--people", "p.csv")
    assert code == 2 and "--people has no use here: they are for --paper." in err


def test_channels_are_removed_where_there_are_several(call, tmp_path):
    real = cells(tmp_path / "real", 24, seed=0)
    code, out, _ = call("--real", real, "--generated", f"made={real}", "--sensitivity", "--json")
    steps = {step["without"]: step for step in json.loads(out)["channels"]}
    assert code == 0 and len(steps) == 7 and steps["DAPI;GFP"]["ideal"] == pytest.approx(1 / 3)
    code, out, _ = call("--real", real, "--generated", f"made={real}", "--sensitivity")
    assert "Without channels:" in out and "DAPI and GFP" in out


# Copies and distances.

RNG = np.random.default_rng(3)
REAL, FAKE = RNG.normal(size=(40, 3)), RNG.normal(size=(30, 3)) + 1


def table_file(path, prefix, rows):
    lines = [f"{prefix}{i}," + ",".join(map(repr, row)) for i, row in enumerate(rows.tolist())]
    path.write_text("\n".join(["ID,a.x,a.y,b.z", *lines]))
    return str(path)


@pytest.fixture
def groups(tmp_path):
    return {
        "real": table_file(tmp_path / "real.csv", "r", REAL),
        "fake": table_file(tmp_path / "fake.csv", "f", FAKE),
        "copier": table_file(tmp_path / "copier.csv", "c", REAL[np.arange(30) % 5]),
    }


def answer(capsys, *arguments):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_vectors_and_people(capsys, groups, tmp_path):
    for name, prefix, rows in (("real", "r", REAL), ("GAN", "f", FAKE * 3)):
        np.savez(tmp_path / f"{name}.npz", ids=[f"{prefix}{i}" for i in range(len(rows))], vectors=rows)
    people = tmp_path / "people.csv"
    people.write_text("ID,rank\n" + "".join(f"f{i},{i + 1}\n" for i in range(30)))
    vectors = [f"--vectors={name}={tmp_path / name}.npz" for name in ("real", "GAN")]
    found = answer(
        capsys,
        "synthetic",
        "distances",
        "--real",
        groups["real"],
        "--generated",
        f"GAN={groups['fake']}",
        *vectors,
        "--people",
        str(people),
    )
    assert found["vectors"] == "given vectors"
    wide = fit((FAKE * 3).astype(np.float32).astype(float), shrunk=False)
    plain = fit(REAL.astype(np.float32).astype(float), shrunk=False)
    assert found["distances"][0]["frechet_squared"] == pytest.approx(frechet_squared(wide, plain))
    assert {one["score"] for one in found["agreement"] if one["with"] == "people"} >= {
        "wsi",
        "minus_mahalanobis",
    }


def test_copies_are_flagged_and_others_are_not(capsys, groups, tmp_path):
    where = tmp_path / "nearest.csv"
    found = answer(
        capsys,
        "synthetic",
        "copies",
        "--real",
        groups["real"],
        "--generated",
        f"GAN={groups['fake']}",
        "--generated",
        f"copier={groups['copier']}",
        "--resamples",
        "199",
        "--csv",
        str(where),
    )
    flags = {(one["group"], one["question"], one["by"]): one["flagged"] for one in found["tests"]}
    assert flags["copier", "nearest training image", "cosine"]
    assert not any(flag for (group, _, _), flag in flags.items() if group == "GAN")
    rows = [one for one in csv.DictReader(where.read_text().splitlines()) if one["group"] == "copier"]
    assert [one["nearest_cosine"] for one in rows[:6]] == ["r0", "r1", "r2", "r3", "r4", "r0"]
    assert {one["p"] >= 1 / 200 for one in found["tests"]} == {True}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--generated", "none.csv"], "There is no file or folder 'none.csv'"),
        (["--generated", "a={fake}", "--generated", "a={real}"], "Two groups are called 'a'"),
        (["--generated", "{fake}", "--resnet", "no.pth"], "There are no weights of ResNet-18 at no.pth"),
        (["--generated", "{fake}", "--vectors", "who={fake}"], "--vectors names 'who', which is no group"),
        (["--generated", "{fake}", "--lpips", "default"], "LPIPS needs pictures"),
        (["--generated", "{fake}", "--people", "{fake}"], "rank"),
    ],
)
def test_what_is_wrong_is_said(capsys, groups, more, message):
    given = [one.format(**groups) for one in more]
    assert run(["synthetic", "distances", "--real", groups["real"], *given]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and "Traceback" not in err
