"""Runs: what a system returned for each query, read as a table and ranked over the images.

A row of TREC (query Q0 candidate rank score name), a row of CSV, or JSON ``{query: {candidate: score}}``.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv

from evalcore.ranking.lists import offsets_of, ranked_order
from evalcore.study.parts.kind import TOML, Files, Opening, PartKind, system_folders
from evalcore.study.tables.files import packed
from evalcore.study.tables.frames import as_pandas, column_of, columns_called
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.load import table_reader
from evalcore.study.tables.problems import Problems, Rule, truncate
from evalcore.study.tables.schema import MISSING_ID, Column, Rows, Schema, first_of
from evalcore.values.arrays import Bools, Ints, ranks_of
from evalcore.values.errors import InputError
from evalcore.values.model import Run, Study
from evalcore.values.settings import as_list
from evalcore.values.writing import pluralize, words

_BAD_SCORE = Rule(
    "bad-score",
    "The score '{value}' is not a number; the row is left out.",
    "Write a number, higher for better.",
)
RUN = Schema(
    (
        Column(words("query, query_id, qid, queryid, query_image"), empty=MISSING_ID, coded=True),
        Column(
            words(
                """
                candidate, candidate_id, doc, docid, docno, doc_id, document, result, retrieved, hit, image,
                image_id, neighbor, neighbour, target
                """
            ),
            empty=MISSING_ID,
            coded=True,
        ),
        Column(
            words("score, scores, similarity, sim"),
            empty=_BAD_SCORE._replace(message="The row has no score; it is left out."),
            number=_BAD_SCORE,
            infinite=Rule(
                "nan-score",
                "The score is {value}, which cannot be ranked; the row is left out.",
                "Write a finite number, higher for better.",
            ),
        ),
        Column(
            ("rank", "position"),
            required=False,
            empty=None,
            number=Rule(
                "bad-rank",
                "The rank '{value}' is not a finite number; it counts as missing.",
                "Write 1, 2, 3 and so on.",
            ),
            limit=2.0**53,
            lenient=True,
        ),
    ),
    remedy="Give TREC rows (query Q0 candidate rank score name), CSV rows query,candidate,score, or JSON "
    "{query: {candidate: score}}.",
    what="a run",
    header="optional",
    widths=(3, 4),
    spaces=("query", "", "candidate", "rank", "score", ""),
    nested=True,
    delimiters=",\t; ",
)
"""Header names of CSV runs. A distance is not a score: higher must be better."""
DUPLICATE = Rule(
    "duplicate-candidate",
    "The result {value} is listed already; the better scored one is kept.",
    "Keep one row per query and candidate.",
)


parse_run = table_reader(RUN)
"""The rows of a run in the order of its file; problems of whole lists are reported by `bind_run`."""


def bind_run(rows: Rows, problems: Problems, images: KnownIds, *, system: str, queries: Ints) -> Run | None:
    """Rank a run over the images of a study.

    Parameters
    ----------
    rows : as ``parse_run`` gives them.
    images : those of the study, and what to do with other ids.
    system : name of the system.
    queries : image indices that should be answered.

    Returns
    -------
    run : None without rows; refused when no row but self-hits is left. Self-hits stay in the run and are
        counted; what is reported on order, ranks, ties and depth is about the other rows. Of duplicates the
        better scored one stays; rows are ranked by ``ranking.lists``, whatever order or ranks the file has,
        equal scores by id, whether the study knows it or not.
    """
    if not rows.rows:
        return None
    (query_ids, of_query), (candidate_ids, of_candidate) = rows.codes("query"), rows.codes("candidate")
    query = images.positions(query_ids)[of_query]
    candidate = place = images.positions(candidate_ids)[of_candidate]
    ids = image_ids = images.ids
    if (candidate < 0).any():  # ids of no image have their place in the order of ids too
        ids = sorted(candidate_ids)
        place = KnownIds(ids).positions(candidate_ids)[of_candidate]
    bad = (query < 0) | (candidate < 0)
    if bad.any():
        _report_unknown(rows, bad, query, candidate, problems, images)
    usable = (query >= 0) & ((candidate >= 0) | (images.unknown == "zero"))
    columns: Columns = [query, candidate, place, rows.numbers("score"), rows.lines]
    columns += [rows.numbers("rank")] if rows.has("rank") else []
    columns = _where(columns, usable)
    others = _where(columns, columns[0] != columns[1])
    own = np.flatnonzero(columns[0] == columns[1])
    selves = [image_ids[query] for query in columns[0][own].tolist()]
    message = "Results that are the query itself: {n}."
    remedy = "They do not count unless a query may be among its own candidates: include_self = true."
    problems.add_summary("self-hit", selves, message, remedy, lines=columns[4][own[:1]].tolist())
    if not len(others[0]):
        problems.refuse("no-rows", "No row of this run can be used.", "See the other problems of this file.")
    same = others[0][1:] == others[0][:-1]
    rising = np.flatnonzero(same & (others[3][1:] > others[3][:-1])) + 1
    lines = others[4][rising[:1]].tolist()
    message = "{n} rows score higher than the row above them; the lists were sorted by score."
    remedy = "Higher scores must mean better results."
    problems.add_summary("unsorted", len(rising), message, remedy, lines=lines)
    pieces = others[0][np.append(True, ~same)]
    scattered = len(pieces) - len(np.unique(pieces))
    message = "{n} answers continue after rows of other queries; their rows were joined."
    problems.add_summary("scattered-query", scattered, message, "")
    columns = _where(columns, ranked_order(columns[0], columns[3], columns[2]))
    columns = _where(columns, _best_of_duplicates(columns, image_ids, ids, problems))
    others = _where(columns, columns[0] != columns[1])
    _report_answers(others, problems, image_ids, queries)
    return Run.from_arrays(system, *offsets_of(columns[0]), columns[1], columns[3])


Columns = list[Any]
"""Query, candidate, place of the candidate's id, score, line and, where there are any, rank of each row."""
RANK = 5


def _where(columns: Columns, rows: npt.NDArray[Any]) -> Columns:
    """The same rows, masked or reordered; no copy where they are all there, in their order."""
    same = rows.all() if rows.dtype == np.bool_ else (rows == np.arange(len(rows))).all()
    return columns if same else [column[rows] for column in columns]


def _report_unknown(
    rows: Rows, bad: Bools, query: Ints, candidate: Ints, problems: Problems, images: KnownIds
) -> None:
    """Ids that no image has, each at its first line, and results listed twice among the rows left out for
    them."""
    first: dict[str, int] = {}
    for name, places in (("query", query), ("candidate", candidate)):
        ids, codes = rows.codes(name)
        missing = np.flatnonzero(places < 0)
        distinct, at = np.unique(codes[missing], return_index=True)
        for code, line in zip(distinct.tolist(), rows.lines[missing[at]].tolist(), strict=True):
            first[ids[code]] = min(line, first.get(ids[code], line))
    lines = dict(sorted(first.items(), key=lambda entry: entry[1]))
    images.report_unknown(problems, list(lines), list(lines.values()), unknown=images.unknown)
    if images.unknown == "error":
        left = rows.where(bad)
        twice = left.where(~first_of(left, ("query", "candidate"), best="score"))
        pairs = zip(twice.texts("candidate"), twice.texts("query"), strict=True)
        names = [f"{candidate} of query {query}" for candidate, query in pairs]
        problems.each("error", *DUPLICATE, lines=twice.lines.tolist(), values=names)


def _best_of_duplicates(
    columns: Columns, image_ids: Sequence[str], ids: Sequence[str], problems: Problems
) -> Bools:
    """Which of ranked rows to keep: of a result listed twice for a query the better one.

    Each other is an error, unless it is the query itself. ``ids``: of candidates by their place.
    """
    query, candidate, place, _, lines, *_ = columns
    pair = query.astype(np.int64) * (int(place.max()) + 1) + place
    ordered = np.sort(pair)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.ones(len(pair), np.bool_)
    keep = np.zeros(len(pair), np.bool_)
    keep[np.unique(pair, return_index=True)[1]] = True
    bad = np.flatnonzero(~keep & (query != candidate))
    bad = bad[np.argsort(lines[bad], kind="stable")]
    pairs = zip(query[bad].tolist(), place[bad].tolist(), strict=True)
    names = [f"{ids[place]} of query {image_ids[query]}" for query, place in pairs]
    problems.each("error", *DUPLICATE, lines=lines[bad].tolist(), values=names)
    return keep


def _report_answers(columns: Columns, problems: Problems, image_ids: Sequence[str], queries: Ints) -> None:
    """What is odd about whole answers, of ranked rows without self-hits.

    Ranks that are missing, have gaps, or say something else than the scores; results that share their score
    with another of the same query; answers of different lengths, and queries without any.
    """
    (answered, indptr), scores = offsets_of(columns[0]), columns[3]
    starts, sizes = indptr[:-1], np.diff(indptr)
    last = starts[1:] - 1
    if len(columns) > RANK:
        has_rank = ~np.isnan(columns[RANK])
        ranks = np.where(has_rank, columns[RANK], np.inf)
        low = np.minimum.reduceat(ranks, starts)
        high = np.maximum.reduceat(np.where(has_rank, ranks, -np.inf), starts)
        filled = np.where(np.isfinite(high), high - np.minimum(low, 1) + 1, sizes)
        gaps = int((filled - sizes).clip(min=0).sum()) + int(np.count_nonzero(~has_rank))
        message = "{n} ranks are missing; the lists were ranked by score."
        problems.add_summary("missing-rank", gaps, message, "Check that no results were lost.")
        better = scores[:-1] > scores[1:]
        better[last] = False
        against = int(np.count_nonzero(better & (ranks[:-1] > ranks[1:])))
        turned = "They look like distances: change their sign, so that higher is better."
        remedy = turned if against > 0.5 * np.count_nonzero(better) else ""
        message = "{n} results have a better score but a worse rank than the next; the scores decide."
        problems.add_summary("ranks-disagree", against, message, remedy)
    equal = scores[1:] == scores[:-1]
    equal[last] = False
    tied = int(np.count_nonzero(np.append(equal, False) | np.append(False, equal)))
    message = f"{{n}} of {len(scores):,} results are tied; ties are listed by image id."
    remedy = "Optional: ties = expected."
    problems.add_summary("ties", tied, message, remedy)
    by_size = answered[np.argsort(sizes, kind="stable")]
    shorter = [image_ids[i] for i in by_size[: (sizes < sizes.max()).sum()]]
    message = f"Answers contain {sizes.min():,} to {sizes.max():,} results."
    problems.add_summary("unequal-depth", shorter, message, "Ranks beyond an answer's end count as 0.")
    missing = [image_ids[i] for i in np.setdiff1d(queries, answered).tolist()]
    message = f"{{n}} of {len(queries):,} queries have no answer in this run."
    remedy = "They count as empty lists, unless systems are compared over common queries: queries = common."
    problems.add_summary("missing-query", missing, message, remedy)


# Out of memory, and into a file.

_QUERY = ("query_id", "qid", "q_id", *RUN.columns[0].names)
_RESULT = ("docno", "doc_id", "docid", *RUN.columns[1].names)
"""Names of columns, those first that mean the id where a table has several (PyTerrier's query is a text)."""


def _of_object(value: Any, _problems: Problems) -> pa.Table:
    """The results of one system.

    - a DataFrame: a query, a result and a score per row; without a score the rank decides, 1 first;
    - {query: {result: score}}, {query: [(result, score), ...]}, {query: [result, ...]} best first;
    - a ``ranx.Run``; rows (query, result, score);
    - arrays (queries, results, scores) of one length.
    """
    table = as_pandas(value)
    columns: Sequence[Any]
    if table is not None:
        columns = _columns_of_run(table)
    elif isinstance(value, tuple) and len(value) == 3 and np.ndim(value[2]) == 1:
        columns = value
    else:
        rows = (
            [tuple(row) for row in value]
            if not isinstance(value, Mapping)
            else [(query, *row) for query, answer in value.items() for row in _ranked(answer)]
        )
        if any(len(row) != 3 for row in rows):
            raise ValueError("a row of a run is (query, result, score)")
        columns = [*zip(*rows, strict=True)] or [(), (), ()]
    columns = [*columns[:2], *map(np.asarray, columns[2:])]
    names = ["query", "candidate", "score", "rank"][: len(columns)]
    return pa.table([*map(column_of, columns)], names)


def _columns_of_run(table: Any) -> list[Any]:
    """Query, result, score and, where there is a column of it, rank."""
    names = (_QUERY, _RESULT, RUN.columns[2].names, RUN.columns[3].names)
    columns: list[Any] = [
        next((table[name] for name in columns_called(table, known)), None) for known in names
    ]
    if list(table.columns) == [0, 1, 2]:
        columns = [table[0], table[1], table[2], None]
    query, result, score, rank = columns
    if query is None or result is None or (score is None and rank is None):
        raise ValueError(f"its columns are {truncate(', '.join(map(str, table.columns)))}")
    if score is None:
        return [query, result, -rank.to_numpy(dtype=float)]
    return [query, result, score] if rank is None else [query, result, score, rank]


def _ranked(answer: Any) -> Iterable[tuple[Any, Any]]:
    """The results of a query with their scores; of a list without scores 1 below the first, and so on."""
    if isinstance(answer, Mapping):
        return answer.items()
    listed = as_list(answer)
    are_pairs = all(isinstance(item, tuple) and len(item) == 2 for item in listed)
    return listed if are_pairs else [(image, -place) for place, image in enumerate(listed, start=1)]


def _write(study: Study) -> Files:
    ids = pa.array(study.image_ids, pa.string())
    for system, folder in system_folders(study).items():
        if (run := study.runs.get(system)) is None:
            continue
        if (run.candidates < 0).any():
            message = f"The run of {system} contains images that are not in the study."
            raise InputError(f'{message} Open it with unknown="drop" before it is saved.')
        queries = ids.take(pa.array(np.repeat(run.queries, np.diff(run.indptr))))
        columns = queries, ids.take(pa.array(run.candidates)), run.scores, ranks_of(run.indptr)
        table = pa.table([*columns], names=["query", "candidate", "score", "rank"])
        content = io.BytesIO()
        content.write((",".join(table.column_names) + "\n").encode())
        csv.write_csv(table, content, csv.WriteOptions(include_header=False))
        yield f"systems/{folder}/run.csv", content.getvalue()


# As parts of a study.

RUN_ENDINGS = (".trec", ".txt", ".csv", ".tsv", ".json")


def _read(opening: Opening) -> dict[str, Run]:
    """The runs by system, names ascending; a system may have a run, embeddings, or both.

    With them are read the embeddings, and what ``study.toml`` says of systems: what they read, and which is
    the baseline; "" where it names none or an unknown one.
    """
    layout, bound = opening.layout, {"run": dict[str, Any](), "embeddings": dict[str, Any]()}
    for system, files in sorted(layout.systems.items()):
        for kind, by_system in bound.items():
            value = opening.bind(kind, opening.system_file(kind, files), system=system)
            by_system |= {} if value is None else {system: value}
            opening.parsed.pop((kind, files.get(kind)), None)  # to free its memory
    reads = {
        name: layout.toml.reads.get(name, ())
        for name in layout.systems
        if any(name in by_system for by_system in bound.values())
    }
    baseline = layout.toml.baseline
    if baseline and baseline not in (*reads, "@iou", "@nn-iou"):
        message, remedy = "No system is called '{value}', the baseline.", "Name one of these: {known}."
        known = sorted(reads) or ["none"]
        opening.problems.of(TOML).error("no-such-baseline", message, remedy, value=baseline, known=known)
        baseline = ""
    opening.values |= {"embeddings": bound["embeddings"], "reads": reads, "baseline": baseline}
    return bound["run"]


PARTS = (
    PartKind(
        "run",
        "System: ranking",
        (packed(*(f"run{e}" for e in RUN_ENDINGS)),),
        of_a_system=True,
        parse=parse_run,
        bind=lambda rows, problems, opening, system: bind_run(
            rows, problems, opening.images, system=system, queries=opening.queries
        ),
        study_field="runs",
        read=_read,
        of_object=_of_object,
        of_frames=True,
        accepted="Give {query: {result: score}}, or a DataFrame with the columns query_id, doc_id and score.",
        write=_write,
        kept_as=lambda name, _data, _rows: next(
            (f"run{e}" for e in RUN_ENDINGS if name.lower().removesuffix(".gz").endswith(e)), "run.trec"
        ),
        expected="TREC with six columns, CSV query,candidate,score, or JSON; also gzipped.",
        adds="a system to compare",
        schemas=(RUN,),
        has_shape=lambda sample: (
            sample.width in (3, 4) and sample.has_numbers(2) and not sample.has_concepts(0)
        ),
        contents=lambda rows: (
            f"{pluralize(len(rows.codes('query')[0]), 'query')}, {pluralize(rows.rows, 'result')}"
        ),
        ids=("query", "candidate"),
    ),
)
