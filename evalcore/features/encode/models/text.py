"""Encoders of captions alone: BERT and its like in the files of transformers, and sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.encoder import Encoder
from evalcore.features.encode.models.dual import made_of, network_of
from evalcore.features.encode.models.packages import device_named, guarded, needed, versions_of
from evalcore.features.encode.models.pooling import pooled, rows_of
from evalcore.features.encode.models.weights import (
    check_loaded,
    check_shards,
    check_tokenizer,
    check_torch_files,
    check_weights,
)
from evalcore.features.encode.read.model_folder import content_digest
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.features.encode.read.model_folder import ModelFolder

LONGEST = 512
WITH_CLS = ("sapbert",)
"""Parts of names of models that were trained on the vector of their first token."""
_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding", "LayerNorm")
"""Parts of a sentence-transformers model that are the library's own."""


def text_encoder(folder: ModelFolder, *, device: str, pooling: str | None) -> Encoder:
    """A text model of transformers: the mean over words, the first token for SapBERT, or as asked for."""
    check_tokenizer(folder)
    check_weights(folder)
    torch, device, said = needed("torch"), device_named(device), folder.json("config.json")
    called = f"{folder.name} {said.get('_name_or_path', '')}".lower()
    how = pooling or ("cls" if any(one in called for one in WITH_CLS) else "mean")
    title = f"{folder.name} ({said['model_type']})"
    network = network_of(folder, title, pooler=how == "pooler").to(device).eval()
    tokenizer = made_of(folder, "AutoTokenizer", title)
    length = min(tokenizer.model_max_length, int(said.get("max_position_embeddings", LONGEST)), LONGEST)

    def encode(texts: Sequence[Any]) -> npt.NDArray[Any]:
        given = tokenizer(
            list(texts), padding="longest", truncation=True, max_length=length, return_tensors="pt"
        ).to(device)
        with torch.inference_mode():
            return rows_of(pooled(network(**given), given["attention_mask"], how))

    return Encoder(
        name=folder.name, title=title, what="captions", backend="transformers", encode=encode,
        digest=digest_of(content_digest(folder), "captions", how, length),
        pooling=f"{how} of at most {length} tokens", batch=32,
        versions=versions_of("torch", "transformers", "tokenizers"),
    )  # fmt: skip


def sentence_encoder(folder: ModelFolder, *, device: str) -> Encoder:
    """A model of sentence-transformers, pooled as its own modules say."""
    how = _pooling(folder)
    check_shards(folder)
    check_torch_files(folder, folder.files)
    check_tokenizer(folder)
    library, device = needed("sentence_transformers"), device_named(device)
    title = f"{folder.name} (sentence-transformers)"
    model = guarded(
        lambda: library.SentenceTransformer(
            str(folder.path), device=device, local_files_only=True, trust_remote_code=False
        ),
        folder.path, title,
    )  # fmt: skip
    _check_modules(folder, model, title)

    def encode(texts: Sequence[Any]) -> npt.NDArray[Any]:
        rows: npt.NDArray[Any] = model.encode(
            list(texts), batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True
        )
        return rows

    return Encoder(
        name=folder.name, title=title, what="captions", backend="sentence-transformers", encode=encode,
        digest=digest_of(content_digest(folder), "captions", how), pooling=how,
        versions=versions_of("torch", "transformers", "sentence-transformers", "tokenizers"), batch=32,
    )  # fmt: skip


def _check_modules(folder: ModelFolder, model: Any, title: str) -> None:
    """InputError when a network within the model did not get its own weights: the library does not say so.

    Its other modules refuse weights that are not theirs.
    """
    for said, module in zip(folder.json_list("modules.json"), model, strict=False):
        network = getattr(module, "auto_model", None)
        if network is not None:
            where = folder.path / str(said.get("path", ""))
            again = partial(
                type(network).from_pretrained, where, local_files_only=True, output_loading_info=True,
                ignore_mismatched_sizes=True,
            )  # fmt: skip
            _, info = guarded(again, folder.path, title)
            check_loaded(network, info, where, pooler=False)


def _pooling(folder: ModelFolder) -> str:
    """How the modules of a folder make one vector; InputError for modules of somebody else's code."""
    path = folder.path / "modules.json"
    modules = folder.json_list("modules.json")
    kinds = [str(one.get("type", "")) for one in modules]
    for kind in kinds:
        if not kind.startswith("sentence_transformers.") or kind.rpartition(".")[2] not in _MODULES:
            raise InputError(
                f"{path} names the module {kind!r}, which is not one of {', '.join(_MODULES)} of "
                "sentence-transformers. Code of a model's own is never run here; encode the captions where "
                "you trust it, and add the vectors as a system."
            )
    if any(kind.endswith("StaticEmbedding") for kind in kinds):
        return "mean of static word vectors"
    for one in modules:
        at = f"{one.get('path', '')}/config.json".lstrip("/")
        if str(one.get("type", "")).endswith("Pooling") and folder.has(at):
            said = folder.json(at)
            modes = [
                key.removeprefix("pooling_mode_") for key, on in said.items() if on is True and "mode_" in key
            ]
            listed = said.get("pooling_mode") or "+".join(modes)
            return str("+".join(listed) if isinstance(listed, list) else listed) or "as its modules say"
    return "as its modules say"
