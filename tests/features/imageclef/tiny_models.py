"""Tiny models on disk, laid out as the real ones are, and packages with the interfaces of the real ones.

The transformers have two layers, 16 numbers per token and random weights. What the fake packages compute
is simple enough to be computed again in a test. torch and transformers take five seconds to import, and are
imported only to write or to run a model.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.torchvision_names import torchvision_imports

if TYPE_CHECKING:
    import torch
    from transformers import BertConfig

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "chest", "xray", "number", "cm", "nodule", "ct", "of", "the", "liver"]

PACKAGES = {
    "bleurt_pytorch/__init__.py": """
from transformers import BertForSequenceClassification as BleurtForSequenceClassification
from transformers import BertTokenizer as BleurtTokenizer
""",
    "alignscore/__init__.py": """
import torch
from transformers import BertForSequenceClassification, BertTokenizer


class AlignScore:
    def __init__(self, model, batch_size, device, ckpt_path, evaluation_mode):
        assert evaluation_mode == "nli_sp"
        self.tokenizer = BertTokenizer.from_pretrained(model)
        self.network = BertForSequenceClassification.from_pretrained(model).to(device).eval()
        self.network.classifier.load_state_dict(torch.load(ckpt_path, weights_only=True))

    def score(self, contexts, claims):
        return [self._one(context, claim) for context, claim in zip(contexts, claims, strict=True)]

    def _one(self, context, claim):
        sentences = [s for s in claim.split(".") if s.strip()]
        with torch.no_grad():
            rows = [self.network(**self.tokenizer(context, s, return_tensors="pt")).logits for s in sentences]
        return float(torch.cat(rows).softmax(-1)[:, 0].mean())
""",
}
INSIGHT = {
    "MedImageInsight/__init__.py": "",
    "MedImageInsight/Tiny.py": """
import torch


def build(weights):
    model = torch.nn.Linear(4, 3, bias=False)
    model.load_state_dict(torch.load(weights, weights_only=True))
    return model
""",
    "medimageinsightmodel.py": """
import base64
import io
import os

import numpy as np
import torch
from MedImageInsight.Tiny import build
from PIL import Image


class MedImageInsight:
    def __init__(self, model_dir, vision_model_name, language_model_name):
        self.weights = os.path.join(model_dir, "vision_model", vision_model_name)
        self.model = None

    def load_model(self):
        self.model = build(self.weights)

    def encode(self, images=None, texts=None):
        output = {"image_embeddings": None, "text_embeddings": None}
        with torch.no_grad():
            if images is not None:
                pixels = [self._pixels(image) for image in images]
                output["image_embeddings"] = self.model(torch.tensor(pixels)).numpy()
            if texts is not None:
                counts = [[float(text.count(c)) for c in "aeiu"] for text in texts]
                output["text_embeddings"] = self.model(torch.tensor(counts)).numpy()
        return output

    def _pixels(self, text):
        try:
            image = Image.open(io.BytesIO(base64.b64decode(text))).convert("L")
        except Exception as reason:
            raise ValueError(f"Failed to decode base64 image: {reason}") from reason
        return np.asarray(image, dtype=np.float32).ravel()[:4].tolist()
""",
}


def write_packages(folder: Path) -> Path:
    """Importable packages with the interfaces of bleurt-pytorch and alignscore."""
    return _written(folder, PACKAGES)


def write_models(folder: Path) -> Path:
    """The folder ``models`` with weights of all models."""
    torchvision_imports()
    import torch
    from transformers import BertForSequenceClassification, BertModel

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    torch.manual_seed(0)
    _save(BertModel(_config(1)), folder / "deberta-xlarge-mnli", folder)
    _save(BertForSequenceClassification(_config(1)), folder / "BLEURT-20-D12", folder)
    shutil.copytree(folder / "deberta-xlarge-mnli", folder / "MedBERTScore")
    shutil.copytree(folder / "BLEURT-20-D12", folder / "MedBLEURT")
    judge = BertForSequenceClassification(_config(3))
    _save(judge, folder / "roberta-large", folder)
    torch.save(torch.nn.Linear(16, 3).state_dict(), folder / "AlignScore-base.ckpt")
    insight = _written(folder / "MedImageInsights", INSIGHT)
    (insight / "2024.09.27" / "vision_model").mkdir(parents=True)
    weights = insight / "2024.09.27" / "vision_model" / "medimageinsigt-v1.0.0.pt"
    torch.save(torch.nn.Linear(4, 3, bias=False).state_dict(), weights)
    return folder


def _config(labels: int) -> BertConfig:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=labels,
    )


def _save(model: torch.nn.Module, where: Path, folder: Path) -> None:
    from transformers import BertTokenizer

    model.save_pretrained(where)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(where)


def _written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip("\n"))
    return folder
