"""Runs scored as page and commands do, from texts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.scoring import Files, Scored, Source, score_captions, score_concepts
from evalcore.features.imageclef.submissions import read_submission, read_truth
from evalcore.values.errors import Report

NOTHING: Mapping[str, Any] = MappingProxyType({})


def files(truth: bytes, runs: Mapping[str, bytes], **beside: bytes) -> Files:
    """Truth, runs, and files of the first run or of all runs by their role."""
    first = next(iter(runs))
    parts = {
        (role, first if role in ("scores", "run_concepts") else ""): Source(f"{role}.x", data, repr(data))
        for role, data in beside.items()
    }
    sources = tuple(Source(name, data, name) for name, data in runs.items())
    return Files(Source("truth.csv", truth, repr(truth)), sources, parts)


def captions(
    edition: str, truth: bytes, runs: Mapping[str, bytes], values: Any = NOTHING, **beside: bytes
) -> Scored:
    """Caption prediction; ``values`` of models: {run: {metric: values}}."""
    rules = edition_of("captions", edition)
    return score_captions(files(truth, runs, **beside), edition=rules, models=lambda _truth, _runs: values)


def concepts(edition: str, truth: str, run: str, *, manual: str = "", name: str = "DET.csv") -> Any:
    """The result of a run of concept detection."""
    beside = {"manual": manual.encode()} if manual else {}
    brought = files(truth.encode(), {name: run.encode()}, **beside)
    return score_concepts(brought, edition=edition_of("concepts", edition)).results[0]


def checked(
    task: Any, edition: str, truth: str, run: str | bytes, *, name: str = ""
) -> tuple[dict[str, Any], Report]:
    """What is read of a run, and its problems."""
    rules = edition_of(task, edition)
    data = run if isinstance(run, bytes) else run.encode()
    true = read_truth(truth.encode(), file="truth", edition=rules)
    return read_submission(data, name=name or f"{rules.prefix}run.csv", truth=true, edition=rules)


def table(rows: Mapping[str, str | None], cell: str, header: str = "") -> str:
    """A file, a row for each image, None for a row without second cell."""
    lines = (f"{image}{'' if value is None else cell + value}\n" for image, value in rows.items())
    return header + "".join(lines)
