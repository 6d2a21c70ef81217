"""An organiser's board: all submissions of a campaign, by team and resources, among published results.

What a submission is called says who sent it (`entry_of`): the folder it is in, or the part of its name
before a double underscore, is the team; further parts between double underscores may name the type of run
and the resources, in the words of ``RUN_TYPES`` and ``RESOURCES``. A table of entries says it better.

    NLM/DET_run_1__automatic__external.csv        NLM__run_1__manual.csv
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Literal

from evalcore.evaluate import summarise_all
from evalcore.features.imageclef.campaign import Verdict, verdict_of
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.published import Published
from evalcore.features.imageclef.result import STAND_IN, Opened, Result, as_scores
from evalcore.values.errors import Report
from evalcore.values.model import Interval
from evalcore.values.progress import Progress, silent

By = Literal["all", "team"]

AUTOMATIC, MANUAL, FEEDBACK = "Automatic", "Manual", "Feedback or/and human assistance"
WITHOUT, WITH = "No External Resources Used", "External Resources Used"
RUN_TYPES: Mapping[str, str] = MappingProxyType(
    {"automatic": AUTOMATIC, "auto": AUTOMATIC, "manual": MANUAL, "feedback": FEEDBACK}
)
"""What a part of a file name says of how a run was made, in the words of the task's page of 2017."""
RESOURCES: Mapping[str, str] = MappingProxyType(
    {"noexternal": WITHOUT, "no-external": WITHOUT, "internal": WITHOUT, "external": WITH}
)
"""What a part of a file name says of the resources used, likewise."""
_STAMP = re.compile(r"\d{10,}__")
_ENDING = re.compile(r"\.(csv|tsv|txt|zip|gz)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """Who sent a submission and how it was made, "" for what is not known; ``file`` its path."""

    file: str
    team: str = ""
    run: str = ""
    run_type: str = ""
    resources: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """One submission after scoring.

    ``scores`` by metric: what runs can be ranked by, NaN where it cannot be computed; for a run that is not
    ``accepted`` those of its repaired form. ``interval`` of the mean of the metric that ranks. ``report``
    every problem of the file; an error is one that the official script stops at.
    """

    entry: Entry
    accepted: bool
    scores: Mapping[str, float]
    secondary: float | None
    interval: Interval | None
    report: Report

    @property
    def reasons(self) -> dict[str, int]:
        """{rule: cases} that the official script stops at."""
        return {rule: n for (severity, _, rule), n in self.report.counts.items() if severity == "error"}

    @property
    def first(self) -> str:
        """The first problem that it stops at, "" without any."""
        return next((str(problem) for problem in self.report.of_severity("error")), "")


@dataclass(frozen=True, slots=True)
class Standings:
    """All submissions of a campaign: the metric that ranks them, and each with its score."""

    edition: Edition
    metric: str
    entries: tuple[Standing, ...]

    def has_score(self, one: Standing) -> bool:
        """Whether a submission has an official score by the metric that ranks."""
        return one.accepted and not isnan(one.scores[self.metric])

    @property
    def ranked(self) -> tuple[Standing, ...]:
        """Those with an official score."""
        return tuple(one for one in self.entries if self.has_score(one))

    @property
    def failures(self) -> tuple[Standing, ...]:
        """Those without one."""
        return tuple(one for one in self.entries if not self.has_score(one))

    def sent_by(self, entries: Sequence[Entry]) -> Standings:
        """The same scores with other entries, in the same order."""
        renewed = (replace(one, entry=entry) for one, entry in zip(self.entries, entries, strict=True))
        return replace(self, entries=tuple(renewed))

    def verdicts(self) -> dict[str, Verdict]:
        """{file: verdict by the rules of the campaign}, of which one is about the runs of a team."""
        runs = Counter(one.entry.team for one in self.entries if one.entry.team)
        return {
            one.entry.file: verdict_of(one.report, self.edition, n_runs=runs.get(one.entry.team, 1))
            for one in self.entries
        }


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a board. ``source_rank`` the rank that the source of a published result gives it, "" without.

    ``rules`` the verdict by the rules of the campaign, in words. ``source_score`` what was published of a
    run that is scored here, None without. Of equal scores all have the first rank.
    """

    rank: int
    team: str
    run: str
    run_type: str
    resources: str
    score: float
    published: bool
    source_rank: str = ""
    of: Standing | None = None
    rules: str = ""
    source_score: float | None = None


def without_stamp(name: str) -> str:
    """A file name without the time that a platform put before it.

    >>> without_stamp("1494012568180__DET_run_1.txt")
    'DET_run_1.txt'
    """
    return _STAMP.sub("", name, count=1)


def entry_of(path: str, edition: Edition) -> Entry:
    """Who sent a submission, as its path says.

    >>> from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
    >>> one = entry_of("NLM/1494012568180__DET_run_1__external.txt", CONCEPT_EDITIONS["2017"])
    >>> one.team, one.run, one.run_type, one.resources
    ('NLM', 'run_1', '', 'External Resources Used')
    >>> entry_of("NLM__a__b.csv", CONCEPT_EDITIONS["2025"]).run
    'a__b'
    """
    pure = PurePosixPath(path)
    stem = without_stamp(_ENDING.sub("", pure.name))
    if edition.prefix and stem.startswith(edition.prefix):
        stem = stem.removeprefix(edition.prefix).lstrip("_- ") or stem
    parts, run_type, resources = [], "", ""
    for part in stem.split("__"):
        word = part.strip().lower()
        if word in RUN_TYPES:
            run_type = RUN_TYPES[word]
        elif word in RESOURCES:
            resources = RESOURCES[word]
        elif part.strip():
            parts.append(part.strip())
    team = pure.parts[0] if len(pure.parts) > 1 else ""
    if not team and len(parts) > 1:
        team = parts.pop(0)
    return Entry(path, team, "__".join(parts) or pure.name, run_type, resources)


def published_runs(entries: Sequence[Entry], published: Sequence[Published]) -> dict[str, Published]:
    """{file: the published result of it}, of the submissions that are among the published ones.

    A file is a published run that is called the same, endings apart; without the time stamp before its name
    only where its team is called the same too.
    """
    stamped = {_ENDING.sub("", row.run): row for row in published if _STAMP.match(row.run)}
    of_team = {(row.team, _ENDING.sub("", without_stamp(row.run))): row for row in published}
    matched = {}
    for entry in entries:
        stem = _ENDING.sub("", PurePosixPath(entry.file).name)
        if row := stamped.get(stem) or of_team.get((entry.team, without_stamp(stem))):
            matched[entry.file] = row
    return matched


def is_external(resources: str) -> bool:
    """Whether a run belongs into the table with external resources; one that does not say so does not.

    The task's page of 2017 ranked the captions of runs that stated nothing among those without.
    """
    return resources.lower().startswith("external")


def standings(
    opened: Callable[[str], tuple[str, bytes, Report]],
    entries: Sequence[Entry],
    score: Callable[[str, Opened], Result[Any]],
    *,
    edition: Edition,
    seed: int = 0,
    progress: Progress = silent,
) -> Standings:
    """Score submissions one after the other; only their scores per image are kept of each.

    Parameters
    ----------
    opened : name, content and problems of the submission at a path.
    entries : one or more submissions.
    score : a path and its submission to its result.

    Returns
    -------
    Standings by the metric that every accepted run has: what the task ranks by, else the script's main
    score, else ROUGE-1 (see `result.compared_by`); each with its interval over images.
    """
    names = tuple(dict.fromkeys((edition.headline, edition.primary, STAND_IN)))
    results: list[Result[Any]] = []
    for at, entry in enumerate(entries):
        progress(at / len(entries), entry.file)
        name, data, report = opened(entry.file)
        results.append(_slim(score(entry.file, {_handed_in(name, edition): (data, report)}), names))
    counting = [one for one in results if one.accepted] or results
    metric = next((name for name in names if all(name in one.values for one in counting)), STAND_IN)
    columns = {
        e.file: one.values[metric] for e, one in zip(entries, results, strict=True) if metric in one.values
    }
    means = summarise_all(as_scores(columns, metric), seed=seed) if columns else ()
    intervals = dict(zip(columns, means, strict=True))
    made = [
        Standing(
            entry,
            one.accepted,
            {name: one.metric(name) for name in names},
            one.secondary,
            intervals.get(entry.file),
            one.report,
        )
        for entry, one in zip(entries, results, strict=True)
    ]
    return Standings(edition, metric, tuple(made))


def _handed_in(name: str, edition: Edition) -> str:
    """What the team called its file: no time stamp of a platform, no team that a board needs before it."""
    bare = without_stamp(name)
    _, _, rest = bare.partition("__")
    return rest if edition.prefix and rest.startswith(edition.prefix) else bare


def _slim(one: Result[Any], names: Sequence[str]) -> Result[Any]:
    """A result without the texts and concepts of its images."""
    run = replace(one.run, read={}, meant={}, repaired=None)
    values = {name: one.values[name] for name in names if name in one.values}
    return replace(one, run=run, values=values, detail=None)


# Ranks: all runs, or the best of each team; apart by resources, among published results.


def best_of_teams(places: Sequence[Place]) -> list[Place]:
    """The best run of each team, its first one of equals; a run whose team is not known is on its own."""
    seen: set[str] = set()
    kept = []
    for place in sorted(places, key=lambda place: -place.score):
        if not place.team or place.team not in seen:
            kept.append(place)
        seen.add(place.team)
    return kept


def ranking(
    made: Standings, *, by: By = "all", published: Sequence[Published] = (), external: bool | None = None
) -> list[Place]:
    """A board, best first.

    Parameters
    ----------
    by : every run, or the best of each team.
    published : results to rank among; each counts like a run. A submission that is one of them takes its
        place, and what its name leaves out of team, type and resources.
    external : only runs with (True) or without (False) external resources; None for both.
    """
    known = published_runs([one.entry for one in made.entries], published)
    made = made.sent_by([_as_published(one.entry, known.get(one.entry.file)) for one in made.entries])
    metric, verdicts = made.metric, made.verdicts()
    redone = [known[one.entry.file] for one in made.ranked if one.entry.file in known]
    places = [
        Place(0, row.team, row.run, row.run_type, row.resources, row.score, True, row.rank)
        for row in published
        if row not in redone
    ]
    for one in made.ranked:
        e, row = one.entry, known.get(one.entry.file)
        place = Place(0, e.team, e.run, e.run_type, e.resources, one.scores[metric], False)
        place = replace(place, of=one, rules=verdicts[e.file].words)
        places.append(replace(place, source_rank=row.rank, source_score=row.score) if row else place)
    kept = [place for place in places if external is None or is_external(place.resources) == external]
    if by == "team":
        kept = best_of_teams(kept)
    return _ranked(kept)


def _as_published(entry: Entry, row: Published | None) -> Entry:
    """An entry with what the published result of the same run says where the entry says nothing."""
    if row is None:
        return entry
    return replace(
        entry,
        team=entry.team or row.team,
        run_type=entry.run_type or row.run_type,
        resources=entry.resources or row.resources,
    )


def _ranked(places: Sequence[Place]) -> list[Place]:
    """Best first; of equal scores the published one first, then in the order they came."""
    ordered = sorted(places, key=lambda place: (-place.score, not place.published))
    ranked: list[Place] = []
    for at, place in enumerate(ordered, start=1):
        same = ranked and ranked[-1].score == place.score
        ranked.append(replace(place, rank=ranked[-1].rank if same else at))
    return ranked


def boards(made: Standings, *, by: By = "all", published: Sequence[Published] = ()) -> dict[str, list[Place]]:
    """The tables of a campaign by title: with and without external resources; one where nothing is with."""
    with_, without = (
        ranking(made, by=by, published=published, external=external) for external in (True, False)
    )
    if not with_:
        return {"Ranking": without} if without else {}
    named = {"Without external resources": without, "With external resources": with_}
    return {title: rows for title, rows in named.items() if rows}
