"""Caption metrics against golden values of other people's programs and of the definitions."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu as nltk_bleu

from evalcore.features.imageclef.caption_metrics import (
    OVERALL,
    Words,
    cider_d,
    coco_bleu,
    coco_rouge_l,
    common_subsequence,
    concept_f1,
    matches,
    normalised,
    overall_values,
    rouge_n,
    rouge_words,
    sentence_bleu,
    similarity,
    stemmer,
    words,
)
from evalcore.features.imageclef.editions import CAPTION_EDITIONS
from evalcore.features.imageclef.models import bert_score, inverse_frequency
from evalcore.features.imageclef.read import stop_words

WORDS = st.lists(st.sampled_from("abcd"), max_size=9)


def test_bleu_of_tokens(spec_golden: dict) -> None:
    for case in spec_golden["D_bleu"].values():
        reference, candidate = case["ref"].split(), case["cand"].split()
        assert sentence_bleu(reference, candidate) == pytest.approx(case["nltk_3.2.2"], rel=1e-12)
        assert sentence_bleu(reference, candidate, nltk="modern") == pytest.approx(case["nltk_new"], rel=1e-9)


def test_bleu_of_captions(spec_golden: dict) -> None:
    stem, stop = stemmer(), stop_words("2017")
    for pair, golden in spec_golden["D_bleu_pipeline"].items():
        reference, candidate = (words(text, stop_words=stop, stem=stem) for text in pair.split(" ||| "))
        assert reference == golden["gt_tokens"]
        assert candidate == golden["cand_tokens"]
        assert sentence_bleu(reference, candidate) == pytest.approx(golden["bleu_322"], rel=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(WORDS.filter(bool), WORDS.filter(bool))
def test_modern_bleu_is_nltk(reference: list[str], candidate: list[str]) -> None:
    assert sentence_bleu(reference, candidate, nltk="modern") == pytest.approx(
        float(nltk_bleu([reference], candidate)), rel=1e-9
    )


@given(WORDS, WORDS)
def test_matches_are_the_clipped_counts_of_the_definition(reference: list[str], candidate: list[str]) -> None:
    """Papineni et al. 2002: each run of n words counts at most as often as in the reference."""
    expected = []
    for n in range(1, 5):
        theirs, own = (
            [tuple(text[i : i + n]) for i in range(len(text) - n + 1)] for text in (reference, candidate)
        )
        expected.append(sum(min(own.count(gram), theirs.count(gram)) for gram in set(own)))
    assert matches(reference, candidate) == expected


@given(
    st.lists(st.sampled_from([*"aΣİK ’“-.\t\x1f\xa0", "cannot", "gımme", "the", "3.5", "X-ray", "Showing"]))
)
def test_a_caption_word_by_word_is_the_caption_at_once(parts: list[str]) -> None:
    """What is kept of each word gives the words of the whole text, in the order of the official steps."""
    text, stem, stop = "".join(parts), stemmer(), stop_words("2017")
    for nltk in ("nltk322", "modern"):
        whole = partial(words, stop_words=stop, stem=stem, nltk=nltk)
        assert Words(whole)(text) == whole(text)
    assert Words(lambda word: rouge_words(normalised(word)))(text) == rouge_words(normalised(text))


def test_coco(spec_extra: dict) -> None:
    golden = spec_extra["cider"]
    texts = list(zip(golden["refs"], golden["cands"], strict=True))
    pairs = [(r.split(), c.split()) for r, c in texts]
    assert cider_d(pairs).tolist() == pytest.approx(golden["per"], rel=1e-9)
    assert cider_d(pairs).mean() == pytest.approx(golden["mean"], rel=1e-9)
    assert [coco_rouge_l(r, c) for r, c in texts] == pytest.approx(spec_extra["rougeL_coco"], rel=1e-12)
    corpus, single = coco_bleu(pairs)
    assert corpus.tolist() == pytest.approx(spec_extra["bleu_coco"]["corpus"], rel=1e-9)
    np.testing.assert_allclose(single.T, spec_extra["bleu_coco"]["per_image"], rtol=1e-9)
    for (r, c), wanted in zip(texts, spec_extra["rouge_score"], strict=True):
        assert rouge_n(rouge_words(r), rouge_words(c)) == pytest.approx(wanted["rouge1"][2], rel=1e-12)


def test_preprocessing_of_2025(spec_golden: dict) -> None:
    for pair, golden in spec_golden["D_2025_prep"].items():
        truth, candidate = (normalised(text) for text in pair.split(" ||| "))
        assert (truth, candidate) == (golden["gt"], golden["cand"])
        assert rouge_n(rouge_words(truth), rouge_words(candidate)) == pytest.approx(
            golden["rouge1_f"], rel=1e-12
        )


@given(WORDS, WORDS)
def test_common_subsequence_is_the_table_of_the_textbook(a: list[str], b: list[str]) -> None:
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if x == y else max(table[i, j + 1], table[i + 1, j])
    assert common_subsequence(a, b) == table[-1, -1]


def test_model_arithmetic(spec_extra: dict, spec_golden: dict) -> None:
    golden = spec_extra["bertscore"]
    cosines = np.array(golden["S_ref_x_cand"])
    ref, cand = np.array(golden["idf_ref"]), np.array(golden["idf_cand"])
    assert bert_score(cosines, ref, cand) == pytest.approx(
        (golden["P_idf"], golden["R_idf"], golden["F_idf"]), rel=1e-9
    )
    plain = bert_score(cosines, np.ones(3), np.ones(2))
    assert plain[:2] == pytest.approx((golden["P"], golden["R"]), rel=1e-9)
    idf, unseen = inverse_frequency([["a", "b", "b"], ["a"], ["a"]])
    wanted = spec_extra["bert_idf"]
    assert (unseen, idf["b"], idf["a"]) == pytest.approx((wanted["idf(df=0)"], wanted["idf(df=1)"], 0.0))
    for case in spec_extra["clip"]:
        cosine = case["cos_img"]
        texts = np.array([[cosine, np.sqrt(1 - cosine**2)]])
        value = similarity(np.array([[1.0, 0]]), texts, [("x", "y")], edition=CAPTION_EDITIONS["2025"])
        assert value[0] == pytest.approx(case["clipscore"])
    for sets, value in spec_golden["D_medcat"].items():
        true, predicted = (set(filter(None, part.strip("{}").split(","))) for part in sets.split("|"))
        assert concept_f1(true, predicted) == pytest.approx(value)


def test_aggregates(spec_extra: dict) -> None:
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


def test_nothing_to_compare() -> None:
    assert bert_score(np.empty((0, 2)), np.empty(0), np.ones(2)) == (0.0, 0.0, 0.0)
    assert coco_bleu([])[1].shape == (0, 4)
    assert cider_d([]).shape == (0,)
    rules = CAPTION_EDITIONS["2025"]
    assert similarity(np.zeros((1, 2)), np.ones((1, 2)), [("x", "y")], edition=rules).tolist() == [1.0]
    vectors = np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]])
    assert similarity(*vectors, [("x", "y")], edition=rules).tolist() == pytest.approx([2.5 * 0.96])
