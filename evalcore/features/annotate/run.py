"""Captions in, concepts out: the terms found in them, what the rules say of them, and what an image gets."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from evalcore.features.annotate.negation import Flags, flags_of
from evalcore.features.annotate.values import (
    AMBIGUOUS,
    NEGATED,
    UNCERTAIN,
    AnnotatedCaption,
    AnnotateSettings,
    Annotation,
    Flag,
    Match,
    Names,
    Span,
    section_at,
    sections_of,
)
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.features.annotate.dictionary import Dictionary
    from evalcore.study.concepts.tool_output import ToolMatch, ToolOutput
    from evalcore.values.concept_values import NameTable
    from evalcore.values.model import Study

_USUAL = AnnotateSettings()
_TOLD_EVERY = 200


def captions_of(study: Study) -> dict[str, str | None]:
    """{image: its caption}, None for an image without one; queries that are no images are left out."""
    texts = (None,) * len(study.image_ids) if study.captions is None else study.captions.texts
    only = study.concepts.only
    return {
        image: text
        for i, (image, text) in enumerate(zip(study.image_ids, texts, strict=True))
        if only is None or not only[i]
    }


def texts_of_queries(study: Study) -> dict[str, str | None]:
    """{query: its text} of ``queries.csv``, those without a text left out."""
    own = study.own_queries
    if own is None:
        return {}
    rows = zip(own.rows.tolist(), own.texts, strict=True)
    return {study.image_ids[i]: text for i, text in rows if text}


def annotate(
    captions: Mapping[str, str | None],
    names: NameTable,
    *,
    settings: AnnotateSettings = _USUAL,
    progress: Progress = silent,
) -> Annotation:
    """Which concepts do these captions name, by a dictionary of all names, the longest match first?

    Parameters
    ----------
    captions : by image, None for an image without caption.
    names : the names to look for.
    progress : called with the share done; raise in it to cancel.

    Raises
    ------
    InputError : there are no names to look for.
    """
    progress(0.0, "names of concepts")
    ready = dictionary_of(names, settings)
    spans = ready.find([text for text in captions.values() if text])
    result = []
    for at, (image, text) in enumerate(captions.items()):
        if at % _TOLD_EVERY == 0:
            progress(at / len(captions), "captions")
        result.append(annotated_caption(image, text, next(spans) if text else (), settings))
    progress(1.0, "")
    return Annotation("dictionary", settings, tuple(result), ready.names)


def dictionary_of(names: NameTable, settings: AnnotateSettings = _USUAL) -> Dictionary:
    """The names to look for, ready to be found; InputError where there are none."""
    from evalcore.features.annotate.dictionary import dictionary

    if not len(names):
        raise InputError(
            "There are no names to look for. Put a names.csv (cui,name; several rows for synonyms) or "
            "MRCONSO.RRF into the folder, or give one with --names FILE."
        )
    return dictionary(names, settings)


def annotated_caption(
    image: str, caption: str | None, spans: Sequence[Span], settings: AnnotateSettings = _USUAL
) -> AnnotatedCaption:
    """What the terms found in one caption say of its image."""
    if not caption:
        return AnnotatedCaption(image, None, (), None)
    sections = sections_of(caption)
    flags: Sequence[Flags] = [(None, None, None)] * len(spans)
    if settings.negation and spans:
        flags = flags_of(caption, [(span.start, span.end) for span in spans], window=settings.window)
    matches = tuple(
        _match(caption, span, flag, section_at(sections, span.start), settings)
        for span, flag in zip(spans, flags, strict=True)
    )
    return AnnotatedCaption(image, caption, matches, _concepts(matches, settings))


def _match(caption: str, span: Span, flags: Flags, section: str, settings: AnnotateSettings) -> Match:
    """A term with what is said about it; what the tool itself says goes before the rules."""
    negated, uncertain = (
        by_rule if by_tool is None else _said(span) if by_tool else None
        for by_tool, by_rule in zip((span.negated, span.uncertain), flags[:2], strict=True)
    )
    reasons = (
        (f"section: {section}", bool(section) and section in settings.leave_out_sections),
        (NEGATED, negated is not None and settings.negated == "leave-out"),
        (UNCERTAIN, uncertain is not None and settings.uncertain == "leave-out"),
        (AMBIGUOUS, len(span.concepts) > 1),
    )
    return Match(
        span.start,
        span.end,
        caption[span.start : span.end],
        span.concepts,
        span.name,
        span.source,
        negated,
        uncertain,
        section,
        next((why for why, holds in reasons if holds), ""),
        flags[2],
    )


def _said(span: Span) -> Flag:
    """The flag of a tool that gives no trigger."""
    return Flag("", span.start, span.end, span.start, span.end)


def _concepts(matches: Sequence[Match], settings: AnnotateSettings) -> tuple[str, ...] | None:
    """The concepts of an image; () where its caption only says what is not there, None where it says nothing.

    A caption without any known term says nothing about findings: the names may be missing, not the findings.
    """
    kept = {concept for match in matches if match.kept for concept in match.concepts}
    denied = bool(matches) and all(match.why == NEGATED for match in matches)
    if kept or denied or settings.without_terms == "nothing":
        return tuple(sorted(kept))
    return None


# What MedCAT or QuickUMLS found in captions, as terms: places, flags, and what an image gets of it.

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
    result = tuple(
        annotated_caption(image, text, spans(output.matches.get(image, ())), settings)
        for image, text in captions.items()
    )
    return Annotation(output.tool, settings, result, Names())


def spans(matches: Iterable[ToolMatch]) -> list[Span]:
    """Matches of one text as terms, none over another: the one that begins first, then the longest.

    Of several concepts in one place those with the best score stay, of these the ones whose first name it is;
    what then are still several is ambiguous.
    """
    places: defaultdict[tuple[int, int], list[ToolMatch]] = defaultdict(list)
    for match in matches:
        places[match.start, match.end].append(match)
    result: list[Span] = []
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if not result or start >= result[-1].end:
            result.append(_span(start, end, _best(places[start, end])))
    return result


def _best(here: Sequence[ToolMatch]) -> list[ToolMatch]:
    top = max(match.score or 0.0 for match in here)
    best = [match for match in here if (match.score or 0.0) == top]
    return [match for match in best if match.preferred] or best


def _span(start: int, end: int, here: Sequence[ToolMatch]) -> Span:
    concepts = tuple(sorted({match.concept for match in here}))
    states = {_means(name, value) for match in here for name, value in match.status.items()}
    denied, doubted = (state in states if any(match.status for match in here) else None for state in _STATES)
    return Span(start, end, concepts, here[0].name, "", denied, doubted)


def _means(name: str, value: str) -> str:
    """What a meta annotation makes of a term; "" for names and values nobody knows.

    >>> _means("Negation", "Yes"), _means("Presence", "Hypothetical (N/A)"), _means("Time", "Recent")
    ('negated', 'uncertain', '')
    """
    plain = name.strip().casefold()
    return _MEANS.get(_ALSO.get(plain, plain), {}).get(value.strip().casefold(), "")
