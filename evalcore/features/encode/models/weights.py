"""Weights as numbers only, from files of safetensors."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.read import PICKLES, SAFE, ModelFolder, pickled, weights_of
from evalcore.study.tables.problems import truncate, try_call
from evalcore.values.errors import InputError
from evalcore.values.extras import is_installed, missing_package, remedy

if TYPE_CHECKING:
    import numpy.typing as npt

# The optional packages of trained encoders: imported when one is opened, never asking a network.

OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
_PYPI = {"open_clip": "open_clip_torch", "sentence_transformers": "sentence-transformers"}
_WITHOUT_TORCHVISION = ("transformers", "sentence_transformers")
_MISFIT: list[Exception] = []
"""What torchvision raised when it was found not to fit torch."""


def needed(name: str) -> Any:
    """An optional package; InputError with the remedy where it is missing or does not fit the others."""
    for one in OFFLINE:
        os.environ[one] = "1"
    if name in _WITHOUT_TORCHVISION:
        _hide_misfit()
    elif name == "torchvision" and _MISFIT:
        raise _different_builds(name, _MISFIT[0]) from _MISFIT[0]
    try:
        return import_module(name)
    except ImportError as missing:
        deeper = _torchvision_in(missing)
        if deeper is not None:
            raise _different_builds("torchvision", deeper) from missing
        top = (missing.name or name).partition(".")[0]
        if not is_installed(top):
            package = missing_package("This encoder", _PYPI.get(top, top))
            raise InputError(f"{package} {remedy('models')}") from missing
        raise InputError(f"The package {name} cannot be imported: {_line(missing)}.") from missing
    except RuntimeError as reason:
        raise _different_builds(name, reason) from reason


def _hide_misfit() -> None:
    """Let a torchvision that does not fit torch count as not installed: transformers brings pictures to size
    with Pillow here and needs nothing of it, but imports it where it is, and stops."""
    if "torchvision" in sys.modules or find_spec("torchvision") is None:
        return
    try:
        import_module("torchvision")
    except (RuntimeError, ImportError, OSError) as reason:
        _MISFIT.append(reason)
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        sys.modules["torchvision"] = None  # type: ignore[assignment]


def check_torchvision() -> None:
    """InputError where torchvision is missing or of another build than torch; some libraries need it."""
    needed("torchvision")


def device_named(name: str) -> str:
    """The device, when torch finds it here; else InputError with those it finds."""
    torch = needed("torch")
    result = ["cpu"]
    if torch.cuda.is_available():
        result += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        result.append("mps")
    if name not in result:
        raise InputError(f"torch finds no device {name!r} here. There is: {', '.join(result)}.")
    return name


def guarded(load: Callable[[], Any], path: Path, what: str) -> Any:
    """What a library loads from a folder; what it stumbles over becomes an InputError about the folder."""
    with _quiet():
        made, reason = try_call(load)
    if reason is None:
        return made
    if isinstance(reason, (InputError, MemoryError)):
        raise reason
    deeper = _torchvision_in(reason)
    if deeper is not None:
        raise _different_builds("torchvision", deeper) from reason
    raise InputError(
        f"{path} cannot be used as {what}: {_line(reason)}. Check that its files are complete and belong "
        "together; the guide “Make systems from images and captions” lists which are needed."
    ) from reason


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bars and reports of transformers: what is wrong with weights is said by `check_loaded`."""
    library: Any = sys.modules.get("transformers")
    if library is None:
        yield
        return
    logger, bars = logging.getLogger("transformers"), library.utils.logging
    level, shows_bars = logger.level, bars.is_progress_bar_enabled()
    logger.setLevel(logging.CRITICAL + 1)
    bars.disable_progress_bar()
    try:
        yield
    finally:
        logger.setLevel(level)
        if shows_bars:
            bars.enable_progress_bar()


def _torchvision_in(reason: BaseException) -> BaseException | None:
    """What torchvision raised, where that is behind it: transformers imports it when it is installed."""
    below: BaseException | None = reason
    while below is not None:
        if "torchvision::" in str(below):
            return below
        below = below.__cause__ or below.__context__
    return None


def versions_of(*names: str) -> Mapping[str, str]:
    """Versions of packages, those that are installed."""
    result = {}
    for name in names:
        try:
            result[name] = version(name)
        except PackageNotFoundError:
            continue
    return MappingProxyType(result)


def _different_builds(name: str, reason: BaseException) -> InputError:
    """torch and torchvision that do not fit each other: the usual reason for a RuntimeError at import."""
    versions = versions_of("torch", "torchvision")
    both = " and ".join(f"{package} {number}" for package, number in versions.items())
    return InputError(
        f"The package {name} cannot be imported: {_line(reason)}. {both} are of different builds (one for "
        "CPU, one for CUDA, or of other versions). Install both with one command from the same index, such "
        "as: pip install --force-reinstall torch torchvision"
    )


def _line(reason: BaseException) -> str:
    """What was raised, on one line."""
    return " ".join(str(reason).split())[:300].rstrip(".") or type(reason).__name__


WHOLE, SHARDED = "model.safetensors", "model.safetensors.index.json"
"""The weights of a network of transformers, in one file or in several that an index names."""
TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
_SHOWN = 3
MAX_LAYERS = 1_000
_LAYERS = re.compile(r"depth|layers?$|layers_|blocks$")
_HEAD = re.compile(
    "(?:text_|visual_|pre_)?(?:cls|head|classif|predict|project|pooler|decoder|generator|discriminator|logit|score"
    "|output|lm_|mlm|nsp|sop|qa_|vocab_|seq_|mask|fc|linear|dropout)"
)
"""Parts of a published model beside its encoder, by how their names begin: vectors do not need them."""
_MADE = (
    "position_ids",
    "token_type_ids",
    "inv_freq",
    "masked_bias",
    "num_batches_tracked",
    "relative_position_index",
)
"""Ends of names of tensors that a network makes itself; older files hold them too."""


def check_weights(folder: ModelFolder) -> None:
    """InputError when the weights in a folder are missing, cut short or more than numbers."""
    if SHARDED not in folder.files:
        weights_of(folder, WHOLE)
    check_shards(folder)
    check_depth(folder.json("config.json"), folder.path / "config.json")


def check_depth(config: Any, path: Path, key: str = "") -> None:
    """InputError when settings ask for more than ``MAX_LAYERS`` layers: making them would never end."""
    if isinstance(config, dict):
        for name, value in config.items():
            check_depth(value, path, str(name))
    elif isinstance(config, list):
        for value in config if _LAYERS.search(key) else ():
            check_depth(value, path, key)
    elif isinstance(config, (int, float)) and config > MAX_LAYERS and _LAYERS.search(key):
        raise InputError(
            f"{path} asks for a {key} of {truncate(config)}; at most {MAX_LAYERS:,} layers are made. Copy "
            "the file again from where the model is published."
        )


def check_shards(folder: ModelFolder) -> None:
    """InputError when an index of weights names anything but files of numbers that lie beside it."""
    for index in folder.files:
        where, _, name = index.rpartition("/")
        if name != SHARDED:
            continue
        files = folder.json(index).get("weight_map")
        if not isinstance(files, dict) or not files:
            raise InputError(
                f"{folder.path / index} has no weight_map that names the files of the weights. Copy it again."
            )
        for part in dict.fromkeys(map(str, files.values())):
            beside = f"{where}/{part}".lstrip("/")
            is_safe = part.endswith(SAFE) and "/" not in part
            if is_safe and beside in folder.files:
                continue
            if part.endswith(PICKLES):
                raise pickled(folder.path / part)
            why = "is not there" if is_safe else f"is no {SAFE} file beside it"
            raise InputError(
                f"{folder.path / index} names {truncate(part)!r} for some of the weights, which {why}. Copy "
                "all files of the weights and their index from one place."
            )


def check_loaded(network: Any, info: dict[str, Any], path: Path, *, pooler: bool) -> None:
    """InputError when a network of transformers did not get all of its weights, or got those of another.

    What transformers calls missing would be random numbers. A pooler that nobody asks for may be missing; the
    heads of a published model may be left over, as they stand outside of the network, and so may what a
    network makes itself.

    Parameters
    ----------
    network, info : as ``from_pretrained(..., output_loading_info=True)`` gives them.
    path : the folder, for the message.
    pooler : whether the vectors come out of the pooler.
    """
    own_parts, prefix = {name for name, _ in network.named_children()}, f"{network.base_model_prefix}."
    lacking = [
        name
        for name in sorted(info["missing_keys"])
        if not name.endswith(_MADE) and (pooler or "pooler" not in name.split("."))
    ]
    over = []
    for name in sorted(info["unexpected_keys"]):
        inside = name.removeprefix(prefix)
        is_head = inside.partition(".")[0] not in own_parts and _HEAD.match(inside)
        if not name.endswith(_MADE) and not is_head:
            over.append(name)
    wrong = sorted(
        f"{name} is {tuple(here)}, not {tuple(own)}" for name, here, own in info.get("mismatched_keys", ())
    )
    _refuse(path, ("lack", lacking), ("have beyond the model", over), ("have other shapes:", wrong))


def check_tokenizer(folder: ModelFolder) -> None:
    """InputError when a folder has no tokenizer."""
    if not any(name.rpartition("/")[2] in TOKENIZERS for name in folder.files):
        raise InputError(
            f"{folder.path} has no tokenizer, so captions cannot be read. Put tokenizer.json (or vocab.txt), "
            "tokenizer_config.json and special_tokens_map.json of the model beside its weights."
        )


def tensors(path: Path) -> dict[str, Any]:
    """The tensors of a file by name."""
    load: Any = needed("safetensors.torch").load_file
    return dict(guarded(lambda: load(path), path, "weights"))


def filled(network: Any, weights: dict[str, Any], path: Path, *, spare: tuple[str, ...] = ()) -> Any:
    """The network with these weights; InputError when they are not its own.

    spare: beginnings of names that may be left over (the classifier of a model that only encodes).
    """
    own = {name: tuple(one.shape) for name, one in network.state_dict().items()}
    used = {name: weight for name, weight in weights.items() if name in own}
    over = [name for name in weights if name not in own and not name.startswith(spare)]
    lacking = [name for name in own if name not in used and not name.endswith("num_batches_tracked")]
    wrong = [
        f"{name} is {tuple(one.shape)}, not {own[name]}"
        for name, one in used.items()
        if tuple(one.shape) != own[name]
    ]
    _refuse(path, ("lack", lacking), ("have beyond the model", over), ("have other shapes:", wrong))
    network.load_state_dict(used, strict=False)
    return network


def _refuse(path: Path, *faults: tuple[str, Sequence[str]]) -> None:
    """InputError with the first of these faults that any names of tensors have."""
    for fault, names in faults:
        if names:
            listed = ", ".join(names[:_SHOWN]) + (
                f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else ""
            )
            raise InputError(
                f"The weights in {path} {fault} {listed}. They belong to another model than "
                "config.json says; copy both from one place."
            )


# One vector out of the vectors of all words of a text, or of all places of an image.

POOLINGS = ("cls", "last", "mean", "max", "pooler")


def rows_of(tensor: Any) -> npt.NDArray[Any]:
    """A tensor of any device and precision as rows."""
    rows: npt.NDArray[Any] = tensor.float().cpu().numpy()
    return rows


def pooled(result: Any, mask: Any, how: str) -> Any:
    """The vectors of a batch, shape (n, width).

    Parameters
    ----------
    found : what a model of transformers gives: ``last_hidden_state`` (n, tokens, width), ``pooler_output``.
    mask : 1 for words, 0 for filling, shape (n, tokens); None where nothing is filled up.
    how : "cls" the first token, "last" the last word, "mean" or "max" over the words, "pooler" what the model
        was trained to say of the whole; InputError for any other, and for "last" where nothing is filled up.
    """
    if how not in POOLINGS or (how == "last" and mask is None):
        raise InputError(f"There is no pooling called {how}. Choose one of {', '.join(POOLINGS)}.")
    hidden = result.last_hidden_state
    if how == "pooler":
        if getattr(result, "pooler_output", None) is None:
            raise InputError("This model has no pooler. Choose --pooling cls or mean.")
        return result.pooler_output
    if how == "cls":
        return hidden[:, 0]
    if mask is None:
        return hidden.mean(dim=1) if how == "mean" else hidden.amax(dim=1)
    if how == "last":
        places = mask.cumsum(dim=1).argmax(dim=1)
        return hidden[range(len(hidden)), places]
    words = mask.unsqueeze(-1).to(hidden.dtype)
    if how == "mean":
        return (hidden * words).sum(dim=1) / words.sum(dim=1).clamp(min=1e-9)
    return hidden.masked_fill(words == 0, float("-inf")).amax(dim=1)
