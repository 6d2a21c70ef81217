"""Where plugins come from, what they give, and what is refused."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import evalcore as cs
from evalcore import extensions
from evalcore.cli import run
from evalcore.relevance.registry import describe
from evalcore.values import plugins
from evalcore.values.errors import InputError, SettingError
from evalcore.values.grouping import groups_of_column
from evalcore.values.model import Study
from evalcore.values.settings import Settings
from tests.plugins.conftest import DATA, LINES, SOURCE, line_of
from tests.study.made import write

RELEVANCE = line_of("def mine")


def score_of(study: Study, metric: str) -> float:
    (scores,) = cs.score(study, [metric], systems=["hog"])
    return float(np.nanmean(scores.values))


# What a function gives.


def test_wrong_values_name_the_pair_and_the_value(sample: Study) -> None:
    """The images are those of two concept sets with the value that the function turned into a wrong one."""

    def turned(wrong: object) -> Callable[[frozenset[str], frozenset[str]], object]:
        return lambda query, candidate: wrong if len(query & candidate) == 3 else 0.5

    for wrong, shown in ((float("nan"), "nan"), (1.2, "1.2"), (-0.5, "-0.5"), ("x", "'x'"), (None, "None")):
        cs.register_relevance("own")(turned(wrong))
        with pytest.raises(InputError, match=r"relevance own of test_plugins.py gave") as error:
            score_of(sample, "nDCG(own)@5")
        words = str(error.value).replace(".", " ").split()
        query, candidate = words[words.index("query") + 1], words[words.index("candidate") + 1]
        sets = (sample.concepts.of_image(sample.concepts.index(image)) for image in (query, candidate))
        assert len(frozenset.intersection(*sets)) == 3
        assert f" gave {shown} for " in str(error.value)
        assert str(error.value).endswith("It must give a number from 0 to 1.")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda q, c: np.zeros((q.shape[0], c.shape[0] + 1)), "an array of shape "),
        (lambda q, c: (q @ c.T).toarray(), r"gave \d+\.0 for query SYN_\d+ and candidate SYN_\d+"),
        (lambda _q, _c: "x", "an array of numbers of shape"),
        (
            lambda q, _c: q.nothing,
            r"test_plugins.py:\d+: The relevance own failed for a block of .* query SYN",
        ),
    ],
)
@pytest.mark.parametrize("metric", ["mean(own)@5", "nDCG(own)@5"])
def test_a_wrong_block_is_named(sample: Study, wrong: Callable, words: str, metric: str) -> None:
    cs.register_relevance("own", block=True)(wrong)
    with pytest.raises(InputError, match=words):
        score_of(sample, metric)


def test_wrong_values_of_metrics(sample: Study) -> None:
    cs.register_metric("odd@K")(lambda gains, k: 1.5 if gains[0] else gains.sum() / k)
    with pytest.raises(
        InputError,
        match=r"odd\(organ\)@3, query SYN_\d+: .* gave 1\.5 for a list with the gains 1, .* 0 to 1\.$",
    ):
        score_of(sample, "odd(organ)@3")
    cs.register_metric("free@K", range=(None, None))(lambda gains, k: float(k) if len(gains) else 0.0)
    assert score_of(sample, "free(organ)@3") == 3.0
    cs.register_metric("whole")(lambda gains: gains.mean() if len(gains) else 0.0)
    assert 0 < score_of(sample, "whole(iou)") < 1
    cs.register_metric("set@K", relevance="iou")(lambda gains, k: gains.sum() / k)
    assert score_of(sample, "set@5") == pytest.approx(score_of(sample, "mean(iou)@5"), abs=1e-15)
    with pytest.raises(SettingError, match="whose mean over all orders"):
        cs.score(sample, ["set@5"], settings=Settings(ties="expected"))


# Names.


def constant(*_: object) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("register", "names", "message"),
    [
        (
            cs.register_relevance,
            ("iou", "IoU", "nn-iou", "matching", "cosine", "", "a b", "a,b", "1a", "a" * 41, "é"),
            "name of the relevance",
        ),
        (cs.register_metric, ("CUI@K", "ndcg@K", "ap", "P@K", "bpref"), "name of the metric"),
        (cs.register_metric, ("mine@5", "mine(x)@K", "", "@K"), "written like mine@K"),
        (cs.register_format, ("csv", "JSON"), "name of the reader"),
        (cs.register_format, (".knn", "gz"), "ending"),
        (partial(cs.register_format, part="embeddings"), ("npz",), "name of the reader"),
        (partial(cs.register_format, part="graph"), ("knn",), "part"),
    ],
)
def test_reserved_and_malformed_names_are_refused(register, names, message):
    function = (lambda gains: 0.0) if register is cs.register_metric else constant
    for name in names:
        with pytest.raises(SettingError, match=message):
            register(name)(function)


def test_a_metric_takes_only_gains_k_and_ideal() -> None:
    for label, function in (("mine@K", lambda gains, cutoff: 0.0), ("mine", lambda gains, k: 0.0)):
        with pytest.raises(SettingError, match="parameters of the metric mine"):
            cs.register_metric(label)(function)


def test_registering_again_replaces_the_function(sample: Study) -> None:
    def registered(shift: float) -> float:
        cs.register_relevance("own")(lambda query, candidate: len(query & candidate) / 100 + shift)
        return score_of(sample, "nDCG(own)@10")

    assert registered(0.0) < registered(0.5)


# Files.


def test_a_file_joins_a_command(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"score {DATA} --system hog --metric mean(mine)@5 --metric Balance(organ)@10".split()
    assert run([*command, f"--plugin={file}", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["metric"] for row in document["scores"]] == ["mean(mine)@5", "Balance(organ)@10"]
    used = {(used["kind"], used["name"], used["file"]) for used in document["plugins"]}
    assert used == {("relevance", "mine", "mine.py"), ("metric", "Balance", "mine.py")}
    (digest,) = {used["digest"] for used in document["plugins"]}
    assert run(["--plugin", str(file), *command]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    source = f"of mine.py (source {digest[:8]})"
    assert last == f"Plugins: relevance mine {source}; metric Balance {source}."
    for study in ([str(DATA)], []):
        assert run(["--plugin", str(file), "metrics", *study, "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)
        assert {"Balance", "nDCG"} <= {family["name"] for family in listed["metrics"]}
        assert [known["name"] for known in listed["measures"] if known["family"] == "custom"] == ["mine"]
    assert run(["score", str(DATA), "--metric", "CUI@5", "--json"]) == 0
    assert "plugins" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n", "The plugin odd.py registers nothing."),
        ("x = \n", "odd.py:1: The plugin cannot be loaded: SyntaxError"),
        ("\n\nimport nothing_like_that\n", "odd.py:3: The plugin cannot be loaded: ModuleNotFoundError"),
        ("import sys\nsys.exit(0)\n", "odd.py:2: The plugin cannot be loaded: SystemExit"),
        (
            SOURCE.replace('"mine"', '"iou"'),
            f"odd.py:{RELEVANCE - 1}: The plugin cannot be loaded: `name of the relevance`",
        ),
        (
            SOURCE + "mine({1}, {1}) and 1 / 0\n",
            f"odd.py:{len(LINES) + 1}: The plugin cannot be loaded: ZeroD",
        ),
        (None, "odd.py cannot be read: No such file"),
    ],
)
def test_a_file_that_cannot_be_loaded(source, words, tmp_path, capsys):
    odd = tmp_path / "odd.py"
    if source is not None:
        odd.write_text(source)
    assert run(["--plugin", str(odd), "check", str(DATA)]) == 2
    assert words in capsys.readouterr().err


def test_a_function_that_raises_ends_with_its_own_line(file, capsys):
    file.write_text(
        SOURCE.replace("len(query & candidate) / len(query)", "1 / 0 if query & candidate else 0.5")
    )
    command = ["score", str(DATA), "--system", "hog", "--metric", "mean(mine)@5", "--plugin", str(file)]
    assert run(command) == 2
    printed = capsys.readouterr()
    assert f"Error: mine.py:{RELEVANCE + 2}: The relevance mine failed for query SYN_" in printed.err
    assert "ZeroDivisionError" in printed.err and "Traceback" not in printed.err


def test_nothing_in_a_study_is_run(tmp_path: Path) -> None:
    """A plugin comes from who runs the program, never with the data."""
    ran = tmp_path / "ran"
    names = ("plugin.py", "cuiscope_plugins.py", "conftest.py", "systems/a/run.py")
    files = dict.fromkeys(names, f"open({str(ran)!r}, 'w')\n{SOURCE}")
    files["concepts.csv"] = "ID,CUIs\na,C0000001\nb,C0000001\n"
    files["study.toml"] = 'plugins = ["plugin.py"]\nplugin = "plugin.py"\n[files]\nplugin = "plugin.py"\n'
    study = write(tmp_path / "study", files)
    opened = cs.open_study(study)
    with pytest.raises(cs.UnknownName):
        cs.score(opened, ["mean(mine)@5"], systems=["@iou"])
    assert not ran.exists()


# Installed packages and the environment.


def test_plugins_of_installed_packages(tmp_path, monkeypatch, sample, capsys):
    """One that works joins; one that fails is named once and left out, and so are features."""
    good, bad = "installed_measures_of_test", "broken_measures_of_test"
    points = (
        f"[{plugins.GROUP}]\ngood = {good}\nbad = {bad}\n"
        f"[{extensions.GROUP}]\nlost = {bad}:FEATURE\nnone = {good}:mine\n"
    )
    package = {"METADATA": "Name: x\nVersion: 1\n", "entry_points.txt": points}
    write(tmp_path, {f"{good}.py": SOURCE, f"{bad}.py": "import nothing_like_that\n"})
    write(tmp_path / "x-1.dist-info", package)
    monkeypatch.syspath_prepend(tmp_path)
    plugins._installed.cache_clear()
    extensions.features.cache_clear()
    try:
        assert 0 < score_of(sample, "mean(mine)@5") < 1
        built_in = [feature.name for feature in extensions.features()]
        assert "imageclef" in built_in and "lost" not in built_in
        assert run(["check", str(DATA)]) == 0
        named = [line for line in capsys.readouterr().err.splitlines() if "left out" in line]
        assert named == [
            f"The plugin bad ({bad}) is left out, as it cannot be loaded: {bad}.py:1: ModuleNotFoundError: "
            "No module named 'nothing_like_that'.",
            f"The feature lost ({bad}:FEATURE) is left out, as it cannot be loaded: {bad}.py:1: "
            "ModuleNotFoundError: No module named 'nothing_like_that'.",
            f"The feature none ({good}:mine) is left out, as it cannot be loaded: it is no Feature.",
        ]
    finally:
        monkeypatch.undo()
        plugins._installed.cache_clear()
        extensions.features.cache_clear()
        for name in (good, bad):
            sys.modules.pop(name, None)


def test_the_environment_names_files(file, tmp_path, monkeypatch, sample):
    odd = tmp_path / "odd.py"
    odd.write_text(f"with open({str(tmp_path / 'tries')!r}, 'a') as tries: tries.write('x')\n1 / 0\n")
    monkeypatch.setenv(plugins.VARIABLE, os.pathsep.join([str(file), str(odd)]))
    assert [*plugins.registered("relevance")] == ["mine"]
    assert score_of(sample, "Balance(organ)@10") > 0
    (left,) = plugins.left_out.values()
    assert [*plugins.registered("metric")] == ["Balance"] and (tmp_path / "tries").read_text() == "x"
    assert left.startswith("odd.py:2: The plugin cannot be loaded: ZeroDivisionError")


def one_pair(query: frozenset[str], candidate: frozenset[str]) -> float:
    return len(query & candidate) / len(query | candidate)


def blocks(queries: sparse.csr_array, candidates: sparse.csr_array) -> np.ndarray:
    """Jaccard, block by block."""
    both = (queries @ candidates.T).toarray()
    return both / (queries.sum(axis=1)[:, None] + candidates.sum(axis=1)[None] - both)


def both_forms() -> None:
    cs.register_relevance("own")(one_pair)
    cs.register_relevance("own-block", block=True)(blocks)


def test_a_plugin_is_described_and_explained(sample: Study) -> None:
    both_forms()
    assert describe("own-block").plain == "Jaccard, block by block."
    explained = cs.explain(sample, sample.image_ids[0], sample.image_ids[18]).values
    assert 0 < explained["own"] == explained["own-block"] == explained["iou"]


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(
    "settings", [Settings(include_self=True, undefined="zero"), Settings(ties="expected", pool="all")]
)
def test_a_plugin_of_iou_equals_iou_in_every_family(sample: Study, settings: Settings, grouped: bool) -> None:
    """Lists, ideals, rankings, ties, pools and groups: bit for bit those of the IoU of the program."""
    both_forms()
    if grouped:
        sample = replace(sample, groups=groups_of_column(sample.labels["organ"]))
    families = ("mean({})@5", "nDCG({})@10", "RBP({},p=0.8)", "DCG({},gain=exp)@3", "HP({})@4")
    systems = ["hog", "caption-tfidf", "@{}"]

    def scored(relevance: str) -> list[cs.Settings]:
        metrics = [family.format(relevance) for family in families] + ["P(organ)@5"]
        names = [system.format(relevance) for system in systems]
        return cs.score(sample, metrics, systems=names, settings=settings)

    expected = scored("iou")
    for name in ("own", "own-block"):
        for mine, theirs in zip(scored(name), expected, strict=True):
            np.testing.assert_array_equal(mine.values, theirs.values)
            counts = [(scores.tied, scores.short, scores.n_undefined) for scores in (mine, theirs)]
            assert counts[0] == counts[1]


def test_a_block_may_take_the_concepts_of_its_columns(sample: Study) -> None:
    known = {sample.concepts.of_image(image) for image in range(len(sample.image_ids))}

    @cs.register_relevance("own", block=True)
    def by_block(
        queries: sparse.csr_array, candidates: sparse.csr_array, cuis: tuple[str, ...]
    ) -> np.ndarray:
        for sets in (queries, candidates):
            assert {frozenset(cuis[column] for column in row.indices) for row in sets} <= known
        return np.zeros((queries.shape[0], candidates.shape[0]))

    assert score_of(sample, "mean(own)@5") == 0
