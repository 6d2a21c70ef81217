"""What the net asks of the commands, by meaning; ``spelling.py`` says how that is written today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.net.studies import HURT, REAL


@dataclass(frozen=True)
class Case:
    """One command. ``group``: its file of golden values. ``places``: arguments after the study.

    In texts ``{study}``, ``{shared}``, ``{files}`` and ``{out}`` are the folders of the study, of the real
    data, of
    small files made for the net, and of what the command writes, which is recorded too.
    """

    group: str
    asked: str
    study: str = ""
    places: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    json: bool = True

    @property
    def name(self) -> str:
        """What tells it from the others: stable while its meaning is."""
        options = " ".join(f"{key}={value}" for key, value in self.options.items())
        return " ".join(filter(None, [self.asked, f"<{self.study}>", *self.places, options]))

    @property
    def real(self) -> bool:
        """Whether it needs real data beside the project."""
        return self.study in REAL or "{shared}" in self.name


BINARY = (
    "P({})@5",
    "Recall({})@10",
    "F1({})@10",
    "AP({})",
    "AP({})@10",
    "RR({})",
    "Rprec({})",
    "bpref({})",
    "Success({})@1",
    "nDCG({})@10",
)
GRADED = (
    "nDCG({})@10",
    "nDCG({},gain=exp)@5",
    "DCG({})@10",
    "mean({})@10",
    "RBP({},p=0.95)",
    "ERR({})@10",
    "MAX({})@10",
    "HP({})@10",
    "AHP({})@10",
)
CONTEXT = (
    "CAG-RBP(nn-iou,p=0.95,w=10)",
    "CAG-DCG(nn-iou,w=10)@50",
    "CAG-CG(nn-iou,w=10)@50",
    "CAG-AVG(nn-iou,w=10,row=5)@50",
    "CAG-ERR(nn-iou,w=10)@10",
    "CAG-MAX(nn-iou,w=10)@50",
    "CAG-DCG(iou,w=3)@10",
)
LEVELS = (
    "HAP(levels(modality>organ))",
    "ASI(levels(modality>organ))",
    "HP(levels(modality>organ))@10",
    "AHP(levels(modality>organ))@10",
)
SETS = ("best-match", "hierarchical", "average-link", "matching")
CONCEPTS = (
    "path",
    "wu-palmer",
    "leacock-chodorow",
    "cs1",
    *(
        f"{kind}-{ic}"
        for kind, ics in {
            "resnik": ("seco", "sanchez", "zhou", "corpus"),
            "lin": ("seco", "sanchez", "zhou", "corpus"),
            "jiang-conrath": ("seco", "sanchez", "zhou", "corpus"),
            "cs2": ("levels", "sanchez"),
            "cs3": ("levels", "sanchez"),
            "cs4": ("levels", "sanchez"),
        }.items()
        for ic in ics
    ),
)
RULES = ("concepts", "concepts_full", "pairs", "pairs_all", "matching", "matching2", "query", "candidate")
TWO = ["hog", "caption-tfidf"]
EVERY = "{out}/queries.csv"


def _scores() -> Iterator[Case]:
    def score(group: str, study: str, metric: str | list[str], **options: Any) -> Case:
        return Case(group, "score", study, options={"metric": metric, **options})

    for metric in [
        *(m.format("organ") for m in BINARY),
        *(m.format("modality&organ") for m in BINARY[:4]),
        *(m.format("nn-iou") for m in GRADED),
        *(m.format("iou") for m in GRADED[:4]),
        *CONTEXT,
        *LEVELS,
        "CUI@10",
        "nnCUI@10",
        "nnCUI@1",
        "nnCUI@159",
    ]:
        yield score("metrics", "sample", metric, per_query=EVERY)
    for metric in (
        "P(organ)@5",
        "nDCG(organ)@10",
        "AP(organ)",
        "RR(organ)",
        "ERR(iou)@10",
        "nnCUI@10",
        "RBP(iou,p=0.8)",
        "AHP(nn-iou)@10",
        "Recall(organ)@10",
        "bpref(organ)",
    ):
        for options in (
            {"ties": "expected"},
            {"undefined": "zero", "include_self": True},
            {"pool": "all", "gain": "exp"},
        ):
            yield score(
                "settings", "sample", metric, system=[*TWO, "@iou", "@nn-iou"], per_query=EVERY, **options
            )
    for rule in RULES:
        for direction in ("undirected", "directed"):
            yield score(
                "counting",
                "sample",
                ["nnCUI@10", "mean(nn-iou)@5"],
                count_rule=rule,
                direction=direction,
                threshold=2,
                system=["hog", "@nn-iou"],
                per_query=EVERY,
            )
    for alpha in (0, 0.3, 1):
        for threshold in (0, 1, 3):
            yield score("counting", "sample", "nnCUI@10", alpha=alpha, threshold=threshold, per_query=EVERY)
    for sets in SETS:
        for concept in CONCEPTS:
            name = f"{sets}:{concept}"
            yield score(
                "relevances", "sample", f"nDCG({name})@10", system=["hog", f"@{name}"], per_query=EVERY
            )
    for name in (
        "dice",
        "cosine",
        "overlap",
        "cosine:hog",
        "cosine:texture",
        "nn-iou[finding]",
        "iou[anatomy]",
    ):
        yield score(
            "relevances",
            "sample",
            [f"nDCG({name})@10", f"mean({name})@5"],
            system=["hog", f"@{name}"],
            per_query=EVERY,
        )
    yield score("statistics", "sample", ["nnCUI@10", "P(organ)@5"], baseline="hog")
    yield score(
        "statistics", "sample", ["nnCUI@10", "P(organ)@5"], baseline="hog", correction="bh", level=0.9, seed=7
    )
    yield score("statistics", "sample", "nnCUI@10", baseline="hog", correction="none", interval="bca")
    yield score("statistics", "sample", "nnCUI@10", baseline="hog", smallest_difference=0.05)
    for by in ("modality", "organ"):
        yield score("statistics", "sample", ["nnCUI@10", "P(organ)@5"], baseline="hog", by=by)
    for where in ("organ=heart", "organ!=heart", "organ=heart|lung"):
        yield score("statistics", "sample", "nnCUI@10", where=where, baseline="hog")
    for queries in ("all", "common", "common-pool"):
        yield score("statistics", "sample", "nnCUI@10", queries=queries, baseline="hog")
    yield score(
        "fused",
        "sample",
        "nnCUI@10",
        per_query=EVERY,
        system=["rrf:hog+texture", "rrf:hog+texture+caption-tfidf"],
    )
    yield score(
        "written",
        "sample",
        ["nnCUI@10", "P(organ)@5"],
        baseline="hog",
        latex="{out}/table.tex",
        markdown="{out}/table.md",
        csv="{out}/table.csv",
        by="modality",
    )
    yield score("written", "sample", ["nnCUI@10"], latex="{out}/table.tex", no_intervals=True)
    yield score(
        "statistics",
        "sample",
        "nnCUI@10",
        system=["{study}/systems/hog/run.trec.gz", "texture"],
        baseline="texture",
    )
    for name in ("person", "program"):
        for metric in (
            "nDCG(qrels:{})@10",
            "AP(qrels:{})",
            "infAP(qrels:{})",
            "Judged(qrels:{})@10",
            "bpref(qrels:{})",
            "P(qrels:{},rel=2)@5",
            "RR(qrels:{})",
        ):
            yield score("judgments", "judged", metric.format(name), per_query=EVERY)
            yield score("judgments", "no concepts", metric.format(name), per_query=EVERY)
    yield score("judgments", "judged", "nDCG(qrels:person)@10", judge="qrels:program", baseline="hog")
    yield score("judgments", "judged", "nDCG(qrels:person)@10", judge="nn-iou")
    for metric in ("R@1", "R@5", "MedR(pairs)", "MeanR(pairs)", "RR(pairs)", "Recall(pairs)@5", "nnCUI@5"):
        yield score("pairs", "matched", metric, per_query=EVERY)
        yield score("pairs", "matched", metric, where="direction=image->text")
    for study, systems in (
        ("roco", ["cnn_mobilenet", "hog", "text_tfidf_svd", "medclip_subset"]),
        ("covid", ["cnn_mobilenet", "hog", "text_tfidf_svd", "@cosine:hog"]),
    ):
        for metric in (
            "CUI@10",
            "nnCUI@10",
            "P(modality)@10",
            "P(modality&organ)@5",
            "AP(organ)",
            "nDCG(best-match:path)@10",
            "nDCG(matching:lin-seco)@10",
            "mean(iou)@10",
            "RBP(nn-iou,p=0.95)",
            "CAG-DCG(iou,w=10)@50",
        ):
            yield score(study, study, metric, system=systems, per_query=EVERY)
        yield score(study, study, ["nnCUI@10", "P(organ)@5"], baseline="hog", by="modality")
        yield score(study, study, "nnCUI@10", baseline="hog", queries="common", correction="bh")
        yield score(study, study, "nnCUI@10", same_group="keep", baseline="hog", pool="all")
        yield score(
            study, study, "nnCUI@10", threshold=2, direction="directed", count_rule="matching", system=["hog"]
        )
        yield score(study, study, "P(organ)@5", system=["rrf:cnn_mobilenet+text_tfidf_svd", "cnn_mobilenet"])
        yield score(study, study, "nDCG(cosine:hog)@10", system=["cnn_mobilenet"])
    for metric in ("P(modality)@5", "P(organ)@10", "P(modality&organ)@30"):
        yield score("rocov2", "rocov2", metric, system=["@iou", "@nn-iou"], per_query=EVERY)
    yield score("rocov2", "rocov2", "P(organ)@5", system=["@iou", "@nn-iou"], ties="expected")
    yield score("rocov2", "rocov2", "CUI@10", system=["@nn-iou"])


def _about_a_study() -> Iterator[Case]:
    for study in ("sample", "roco", "covid", "rocov2", "judged", "matched", "no concepts"):
        yield Case(study if study in REAL else "studies", "check", study)
    for what in HURT:
        yield Case("problems", "check", f"hurt: {what}")
        if len(what) % 3 == 0:
            yield Case("problems", "score", f"hurt: {what}", options={"metric": "nnCUI@10"})
    for unknown in ("zero", "drop"):
        for what in ("ids that end in jpg", "a query of no image"):
            yield Case(
                "problems", "score", f"hurt: {what}", options={"metric": "nnCUI@10", "unknown": unknown}
            )
    for study in ("sample", "covid"):
        group = study if study in REAL else "studies"
        metric = {"metric": "nnCUI@10"}
        yield Case(group, "compare", study, ("hog", "texture" if study == "sample" else "pixel_pca"), metric)
        yield Case(group, "all pairs", study, options={**metric, "csv": "{out}/pairs.csv"})
        yield Case(group, "overlap", study, options={"depth": 20, "p": 0.9})
        yield Case(group, "overlap", study, options={"k": 5})
        yield Case(group, "kinds" if study == "sample" else "measures", study)
        for extra in ({}, {"sort": "spread"}, {"show": "hard", "good_at": 0.4}, {"against_rest": "hog"}):
            yield Case(group, "queries", study, options={**metric, **extra, "csv": "{out}/queries.csv"})
    yield Case(
        "studies",
        "compare",
        "sample",
        ("hog", "texture"),
        {"metric": ["P(organ)@5", "AP(organ)"], "smallest_difference": 0.02},
    )
    yield Case("studies", "queries", "sample", options={"metric": "P(organ)@5", "show": "undefined"})
    yield Case("studies", "duplicates", "sample", options={"csv": "{out}/pairs.csv"})
    yield Case("studies", "duplicates", "sample", options={"near": 40, "csv": "{out}/pairs.csv"})
    for k in (5, 10):
        yield Case("studies", "kinds", "sample", options={"relevance": "nn-iou", "k": k})
    for relevance in ("iou", "nn-iou", "matching:path"):
        yield Case("studies", "kinds", "sample", options={"relevance": relevance, "k": 3})
    yield Case(
        "studies", "labels", "sample", options={"map": "{files}/labels_map.csv", "out": "{out}/labels.csv"}
    )
    for i, j in ((1, 2), (3, 4), (9, 149), (31, 15), (43, 38), (97, 98)):
        for options in ({"relevance": "all"}, {"alpha": 0.2, "threshold": 2}, {"count_rule": "pairs"}):
            yield Case("explained", "explain", "sample", (f"SYN_{i:03}", f"SYN_{j:03}"), options)
    yield Case("explained", "explain", "sample", ("SYN_001", "nowhere"))
    for start, end in (("lung", "heart"), ("C0040405", "C0024485"), ("brain", "chest"), ("lung", "lung")):
        yield Case("graph", "path", "sample", (start, end), {"every": True})
        yield Case("graph", "path", "sample", (start, end), {"direction": "directed"})
    for concept in ("lung", "C0040405", "aorta"):
        for within in (1, 3):
            yield Case("graph", "neighbours", "sample", (concept,), {"within": within})
        yield Case("graph", "search", "sample", (concept,), {"top": 20})
    yield Case("graph", "search", "sample", ("hart",))
    for threshold in (1, 2):
        yield Case(
            "graph", "dictionary", "sample", options={"threshold": threshold, "out": "{out}/neighbours.csv"}
        )
    for table in ("similarity", "relatedness"):
        yield Case(
            "rocov2",
            "ratings",
            "rocov2",
            options={"ratings": f"{{shared}}/real/concept_ratings/UMNSRS_{table}.csv"},
        )
    for options in (
        {"relevance": "organ"},
        {"relevance": "nn-iou", "times": 100},
        {"relevance": "iou", "at": 0.5, "zeros": True},
        {"relevance": "modality&organ", "where": "organ=heart"},
    ):
        yield Case("written", "qrels", "sample", options={**options, "out": "{out}/a.qrels"})
    for options in (
        {"system": "@nn-iou"},
        {"system": "@iou", "depth": 5, "ties": "expected"},
        {"system": "@cosine:hog", "depth": 20},
        {"system": "hog", "judged_by": "organ", "write_scores": "places"},
    ):
        yield Case("written", "rank", "sample", options={**options, "out": "{out}/a.trec"})
    options = {"system": "rrf:hog+texture", "depth": 20, "out": "{out}/a.csv"}
    yield Case("fused", "rank", "sample", options=options)
    for metric, more in (
        ("nnCUI@10", {}),
        ("P(organ)@5", {"baseline": "hog", "by": "modality"}),
        ("AP(organ)", {"sweep": True}),
    ):
        yield Case(
            "written",
            "report",
            "sample",
            options={"metric": metric, **more, "out": "{out}/report.html"},
            json=False,
        )


def _sweeps_and_measures() -> Iterator[Case]:
    for metric in ("nnCUI@10", "mean(nn-iou)@10"):
        yield Case("sweeps", "sweep", "sample", options={"metric": metric, "csv": "{out}/rows.csv"})
    yield Case(
        "sweeps",
        "sweep",
        "sample",
        options={"metric": "P(organ)@5", "system": ["@iou", "@nn-iou"], "thresholds": "1,2"},
    )
    for rules in ("all",):
        yield Case(
            "sweeps",
            "sweep",
            "sample",
            options={
                "metric": "nnCUI@10",
                "count_rules": rules,
                "alphas": "0,0.5,1",
                "system": ["hog", "texture"],
            },
        )
    yield Case(
        "sweeps",
        "sweep",
        "sample",
        options={"metric": "P(organ)@5", "subset": "disagree", "system": ["@iou", "@nn-iou"]},
    )
    yield Case(
        "covid", "sweep", "covid", options={"metric": "nnCUI@10", "alphas": "0,0.5,1", "thresholds": "1,2"}
    )
    yield Case(
        "rocov2",
        "sweep",
        "rocov2",
        options={
            "metric": "P(organ)@10",
            "subset": "disagree",
            "system": ["@iou", "@nn-iou"],
            "alphas": "0.5",
            "thresholds": "1",
        },
    )
    relevances = ["iou", "nn-iou", "dice", "matching:path", "cosine:hog"]
    yield Case("measures", "measures", "sample")
    yield Case("measures", "measures", "sample", options={"relevance": relevances})
    for unit in ("results", "queries", "systems"):
        yield Case("measures", "agreement", "sample", options={"relevance": relevances, "unit": unit})
        yield Case(
            "measures",
            "agreement",
            "sample",
            options={"relevance": relevances[:3], "unit": unit, "k": 5, "n_queries": 40, "seed": 3},
        )
    yield Case(
        "measures",
        "agreement",
        "sample",
        options={"relevance": relevances, "differ": ("iou", "nn-iou"), "pairs": "results"},
    )
    for more in ({}, {"k": 5, "correction": "none"}):
        yield Case("measures", "discrimination", "sample", options={"relevance": relevances, **more})
    yield Case(
        "measures",
        "table 1",
        "sample",
        options={"relevance": relevances[:3], "csv": "{out}/table.csv", "latex": "{out}/table.tex"},
    )
    yield Case(
        "rocov2",
        "table 1",
        "rocov2",
        options={"relevance": ["iou", "nn-iou"], "metric": ["P(organ)@5", "P(modality&organ)@10"]},
    )
    for table in ("vandyke_full", "vandyke_missing", "vandyke_split", "franken_full"):
        for measure in ("auc", "mean"):
            yield Case(
                "shared", "mrmc", "shared", (f"{{shared}}/real/mrmc/{table}.csv",), {"measure": measure}
            )
    yield Case(
        "shared",
        "mrmc",
        "shared",
        ("{shared}/real/mrmc/vandyke_full.csv",),
        {"width": 0.05, "power": 0.8, "difference": 0.03},
    )
    for more in ({}, {"kind": "preference"}):
        yield Case("readers", "mrmc", "sample", options={"simulated": True, **more})


def _features() -> Iterator[Case]:
    of_simulated = {"simulated": True, "relevance": ["iou", "nn-iou", "cosine:hog"]}
    yield Case("readers", "readers", "sample", options=of_simulated)
    yield Case(
        "readers",
        "readers",
        "sample",
        options={"simulated": True, "relevance": ["iou", "nn-iou"], "judgments": "simulated"},
    )
    for task in ("simulated", "simulated-lists"):
        yield Case("readers", "review show", "sample", (task,))
    for kind in ("graded", "preference", "panel"):
        yield Case(
            "readers",
            "review make",
            "sample",
            options={
                "task": f"new-{kind}",
                "kind": kind,
                "n_queries": 6,
                "depth": 3,
                "seed": 4,
                "system": TWO,
            },
        )
    for more in ({}, {"negated": "keep"}, {"uncertain": "leave-out"}):
        yield Case(
            "annotate",
            "annotate",
            "sample",
            options={"out": "{out}/concepts.csv", "matches": "{out}/matches.csv", **more},
        )
    for name in ("intensity-histogram", "hog", "texture", "pixel-pca"):
        yield Case(
            "encode", "encode", "sample", options={"model": f"baseline:{name}", "out": "{out}/vectors.npz"}
        )
    yield Case(
        "encode", "encode", "sample", options={"model": "baseline:caption-tfidf", "out": "{out}/vectors.npz"}
    )
    pair = {
        "truth": "{shared}/real/imageclef/pair_2024_valid/ground_truth.csv",
        "run": "{shared}/real/imageclef/pair_2024_valid/run.csv",
    }
    for edition in ("2022", "2023", "2025"):
        yield Case(
            "shared",
            "imageclef concepts",
            "shared",
            options={"edition": edition, **pair, "per_image": "{out}/images.csv"},
        )
    yield Case(
        "shared",
        "imageclef concepts",
        "shared",
        options={
            "edition": "2025",
            "truth": "{shared}/real/imageclef/pair_2024_train/ground_truth.csv",
            "run": "{shared}/real/imageclef/pair_2024_train/run.csv",
            "manual": "{shared}/real/imageclef/pair_2024_train/ground_truth_manual.csv",
        },
    )
    for edition in ("2017", "2018", "2022", "2023", "2025", "2026"):
        captions = {
            "edition": edition,
            "truth": "{files}/truth-captions.csv",
            "run": ["{files}/run-captions.csv", "{files}/other-captions.csv"],
        }
        concepts = {
            "edition": edition,
            "truth": "{files}/truth-concepts.csv",
            "run": ["{files}/run-concepts.csv", "{files}/bad-concepts.csv"],
        }
        if edition == "2017":
            captions = {key: _tabbed(value) for key, value in captions.items()}
            concepts = {key: _tabbed(value) for key, value in concepts.items()}
        yield Case(
            "imageclef", "imageclef captions", "", options={**captions, "per_image": "{out}/images.csv"}
        )
        yield Case(
            "imageclef", "imageclef concepts", "", options={**concepts, "per_image": "{out}/images.csv"}
        )
        yield Case("imageclef", "imageclef concepts", "", options={**concepts, "run": concepts["run"][:1]})
    lists = {
        "lists": "{shared}/real/satisfaction/relevance.csv",
        "satisfaction": "{shared}/real/satisfaction/satisfaction.csv",
        "scale": "0:3",
    }
    for more in (
        {"csv": "{out}/rows.csv"},
        {"rows": "10", "resamples": 200},
        {"windows": "1:8", "resamples": 100},
        {"window": 5, "resamples": 100},
        {"test": "steiger", "resamples": 100},
        {"skip": "minmax", "resamples": 100},
        {"sums": True, "resamples": 100},
        {"divide_by": "window", "resamples": 100},
        {"average": "images", "stop_by": "gain", "resamples": 100},
    ):
        yield Case("shared", "satisfaction", "shared", options={**lists, **more})
    groups = {"archetypes": "{files}/real", "subjects": ["{files}/noisy", "{files}/dark"]}
    for more in (
        {"csv": "{out}/subjects.csv"},
        {"wsi_alpha": 0.5, "wsi_beta": 2},
        {"quantiles": "0.1,0.9", "archetype": "each"},
        {"sensitivity": True},
        {"feature_weights": "channels"},
        {"quantiles": "10%", "side": 64},
    ):
        yield Case("synthetic", "synthetic score", "", options={**groups, "side": 96, **more})
    yield Case(
        "synthetic",
        "synthetic copies",
        "",
        options={
            "training": "{files}/real",
            "generated": ["{files}/noisy", "{files}/copied"],
            "csv": "{out}/nearest.csv",
        },
    )
    yield Case("synthetic", "synthetic distances", "", options={**groups, "csv": "{out}/images.csv"})
    yield Case("synthetic", "synthetic distances", "", options={**groups, "people": "{files}/people.csv"})


def _tabbed(value: Any) -> Any:
    if isinstance(value, list):
        return [_tabbed(one) for one in value]
    return value.replace(".csv", ".txt") if isinstance(value, str) else value


def _edges_of_rules() -> Iterator[Case]:
    """Where deliberate faults went unnoticed: empty sets, first concepts, groups, other forms of files."""
    for study in ("no graph", "other forms", "judged in groups"):
        yield Case("edges", "check", study)
        yield Case("edges", "score", study, options={"metric": ["CUI@10", "P(organ)@5"], "per_query": EVERY})
    yield Case("edges", "search", "no graph", ("lung",))
    yield Case("edges", "path", "no graph", ("lung", "heart"))
    for judge in ("qrels:program", "nn-iou"):
        options = {"metric": "nDCG(qrels:person)@10", "judge": judge, "baseline": "hog"}
        yield Case("edges", "score", "judged in groups", options=options)
    for interval in ("bca", "percentile"):
        options = {"metric": "nnCUI@10", "interval": interval, "baseline": "hog"}
        yield Case("edges", "score", "judged in groups", options=options)
    yield Case("covid", "score", "covid", options={"metric": "nnCUI@10", "interval": "bca"})
    for metric in ("AHP(levels(modality>organ))@1", "HP(levels(modality>organ))@1", "AHP(iou)@1"):
        yield Case("edges", "score", "sample", options={"metric": metric, "per_query": EVERY})
    for start, end in (("C0000726", "C0039985"), ("C0039985", "C0000726")):
        yield Case("edges", "path", "sample", (start, end), {"every": True})
    for i, j in ((1, 85), (85, 1), (97, 107), (107, 159), (54, 97)):  # few concepts or none
        yield Case("edges", "explain", "sample", (f"SYN_{i:03}", f"SYN_{j:03}"), {"relevance": "all"})
    for relevance in ("matching:lin-seco", "hierarchical:path", "average-link:path", "best-match:lin-corpus"):
        yield Case("edges", "explain", "sample", ("SYN_001", "SYN_003"), {"relevance": relevance})
    lists = {"lists": "{shared}/real/satisfaction/relevance.csv", "scale": "0:3", "resamples": 50}
    rated = {"satisfaction": "{shared}/real/satisfaction/satisfaction.csv"}
    for test in ("meng", "hotelling", "fisher"):
        yield Case("shared", "satisfaction", "shared", options={**lists, **rated, "test": test})
    for resamples in (37, 400):
        options = {
            "archetypes": "{files}/real",
            "subjects": "{files}/dark",
            "side": 96,
            "resamples": resamples,
            "seed": 5,
        }
        yield Case("edges", "synthetic score", "", options=options)


def cases() -> list[Case]:
    """Every case; no two have the same name."""
    every = [*_scores(), *_about_a_study(), *_sweeps_and_measures(), *_features(), *_edges_of_rules()]
    assert len({case.name for case in every}) == len(every)
    return every


def subset(every: list[Case]) -> list[Case]:
    """The fixed subset of every day: each group's cases that tell most per second."""
    keep: dict[str, int] = {
        "metrics": 3,
        "settings": 5,
        "counting": 4,
        "relevances": 6,
        "problems": 4,
        "roco": 6,
        "covid": 4,
        "shared": 4,
        "synthetic": 3,
        "written": 4,
    }
    seen: dict[str, int] = {}
    chosen = []
    for case in every:
        seen[case.group] = n = seen.get(case.group, -1) + 1
        if case.group != "rocov2" and n % keep.get(case.group, 2) == 0:
            chosen.append(case)
    return chosen
