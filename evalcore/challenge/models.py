"""The metrics that need a trained model: loading code behind an optional extra, and what to install.

Nothing here is imported until one of the functions is called. Packages: ``evalcore/challenge/
requirements-captions.txt``; weights are taken from a folder or the Hugging Face cache and never fetched
unless the package does so itself. The arithmetic behind the models lives in ``vectors``.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.challenge.tokens import normalised
from evalcore.challenge.vectors import bert_score, clip_score, cosines_of_rows, inverse_frequency
from evalcore.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.model import Floats

    Progress = Callable[[float, str], None]
    Pairs = Sequence[tuple[str, str]]

BERT_MODEL, BERT_LAYER = "microsoft/deberta-xlarge-mnli", 40
BLEURT_MODEL = "lucadiliello/BLEURT-20-D12"
ALIGN_BACKBONE, ALIGN_WEIGHTS = "roberta-large", "AlignScore-base.ckpt"
IMAGE_WEIGHTS = "medimageinsigt-v1.0.0.pt"

_OR = "or bring its values per image (column {} of a scores file)."
NEEDS: Mapping[str, str] = MappingProxyType({
    "BERTScore": f"Needs the model {BERT_MODEL} (Hugging Face), {_OR.format('BERTScore')}",
    "BERTScore recall": f"Needs the model {BERT_MODEL} (Hugging Face), {_OR.format('BERTScore recall')}",
    "BLEURT": f"Needs the model {BLEURT_MODEL} (Hugging Face), {_OR.format('BLEURT')}",
    "AlignScore": f"Needs {ALIGN_WEIGHTS} (yzha/AlignScore), {_OR.format('AlignScore')}",
    "similarity": f"Needs MedImageInsight, file {IMAGE_WEIGHTS} (lion-ai/MedImageInsights, 2024.09.27), "
    "or image and caption embeddings, " + _OR.format("similarity"),
    "UMLS F1": "Needs a concept file of the true captions and one of the run's captions, "
    + _OR.format("UMLS F1"),
})  # fmt: skip
"""What to bring for a metric that cannot be computed from the captions alone."""


def bert_scores(
    pairs: Pairs,
    *,
    model: str = BERT_MODEL,
    layer: int = BERT_LAYER,
    device: str = "cpu",
    progress: Progress,
) -> dict[str, Floats]:
    """BERTScore F1 and recall of (truth, candidate), idf from all true captions, no rescaling.

    ``model`` a name on Hugging Face or a folder; ``layer`` whose vectors are compared (40 is the
    bert-score package's choice for the official model). 1 where both raw captions are empty.

    Raises
    ------
    InputError
        Packages or weights are missing; it says which.
    """
    torch, transformers = _package("torch"), _package("transformers")
    tokenizer = _loaded(lambda: transformers.AutoTokenizer.from_pretrained(model), "BERTScore")
    network = _loaded(lambda: transformers.AutoModel.from_pretrained(model), "BERTScore").to(device).eval()
    limit = min(tokenizer.model_max_length, 512)
    codes = [
        [tokenizer.encode(normalised(text).strip(), truncation=True, max_length=limit) for text in pair]
        for pair in pairs
    ]
    idf, unseen = inverse_frequency([truth for truth, _ in codes])
    f1, recall = np.ones(len(pairs)), np.ones(len(pairs))
    for i, (truth, own) in enumerate(codes):
        progress(i / len(codes), "BERTScore")
        if not any(pairs[i]):
            continue
        vectors = [_token_vectors(torch, network, code, layer, device) for code in (truth, own)]
        weights = [np.array([idf.get(token, unseen) for token in code]) for code in (truth, own)]
        _, recall[i], f1[i] = bert_score(vectors[0] @ vectors[1].T, weights[0], weights[1])
    return {"BERTScore": f1, "BERTScore recall": recall}


def bleurt_scores(
    pairs: Pairs, *, model: str = BLEURT_MODEL, device: str = "cpu", batch: int = 64, progress: Progress
) -> Floats:
    """BLEURT of (truth, candidate) by the distilled model that the script of 2025 loads.

    Raises InputError when packages or weights are missing.
    """
    torch, bleurt = _package("torch"), _package("bleurt_pytorch")
    tokenizer = _loaded(lambda: bleurt.BleurtTokenizer.from_pretrained(model), "BLEURT")
    network = _loaded(lambda: bleurt.BleurtForSequenceClassification.from_pretrained(model), "BLEURT")
    network = network.to(device).eval()
    values: list[float] = []
    for first in range(0, len(pairs), batch):
        progress(first / len(pairs), "BLEURT")
        block = [tuple(map(normalised, pair)) for pair in pairs[first : first + batch]]
        given = tokenizer(
            [truth for truth, _ in block], [own for _, own in block], padding="longest", truncation=True,
            max_length=512, return_tensors="pt",
        ).to(device)  # fmt: skip
        with torch.no_grad():
            values += network(**given).logits.flatten().tolist()
    return np.array(values)


def align_scores(pairs: Pairs, *, weights: str, device: str = "cpu", progress: Progress) -> Floats:
    """AlignScore of raw captions: context the truth, claim the candidate, mode nli_sp.

    ``weights`` where AlignScore-base.ckpt lies. 1 where both are empty, 0 where one is.
    Raises InputError when package or weights are missing.
    """
    package = _package("alignscore")
    scorer = _loaded(
        lambda: package.AlignScore(
            model=ALIGN_BACKBONE, batch_size=32, device=device, ckpt_path=weights, evaluation_mode="nli_sp"
        ),
        "AlignScore",
    )
    values = np.zeros(len(pairs))
    for i, (truth, own) in enumerate(pairs):
        progress(i / len(pairs), "AlignScore")
        if truth and own:
            values[i] = scorer.score(contexts=[truth], claims=[own])[0]
        elif not truth and not own:
            values[i] = 1.0
    return values


def similarity(images: Floats, texts: Floats, pairs: Pairs, *, edition: str) -> Floats:
    """Image-caption similarity from embeddings: 2.5 · max(cos, 0), rows aligned with the pairs.

    2025: 1 where a vector is missing (zero or NaN), because its script gives 1 for any failure.
    2026: 0 for an empty candidate.
    """
    values = clip_score(cosines_of_rows(images, texts))
    values[np.isnan(values)] = 1.0
    if edition == "2026":
        values[np.array([not own for _, own in pairs], bool)] = 0.0
    else:
        values[np.array([not any(pair) for pair in pairs], bool)] = 1.0
    return values


def _token_vectors(torch: Any, network: Any, code: Sequence[int], layer: int, device: str) -> Floats:
    with torch.no_grad():
        hidden = network(torch.tensor([list(code)], device=device), output_hidden_states=True).hidden_states
    vectors = hidden[min(layer, len(hidden) - 1)][0].float().cpu().numpy().astype(float)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0), float)


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as missing:
        way_out = "Install the extra: pip install -r evalcore/challenge/requirements-captions.txt"
        raise InputError(f"The package {name} is not installed. {way_out}") from missing


def _loaded(load: Callable[[], Any], metric: str) -> Any:
    try:
        return load()
    except (OSError, ValueError, KeyError) as reason:
        raise InputError(f"The model of {metric} cannot be loaded: {reason}. {NEEDS[metric]}") from reason
