"""Real studies: what the nn-IoU paper's Table 1 shows, and published precision of seven real systems."""

from __future__ import annotations

import csv
import json
import shutil

import numpy as np
import pytest

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.common_pool import compared_over
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise, summarise_all
from evalcore.evaluate.systems import common_queries
from evalcore.study import open_study
from evalcore.values.grouping import with_same_group
from evalcore.values.settings import Settings, View
from tests.measured import compare
from tests.packs import write_pack

pytestmark = pytest.mark.real

CUTOFFS = (5, 10, 30)
COLUMNS = ("modality", "organ", "modality&organ")
SEVEN = (
    "cnn_mobilenet",
    "hog",
    "intensity_hist",
    "lbp_glcm",
    "medclip_subset",
    "pixel_pca",
    "text_tfidf_svd",
)


@pytest.fixture(scope="module")
def rocov2(real_dir, tmp_path_factory):
    """ROCOv2 test with the open graph and its labels."""
    folder = tmp_path_factory.mktemp("rocov2")
    (folder / "graph").mkdir()
    shutil.copy(real_dir / "rocov2/test_concepts.csv", folder / "concepts.csv")
    shutil.copy(real_dir / "labels/rocov2_test_labels.csv", folder / "labels.csv")
    shutil.copy(real_dir / "kg/edges.csv", folder / "graph/edges.csv")
    return open_study(folder)


@pytest.fixture(scope="module")
def roco(images_dir, tmp_path_factory):
    """1,102 images with seven systems and two labels."""
    columns = {"modality": "modality", "body_region": "organ"}
    return open_study(
        write_pack(images_dir / "roco", tmp_path_factory.mktemp("roco"), columns, systems=SEVEN)
    )


def means_of(study, metrics, **options):
    """{(system, metric): mean}"""
    scores = score(study, metrics=metrics, **options)
    intervals = summarise_all(scores)
    return {(row.system, row.metric): mean.mean for row, mean in zip(scores, intervals, strict=True)}


@pytest.mark.parametrize("ties", ["id", pytest.param("expected", marks=pytest.mark.nightly)])
def test_nn_iou_is_above_iou_for_organ_and_for_both_labels(rocov2, ties):
    metrics = [f"P({column})@{cutoff}" for column in COLUMNS for cutoff in CUTOFFS]
    means = means_of(rocov2, metrics, systems=["@iou", "@nn-iou"], settings=Settings(ties=ties))
    for column in COLUMNS[1:]:
        for cutoff in CUTOFFS:
            metric = f"P({column})@{cutoff}"
            assert means["@nn-iou", metric] > means["@iou", metric]
    for system in ("@iou", "@nn-iou"):
        # the paper: above 98.9 % at every cutoff; ours depends on another graph and other labels
        assert all(means[system, f"P(modality)@{cutoff}"] > 0.98 for cutoff in CUTOFFS)
        for column in COLUMNS:
            falling = [means[system, f"P({column})@{cutoff}"] for cutoff in CUTOFFS]
            assert falling == sorted(falling, reverse=True)


def test_all_queries_count_in_their_pools(rocov2):
    scores = score(rocov2, metrics=[f"P({column})@5" for column in COLUMNS], systems=["@nn-iou"])
    # images with exactly one label of each type, counted in the label file
    assert [row.n_queries for row in scores] == [9864, 5711, 5688]
    assert all((row.n_undefined, row.missing, row.short) == (0, 0, 0) for row in scores)


def test_precision_of_the_seven_systems_is_what_the_pack_states(roco, images_dir):
    stated = json.loads((images_dir / "roco/stats_p10.json").read_text())
    metrics = ["P(modality)@10", "P(organ)@10", "mean(iou)@10"]
    means = means_of(roco, metrics, settings=Settings(pool="all"), queries="all")
    for system in set(SEVEN) - {"medclip_subset"}:
        assert means[system, "P(modality)@10"] == pytest.approx(stated[system]["modality"]["P10"], abs=5e-5)
        assert means[system, "P(organ)@10"] == pytest.approx(stated[system]["region"]["P10"], abs=5e-5)
        assert means[system, "mean(iou)@10"] == pytest.approx(
            stated[system]["mean_concept_jaccard@10"], abs=5e-5
        )


def test_fusing_what_images_show_with_what_captions_say(roco):
    """RRF of the network and the captions, all 1,102 queries over all images: P(modality)@5 of .880."""
    names = ["cnn_mobilenet", "text_tfidf_svd", "rrf:cnn_mobilenet+text_tfidf_svd"]
    means = means_of(roco, ["P(modality)@5"], systems=names)
    assert [round(means[name, "P(modality)@5"], 3) for name in names] == [0.792, 0.75, 0.88]


def test_a_system_that_answers_166_queries_only(roco, images_dir):
    stated = json.loads((images_dir / "roco/stats_p10.json").read_text())["medclip_subset"]
    (everywhere,) = score(roco, metrics=["mean(iou)@10"], systems=["medclip_subset"])
    assert (everywhere.n_queries, everywhere.n_scored, everywhere.missing) == (1102, 1102, 936)
    common = common_queries(roco, SEVEN)
    assert len(common) == 166
    (answered,) = score(roco, metrics=["mean(iou)@10"], systems=["medclip_subset"], queries=common)
    assert summarise(answered).mean == pytest.approx(stated["mean_concept_jaccard@10"], abs=5e-5)
    assert summarise(everywhere).mean == pytest.approx(summarise(answered).mean * 166 / 1102)


@pytest.fixture(scope="module")
def roco_vectors(roco, images_dir, tmp_path_factory):
    """The same study with the vectors of the two systems that are compared below."""
    folder = tmp_path_factory.mktemp("vectors") / "roco"
    shutil.copytree(roco.path, folder)
    for system in ("cnn_mobilenet", "medclip_subset"):
        vectors = images_dir / f"roco/embeddings/{system}.npz"
        shutil.copy(vectors, folder / "systems" / system / "embeddings.npz")
    return open_study(folder)


PAIR = ["medclip_subset", "cnn_mobilenet"]


def test_a_system_that_searches_166_of_1102_images_is_compared_over_these(roco_vectors, images_dir):
    over = compared_over(roco_vectors)
    assert (over.which, len(over.queries), len(over.candidates)) == ("common-pool", 166, 166)
    assert {pool.system: pool.n for pool in over.pools} == {
        **dict.fromkeys(SEVEN, 1102),
        "medclip_subset": 166,
    }
    assert (set(over.by_vectors), len(over.filtered)) == (set(PAIR), 5)
    stated = json.loads((images_dir / "roco/stats_p10.json").read_text())
    limited, settings = over.limit(roco_vectors), Settings(pool="all")
    for system, key in (
        ("cnn_mobilenet", "cnn_mobilenet @medclip pool"),
        ("medclip_subset", "medclip_subset"),
    ):
        modality, organ, iou = score(
            limited,
            metrics=["P(modality)@10", "P(organ)@10", "mean(iou)@10"],
            systems=[system],
            settings=settings,
        )
        # The pack leaves out the one query whose modality no other of the 166 has.
        assert np.nansum(modality.values) / 165 == pytest.approx(stated[key]["modality"]["P10"], abs=5e-5)
        assert summarise(organ).mean == pytest.approx(stated[key]["region"]["P10"], abs=5e-5)
        assert summarise(iou).mean == pytest.approx(stated[key]["mean_concept_jaccard@10"], abs=5e-5)


def naive_ndcg(sets, pool, order, k=10):
    """nDCG@k by IoU of each query of the pool: rankings of the pool from a matrix of cosines, plain sums."""
    values = []
    for q, query in enumerate(pool):
        gains = [len(sets[query] & sets[c]) / len(sets[query] | sets[c]) for c in pool]
        mine = [gains[i] for i in order[q] if i != q][:k]
        best = sorted((gain for i, gain in enumerate(gains) if i != q), reverse=True)[:k]
        discounts = 1 / np.log2(np.arange(k) + 2)
        values.append(np.dot(mine, discounts) / np.dot(best, discounts))
    return np.array(values)


def test_the_difference_over_the_common_pool_is_that_of_plain_sums(roco_vectors, images_dir):
    limited = compared_over(roco_vectors, PAIR).limit(roco_vectors)
    scores = score(limited, metrics=["CUI@10"], systems=PAIR)
    concepts = roco_vectors.concepts
    for row in scores:
        packed = np.load(images_dir / f"roco/embeddings/{row.system}.npz")
        vectors = dict(zip(packed["ids"].tolist(), packed["vectors"].astype(float), strict=True))
        pool = [roco_vectors.image_ids[i] for i in limited.candidates]
        matrix = np.array([vectors[i] for i in pool])
        order = np.argsort(-(matrix @ matrix.T), axis=1, kind="stable")
        sets = {i: concepts.of_image(concepts.index(i)) for i in pool}
        assert row.values == pytest.approx(naive_ndcg(sets, pool, order), abs=1e-9)


def test_where_two_of_the_seven_differ(roco):
    """Counted by hand in a notebook: ahead by .043 over all, by .33 for ultrasound, behind by .40 for PET."""
    cnn, text = score(roco, metrics=["P(modality)@5"], systems=["cnn_mobilenet", "text_tfidf_svd"])
    view = View(metrics=(cnn.metric,), systems=(cnn.system, text.system))
    analysis = Analysis(roco, view, lambda: (cnn, text))
    parts = analysis.slicing("modality").slices
    differences = analysis.slice_comparisons(cnn.system, text.system, "modality")
    by_modality = dict(zip([part.name for part in parts], differences, strict=True))
    assert compare(cnn, text).difference == pytest.approx(0.043, abs=5e-4)
    assert by_modality["Ultrasound"].difference == pytest.approx(0.33, abs=5e-3)
    assert by_modality["PET"].difference == pytest.approx(-0.40, abs=5e-3)


TREC = {
    "map": "AP(organ)",
    "bpref": "bpref(organ)",
    "Rprec": "Rprec(organ)",
    "recip_rank": "RR(organ)",
    "P_5": "P(organ)@5",
    "recall_10": "Recall(organ)@10",
    "success_1": "Success(organ)@1",
    "ndcg_cut_10": "nDCG(organ)@10",
}


@pytest.mark.parametrize("system", ["cnn_mobilenet", "medclip_subset"])
def test_every_label_metric_is_trec_evals_query_by_query(roco, system):
    """Every third query. Images are named in reverse, as trec_eval breaks ties by descending id."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    ids, column = roco.image_ids, roco.labels.columns["organ"]
    labels = [set(column.of_image(i)) for i in range(len(ids))]
    offered = {int(i) for i in roco.candidates if labels[i]}
    qrels, run = {}, {}
    name = [f"{len(ids) - i:05}" for i in range(len(ids))]
    queries = [int(q) for q in roco.runs[system].queries if labels[q]][::3]
    for query in queries:
        judged = offered - {query}
        qrels[ids[query]] = {name[i]: int(bool(labels[i] & labels[query])) for i in judged}
        images, values = roco.runs[system].answer(query, include_self=False)
        answer = zip(images.tolist(), values.tolist(), strict=True)
        run[ids[query]] = {name[i]: value for i, value in answer if i in judged}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {*TREC}).evaluate(
        {query: answers for query, answers in run.items() if answers}
    )
    board = score(roco, metrics=list(TREC.values()), systems=[system], queries=np.array(queries))
    for ours, name in zip(board, TREC, strict=True):
        compared = 0
        for query, value in zip(ours.queries, ours.values, strict=True):
            if not np.isnan(value) and ids[query] in oracle:
                assert value == pytest.approx(oracle[ids[query]][name], rel=1e-12, abs=1e-14), name
                compared += 1
        assert compared > 40


def test_precision_among_other_patients_is_what_the_pack_states(images_dir, tmp_path):
    """covid: findings without those marked "unlabelled", candidates of the query's own patient left out."""
    pack, systems = images_dir / "covid", ["text_tfidf_svd", "cnn_mobilenet"]
    stated = json.loads((pack / "stats_p10.json").read_text())
    columns = {"findings": "finding", "group": "patient"}
    write_pack(pack, tmp_path, columns, systems=systems, cell=lambda text: text.replace("unlabelled", ""))
    study = open_study(tmp_path)
    assert study.groups is not None and study.groups.n == 197
    for choice, key in (("keep", "P10"), ("drop", "P10_other_group")):
        means = means_of(with_same_group(study, choice), ["P(finding)@10"])
        for system in systems:
            assert means[system, "P(finding)@10"] == pytest.approx(stated[system]["finding"][key], abs=5e-5)


def test_what_can_be_detected_counts_patients_and_not_images(images_dir, tmp_path):
    """covid, first result of another patient: two images of one patient say less than two of two."""
    columns = {"modality": "modality", "group": "patient"}
    write_pack(images_dir / "covid", tmp_path, columns, systems=["cnn_mobilenet", "hog"])
    with (tmp_path / "labels.csv").open(newline="", encoding="utf-8") as lines:
        rows = [tuple(row.values()) for row in csv.DictReader(lines)]
    cnn, hog = score(open_study(tmp_path), ["P(modality)@10"])
    comparison = compare(hog, cnn)
    difference = np.abs(cnn.values - hog.values) * np.sign(cnn.values - hog.values)
    patients = dict.fromkeys(patient for *_, patient in rows)
    patient_of = {image: patient for image, _, patient in rows}
    ids = [image for image, *_ in sorted(rows)]
    off = difference - difference.mean()
    sums = [sum(off[i] for i, name in enumerate(ids) if patient_of[name] == patient) for patient in patients]
    g, n = len(sums), len(off)
    error = np.sqrt(g / (g - 1) * np.dot(sums, sums)) / n
    assert (g, n) == (197, 429)
    assert comparison.standard_error == pytest.approx(error)
    assert error > 1.5 * difference.std(ddof=1) / np.sqrt(n), "as if all images were of different patients"
