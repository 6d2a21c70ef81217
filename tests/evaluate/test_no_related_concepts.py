"""In a study without related concepts no measure that counts them is computed as IoU."""

import pytest

import evalcore as cs
from evalcore.cli import run
from evalcore.relevance.registry import same_by_definition
from evalcore.values.settings import Settings

CONCEPTS = {"a": ["C0000001"], "b": ["C0000001", "C0000002"], "c": ["C0000002"]}
RUNS = {"x": {"a": {"b": 1.0, "c": 0.5}}, "y": {"a": {"c": 1.0, "b": 0.5}}}


@pytest.fixture
def study():
    return cs.make_study(concepts=CONCEPTS, runs=RUNS)


def test_what_counts_them_is_refused_with_the_way_out(study):
    assert cs.score(study, "CUI@2").view.systems == ("x", "y")
    for metric, more in (
        ("nnCUI@2", {}),
        ("nDCG(nn-iou)@2", {}),
        ("CUI@2", {"systems": ["@nn-iou"]}),
        ("nnCUI@2", {"settings": Settings(alpha=0)}),
    ):
        with pytest.raises(cs.InputError, match=r"this study has none. Add a graph .* or ask for .* CUI@10"):
            cs.score(study, metric, **more)
    with pytest.raises(cs.InputError, match="Nothing to vary: no related concepts in this study"):
        cs.sweep(study, metrics="CUI@2")


@pytest.mark.parametrize(
    ("settings", "same"),
    [
        ({}, {}),
        ({"alpha": 0.0}, {"nn-iou": "iou", "nn-iou[finding]": "iou[finding]"}),
        ({"threshold": 0}, {"nn-iou": "iou", "nn-iou[finding]": "iou[finding]"}),
    ],
)
def test_what_is_the_same_by_definition_is_not_compared(settings, same, capsys):
    names = ["iou", "nn-iou", "dice", "iou[finding]", "nn-iou[finding]"]
    assert same_by_definition(names, Settings(**settings)) == same
    words = ["measures", "data", *(word for name in names for word in ("--relevance", name)), "--json"]
    options = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    assert run([*words, "--sample", "200", *options]) == 0
    out, err = capsys.readouterr()
    assert all(f"{name} is {other}" in err for name, other in same.items())
    assert ('"nn-iou"' in out) == (not same)
