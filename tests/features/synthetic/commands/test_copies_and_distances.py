"""``wsi-distances`` and ``wsi-copies``: the numbers of the library, vectors and people, what is wrong."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from PIL import Image
from scipy import stats

from evalcore.cli import run
from evalcore.features.synthetic.distances import fit, frechet_squared, kl_divergence

RNG = np.random.default_rng(3)
REAL, FAKE = RNG.normal(size=(40, 3)), RNG.normal(size=(30, 3)) + 1


def written(path, prefix, rows):
    lines = [f"{prefix}{i}," + ",".join(map(repr, row)) for i, row in enumerate(rows.tolist())]
    path.write_text("\n".join(["ID,a.x,a.y,b.z", *lines]))
    return str(path)


@pytest.fixture
def groups(tmp_path):
    return {
        "real": written(tmp_path / "real.csv", "r", REAL),
        "fake": written(tmp_path / "fake.csv", "f", FAKE),
        "copier": written(tmp_path / "copier.csv", "c", REAL[np.arange(30) % 5]),
    }


def answer(capsys, *arguments):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def pictures(folder, n, seed):
    folder.mkdir()
    rng = np.random.default_rng(seed)
    for i in range(n):
        small = Image.fromarray(rng.integers(0, 255, (8, 8)).astype(np.uint8))
        small.resize((48, 48), Image.Resampling.BICUBIC).save(folder / f"p{seed}-{i}.png")
    return str(folder)


def test_files_for_a_paper(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BROWSER_PATH", "no-browser")
    real, fake = (pictures(tmp_path / name, 24, seed) for seed, name in enumerate(("real", "fake")))
    where = tmp_path / "paper"
    words = ["synthetic", "copies", "--training", real, "--generated", f"gan={fake}", "--side", "32"]
    found = answer(capsys, *words, "--resamples", "9", "--paper", f"{where}")
    made = list(csv.DictReader((where / "tests.csv").read_text().splitlines()))
    assert [float(row["p"]) for row in made] == [row["p"] for row in found["tests"]]
    assert {path.name for path in where.iterdir()} == {"tests.csv", "nearest.csv", "near-duplicates.csv"}


def test_distances_of_features(capsys, groups, tmp_path):
    where = tmp_path / "each.csv"
    found = answer(
        capsys,
        "synthetic",
        "distances",
        "--archetypes",
        groups["real"],
        "--subjects",
        f"GAN={groups['fake']}",
        "--csv",
        str(where),
    )
    scale = REAL.std(axis=0)
    own, other = (fit((rows - REAL.mean(axis=0)) / scale, shrunk=False) for rows in (REAL, FAKE))
    (row,) = found["groups"]
    assert (row["group"], row["n"], found["shrunk"], found["dimensions"]) == ("GAN", 30, False, 3)
    assert row["kl_group_real"] == pytest.approx(kl_divergence(other, own))
    assert row["kl_real_group"] == pytest.approx(kl_divergence(own, other))
    assert row["frechet_squared"] == pytest.approx(frechet_squared(own, other))
    assert found["halves"]["n"] == 20 and found["halves"]["kl"][1] < row["kl_group_real"]
    each = list(csv.DictReader(where.read_text().splitlines()))
    assert [one["image"] for one in each[:2]] == ["f0", "f1"] and len(each) == 30
    wsi, out = (np.array([float(one[name]) for one in each]) for name in ("wsi", "minus_mahalanobis"))
    (pair,) = [
        one for one in found["agreement"] if {one["score"], one["with"]} == {"wsi", "minus_mahalanobis"}
    ]
    assert pair["rho"] == pytest.approx(stats.spearmanr(wsi, out).statistic)


def test_vectors_and_people(capsys, groups, tmp_path):
    for name, prefix, rows in (("archetypes", "r", REAL), ("GAN", "f", FAKE * 3)):
        np.savez(tmp_path / f"{name}.npz", ids=[f"{prefix}{i}" for i in range(len(rows))], vectors=rows)
    people = tmp_path / "people.csv"
    people.write_text("ID,rank\n" + "".join(f"f{i},{i + 1}\n" for i in range(30)))
    vectors = [f"--vectors={name}={tmp_path / name}.npz" for name in ("archetypes", "GAN")]
    found = answer(
        capsys,
        "synthetic",
        "distances",
        "--archetypes",
        groups["real"],
        "--subjects",
        f"GAN={groups['fake']}",
        *vectors,
        "--people",
        str(people),
    )
    assert found["vectors"] == "given vectors"
    wide = fit((FAKE * 3).astype(np.float32).astype(float), shrunk=False)
    plain = fit(REAL.astype(np.float32).astype(float), shrunk=False)
    assert found["groups"][0]["frechet_squared"] == pytest.approx(frechet_squared(wide, plain))
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
        "--training",
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


def test_near_duplicate_pictures(capsys, tmp_path):
    for name in ("real", "fake"):
        (tmp_path / name).mkdir()
        for i in range(4):
            values = np.random.default_rng(i if i < 2 or name == "real" else 10 + i).integers(0, 255, (9, 9))
            Image.fromarray(values.astype(np.uint8)).resize((72, 72)).save(tmp_path / name / f"{name}{i}.png")
    assert (
        run(
            [
                "synthetic",
                "copies",
                "--training",
                str(tmp_path / "real"),
                "--generated",
                str(tmp_path / "fake"),
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "Near-duplicate pictures:" in out and "fake0" in out and "fake3  real3" not in out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--subjects", "none.csv"], "There is no file or folder 'none.csv'"),
        (["--subjects", "a={fake}", "--subjects", "a={real}"], "Two groups are called 'a'"),
        (["--subjects", "{fake}", "--resnet", "no.pth"], "There are no weights of ResNet-18 at no.pth"),
        (["--subjects", "{fake}", "--vectors", "who={fake}"], "--vectors names 'who', which is no group"),
        (["--subjects", "{fake}", "--lpips", "default"], "LPIPS needs pictures"),
        (["--subjects", "{fake}", "--people", "{fake}"], "rank"),
    ],
)
def test_what_is_wrong_is_said(capsys, groups, more, message):
    given = [one.format(**groups) for one in more]
    assert run(["synthetic", "distances", "--archetypes", groups["real"], *given]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and "Traceback" not in err
