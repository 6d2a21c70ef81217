"""The value of every query in a file, so that a later run can be compared with it, paired by query.

Beside the values it holds what they depend on: digests of the study's parts, the settings, and over which
queries and candidates the systems were compared. Runs and pictures are no part of that: they may change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import JUDGED, by_judgments, parse_relevance
from evalcore.study.tables.lines import content_of
from evalcore.study.tables.problems import Problems, report_unreadable, truncate, try_call
from evalcore.values.arrays import Floats, digest_of, readonly
from evalcore.values.errors import InputError
from evalcore.values.model import Scores, Study
from evalcore.values.plugins import used_in

FORMAT, VERSION = "cuiscope scores by query", 1
_REMEDY = "Write it again: score STUDY --per-query FILE.json."


class SavedScores(NamedTuple):
    """What such a file holds.

    basis: digests of what the values depend on, by what it is called. settings: those that decide values.
    over: "queries" (see `Which`), "n_queries", "n_candidates" and a "digest" of both. queries: ids, in the
    order of the values. values: by system and metric, shape (queries,), NaN where a query has no value.
    """

    file: str
    study: str
    basis: Mapping[str, str]
    settings: Mapping[str, Any]
    over: Mapping[str, Any]
    queries: tuple[str, ...]
    values: Mapping[tuple[str, str], Floats]

    @property
    def systems(self) -> tuple[str, ...]:
        """Each once, in the order of the file."""
        return tuple(dict.fromkeys(system for system, _ in self.values))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Each once, in the order of the file."""
        return tuple(dict.fromkeys(metric for _, metric in self.values))


def basis_of(study: Study, metrics: Sequence[str]) -> dict[str, str]:
    """Digests of what values under these metrics depend on beside the systems, by what it is called."""
    digests = {
        "concepts": study.concepts.digest,
        "labels": "" if study.labels is None else study.labels.digest,
        "graph": "" if study.neighbour_source is None else study.neighbour_source.digest,
        "kinds of concepts": "" if study.kinds is None else study.kinds.digest,
        "groups": "" if study.groups is None else study.groups.digest,
        "vectors of concepts": digest_of(
            *(f"{name}:{of.digest}" for name, of in sorted(study.concept_vectors.items()))
        ),
    }
    digests |= {f"{plugin.kind} {plugin.name} of a plugin": plugin.digest for plugin in used_in(metrics)}
    relevances = [metric.relevance for metric in map(parse_metric, metrics) if metric.relevance]
    for name in relevances:
        system = None if name == JUDGED else parse_relevance(name).system
        if by_judgments(name):
            of = study.judged_by(name)
            digests["judgments" if name == JUDGED else name] = "" if of is None else of.digest
        elif system is not None:
            digests[f"vectors of {system}"] = study.embeddings[system].digest
    return digests


def deciding(study: Study, scores: Sequence[Scores], unknown: str) -> dict[str, Any]:
    """The settings that decide values, by name; not those of intervals alone."""
    settings = scores[0].settings.as_dict()
    del settings["interval"]
    kept = "drop" if study.groups is None or study.groups.left_out else "keep"
    return settings | {"unknown": unknown, "same_group": kept, "where": list(study.where)}


def over_of(study: Study) -> dict[str, Any]:
    """What the systems of a limited study are compared over."""
    assert study.over is not None, "limiting a study decides"
    return {
        "queries": study.over.which,
        "n_queries": len(study.queries),
        "n_candidates": len(study.candidates),
        "digest": digest_of(
            [study.image_ids[q] for q in study.queries], [study.image_ids[c] for c in study.candidates]
        ),
    }


def saved_text(study: Study, scores: Sequence[Scores], *, unknown: str) -> str:
    """The content of such a file.

    ``study``: limited to what the scores were compared over. ``unknown``: what became of ids in runs that are
    in no concept set.
    """
    document = {
        "format": FORMAT,
        "version": VERSION,
        "study": study.name,
        "basis": basis_of(study, [score.metric for score in scores]),
        "settings": deciding(study, scores, unknown),
        "compared_over": over_of(study),
        "queries": [study.image_ids[q] for q in scores[0].queries],
        "scores": [
            {
                "system": score.system,
                "metric": score.metric,
                "values": [None if np.isnan(value) else value for value in score.values.tolist()],
            }
            for score in scores
        ],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def read_saved(path: Path) -> SavedScores:
    """Read such a file.

    Raises
    ------
    InputError
        It cannot be read, or is none; with every problem of it.
    """
    name = str(path)
    problems = Problems(name)
    data = content_of(path, name)
    # Whole numbers as floats: one of 5,000 digits is infinite, and refused as a value, not as a file.
    document, reason = try_call(lambda: json.loads(data, parse_int=float))
    if isinstance(reason, json.JSONDecodeError):
        problems.error("bad-json", f"The file is not JSON: {reason.msg}.", _REMEDY, line=reason.lineno)
    elif reason is not None:
        report_unreadable(problems, reason)
    else:
        saved = _checked(document, name, problems)
        if saved is not None and not problems.n_errors:
            return saved
    raise InputError(f"{name} contains no scores by query to compare with.", problems.report())


def _checked(document: Any, name: str, problems: Problems) -> SavedScores | None:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        message = "The file does not contain the value of every query."
        if isinstance(document, dict) and "scores" in document:
            message += " It is what --json prints: means, which cannot be paired by query."
        problems.error("other-format", message, _REMEDY, line=1)
        return None
    if document.get("version") != VERSION:
        version = truncate(document.get("version"))
        problems.error("other-version", f"The file has version {version}, not {VERSION}.", _REMEDY, line=1)
        return None
    for key, kind in (("study", str), ("basis", dict), ("settings", dict), ("compared_over", dict)):
        if not isinstance(document.get(key), kind):
            problems.error("wrong-structure", f"{key!r} is missing or of another kind.", _REMEDY, value=key)
    queries, rows = document.get("queries"), document.get("scores")
    if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
        problems.error("wrong-structure", "'queries' is not a list of image ids.", _REMEDY)
        queries = []
    if len(set(queries)) != len(queries):
        problems.error("duplicate-id", "'queries' names an image twice.", _REMEDY)
    if not isinstance(rows, list) or not rows:
        problems.error("wrong-structure", "'scores' is not a list of systems under metrics.", _REMEDY)
        rows = []
    values: dict[tuple[str, str], Floats] = {}
    for place, row in enumerate(rows, 1):
        of = _row(row, len(queries))
        if of is None:
            message = f"Score {place:,} must be a system, a metric, and a number or null for every query."
            problems.error("wrong-structure", message, _REMEDY, value=place)
        elif of[0] in values:
            message = f"{of[0][0]} under {of[0][1]} is there twice."
            problems.error("duplicate-id", message, _REMEDY, value=of[0][0])
        else:
            values[of[0]] = of[1]
    if problems.n_errors:
        return None
    parts = (document[key] for key in ("basis", "settings", "compared_over"))
    basis, settings, over = (MappingProxyType(part) for part in parts)
    kept = MappingProxyType(values)
    return SavedScores(name, document["study"], basis, settings, over, tuple(queries), kept)


def _row(row: Any, n: int) -> tuple[tuple[str, str], Floats] | None:
    if not isinstance(row, dict):
        return None
    system, metric, values = (row.get(key) for key in ("system", "metric", "values"))
    if not (isinstance(system, str) and isinstance(metric, str) and isinstance(values, list)):
        return None
    if len(values) != n or not all(value is None or isinstance(value, float) for value in values):
        return None
    array = np.array([np.nan if value is None else value for value in values], float)
    if not np.isfinite(array[[value is not None for value in values]]).all():
        return None
    return (system, metric), readonly(array)
