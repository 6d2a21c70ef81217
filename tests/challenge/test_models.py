"""The loading code of the models, end to end on tiny random transformers that the test saves to disk.

Needs evalcore/challenge/requirements-captions.txt (torch, transformers).
"""

from __future__ import annotations

from math import log
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer

from evalcore.challenge import models
from evalcore.challenge.tokens import normalised
from evalcore.errors import InputError

PAIRS = [
    ("Chest X-ray, 3 cm nodule.", "chest xray with nodule"),
    ("CT of the liver", "CT of the liver"),
    ("", ""),
    ("chest nodule", ""),
]
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "chest",
    "xray",
    "number",
    "cm",
    "nodule",
    "ct",
    "of",
    "the",
    "liver",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two layers, 16 numbers per token, random weights; as a language model and as a scorer."""
    where = tmp_path_factory.mktemp("tiny")
    (where / "vocab.txt").write_text("\n".join(WORDS))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, num_labels=1,
    )  # fmt: skip
    for name, model in (("lm", BertModel(config)), ("scorer", BertForSequenceClassification(config))):
        model.save_pretrained(where / name)
        BertTokenizer(str(where / "vocab.txt")).save_pretrained(where / name)
    return where


def quiet(_done: float, _doing: str) -> None:
    pass


def test_bert_score_is_the_formula_over_the_vectors_of_the_model(folder: Path) -> None:
    found = models.bert_scores(PAIRS, model=str(folder / "lm"), layer=1, progress=quiet)
    tokenizer, network = (
        BertTokenizer.from_pretrained(folder / "lm"),
        BertModel.from_pretrained(folder / "lm").eval(),
    )
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


def test_bleurt_is_what_the_scorer_says_whatever_the_batch(folder: Path, monkeypatch) -> None:
    package = SimpleNamespace(
        BleurtTokenizer=BertTokenizer, BleurtForSequenceClassification=BertForSequenceClassification
    )
    real = models.import_module
    monkeypatch.setattr(
        models, "import_module", lambda name: package if name == "bleurt_pytorch" else real(name)
    )
    where = str(folder / "scorer")
    together = models.bleurt_scores(PAIRS, model=where, progress=quiet)
    apart = models.bleurt_scores(PAIRS, model=where, batch=1, progress=quiet)
    tokenizer = BertTokenizer.from_pretrained(where)
    network = BertForSequenceClassification.from_pretrained(where).eval()
    with torch.no_grad():
        given = tokenizer("chest xray number cm nodule", "chest xray with nodule", return_tensors="pt")
        first = float(network(**given).logits)
    assert together[0] == pytest.approx(first, abs=1e-5)
    np.testing.assert_allclose(together, apart, atol=1e-5)


def test_align_score_asks_context_truth_claim_candidate(monkeypatch) -> None:
    asked = []

    class Scorer:
        def __init__(self, **options: object) -> None:
            assert options["evaluation_mode"] == "nli_sp"

        def score(self, contexts: list[str], claims: list[str]) -> list[float]:
            asked.append((contexts[0], claims[0]))
            return [0.25]

    monkeypatch.setattr(models, "import_module", lambda _name: SimpleNamespace(AlignScore=Scorer))
    values = models.align_scores(PAIRS, weights="x.ckpt", progress=quiet)
    assert values.tolist() == [0.25, 0.25, 1.0, 0.0]
    assert asked == PAIRS[:2]


def test_missing_weights_name_the_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="deberta-xlarge-mnli"):
        models.bert_scores(PAIRS, model=str(tmp_path / "nowhere"), progress=quiet)
