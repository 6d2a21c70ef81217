"""The sample study, which no test changes, and a plugin of every kind."""

from pathlib import Path

import pytest

from evalcore import open_study
from evalcore.values.model import Study
from tests.conftest import ROOT

DATA = ROOT / "data"
SOURCE = '''
import io
import numpy as np
import pandas as pd
import evalcore as cs

@cs.register_relevance("mine")
def mine(query, candidate):
    """The share of the query's concepts that the result has too."""
    return len(query & candidate) / len(query)

@cs.register_metric("Balance@K")
def balance(gains, k, ideal):
    return 2 * gains.sum() / (k + len(ideal))

@cs.register_format("knn")
def knn(data):
    """Lines such as a>b:0.5,c:0.25"""
    lists = {}
    for line in data.decode().splitlines():
        query, _, rest = line.partition(">")
        pairs = (result.split(":") for result in rest.split(","))
        lists[query] = {image: float(score) for image, score in pairs}
    return lists

@cs.register_format("jsonl", part="labels")
def labels(data):
    return pd.read_json(io.BytesIO(data), lines=True, dtype=False)

@cs.register_format("raw", part="embeddings")
def vectors(data):
    return list("abcd"), np.frombuffer(data, "<f4").reshape(4, -1)
'''
LINES = SOURCE.splitlines()


def line_of(code: str) -> int:
    """Where the plugin has it."""
    return next(n for n, line in enumerate(LINES, start=1) if code in line)


@pytest.fixture(scope="session")
def sample() -> Study:
    return open_study(DATA)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "mine.py"
    written.write_text(SOURCE)
    return written
