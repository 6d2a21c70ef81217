"""Tools in environments of their own, MedCAT and QuickUMLS, as finders of terms."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalcore.features.annotate.tools_read.asked import TIMEOUT, ToolMatch, ask
from evalcore.features.annotate.tools_read.environments import tool_of, usable
from evalcore.features.annotate.tools_read.status import NEGATED, PAST, SOMEBODY_ELSE, UNCERTAIN, states
from evalcore.features.annotate.values import Names, Span
from evalcore.features.imageclef.models.store import model_of, models_folder, readiness
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """A tool that runs elsewhere; see `outside`. All texts go to it at once."""

    tool: str
    weights: str
    environment: Path | None
    timeout: float
    progress: Progress
    names: Names = field(default_factory=Names)

    def find(self, texts: Sequence[str]) -> Iterator[Sequence[Span]]:
        """The terms of each text; raises what `ask` raises."""
        numbered = {str(i): text for i, text in enumerate(texts)}
        found: defaultdict[str, list[ToolMatch]] = defaultdict(list)
        for one in ask(
            self.tool,
            numbered,
            weights=self.weights,
            environment=self.environment,
            timeout=self.timeout,
            progress=self.progress,
        ):
            found[one.image].append(one)
        return (spans(found[number]) for number in numbered)


def outside(
    tool: str,
    *,
    weights: str | None = None,
    environment: Path | None = None,
    timeout: float = TIMEOUT,
    progress: Progress = silent,
) -> Outside:
    """MedCAT or QuickUMLS, made ready.

    Parameters
    ----------
    weights : model pack of MedCAT or folder of QuickUMLS; None is what lies in the workspace's ``models``.
    environment : folder of its Python environment; None is what ``annotate run --list-tools --make`` made.
    timeout : seconds it may take for all captions.
    progress : called with the share of the captions done; raise in it to cancel.

    Raises
    ------
    InputError
        Environment or weights are missing; it says where they belong.
    """
    usable(tool, environment)
    path = weights or readiness(tool, environment=environment).path
    if path is None:
        model = model_of(tool)
        raise InputError(
            f"{tool_of(tool).title} has no concepts to look for. Put {model.weights[0]} into "
            f"{models_folder()}, or name it with --weights: {model.origin}."
        )
    return Outside(tool, path, environment, timeout, progress)


def spans(matches: Iterable[ToolMatch]) -> list[Span]:
    """Matches of one text as terms, none over another: the one that begins first, then the longest.

    Of several concepts in one place those with the best score stay, of these the ones whose first name it is;
    what then are still several is ambiguous. Matches without a place say nothing that can be shown or judged,
    and are left out.
    """
    places: defaultdict[tuple[int, int], list[ToolMatch]] = defaultdict(list)
    for one in matches:
        if one.start is not None and one.end is not None:
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
    said = {state for one in here for state in states(one.status)}
    denied: bool | None = None
    doubted: bool | None = None
    if any(one.status for one in here):
        denied, doubted = bool(said & {NEGATED, SOMEBODY_ELSE}), bool(said & {UNCERTAIN, PAST})
    return Span(start, end, concepts, here[0].name, "", denied, doubted)
