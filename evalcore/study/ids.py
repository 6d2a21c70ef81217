"""Which ids of a study are images, queries and candidates? Settled once, before anything is bound to them.

**Images.** With a concept file, its ids and no others. Without one, whatever other parts are about: captions,
pictures, documents, labels, groups, vectors, candidates, judgments, pairs and rankings; but no text or report
of ``queries.csv``, and no other query of it that is only asked. (``queries.txt`` chooses among these.)

**Queries that are no images.** Rows of ``queries.csv`` with an id of their own. Without such a table and with
a concept file: ids that ``queries.txt``, judgments or pairs ask and the concept file does not list, as soon
as a system answers one of them; not where they are ids of images in another spelling.

**Asked** are the queries of ``queries.csv``, else those of ``queries.txt``. Without either, with a concept
file whose images are the only queries, all images; else what judgments, pairs, rankings and vectors that
stand for queries alone ask, or all images where these ask nothing.

**Offered** are the candidates of ``candidates.txt``. Without it, all images; without a concept file all but
those that judgments, pairs, rankings or vectors of queries only ask: what is returned, judged, matched or a
document is offered too.

**Directions.** A query that was matched or judged with texts of ``queries.csv`` looks among all of these; one
matched or judged with an image, or with nothing, among the images offered; it may do both. Where no system
answers any query so, queries look where the systems' results are as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.schema import Rows
from evalcore.values.arrays import Bools, Ints, readonly
from evalcore.values.own_queries import OF_TEXT, Direction


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Results that a part names for queries, such as those of a ranking.

    ``rows``: aligned positions in ``queries`` and in ``results``, shape (m,) each; None for vectors, which
    answer every query they have with every image they have.
    """

    queries: Sequence[str]
    results: Sequence[str]
    rows: tuple[Ints, Ints] | None

    @staticmethod
    def of_table(rows: Rows, query: str, result: str) -> Links:
        """Of two columns of a table."""
        (queries, query_codes), (results, result_codes) = rows.codes(query), rows.codes(result)
        return Links(queries, results, (query_codes, result_codes))

    def queries_among(self, images: Container[str]) -> set[str]:
        """The queries that have a result among these."""
        inside = np.fromiter((result in images for result in self.results), np.bool_, len(self.results))
        if self.rows is None:
            return set(self.queries) if inside.any() else set()
        queries, results = self.rows
        return {self.queries[i] for i in np.unique(queries[inside[results]]).tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class NamedIds:
    """The ids in the parts of a study, as far as they decide.

    ``concepts``: of the concept file, None without one; ``shown``: of captions and pictures; ``documents``:
    of a corpus; ``named``: of labels and groups, which may be those of queries. ``kinds``: the queries of
    ``queries.csv`` with their kinds, None without such a table; ``queries``, ``candidates``: of the lists.
    ``truth``: the links of judgments and pairs; ``reversed_pairs``: those of pairs the other way round;
    ``systems`` reads those of rankings and vectors, once, when they matter.
    """

    concepts: Collection[str] | None
    kinds: Mapping[str, str] | None
    systems: Callable[[], Sequence[Links]]
    shown: Collection[str] = ()
    documents: Collection[str] = ()
    named: Collection[str] = ()
    queries: Collection[str] = ()
    candidates: Collection[str] = ()
    truth: Sequence[Links] = ()
    reversed_pairs: Sequence[Links] = ()


@dataclass(frozen=True, slots=True, eq=False)
class StudyIds:
    """The ids of a study, what is asked, and what is offered.

    ``image_ids``: of images and queries, ascending; ``only``: True for queries that are no images, None where
    there are none. ``directions``: at least one; a single one without a name where all look among images.
    """

    image_ids: tuple[str, ...]
    only: Bools | None
    directions: tuple[Direction, ...]


def settle_ids(parts: NamedIds) -> StudyIds:
    """Which ids are images, who is asked, and what is offered? By the rule of this module.

    Ids in lists that no other part knows are passed over; who binds the list reports them.
    """
    images, only = _images(parts)
    known = images | only
    if parts.kinds is not None:
        queries = known & parts.kinds.keys()
    elif listed := known.intersection(parts.queries):
        queries = listed
    elif parts.concepts is not None and not only:
        queries = images
    else:
        queries = known & _sides(*parts.truth, *parts.systems())[0] or images
    offered = images.intersection(parts.candidates) or images
    if offered is images and parts.concepts is None:
        query_ids, result_ids = _sides(*parts.truth, *parts.systems())
        offered = images - query_ids.difference(result_ids, parts.documents)
    image_ids = tuple(sorted(known))
    is_query = np.array([name in only for name in image_ids], np.bool_)
    index = {name: i for i, name in enumerate(image_ids)}
    directions = list[Direction]()
    for name, *sides in _directions(parts, queries, offered, images, only):
        places = [np.array(sorted(index[image] for image in ids), np.int32) for ids in sides]
        directions.append(Direction(name, *map(readonly, places)))
    return StudyIds(image_ids, readonly(is_query) if only else None, tuple(directions))


def _sides(*links: Links) -> tuple[set[str], set[str]]:
    """The ids that are queries, and those that are results. Of vectors only those that stand for queries
    alone say which they are."""
    queries, results = set[str](), set[str]()
    for part in links:
        if part.rows is None:
            queries |= set(part.queries).difference(part.results)
        else:
            queries.update(part.queries)
            results.update(part.results)
    return queries, results


def _images(parts: NamedIds) -> tuple[set[str], set[str]]:
    """The images, and the queries that are none."""
    table = parts.kinds or {}
    queries, results = _sides(*parts.truth)
    if parts.concepts is not None:
        images = set(parts.concepts)
        if parts.kinds is not None:
            return images, set(table) - images
        foreign = queries.union(parts.queries) - images
        misspelt = not foreign or explain_id_mismatch(sorted(foreign), list(parts.concepts))
        if misspelt or not any(not foreign.isdisjoint(part.queries) for part in parts.systems()):
            foreign = set()
        return images, foreign
    systems = parts.systems()
    of_systems, returned = _sides(*systems)
    vectors = {name for part in systems if part.rows is None for name in (*part.queries, *part.results)}
    certain = results.union(returned, parts.shown, parts.documents, parts.candidates)
    texts = {name for name, kind in table.items() if kind in OF_TEXT}
    only = texts.difference(parts.shown) | (table.keys() - certain)
    return certain.union(queries, of_systems, vectors, parts.named, table) - only, only


def _directions(
    parts: NamedIds, queries: set[str], offered: set[str], images: set[str], only: set[str]
) -> list[tuple[str, set[str], set[str]]]:
    """The name of each direction, its queries and its candidates, images before texts."""
    texts = {name for name in only if (parts.kinds or {}).get(name) in OF_TEXT}
    if not texts:
        return [("", queries, offered)]
    truth = (*parts.truth, *parts.reversed_pairs)
    to_text = queries & {query for part in truth for query in part.queries_among(texts)}
    to_image = queries & {query for part in truth for query in part.queries_among(images)}
    to_image |= queries - to_text
    if not to_text:
        return [("", queries, offered)]
    systems = parts.systems()
    by_image = {query for part in systems for query in part.queries_among(offered)}
    by_text = {query for part in systems for query in part.queries_among(texts)}
    if not (to_image & by_image or to_text & by_text):
        to_image |= queries & by_image
        to_text |= queries & by_text
    result = []
    for to, members, among in (("image", to_image, offered), ("text", to_text, texts)):
        if members:
            sides = {"text" if query in texts else "image" for query in members}
            result.append((f"{'+'.join(sorted(sides))}->{to}", members, among))
    return result
