"""Tiny models on disk, laid out as the real ones are, and packages with the interfaces of the real ones.

What the fake packages compute is simple enough to be computed again in a test. torch and transformers take
five seconds to import, and are imported only to write or to run a model.
"""

from __future__ import annotations

from pathlib import Path

from tests.features.encode.tiny_encoders import TOWER, WORDS, bert, tokenizer
from tests.torchvision_names import torchvision_imports

PACKAGES = {
    "bleurt_pytorch/__init__.py": """
from transformers import BertForSequenceClassification as BleurtForSequenceClassification
from transformers import AutoTokenizer as BleurtTokenizer
"""
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
    """An importable package with the interface of bleurt-pytorch."""
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
    vision = _written(folder / "MedImageInsights", INSIGHT) / "2024.09.27" / "vision_model"
    vision.mkdir(parents=True)
    (vision / "medimageinsigt-v1.0.0.pt").write_text("1 -2 3 0.5")
    return folder


def _written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip("\n"))
    return folder
