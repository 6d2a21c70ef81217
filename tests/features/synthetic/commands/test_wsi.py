"""``wsi``: the specification's example from files, what people and programs are given, and broken inputs."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
import tifffile
from PIL import Image

from evalcore.cli import run
from tests.ui.conftest import write_study


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


def test_an_empty_channel_costs_its_features(call, tmp_path):
    real = cells(tmp_path / "real", 24, seed=0)
    whole = cells(tmp_path / "whole", 12, seed=1)
    lost = cells(tmp_path / "lost", 12, seed=1, empty=(1, 2))
    code, out, _ = call("--archetypes", real, "--subjects", whole, "--subjects", lost, "--json")
    found = json.loads(out)
    assert code == 0 and {one["channel"] for one in found["features"]} == {"DAPI", "GFP", "RFP"}
    score = {one["name"]: one["mean"] for one in found["groups"]}
    assert score["lost"] == pytest.approx(score["whole"] / 3, rel=0.25)
    of = {one["name"]: one["presence"] for one in found["groups"]}["lost"]
    assert of["GFP.mean"] == of["RFP.mean"] == 0 and of["DAPI.mean"] > 0.5


def test_planes_of_stacks(call, tmp_path):
    real = cells(tmp_path / "real", 24, seed=0)
    stacks = cells(tmp_path / "stacks", 4, seed=1, slices=3)
    code, _, err = call("--archetypes", real, "--subjects", stacks)
    assert code == 2 and "channels are channel 1, channel 2, channel 3" in err and "DAPI, GFP, RFP" in err
    (tmp_path / "flat").mkdir()
    for path in stacks.glob("*.tif"):
        values = tifffile.imread(path).max(0)
        tifffile.imwrite(tmp_path / "flat" / path.name, values, imagej=True, metadata={"axes": "CYX"})
    both = ("--archetypes", tmp_path / "flat", "--subjects", stacks, "--json")
    code, out, err = call(*both)
    assert code == 0 and "4 images are stacks of planes; the largest value over the planes" in err
    first = json.loads(out)
    assert first["groups"][0]["mean"] == first["archetypes"]["mean"]  # the same pictures
    code, out, _ = call(*both, "--planes", "mean")
    assert json.loads(out)["groups"][0]["mean"] < first["groups"][0]["mean"]
    code, out, err = call(*both, "--planes", "each")
    ids = [one["ID"] for one in json.loads(out)["subjects"]]
    assert code == 0 and ids[:4] == ["0 z1", "0 z2", "0 z3", "1 z1"] and len(ids) == 12
    assert "stacks of planes" not in err


def test_ten_pages_of_no_meaning_are_refused(call, tmp_path):
    real = cells(tmp_path / "real", 24, seed=0)
    (tmp_path / "odd").mkdir()
    tifffile.imwrite(tmp_path / "odd" / "a.tif", np.zeros((10, 48, 48), np.uint8))
    code, _, err = call("--archetypes", real, "--subjects", tmp_path / "odd")
    assert code == 2 and "odd/a.tif" in err and "10 pages of 48 x 48 pixels" in err and "ImageJ" in err


def test_a_link_to_itself_is_named(call, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    real = cells(tmp_path / "real", 6, seed=0)
    for loop in ("loop", "loop.csv"):
        for arguments in ((tmp_path / loop, real), (real, tmp_path / loop), (real, f"a={tmp_path / loop}")):
            code, out, err = call("--archetypes", arguments[0], "--subjects", arguments[1])
            assert (code, out) == (2, "") and loop in err and "leads back to itself" in err
    code, _, err = call("--archetypes", real, "--subjects", real, "--feature-weights", tmp_path / "loop.csv")
    assert code == 2 and "loop.csv" in err


def write(path, values, names=("a", "b", "c")):
    rows = [f"i{k}," + ",".join(map(str, row)) for k, row in enumerate(values)]
    path.write_text("\n".join([",".join(("ID", *names)), *rows]) + "\n")
    return path


@pytest.fixture
def example(tmp_path, spec_golden):
    golden = spec_golden["E_tol"]
    return write(tmp_path / "real.csv", golden["X"]), write(tmp_path / "made.csv", golden["subj"]), golden


def test_the_example_of_the_specification(call, example):
    real, made, golden = example
    code, out, _ = call("--archetypes", real, "--subjects", f"model={made}", "--json")
    found = json.loads(out)
    assert code == 0
    assert [one["wsi"] for one in found["subjects"]] == pytest.approx(golden["wsi_vs_allones"])
    assert [(one["ID"], one["group"], one["missing"]) for one in found["subjects"]] == [
        ("i0", "model", []),
        ("i1", "model", ["a", "c"]),
        ("i2", "model", ["a", "b"]),
    ]
    features = found["features"]
    assert [(one["name"], one["weight"], one["n"]) for one in features] == [
        ("a", 1, 10),
        ("b", 1, 10),
        ("c", 1, 10),
    ]
    assert [one["low"] for one in features] == pytest.approx(golden["lo"])
    assert [one["high"] for one in features] == pytest.approx(golden["hi"])
    assert all(one["low_ci_low"] <= one["low"] <= one["low_ci_high"] for one in features)
    (group,) = found["groups"]
    assert (group["name"], group["n"], group["n_defined"]) == ("model", 3, 3)
    assert group["mean"] == pytest.approx(np.mean(golden["wsi_vs_allones"]))
    assert group["presence"] == pytest.approx({"a": 1 / 3, "b": 2 / 3, "c": 2 / 3})
    assert found["archetypes"]["mean"] == pytest.approx(np.mean(golden["b_arch"]))
    assert [one["rule"] for one in found["remarks"]] == ["few-archetypes"]
    assert (found["seed"], found["settings"]["alpha"], found["settings"]["weights"]) == (0, 1, "uniform")


def test_against_each_archetype(call, example):
    real, made, golden = example
    _, out, _ = call("--archetypes", real, "--subjects", made, "--archetype", "each", "--json")
    found = json.loads(out)
    assert [one["wsi"] for one in found["subjects"]] == pytest.approx(golden["wsi_mean_vs_each"])
    assert found["archetypes"]["mean"] == pytest.approx(golden["self_similarity_train"])


def test_options_reach_the_index(call, tmp_path):
    """b in tolerance, a not: of weights 3 and 1 with beta 2 that is 1 / (1 + 2 * 3)."""
    real = write(tmp_path / "real.csv", [[1, 1], [2, 2]], ("x.a", "x.b"))
    made = write(tmp_path / "made.csv", [[9, 1.5]], ("x.b", "x.a"))
    (tmp_path / "w.csv").write_text("feature,weight\nx.b,3\n")
    common = ("--archetypes", real, "--subjects", made, "--quantiles", "0,1", "--json")
    _, out, _ = call(*common, "--feature-weights", tmp_path / "w.csv", "--wsi-beta", "2")
    assert json.loads(out)["subjects"][0]["wsi"] == pytest.approx(1 / 7)
    made.write_text("ID,x.a,x.b\nm,,\n")
    _, out, _ = call(*common)
    assert (json.loads(out)["subjects"][0]["wsi"], json.loads(out)["groups"][0]["mean"]) == (None, None)
    _, out, _ = call(*common, "--neither", "one")
    assert json.loads(out)["subjects"][0]["wsi"] == 1
    _, out, _ = call(*common, "--missing", "absent")
    assert json.loads(out)["subjects"][0]["wsi"] == 0


def test_for_people_and_as_csv(call, example, tmp_path):
    real, made, _ = example
    file = tmp_path / "out.csv"
    code, out, err = call(
        "--archetypes",
        real,
        "--subjects",
        made,
        "--subjects",
        f"again={made}",
        "--csv",
        file,
        "--sensitivity",
        "--top",
        2,
    )
    assert code == 0
    assert "WSI by 3 features, alpha = 1, beta = 1, weights uniform" in out and "seed 0." in out
    assert "With 10 archetype images the quantiles 0.05 and 0.95" in err
    assert "Subjects, lowest first (2 of 6):" in out and "any alpha, beta 0.5" in out
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [(row["ID"], row["group"], row["missing"]) for row in rows[:2]] == [
        ("i0", "made", ""),
        ("i1", "made", "a;c"),
    ]
    assert float(rows[1]["wsi"]) == pytest.approx(1 / 3) and rows[5]["group"] == "again"


def test_folders_of_images(call, tmp_path):
    rng = np.random.default_rng(0)
    for group, dark in (("real", 1), ("made", 4)):
        (tmp_path / group).mkdir()
        for k in range(22):
            Image.fromarray((rng.integers(0, 200, (24, 24)) // dark).astype(np.uint8)).save(
                tmp_path / group / f"{k}.png"
            )
    (tmp_path / "made" / "21.png").write_text("no image")
    common = ("--archetypes", tmp_path / "real", "--subjects", tmp_path / "made", "--levels", "16")
    code, out, err = call(*common)
    assert (code, out) == (2, "") and "made/21.png: 21.png is not an image of a known format" in err
    assert "--broken drop leaves images out" in err
    code, out, _ = call(*common, "--broken", "drop", "--json")
    found = json.loads(out)
    assert (code, found["left_out"], found["groups"][0]["n"]) == (0, {"real": 0, "made": 1}, 21)
    assert found["settings"]["images"] == {
        "levels": 16,
        "offsets": [1],
        "angles": [0, 45, 90, 135],
        "side": None,
        "channels": "auto",
        "planes": "max",
    }
    # a quarter as bright: never within tolerance
    assert found["groups"][0]["presence"]["grey.mean"] == 0 and found["groups"][0]["mean"] < 0.8
    # nothing is left of a group: that is an error also where broken images are left out
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.png").write_text("no image")
    code, out, err = call(*common, "--subjects", tmp_path / "none", "--broken", "drop")
    assert (code, out) == (2, "") and "none: No image of this group can be measured." in err


def test_concepts_of_studies(call, tmp_path):
    """Against each image of the same study, itself included: Jaccard's index of the concept sets."""
    folder = write_study(tmp_path / "tiny", pictures=False)
    code, out, _ = call("--concepts", "--archetypes", folder, "--subjects", f"same={folder}", "--json")
    found = json.loads(out)
    sets = {}
    for row in csv.DictReader((folder / "concepts.csv").read_text().splitlines()):
        sets[row["ID"]] = set(filter(None, row["CUIs"].split(";")))
    assert code == 0 and found["settings"]["archetype"] == "each"
    for one in found["subjects"]:
        mine = sets[one["ID"]]
        pairs = [len(mine & other) / len(mine | other) for other in sets.values() if mine | other]
        assert one["wsi"] == pytest.approx(np.mean(pairs))


BROKEN = {
    "twice": ("ID,f,g\na,1,2\na,1,3\n", "twice.csv:3: The image 'a' is already on line 2"),
    "columns": ("ID,f,f\na,1,2\n", "columns.csv:1: Columns 2 and 3 are both called 'f'"),
    "words": ("ID,f,g\na,1,high\n", "words.csv:2: 'high' under 'g' is not a finite number"),
    "infinite": ("ID,f,g\na,inf,1\n", "infinite.csv:2: 'inf' under 'f' is not a finite number"),
    "ragged": ("ID,f,g\na,1\n", "ragged.csv:2: The header has 3 cells, but this row has 2 cells"),
    "nameless": ("ID,f,\na,1,2\n", "nameless.csv:1: Column 3 has no name"),
    "noid": ("ID,f,g\n,1,2\n", "noid.csv:2: The row has no image id"),
    "headless": ("0.1,0.2\n0.3,0.4\n", "headless.csv:1: The first column must contain the image ids"),
    "bare": ("ID,f,g\n", "bare.csv:1: The file has a header and no row that can be used"),
    "onlyids": ("ID\na\n", "onlyids.csv:1: The file has no feature"),
    "empty": ("", "empty.csv: The file is empty"),
    "quotes": ('ID,f\na,"1\n', "quotes.csv:2: A quoted cell that starts in this row does not end properly"),
}


def test_every_fault_of_every_group_at_once(call, tmp_path):
    real = write(tmp_path / "real.csv", [[1, 2]], ("f", "g"))
    arguments = ["--archetypes", real]
    for name, (text, _) in BROKEN.items():
        (tmp_path / f"{name}.csv").write_text(text)
        arguments += ["--subjects", tmp_path / f"{name}.csv"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "w.csv").write_text("feature,weight\nf,-1\nf,heavy\n")
    arguments += [
        "--subjects",
        tmp_path / "folder",
        "--subjects",
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
    said += ["w.csv:2: '-1' is no weight of 'f'. Write a number of at least 0."]
    assert [one for one in said if one not in err] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--quantiles", "0.95,0.05"], "numbers from 0 to 1, the lower first. Got (0.95, 0.05)."),
        (["--quantiles", "low"], "'low' is not a list of numbers such as 1,2."),
        (["--quantiles", "0.5"], "`quantiles` must be two numbers from 0 to 1"),
        (["--wsi-alpha", "-1"], "-1.0 is not in the range x>=0"),
        (["--wsi-alpha", "nan"], "nan is not a finite number. Give one, such as 0.05."),
        (
            ["--feature-weights", "nothing.csv"],
            "nothing.csv: The file cannot be read: No such file or directory.",
        ),
        (["--angles", "30"], "`angles` must be some of 0, 45, 90, 135 degrees"),
        (["--subjects", "made.csv"], "Two groups are called 'made'"),
    ],
)
def test_settings_out_of_range(call, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "real.csv", [[1, 2]], ("f", "g"))
    write(tmp_path / "made.csv", [[1, 2]], ("f", "g"))
    code, out, err = call("--archetypes", "real.csv", "--subjects", "made.csv", *arguments)
    assert (code, out) == (2, "") and said in err


def test_no_common_feature_and_weights_of_others(call, tmp_path):
    real = write(tmp_path / "real.csv", [[1, 2]], ("f", "g"))
    made = write(tmp_path / "made.csv", [[1, 2]], ("x", "y"))
    code, _, err = call("--archetypes", real, "--subjects", made)
    assert code == 2
    assert "real: No feature is in all groups; 'real' has f, g." in err.replace("real.csv", "real")
    assert "'made' has x, y. Use the same feature names in every table." in err
    (tmp_path / "w.csv").write_text("feature,weight\nF,1\n")
    code, _, err = call(
        "--archetypes", real, "--subjects", f"b={real}", "--feature-weights", tmp_path / "w.csv"
    )
    assert code == 2 and "w.csv:2: There is no feature or channel called 'F'." in err


def test_ablation(capsys, tmp_path):
    file = tmp_path / "steps.csv"
    small = ["synthetic", "ablation", "--n-images", "6", "--themselves", "--quantiles", "0,1"]
    code = run([*small, "--json", "--csv", str(file)])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["images"]) == (0, "substitute")
    means = {one["without"]: one["wsi"] for one in found["steps"]}
    assert (means[""], means["red"], means["red;blue"]) == pytest.approx((1, 2 / 3, 1 / 3))
    assert len(file.read_text().splitlines()) == 9
    run(small)
    out = capsys.readouterr().out
    assert out.startswith("Substitute images, 6 archetypes (seed 0)") and "0.6667" in out


def test_without_paths(call):
    code, _, err = call()
    assert code == 2 and "Missing option '--archetypes'" in err


def test_options_that_decide_nothing_are_refused(call, tmp_path):
    real = write(tmp_path / "real.csv", [[1, 2]], ("f", "g"))
    code, out, err = call("--archetypes", real, "--subjects", f"made={real}", "--side", 64)
    assert (code, out) == (2, "") and "--side has no effect on feature tables." in err
    folder = write_study(tmp_path / "tiny", pictures=False)
    code, _, err = call("--concepts", "--archetypes", folder, "--subjects", folder, "--quantiles", "0.1,0.9")
    assert code == 2 and "--quantiles has no effect with --concepts." in err
