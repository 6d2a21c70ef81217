"""Tiny models on disk, laid out as the real ones are, and packages with the interfaces of the real ones.

What the fake packages compute is simple enough to be computed again in a test. torch and transformers take
five seconds to import, and are imported only to write or to run a model.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.features.encode.tiny_encoders import TOWER, WORDS, bert, tokenizer
from tests.torchvision_names import torchvision_imports

PACKAGES = {
    "bleurt_pytorch/__init__.py": """
from transformers import BertForSequenceClassification as BleurtForSequenceClassification
from transformers import AutoTokenizer as BleurtTokenizer
""",
    "alignscore/__init__.py": """
from pathlib import Path


class AlignScore:
    def __init__(self, model, batch_size, device, ckpt_path, evaluation_mode):
        assert evaluation_mode == "nli_sp" and Path(ckpt_path).read_text() == "weights" and model

    def score(self, contexts, claims):
        return [len(context) + len(claim) / 100 for context, claim in zip(contexts, claims, strict=True)]
""",
}
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


def write_packages(folder: Path) -> Path:
    """Importable packages with the interfaces of bleurt-pytorch and alignscore."""
    return _written(folder, PACKAGES)


def write_models(folder: Path) -> Path:
    """The folder ``models`` with weights of all models."""
    torchvision_imports()
    from transformers import BertConfig, BertForSequenceClassification

    folder.mkdir(parents=True, exist_ok=True)
    bert(folder / "deberta-xlarge-mnli")
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, num_labels=1, **TOWER)
    BertForSequenceClassification(config).save_pretrained(folder / "BLEURT-20-D12")
    tokenizer(folder / "BLEURT-20-D12")
    shutil.copytree(folder / "deberta-xlarge-mnli", folder / "MedBERTScore")
    shutil.copytree(folder / "BLEURT-20-D12", folder / "MedBLEURT")
    (folder / "roberta-large").mkdir()
    (folder / "AlignScore-base.ckpt").write_text("weights")
    vision = _written(folder / "MedImageInsights", INSIGHT) / "2024.09.27" / "vision_model"
    vision.mkdir(parents=True)
    (vision / "medimageinsigt-v1.0.0.pt").write_text("1 -2 3 0.5")
    return folder


def _written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip("\n"))
    return folder
