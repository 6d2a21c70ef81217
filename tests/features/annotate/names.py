"""Names of concepts for tests."""

from __future__ import annotations

import numpy as np

from evalcore.values.concept_values import NameTable


def table(*rows: tuple[str, ...]) -> NameTable:
    """From (concept, name[, source[, language]]); the first name of a concept is preferred."""
    whole = [(*row, "", "")[:4] for row in dict.fromkeys(rows)]
    concepts = [row[0] for row in whole]
    preferred = [concept not in concepts[:at] for at, concept in enumerate(concepts)]
    columns = zip(*whole, strict=True) if whole else ((),) * 4
    return NameTable(*columns, np.array(preferred, np.bool_))
