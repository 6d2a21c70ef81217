"""Which concepts does a sentence name? What the core's page Query asks of this feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.features.annotate.run import annotate
from evalcore.study.names.all_names import names_of_study

if TYPE_CHECKING:
    from evalcore.values.model import Study


def concepts_in(study: Study, text: str) -> tuple[str, ...]:
    """The concepts that a text names, denied ones left out, by all names of the study.

    Raises InputError where the study has no names to look for.
    """
    (caption,) = annotate({"": text}, names_of_study(study)).captions
    return caption.concepts or ()
