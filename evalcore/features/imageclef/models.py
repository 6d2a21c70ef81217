"""Trained models that some caption metrics need: where they lie, loading and running them.

Weights lie in the folder ``models`` of the workspace (``~/.cuiscope/models``, or under CUISCOPE_HOME), or
in any other folder that is named; those of Hugging Face may also lie in its cache. Nothing is downloaded,
and nothing is imported before a model runs.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import log
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from evalcore.features.imageclef.caption_metrics import normalised, similarity
from evalcore.features.imageclef.captions import NEEDS
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.insight import load_medimageinsight
from evalcore.stats.sums import sum_of
from evalcore.study.workspace.home import models_folder
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.extras import how_to_install, is_installed, needs
from evalcore.values.progress import Progress

Pairs = Sequence[tuple[str, str]]
Scorer = Callable[[Pairs, Progress], dict[str, Floats]]
Pictures = Callable[[int], bytes | None]


@dataclass(frozen=True, slots=True)
class Model:
    """A model: the metric it gives, its weights and where they come from, the packages that run it.

    ``weights`` names of files or folders, of which the first that is there counts; ``cached`` its name in
    the cache of Hugging Face, "" for none; ``beside`` a further folder that it needs; ``apart`` why the
    last of its packages cannot be installed beside this program, "" when it can.
    """

    key: str
    metric: str
    title: str
    weights: tuple[str, ...]
    origin: str
    packages: tuple[str, ...]
    cached: str = ""
    beside: str = ""
    apart: str = ""


@dataclass(frozen=True, slots=True)
class Readiness:
    """What is there of a model: ``path`` of its weights (None when missing), packages not installed."""

    model: Model
    path: str | None
    missing: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Whether it can be run."""
        return self.path is not None and not self.missing


_HUB = "on Hugging Face"
_BERT, _BLEURT = ("torch", "transformers"), ("torch", "transformers", "bleurt_pytorch")
_ALL = (
    Model(
        "bertscore",
        "BERTScore",
        "DeBERTa xlarge MNLI",
        ("deberta-xlarge-mnli",),
        f"microsoft/deberta-xlarge-mnli {_HUB}",
        _BERT,
        "microsoft/deberta-xlarge-mnli",
    ),
    Model(
        "bleurt",
        "BLEURT",
        "BLEURT-20",
        ("BLEURT-20", "BLEURT-20-D12"),
        f"lucadiliello/BLEURT-20 {_HUB}, as the task's page names it, or the smaller "
        "lucadiliello/BLEURT-20-D12 that the script loads",
        _BLEURT,
        "lucadiliello/BLEURT-20",
    ),
    Model(
        "alignscore",
        "AlignScore",
        "AlignScore base",
        ("AlignScore-base.ckpt",),
        f"yzha/AlignScore {_HUB}, and the folder roberta-large (FacebookAI/roberta-large) beside it",
        ("torch", "transformers", "alignscore"),
        beside="roberta-large",
        apart="needs numpy < 2 and torch < 2",
    ),
    Model(
        "medimageinsight",
        "similarity",
        "MedImageInsight",
        ("MedImageInsights",),
        f"a clone of lion-ai/MedImageInsights {_HUB} with 2024.09.27/vision_model/medimageinsigt-v1.0.0.pt",
        _BERT,
    ),
    Model(
        "medbertscore",
        "MedBERTScore",
        "BERT of medical texts",
        ("MedBERTScore",),
        "a folder of that name with the medical BERT that the campaign used, in the form of Hugging Face",
        _BERT,
    ),
    Model(
        "medbleurt",
        "MedBLEURT",
        "BLEURT of medical texts",
        ("MedBLEURT",),
        "a folder of that name with the BLEURT trained on medical texts, in the form of Hugging Face",
        _BLEURT,
    ),
)

MODELS: Mapping[str, Model] = MappingProxyType({model.key: model for model in _ALL})


def model_of(key: str) -> Model:
    """The model of that name; UnknownName when there is none."""
    if key not in MODELS:
        raise UnknownName("model", key, MODELS)
    return MODELS[key]


def readiness(key: str, *, folder: Path | None = None) -> Readiness:
    """What is there of a model and what is not; nothing is imported or loaded."""
    model, where = model_of(key), folder or models_folder()
    path = next((str(where / name) for name in model.weights if (where / name).exists()), None)
    if path is None and model.cached and _cache_folder(model.cached).is_dir():
        path = model.cached
    if path is not None and model.beside and not (where / model.beside).is_dir():
        path = None
    missing = tuple(name for name in model.packages if not is_installed(name))
    return Readiness(model, path, missing)


def remedy(state: Readiness, *, folder: Path | None = None) -> str:
    """What to do so that a model can be run; "" when nothing is missing."""
    model, steps = state.model, []
    if model.apart and model.packages[-1] in state.missing:
        return apart(model.packages[-1])
    if state.missing:
        steps.append(f"Install {', '.join(state.missing)} ({how_to_install('caption-models')}).")
    if state.path is None:
        where = folder or models_folder()
        steps.append(f"Put {model.weights[0]} into {where}: {model.origin}.")
    return " ".join(steps)


def apart(package: str) -> str:
    """What to do about a package that cannot be installed beside this program; "" for one that can."""
    model = next((one for one in _ALL if one.apart and one.packages[-1] == package), None)
    if model is None:
        return ""
    return (
        f"It cannot be installed beside this program, because {model.title} {model.apart}. Run it in an "
        f"environment of its own and bring its values per image (column {model.metric} of a scores file)."
    )


def path_of(key: str, *, folder: Path | None = None) -> str:
    """Where the weights of a model are.

    Raises
    ------
    InputError
        Weights or packages are missing; it says which, and where they belong.
    """
    state = readiness(key, folder=folder)
    if state.path is None or state.missing:
        raise InputError(f"{state.model.title} cannot be run. {remedy(state, folder=folder)}")
    return state.path


def _cache_folder(name: str) -> Path:
    hub = os.environ.get("HF_HUB_CACHE") or os.environ.get("HF_HOME", "~/.cache/huggingface") + "/hub"
    return Path(hub).expanduser() / f"models--{name.replace('/', '--')}"


# Loading and running.

BERT_LAYER = 40
"""Whose vectors the bert-score package compares for microsoft/deberta-xlarge-mnli."""


def inverse_frequency(documents: Sequence[Sequence[Hashable]]) -> tuple[dict[Hashable, float], float]:
    """ln((M + 1) / (df + 1)) of every token over M documents, and the value of unseen tokens (df = 0).

    Zhang et al. 2020 (BERTScore), as in the bert-score package.
    """
    m = len(documents)
    frequency = Counter(token for document in documents for token in set(document))
    return {token: log((m + 1) / (df + 1)) for token, df in frequency.items()}, log(m + 1)


def bert_score(cosines: Floats, reference: Floats, candidate: Floats) -> tuple[float, float, float]:
    """Precision, recall and F1 of greedy token matching (Zhang et al. 2020).

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


def load_bert(
    model: str, *, layer: int = BERT_LAYER, device: str = "cpu", metric: str = "BERTScore"
) -> Scorer:
    """BERTScore F1 and recall of (truth, candidate), idf from all true captions, no rescaling.

    ``model`` a folder, or a name in the cache of Hugging Face; ``layer`` whose vectors are compared, the
    last where it has fewer; ``metric`` what the F1 is called, the recall being added for BERTScore. 1 where
    both raw captions are empty.

    Raises
    ------
    InputError
        Packages or weights are missing; it says which.
    """
    torch, transformers = package("torch"), package("transformers")
    auto, load = transformers.AutoTokenizer, transformers.AutoModel
    tokenizer, network = _from_folder(auto, load, model, device, metric)
    limit = min(tokenizer.model_max_length, 512)

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        codes = [
            [tokenizer.encode(normalised(text).strip(), truncation=True, max_length=limit) for text in pair]
            for pair in pairs
        ]
        idf, unseen = inverse_frequency([truth for truth, _ in codes])
        f1, recall = np.ones(len(pairs)), np.ones(len(pairs))
        for i, (truth, own) in enumerate(codes):
            progress(i / len(codes), metric)
            if any(pairs[i]):
                vectors = [_token_vectors(torch, network, code, layer, device) for code in (truth, own)]
                weights = [np.array([idf.get(token, unseen) for token in code]) for code in (truth, own)]
                _, recall[i], f1[i] = bert_score(vectors[0] @ vectors[1].T, weights[0], weights[1])
        return {metric: f1} | ({"BERTScore recall": recall} if metric == "BERTScore" else {})

    return score


def load_bleurt(model: str, *, device: str = "cpu", batch: int = 64, metric: str = "BLEURT") -> Scorer:
    """BLEURT of (truth, candidate), or ``metric`` of a model of its kind.

    Raises InputError when packages or weights are missing.
    """
    torch, bleurt = package("torch"), package("bleurt_pytorch")
    make, load = bleurt.BleurtTokenizer, bleurt.BleurtForSequenceClassification
    tokenizer, network = _from_folder(make, load, model, device, metric)

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        values: list[float] = []
        for first in range(0, len(pairs), batch):
            progress(first / len(pairs), metric)
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
        return {metric: np.array(values)}

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
    top = name.partition(".")[0]
    if (reason := apart(top)) and not is_installed(top):
        raise InputError(f"The package {top} is not installed. {reason}")
    with needs("caption-models", "This metric"):
        return import_module(name)


def loaded(load: Callable[[], Any], metric: str) -> Any:
    """What a loading function gives; InputError that says what to do when the weights cannot be loaded."""
    try:
        return load()
    except Exception as reason:  # whatever the libraries raise over a file that is not what it should be
        why = " ".join(str(reason).split())[:300]
        if type(reason).__name__ == "UnpicklingError":  # whose advice is to open it all the same
            why = "its weights contain more than numbers, which could run code when they are opened"
        need = NEEDS.get(metric, "Check the folder.")
        raise InputError(f"The model of {metric} cannot be loaded: {why}. {need}") from reason


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


# Image-caption similarity by MedImageInsight, as the package of its authors computes the vectors.

_BATCH = 16


def load_insight(folder: str, *, edition: Edition, pictures: Pictures, device: str = "cpu") -> Scorer:
    """Image-caption similarity, 2.5 · max(cos(image, caption), 0), of raw captions.

    Parameters
    ----------
    folder : a clone of lion-ai/MedImageInsights with its weights.
    edition : whose rule for empty captions applies (see ``caption_metrics.similarity``).
    pictures : the bytes of the picture of the i-th pair, None when there is none: its value is NaN.

    A picture or caption that the model cannot encode counts as a similarity of 1, as in the script of 2025.

    Raises
    ------
    InputError
        The folder is not what it should be, or packages its code needs are missing.
    """
    model = load_medimageinsight(folder, device=device, remedy=NEEDS["similarity"])

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        return {"similarity": _similarities(model, pairs, pictures, edition, progress)}

    return score


def _similarities(
    model: Any, pairs: Pairs, pictures: Pictures, edition: Edition, progress: Progress
) -> Floats:
    images: list[Floats | None] = []
    texts: list[Floats | None] = []
    for first in range(0, len(pairs), _BATCH):
        progress(first / len(pairs), "image-caption similarity")
        for i in range(first, min(first + _BATCH, len(pairs))):
            picture = pictures(i)
            encoded = None if picture is None else b64encode(picture).decode()
            images.append(None if encoded is None else _encode(model, "image", images=[encoded]))
            texts.append(_encode(model, "text", texts=[pairs[i][1]]))
    width = next((len(v) for v in (*images, *texts) if v is not None and len(v)), 1)
    return similarity(_stacked(images, width), _stacked(texts, width), pairs, edition=edition)


def _encode(model: Any, kind: str, **given: Any) -> Floats:
    """One vector; an empty one when the model cannot encode what it is given."""
    try:
        return np.asarray(model.encode(**given)[f"{kind}_embeddings"][0], float)
    except (ValueError, OSError, RuntimeError, IndexError, TypeError):
        return np.zeros(0)


def _stacked(vectors: Sequence[Floats | None], width: int) -> Floats:
    """Rows of one width: NaN for a picture that is not there, zeros for what could not be encoded."""
    rows = np.zeros((len(vectors), width))
    for i, vector in enumerate(vectors):
        if vector is None:
            rows[i] = np.nan
        elif len(vector):
            rows[i] = vector
    return rows


def model_values(
    chosen: Sequence[str],
    truth: Mapping[str, str],
    runs: Mapping[str, Mapping[str, str]],
    *,
    edition: Edition,
    pictures: Pictures,
    folder: Path | None = None,
    device: str = "cpu",
    progress: Progress = lambda _done, _doing: None,
) -> dict[str, dict[str, Floats]]:
    """{run: {metric: value per image of the truth}} of the chosen models, each loaded once.

    Parameters
    ----------
    chosen : keys of ``MODELS``.
    truth, runs : captions by image, and {run: captions by image}; a missing caption counts as empty.
    pictures : bytes of the picture of the i-th image of the truth (MedImageInsight only).
    folder : where the weights lie; None is the workspace's folder ``models``.
    device : "cpu", "cuda" or "mps".

    Raises
    ------
    UnknownName
        There is no such model.
    InputError
        Packages or weights are missing, or the device; it says what to do.
    """
    values: dict[str, dict[str, Floats]] = {name: {} for name in runs}
    steps = len(chosen) * max(1, len(runs))
    for i, key in enumerate(chosen):
        title = model_of(key).title
        progress(i / max(1, len(chosen)), f"loading {title}")
        score = load_model(key, edition=edition, pictures=pictures, folder=folder, device=device)
        for j, (name, captions) in enumerate(runs.items()):
            done = i * len(runs) + j

            def within(part: float, doing: str, done: int = done, name: str = name) -> None:
                progress((done + part) / steps, f"{doing}, {name}")

            pairs = [(text, captions.get(image, "")) for image, text in truth.items()]
            values[name] |= score(pairs, within)
    progress(1.0, "")
    return values


def load_model(key: str, *, edition: Edition, pictures: Pictures, folder: Path | None, device: str) -> Scorer:
    """One model, ready to score captions; raises what ``model_values`` does."""
    weights, model = path_of(key, folder=folder), model_of(key)
    if model.metric in ("BERTScore", "MedBERTScore"):
        return load_bert(weights, device=device, metric=model.metric)
    if model.metric in ("BLEURT", "MedBLEURT"):
        return load_bleurt(weights, device=device, metric=model.metric)
    if key == "alignscore":
        return load_align(weights, backbone=str(Path(weights).parent / model.beside), device=device)
    return load_insight(weights, edition=edition, pictures=pictures, device=device)


def devices() -> tuple[str, ...]:
    """Where models can run on this machine: "cpu", and "cuda" or "mps" where torch finds one."""
    if not is_installed("torch"):
        return ("cpu",)
    torch = package("torch")
    result = ["cpu"]
    if torch.cuda.is_available():
        result.append("cuda")
    if torch.backends.mps.is_available():
        result.append("mps")
    return tuple(result)
