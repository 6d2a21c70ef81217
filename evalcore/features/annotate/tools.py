"""What MedCAT or QuickUMLS found in captions, as terms: places, flags, and what an image gets of it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from evalcore.features.annotate.run import annotated_caption
from evalcore.features.annotate.settings import AnnotateSettings
from evalcore.features.annotate.values import Annotation, Names, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.study.concepts.tool_output import ToolMatch, ToolOutput

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


def annotation_of(
    captions: Mapping[str, str | None], output: ToolOutput, settings: AnnotateSettings
) -> Annotation:
    """What each image gets from the matches of a tool, as from those of the dictionary (`run.annotate`)."""
    found = tuple(
        annotated_caption(image, text, spans(output.matches.get(image, ())), settings)
        for image, text in captions.items()
    )
    return Annotation(output.tool, settings, found, Names())


def spans(matches: Iterable[ToolMatch]) -> list[Span]:
    """Matches of one text as terms, none over another: the one that begins first, then the longest.

    Of several concepts in one place those with the best score stay, of these the ones whose first name it is;
    what then are still several is ambiguous.
    """
    places: defaultdict[tuple[int, int], list[ToolMatch]] = defaultdict(list)
    for one in matches:
        places[one.start, one.end].append(one)
    found: list[Span] = []
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if not found or start >= found[-1].end:
            found.append(_span(start, end, _best(places[start, end])))
    return found


def _best(here: Sequence[ToolMatch]) -> list[ToolMatch]:
    top = max(one.score or 0.0 for one in here)
    best = [one for one in here if (one.score or 0.0) == top]
    return [one for one in best if one.preferred] or best


def _span(start: int, end: int, here: Sequence[ToolMatch]) -> Span:
    concepts = tuple(sorted({one.concept for one in here}))
    said = {_means(name, value) for one in here for name, value in one.status.items()}
    denied, doubted = (state in said if any(one.status for one in here) else None for state in _STATES)
    return Span(start, end, concepts, here[0].name, "", denied, doubted)


def _means(name: str, value: str) -> str:
    """What a meta annotation makes of a term; "" for names and values nobody knows.

    >>> _means("Negation", "Yes"), _means("Presence", "Hypothetical (N/A)"), _means("Time", "Recent")
    ('negated', 'uncertain', '')
    """
    plain = name.strip().casefold()
    return _MEANS.get(_ALSO.get(plain, plain), {}).get(value.strip().casefold(), "")
