"""What came out of a command or a page as values, ids, problems and words, and what differs from before."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import lzma
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.values.writing import words
from tests.net.spelling import KEYS

GOLDEN = Path(__file__).parent / "golden"
TOLERANCE = 1e-12
LONG = 200
"""A longer column of numbers is kept as its length, moments and a sample."""
SAMPLED = 24
IGNORED = words(
    """
    digest, content, path, seconds, seconds_per_1000, started, finished, at, id, generated, version,
    created, folder
    """
)
"""Keys whose values are names of caches, times or places of this run."""
IDS = words(
    """
    system, systems, metric, query, candidate, baseline, relevance, measure, a, b, cui, matched,
    slice, by, rule, severity, kind, from, to, image, side, reader, task, child, parent, neighbour,
    label, column, edition, run, name_of, team
    """
)
"""Keys of texts that are kept as they are for studies of real data too; others are digests there."""
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])|(?<![\w.])[-+]?\.\d+(?![\w.])")
DAY = re.compile(r"\b\d{1,2} [A-Z][a-z]+ 20\d\d\b|\b20\d\d-\d\d-\d\d\b")
PROBLEM = re.compile(r"^(?!Error|Usage|Try|http)(?P<file>[^\s:]+)(?::(?P<line>\d+))?: .")


@dataclass(frozen=True)
class Difference:
    """One place where a case differs. ``kind``: values, ids, problems, code or words (which never fail)."""

    case: str
    kind: str
    place: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.case}\n    {self.kind} {self.place}: {self.before} -> {self.after}"


def digest(text: str) -> str:
    return "#" + hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Leaves with their places; rows of a table share the place of their column."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            meaning = KEYS.get(str(key), str(key))
            if meaning not in IGNORED:
                yield from leaves(inner, f"{place}.{meaning}" if place else meaning)
    elif isinstance(value, list | tuple):
        yield f"{place}.n", len(value)
        for inner in value:
            yield from leaves(inner, f"{place}[]")
    else:
        yield place, value


def shortened(numbers: list[float | None]) -> Any:
    if len(numbers) <= LONG:
        return numbers
    values = np.array([math.nan if number is None else float(number) for number in numbers])
    known = values[np.isfinite(values)]
    weights = np.arange(1, len(values) + 1) / len(values)
    moments = [
        math.fsum(known),
        math.fsum(np.abs(known)),
        math.fsum(np.where(np.isfinite(values), values, 0) * weights),
    ]
    picked = [numbers[i] for i in np.linspace(0, len(numbers) - 1, SAMPLED).astype(int).tolist()]
    return {"n": len(values), "known": len(known), "moments": moments, "sample": picked}


def record_document(document: Any, *, real: bool) -> dict[str, Any]:
    """A JSON document, or rows of a file, by columns."""
    numbers: dict[str, list[float | None]] = {}
    texts: dict[str, list[str]] = {}
    words: list[str] = []
    for place, value in leaves(document, ""):
        if value is None or isinstance(value, bool | int | float):
            number = None if value is None or (isinstance(value, float) and math.isnan(value)) else value
            numbers.setdefault(place, []).append(float(number) if isinstance(number, bool) else number)
        else:
            key = place.split(".")[-1].replace("[]", "")
            if " " in value.strip() and key not in IDS:
                words.append(digest(value) if real else value)
            else:
                texts.setdefault(place, []).append(value if key in IDS or not real else digest(value))
    return {
        "values": {place: shortened(column) for place, column in numbers.items()},
        "ids": {
            place: column if len(column) <= 6 else [str(len(column)), digest("\n".join(column))]
            for place, column in texts.items()
        },
        "words": words if not real else [digest("\n".join(words))] * bool(words),
    }


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _cell(text: str) -> Any:
    number = _number(text)
    return None if text == "" else text if number is None else number


def _table(text: str) -> list[dict[str, Any]]:
    """The rows of a CSV; columns of one without a header are numbered."""
    rows = list(csv.reader(io.StringIO(text)))
    if any(rows[:1]) and all(_number(cell) is None for cell in rows[0]):
        head, *rows = rows
    else:
        head = [f"c{i}" for i in range(max(map(len, rows), default=0))]
    return [dict(zip(head, map(_cell, row), strict=False)) for row in rows]


def record_file(path: Path, *, real: bool) -> dict[str, Any]:
    """What a command wrote: tables by columns, vectors by columns, other texts by the numbers in them."""
    data = path.read_bytes()
    if path.suffix == ".npz":
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            columns = {f"{name}.npy": archive[name].ravel().tolist() for name in sorted(archive.files)}
        return record_document(columns, real=real)
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    if path.suffix == ".csv":
        return record_document({"rows": _table(text)}, real=real)
    if path.suffix == ".json":
        return record_document(json.loads(text), real=real)
    if path.suffix in (".trec", ".qrels"):
        rows = [dict(zip("abcdef", map(_cell, line.split()), strict=False)) for line in text.splitlines()]
        return record_document({"rows": rows}, real=real)
    if path.suffix == ".html":  # what a reader sees, not scripts and pictures
        text = re.sub(r"(?is)<(script|style|svg)\b.*?</\1>|<[^>]+>|data:[\w/+;=,]+", " ", text)
        text = DAY.sub(" ", text)
    numbers = [float(number.replace(",", "")) for number in NUMBER.findall(text)]
    if path.suffix == ".html":  # sections may move: which numbers there are, not where
        numbers = sorted(set(numbers))
    return record_document({"numbers": numbers}, real=real)


def record_problems(lines: Iterable[str], document: Any) -> list[list[Any]]:
    """Problems as file, line, rule and count, sorted."""
    counts = Counter[tuple[str, str, str]]()
    if isinstance(document, Mapping) and "problems" in document:
        for problem in document["problems"]:
            counts[*(str(problem.get(key)) for key in ("file", "line", "rule"))] += problem.get("count") or 1
    else:
        for match in filter(None, (PROBLEM.match(line.strip()) for line in lines)):
            counts[match["file"].split("/")[-1], str(match["line"]), ""] += 1
    return [[*key, n] for key, n in sorted(counts.items())]


def _close(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    if math.isinf(before) or math.isinf(after):
        return before == after
    return abs(before - after) <= TOLERANCE * max(1.0, abs(before))


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(_same(before[key], after[key]) for key in before)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_same, before, after))
    if isinstance(before, int | float | None) and isinstance(after, int | float | None):
        return _close(before, after)
    return bool(before == after)


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 160 else text[:157] + "..."


def differences(case: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """Where a record differs; a golden column that is gone differs, and a new one too.

    Golden facts of a page have to be anywhere on it; there may be others.
    """
    if before["code"] != after["code"]:
        yield Difference(case, "code", "", str(before["code"]), str(after["code"]))
    if not _same(before["problems"], after["problems"]):
        yield Difference(case, "problems", "", _brief(before["problems"]), _brief(after["problems"]))
    for kind in ("values", "ids"):
        old, new = before[kind], after[kind]
        for place in sorted({*old, *new}):
            if place not in old or place not in new or not _same(old[place], new[place]):
                yield Difference(
                    case, kind, place, _brief(old.get(place, "(none)")), _brief(new.get(place, "(none)"))
                )
    if before["words"] != after["words"]:
        yield Difference(case, "words", "", before["words"], after["words"])
    left = list(after.get("facts", ()))
    for fact in before.get("facts", ()):
        at = next((at for at, other in enumerate(left) if _same(fact, other)), None)
        if at is None:
            yield Difference(case, "facts", str(fact[0]), _brief(fact[1:]), "(gone)")
        else:
            left.pop(at)


def merged(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Records of the document and of the files of one case as one."""
    out: dict[str, Any] = {"values": {}, "ids": {}, "words": []}
    for name, part in parts.items():
        for kind in ("values", "ids"):
            out[kind] |= {f"{name}{place}": value for place, value in part[kind].items()}
        out["words"] += part["words"]
    out["words"] = digest("\n".join(out["words"]))
    return out


def golden_groups() -> list[str]:
    return sorted(path.name.removesuffix(".json.xz") for path in GOLDEN.glob("*.json.xz"))


def load(group: str) -> dict[str, Any]:
    """The golden records of a group by the names of their cases."""
    path = GOLDEN / f"{group}.json.xz"
    return json.loads(lzma.decompress(path.read_bytes())) if path.exists() else {}


def save(group: str, records: Mapping[str, Any]) -> None:
    text = json.dumps(dict(sorted(records.items())), separators=(",", ":"))
    GOLDEN.mkdir(exist_ok=True)
    (GOLDEN / f"{group}.json.xz").write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
