"""The tools that find terms in captions, by the name that ``--tool`` takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from evalcore.values.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.features.annotate.settings import AnnotateSettings
    from evalcore.features.annotate.values import Names, Span
    from evalcore.values.concept_values import NameTable


class Finder(Protocol):
    """A tool made ready: with its terminology read and its settings taken."""

    @property
    def names(self) -> Names:
        """What it looks for."""

    def find(self, texts: Sequence[str]) -> Iterator[Sequence[Span]]:
        """The terms of each text in order of place, none over another; lazily, one text after the other."""


@dataclass(frozen=True, slots=True)
class Tool:
    """``ready`` makes a finder; InputError, with the remedy, where it cannot. ``needs_names``: it looks for
    the names given to it, and brings no terminology of its own."""

    key: str
    title: str
    about: str
    needs_names: bool
    ready: Callable[[AnnotateSettings, NameTable | None], Finder]


def _dictionary(settings: AnnotateSettings, names: NameTable | None) -> Finder:
    from evalcore.features.annotate.dictionary import dictionary

    if names is None or not len(names):
        raise InputError(
            "There are no names to look for. Put a names.csv (cui,name; several rows for synonyms) or "
            "MRCONSO.RRF into the folder, or give one with --names FILE."
        )
    return dictionary(names, settings)


def _outside(tool: str, _settings: AnnotateSettings, _names: NameTable | None) -> Finder:
    from evalcore.features.annotate.outside import outside

    return outside(tool)


TOOLS = {
    one.key: one
    for one in (
        Tool(
            "dictionary", "Dictionary", "Every name of every concept, the longest match first.", True,
            _dictionary,
        ),
        Tool("medcat", "MedCAT", "A trained model, in an environment of its own.", False,
             partial(_outside, "medcat")),
        Tool("quickumls", "QuickUMLS", "Terms of an installed UMLS, in an environment of its own.", False,
             partial(_outside, "quickumls")),
    )
}  # fmt: skip


def tool_of(key: str) -> Tool:
    """A tool by its name; UnknownName for none."""
    if key not in TOOLS:
        raise UnknownName("tool", key, TOOLS)
    return TOOLS[key]
