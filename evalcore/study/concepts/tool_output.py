"""What MedCAT or QuickUMLS found in captions, read from the JSON of either tool.

{"img_1": {"entities": {"0": {"cui": "C0817096", "pretty_name": "Chest", "start": 0, "end": 5, "acc": 0.99,
                              "meta_anns": {"Negation": {"value": "No", "confidence": 1.0}}}}}}
{"img_1": [[{"start": 0, "end": 5, "ngram": "Chest", "term": "chest", "cui": "C0817096", "similarity": 1.0,
             "semtypes": ["T029"], "preferred": 1}]]}

The first is what MedCAT's ``get_entities`` gives for each image (``dict(cat.get_entities_multi_texts(...))``
of pairs of id and caption), the second QuickUMLS's ``matcher.match``. Both may also be pairs of id and
result, or JSON lines of either.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalcore.study.tables.files import decode_whole, unpack, within_memory_limit
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.problems import Problems, is_whole, reader, truncate

MEDCAT, QUICKUMLS = "medcat", "quickumls"
_PARSED = 8
"""What the parsed text takes in memory for each of its characters, at most."""
_CONCEPT = re.compile(r"[^\s,;|]+")
_NAMES = ("pretty_name", "term", "detected_name")
"""Where the name of a concept stands, the best first."""
_FORM = (
    "Save {\"image\": result} with the whole result of MedCAT's get_entities or QuickUMLS's match of its "
    "caption, as JSON or JSON lines."
)
_SAME = "Give the tool the captions as they are in the file of captions, and save its results unchanged."


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """A concept that a tool found in a caption.

    ``start``, ``end``: characters of the caption, from 0. ``status``: what the tool says about it, such as
    {"Negation": "Yes"}; ``score``: how sure it is, 0 to 1, None where it does not say; ``preferred``: whether
    the name is the first of its concept.
    """

    start: int
    end: int
    concept: str
    name: str
    score: float | None = None
    preferred: bool = False
    status: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The matches of each image of a file, in its order; ``tool`` is "" where nothing can be read."""

    tool: str
    matches: Mapping[str, tuple[ToolMatch, ...]]


_NOTHING = ToolOutput("", {})


@reader(lambda _: _NOTHING)
def parse_tool_output(data: bytes, problems: Problems, *, captions: Mapping[str, str | None]) -> ToolOutput:
    """What a tool found in these captions, {image: caption}.

    Images without a caption, places outside it, and values of another type are errors, all of them listed and
    each left out; captions the file says nothing of are a warning with their count.
    """
    plain = unpack(data, problems)
    text = None if plain is None else decode_whole(plain, problems)
    if text is None or not within_memory_limit(problems, len(text), _PARSED):
        return _NOTHING
    tool = ""
    matches: dict[str, tuple[ToolMatch, ...]] = {}
    unknown: list[tuple[str, int | None]] = []
    elsewhere: list[str] = []
    for line, document in _documents(text, problems):
        for image, result in _results(document, problems, line):
            kind, entities = _entities(result)
            if image not in captions:
                unknown.append((image, line))
            elif image in matches:
                message = f"The image {truncate(image)!r} is listed twice; the first result is kept."
                problems.error("duplicate-id", message, "Keep one.", line=line, value=image)
            elif entities is None or tool not in ("", kind):
                whose = tool or "MedCAT or QuickUMLS"
                message = f"The value of {truncate(image)!r} is not a result of {whose}; it is left out."
                problems.error("wrong-value", message, _FORM, line=line, value=image)
            else:
                tool, caption = kind, captions[image] or ""
                given = (_match(image, key, entity, caption, line, problems) for key, entity in entities)
                good = [match for match in given if match is not None]
                matches[image] = tuple(match for match, _ in good)
                elsewhere += [image for _, in_place in good if not in_place]
    remedy = (
        explain_id_mismatch([image for image, _ in unknown], list(captions))
        or "Name results by the ids of the captions."
    )
    for image, line in unknown:
        message = f"There is no caption of {truncate(image)!r}; its result is left out."
        problems.error("unknown-id", message, remedy, line=line, value=image)
    message = "{n} terms are not in the captions where the file says they are; it belongs to other captions."
    problems.add_summary("other-text", elsewhere, message, _SAME)
    silent = [image for image, caption in captions.items() if caption and image not in matches]
    message = "{n} captions are not in the file, so they have no concepts."
    problems.add_summary("no-result", silent if matches else 0, message, "")
    if not matches and not problems.n_errors:
        problems.error("no-results", "The file contains no result for any image.", _FORM)
    return ToolOutput(tool, matches)


def _documents(text: str, problems: Problems) -> Iterator[tuple[int | None, Any]]:
    """(its line, None where there is only one) of each JSON value: the whole file, else every line."""
    try:
        yield None, _json(text)
        return
    except json.JSONDecodeError as reason:
        if reason.msg != "Extra data":
            _report_json(problems, reason.msg, reason.lineno)
            return
    except (ValueError, RecursionError) as reason:
        _report_json(problems, reason, None)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            if line.strip():
                yield number, _json(line)
        except (ValueError, RecursionError) as reason:
            _report_json(problems, getattr(reason, "msg", reason), number)


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    of = dict(pairs)
    if len(of) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {truncate(twice)!r} occurs twice in one object")
    return of


def _report_json(problems: Problems, reason: object, line: int | None) -> None:
    what = "it is nested too deeply" if isinstance(reason, RecursionError) else truncate(reason)
    problems.error("bad-json", f"The file cannot be read as JSON: {what}.", _FORM, line=line)


def _results(document: Any, problems: Problems, line: int | None) -> Iterator[tuple[str, Any]]:
    """(image, result of its caption) of each image in a JSON value; an error for any other value."""
    if isinstance(document, dict) and "entities" not in document:
        yield from document.items()
    elif _is_pair(document):
        yield document[0], document[1]
    elif isinstance(document, list) and document and all(map(_is_pair, document)):
        yield from ((image, result) for image, result in document)
    else:
        message = "The results do not name their image."
        problems.error("no-ids", message, _FORM, line=line)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _entities(result: Any) -> tuple[str, list[tuple[str, Any]] | None]:
    """The tool whose result it is, and its matches by their key; None where it is no result."""
    if isinstance(result, list):
        groups = enumerate(group if isinstance(group, list) else [group] for group in result)
        return QUICKUMLS, [(f"{at}.{i}", match) for at, group in groups for i, match in enumerate(group)]
    entities = result.get("entities") if isinstance(result, dict) else None
    if isinstance(entities, list):
        entities = {str(at): entity for at, entity in enumerate(entities)}
    return MEDCAT, list(entities.items()) if isinstance(entities, dict) else None


def _match(
    image: str, key: str, entity: Any, caption: str, line: int | None, problems: Problems
) -> tuple[ToolMatch, bool] | None:
    """A match, and whether its term is in the caption at its place; None, with every error, for no match."""
    if not isinstance(entity, dict):
        entity = {"cui": entity}
    concept, start, end = (entity.get(name) for name in ("cui", "start", "end"))
    scores = (entity.get(name) for name in ("similarity", "context_similarity", "acc"))
    score = next((value for value in scores if value is not None), None)
    meta = entity.get("meta_anns") or {}
    status: dict[str, Any] | None = None
    if isinstance(meta, dict):
        status = {n: part.get("value") if isinstance(part, dict) else part for n, part in meta.items()}
    is_concept = isinstance(concept, str) and _CONCEPT.fullmatch(concept) and is_whole(concept)
    is_place = type(start) is int and type(end) is int and 0 <= start < end <= len(caption)
    is_score = score is None or (type(score) in (int, float) and -1e9 < score < 1e9)
    is_status = status is not None and all(isinstance(value, str) for value in status.values())
    rules = (
        (is_concept, f"its cui {truncate(concept)!r} is no id"),
        (is_place, f"{truncate(start)} to {truncate(end)} is no part of its {len(caption):,} characters"),
        (is_score, f"its score {truncate(score)} is no finite number"),
        (is_status, f"its meta_anns {truncate(meta)} are not names with values"),
    )
    wrong = [what for holds, what in rules if not holds]
    for what in wrong:
        message = f"{truncate(image)!r}, match {truncate(key)}: {what}; it is left out."
        problems.error("wrong-value", message, _SAME, line=line, value=image)
    if wrong:
        return None
    term = next((entity[name] for name in ("source_value", "ngram") if name in entity), None)
    in_place = not isinstance(term, str) or _plain(term) == _plain(caption[start:end])
    name = next((entity[name] for name in _NAMES if name in entity), "")
    name = " ".join(name.split()) if isinstance(name, str) and is_whole(name) else ""
    sure = None if score is None else float(score)
    preferred = entity.get("preferred") == 1
    return ToolMatch(start, end, str(concept), name, sure, preferred, status or {}), in_place


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()
