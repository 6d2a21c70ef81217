"""Your own measures and readers: three decorators, for a notebook, a script, a file or a package.

    import evalcore as cs

    @cs.register_relevance("jaccard")
    def jaccard(query, candidate):
        return len(query & candidate) / len(query | candidate)

From then on every measure that takes a relevance takes this one: ``mean(jaccard)@5``, ``nDCG(jaccard)@10``,
the system ``@jaccard``. A file with such functions joins a command by ``cuiscope --plugin FILE.py
...`` and the pages by the environment variable ``CUISCOPE_PLUGINS``; a package offers its own as an entry
point of the group ``cuiscope.plugins`` that names the module. Only these are ever run, nothing that comes
with a study.

Names that the program uses itself are refused. A name that is registered again, as when a cell of a
notebook runs twice, stands for the new function from then on, and nothing computed by the old one is used
again.
"""

from __future__ import annotations

import inspect
import re
from functools import partial, wraps
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from scipy import sparse

from evalcore.ranking.custom import family_of
from evalcore.ranking.families import METRICS
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.custom import values_of_block, values_of_pairs
from evalcore.relevance.registry import EMBEDDING, RELEVANCE, RelevanceMeasure, parse_relevance
from evalcore.study.parts.kind import FORMATS, Format
from evalcore.study.parts.registry import KINDS
from evalcore.values.errors import SettingError
from evalcore.values.plugins import register, specs

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from evalcore.values.plugins import Plugin

F = TypeVar("F", bound="Callable[..., Any]")

_EMPTY = (("an image without concepts", "0"), ("a query that is not annotated", "undefined"))


def register_relevance(name: str, *, block: bool = False, title: str = "") -> Callable[[F], F]:
    """How relevant is a candidate to a query, by a function of their concepts?

    Parameters
    ----------
    name
        What labels call it: letters and digits, joined by single - or _.
    block
        False: the function takes two frozensets of CUIs, of the query and of the candidate, and gives a
        number. It is called once for each two different sets, in Python: about a second per million calls
        and what the function itself takes, so a study of 10,000 different images with an ideal ranking
        costs minutes. True: it takes two `scipy.sparse.csr_array` of 0 and 1, n query sets and m candidate
        sets, one row per set and one column per concept, and gives an array of shape (n, m); with a third
        parameter it is given the CUIs of the columns too, a tuple. Some tens of thousands of pairs come at
        once, so this is the fast form. A pair must have the same value in every block.
    title
        What pages call it for readers who are not statisticians; the name unless given.

    The function is never called with an empty set: an image without concepts has the value 0, as under
    every other relevance. Its first docstring line is what pages and `metrics` say about it.

    Raises
    ------
    SettingError
        A name that cannot be one, or that the program uses itself. When it is used, InputError for values
        that are no numbers from 0 to 1 and for whatever it raises, with the pair of images.
    """
    taken = [*RELEVANCE, *SET_MEASURES, EMBEDDING, "levels"]

    def made(function: F) -> F:
        called: Callable[..., Any] = function
        if block and len(inspect.signature(function).parameters) == 2:
            called = wraps(function)(lambda queries, candidates, _vocabulary: function(queries, candidates))
        spec_of = partial(_measure, title or name)
        register("relevance", name, called, spec_of, taken=taken, block=block)
        return function

    return made


def register_metric(
    label: str,
    *,
    relevance: str | None = None,
    linear: bool = False,
    range: tuple[float | None, float | None] = (0.0, 1.0),
    title: str = "",
) -> Callable[[F], F]:
    """How good is a ranked list, by a function of its gains?

    Parameters
    ----------
    label
        ``NAME@K`` for a measure of the first K results, ``NAME`` for one of the whole list. The name has
        letters and digits, and at most one hyphen. What is relevant stands in brackets where it is used: a
        relevance or label columns, ``Mine(organ)@10``, ``Mine(nn-iou)@10``.
    relevance
        A relevance that the measure is about in any case; it then has no brackets: ``Mine@10``.
    linear
        Whether the value is linear in the gains. Then equal scores can be averaged over
        (``ties=expected``): the function is given the mean gain of a group of equal scores, which gives the
        exact expectation. Otherwise it is refused with that setting.
    range
        Lowest and highest value it can give; None for no bound.
    title
        What pages call it; the name unless given.

    The function is called once per list and asks for what it needs by the names of its parameters:

    gains
        An array, the gains in the order of rank, best rank first: of the first K results, or of all. Shorter
        where the system returned fewer, empty where it returned none. By a relevance its value (or, with
        ``gain=exp``, 2^value - 1), by labels 1 or 0. Equal scores are ordered by image id.
    k
        The K of the label; not for a measure of the whole list.
    ideal
        An array, the gains of all candidates that gain anything, returned or not, highest first. A query for
        which it is empty has no value, as for nDCG. To find it every query is compared with every candidate.

    Raises
    ------
    SettingError
        A label or parameters that cannot be. When it is used, InputError for values outside the range and for
        whatever it raises, with the query.
    """
    written = re.fullmatch(r"([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z][A-Za-z0-9]*)?)(@K)?", label)
    if written is None:
        raise SettingError("metric", "written like mine@K or mine", label)
    name, cut = written[1], bool(written[2])
    low, high = range
    if relevance is not None:
        relevance = str(parse_relevance(relevance))

    spec_of = partial(
        family_of,
        cut=cut,
        low=-inf if low is None else low,
        high=inf if high is None else high,
        title=title,
        linear=linear,
        relevance=relevance,
    )

    def made(function: F) -> F:
        taken = [metric for metric in METRICS if metric not in specs["metric"]]
        register("metric", name, function, spec_of, taken=taken)
        return function

    return made


def register_format(ending: str, *, part: str = "run") -> Callable[[F], F]:
    """Read files of a form of your own, by a function of their bytes.

    Parameters
    ----------
    ending
        Of the files, without the dot: ``register_format("knn")`` reads ``systems/NAME/run.knn`` and
        ``runs/NAME.knn``.
    part
        What the files are: ``run``, ``embeddings``, ``concepts``, ``captions``, ``labels`` or ``groups``. A
        file is recognised by its name: the part, a dot, and the ending (``concepts.knn``).

    The function takes the bytes of one file and gives what `make_study` takes for that part: of a run
    {query: {result: score}} or a DataFrame with the columns query_id, doc_id and score; of embeddings (ids,
    array); of concepts {image: CUIs}; of captions {image: text}; of labels {image: {type: value}} or a
    DataFrame; of groups {image: group}.

    What it gives is checked as a file of the program's own forms would be; lines in messages are then rows
    of it, a head counted. A file that cannot be read is an error of that file, with the line of the
    function that raised.

    Raises
    ------
    SettingError
        An ending that the program reads itself, or no such part.
    """
    if part not in FORMATS:
        raise SettingError("part", f"one of {', '.join(FORMATS)}", part)
    if not re.fullmatch(r"[A-Za-z0-9]+", ending) or ending.lower() in {"gz", "zip"}:
        raise SettingError("ending", "letters and digits, without a dot", ending)

    name, kind = f"{part}:{ending.lower()}", KINDS[part]

    def spec_of(plugin: Plugin) -> Format:
        return Format(kind, f".{ending.lower()}", plugin)

    def made(function: F) -> F:
        taken = [known.replace(f"{part}.", f"{part}:", 1) for known in kind.known[0]]
        register("reader", name, function, spec_of, taken=taken)
        return function

    return made


# What the functions become in the registry of relevances.


def _measure(title: str, plugin: Plugin) -> RelevanceMeasure:
    """The entry of a relevance of a user."""
    return RelevanceMeasure(
        name=plugin.name,
        title=title,
        formula="a function of two concept sets",
        family="custom",
        reference=str(plugin),
        plain=plugin.plain or f"A measure of your own, of {plugin.file}.",
        edges=_EMPTY,
        symmetric=False,
        monotone_in_shared=False,
        one_with_itself=False,
        value=partial(_value, plugin),
    )


def _value(plugin: Plugin, a: Set[str], b: Set[str], _near: Any, _settings: Any) -> float:
    """The value of two sets; 0 where one is empty. A function of blocks is given a block of one pair."""
    if not a or not b:
        return 0.0
    if not plugin.block:
        return float(values_of_pairs(plugin, [(frozenset(a), frozenset(b))], lambda _place: "this pair")[0])
    vocabulary = tuple(sorted(a | b))
    query, candidate = (
        sparse.csr_array([[float(cui in concepts) for cui in vocabulary]]) for concepts in (a, b)
    )
    return float(
        values_of_block(plugin, query, candidate, vocabulary, lambda _row, _column: "this pair")[0, 0]
    )
