"""``compare`` and ``overlap``: many systems at once."""

from evalcore.cli.pairs.compare import compare
from evalcore.cli.pairs.overlap import overlap

__all__ = ["compare", "overlap"]
