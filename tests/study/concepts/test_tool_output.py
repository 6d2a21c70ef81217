"""What MedCAT and QuickUMLS write, read back: every form of the file, and everything that can be wrong."""

from __future__ import annotations

import gzip
import json

import pytest

from evalcore.study.concepts.tool_output import parse_tool_output

CAPTIONS = {"a": "Chest with no effusion", "b": None, "c": "Knee", "d": "Effusion"}


def medcat(cui, start, end, text, **more):
    """An entity as MedCAT 2 lists it."""
    return {
        "pretty_name": text.lower(),
        "cui": cui,
        "type_ids": ["T023"],
        "source_value": text,
        "detected_name": text.lower(),
        "acc": 0.99,
        "context_similarity": 0.75,
        "start": start,
        "end": end,
        "id": 0,
        "meta_anns": {},
        "context_left": [],
        "context_center": [],
        "context_right": [],
        **more,
    }


def quickumls(cui, start, end, text, **more):
    """A match as QuickUMLS 1.4 lists it, its set of semantic types as a list."""
    about = {"start": start, "end": end, "ngram": text, "term": text.lower(), "cui": cui}
    return {**about, "similarity": 1.0, "semtypes": ["T023"], "preferred": 1, **more}


NO = {"Negation": {"value": "Yes", "confidence": 0.98, "name": "Negation"}}
ENTITIES = {
    "a": {
        "entities": {
            "0": medcat("C0817096", 0, 5, "Chest"),
            "1": medcat("C0032227", 14, 22, "effusion", meta_anns=NO),
        },
        "tokens": [],
    },
    "c": {"entities": {}, "tokens": []},
}
MATCHES = {
    "a": [
        [quickumls("C0817096", 0, 5, "Chest"), quickumls("C0000002", 0, 5, "Chest", preferred=0)],
        [quickumls("C0032227", 14, 22, "effusion", similarity=0.8)],
    ],
    "c": [],
}
FORMS = {
    "MedCAT": json.dumps(ENTITIES),
    "MedCAT, entities in a list": json.dumps(
        {image: {"entities": list(one["entities"].values())} for image, one in ENTITIES.items()}
    ),
    "pairs": json.dumps(list(ENTITIES.items()), indent=1),
    "JSON lines": "".join(json.dumps({image: one}) + "\n" for image, one in ENTITIES.items()),
    "JSON lines of pairs": "".join(json.dumps(pair) + "\r\n" for pair in ENTITIES.items()),
}


def read(data, captions=CAPTIONS):
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    return parse_tool_output(data, file="x.json", captions=captions)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_medcat_gives_the_same_matches(form):
    for data in (FORMS[form].encode(), gzip.compress(FORMS[form].encode(), mtime=0)):
        output, report = read(data)
        chest, effusion = output.matches["a"]
        assert (output.tool, output.matches["c"], list(output.matches)) == ("medcat", (), ["a", "c"])
        assert (chest.start, chest.end, chest.concept, chest.name.lower()) == (0, 5, "C0817096", "chest")
        assert (effusion.concept, dict(effusion.status)) == ("C0032227", {"Negation": "Yes"})
        assert chest.score == 0.75
        # d has a caption and no result; b has no caption
        assert [(p.severity, p.rule, p.value) for p in report.problems] == [("warning", "no-result", "d")]


def test_matches_of_quickumls():
    output, report = read("".join(json.dumps({image: one}) + "\n" for image, one in MATCHES.items()))
    assert output.tool == "quickumls" and report.total("error") == 0
    assert [(one.concept, one.score, one.preferred) for one in output.matches["a"]] == [
        ("C0817096", 1.0, True),
        ("C0000002", 1.0, False),
        ("C0032227", 0.8, True),
    ]
    assert output == read(MATCHES)[0]


def one(**more):
    return {"d": {"entities": {"7": medcat("C0032227", 0, 8, "Effusion") | more}}}


@pytest.mark.parametrize(
    ("data", "rule", "line", "said"),
    [
        (one(start=-1), "wrong-value", None, "'d', match 7: -1 to 8 is no part of its 8 characters"),
        (one(end=9), "wrong-value", None, "0 to 9 is no part"),
        (one(start=8), "wrong-value", None, "8 to 8 is no part"),
        (one(start="0"), "wrong-value", None, "0 to 8 is no part"),
        (one(start=True), "wrong-value", None, "True to 8"),
        (one(end=1e300), "wrong-value", None, "1e+300"),
        (one(cui=7), "wrong-value", None, "its cui '7' is no id"),
        (one(cui="C1;C2"), "wrong-value", None, "its cui 'C1;C2' is no id"),
        (one(cui="\ud800"), "wrong-value", None, "is no id"),
        (one(context_similarity=float("nan")), "wrong-value", None, "its score nan is no finite number"),
        (one(context_similarity="1"), "wrong-value", None, "its score 1 is no"),
        (one(meta_anns=["Negation"]), "wrong-value", None, "its meta_anns"),
        (one(meta_anns={"Negation": {"value": 1}}), "wrong-value", None, "its meta_anns"),
        ({"d": {"entities": {"0": "C0032227"}}}, "wrong-value", None, "None to None is no part"),
        ({"d": [["x"]]}, "wrong-value", None, "None to None is no part"),
        ({"d": {"entities": 3}}, "wrong-value", None, "not a result of MedCAT or QuickUMLS"),
        ({"d": 3}, "wrong-value", None, "not a result of MedCAT or QuickUMLS"),
        ({"c": [], "d": {"entities": {}}}, "wrong-value", None, "not a result of quickumls"),
        ({"zzz": []}, "unknown-id", None, "no caption of 'zzz'"),
        ([[], []], "no-ids", None, "name their image"),
        ({"entities": {}}, "no-ids", None, "name their image"),
        ("7", "no-ids", None, "name their image"),
        ({}, "no-results", None, "no result"),
        ('{"d": []}\n{"d": []}\n', "duplicate-id", 2, "'d' is listed twice"),
        ('{"d": [], "d": []}', "bad-json", None, "the key 'd' occurs twice"),
        ('{"d": []}\n{"c": \n', "bad-json", 2, "Expecting value"),
        ('{"d":\n', "bad-json", 2, "Expecting value"),
        ('{"d": ' + "[" * 100_000, "bad-json", None, "nested too deeply"),
        ('{"d": ' + "9" * 5_000 + "}", "bad-json", None, "JSON"),
        (b'{"d": "\xff"}', "undecodable", None, "UTF-8"),
    ],
)
def test_what_is_wrong_is_said(data, rule, line, said):
    output, report = read(data)
    problem = next(p for p in report.problems if p.rule == rule)
    assert (problem.severity, problem.file, problem.line) == ("error", "x.json", line)
    assert said in problem.message and problem.remedy
    assert not any(output.matches.get("d", ()))


def test_results_of_other_captions_are_noticed():
    _, report = read(MATCHES, {**CAPTIONS, "a": "Knees with no effusion"})
    (problem,) = (p for p in report.problems if p.rule == "other-text")
    assert (problem.severity, problem.count) == ("warning", 2)
