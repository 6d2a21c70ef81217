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
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from evalcore.features.annotate.terms import Span
from evalcore.study.tables.files import decode_whole, unpack, within_memory_limit
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.problems import Problems, is_whole, reader, truncate

MEDCAT, QUICKUMLS = "medcat", "quickumls"
_PARSED = 8
"""What the parsed text takes in memory for each of its characters, at most."""
_CONCEPT = re.compile(r"[^\s,;|]+")
_FORM = (
    "Save {\"image\": result} with the whole result of MedCAT's get_entities or QuickUMLS's match of its "
    "caption, as JSON or JSON lines."
)
_SAME = "Give the tool the captions as they are in the file of captions, and save its results unchanged."


_STATES = _NEGATED, _UNCERTAIN = "negated", "uncertain"
_MEANS: Mapping[str, Mapping[str, str]] = {
    "negation": dict.fromkeys(("yes", "true", "negated", "negative"), _NEGATED),
    "presence": {
        **dict.fromkeys(("false", "no", "not present", "not present (false)"), _NEGATED),
        **dict.fromkeys(("hypothetical", "hypothetical (n/a)", "n/a"), _UNCERTAIN),
    },
    "status": {"other": _UNCERTAIN, "negated": _NEGATED, "hypothetical": _UNCERTAIN},
    "certainty": dict.fromkeys(("suspected", "uncertain", "possible"), _UNCERTAIN),
    "time": dict.fromkeys(("past", "future"), _UNCERTAIN),
    "subject": dict.fromkeys(("other", "relative", "family"), _NEGATED),
}
"""Names and values of the meta annotations of published MedCAT packs, and what they make of a term."""
_ALSO = {"temporality": "time", "experiencer": "subject", "diagnosis certainty": "certainty"}


class _Match(NamedTuple):
    """A concept that a tool found in a caption, at these characters.

    ``status``: what the tool says about it, such as {"Negation": "Yes"}; ``score``: how sure it is;
    ``preferred``: whether the name is the first of its concept.
    """

    start: int
    end: int
    concept: str
    name: str
    score: float
    preferred: bool
    status: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The terms of each image of a file, in its order; ``tool`` is "" where nothing can be read."""

    tool: str
    spans: Mapping[str, tuple[Span, ...]]


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
    spans: dict[str, tuple[Span, ...]] = {}
    unknown: list[tuple[str, int | None]] = []
    elsewhere: list[str] = []
    for line, image, result in _results(text, problems):
        kind, entities = _entities(result)
        if image not in captions:
            unknown.append((image, line))
        elif image in spans:
            message = f"The image {truncate(image)!r} is listed twice; the first result is kept."
            problems.error("duplicate-id", message, "Keep one.", line=line, value=image)
        elif entities is None or tool not in ("", kind):
            whose = tool or "MedCAT or QuickUMLS"
            message = f"The value of {truncate(image)!r} is not a result of {whose}; it is left out."
            problems.error("wrong-value", message, _FORM, line=line, value=image)
        else:
            tool, caption = kind, captions[image] or ""
            matches = (_match(image, key, entity, caption, line, problems) for key, entity in entities)
            good = [match for match in matches if match is not None]
            spans[image] = tuple(_spans(match for match, _ in good))
            elsewhere += [image for _, in_place in good if not in_place]
    own = explain_id_mismatch([image for image, _ in unknown], list(captions))
    for image, line in unknown:
        message = f"There is no caption of {truncate(image)!r}; its result is left out."
        remedy = own or "Name results by the ids of the captions."
        problems.error("unknown-id", message, remedy, line=line, value=image)
    message = "{n} terms are not in the captions where the file says they are; it belongs to other captions."
    problems.add_summary("other-text", elsewhere, message, _SAME)
    silent = [image for image, caption in captions.items() if caption and image not in spans]
    message = "{n} captions are not in the file, so they have no concepts."
    problems.add_summary("no-result", silent if spans else 0, message, "")
    if not spans and not problems.n_errors:
        problems.error("no-results", "The file contains no result for any image.", _FORM)
    return ToolOutput(tool, spans)


def _results(text: str, problems: Problems) -> Iterator[tuple[int | None, str, Any]]:
    """(line, image, result of its caption) of each image in a file of JSON, or of JSON lines."""
    lines = text.split("\n")
    parts = enumerate(lines, start=1) if text.strip().count("\n") and _is_json(lines[0]) else [(None, text)]
    for line, part in parts:
        if line and not part.strip():
            continue
        try:
            document = json.loads(part, object_pairs_hook=_once)
        except (ValueError, RecursionError) as reason:
            what = "it is nested too deeply" if isinstance(reason, RecursionError) else truncate(reason)
            message = f"The file cannot be read as JSON: {getattr(reason, 'msg', what)}."
            problems.error("bad-json", message, _FORM, line=line or getattr(reason, "lineno", None))
            continue
        if isinstance(document, dict) and "entities" not in document:
            pairs = list(document.items())
        else:
            pairs = [document] if _is_pair(document) else document
        if isinstance(pairs, list) and all(map(_is_pair, pairs)):
            yield from ((line, image, result) for image, result in pairs)
        else:
            problems.error("no-ids", "The results do not name their image.", _FORM, line=line)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
    if twice:
        raise ValueError(f"the key {truncate(twice[0])!r} occurs twice in one object")
    return dict(pairs)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)


def _entities(result: Any) -> tuple[str, list[tuple[str, Any]] | None]:
    """The tool whose result it is, and its matches by their key; None where it is no result."""
    if isinstance(result, list):
        groups = enumerate(group if isinstance(group, list) else [group] for group in result)
        return QUICKUMLS, [(f"{at}.{i}", match) for at, group in groups for i, match in enumerate(group)]
    entities = result.get("entities") if isinstance(result, dict) else None
    if isinstance(entities, list):
        entities = {str(at): entity for at, entity in enumerate(entities)}
    return MEDCAT, list(entities.items()) if isinstance(entities, dict) else None


def _first(entity: Mapping[str, Any], *names: str) -> Any:
    """The first of these values that is there, else None."""
    return next((value for name in names if (value := entity.get(name)) is not None), None)


def _match(
    image: str, key: str, entity: Any, caption: str, line: int | None, problems: Problems
) -> tuple[_Match, bool] | None:
    """A match, and whether its term is in the caption at its place; None, with every error, for no match."""
    if not isinstance(entity, dict):
        entity = {"cui": entity}
    concept, start, end = (entity.get(name) for name in ("cui", "start", "end"))
    score, meta = _first(entity, "similarity", "context_similarity", "acc"), entity.get("meta_anns") or {}
    status: dict[str, Any] = {
        name: part.get("value") if isinstance(part, dict) else part
        for name, part in (meta.items() if isinstance(meta, dict) else [("", None)])
    }
    is_place = type(start) is int and type(end) is int and 0 <= start < end <= len(caption)
    rules = {
        f"its cui {truncate(concept)!r} is no id": isinstance(concept, str)
        and _CONCEPT.fullmatch(concept) is not None
        and is_whole(concept),
        f"{truncate(start)} to {truncate(end)} is no part of its {len(caption):,} characters": is_place,
        f"its score {truncate(score)} is no finite number": score is None
        or (type(score) in (int, float) and -1e9 < score < 1e9),
        f"its meta_anns {truncate(meta)} are not names with values": all(
            isinstance(value, str) for value in status.values()
        ),
    }
    for what in (what for what, holds in rules.items() if not holds):
        message = f"{truncate(image)!r}, match {truncate(key)}: {what}; it is left out."
        problems.error("wrong-value", message, _SAME, line=line, value=image)
    if not all(rules.values()):
        return None
    term, name = (
        _first(entity, "source_value", "ngram"),
        _first(entity, "pretty_name", "term", "detected_name"),
    )
    in_place = not isinstance(term, str) or _plain(term) == _plain(caption[start:end])
    name = " ".join(name.split()) if isinstance(name, str) and is_whole(name) else ""
    return _Match(
        start, end, concept, name, float(score or 0), entity.get("preferred") == 1, status
    ), in_place


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


def _spans(matches: Iterable[_Match]) -> Iterator[Span]:
    """Matches of one text as terms, none over another: the one that begins first, then the longest.

    Of several concepts in one place those with the best score stay, of these the ones whose first name it is;
    what then are still several is ambiguous.
    """
    places: defaultdict[tuple[int, int], list[_Match]] = defaultdict(list)
    for match in matches:
        places[match.start, match.end].append(match)
    free = 0
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if start < free:
            continue
        free, here = end, places[start, end]
        best = [match for match in here if match.score == max(match.score for match in here)]
        best = [match for match in best if match.preferred] or best
        states = {_means(name, value) for match in best for name, value in match.status.items()}
        flags = [state in states if any(match.status for match in best) else None for state in _STATES]
        yield Span(start, end, tuple(sorted({match.concept for match in best})), best[0].name, *flags)


def _means(name: str, value: str) -> str:
    """What a meta annotation makes of a term; "" for unknown names and values.

    >>> _means("Negation", "Yes"), _means("Presence", "Hypothetical (N/A)"), _means("Time", "Recent")
    ('negated', 'uncertain', '')
    """
    key = name.strip().casefold()
    return _MEANS.get(_ALSO.get(key, key), {}).get(value.strip().casefold(), "")
