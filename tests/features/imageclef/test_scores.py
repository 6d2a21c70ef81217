"""F1 of concept detection: golden values, the organisers' known answers, and a plain oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from evalcore.features.imageclef.caption_metrics import (
    OVERALL,
    bleu_2017,
    bleu_2022,
    cider_d,
    coco_bleu,
    coco_rouge_l,
    ngrams,
    normalised,
    overall_values,
    rouge_1,
    similarity,
    stemmer,
    stop_words,
    umls_f1,
    words,
)
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
from evalcore.features.imageclef.models import bert_score, inverse_frequency
from evalcore.features.imageclef.scoring import board_of, compared_by
from evalcore.values.errors import InputError
from tests.features.imageclef.scored import captions, concepts, table


def test_golden_2017(spec_golden):
    golden = spec_golden["D_f1_2017"]
    result = concepts("2017", table(golden["gt"], "\t"), table(golden["run"], "\t"))
    assert result.accepted
    assert result.score == pytest.approx(golden["total"][2], abs=1e-12)
    assert (result.n_images, result.n_ignored, result.secondary) == (4, 1, None)
    for image, value in zip(result.truth, result.values["F1"], strict=True):
        expected = golden["per"][image]
        assert math.isnan(value) if expected == "ignored" else value == pytest.approx(expected, abs=1e-12)


def test_golden_2025(spec_golden):
    golden = spec_golden["D_f1_2025"]
    truth, run = (table(golden[side], ",", "ID,CUIs\n") for side in ("gt", "run"))
    result = concepts("2025", truth, run)
    values = dict(zip(result.truth, result.values["F1"].tolist(), strict=True))
    assert result.accepted
    assert values == pytest.approx(golden["primary"][0], abs=1e-12)
    assert result.score == pytest.approx(golden["primary"][3], abs=1e-12)
    assert result.secondary == pytest.approx(golden["secondary"][3], abs=1e-12)


@pytest.mark.real
@pytest.mark.parametrize(
    ("folder", "manual", "primary", "secondary"),
    [
        ("pair_2024_valid", "ground_truth.csv", 0.5954437229437209, 0.9198009950248743),
        ("pair_2024_train", "ground_truth_manual.csv", 0.5778105564593623, 0.9444032575119395),
    ],
)
def test_known_answers_of_the_organisers(real_dir, folder, manual, primary, secondary):
    names = ("ground_truth.csv", "run.csv", manual)
    truth, run, checked = ((real_dir / "imageclef" / folder / name).read_text() for name in names)
    result = concepts("2025", truth, run, manual=checked)
    assert result.accepted and result.report.problems == ()
    assert result.score == pytest.approx(primary, abs=1e-12)
    assert result.secondary == pytest.approx(secondary, abs=1e-12)


CELLS = st.lists(
    st.sampled_from(["C0000001", "c0000002", "C0000003", " C0000004", ""]), max_size=4, unique=True
)


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from(["2017", "2018", "2022", "2025"]),
)
def test_equals_the_scripts_written_out_with_sklearn(rows, edition):
    rules = CONCEPT_EDITIONS[edition]
    mark = rules.separator
    truth = {f"img{i}": mark.join(true) for i, (true, _) in enumerate(rows)}
    run = {f"img{i}": mark.join(own) for i, (_, own) in enumerate(rows)}
    total, counted = 0.0, len(rows)
    for image, cell in run.items():
        true, predicted = truth[image].upper(), cell.upper()
        if edition in {"2017", "2018"}:
            g = [] if true.strip() == "" else true.split(mark)
            p = [] if predicted.strip() == "" else predicted.split(mark)
        else:
            g, p = ([c.strip() for c in text.split(mark)] for text in (true, predicted))
        if not g:
            counted -= 1
            continue
        words = sorted({*g, *p})
        total += f1_score([int(w in g) for w in words], [int(w in p) for w in words], zero_division=0.0)
    result = concepts(edition, table(truth, rules.cell), table(run, rules.cell))
    if not counted:
        assert math.isnan(result.score)
    elif result.accepted:
        assert result.score == pytest.approx(total / counted, abs=1e-12)


def test_a_run_of_other_images_has_no_score():
    result = concepts("2025", "a,C0000001\n", "b,C0000001\n")
    assert not result.accepted and math.isnan(result.score)


def test_the_secondary_score_counts_every_image_of_the_manual_file():
    with pytest.raises(InputError, match="lacks 1 image of the ground truth, such as b"):
        concepts("2025", "a,C0040405\nb,C0040405\n", "a,C0040405\nb,\n", manual="a,C0040405\n")
    result = concepts("2025", "a,C0040405\n", "a,C0040405\n", manual="a,C0040405\nz,C0040405\n")
    assert result.secondary == 0.5


# Caption metrics against golden values of other programs and of the definitions; results of runs.

TRUTH = {
    "a": "Chest X-ray showing a left-sided pneumothorax (arrow).",
    "b": "CT scan of the abdomen: hepatic mass.",
    "c": "Any of the above",
}
RUN = {
    "a": "Chest x-ray: left sided pneumothorax",
    "b": "CT scan of the abdomen showing a renal mass",
    "c": "Any",
}
SIX = {
    name: np.array([0.1, 0.2])
    for name in ("BERTScore", "BERTScore recall", "BLEURT", "UMLS F1", "AlignScore", "similarity")
}
THREE = {name: SIX[name] for name in ("BERTScore", "similarity")}


def test_bleu_of_tokens_and_of_captions(spec_golden):
    for case in spec_golden["D_bleu"].values():
        pair = case["ref"].split(), case["cand"].split()
        assert bleu_2017(*pair) == pytest.approx(case["nltk_3.2.2"], rel=1e-12)
        assert bleu_2022(*pair) == pytest.approx(case["nltk_new"], rel=1e-9)
    stem, stop = stemmer(), stop_words("2017")
    for pair, golden in spec_golden["D_bleu_pipeline"].items():
        reference, candidate = (words(text, stop=stop, stem=stem) for text in pair.split(" ||| "))
        assert (reference, candidate) == (golden["gt_tokens"], golden["cand_tokens"])
        assert bleu_2017(reference, candidate) == pytest.approx(golden["bleu_322"], rel=1e-12)


def test_rouge_and_the_preprocessing_of_2025(spec_golden, spec_extra):
    texts = zip(spec_extra["cider"]["refs"], spec_extra["cider"]["cands"], strict=True)
    for (r, c), expected in zip(texts, spec_extra["rouge_score"], strict=True):
        assert rouge_1(r, c) == pytest.approx(expected["rouge1"][2], rel=1e-12)
    for pair, golden in spec_golden["D_2025_prep"].items():
        truth, candidate = (normalised(text) for text in pair.split(" ||| "))
        assert (truth, candidate) == (golden["gt"], golden["cand"])
        assert rouge_1(truth, candidate) == pytest.approx(golden["rouge1_f"], rel=1e-12)


def test_metrics_of_coco():
    """The specification's three captions as one corpus, by pycocoevalcap."""
    texts = [
        ("ct scan show liver mass", "ct scan show renal mass"),
        ("chest x ray show pneumonia", "chest x ray"),
        ("mri of the brain show a mass", "mri of the brain show a mass"),
    ]
    pairs = [(ngrams(true.split()), ngrams(own.split())) for true, own in texts]
    assert cider_d(pairs) == pytest.approx([3.7861935593056284, 5.085673100577726, 10.0], rel=1e-12)
    assert [coco_rouge_l(*pair) for pair in texts] == pytest.approx([0.8, 0.7176470588235294, 1], rel=1e-12)
    bleu = [
        [0.7999999996800004, 0.6324555317648827, 0.5108729546934666, 9.036020031392194e-05],
        [0.5134171186903144, 0.5134171186475296, 0.5134171185476987, 0.016235674845794527],
        [0.9999999997142859, 0.9999999997023811, 0.9999999996873018, 0.9999999996672622],
        [0.8168284309978406, 0.7718303186462, 0.7401693366330884, 0.6974274223532524],
    ]
    np.testing.assert_allclose(np.vstack(coco_bleu(pairs)), bleu, rtol=1e-12)
    truth, run = (
        table(dict(zip("abc", side, strict=True)), "\t").encode() for side in zip(*texts, strict=True)
    )
    (result,) = captions("2017", truth, {"PRED.txt": run}).results
    assert [result.metric(f"BLEU-{n}") for n in range(1, 5)] == pytest.approx(bleu[-1], rel=1e-12)
    assert result.metric("CIDEr-D") == pytest.approx(6.290622219961118, rel=1e-12)
    assert result.values["BLEU-4"].tolist() == pytest.approx([row[-1] for row in bleu[:-1]], rel=1e-12)


def test_arithmetic_of_models(spec_extra, spec_golden):
    golden = spec_extra["bertscore"]
    cosines = np.array(golden["S_ref_x_cand"])
    ref, cand = np.array(golden["idf_ref"]), np.array(golden["idf_cand"])
    expected = (golden["P_idf"], golden["R_idf"], golden["F_idf"])
    assert bert_score(cosines, ref, cand) == pytest.approx(expected, rel=1e-9)
    plain = bert_score(cosines, np.ones(3), np.ones(2))
    assert plain[:2] == pytest.approx((golden["P"], golden["R"]), rel=1e-9)
    assert bert_score(np.empty((0, 2)), np.empty(0), np.ones(2)) == (0.0, 0.0, 0.0)
    idf, unseen = inverse_frequency([["a", "b", "b"], ["a"], ["a"]])
    wanted = spec_extra["bert_idf"]
    assert (unseen, idf["b"], idf["a"]) == pytest.approx((wanted["idf(df=0)"], wanted["idf(df=1)"], 0.0))
    for case in spec_extra["clip"]:
        cosine = case["cos_img"]
        text = np.array([cosine, np.sqrt(1 - cosine**2)])
        value = similarity(np.array([1.0, 0]), text, ("x", "y"), zero_when_empty=False)
        assert value == pytest.approx(case["clipscore"])
    for sets, value in spec_golden["D_medcat"].items():
        true, own = (tuple(filter(None, part.strip("{}").split(","))) for part in sets.split("|"))
        assert umls_f1([("x", "y")], ["i"], {"i": true}, {"i": own}) == pytest.approx(value)
    assert umls_f1([("", "")], ["i"], {}, {}) == 1


@pytest.mark.parametrize(("zero_when_empty", "no_caption", "nothing"), [(False, 2.5, 1.0), (True, 0.0, 0.0)])
def test_similarity_rules_of_2025_and_2026(zero_when_empty, no_caption, nothing):
    image, zero = np.array([1.0, 0]), np.zeros(2)
    cases = [
        (image, np.array([0.6, 0.8]), ("x", "y"), 1.5),
        (image, -image, ("x", "y"), 0.0),
        (image, zero, ("x", "y"), 1.0),
        (None, image, ("x", "y"), 1.0),
        (image, image, ("x", ""), no_caption),
        (image, image, ("", ""), nothing),
    ]
    for *vectors, pair, expected in cases:
        assert similarity(*vectors, pair, zero_when_empty=zero_when_empty) == pytest.approx(expected)


def test_overall_numbers(spec_extra):
    short = ("bert", "bleurt", "umlsf1", "align", "sim", "rouge")
    names = ("BERTScore", "BLEURT", "UMLS F1", "AlignScore", "similarity", "ROUGE-1")
    for case in spec_extra["agg2025"]:
        values = {name: np.array([case[key]]) for key, name in zip(short, names, strict=True)}
        # The golden overall number is a mean over aspects, whichever part of BERTScore enters the relevance.
        values["BERTScore recall"] = values["BERTScore"]
        assert {name: overall_values(name, values)[0] for name in OVERALL} == pytest.approx(
            {
                "Relevance (script of 2025)": case["relevance_head3"],
                "Relevance (script of 2026)": case["relevance_page4"],
                "Factuality": case["factuality"],
                "Overall": case["overall_mean_of_aspects_page4"],
            }
        )


# Runs.


def evaluate(edition: str, run: str, **beside: bytes):
    (result,) = captions(edition, table(TRUTH, "\t").encode(), {"PRED.csv": run.encode()}, **beside).results
    return result


def test_main_scores_of_2017_and_2022():
    result = evaluate("2017", table(RUN, "\t"))
    golden = [0.5095231471606585, 0.5081327481546147, 1.0]
    assert result.values["BLEU (2017)"].tolist() == pytest.approx(golden)
    assert result.score == pytest.approx(sum(golden) / 3)
    # The third caption is the single word "any": without a common 2-gram later NLTK gives practically 0.
    result = evaluate("2022", table(TRUTH, "|"))
    assert (result.score, result.secondary) == (pytest.approx(2 / 3), pytest.approx(1.0))


def test_2025_names_what_is_missing_and_takes_what_is_brought():
    text = table(RUN, ",", "ID,Caption\n")
    bare = evaluate("2025", text)
    totals = {"Relevance (script of 2025)", "Factuality", "Overall"}
    assert np.isnan(bare.score) and set(bare.missing) == {*SIX, *totals}
    assert "deberta-xlarge-mnli" in bare.missing["BERTScore"]
    rows = table(dict.fromkeys(TRUTH, "0.6,0.4,0.3,0.1,0.9"), ",")
    full = evaluate(
        "2025",
        text,
        scores=b"ID,BERTScore,BERTScore recall,BLEURT,AlignScore,similarity\n" + rows.encode(),
        truth_concepts=b"ID,CUIs\na,C0000001;C0000002\nb,C0000001\nc,\n",
        run_concepts=b"ID,CUIs\na,C0000002;C0000003;C0000004\nb,C0000001\nc,\n",
    )
    rouge = full.metric("ROUGE-1")
    assert full.score == pytest.approx((0.6 + rouge + 0.9) / 3)
    assert full.metric("UMLS F1") == pytest.approx((0.4 + 1 + 0) / 3)
    assert full.secondary == pytest.approx((full.metric("UMLS F1") + 0.1) / 2)
    relevance = (0.9 + 0.4 + rouge + 0.3) / 4
    assert full.headline == pytest.approx((relevance + full.secondary) / 2) and full.missing == {}


def test_without_all_of_its_parts_there_is_no_overall_score():
    rows = "".join(f"{image},0.4,0.1,0.7,0.2,{'0.3' * (image == 'a')}\n" for image in TRUTH)
    head = "ID,BERTScore recall,AlignScore,MedBERTScore,MedBLEURT,BLEURT\n"
    result = evaluate("2025", table(RUN, ",", "ID,Caption\n"), scores=(head + rows).encode())
    assert np.isnan(result.headline) and not OVERALL.keys() & result.metrics.keys()
    assert result.missing["Overall"] == "Needs similarity, BLEURT, UMLS F1."
    assert result.missing["BLEURT"] == "2 images have no value in these scores."
    assert (result.metric("MedBERTScore"), result.metric("MedBLEURT")) == pytest.approx((0.7, 0.2))


def test_a_table_of_values_counts_before_a_model_and_unusable_files_are_named():
    data, model = b"ID,Caption\nq1,Nodule\nq2,Mass\n", {"run": {"BLEURT": np.array([0.1, 0.1])}}
    (result,) = captions("2025", data, {"run": data}, model).results
    assert result.metric("BLEURT") == pytest.approx(0.1)
    (result,) = captions("2025", data, {"run": data}, model, scores=b"ID,BLEURT\nq1,0.2\nq2,0.4\n").results
    assert result.metric("BLEURT") == pytest.approx(0.3)
    both = captions("2025", data, {"run": data}, scores=b"ID,foo\n", truth_concepts=b"\xff\xfe\x00")
    assert len(both.results) == 1
    assert sorted(str(error).count(".x") for error in both.unusable) == [1, 1]


@pytest.mark.parametrize("role", ["truth_concepts", "run_concepts"])
def test_concepts_of_other_images_are_not_taken_for_none(role):
    data = b"ID,Caption\nq1,Nodule\nq2,Mass\n"
    cuis = dict.fromkeys(("truth_concepts", "run_concepts"), b"ID,CUIs\nq1,C0000001\n")
    assert captions("2025", data, {"run": data}, **cuis).results[0].metric("UMLS F1") == 0.5
    scored = captions("2025", data, {"run": data}, **cuis | {role: b"ID,CUIs\nq1.jpg,C0000001\n"})
    (error,) = scored.unusable
    assert f"{role}.x contains none of the images" in str(error) and ".jpg" in str(error)
    assert "UMLS F1" in scored.results[0].missing


@pytest.mark.parametrize(
    ("edition", "values", "metric"),
    [
        ("2017", {}, "BLEU (2017)"),
        ("2025", {"PRED_one": THREE}, "ROUGE-1"),
        ("2025", {"PRED_one": THREE, "PRED_two": THREE}, "Relevance (script of 2025)"),
        ("2025", {"PRED_one": SIX, "PRED_two": SIX}, "Overall"),
        ("2026", {"PRED_one": SIX, "PRED_two": SIX}, "Relevance (script of 2026)"),
    ],
)
def test_runs_are_compared_by_what_all_of_them_have(edition, values, metric):
    cell = "\t" if edition == "2017" else ","
    rows = {"a": "CT of the chest", "b": "liver mass"}
    data = table(rows, cell, "" if edition == "2017" else "ID,Caption\n").encode()
    results = captions(edition, data, {"PRED_one": data, "PRED_two": data}, values).results
    assert compared_by(results) == board_of(results, baseline=None).metric == metric
