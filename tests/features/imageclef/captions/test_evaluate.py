"""Caption submissions: rules, scores, what is missing, the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evalcore.cli import run as cli
from evalcore.features.imageclef import models
from evalcore.features.imageclef.caption_metrics import similarity
from evalcore.features.imageclef.captions import read_caption_run
from evalcore.features.imageclef.editions import CAPTION_EDITIONS
from evalcore.features.imageclef.scoring import read_values
from evalcore.values.errors import InputError
from tests.features.imageclef.scored import captions

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


def table(texts: dict[str, str], mark: str, *, header: bool) -> str:
    head = f"ID{mark}Caption\n" if header else ""
    return head + "".join(f"{image}{mark}{text}\n" for image, text in texts.items())


def check(edition: str, text: str, *, truth=TRUTH, name: str = "PRED_run.csv"):
    return read_caption_run(text.encode(), name=name, truth=truth, edition=CAPTION_EDITIONS[edition])


def evaluate(edition: str, text: str, **more):
    (result,) = captions(
        edition, table(TRUTH, "\t", header=False).encode(), {"PRED.csv": text.encode()}, **more
    ).results
    return result


@pytest.mark.parametrize(
    ("edition", "mark", "header"),
    [
        ("2017", "\t", False),
        ("2018", "\t", False),
        ("2022", "|", False),
        ("2023", "|", True),
        ("2025", ",", True),
        ("2026", ",", True),
    ],
)
def test_a_good_file_has_no_problem(edition: str, mark: str, header: bool) -> None:
    run = check(edition, table(RUN, mark, header=header))
    assert run.accepted
    assert run.report.problems == ()
    assert dict(run.read) == RUN


@pytest.mark.parametrize(
    ("edition", "text", "rule", "line", "rejects"),
    [
        ("2025", "ID,Caption\na,x\n\nb,y\nc,z\n", "blank-line", 3, True),
        ("2025", "a,x\nb,y\nc,z\n", "missing-header", 1, True),
        ("2018", "ID\tCaption\na\tx\nb\ty\nc\tz\n", "header", 1, True),
        ("2025", "image_id,Caption\na,x\nb,y\nc,z\n", "header", 1, True),
        ("2025", "ID,Caption\na,x, y\nb,y\nc,z\n", "cut-caption", 2, False),
        ("2017", "a\tx\ty\nb\ty\nc\tz\n", "row-length", 1, True),
        ("2025", "ID,Caption\na\nb,y\nc,z\n", "row-length", 2, True),
        ("2025", "ID,Caption\na,x\nb,y\nc,z\nd,z\n", "unknown-id", 5, True),
        ("2025", "ID,Caption\na,x\nb,y\nc,z\na,z\n", "repeated-id", 5, True),
        ("2017", "a\tx\nb\ty\nc\tz\na\tz\n", "repeated-id", 4, False),
        ("2025", "ID,Caption\na,x\nb,y\n", "missing-id", None, True),
        ("2026", "ID,Caption\nb,x\na,y\nc,z\n", "wrong-order", 2, True),
        ("2026", "ID,Caption\na,\nb,y\nc,z\n", "empty-caption", 2, False),
        ("2026", "ID,Caption\na,x, y\nb,y\nc,z\n", "cut-caption", 2, True),
        ("2025", "ID,Caption\na,\nb,y\nc,z\n", "empty-caption", 2, False),
        ("2025", "ID|Caption\na|x\nb|y\nc|z\n", "wrong-separator", 1, True),
        ("2025", "ID,Caption\na,x\x07\nb,y\nc,z\n", "special-character", 2, False),
    ],
)
def test_rules(edition: str, text: str, rule: str, line: int | None, rejects: bool) -> None:
    run = check(edition, text)
    found = {p.rule: p for p in run.report.problems}
    assert (found[rule].line, found[rule].severity == "error") == (line, rejects)
    assert not (rejects and run.accepted)


def test_both_empty_breaks_the_script_of_2023() -> None:
    run = check("2023", "ID|Caption\na|\nb|y\nc|z\n", truth={**TRUTH, "a": ""})
    assert not run.accepted


def test_bleu_of_2017_is_the_mean_of_the_golden_values() -> None:
    result = evaluate("2017", table(RUN, "\t", header=False))
    assert result.values["BLEU (2017)"].tolist() == pytest.approx(
        [0.5095231471606585, 0.5081327481546147, 1.0]
    )
    assert result.score == pytest.approx((0.5095231471606585 + 0.5081327481546147 + 1) / 3)
    modern = evaluate("2017", table(RUN, "\t", header=False), nltk="modern")
    assert modern.score < result.score


def test_2022_has_bleu_and_rouge() -> None:
    facts = evaluate("2022", table(TRUTH, "|", header=False))
    assert (facts.score, facts.secondary) == (pytest.approx(2 / 3), pytest.approx(1.0))
    # the third caption is the single word "any": without a common 2-gram later NLTK gives practically 0


def test_2025_says_what_is_missing_and_takes_what_is_given() -> None:
    text = table(RUN, ",", header=True)
    bare = evaluate("2025", text)
    assert np.isnan(bare.score)
    assert set(bare.missing) == {
        "BERTScore",
        "BERTScore recall",
        "BLEURT",
        "AlignScore",
        "similarity",
        "UMLS F1",
    }
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
    assert full.metric("factuality") == pytest.approx((full.metric("UMLS F1") + 0.1) / 2)
    relevance = (0.9 + 0.4 + rouge + 0.3) / 4
    assert full.headline == pytest.approx((relevance + full.metric("factuality")) / 2)
    assert full.lacking == {}


def test_an_overall_score_with_parts_missing_is_partial_and_not_ranked() -> None:
    text = table(RUN, ",", header=True)
    rows = "".join(f"{image},0.4,0.1,0.7,0.2\n" for image in TRUTH)
    head = "ID,BERTScore recall,AlignScore,MedBERTScore,MedBLEURT\n"
    partial = evaluate("2025", text, scores=(head + rows).encode())
    assert np.isnan(partial.headline)
    assert partial.lacking["overall"] == ("similarity", "BLEURT", "UMLS F1")
    wanted = ((0.4 + partial.metric("ROUGE-1")) / 2 + 0.1) / 2
    assert partial.metric("overall (partial)") == pytest.approx(wanted)
    assert (partial.metric("MedBERTScore"), partial.metric("MedBLEURT")) == pytest.approx((0.7, 0.2))


def test_gaps_in_given_scores_are_told() -> None:
    result = evaluate("2025", table(RUN, ",", header=True), scores=b"ID,BLEURT\na,0.3\n")
    assert result.missing["BLEURT"] == "2 images have no value in these scores."
    assert "BLEURT" not in result.values


@pytest.mark.parametrize(
    "text", ["", "ID,foo\na,1\n", "ID,BLEURT\na,much\n", "ID,BLEURT\na,1_0\n", "ID,BLEURT\na,1\na,2\n"]
)
def test_given_scores_that_cannot_be_used(text: str) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        read_values(text.encode(), file="scores", images=("a",))


def test_similarity_rules_of_2025_and_2026() -> None:
    images, texts = (
        np.array([[1.0, 0], [1, 0], [1, 0], [1, 0]]),
        np.array([[0.6, 0.8], [-1, 0], [0, 0], [1, 0]]),
    )
    pairs = [("x", "y"), ("x", "y"), ("x", "y"), ("x", "")]
    assert similarity(images, texts, pairs, edition=CAPTION_EDITIONS["2025"]).tolist() == pytest.approx(
        [1.5, 0.0, 1.0, 2.5]
    )
    assert similarity(images, texts, pairs, edition=CAPTION_EDITIONS["2026"]).tolist() == pytest.approx(
        [1.5, 0.0, 1.0, 0.0]
    )


def test_a_missing_package_says_what_to_install(monkeypatch) -> None:
    def absent(name: str):
        raise ModuleNotFoundError(name, name=name)

    monkeypatch.setattr(models, "import_module", absent)
    with pytest.raises(InputError, match=r"needs the package torch, .*\[caption-models\]"):
        models.load_bert("anywhere")


def test_command_line(tmp_path, capsys) -> None:
    (tmp_path / "truth.csv").write_text(table(TRUTH, ",", header=True))
    (tmp_path / "run.csv").write_text(table(RUN, ",", header=True))
    (tmp_path / "s.csv").write_text("ID,BERTScore\na,0.5\nb,0.5\nc,0.5\n")
    for name in ("images", "texts"):
        np.savez(tmp_path / f"{name}.npz", ids=np.array(list("abc")), vectors=np.eye(3, dtype=np.float32))
    words = [
        "imageclef",
        "captions",
        "--edition",
        "2025",
        "--truth",
        f"{tmp_path}/truth.csv",
        "--run",
        f"{tmp_path}/run.csv",
    ]
    more = [
        "--values",
        f"{tmp_path}/s.csv",
        "--image-embeddings",
        f"{tmp_path}/images.npz",
        "--caption-embeddings",
        f"{tmp_path}/texts.npz",
    ]
    assert cli([*words, *more, "--per-image", f"{tmp_path}/out.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (run,) = found["runs"]
    assert run["metrics"]["similarity"] == pytest.approx(2.5)
    assert run["score"] == pytest.approx((0.5 + run["metrics"]["ROUGE-1"] + 2.5) / 3)
    assert set(run["missing"]) == {"BERTScore recall", "BLEURT", "AlignScore", "UMLS F1"}
    assert (tmp_path / "out.csv").read_text().count("\n") == 4
    assert cli(words) == 0
    assert "BERTScore is missing. Needs the model microsoft/deberta-xlarge-mnli" in capsys.readouterr().out
    (tmp_path / "run.csv").write_text(table(RUN, ",", header=False))
    assert cli(words) == 2


def test_a_caption_may_hold_line_breaks_in_quotes() -> None:
    run = check("2025", 'ID,Caption\na,"x\ny"\nb,"y, z"\nc,z\n')
    assert run.accepted
    assert run.read["a"] == "x\ny"
