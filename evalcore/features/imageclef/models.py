"""Trained models that some caption metrics need: one table of them, loading and running.

Weights are in the folder ``models`` of the workspace.
Nothing is downloaded, and nothing is imported before a model runs.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module, invalidate_caches
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.features.imageclef.caption_metrics import Pairs, normalised, similarity
from evalcore.stats.sums import sum_of
from evalcore.study.tables.problems import try_call
from evalcore.study.workspace.home import models_folder
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.extras import how_to_install, is_installed
from evalcore.values.progress import Progress, part_of, silent

Scorer = Callable[[Pairs], Iterator[float | tuple[float, float]]]
"""From pairs of captions to what a model gives for each of them, in turn."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a model is run with: ``pictures`` gives the bytes of the picture of the i-th pair, None without
    one; ``zero_when_empty`` the edition's rule for the similarity of empty captions."""

    device: str = "cpu"
    pictures: Callable[[int], bytes | None] = lambda _image: None
    zero_when_empty: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """A trained model.

    Attributes
    ----------
    metrics : what it gives for each image.
    load : given the weights and how to run the model, what scores captions; whatever it raises becomes an
        InputError (`load_model`).
    weights : names of folders, the first of which that exists is used.
    origin : where they come from.
    packages : what runs it.
    """

    metrics: tuple[str, ...]
    load: Callable[[Path, Setup], Scorer]
    weights: tuple[str, ...]
    origin: str
    packages: tuple[str, ...] = ("torch", "transformers")

    @property
    def metric(self) -> str:
        """The first of its metrics, which it is called by."""
        return self.metrics[0]

    def bring(self, metric: str) -> str:
        """What to bring for one of its metrics: the model, or values that were computed elsewhere."""
        return f"{self.origin}, or its {_from_table(metric)}."


def _from_table(metric: str) -> str:
    """The way to bring a metric that was computed elsewhere."""
    return f"values per image (column {metric} of a table of values)"


def find_weights(key: str) -> Path:
    """Where the weights of a model are, in the folder ``models`` of the workspace.

    Raises
    ------
    InputError
        Weights or packages are missing; it says which, and what to do.
    """
    model, where, steps = MODELS[key], models_folder(), []
    path = next((where / name for name in model.weights if (where / name).exists()), None)
    if missing := [name for name in model.packages if not is_installed(name)]:
        steps.append(f"Install {', '.join(missing)} ({how_to_install('caption-models')}).")
    if path is None:
        steps.append(f"Put {model.weights[0]} into {where}: {model.origin}.")
    if path is None or steps:
        raise InputError(f"{model.metric} cannot be computed. {' '.join(steps)}")
    return path


def model_values(
    chosen: Sequence[str],
    truth: Mapping[str, str],
    runs: Mapping[str, Mapping[str, str]],
    setup: Setup = Setup(),
    *,
    progress: Progress = silent,
) -> dict[str, dict[str, Floats]]:
    """{run: {metric: value per image of the truth}} of the chosen models, each loaded once.

    Parameters
    ----------
    chosen : keys of ``MODELS``.
    truth, runs : captions by image, and {run: captions by image}; a missing caption counts as empty.

    Raises
    ------
    InputError
        Packages, weights or the device are missing; it says what to do.
    """
    values: dict[str, dict[str, Floats]] = {name: {} for name in runs}
    steps = len(chosen) * len(runs)
    for i, key in enumerate(chosen):
        model = MODELS[key]
        progress(i / len(chosen), f"loading {model.metric}")
        score = load_model(model, find_weights(key), setup)
        for j, (name, captions) in enumerate(runs.items()):
            pairs = [(text, captions.get(image, "")) for image, text in truth.items()]
            part = part_of(progress, i * len(runs) + j, steps, name=name)
            rows: list[float | tuple[float, float]] = []
            for row in score(pairs):
                part(len(rows) / len(pairs), model.metric)
                rows.append(row)
            columns = np.array(rows, float).reshape(len(pairs), -1).T.copy()
            values[name] |= zip(model.metrics, columns, strict=False)
    progress(1.0, "")
    return values


def load_model(model: Model, path: Path, setup: Setup) -> Scorer:
    """What scores captions; InputError that says what to do when the weights cannot be loaded."""
    scorer, reason = try_call(partial(model.load, path, setup))
    if scorer is not None:
        return scorer
    why = " ".join(str(reason).split())[:300]
    if type(reason).__name__ == "UnpicklingError":  # whose advice is to open it all the same
        why = "its weights contain more than numbers, which could run code when they are opened"
    message = f"The model of {model.metric} cannot be loaded: {why}. Bring {model.bring(model.metric)}"
    raise InputError(message) from reason


def _from_folder(tokenizers: Any, networks: Any, path: Path, device: str) -> tuple[Any, Any]:
    """Tokenizer and network in the form of Hugging Face, without the hub and without code in the folder."""
    offline = {"local_files_only": True, "trust_remote_code": False}
    network = networks.from_pretrained(path, **offline).to(device).eval()
    return tokenizers.from_pretrained(path, **offline), network


# BERTScore (Zhang et al. 2020), as the package bert-score computes it, which fails at an empty caption under
# the transformers that encoders need.

BERT_LAYER = 40
"""Whose vectors the bert-score package compares for microsoft/deberta-xlarge-mnli."""
BATCH = 64
"""Pairs that BLEURT sees together."""


def inverse_frequency(documents: Sequence[Sequence[Hashable]]) -> tuple[dict[Hashable, float], float]:
    """ln((M + 1) / (df + 1)) of every token over M documents, and the value of unseen tokens (df = 0)."""
    m = len(documents)
    frequency = Counter(token for document in documents for token in set(document))
    return {token: log((m + 1) / (df + 1)) for token, df in frequency.items()}, log(m + 1)


def bert_score(cosines: Floats, reference: Floats, candidate: Floats) -> tuple[float, float, float]:
    """Precision, recall and F1 of greedy token matching.

    Parameters
    ----------
    cosines : shape (reference tokens, candidate tokens).
    reference, candidate : weight of each token (idf, or all 1).

    Returns
    -------
    P = sum over candidate tokens of weight · best cosine / sum of weights, R likewise over the
    reference, F = 2PR / (P + R). 0 where a quotient is 0/0.
    """
    if not cosines.size:
        return 0.0, 0.0, 0.0
    precision = _share(sum_of(candidate * cosines.max(axis=0)), sum_of(candidate))
    recall = _share(sum_of(reference * cosines.max(axis=1)), sum_of(reference))
    return precision, recall, _share(2 * precision * recall, precision + recall)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def load_bert(path: Path, setup: Setup) -> Scorer:
    """BERTScore F1 and recall of (truth, candidate), idf from all true captions, no rescaling.

    The vectors of ``BERT_LAYER`` are compared, of the last where there are fewer. 1 where both raw captions
    are empty.
    """
    torch, transformers = import_module("torch"), import_module("transformers")
    auto = transformers.AutoTokenizer, transformers.AutoModel
    tokenizer, network = _from_folder(*auto, path, setup.device)
    limit = min(tokenizer.model_max_length, 512)

    def vectors_of(code: Sequence[int]) -> Floats:
        with torch.no_grad():
            tokens = torch.tensor([list(code)], device=setup.device)
            hidden = network(tokens, output_hidden_states=True).hidden_states
        vectors = hidden[min(BERT_LAYER, len(hidden) - 1)][0].float().cpu().numpy().astype(float)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(norms > 0, norms, 1.0), float)

    def score(pairs: Pairs) -> Iterator[tuple[float, float]]:
        codes = [
            [tokenizer.encode(normalised(text).strip(), truncation=True, max_length=limit) for text in pair]
            for pair in pairs
        ]
        idf, unseen = inverse_frequency([truth for truth, _ in codes])
        for texts, pair in zip(pairs, codes, strict=True):
            if not any(texts):
                yield 1.0, 1.0
                continue
            truth, own = map(vectors_of, pair)
            weights = [np.array([idf.get(token, unseen) for token in code]) for code in pair]
            _, recall, f1 = bert_score(truth @ own.T, *weights)
            yield f1, recall

    return score


def load_bleurt(path: Path, setup: Setup) -> Scorer:
    """BLEURT of (truth, candidate)."""
    torch, bleurt = import_module("torch"), import_module("bleurt_pytorch")
    classes = bleurt.BleurtTokenizer, bleurt.BleurtForSequenceClassification
    tokenizer, network = _from_folder(*classes, path, setup.device)

    def score(pairs: Pairs) -> Iterator[float]:
        for first in range(0, len(pairs), BATCH):
            sides = zip(*(map(normalised, pair) for pair in pairs[first : first + BATCH]), strict=True)
            options = {"padding": "longest", "truncation": True, "max_length": 512, "return_tensors": "pt"}
            with torch.no_grad():
                logits = network(**tokenizer(*map(list, sides), **options).to(setup.device)).logits
            yield from logits.flatten().tolist()

    return score


# Image-caption similarity by MedImageInsight, as the package of its authors computes the vectors. That is a
# folder, not a package of the index: ``medimageinsightmodel.py`` and ``MedImageInsight/`` (code),
# ``2024.09.27/`` (config, tokenizer, weights). Loading runs the code in it, so only take it from its authors.

_RELEASE, _VISION, _LANGUAGE = "2024.09.27", "medimageinsigt-v1.0.0.pt", "language_model.pth"


def load_insight(path: Path, setup: Setup) -> Scorer:
    """Image-caption similarity, 2.5 · max(cos(image, caption), 0), of raw captions.

    NaN without a picture; a picture or caption that the model cannot encode counts as a similarity of 1, as
    in the script of 2025.
    """
    weights = path / _RELEASE / "vision_model" / _VISION
    if not (path / "medimageinsightmodel.py").is_file() or not weights.is_file():
        raise FileNotFoundError(f"{path} lacks medimageinsightmodel.py or {weights}")
    names = {"vision_model_name": _VISION, "language_model_name": _LANGUAGE}
    sys.path.insert(0, str(path))
    invalidate_caches()
    try:
        package = import_module("medimageinsightmodel")
        network = package.MedImageInsight(model_dir=str(path / _RELEASE), **names)
        network.load_model()
        network.model.eval()  # the package leaves dropout on
        network.model.to(setup.device)
        network.device = setup.device
    finally:
        sys.path.remove(str(path))

    def encode(kind: str, content: str) -> Floats | None:
        """One vector; None when the model cannot encode it."""
        try:
            vectors = network.encode(**{f"{kind}s": [content]})
            return np.asarray(vectors[f"{kind}_embeddings"][0], float)
        except (ValueError, OSError, RuntimeError, IndexError, TypeError):
            return None

    def score(pairs: Pairs) -> Iterator[float]:
        for i, pair in enumerate(pairs):
            if (picture := setup.pictures(i)) is None:
                yield np.nan
                continue
            vectors = encode("image", b64encode(picture).decode()), encode("text", pair[1])
            yield similarity(*vectors, pair, zero_when_empty=setup.zero_when_empty)

    return score


_HUB = "on Hugging Face"
MODELS: Mapping[str, Model] = {
    "bertscore": Model(
        ("BERTScore", "BERTScore recall"),
        load_bert,
        ("deberta-xlarge-mnli",),
        f"microsoft/deberta-xlarge-mnli {_HUB}",
    ),
    "bleurt": Model(
        ("BLEURT",),
        load_bleurt,
        ("BLEURT-20", "BLEURT-20-D12"),
        f"lucadiliello/BLEURT-20 {_HUB}, as the task's page names it (or the smaller "
        "lucadiliello/BLEURT-20-D12 that the script loads)",
        ("torch", "transformers", "bleurt_pytorch"),
    ),
    "medimageinsight": Model(
        ("similarity",),
        load_insight,
        ("MedImageInsights",),
        f"a clone of lion-ai/MedImageInsights {_HUB} with its weights",
    ),
}
"""The models by the names of ``--metric-model``."""
NEEDS: Mapping[str, str] = {
    metric: f"Needs {model.bring(metric)}" for model in MODELS.values() for metric in model.metrics
} | {
    "AlignScore": "Needs numpy < 2 and torch < 2, which cannot be installed beside this program. Run it "
    f"in an environment of its own and bring its {_from_table('AlignScore')}.",
    "UMLS F1": "Needs a concept file of the true captions and one of the run's captions (annotate makes "
    f"them, also of the JSON of MedCAT or QuickUMLS), or its {_from_table('UMLS F1')}.",
}
"""What to bring for a metric of the task that cannot be computed from the captions alone."""
FROM_ELSEWHERE = (*NEEDS, "MedBERTScore", "MedBLEURT")
"""The metrics that come from models or from a table of values; the last two the task of 2025 names beside
those that it ranks by."""
