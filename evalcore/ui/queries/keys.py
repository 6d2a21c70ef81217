"""Which queries are listed, in which order, and which system is held against the rest."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

KIND = Key("kind", of_study=True)
ORDER = Key("sort", of_study=True)
FIRST = Key("from_query", of_study=True)
"""The first query drawn by itself, counted from 1; 0 while neighbours are drawn together."""
AGAINST = Key("one", of_study=True)
REST = Key("rest", of_study=True)
