"""Runs scored as page and commands do, from texts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.scoring import Files, Scored, Source, score_captions, score_concepts


def files(truth: bytes, runs: Mapping[str, bytes], **beside: bytes) -> Files:
    """Truth, runs, and files of the first run or of all runs by their part."""
    first = next(iter(runs))
    own = {"scores", "caption_embeddings", "run_concepts"}
    parts = {
        (part, first if part in own else ""): Source(f"{part}.x", data, str(hash(data)))
        for part, data in beside.items()
    }
    sources = tuple(Source(name, data, name) for name, data in runs.items())
    return Files(Source("truth.csv", truth, str(hash(truth))), sources, parts)


def captions(
    edition: str,
    truth: bytes,
    runs: Mapping[str, bytes],
    *,
    from_models: Mapping[str, Any] = MappingProxyType({}),
    nltk: Any = "nltk322",
    **beside: bytes,
) -> Scored:
    """Caption prediction."""
    rules = edition_of("captions", edition)
    return score_captions(files(truth, runs, **beside), edition=rules, from_models=from_models, nltk=nltk)


def concepts(
    edition: str, truth: bytes, runs: Mapping[str, bytes], *, manual: bytes = b"", **more: Any
) -> Scored:
    """Concept detection."""
    beside = {"manual": manual} if manual else {}
    return score_concepts(files(truth, runs, **beside), edition=edition_of("concepts", edition), **more)
