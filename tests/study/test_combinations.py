"""Every legal combination of the parts of a study opens, and has the value that its parts say.

The oracle is written here from the raw parts, in plain Python over sets: who is asked and what is offered by
the rule in docs/reference/study-folder.md ("Which ids are images, queries and candidates"), measures by their
definitions. Nothing of it calls the code under test.

Not legal, and not here: a text or report of ``queries.csv`` that the concept file lists too (an error:
"id-of-an-image"); texts as results that neither ``queries.csv`` nor the concept file knows.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations, pairwise, product
from math import fsum, isnan, log2, nan, sqrt
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from evalcore import score
from evalcore.evaluate.conditions import select
from evalcore.study import open_study, save_study
from evalcore.study.in_memory import make_study
from evalcore.values.errors import CuiscopeError, InputError

K = 3
IMAGES = ("i1", "i2", "i3", "i4", "i5", "i6")
KINDS = {"images": "image", "texts": "text", "pictures": "image", "image+text": "image+text"}
ASKERS = {
    "images": ("i1", "i2", "i4"),
    "texts": ("t1", "t2", "t3"),
    "pictures": ("p1", "p2", "p3"),
    "image+text": ("m1", "m2", "m3"),
}
A, B, C, D, E = (f"C000000{i}" for i in range(1, 6))
EDGES = ((B, A), (C, B), (E, D))
NEAR = {frozenset(edge) for edge in EDGES}
SETS: dict[str, tuple[str, ...] | None] = {
    "i1": (A, D), "i2": (B,), "i3": (B, D, E), "i4": (C,), "i5": None, "i6": (),
    "t1": (A,), "t2": (B, E), "t3": (D,), "p1": (A, B), "p2": (C, D), "p3": (E,),
    "m1": (A, E), "m2": (B, C), "m3": (C,),
}  # fmt: skip
ORGANS = {
    "i1": "lung", "i2": "lung", "i3": "heart", "i4": "heart", "i5": "lung", "t1": "lung", "t2": "heart",
    "t3": "heart", "p1": "lung", "p2": "heart", "p3": "lung", "m1": "lung", "m2": "heart", "m3": "lung",
}  # fmt: skip
LISTED = ("i1", "i2", "i3", "i5", "i6")


@dataclass(frozen=True)
class Case:
    """Which parts a study has.

    ``asker``: what asks: images, texts, pictures, image+text, or both sides (texts and images).
    ``declared``: where it is said who asks: nowhere, in a list, or a table with or without concepts.
    ``concepts``: none, of images, or of images and queries. ``judged``, ``pairs``: of which sides: "q" for
    queries with images, "i" for images with images, "t" for images with texts. ``system``: the sides of its
    run, or vectors.
    """

    asker: str
    declared: str
    concepts: str
    judged: str
    pairs: str
    system: str
    labels: bool
    candidates: bool = False
    captions: bool = False
    graph: bool = False

    @property
    def name(self) -> str:
        values = [f"{field.name}_{getattr(self, field.name)}" for field in fields(self)]
        return "-".join(value.removesuffix("_True") for value in values if not value.endswith("False"))

    @property
    def askers(self) -> tuple[str, ...]:
        if self.asker == "both sides":
            return (*ASKERS["texts"], *ASKERS["images"])
        return ASKERS[self.asker]

    @property
    def of_queries(self) -> tuple[str, ...]:
        """Those whose answers are images: all but images in a study of both sides."""
        return ASKERS["texts"] if self.asker == "both sides" else self.askers

    @property
    def legal(self) -> bool:
        table, two_sides = self.declared.startswith("table"), self.asker == "both sides"
        if two_sides and not table:
            return False  # which of them are texts is in queries.csv only
        if self.asker in ("pictures", "image+text") and not table:
            return False  # ids that no table describes: as texts
        if self.asker == "images" and (self.declared == "table with concepts" or self.concepts == "both"):
            return False  # their concepts are those of images
        if self.concepts == "both" and (
            self.declared == "table with concepts" or (table and self.asker in ("texts", "both sides"))
        ):
            return False  # texts of queries.csv that are in the concept file
        if not two_sides and set(self.judged + self.pairs + self.system.removeprefix("vectors")) - {"q"}:
            return False
        if self.concepts == "none" and not (self.judged or self.pairs or self.labels):
            return False  # nothing to score by
        foreign = self.asker == "texts" and self.declared == "nowhere" and self.concepts == "images"
        return not (foreign and not (self.judged or self.pairs))  # nothing but a run says that they ask


def _cases() -> list[Case]:
    cases = []
    sides = ("images", "texts", "pictures", "image+text", "both sides")
    declared = ("nowhere", "list", "table", "table with concepts")
    for asker, how, concepts, judged, pairs, system, labels in product(
        sides,
        declared,
        ("none", "images", "both"),
        ("", "q", "i", "qi", "t"),
        ("", "q", "t", "qt"),
        ("q", "i", "qt", "vectors"),
        (False, True),
    ):
        case = Case(asker, how, concepts, judged, pairs, system, labels)
        # The others take turns, so that each is met with each of the above; so do some of both sides.
        turn = crc32(case.name.encode())
        if case.legal and (asker != "both sides" or turn % 3 == 0):
            case = replace(case, candidates=bool(turn & 16), captions=bool(turn & 64))
            case = replace(case, graph=bool(turn & 256) and concepts != "none")
            cases.append(case)
    return cases


# The raw parts.


def _number(query: str, result: str, salt: str) -> int:
    return crc32(f"{salt}{query}>{result}".encode()) >> 3


def _sides(case: Case, sides: str) -> list[tuple[str, str]]:
    """Queries with possible results on these sides."""
    images, texts = ASKERS["images"], ASKERS["texts"]
    links = []
    if "q" in sides:
        links += [(query, image) for query in case.of_queries for image in IMAGES]
    if "i" in sides:
        links += [(query, image) for query in images for image in IMAGES]
    if "t" in sides:
        links += [(query, text) for query in images for text in texts]
    return [(query, result) for query, result in links if query != result]


def _judgments(case: Case) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for query, result in _sides(case, case.judged):
        if (number := _number(query, result, "judged")) % 3:
            judged.setdefault(query, {})[result] = number // 3 % 4
    return judged


def _pairs(case: Case) -> list[tuple[str, str]]:
    return [
        (query, result)
        for query, result in _sides(case, case.pairs)
        if int(query[1]) == int(result[1]) or (int(query[1]), int(result[1])) in ((2, 3), (1, 2), (4, 3))
    ]


def _run(case: Case) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    if case.system != "vectors":
        for query, result in _sides(case, case.system):
            # The last of several answers nothing; scores repeat, so that some are tied.
            if query not in ("t3", "p3", "m3") and (number := _number(query, result, "run")) % 5:
                run.setdefault(query, {})[result] = float(number // 5 % 7)
    return run


def _vectors(case: Case) -> dict[str, list[float]]:
    if case.system != "vectors":
        return {}
    ids = sorted({*IMAGES, *case.askers})
    return {name: np.random.default_rng(crc32(name.encode())).normal(size=4).tolist() for name in ids}


def _parts(case: Case) -> dict[str, Any]:
    """The parts by the names that `make_study` has for them."""
    table = case.declared.startswith("table")
    named = {*IMAGES, *case.askers}
    parts: dict[str, Any] = {}
    if case.concepts != "none":
        inner = named if case.concepts == "both" else set(IMAGES)
        parts["concepts"] = {name: SETS[name] for name in sorted(inner)}
    if case.declared == "list":
        parts["queries"] = list(case.askers)
    if table:
        parts["queries"] = {}
        for name in case.askers:
            kind = "image" if name in IMAGES else KINDS[case.asker if case.asker in KINDS else "texts"]
            row: dict[str, Any] = {"kind": kind, "text": "" if kind == "image" else f"what {name} asks"}
            if case.declared == "table with concepts" and name not in IMAGES:
                row["concepts"] = SETS[name]
            parts["queries"][name] = row
    if case.candidates:
        parts["candidates"] = list(LISTED)
    if case.pairs:
        parts["pairs"] = _pairs(case)
    if case.judged:
        parts["judgments"] = {"p": _judgments(case)}
    if case.labels:
        parts["labels"] = {name: {"organ": ORGANS[name]} for name in sorted(named) if name in ORGANS}
    if case.captions:
        parts["captions"] = {name: f"what {name} shows" for name in IMAGES[:4]}
    if case.graph:
        parts["graph"] = list(EDGES)
    if run := _run(case):
        parts["runs"] = {"s": run}
    if vectors := _vectors(case):
        parts["vectors"] = {"s": vectors}
    return parts


# Queries and candidates.


@dataclass(frozen=True)
class Asked:
    name: str
    queries: tuple[str, ...]
    candidates: tuple[str, ...]


def _links(parts: dict[str, Any]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What judgments and pairs say, both ways round for pairs; and what the run returned."""
    judged = [(q, r) for q, inner in parts.get("judgments", {}).get("p", {}).items() for r in inner]
    returned = [(q, r) for q, inner in parts.get("runs", {}).get("s", {}).items() for r in inner]
    return judged, returned


def _expected(parts: dict[str, Any]) -> list[Asked]:
    judged, returned = _links(parts)
    pairs, vectors = parts.get("pairs", []), set(parts.get("vectors", {}).get("s", {}))
    source = parts.get("queries")
    table = source if isinstance(source, dict) else None
    listed = set(source) if isinstance(source, list) else set()
    texts = {name for name, row in (table or {}).items() if row["kind"] == "text"}
    results = {r for _, r in (*judged, *pairs, *returned)}
    asks = {q for q, _ in (*judged, *pairs, *returned)}
    if "concepts" in parts:
        images = set(parts["concepts"])
        foreign = ({q for q, _ in (*judged, *pairs)} | listed) - images
        answered = {q for q, _ in returned} | vectors
        only = set(table) - images if table else foreign if foreign & answered else set()
    else:
        surely = results | set(parts.get("captions", ()))
        surely |= set(parts.get("candidates", ()))
        images = surely | asks | vectors | set(parts.get("labels", ())) | set(table or ())
        only = {name for name in table or () if name in texts or name not in surely}
        images -= only
    if table:
        queries = set(table)
    elif listed & (images | only):
        queries = listed & (images | only)
    elif "concepts" in parts and not only:
        queries = images
    else:
        queries = asks & (images | only) or images
    offered = set(parts.get("candidates", ())) & images or images
    if "concepts" not in parts and "candidates" not in parts:
        offered = {name for name in images if name in results or name not in asks}
    by_image = dict.fromkeys(queries, False)
    by_text = dict.fromkeys(queries, False)
    for q, r in (*judged, *pairs, *((r, q) for q, r in pairs)):
        if q in queries:
            by_image[q] |= r in images
            by_text[q] |= r in texts & only
    to_text = {q for q in queries if by_text[q]}
    to_image = {q for q in queries if by_image[q] or not by_text[q]}

    def answers(among: set[str], offer: set[str]) -> set[str]:
        if vectors:
            return among & vectors if offer & vectors else set()
        return {q for q, r in returned if q in among and r in offer}

    if to_text and not answers(to_image, offered) and not answers(to_text, texts):
        to_image |= answers(queries, offered)
        to_text |= answers(queries, texts)
    if not to_text:
        return [Asked("", tuple(sorted(queries)), tuple(sorted(offered)))]
    both = []
    for to, way, offer in (("image", to_image, offered), ("text", to_text, texts)):
        sides = sorted({"text" if q in texts else "image" for q in way})
        if way:
            both.append(Asked(f"{'+'.join(sides)}->{to}", tuple(sorted(way)), tuple(sorted(offer))))
    return both


# What each measure is.


def _ranking(parts: dict[str, Any], query: str, offered: set[str]) -> list[str]:
    if "runs" in parts:
        scores = parts["runs"]["s"].get(query, {})
    else:
        vectors = parts["vectors"]["s"]
        scores = {}
        for other in sorted(offered & set(vectors)) if query in vectors else ():
            a, b = vectors[query], vectors[other]
            product_ = fsum(x * y for x, y in zip(a, b, strict=True))
            scores[other] = product_ / sqrt(fsum(x * x for x in a)) / sqrt(fsum(x * x for x in b))
        values = sorted(value for name, value in scores.items() if name != query)
        assert all(b - a > 1e-5 for a, b in pairwise(values)), "float32 decides"
    return sorted((r for r in scores if r in offered and r != query), key=lambda r: (-scores[r], r))


def _ndcg(gains: list[float], best: list[float]) -> float:
    def dcg(values: list[float]) -> float:
        return fsum(value / log2(i + 2) for i, value in enumerate(values[:K]))

    ideal = dcg(sorted(best, reverse=True))
    return dcg(gains) / ideal if ideal else nan


def _concepts(parts: dict[str, Any], name: str) -> tuple[str, ...] | None:
    table = parts.get("queries")
    own = table.get(name, {}).get("concepts") if isinstance(table, dict) else None
    concepts: tuple[str, ...] | None = parts.get("concepts", {}).get(name, own)
    return concepts


def _similarity(a: tuple[str, ...], b: tuple[str, ...] | None, *, near: bool) -> float:
    left, right = set(a), set(b or ())
    if not left | right:
        return 0.0
    only_left, only_right = left - right, right - left
    matched = sum(any(frozenset((x, y)) in NEAR for y in only_right) for x in only_left)
    matched += sum(any(frozenset((x, y)) in NEAR for x in only_left) for y in only_right)
    return (len(left & right) + (0.5 * matched if near else 0)) / len(left | right)


def _values(parts: dict[str, Any], way: Asked, metric: str) -> dict[str, float]:
    """The value of each query of the measure's pool; NaN for an undefined one."""
    offered = set(way.candidates)
    values = {}
    organs = {name: row["organ"] for name, row in parts.get("labels", {}).items()}
    judged = parts.get("judgments", {}).get("p", {})
    mates: dict[str, set[str]] = {}
    for a, b in parts.get("pairs", ()):
        mates.setdefault(a, set()).add(b)
        mates.setdefault(b, set()).add(a)
    for query in way.queries:
        ranked = _ranking(parts, query, offered)
        others = [name for name in way.candidates if name != query]
        if metric.startswith(("CUI", "nnCUI")):
            concepts = _concepts(parts, query)
            near = metric.startswith("nn")
            gain = {r: _similarity(concepts or (), _concepts(parts, r), near=near) for r in others}
            values[query] = _ndcg([gain[r] for r in ranked], list(gain.values())) if concepts else nan
        elif metric.startswith("nDCG"):
            grades = judged.get(query, {})
            gains = [float(grades.get(r, 0)) for r in ranked]
            values[query] = _ndcg(gains, [float(grades.get(r, 0)) for r in others])
        elif metric.startswith("P(organ)"):
            if query in organs:
                labelled = [r for r in ranked if r in organs][:K]
                values[query] = sum(organs[r] == organs[query] for r in labelled) / K
        elif query in mates:
            right = mates[query] & set(others)
            places = [i for i, r in enumerate(ranked, start=1) if r in right]
            if metric.startswith("Recall"):
                values[query] = sum(place <= K for place in places) / len(right) if right else nan
            else:
                values[query] = (1 / places[0] if places else 0.0) if right else nan
    return values


def _metrics(case: Case) -> list[str]:
    metrics = [f"CUI@{K}"] if case.concepts != "none" else []
    metrics += [f"nnCUI@{K}"] if case.graph else []
    metrics += [f"nDCG(qrels:p)@{K}"] if case.judged else []
    metrics += [f"Recall(pairs)@{K}", "RR(pairs)"] if case.pairs else []
    return metrics + ([f"P(organ)@{K}"] if case.labels else [])


def _in_direction(study: Any, way: Asked) -> Any:
    return select(study, [f"direction={way.name}"]) if way.name else study


def _finds(parts: dict[str, Any], way: Asked) -> bool:
    """Whether the system answers in this direction."""
    return any(_ranking(parts, query, set(way.candidates)) for query in way.queries)


CASES = _cases()
DAILY = [case for case in CASES if crc32(case.name.encode()) % 4 == 0]
"""By night all of them."""


@pytest.mark.parametrize(("cases", "least", "most"), [(CASES, 500, 700), (DAILY, 120, 180)])
def test_every_two_parts_are_combined_in_several_ways(cases: list[Case], least: int, most: int) -> None:
    assert least <= len(cases) <= most
    for first, other in combinations([field.name for field in fields(Case)], 2):
        ways = {(getattr(case, first), getattr(case, other)) for case in cases}
        assert len(ways) > max(len({way[i] for way in ways}) for i in (0, 1)), (first, other)


@pytest.mark.parametrize("cases", [DAILY, pytest.param(CASES, marks=pytest.mark.nightly)], ids=["", "all"])
@pytest.mark.parametrize("asker", [*ASKERS, "both sides"])
def test_a_legal_combination_opens_and_has_its_value(asker: str, cases: list[Case], tmp_path: Path) -> None:
    for n, case in enumerate(case for case in cases if case.asker == asker):
        check(case, tmp_path / str(n))


def check(case: Case, folder: Path) -> None:
    parts, name = _parts(case), case.name
    study = make_study(**parts)  # raises where there is an error
    assert not study.report.total("error"), name
    expected = _expected(parts)
    ways = [way.name for way in expected if way.name]
    assert [direction.name for direction in study.directions] == ways, name
    for way in expected:
        looking = _in_direction(study, way)
        ids = looking.image_ids
        assert tuple(ids[i] for i in looking.queries) == way.queries, name
        assert tuple(ids[i] for i in looking.candidates) == way.candidates, name
        if way.name and not _finds(parts, way):
            assert looking.systems == (), name
            continue
        assert looking.systems == ("s",), name
        expected_values = {metric: _values(parts, way, metric) for metric in _metrics(case)}
        if all(isnan(value) for values in expected_values.values() for value in values.values()):
            continue  # nothing that the system answers can be scored
        for scores in score(looking, list(expected_values), systems=["s"]):
            values = expected_values[scores.metric]
            inside = scores.reasons != 5  # outside the pool of labels, or of pairs
            scored = dict(zip((ids[i] for i in scores.queries[inside]), scores.values[inside], strict=True))
            assert scored == pytest.approx(values, abs=1e-12, nan_ok=True), (name, scores.metric)
            assert scores.n_scored == sum(not isnan(value) for value in values.values()), name
    again = open_study(save_study(study, folder))
    assert not again.report.total("error"), name
    assert again.digest == study.digest, name


STRANGE = ("i1", "t1", "p1", "i9", "t9", "i1.jpg", "T1")


def _hurt(part: Any, number: Callable[[], int]) -> Any:
    """The part with some of its entries left out, and some ids called otherwise."""
    if isinstance(part, dict):
        return {
            STRANGE[number() % 7] if number() % 6 == 0 else key: _hurt(value, number)
            for key, value in part.items()
            if number() % 7
        }
    if isinstance(part, list):
        return [
            entry if number() % 6 else (other, *entry[1:]) if isinstance(entry, tuple) else other
            for entry in part
            if number() % 7 and (other := STRANGE[number() % 7])
        ]
    return part


def test_parts_that_do_not_fit_are_refused() -> None:
    for seed in range(40):
        number = partial(Random(seed).randrange, 1 << 30)
        case = CASES[number() % len(CASES)]
        parts = {
            name: part if name in ("vectors") else _hurt(part, number)
            for name, part in _parts(case).items()
            if number() % 7
        }
        with suppress(InputError):
            study = make_study(**parts)
            with suppress(CuiscopeError):
                score(study, _metrics(case))


def test_query_vectors_without_concepts_make_queries(tmp_path: Any) -> None:
    """Labels and the vectors of a two-sided system, without a concept file."""
    np.savez(
        tmp_path / "both.npz",
        ids=["i1", "i2"],
        vectors=np.array([[1.0, 0], [0, 1]]),
        query_ids=["t1"],
        query_vectors=np.array([[0.6, 0.8]]),
    )
    labels = {"i1": {"organ": "lung"}, "i2": {"organ": "heart"}, "t1": {"organ": "heart"}}
    study = make_study(labels=labels, vectors={"s": tmp_path / "both.npz"})
    assert [study.image_ids[i] for i in study.queries] == ["t1"]
    assert [study.image_ids[i] for i in study.candidates] == ["i1", "i2"]
    again = open_study(save_study(study, tmp_path / "saved"))
    for held in (study, again):
        (outcome,) = score(held, ["P(organ)@1"])
        assert outcome.values.tolist() == [1.0]
