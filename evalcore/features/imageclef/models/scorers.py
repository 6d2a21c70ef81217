"""BERTScore, BLEURT and AlignScore: loading code behind an optional extra, one function per model.

Each ``load_...`` gives a function from captions to values, so that several runs share one loaded model.
Nothing is imported until then and nothing is ever downloaded (``local_files_only``). What weights there
are and where they belong: ``store``. The arithmetic behind the models: ``vectors``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from evalcore.features.imageclef.captions.metrics import normalised
from evalcore.features.imageclef.captions.vectors import NEEDS, bert_score, inverse_frequency
from evalcore.features.imageclef.models.store import how_to_install
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress

Pairs = Sequence[tuple[str, str]]
Scorer = Callable[[Pairs, Progress], dict[str, Floats]]

BERT_LAYER = 40
"""Whose vectors the bert-score package compares for microsoft/deberta-xlarge-mnli."""


def load_bert(model: str, *, layer: int = BERT_LAYER, device: str = "cpu") -> Scorer:
    """BERTScore F1 and recall of (truth, candidate), idf from all true captions, no rescaling.

    ``model`` a folder, or a name in the cache of Hugging Face; ``layer`` whose vectors are compared. 1
    where both raw captions are empty.

    Raises
    ------
    InputError
        Packages or weights are missing; it says which.
    """
    torch, transformers = package("torch"), package("transformers")
    auto, load = transformers.AutoTokenizer, transformers.AutoModel
    tokenizer, network = _from_folder(auto, load, model, device, "BERTScore")
    limit = min(tokenizer.model_max_length, 512)

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        codes = [
            [tokenizer.encode(normalised(text).strip(), truncation=True, max_length=limit) for text in pair]
            for pair in pairs
        ]
        idf, unseen = inverse_frequency([truth for truth, _ in codes])
        f1, recall = np.ones(len(pairs)), np.ones(len(pairs))
        for i, (truth, own) in enumerate(codes):
            progress(i / len(codes), "BERTScore")
            if any(pairs[i]):
                vectors = [_token_vectors(torch, network, code, layer, device) for code in (truth, own)]
                weights = [np.array([idf.get(token, unseen) for token in code]) for code in (truth, own)]
                _, recall[i], f1[i] = bert_score(vectors[0] @ vectors[1].T, weights[0], weights[1])
        return {"BERTScore": f1, "BERTScore recall": recall}

    return score


def load_bleurt(model: str, *, device: str = "cpu", batch: int = 64) -> Scorer:
    """BLEURT of (truth, candidate) by the distilled model that the script of 2025 loads.

    Raises InputError when packages or weights are missing.
    """
    torch, bleurt = package("torch"), package("bleurt_pytorch")
    make, load = bleurt.BleurtTokenizer, bleurt.BleurtForSequenceClassification
    tokenizer, network = _from_folder(make, load, model, device, "BLEURT")

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        values: list[float] = []
        for first in range(0, len(pairs), batch):
            progress(first / len(pairs), "BLEURT")
            block = [tuple(map(normalised, pair)) for pair in pairs[first : first + batch]]
            given = tokenizer(
                [truth for truth, _ in block],
                [own for _, own in block],
                padding="longest",
                truncation=True,
                max_length=512,
                return_tensors="pt",
            ).to(device)
            with torch.no_grad():
                values += network(**given).logits.flatten().tolist()
        return {"BLEURT": np.array(values)}

    return score


def load_align(weights: str, *, backbone: str = "roberta-large", device: str = "cpu") -> Scorer:
    """AlignScore of raw captions: context the truth, claim the candidate, mode nli_sp.

    ``weights`` where AlignScore-base.ckpt lies, ``backbone`` a folder with roberta-large. 1 where both
    captions are empty, 0 where one is. Raises InputError when package or weights are missing.
    """
    align = package("alignscore")
    scorer = loaded(
        lambda: align.AlignScore(
            model=backbone, batch_size=32, device=device, ckpt_path=weights, evaluation_mode="nli_sp"
        ),
        "AlignScore",
    )
    # Its sentence splitter looks for its data only when it is used.
    loaded(lambda: scorer.score(contexts=["A mass."], claims=["A mass."]), "AlignScore")

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        values = np.zeros(len(pairs))
        for i, (truth, own) in enumerate(pairs):
            progress(i / len(pairs), "AlignScore")
            if truth and own:
                values[i] = scorer.score(contexts=[truth], claims=[own])[0]
            elif not truth and not own:
                values[i] = 1.0
        return {"AlignScore": values}

    return score


def package(name: str) -> Any:
    """An optional package; InputError that says how to install it when it is not there."""
    try:
        return import_module(name)
    except ImportError as missing:
        top = name.partition(".")[0]
        raise InputError(f"The package {top} is not installed. {how_to_install(top)}") from missing


def loaded(load: Callable[[], Any], metric: str) -> Any:
    """What a loading function gives; InputError that says what to do when the weights cannot be loaded."""
    try:
        return load()
    except (OSError, ValueError, LookupError, RuntimeError, AssertionError, ImportError) as reason:
        why = " ".join(str(reason).split())[:300]
        raise InputError(f"The model of {metric} cannot be loaded: {why}. {NEEDS[metric]}") from reason


def _from_folder(tokenizers: Any, networks: Any, model: str, device: str, metric: str) -> tuple[Any, Any]:
    """Tokenizer and network, this on the device and ready to be asked; nothing is downloaded."""
    tokenizer = loaded(lambda: tokenizers.from_pretrained(model, local_files_only=True), metric)
    network = loaded(lambda: networks.from_pretrained(model, local_files_only=True), metric)
    return tokenizer, loaded(lambda: network.to(device).eval(), metric)


def _token_vectors(torch: Any, network: Any, code: Sequence[int], layer: int, device: str) -> Floats:
    with torch.no_grad():
        hidden = network(torch.tensor([list(code)], device=device), output_hidden_states=True).hidden_states
    vectors = hidden[min(layer, len(hidden) - 1)][0].float().cpu().numpy().astype(float)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0), float)
