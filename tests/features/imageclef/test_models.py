"""The loading code of every model, end to end on tiny models that the test saves to disk."""

from __future__ import annotations

import json
import shutil
import sys
from math import log

import numpy as np
import pytest

from evalcore.features.imageclef import models as module
from evalcore.features.imageclef.caption_metrics import normalised
from evalcore.features.imageclef.models import MODELS, Setup, find_weights, load_model, model_values
from evalcore.study.workspace.home import models_folder
from evalcore.values.errors import InputError
from tests.features.encode.made import TOWER, WORDS, Evil, bert, tokenizer
from tests.features.imageclef.scored import table
from tests.study.made import png, write
from tests.torchvision_names import torchvision_imports

TRUTH = {"a": "Chest X-ray, 3 cm nodule.", "b": "CT of the liver", "c": "", "d": "chest nodule"}
RUN = {"a": "chest xray with nodule", "b": "CT of the liver", "c": "", "d": ""}
PAIRS = [(TRUTH[image], RUN[image]) for image in TRUTH]
FAKES = {"bleurt_pytorch", "medimageinsightmodel", "MedImageInsight"}

# Packages with the interfaces of the real ones: what they compute is simple enough to be computed again.

BLEURT = """
from transformers import BertForSequenceClassification as BleurtForSequenceClassification
from transformers import AutoTokenizer as BleurtTokenizer
"""
INSIGHT = {
    "MedImageInsight/__init__.py": "",
    "MedImageInsight/Tiny.py": """
from pathlib import Path


def build(weights):
    return [float(word) for word in Path(weights).read_text().split()]
""",
    "medimageinsightmodel.py": """
import base64
import io
import os

import numpy as np
from MedImageInsight.Tiny import build
from PIL import Image


class Network(list):
    def eval(self): pass
    def to(self, device): pass


class MedImageInsight:
    def __init__(self, model_dir, vision_model_name, language_model_name):
        self.weights = os.path.join(model_dir, "vision_model", vision_model_name)

    def load_model(self):
        self.model = Network(build(self.weights))

    def encode(self, images=(), texts=()):
        pixels = [np.asarray(Image.open(io.BytesIO(base64.b64decode(image)))).ravel() for image in images]
        counts = [[text.count(c) for c in "aeiu"] for text in texts]
        weighted = [np.array(row, float) * self.model for row in (*pixels, *counts)]
        return {"image_embeddings": weighted, "text_embeddings": weighted}
""",
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The folder ``models`` with weights of all models, laid out as the real ones are."""
    folder = tmp_path_factory.mktemp("tiny") / "models"
    torchvision_imports()  # with torch and transformers five seconds: for those alone who run a model
    from transformers import BertConfig, BertForSequenceClassification

    folder.mkdir()
    bert(folder / "deberta-xlarge-mnli")
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, num_labels=1, **TOWER)
    BertForSequenceClassification(config).save_pretrained(folder / "BLEURT-20-D12")
    tokenizer(folder / "BLEURT-20-D12")
    vision = "2024.09.27/vision_model/medimageinsigt-v1.0.0.pt"
    write(folder / "MedImageInsights", INSIGHT | {vision: "1 -2 3 0.5"})
    return folder


@pytest.fixture
def packages(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(write(tmp_path / "packages", {"bleurt_pytorch/__init__.py": BLEURT})))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in FAKES]:
        del sys.modules[name]


@pytest.fixture
def placed(models, monkeypatch):
    """The models in the workspace."""
    monkeypatch.setenv("CUISCOPE_HOME", str(models.parent))
    return models


def values(*chosen: str, **setup) -> dict[str, np.ndarray]:
    return model_values(chosen, TRUTH, {"run": RUN}, Setup(**setup))["run"]


def test_bert_score_is_the_formula_over_the_vectors_of_the_model(placed, monkeypatch):
    import torch
    from transformers import AutoTokenizer, BertModel

    where = placed / "deberta-xlarge-mnli"
    monkeypatch.setattr(module, "BERT_LAYER", 1)
    result = values("bertscore")
    tokenizer, network = AutoTokenizer.from_pretrained(where), BertModel.from_pretrained(where).eval()
    codes = [[tokenizer.encode(normalised(text)) for text in pair] for pair in PAIRS]

    def idf(token: int) -> float:
        return log((len(codes) + 1) / (sum(token in truth for truth, _ in codes) + 1))

    def vectors(code: list[int]) -> torch.Tensor:
        with torch.no_grad():
            layers = network(torch.tensor([code]), output_hidden_states=True).hidden_states
        return torch.nn.functional.normalize(layers[1][0], dim=-1)

    for i in (0, 1, 3):
        truth, run = map(vectors, codes[i])
        cosines = (truth @ run.T).numpy()
        weights = [np.array([idf(token) for token in code]) for code in codes[i]]
        recall = (weights[0] * cosines.max(1)).sum() / weights[0].sum() if weights[0].sum() else 0.0
        precision = (weights[1] * cosines.max(0)).sum() / weights[1].sum() if weights[1].sum() else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert result["BERTScore recall"][i] == pytest.approx(recall, abs=1e-5)
        assert result["BERTScore"][i] == pytest.approx(f1, abs=1e-5)
    assert result["BERTScore"][1] == pytest.approx(1.0, abs=1e-5)
    assert result["BERTScore"][2] == 1.0


def test_bleurt_is_what_the_scorer_says_whatever_the_batch(placed, packages, monkeypatch):
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    where, together = placed / "BLEURT-20-D12", values("bleurt")["BLEURT"]
    monkeypatch.setattr(module, "BATCH", 1)
    apart = values("bleurt")["BLEURT"]
    tokenizer = AutoTokenizer.from_pretrained(where)
    network = BertForSequenceClassification.from_pretrained(where).eval()
    with torch.no_grad():
        tokens = tokenizer("chest xray number cm nodule", "chest xray with nodule", return_tensors="pt")
        assert together[0] == pytest.approx(float(network(**tokens).logits), abs=1e-5)
    np.testing.assert_allclose(together, apart, atol=1e-5)


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(("key", "name"), [("bertscore", "deberta-xlarge-mnli"), ("bleurt", "BLEURT-20-D12")])
@pytest.mark.parametrize("has_code", [False, True])
def test_a_folder_of_a_model_runs_no_code(key, name, has_code, models, tmp_path):
    import torch

    where, mark = tmp_path / "model", tmp_path / "it-ran"
    shutil.copytree(models / name, where)
    (where / "model.safetensors").unlink()
    torch.save({"x": Evil(mark)}, where / "pytorch_model.bin")
    if has_code:
        (where / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Evil: pass\n")
        classes = {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil", "AutoTokenizer": ["evil.Evil", None]}
        config = json.loads((where / "config.json").read_text())
        (where / "config.json").write_text(json.dumps(config | {"model_type": "evil", "auto_map": classes}))
    with pytest.raises(InputError, match="cannot be loaded"):
        load_model(MODELS[key], where, Setup())
    assert not mark.exists()


def test_similarity_of_pictures_and_captions(placed, packages):
    pixels, pictures = {0: [10, 40, 90, 250], 1: [200, 40, 90, 250]}, {3: b"not a picture"}
    pictures |= {i: png(np.array(row, np.uint8).reshape(2, 2)) for i, row in pixels.items()}
    result = values("medimageinsight", pictures=pictures.get)["similarity"]
    for i, row in pixels.items():
        image, text = (
            np.multiply(numbers, (1, -2, 3, 0.5)) for numbers in (row, [PAIRS[i][1].count(c) for c in "aeiu"])
        )
        cosine = image @ text / np.linalg.norm(image) / np.linalg.norm(text)
        assert result[i] == pytest.approx(2.5 * max(cosine, 0))
    assert np.isnan(result[2])  # no picture
    assert result[3] == 1.0  # a picture that cannot be decoded: the script of 2025 counts 1
    assert str(placed / "MedImageInsights") not in sys.path


def test_what_is_missing_is_named_with_its_place(tmp_path, monkeypatch):
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path))
    with pytest.raises(InputError) as caught:
        find_weights("bleurt")
    message = str(caught.value)
    assert message.startswith("BLEURT cannot be computed. Install bleurt_pytorch (pip install ")
    assert f"Put BLEURT-20 into {tmp_path}/models: lucadiliello/BLEURT-20 on Hugging Face" in message
    assert "[caption-models]" in message


@pytest.mark.parametrize(
    ("key", "there", "message"),
    [
        ("bertscore", "deberta-xlarge-mnli/", r"BERTScore cannot be loaded: .*deberta-xlarge-mnli"),
        ("medimageinsight", "MedImageInsights/", r"lacks medimageinsightmodel\.py"),
    ],
)
def test_weights_that_cannot_be_used(key, there, message, tmp_path, packages, monkeypatch):
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path))
    models_folder().mkdir()
    (models_folder() / there).mkdir() if there.endswith("/") else (models_folder() / there).touch()
    with pytest.raises(InputError, match=message):
        values(key)


def test_command_line_with_all_models(placed, packages, tmp_path, as_json):
    for name, captions in (("truth", TRUTH), ("run", RUN)):
        rows = {image: f'"{text}"' for image, text in captions.items()}
        (tmp_path / f"{name}.csv").write_text(table(rows, ",", "ID,Caption\n"))
    values = "ID,AlignScore\na,0.5\nb,1\nc,1\nd,0\n"  # from elsewhere
    pictures = {f"images/{image}.png": png() for image in TRUTH}
    write(tmp_path, {"concepts.csv": "ID,CUIs\na,C0817096\nb,C0023884\n", "values.csv": values} | pictures)
    files = {"truth": "truth.csv", "run": "run.csv", "values": "values.csv", "images": "images"}
    files |= dict.fromkeys(("truth-concepts", "run-concepts"), "concepts.csv")
    words = [word for name, file in files.items() for word in (f"--{name}", tmp_path / file)]
    words += [word for name in MODELS for word in ("--metric-model", name)]
    (run,) = as_json("imageclef", "captions", "--edition", "2025", *words)["runs"]
    assert run["missing"] == {} and run["ranking_score"] == run["metrics"]["Overall"]
