"""``score``: systems under metrics, with intervals and comparisons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli import against, comparing
from evalcore.cli.comparing import (
    MORE_FLIPS,
    How,
    compared,
    facts,
    only_with_baseline,
    over_queries,
    owed_lines,
    smallest_difference,
)
from evalcore.cli.comparing import facts_same_group as group_facts
from evalcore.cli.options import (
    ALL,
    Setting,
    corrected,
    example,
    gathered,
    with_flips,
    with_level,
    with_metrics,
    with_seed,
    with_systems,
)
from evalcore.cli.output import (
    TEXT_FILE,
    about,
    few,
    is_taken,
    progress_line,
    write_csv,
    write_file,
    write_table,
)
from evalcore.cli.study_request import on_study
from evalcore.evaluate import leaderboard, owed, summarise_all
from evalcore.evaluate import score as score_systems
from evalcore.evaluate.common_pool import in_words
from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.judges import judged_scores
from evalcore.evaluate.pairs.every_pair import with_baseline_or_leader
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import name_of
from evalcore.ranking.metrics import lower_is_better
from evalcore.results.board import board_of, default_metrics, slice_boards
from evalcore.results.board_text import as_latex, as_markdown
from evalcore.results.judges import judged_sentence, judged_table
from evalcore.results.pairs import comparisons_table
from evalcore.results.regression import as_comment
from evalcore.results.rows import Column, Table, named, plain
from evalcore.results.scores import Scoring, ceilings_table, printed_scores, score_rows
from evalcore.study.parts.given_runs import matching
from evalcore.study.saved_scores import saved_text
from evalcore.study.study import in_words as names_in_words
from evalcore.study.study import readers
from evalcore.values.model import DEFINED, OUTSIDE_POOL, REASONS
from evalcore.values.settings import FLIPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.regression import Regression
    from evalcore.evaluate.slices.differences import Sliced
    from evalcore.values.model import ComparedOver, Comparison, Interval, Scores, Study
    from evalcore.values.settings import Correction

# ``--run NAME=FILE``: runs that are scored without being put into the study.

_HELP = (
    "A run to score: one that is no part of the study, under this name; TREC, CSV or JSON, as in systems/; "
    "- reads standard input. Without a name a file, or a pattern in quotes such as 'ckpts/*.trec': "
    "each is named after its file. Repeat for several. The study is not changed."
)
_NO_NAME = frozenset("*?[/\\")
"""What no name of a run holds: a text with it before its first = is a file or a pattern."""


def _parted(_ctx: click.Context, _param: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    """{name: file}"""
    pairs: list[tuple[str, str]] = []
    for text in given:
        name, sign, place = (part.strip() for part in text.partition("="))
        if name and (not sign or _NO_NAME & {*name}):
            pairs += matching(text.strip()).items()
        elif name and place:
            pairs.append((name, place))
        else:
            raise click.BadParameter(f"{text!r} is not written NAME=FILE, as in mine=run.trec.")
    files: dict[str, str] = {}
    for name, place in pairs:
        if name.startswith("@"):
            raise click.BadParameter(
                f"{name!r}: names with @ are the program's own rankings. Leave the @ out."
            )
        if name in files:
            raise click.BadParameter(f"{name!r} names two runs. Give each a name of its own.")
        files[name] = place
    if list(files.values()).count("-") > 1:
        raise click.BadParameter("Standard input can be read only once.")
    return files


with_given_runs = click.option(
    "--run", "runs", multiple=True, metavar="NAME=FILE|PATTERN", callback=_parted, help=_HELP
)
"""The command gets {name: file} as ``runs``."""


def asked_with(request: StudyRequest, runs: dict[str, str]) -> StudyRequest:
    """What was asked, about the study with these runs."""
    return replace(request, runs=tuple(runs.items()))


def facts_runs(study: Study, runs: dict[str, str]) -> dict[str, Any]:
    """For JSON; nothing where no run was given."""
    rows = [{"system": name, "file": file, "digest": study.runs[name].digest} for name, file in runs.items()]
    return {"runs": rows} if rows else {}


# ``--latex``, ``--markdown`` and ``--csv``: the scores as a table for a paper, and as tidy rows.


class Home(NamedTuple):
    """The files that were asked for, None for those that were not."""

    latex: str | None
    markdown: str | None
    csv: str | None
    intervals: bool

    @property
    def wanted(self) -> bool:
        return any((self.latex, self.markdown, self.csv))


to_take_home = gathered(
    "home",
    Home,
    click.option(
        "--latex",
        type=TEXT_FILE,
        metavar="FILE.tex",
        help="Write a LaTeX table (booktabs): systems x metrics, with its caption, best in bold, "
        "significance against the baseline or else the best of each column; with --by also systems x "
        "slices. - for standard output.",
    ),
    click.option("--markdown", type=TEXT_FILE, metavar="FILE.md", help="The same in Markdown."),
    click.option(
        "--csv",
        type=TEXT_FILE,
        metavar="FILE.csv",
        help="Write rows as CSV: one per system and metric, with --by also per slice.",
    ),
    click.option(
        "--intervals/--no-intervals",
        default=True,
        show_default=True,
        help="In these tables, the interval after each mean.",
    ),
)
"""The command gets a `Home` called ``home``."""


def write(
    home: Home,
    study: Study,
    scores: Sequence[Scores],
    intervals: Sequence[Interval],
    comparisons: Sequence[Comparison],
    how: How,
    over: ComparedOver,
    parts: Sliced | None = None,
    changed: Regression | None = None,
) -> None:
    """Write what was asked for; nothing where nothing was. ``comparisons``: with the baseline, if any.

    ``changed``: what changed since an earlier run, which goes above the tables in Markdown.

    ``parts``: the same slice by slice: tables of systems x slices follow the one over all queries, and every
    row names its slice.
    """
    if not home.wanted:
        return

    baseline, settings = how.baseline, how.settings
    pairs = comparisons if baseline else with_baseline_or_leader(scores, **how._asdict())
    of = Scoring(study, scores, intervals, pairs, baseline, settings, over.which, in_words(over))
    boards = [board_of(of)]
    if parts is not None:
        boards += slice_boards(of._replace(comparisons=comparisons), parts)
    for file, written in ((home.latex, as_latex), (home.markdown, as_markdown)):
        if file:
            above = [as_comment(changed)] if changed is not None and written is as_markdown else []
            text = "\n".join([*above, *(written(board, intervals=home.intervals) for board in boards)])
            write_file(file, text.splitlines(keepends=True))
    if home.csv:
        write_csv(home.csv, of.saved(parts))


@example('score data --metric nnCUI@10 --metric "P(organ)@5" --baseline hog')
@on_study(*ALL)
@with_metrics("the first three measures that the page Overview offers")
@with_systems
@click.option(
    "--baseline",
    metavar="S",
    help="Compare the others with this: a system, query by query. Default: that of study.toml.",
)
@click.option("--by", "ways", multiple=True, metavar="COLUMN", help=comparing.BY_HELP)
@click.option(
    "--per-query",
    type=TEXT_FILE,
    metavar="FILE",
    help="Write the value of every query: as CSV, or as FILE.json for a later --against.",
)
@with_given_runs
@click.option(
    "--judge",
    cls=Setting,
    metavar="R",
    help="Also score by people's judgments with a program's on the queries they did not judge: qrels:NAME "
    "of a program, or a relevance such as nn-iou (prediction-powered intervals).",
)
@against.with_past
@over_queries
@with_level
@with_seed("resamples and flips.")
@corrected
@with_flips
@smallest_difference
@to_take_home
def score(
    request: StudyRequest,
    metrics: Sequence[str],
    systems: Sequence[str],
    baseline: str | None,
    ways: Sequence[str],
    per_query: str | None,
    judge: str | None,
    which: str | None,
    level: float,
    seed: int,
    correction: Correction,
    flips: int,
    smallest: float | None,
    home: Home,
    runs: dict[str, str],
    past: against.Past,
) -> int:
    """Score the systems of STUDY, with intervals.

    Intervals: bootstrap over queries, 2,000 resamples (--set interval). Comparisons: paired permutation test
    by sign flips (--set flips), corrected over all comparisons shown (--set correction). A study with errors
    is not scored: the errors are listed and the exit code is 2; --set unknown=zero|drop accepts unknown ids.
    Exit code 3: a decline below --fail-below is established.
    """
    saved = past.read()
    request = asked_with(request, runs)
    opened, settings = request.study, request.settings
    baseline = baseline or opened.baseline or None
    only_with_baseline(
        baseline,
        correction=correction,
        smallest=smallest,
        flips=FLIPS if saved else flips,
        tables=home.wanted,
    )
    names = tuple(name_of(opened, system) for system in systems) or opened.systems
    baseline = name_of(opened, baseline) if baseline else None
    if baseline and baseline not in names:
        names = (baseline, *names)
    over, limited = compared(request, names, which)
    scores = score_systems(
        limited,
        metrics=metrics or (saved.metrics if saved else default_metrics(opened)),
        systems=names,
        settings=settings,
        progress=progress_line(),
    )
    intervals = summarise_all(scores, settings=settings, level=level, seed=seed)
    how = How(baseline, settings, level, seed, correction, flips)
    comparisons = leaderboard(scores, **how._asdict()) if baseline else ()
    own = owed(limited, scores, settings=settings, n_resamples=flips)
    changed = None
    if saved is not None:
        changed = against.compared(limited, scores, saved, past, runs, how, request.unknown)
    if per_query and per_query.endswith(".json"):
        write_file(per_query, [saved_text(limited, scores, unknown=request.unknown)])
    elif per_query:
        header = ("query", "system", "metric", "value", "reason")
        write_table(per_query, header, _per_query(opened, scores))
    parts = comparing.sliced(limited, scores, ways, how) if ways else None
    write(home, limited, scores, intervals, comparisons, how, over.compared, parts, changed)
    if is_taken():
        return against.exit_code(changed)
    method = method_of_differences(settings)
    groups = max((comparison.n_groups for comparison in comparisons), default=0)
    by_groups = f"{method} by {scores[0].grouped_by} ({groups:,} groups)" if groups else method
    table = printed_scores(score_rows(scores, intervals), settings)
    differences = comparisons_table(
        comparisons, method=method, grouped_by=scores[0].grouped_by, smallest=smallest
    )
    ceilings = ceilings_table(scores, settings)
    document = {
        **request.facts(),
        "scores": table,
        "comparisons": differences,
        "counts": Table(scores, _COUNTS),
        **facts(over.compared),
        **facts_runs(opened, runs),
        **({"reads_captions": reading} if (reading := readers(names, opened.looks)) else {}),
        **group_facts(limited, own),
        **({"ceilings": ceilings} if ceilings.rows else {}),
        **({} if changed is None else against.document(changed)),
    }
    shown = [
        *over.lines(),
        *_shown(opened, table, differences, by_groups),
        *_limited(ceilings),
        *([plain(said)] if (said := names_in_words(names, opened.looks)) else []),
        *comparing.lines_of_seeds(scores),
        *owed_lines(limited, own),
        *([] if changed is None else against.shown(changed)),
    ]
    if judge:
        judged = judged_scores(limited, metrics, judge, systems=names, settings=settings, level=level)
        document["judge"] = judged_table(judged)
        shown += [
            f"\nWith {plain(judge)} as the judge of what people did not judge: PPI++.",
            document["judge"],
        ]
        shown.append(judged_sentence(judged))
    means = [interval.n_independent for interval in intervals]
    pairs_compared = [comparison.n_independent for comparison in comparisons]
    if parts is not None:
        document["slices"], document["slice_comparisons"] = comparing.tables(parts, by_groups)
        shown += comparing.shown(parts, by_groups)
        means += [row.mean.n_independent for row in parts.means]
        pairs_compared += [row.found.n_independent for row in parts.differences]
    request.emit(document, [*shown, *few(means, settings, differences=pairs_compared)])
    return against.exit_code(changed)


_COUNTS = (
    *named("system", "metric", "missing", "short", "tied"),
    Column("undefined", lambda score: score.undefined_by_reason()),
)


def _shown(study: Study, table: Table, compared: Table, method: str) -> Iterator[str | Table]:
    scores, first, _ = table.rows[0]
    of_all = [row[0] for row in table.rows]
    yield about(study, len(scores.queries), first)
    yield table
    counted = "as the last place" if all(lower_is_better(score.metric) for score in of_all) else "0"
    yield (
        f"missing: not answered, counted {counted}; short: fewer than K results; tied: rank K shares its "
        "score."
    )
    if any(lower_is_better(score.metric) for score in of_all):
        yield (
            "MeanR and MedR: lower is better. short: the list does not contain the match: its rank is "
            "unknown and counts as the last place, as for queries not answered; the score is then an upper "
            "bound."
        )
    if compared.rows:
        other = "" if method == first.method else f" Intervals of differences: {method}."
        against = compared.rows[0]
        yield (
            f"\nAgainst {plain(against.baseline)}: {against.test}, seed {first.seed}; "
            f"{over_what(compared.rows)}.{other}"
        )
        if floor := at_the_floor(compared.rows, more=MORE_FLIPS):
            yield floor
        yield compared.without("baseline")


def _limited(ceilings: Table) -> Iterator[str | Table]:
    """How good lists of these lengths could be at most, where that is below 1."""
    if ceilings.rows:
        yield "\nThe lists are too short to reach 1: an image that is missing from a list cannot count."
        yield ceilings


def _per_query(study: Study, scores: Sequence[Scores]) -> Iterator[tuple[str, ...]]:
    """Rows of every query in the pool; the value empty where there is a reason instead."""
    for score in scores:
        columns = score.queries.tolist(), score.values.tolist(), score.reasons.tolist()
        for query, value, reason in zip(*columns, strict=True):
            if reason != OUTSIDE_POOL:
                shown = repr(value) if reason == DEFINED else ""
                yield study.image_ids[query], score.system, score.metric, shown, REASONS[reason]
