from evalcore.study.folder.study_toml import StudyToml, parse_study_toml

FULL = """
name = "ROCOv2"
description = "two systems"
[files]
concepts = "c.csv"
graph = ["g/a.csv", "g/b.csv"]
images = ""
[systems.hog]
run = "runs/hog.txt"
[systems."a b"]
embeddings = "v.npy"
ids = "v.txt"
[graph]
sources = ["MESH"]
rela = "isa"
"""


def read(text: str):
    toml, report = parse_study_toml(text.encode(), file="study.toml")
    return toml, [f"{p.severity} {p}" for p in report.problems]


def test_everything_it_may_say():
    toml, problems = read(FULL)
    assert problems == []
    assert toml == StudyToml(
        name="ROCOv2",
        description="two systems",
        files={"concepts": ("c.csv",), "graph": ("g/a.csv", "g/b.csv"), "images": ()},
        systems={"hog": {"run": "runs/hog.txt"}, "a b": {"embeddings": "v.npy", "ids": "v.txt"}},
        graph_sources=("MESH",),
        graph_rela=("isa",),
    )
