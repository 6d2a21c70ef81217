"""Commands of the features that cannot be carried out: refused in words, and no file is changed."""

from __future__ import annotations

import shlex

import pytest

from evalcore.cli import run
from tests.conftest import ROOT
from tests.features.encode.made import CAPTIONS
from tests.study.made import content, write
from tests.ui.conftest import write_study

NAMED = {"captions.csv": "ID,Caption\na,A fracture\n", "names.csv": "cui,name\nC0000001,Fracture\n"}
STUDIES = {
    "bare": {"captions.csv": "ID,Caption\n" + "".join(f'{i},"{text}"\n' for i, text in CAPTIONS.items())},
    "named": NAMED,
    "mistaken": NAMED | {"annotate.toml": "negatde = 3\nnegated = -1\n"},
    "annotated": NAMED | {"concepts.csv": "ID,CUIs\na,C0000001\n"},
    "silent": {"concepts.csv": "ID,CUIs\na,C0000001\n"},
}
RATED = [(user, i) for user in "abc" for i in range(8)]
FILES = {
    "notes.md": "Nothing\n",
    "concepts.csv": "ID,CUIs\na,C0040405\nb,C0041618\n",
    "captions.csv": "ID,Caption\na,liver mass\nb,chest\n",
    "real.csv": "ID,f,g\ni0,1,2\ni1,2,3\ni2,4,1\ni3,3,3\n",
    "made.csv": "ID,f,g\ni0,1,2\n",
    "twice.csv": "ID,f,g\na,1,2\na,1,3\n",
    "weights.csv": "feature,weight\nf,-1\n",
    "lists.csv": "query,position,row,relevance\n" + "".join(f"{u}{i},1,1,{i % 4}\n" for u, i in RATED),
    "rated.csv": "query,user,satisfaction\n" + "".join(f"{u}{i},{u},{1 + i % 5}\n" for u, i in RATED),
}
MAKE = "review make tiny --task chest --system alpha --system beta"
RUN = "--truth concepts.csv --run concepts.csv"
GROUPS = "--real real.csv --generated made.csv"
FAULTY = "--feature-weights weights.csv" + "".join(
    f" --generated {name}" for name in ("twice.csv", "none", "nowhere", "loop.csv")
)
"""Everything wrong with several groups is said at once."""
LISTS = "satisfaction --lists lists.csv --satisfaction rated.csv --resamples 20"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("annotate mistaken", "The settings have 2 errors"),
        ("annotate mistaken", "annotate.toml:2:"),
        ("annotate named --names absent.csv", "absent.csv: The file cannot be read"),
        ("annotate named --from x.json --names x", "--names has no use here: the terms come from --from"),
        ("annotate bare --out x.csv", "There are no names to look for"),
        ("annotate annotated --out annotated/concepts.csv", "would be lost"),
        ("annotate silent", "has no captions"),
        ("encode bare --name x", "--name and --out are for one model: give --model."),
        ("encode bare --model baseline:hgo", "No baseline called 'hgo'. Did you mean: hog."),
        ("encode bare --model baseline:hog", "The study has no pictures to encode."),
        ("encode bare --model baseline:hog --what captions", "baseline:hog reads images, not captions"),
        (f"encode {ROOT}/data --model baseline:hog", "The sample study is part of the program; it is never"),
        (f"imageclef concepts --edition 2022 {RUN} --manual concepts.csv", "has no manually checked truth"),
        (f"imageclef captions --edition 2025 {RUN} --device cpu", "no --metric-model is run"),
        (f"imageclef captions --edition 2025 {RUN} --images .", "only medimageinsight uses pictures"),
        (f"imageclef captions --edition 2025 {RUN} --truth-concepts x", "UMLS F1 needs --run-concepts too"),
        (f"imageclef captions --edition 2025 {RUN} --run-concepts x", "UMLS F1 needs --truth-concepts too"),
        ("imageclef concepts --edition 2025 --truth concepts.csv --run none", "none contains no files"),
        (f"imageclef concepts --edition 2025 {RUN} --baseline nobody", "nobody"),
        (MAKE, "Use one of --n-queries N and --query ID"),
        (f"{MAKE} --n-queries 3 --query x", "Use one of --n-queries N and --query ID"),
        (f"{MAKE} --n-queries 3 --system none", "No system with a run called 'none'"),
        (f"{MAKE} --n-queries 3 --task ../x", "`name` must be letters, digits"),
        (f"{MAKE} --n-queries 3 --depth 0", "`depth` must be a whole number from 1 to 100"),
        (f"{MAKE} --n-queries 3 --form material", "are used together"),
        (f"{MAKE} --n-queries 3 --form preference --system alpha", "different texts"),
        ("review show tiny chst", "No task called 'chst'"),
        ("review export tiny chest --out x.tsv", "--out must end in .csv or .json"),
        ("review export tiny chest --out x.csv", "No task with answers called 'chest'"),
        ("review export tiny chest", "No task called 'chest'"),
        ("review export tiny practice", "No task called 'practice'"),
        ("review import tiny none.csv", "none.csv cannot be read"),
        ("review import tiny notes.md", "notes.md has 1 error, so nothing of it was stored"),
        (f"{LISTS} --windows p=1:3", "not a list of whole numbers"),
        (f"{LISTS} --windows 0:3", "whole numbers of images"),
        (f"{LISTS} --lists none.csv", "none.csv cannot be read"),
        (f"{LISTS} --rows 0", "whole numbers of rows"),
        (f"{LISTS} --rows 50", "No query is left of 24"),
        (f"{LISTS} --scale 3:0", "0 <= LOW < HIGH"),
        (f"{LISTS} --scale 0:2", "is off the scale: from 0 to 2"),
        (f"synthetic score {GROUPS} --quantiles 0.95,0.05", "the lower first. Got (0.95, 0.05)."),
        (f"synthetic score {GROUPS} --quantiles low", "'low' is neither two numbers such as 0.05,0.95 nor"),
        (f"synthetic score {GROUPS} --wsi-alpha -1", "-1.0 is not in the range x>=0"),
        (f"synthetic score {GROUPS} --feature-weights x.csv", "x.csv: The file cannot be read"),
        (f"synthetic score {GROUPS} --generated made.csv", "Two groups are called 'made'"),
        (f"synthetic score {GROUPS} {FAULTY}", "twice.csv:3: The image 'a' is already on line 2"),
        (f"synthetic score {GROUPS} {FAULTY}", "none: There are no images here. Give a folder or a zip with"),
        (f"synthetic score {GROUPS} {FAULTY}", "nowhere: The file cannot be read: No such file or"),
        (f"synthetic score {GROUPS} {FAULTY}", "loop.csv: The file cannot be read: Too many levels of"),
        (f"synthetic score {GROUPS} {FAULTY}", "weights.csv:2: '-1' is no weight of 'f'. Write a number"),
        (f"synthetic score {GROUPS} --side 64", "--side has no use here: there are feature tables only."),
        (f"synthetic distances {GROUPS} --resnet x.pth", "real has features only; ResNet-18 needs pictures"),
        (f"synthetic distances {GROUPS} --lpips default", "LPIPS needs pictures"),
        (f"synthetic distances {GROUPS} --people made.csv", "first,second,better"),
    ],
)
def test_what_cannot_be_is_refused_in_words(tmp_path, monkeypatch, capsys, command, message):
    monkeypatch.chdir(tmp_path)
    for name, files in STUDIES.items():
        write(tmp_path / name, files)
    write_study(write(tmp_path, FILES) / "tiny", pictures=False)
    (tmp_path / "none").mkdir()
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    before = content(tmp_path)
    assert run(shlex.split(command)) == 2
    out, err = capsys.readouterr()
    assert message in err and "Traceback" not in err and out == ""
    assert content(tmp_path) == before
