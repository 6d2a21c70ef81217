"""Which concepts does a sentence name? What the page Queries asks of this feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.features.annotate.run import annotated_caption, dictionary_of
from evalcore.study.folder.layout import read_layout
from evalcore.study.naming import names_of_study
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Hashable

    from evalcore.features.annotate.dictionary import Dictionary
    from evalcore.values.model import Study

_dictionaries: Store[Dictionary] = Store(256 << 20)
"""By study and the files of its names: reading these takes seconds, looking a sentence up milliseconds."""


def concepts_in(study: Study, text: str) -> tuple[str, ...]:
    """The concepts that a text names, denied ones left out, by all names of the study.

    Raises InputError where the study has no names to look for.
    """
    ready = _dictionaries.get_or_compute(_key(study), lambda: dictionary_of(names_of_study(study)))
    (spans,) = ready.find([text])
    return annotated_caption("", text, spans).concepts or ()


def _key(study: Study) -> Hashable:
    """The study, and which files of names it has now: its digest covers the first name of a concept only."""
    if study.path is None:
        return study.content
    files = read_layout(study.path)[0].files
    stats = [(path, path.stat()) for kind in ("names", "graph") for path in files[kind] if path.exists()]
    return (study.content, *((path, stat.st_size, stat.st_mtime_ns) for path, stat in stats))
