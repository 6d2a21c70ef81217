"""Which trained models there are, where their weights belong, and what of them is missing here.

Weights lie in the folder ``models`` of the workspace (``~/.cuiscope/models``, or under CUISCOPE_HOME), or
in any other folder that is named; those of Hugging Face may also lie in its cache. Nothing is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evalcore.study.trained_models import models_folder
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.extras import how_to_install, is_installed


@dataclass(frozen=True, slots=True)
class Model:
    """A model: the metric it gives, its weights and where they come from, the packages that run it.

    ``weights`` names of files or folders, the first that is there counts; ``cached`` its name in the
    cache of Hugging Face, "" for none; ``beside`` a further folder that it needs; ``apart`` why the last of
    its packages cannot be installed beside this program, "" when it can.
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
_ALL = (
    Model(
        "bertscore",
        "BERTScore",
        "DeBERTa xlarge MNLI",
        ("deberta-xlarge-mnli",),
        f"microsoft/deberta-xlarge-mnli {_HUB}",
        ("torch", "transformers"),
        "microsoft/deberta-xlarge-mnli",
    ),
    Model(
        "bleurt",
        "BLEURT",
        "BLEURT-20-D12",
        ("BLEURT-20-D12",),
        f"lucadiliello/BLEURT-20-D12 {_HUB}",
        ("torch", "transformers", "bleurt_pytorch"),
        "lucadiliello/BLEURT-20-D12",
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
        ("torch", "transformers"),
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
