"""Caption metrics against golden values of other programs and of the definitions; results of runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu as nltk_bleu

from evalcore.features.imageclef.caption_metrics import (
    OVERALL,
    cider_d,
    coco_bleu,
    coco_rouge_l,
    concept_f1,
    matches,
    ngrams,
    normalised,
    overall_values,
    rouge_1,
    rouge_words,
    sentence_bleu,
    similarity,
    stemmer,
    stop_words,
    words,
)
from evalcore.features.imageclef.models import bert_score, inverse_frequency
from evalcore.features.imageclef.scoring import board_of, compared_by, read_values
from evalcore.values.errors import InputError
from tests.features.imageclef.scored import captions, table

WORDS = st.lists(st.sampled_from("abcd"), max_size=9)
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


def test_bleu_of_tokens(spec_golden: dict) -> None:
    for case in spec_golden["D_bleu"].values():
        pair = case["ref"].split(), case["cand"].split()
        assert sentence_bleu(*pair) == pytest.approx(case["nltk_3.2.2"], rel=1e-12)
        assert sentence_bleu(*pair, later=True) == pytest.approx(case["nltk_new"], rel=1e-9)


def test_bleu_of_captions(spec_golden: dict) -> None:
    stem, stop = stemmer(), stop_words("2017")
    for pair, golden in spec_golden["D_bleu_pipeline"].items():
        reference, candidate = (words(text, stop=stop, stem=stem) for text in pair.split(" ||| "))
        assert (reference, candidate) == (golden["gt_tokens"], golden["cand_tokens"])
        assert sentence_bleu(reference, candidate) == pytest.approx(golden["bleu_322"], rel=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(WORDS.filter(bool), WORDS.filter(bool))
def test_later_bleu_is_nltk(reference: list[str], candidate: list[str]) -> None:
    expected = float(nltk_bleu([reference], candidate))
    assert sentence_bleu(reference, candidate, later=True) == pytest.approx(expected, rel=1e-9)


@given(WORDS, WORDS)
def test_matches_are_the_clipped_counts_of_the_definition(reference: list[str], candidate: list[str]) -> None:
    """Papineni et al. 2002: each run of n words counts at most as often as in the reference."""
    expected = []
    for n in range(1, 5):
        theirs, own = (
            [tuple(text[i : i + n]) for i in range(len(text) - n + 1)] for text in (reference, candidate)
        )
        expected.append(sum(min(own.count(gram), theirs.count(gram)) for gram in set(own)))
    assert matches(ngrams(reference), ngrams(candidate)) == expected


def test_coco(spec_extra: dict) -> None:
    golden = spec_extra["cider"]
    texts = list(zip(golden["refs"], golden["cands"], strict=True))
    pairs = [(ngrams(r.split()), ngrams(c.split())) for r, c in texts]
    assert cider_d(pairs).tolist() == pytest.approx(golden["per"], rel=1e-9)
    assert cider_d(pairs).mean() == pytest.approx(golden["mean"], rel=1e-9)
    assert [coco_rouge_l(r, c) for r, c in texts] == pytest.approx(spec_extra["rougeL_coco"], rel=1e-12)
    corpus, single = coco_bleu(pairs)
    assert corpus.tolist() == pytest.approx(spec_extra["bleu_coco"]["corpus"], rel=1e-9)
    np.testing.assert_allclose(single.T, spec_extra["bleu_coco"]["per_image"], rtol=1e-9)
    for (r, c), expected in zip(texts, spec_extra["rouge_score"], strict=True):
        assert rouge_1(rouge_words(r), rouge_words(c)) == pytest.approx(expected["rouge1"][2], rel=1e-12)
    assert coco_bleu([])[1].shape == (0, 4) and cider_d([]).shape == (0,)


def test_preprocessing_of_2025(spec_golden: dict) -> None:
    for pair, golden in spec_golden["D_2025_prep"].items():
        truth, candidate = (normalised(text) for text in pair.split(" ||| "))
        assert (truth, candidate) == (golden["gt"], golden["cand"])
        rouge = rouge_1(rouge_words(truth), rouge_words(candidate))
        assert rouge == pytest.approx(golden["rouge1_f"], rel=1e-12)


def test_arithmetic_of_models(spec_extra: dict, spec_golden: dict) -> None:
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
        texts = np.array([[cosine, np.sqrt(1 - cosine**2)]])
        value = similarity(np.array([[1.0, 0]]), texts, [("x", "y")], zero_when_empty=False)
        assert value[0] == pytest.approx(case["clipscore"])
    for sets, value in spec_golden["D_medcat"].items():
        true, predicted = (set(filter(None, part.strip("{}").split(","))) for part in sets.split("|"))
        assert concept_f1(true, predicted) == pytest.approx(value)


@pytest.mark.parametrize(("zero_when_empty", "empty"), [(False, 2.5), (True, 0.0)])
def test_similarity_rules_of_2025_and_2026(zero_when_empty: bool, empty: float) -> None:
    images = np.array([[1.0, 0], [1, 0], [1, 0], [1, 0], [np.nan, 0]])
    texts = np.array([[0.6, 0.8], [-1, 0], [0, 0], [1, 0], [1, 0]])
    pairs = [("x", "y"), ("x", "y"), ("x", "y"), ("x", ""), ("x", "y")]
    values = similarity(images, texts, pairs, zero_when_empty=zero_when_empty).tolist()
    assert values == pytest.approx([1.5, 0.0, 1.0, empty, np.nan], nan_ok=True)


def test_overall_numbers(spec_extra: dict) -> None:
    names = {
        "bert": "BERTScore",
        "rouge": "ROUGE-1",
        "sim": "similarity",
        "bleurt": "BLEURT",
        "umlsf1": "UMLS F1",
        "align": "AlignScore",
    }
    for case in spec_extra["agg2025"]:
        values = {names[key]: np.array([case[key]]) for key in names}
        # The golden overall number is a mean over aspects, whichever part of BERTScore enters the relevance.
        means = overall_values(values | {"BERTScore recall": values["BERTScore"]})
        assert {name: column[0] for name, column in means.items()} == pytest.approx(
            {
                "relevance_2025": case["relevance_head3"],
                "relevance_2026": case["relevance_page4"],
                "factuality": case["factuality"],
                "overall": case["overall_mean_of_aspects_page4"],
            }
        )
    some = overall_values({name: np.array([0.5]) for name in OVERALL["relevance_2025"]})
    assert set(some) == {"relevance_2025", "overall (partial)"}


# Runs.


def evaluate(edition: str, run: str, **beside: bytes):
    (result,) = captions(edition, table(TRUTH, "\t").encode(), {"PRED.csv": run.encode()}, **beside).results
    return result


def test_bleu_of_2017_is_the_mean_of_the_golden_values() -> None:
    result = evaluate("2017", table(RUN, "\t"))
    golden = [0.5095231471606585, 0.5081327481546147, 1.0]
    assert result.values["BLEU (2017)"].tolist() == pytest.approx(golden)
    assert result.score == pytest.approx(sum(golden) / 3)


def test_2022_has_bleu_and_rouge() -> None:
    result = evaluate("2022", table(TRUTH, "|"))
    # The third caption is the single word "any": without a common 2-gram later NLTK gives practically 0.
    assert (result.score, result.secondary) == (pytest.approx(2 / 3), pytest.approx(1.0))


def test_2025_names_what_is_missing_and_takes_what_is_given() -> None:
    text = table(RUN, ",", "ID,Caption\n")
    bare = evaluate("2025", text)
    assert np.isnan(bare.score) and set(bare.missing) == set(SIX)
    assert "deberta-xlarge-mnli" in bare.missing["BERTScore"]
    rows = "".join(f"{image},0.6,0.4,0.3,0.1,0.9\n" for image in TRUTH)
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
    assert full.headline == pytest.approx((relevance + full.secondary) / 2) and full.lacking == {}


def test_an_overall_score_with_parts_missing_is_partial_and_not_ranked() -> None:
    rows = "".join(f"{image},0.4,0.1,0.7,0.2\n" for image in TRUTH)
    head = "ID,BERTScore recall,AlignScore,MedBERTScore,MedBLEURT\n"
    partial = evaluate("2025", table(RUN, ",", "ID,Caption\n"), scores=(head + rows).encode())
    assert np.isnan(partial.headline)
    assert partial.lacking["overall"] == ("similarity", "BLEURT", "UMLS F1")
    wanted = ((0.4 + partial.metric("ROUGE-1")) / 2 + 0.1) / 2
    assert partial.metric("overall (partial)") == pytest.approx(wanted)
    assert (partial.metric("MedBERTScore"), partial.metric("MedBLEURT")) == pytest.approx((0.7, 0.2))


def test_a_metric_with_gaps_is_missing() -> None:
    result = evaluate("2025", table(RUN, ",", "ID,Caption\n"), scores=b"ID,BLEURT\na,0.3\n")
    assert result.missing["BLEURT"] == "2 images have no value in these scores."
    assert "BLEURT" not in result.values


@pytest.mark.parametrize(
    "text", ["", "ID,foo\na,1\n", "ID,BLEURT\na,much\n", "ID,BLEURT\na,1_0\n", "ID,BLEURT\na,1\na,2\n"]
)
def test_values_that_cannot_be_used(text: str) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        read_values(text.encode(), "scores", ("a",))


def test_a_table_of_values_counts_before_a_model_and_unusable_files_are_named() -> None:
    data, model = b"ID,Caption\nq1,Nodule\nq2,Mass\n", {"run": {"BLEURT": np.array([0.1, 0.1])}}
    (result,) = captions("2025", data, {"run": data}, model).results
    assert result.metric("BLEURT") == pytest.approx(0.1)
    (result,) = captions("2025", data, {"run": data}, model, scores=b"ID,BLEURT\nq1,0.2\nq2,0.4\n").results
    assert result.metric("BLEURT") == pytest.approx(0.3)
    both = captions("2025", data, {"run": data}, scores=b"ID,foo\n", truth_concepts=b"\xff\xfe\x00")
    assert len(both.results) == 1
    assert sorted(str(error).count(".x") for error in both.unusable) == [1, 1]
    with pytest.raises(InputError, match=r"truth\.csv"):
        captions("2025", b"", {"run": data})


@pytest.mark.parametrize(
    ("edition", "values", "metric"),
    [
        ("2017", {}, "BLEU (2017)"),
        ("2025", {}, "ROUGE-1"),
        ("2025", {"PRED_one": THREE}, "ROUGE-1"),
        ("2025", {"PRED_one": THREE, "PRED_two": THREE}, "relevance_2025"),
        ("2025", {"PRED_one": SIX, "PRED_two": SIX}, "overall"),
        ("2026", {"PRED_one": SIX, "PRED_two": SIX}, "relevance_2026"),
    ],
)
def test_runs_are_compared_by_what_all_of_them_have(edition: str, values: dict, metric: str) -> None:
    cell = "\t" if edition == "2017" else ","
    rows = {"a": "CT of the chest", "b": "liver mass"}
    data = table(rows, cell, "" if edition == "2017" else "ID,Caption\n").encode()
    results = captions(edition, data, {"PRED_one": data, "PRED_two": data}, values).results
    assert compared_by(results) == board_of(results, baseline=None).metric == metric
