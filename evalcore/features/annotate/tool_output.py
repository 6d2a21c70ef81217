"""What MedCAT or QuickUMLS found in captions, read from the JSON of either tool.

{"img_1": {"entities": {"0": {"cui": "C0817096", "pretty_name": "Chest", "start": 0, "end": 5, "acc": 0.99,
                              "meta_anns": {"Negation": {"value": "No", "confidence": 1.0}}}}}}
{"img_1": [[{"start": 0, "end": 5, "ngram": "Chest", "term": "chest", "cui": "C0817096", "similarity": 1.0,
             "semtypes": ["T029"], "preferred": 1}]]}

The first is what MedCAT's ``get_entities`` gives for each image (``dict(cat.get_entities_multi_texts(...))``
of pairs of id and caption), the second QuickUMLS's ``matcher.match``. A file has one such object, or several
as JSON lines.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evalcore.features.annotate.terms import NO_NAMES, Names, Term
from evalcore.study.tables.files import check_memory, decode_whole, reader
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.problems import Problems, is_whole, truncate
from evalcore.values.writing import words

MEDCAT, QUICKUMLS = "medcat", "quickumls"
_PARSED = 8
"""What the parsed text takes in memory for each of its characters, at most."""
_CONCEPT, _SPACE = re.compile(r"[^\s,;|]+"), re.compile(r"\s*")
_FORM = (
    "Save {\"image\": result} with the whole result of MedCAT's get_entities or QuickUMLS's match of its "
    "caption, as JSON or JSON lines."
)
_UNCHANGED = "Give the tool the captions as they are in the file of captions, and save its results unchanged."
_NEGATED = words(
    "negation=yes, negation=true, negation=negated, negation=negative, presence=false, presence=no, "
    "presence=not present, presence=not present (false), status=negated, subject=other, subject=relative, "
    "subject=family"
)
_UNCERTAIN = words(
    "presence=hypothetical, presence=hypothetical (n/a), presence=n/a, status=other, status=hypothetical, "
    "certainty=suspected, certainty=uncertain, certainty=possible, time=past, time=future"
)
"""Meta annotations of published MedCAT packs that make a term so."""
_ALSO = {"temporality": "time", "experiencer": "subject", "diagnosis certainty": "certainty"}


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The terms of each image of a file, in its order; ``tool`` is "" where nothing can be read."""

    tool: str
    terms: Mapping[str, tuple[Term, ...]]
    names: Names = NO_NAMES

    def terms_of(self, image: str, _text: str) -> Sequence[Term]:
        """The terms of the caption of an image; none for an image that is not in the file."""
        return self.terms.get(image, ())


_NOTHING = ToolOutput("", {})


@reader(lambda _: _NOTHING)
def parse_tool_output(data: bytes, problems: Problems, *, captions: Mapping[str, str | None]) -> ToolOutput:
    """What a tool found in these captions, {image: caption}.

    Images without a caption, places outside it, and values of another type are errors, all of them listed and
    each left out; captions that are not in the file are a warning with their count.
    """
    text = decode_whole(data, problems)
    check_memory(problems, len(text), _PARSED)
    tool = ""
    terms: dict[str, tuple[Term, ...]] = {}
    unknown: list[tuple[str, int | None]] = []
    elsewhere: list[str] = []
    for line, image, result in _results(text, problems):
        kind, entities = _entities(result)
        if image not in captions:
            unknown.append((image, line))
        elif image in terms:
            message = f"The image {truncate(image)!r} is listed twice; the first result is kept."
            problems.error("duplicate-id", message, "Keep one.", line=line, value=image)
        elif entities is None or tool not in ("", kind):
            whose = tool or "MedCAT or QuickUMLS"
            message = f"The value of {truncate(image)!r} is not a result of {whose}; it is left out."
            problems.error("wrong-value", message, _FORM, line=line, value=image)
        else:
            tool, caption, matches = kind, captions[image] or "", list[_Match]()
            for key, entity in entities:
                match = _match(entity, caption)
                if isinstance(match, _Match):
                    matches.append(match)
                    continue
                message = f"{truncate(image)!r}, match {truncate(key)}: {match}; it is left out."
                problems.error("wrong-value", message, _UNCHANGED, line=line, value=image)
            terms[image] = tuple(_terms(matches))
            elsewhere += [image for match in matches if not match.in_place]
    own = explain_id_mismatch([image for image, _ in unknown], list(captions))
    for image, line in unknown:
        message = f"There is no caption of {truncate(image)!r}; its result is left out."
        remedy = own or "Name results by the ids of the captions."
        problems.error("unknown-id", message, remedy, line=line, value=image)
    message = "At {n} of its places the caption has another text than the file; it belongs to other captions."
    problems.add_summary("other-text", elsewhere, message, _UNCHANGED)
    missing = [image for image, caption in captions.items() if caption and image not in terms]
    message = "The file has no result for {n} of the captions, which get no concepts."
    problems.add_summary("no-result", missing if terms else 0, message, "")
    if not terms and not problems.n_errors:
        problems.error("no-results", "The file contains no result for any image.", _FORM)
    return ToolOutput(tool, terms)


def _results(text: str, problems: Problems) -> Iterator[tuple[int | None, str, Any]]:
    """(line, image, result of its caption) of each image; the line is that of a JSON line, None in others."""
    decoder, at, line = json.JSONDecoder(object_pairs_hook=_reject_duplicate_keys), 0, 1
    while True:
        begin = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        line += text.count("\n", at, begin)
        if begin == len(text):
            return
        try:
            document, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as reason:
            what = "it is nested too deeply" if isinstance(reason, RecursionError) else truncate(reason)
            message = f"The file cannot be read as JSON: {getattr(reason, 'msg', what)}."
            problems.error("bad-json", message, _FORM, line=getattr(reason, "lineno", line))
            return
        if isinstance(document, dict) and "entities" not in document:
            own = line if len(document) == 1 else None
            yield from ((own, image, result) for image, result in document.items())
        else:
            problems.error("no-ids", "The results do not name their image.", _FORM, line=line)
        line += text.count("\n", begin, at)


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
    if twice:
        raise ValueError(f"the key {truncate(twice[0])!r} occurs twice in one object")
    return dict(pairs)


def _entities(result: Any) -> tuple[str, list[tuple[str, Any]] | None]:
    """The tool whose result it is, and its matches by their key; None where it is no result."""
    if isinstance(result, list) and all(isinstance(group, list) for group in result):
        return QUICKUMLS, [
            (f"{k}.{i}", match) for k, group in enumerate(result) for i, match in enumerate(group)
        ]
    entities = result.get("entities") if isinstance(result, dict) else None
    return MEDCAT, list(entities.items()) if isinstance(entities, dict) else None


class _Match(NamedTuple):
    """A concept that a tool found in a caption, at these characters.

    ``status``: its meta annotations, such as {"Negation": "Yes"}; ``score``: how sure it is;
    ``preferred``: whether the name is the first of its concept. ``in_place``: the caption has the term there.
    """

    start: int
    end: int
    concept: str
    name: str
    score: float
    preferred: bool
    status: Mapping[str, str]
    in_place: bool


def _match(entity: Any, caption: str) -> _Match | str:
    """A match, or what is wrong with it, in words."""
    if not isinstance(entity, dict):
        return f"{truncate(entity)!r} is no object"

    def first(*names: str) -> Any:
        return next((entity[name] for name in names if entity.get(name) is not None), None)

    concept, start, end = (entity.get(name) for name in ("cui", "start", "end"))
    if not (isinstance(concept, str) and _CONCEPT.fullmatch(concept) and is_whole(concept)):
        return f"its cui {truncate(concept)!r} is no id"
    if not (type(start) is int and type(end) is int and 0 <= start < end <= len(caption)):
        return f"{truncate(start)} to {truncate(end)} is no part of its {len(caption):,} characters"
    score = first("similarity", "context_similarity", "acc") or 0.0
    if not (type(score) in (int, float) and -1e9 < score < 1e9):
        return f"its score {truncate(score)} is no finite number"
    meta = entity.get("meta_anns") or {}
    status: dict[str, Any] = {
        name: part.get("value") if isinstance(part, dict) else part
        for name, part in (meta.items() if isinstance(meta, dict) else [("", None)])
    }
    if not all(isinstance(value, str) for value in status.values()):
        return f"its meta_anns {truncate(meta)} are not names with values"
    term, name = first("source_value", "ngram"), first("pretty_name", "term", "detected_name")
    in_place = not isinstance(term, str) or _plain(term) == _plain(caption[start:end])
    name = " ".join(name.split()) if isinstance(name, str) and is_whole(name) else ""
    return _Match(start, end, concept, name, float(score), entity.get("preferred") == 1, status, in_place)


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


def _terms(matches: Iterable[_Match]) -> Iterator[Term]:
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
        free, candidates = end, places[start, end]
        best = [match for match in candidates if match.score == max(match.score for match in candidates)]
        best = [match for match in best if match.preferred] or best
        states = {_state(name, value) for match in best for name, value in match.status.items()}
        negated, uncertain = (None if states.isdisjoint(kind) else "" for kind in (_NEGATED, _UNCERTAIN))
        concepts = tuple(sorted({match.concept for match in best}))
        by_tool = any(match.status for match in best)
        yield Term(start, end, concepts, best[0].name, negated, uncertain, by_tool)


def _state(name: str, value: str) -> str:
    """A meta annotation as the lists above have it.

    >>> _state("Negation", "Yes"), _state("Temporality ", "Recent")
    ('negation=yes', 'time=recent')
    """
    key = name.strip().casefold()
    return f"{_ALSO.get(key, key)}={value.strip().casefold()}"
