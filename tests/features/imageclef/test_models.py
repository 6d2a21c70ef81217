"""The loading code of every model, end to end on tiny models that the test saves to disk."""

from __future__ import annotations

import base64
import json
import shutil
import sys
from collections.abc import Iterator
from math import log
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evalcore.cli import run as cli
from evalcore.features.imageclef import models as store
from evalcore.features.imageclef.caption_metrics import FACTUALITY, OVERALL, RELEVANCE, normalised
from evalcore.features.imageclef.editions import CAPTION_EDITIONS
from evalcore.features.imageclef.models import devices, load_align, load_bert, load_bleurt, model_values
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.extras import EXTRAS
from tests.features.imageclef.tiny_models import PACKAGES, write_models, write_packages

TRUTH = {"a": "Chest X-ray, 3 cm nodule.", "b": "CT of the liver", "c": "", "d": "chest nodule"}
RUN = {"a": "chest xray with nodule", "b": "CT of the liver", "c": "", "d": ""}
PAIRS = [(TRUTH[image], RUN[image]) for image in TRUTH]
FAKES = {name.partition("/")[0] for name in PACKAGES} | {"medimageinsightmodel", "MedImageInsight"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_models(tmp_path_factory.mktemp("tiny") / "models")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(write_packages(tmp_path / "packages")))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in FAKES]:
        del sys.modules[name]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Pictures of a, b and d; that of d is no picture."""
    (tmp_path / "images").mkdir()
    for image, first in (("a", 10), ("b", 200)):
        pixels = np.array([[first, 40], [90, 250]], np.uint8)
        Image.fromarray(pixels).save(tmp_path / "images" / f"{image}.png")
    (tmp_path / "images" / "d.png").write_bytes(b"not a picture")
    return tmp_path / "images"


def quiet(_done: float, _doing: str) -> None:
    pass


def values(chosen: list[str], models: Path, **more) -> dict[str, np.ndarray]:
    options = {"edition": CAPTION_EDITIONS["2025"], "pictures": lambda _image: None} | more
    return model_values(chosen, TRUTH, {"run": RUN}, folder=models, **options)["run"]


def test_bert_score_is_the_formula_over_the_vectors_of_the_model(models: Path) -> None:
    import torch
    from transformers import BertModel, BertTokenizer

    where = models / "deberta-xlarge-mnli"
    found = load_bert(str(where), layer=1)(PAIRS, quiet)
    tokenizer, network = BertTokenizer.from_pretrained(where), BertModel.from_pretrained(where).eval()
    codes = [[tokenizer.encode(normalised(text)) for text in pair] for pair in PAIRS]
    m = len(codes)

    def idf(token: int) -> float:
        return log((m + 1) / (sum(token in truth for truth, _ in codes) + 1))

    for i in (0, 1, 3):
        with torch.no_grad():
            both = [
                torch.nn.functional.normalize(
                    network(torch.tensor([code]), output_hidden_states=True).hidden_states[1][0], dim=-1
                ).numpy()
                for code in codes[i]
            ]
        cosines = both[0] @ both[1].T
        weights = [np.array([idf(token) for token in code]) for code in codes[i]]
        recall = (weights[0] * cosines.max(1)).sum() / weights[0].sum() if weights[0].sum() else 0.0
        precision = (weights[1] * cosines.max(0)).sum() / weights[1].sum() if weights[1].sum() else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert found["BERTScore recall"][i] == pytest.approx(recall, abs=1e-5)
        assert found["BERTScore"][i] == pytest.approx(f1, abs=1e-5)
    assert found["BERTScore"][1] == pytest.approx(1.0, abs=1e-5)
    assert found["BERTScore"][2] == 1.0


def test_bleurt_is_what_the_scorer_says_whatever_the_batch(models: Path, packages: None) -> None:
    import torch
    from transformers import BertForSequenceClassification, BertTokenizer

    where = str(models / "BLEURT-20-D12")
    together, apart = (load_bleurt(where, batch=n)(PAIRS, quiet)["BLEURT"] for n in (64, 1))
    tokenizer = BertTokenizer.from_pretrained(where)
    network = BertForSequenceClassification.from_pretrained(where).eval()
    with torch.no_grad():
        given = tokenizer("chest xray number cm nodule", "chest xray with nodule", return_tensors="pt")
        first = float(network(**given).logits)
    assert together[0] == pytest.approx(first, abs=1e-5)
    np.testing.assert_allclose(together, apart, atol=1e-5)


class Evil:
    """What a pickle could be: it makes a file when it is opened."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.mark.parametrize(
    ("load", "name"), [(load_bert, "deberta-xlarge-mnli"), (load_bleurt, "BLEURT-20-D12")]
)
@pytest.mark.parametrize("code_of_its_own", [False, True])
def test_a_folder_of_a_model_runs_no_code(
    load, name: str, code_of_its_own: bool, models: Path, packages: None, tmp_path: Path
) -> None:
    import torch

    where, mark = tmp_path / "model", tmp_path / "it-ran"
    shutil.copytree(models / name, where)
    (where / "model.safetensors").unlink()
    torch.save({"x": Evil(mark)}, where / "pytorch_model.bin")
    if code_of_its_own:
        (where / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Evil: pass\n")
        said = json.loads((where / "config.json").read_text()) | {
            "model_type": "evil",
            "auto_map": {
                "AutoConfig": "evil.Evil",
                "AutoModel": "evil.Evil",
                "AutoTokenizer": ["evil.Evil", None],
            },
        }
        (where / "config.json").write_text(json.dumps(said))
    with pytest.raises(InputError, match="cannot be loaded"):
        load(str(where))
    assert not mark.exists()


def test_align_score_asks_context_truth_claim_candidate(models: Path, packages: None) -> None:
    import torch
    from transformers import BertForSequenceClassification, BertTokenizer

    found = values(["alignscore"], models)["AlignScore"]
    tokenizer = BertTokenizer.from_pretrained(models / "roberta-large")
    network = BertForSequenceClassification.from_pretrained(models / "roberta-large").eval()
    network.classifier.load_state_dict(torch.load(models / "AlignScore-base.ckpt", weights_only=True))
    with torch.no_grad():
        logits = network(**tokenizer(*PAIRS[0], return_tensors="pt")).logits
    assert found[0] == pytest.approx(float(logits.softmax(-1)[0, 0]), abs=1e-5)
    assert found[2:].tolist() == [1.0, 0.0]


def test_similarity_of_pictures_and_captions(models: Path, pictures: Path) -> None:
    import torch

    order = list(TRUTH)

    def bytes_of(image: int) -> bytes | None:
        path = pictures / f"{order[image]}.png"
        return path.read_bytes() if path.exists() else None

    found = values(["medimageinsight"], models, pictures=bytes_of)["similarity"]
    weights = torch.load(
        models / "MedImageInsights/2024.09.27/vision_model/medimageinsigt-v1.0.0.pt", weights_only=True
    )["weight"].numpy()
    for i, pixels in ((0, [10, 40, 90, 250]), (1, [200, 40, 90, 250])):
        image = weights @ np.array(pixels, float)
        text = weights @ np.array([RUN[order[i]].count(c) for c in "aeiu"], float)
        cosine = image @ text / np.linalg.norm(image) / np.linalg.norm(text)
        assert found[i] == pytest.approx(2.5 * max(cosine, 0), abs=1e-5)
    assert np.isnan(found[2])  # no picture
    assert found[3] == 1.0  # a picture that cannot be decoded: the script of 2025 counts 1
    assert "medimageinsightmodel" in sys.modules and str(models / "MedImageInsights") not in sys.path
    for name in ("medimageinsightmodel", "MedImageInsight", "MedImageInsight.Tiny"):
        sys.modules.pop(name, None)


def test_unknown_model() -> None:
    with pytest.raises(UnknownName, match="gpt"):
        store.model_of("gpt")


def test_what_is_missing_is_named_with_its_place(tmp_path: Path, packages: None) -> None:
    state = store.readiness("bleurt", folder=tmp_path)
    assert not state.ready
    assert store.remedy(state, folder=tmp_path) == (
        f"Put BLEURT-20 into {tmp_path}: lucadiliello/BLEURT-20 on Hugging Face, as the task's page names "
        "it, or the smaller lucadiliello/BLEURT-20-D12 that the script loads."
    )
    with pytest.raises(InputError, match=r"AlignScore base cannot be run\. Put AlignScore-base\.ckpt into"):
        values(["alignscore"], tmp_path)


def test_missing_packages_are_named(models: Path) -> None:
    state = store.readiness("bleurt", folder=models)
    assert (state.missing, state.ready) == (("bleurt_pytorch",), False)
    remedy = store.remedy(store.readiness("bleurt", folder=models), folder=models)
    assert remedy.startswith("Install bleurt_pytorch (pip install ") and "[caption-models]" in remedy


def test_what_cannot_be_installed_here_is_said(models: Path) -> None:
    remedy = store.remedy(store.readiness("alignscore", folder=models), folder=models)
    assert "alignscore" not in EXTRAS["caption-models"]
    why = "because AlignScore base needs numpy < 2 and torch < 2. "
    assert remedy.startswith(f"It cannot be installed beside this program, {why}Run it in an environment of")
    with pytest.raises(InputError, match="environment of its own"):
        load_align("x")


def test_the_cache_of_hugging_face_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert store.readiness("bertscore", folder=tmp_path).path is None
    (tmp_path / "models--microsoft--deberta-xlarge-mnli").mkdir()
    assert store.readiness("bertscore", folder=tmp_path).path == "microsoft/deberta-xlarge-mnli"


def test_weights_that_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "deberta-xlarge-mnli").mkdir()
    with pytest.raises(InputError, match=r"The model of BERTScore cannot be loaded: .*deberta-xlarge-mnli"):
        values(["bertscore"], tmp_path)


def test_a_folder_that_is_not_medimageinsight(tmp_path: Path) -> None:
    (tmp_path / "MedImageInsights").mkdir()
    with pytest.raises(InputError, match=r"lacks medimageinsightmodel\.py"):
        values(["medimageinsight"], tmp_path)


def test_devices_begin_with_the_cpu() -> None:
    assert devices()[0] == "cpu"


def test_progress_goes_up_over_models_and_runs(models: Path, packages: None) -> None:
    shares: list[float] = []
    model_values(
        ["bertscore", "bleurt"],
        TRUTH,
        {"one": RUN, "two": TRUTH},
        edition=CAPTION_EDITIONS["2025"],
        folder=models,
        pictures=lambda _image: None,
        progress=lambda done, _doing: shares.append(done),
    )
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) > 8


def test_command_line_with_all_models(
    models: Path, packages: None, pictures: Path, tmp_path: Path, capsys
) -> None:
    (tmp_path / "truth.csv").write_text("ID,Caption\n" + "".join(f'{i},"{t}"\n' for i, t in TRUTH.items()))
    (tmp_path / "run.csv").write_text("ID,Caption\n" + "".join(f'{i},"{t}"\n' for i, t in RUN.items()))
    Image.new("L", (2, 2), 30).save(pictures / "c.png")
    words = [
        "imageclef",
        "captions",
        "--edition",
        "2025",
        "--truth",
        f"{tmp_path}/truth.csv",
        "--run",
        f"{tmp_path}/run.csv",
        "--models-folder",
        str(models),
        "--images",
        str(pictures),
        "--json",
    ]
    for name in store.MODELS:
        words += ["--metric-model", name]
    for option in ("--truth-concepts", "--run-concepts"):
        (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0817096\nb,C0023884\n")
        words += [option, f"{tmp_path}/concepts.csv"]
    assert cli(words) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["missing"] == {}
    metrics = run["metrics"]
    script, relevance, factuality = (
        np.mean([metrics[name] for name in parts])
        for parts in (OVERALL["relevance_2025"], RELEVANCE, FACTUALITY)
    )
    assert (run["score"], run["score_secondary"]) == pytest.approx((script, factuality))
    assert run["ranking_score"] == metrics["overall"] == pytest.approx((relevance + factuality) / 2)
    # The same tiny networks, of which the medical BERT compares the last layer.
    assert metrics["MedBLEURT"] == metrics["BLEURT"] and 0 < metrics["MedBERTScore"] <= 1


def test_command_line_says_what_can_be_run(models: Path, packages: None, capsys) -> None:
    assert cli(["imageclef", "models", "--models-folder", str(models), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["model"]: row["ready"] for row in found["models"]} == dict.fromkeys(store.MODELS, True)
    assert cli(["imageclef", "models"]) == 0
    assert "Put deberta-xlarge-mnli into" in capsys.readouterr().out


MATCHES = {
    "a": [
        [{"start": 0, "end": 5, "ngram": "Chest", "term": "chest", "cui": "C0817096", "similarity": 1.0}],
        [{"start": 6, "end": 12, "ngram": "nodule", "term": "nodule", "cui": "C0028259", "similarity": 1.0}],
        [{"start": 6, "end": 12, "ngram": "nodule", "term": "nodule", "cui": "C0028259", "similarity": 0.9}],
    ],
    "b": [],
}


def test_command_line_extract(tmp_path: Path, capsys) -> None:
    (tmp_path / "truth.csv").write_text("ID,Caption\na,Chest nodule\nb,CT\n")
    (tmp_path / "found.json").write_text(json.dumps(MATCHES))
    words = ["imageclef", "extract", "--captions", f"{tmp_path}/truth.csv"]
    words += ["--from", f"{tmp_path}/found.json"]
    assert cli([*words, "--out", f"{tmp_path}/out.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["concepts"] == {"a": ["C0817096", "C0028259"], "b": []}
    assert (tmp_path / "out.csv").read_text() == "ID,CUIs\na,C0817096;C0028259\nb,\n"
    assert cli(words) == 0
    assert "C0817096;C0028259" in capsys.readouterr().out
    (tmp_path / "found.json").write_text(json.dumps(MATCHES | {"c": []}))
    assert cli(words) == 2
    assert "There is no caption of 'c'" in capsys.readouterr().err


def test_the_picture_reaches_the_model_unchanged(models: Path) -> None:
    import torch

    seen: list[bytes] = []

    class Model:
        model = torch.nn.Linear(1, 1)

        def encode(self, images: list[str] | None = None, texts: list[str] | None = None) -> dict:
            if images:
                seen.append(base64.b64decode(images[0]))
                return {"image_embeddings": np.ones((1, 2))}
            return {"text_embeddings": np.ones((1, 2))}

    from evalcore.features.imageclef.models import _similarities

    found = _similarities(Model(), [("x", "y")], lambda _i: b"\xff\xd8raw", CAPTION_EDITIONS["2025"], quiet)
    assert found.tolist() == pytest.approx([2.5])
    assert seen == [b"\xff\xd8raw"]
