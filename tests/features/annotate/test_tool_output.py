"""What MedCAT and QuickUMLS write, read back: each form of the file, what can be wrong, what images get."""

from __future__ import annotations

import gzip
import json

import pytest

from evalcore.cli import run
from evalcore.features.annotate.tool_output import parse_tool_output
from tests.study.made import write

CAPTIONS = {"a": "Chest with no effusion", "b": None, "c": "Knee", "d": "Effusion"}


def medcat(cui, start, end, text, **more):
    """An entity as MedCAT 2 lists it, without what nobody reads."""
    about = {"pretty_name": text.lower(), "cui": cui, "type_ids": ["T023"], "source_value": text}
    place = {"start": start, "end": end, "acc": 0.99, "context_similarity": 0.75, "meta_anns": {}}
    return {**about, "detected_name": text.lower(), **place, **more}


def quickumls(cui, start, end, text, **more):
    """A match as QuickUMLS 1.4 lists it, its set of semantic types as a list."""
    about = {"start": start, "end": end, "ngram": text, "term": text.lower(), "cui": cui}
    return {**about, "similarity": 1.0, "semtypes": ["T023"], "preferred": 1, **more}


NO = {"Negation": {"value": "Yes", "confidence": 0.98, "name": "Negation"}}
CHEST, EFFUSION = (("C0817096", 0, 5, "Chest"), ("C0032227", 14, 22, "effusion"))
ENTITIES = {
    "a": {"entities": {"0": medcat(*CHEST), "1": medcat(*EFFUSION, meta_anns=NO)}, "tokens": []},
    "c": {"entities": {}, "tokens": []},
}
OTHER = quickumls("C0000002", *CHEST[1:], preferred=0)
MATCHES = {"a": [[quickumls(*CHEST), OTHER], [quickumls(*EFFUSION, similarity=0.8)]], "c": []}


def json_lines(results, end="\n"):
    return "".join(json.dumps({image: matches}) + end for image, matches in results.items())


def read(data, captions=CAPTIONS):
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    return parse_tool_output(data, file="x.json", captions=captions)


def test_every_form_of_medcat_gives_the_same_matches():
    forms = json.dumps(ENTITIES, indent=1).encode(), json_lines(ENTITIES, "\r\n").encode()
    for data in (*forms, *(gzip.compress(form, mtime=0) for form in forms)):
        output, report = read(data)
        assert (output.tool, output.terms["c"], list(output.terms)) == ("medcat", (), ["a", "c"])
        assert output.terms["a"] == (
            (0, 5, ("C0817096",), "chest", None, None, False, ""),
            (14, 22, ("C0032227",), "effusion", "", None, True, ""),
        )
        # d has a caption and no result; b has no caption
        assert [(p.severity, p.rule, p.value) for p in report.problems] == [("warning", "no-result", "d")]


def test_matches_of_quickumls():
    output, report = read(json_lines(MATCHES))
    assert output.tool == "quickumls" and report.total("error") == 0
    assert [term.concepts for term in output.terms["a"]] == [("C0817096",), ("C0032227",)]
    assert output == read(MATCHES)[0]


def one_entity(**more):
    return {"d": {"entities": {"7": medcat("C0032227", 0, 8, "Effusion") | more}}}


@pytest.mark.parametrize(
    ("data", "rule", "line", "message"),
    [
        (one_entity(start=-1), "wrong-value", 1, "'d', match 7: -1 to 8 is no part of its 8 characters"),
        (one_entity(start=8), "wrong-value", 1, "8 to 8 is no part"),
        (one_entity(start=True), "wrong-value", 1, "True to 8"),
        (one_entity(cui=7), "wrong-value", 1, "its cui '7' is no id"),
        (one_entity(cui="C1;C2"), "wrong-value", 1, "its cui 'C1;C2' is no id"),
        (one_entity(context_similarity=float("nan")), "wrong-value", 1, "its score nan is no finite number"),
        (one_entity(meta_anns={"Negation": {"value": 1}}), "wrong-value", 1, "its meta_anns"),
        ({"d": {"entities": {"0": "C0032227"}}}, "wrong-value", 1, "'C0032227' is no object"),
        ({"d": [["x"]]}, "wrong-value", 1, "'x' is no object"),
        (one_entity(start=None), "wrong-value", 1, "None to 8 is no part"),
        ({"d": {"entities": 3}}, "wrong-value", 1, "not a result of MedCAT or QuickUMLS"),
        ({"c": [], "d": {"entities": {}}}, "wrong-value", None, "not a result of quickumls"),
        ({"zzz": []}, "unknown-id", 1, "no caption of 'zzz'"),
        ([], "no-ids", 1, "name their image"),
        ({"entities": {}}, "no-ids", 1, "name their image"),
        ({}, "no-results", None, "no result"),
        ('{"d": []}\n{"d": []}\n', "duplicate-id", 2, "'d' is listed twice"),
        ('{"d": [], "d": []}', "bad-json", 1, "the key 'd' occurs twice"),
        ('{"d": []}\n{"c": }\n', "bad-json", 2, "Expecting value"),
        ('{"d":\n}', "bad-json", 2, "Expecting value"),
        ('{"d": ' + "[" * 100_000, "bad-json", 1, "nested too deeply"),
        ('{"d": ' + "9" * 5_000 + "}", "bad-json", 1, "JSON"),
        (b'{"d": "\xff"}', "undecodable", None, "UTF-8"),
    ],
)
def test_what_is_wrong_is_said(data, rule, line, message):
    output, report = read(data)
    problem = next(p for p in report.problems if p.rule == rule)
    assert (problem.severity, problem.file, problem.line) == ("error", "x.json", line)
    assert message in problem.message and problem.remedy
    assert not any(output.terms.get("d", ()))


def test_results_of_other_captions_are_noticed():
    _, report = read(MATCHES, {**CAPTIONS, "a": "Knees with no effusion"})
    (problem,) = (p for p in report.problems if p.rule == "other-text")
    assert (problem.severity, problem.count) == ("warning", 2)


def terms(*matches):
    """(place, concepts, negated, uncertain) of matches of MedCAT in a long caption."""
    entities = {str(k): medcat(*match, "", **more) for k, (*match, more) in enumerate(matches)}
    for entity in entities.values():
        del entity["source_value"]
    output, _ = read({"x": {"entities": entities}}, {"x": "a caption of many letters"})
    return [(*term[:3], *term[4:7]) for term in output.terms["x"]]


def test_none_over_another_the_longest_first_and_several_concepts_in_a_place():
    places = ("C2", 4, 8, {}), ("C1", 0, 5, {}), ("C3", 0, 3, {}), ("C4", 5, 9, {})
    assert [term[:3] for term in terms(*places)] == [(0, 5, ("C1",)), (5, 9, ("C4",))]
    same = [("C3", 0, 5, {"context_similarity": 0.5}), ("C2", 0, 5, {}), ("C1", 0, 5, {})]
    assert [term[2] for term in terms(*same)] == [("C1", "C2")]
    assert [term[2] for term in terms(*same, ("C4", 0, 5, {"preferred": 1}))] == [("C4",)]


@pytest.mark.parametrize(
    ("status", "negated", "uncertain"),
    [
        ({"Negation": "No"}, None, None),
        ({"Negation": "Yes"}, "", None),
        ({"Presence": "Hypothetical"}, None, ""),
        ({"Presence": "Not present (False)"}, "", None),
        ({"Experiencer": "Family"}, "", None),
        ({"Time": "Past", "Presence": "True"}, None, ""),
        ({"Status": "Other"}, None, ""),
        ({"Temporality": "Future"}, None, ""),
        ({"nobody knows": "Yes"}, None, None),
    ],
)
def test_what_the_tool_says_goes_before_the_rules(status, negated, uncertain):
    assert terms(("C1", 0, 5, {"meta_anns": status})) == [(0, 5, ("C1",), negated, uncertain, True)]


def test_a_file_gives_the_concepts(tmp_path, as_json, capsys):
    captions = "ID,Caption\na,Chest with no effusion\nb,No effusion\nc,Knee\n"
    entities = {**ENTITIES, "b": {"entities": {"0": medcat("C0032227", 3, 11, "effusion", meta_anns=NO)}}}
    files = {"captions.csv": captions, "medcat.json": json.dumps(entities), "q.jsonl": json_lines(MATCHES)}
    words = ["annotate", write(tmp_path, files), "--from", tmp_path / "medcat.json"]
    made = as_json(*words, "--out", tmp_path / "found.csv")
    assert (made["tool"], made["left_out"], made["counts"]["matches"]) == ("medcat", {"negated": 2}, 3)
    assert (tmp_path / "found.csv").read_text() == "ID,CUIs\na,C0817096\nb,\nc\n"
    as_json(*words, "--negated", "keep", "--matches", tmp_path / "terms.csv")
    assert "a,C0032227,effusion,effusion,14,22,1,0,1," in (tmp_path / "terms.csv").read_text()
    # QuickUMLS says nothing of negation: the rules do
    assert run(["annotate", str(tmp_path), "--from", f"{tmp_path}/q.jsonl", "--json"]) == 0
    out, err = capsys.readouterr()
    made = json.loads(out)
    assert (made["tool"], made["left_out"]) == ("quickumls", {"negated": 1})
    assert made["counts"]["with_concepts"] == 1 and "no result for 1 of the captions" in err
