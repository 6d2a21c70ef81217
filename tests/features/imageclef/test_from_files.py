"""What the challenge page computes from files: which value of a metric counts, and what is not usable."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from evalcore.cli import run
from evalcore.features.imageclef.scoring import Files, Scored, Source
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from tests.features.imageclef import scored as scoring

CAPTION = b"ID,Caption\nq1,Nodule\nq2,Mass\n"


def scored(models: Mapping[str, Mapping[str, Floats]] | None = None, **beside: bytes) -> Scored:
    return scoring.captions("2025", CAPTION, {"run.csv": CAPTION}, from_models=models or {}, **beside)


def files(**beside: bytes) -> Files:
    return scoring.files(CAPTION, {"run.csv": CAPTION}, **beside)


def vectors(**rows: list[float]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **{name: np.array(row) for name, row in rows.items()})
    return buffer.getvalue()


def test_a_file_of_values_counts_before_a_model_and_embeddings_before_both() -> None:
    found = {"run.csv": {"BLEURT": np.array([0.1, 0.1]), "similarity": np.array([0.1, 0.1])}}
    (one,) = scored(found).results
    assert one.metric("BLEURT") == pytest.approx(0.1)
    table = b"ID,BLEURT,similarity\nq1,0.2,0.2\nq2,0.4,0.4\n"
    (one,) = scored(found, scores=table).results
    assert one.metric("BLEURT") == one.metric("similarity") == pytest.approx(0.3)
    images = vectors(q1=[1.0, 0.0], q2=[1.0, 0.0])
    captions = vectors(q1=[1.0, 0.0], q2=[0.0, 1.0])
    (one,) = scored(found, scores=table, image_embeddings=images, caption_embeddings=captions).results
    assert one.metric("similarity") == pytest.approx(2.5 * (1 + 0) / 2)


def test_page_and_command_give_the_same_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    beside = {
        "scores": b"ID,BLEURT,similarity\nq1,0.2,0.2\nq2,0.4,0.4\n",
        "truth_concepts": b"ID,CUIs\nq1,C0028259\nq2,C0000001\n",
        "run_concepts": b"ID,CUIs\nq1,C0028259\nq2,C0000002\n",
        "image_embeddings": vectors(q1=[1.0, 0.0], q2=[1.0, 0.0]),
        "caption_embeddings": vectors(q1=[1.0, 0.0], q2=[0.0, 1.0]),
    }
    (one,) = scored(**beside).results
    words = ["imageclef", "captions", "--edition", "2025", "--json"]
    for option, data in {"truth": CAPTION, "run": CAPTION, **beside}.items():
        (tmp_path / option).write_bytes(data)
        name = {"scores": "values"}.get(option, option.replace("_", "-"))
        words += [f"--{name}", str(tmp_path / option)]
    assert run(words) == 0
    (row,) = json.loads(capsys.readouterr().out)["runs"]
    assert row["metrics"] == {name: value for name, value in one.metrics.items() if name in row["metrics"]}
    # One image of two shares its concept; cosines of 1 and 0, times 2.5.
    assert [row["metrics"][name] for name in ("UMLS F1", "similarity")] == [0.5, 1.25]
    assert row["metrics"]["BLEURT"] == pytest.approx(0.3)


def test_every_unusable_file_is_named_once() -> None:
    found = scored(scores=b"ID,foo\n", truth_concepts=b"\xff\xfe\x00", image_embeddings=b"no")
    assert len(found.unusable) == 3 and len(found.results) == 1
    assert all(
        any(f"{part}.x" in str(error) for error in found.unusable)
        for part in ("scores", "truth_concepts", "image_embeddings")
    )


def test_a_truth_that_cannot_be_used_is_an_error() -> None:
    with pytest.raises(InputError, match=r"truth\.csv"):
        scoring.captions("2025", b"", {"run.csv": CAPTION})


def test_the_digest_follows_every_file() -> None:
    digests = {files().digest, files(scores=b"1").digest, files(published=b"1").digest}
    other = Files(Source("other.csv", CAPTION, "other"), files().runs)
    assert len(digests | {other.digest}) == 4 and files().digest in digests
