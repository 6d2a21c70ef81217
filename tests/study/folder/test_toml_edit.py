"""An edited study.toml keeps what the user wrote by hand."""

import copy
import math
import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.study.folder.toml import edited

WORD = st.text(max_size=8)
PLAIN = WORD | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.dates() | st.times()
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3), max_leaves=8
)
CONTENT = st.dictionaries(WORD, VALUES, max_size=4)


def same(a: Any, b: Any) -> bool:
    """Equal, of the same kinds, not-a-number included."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return type(a) is type(b) and a == b


MINE = """# my study
name = "A"   # short

description = \"\"\"
two
lines\"\"\"

[files]  # where
# the concepts
concepts = "c.csv"
graph = [
  "a.csv", # one
  "b.csv",
]

[systems.hog]
run = "r.txt"  # good
# keep me
[systems."a b"]
embeddings = "v.npz"
"""


def test_only_the_lines_that_change_change() -> None:
    content = tomllib.loads(MINE)
    content["systems"]["hog"] |= {"title": "H", "order": 2}
    content["systems"]["a b"]["embeddings"] = "w.npz"
    content["name"] = "B # no comment"
    new = MINE.replace('name = "A"   # short', 'name = "B # no comment"   # short')
    new = new.replace("# keep me\n", '# keep me\ntitle = "H"\norder = 2\n').replace("v.npz", "w.npz")
    assert edited(MINE, content) == new
    del content["systems"]["a b"]
    assert edited(MINE, content) == new[: new.index('[systems."a b"]')]


ODD = [
    "a.b = 1 # c\n",
    "x = {y = 1}\n",
    "[[a]]\nb = 1\n",
    "'quo\"ted' = 1\n",
    '"a.b".c = 1\n[d."e f".g]\nh = 1\n',
    "s = '''\n[no.table]\nk = 1\n'''\n",
    "a = 1 # [x]\r\n[b] # ]\r\nc = 2\r\n",
    "d = 2024-01-01\nf = nan\n",
]


@pytest.mark.parametrize("text", ODD)
def test_odd_forms_are_edited(text: str) -> None:
    content = tomllib.loads(text)
    assert edited(text, content) == text or same(tomllib.loads(edited(text, content)), content)
    for change in ({"name": "x"}, {"systems": {"s": {"order": 1}}}):
        assert same(tomllib.loads(edited(text, content | change)), content | change)


@settings(deadline=None, max_examples=60)
@given(CONTENT, CONTENT, st.data())
def test_any_content_is_written_exactly(before, more, data):
    text = tomlkit.dumps(before)
    content = copy.deepcopy(before) | more
    for key in data.draw(st.lists(st.sampled_from(sorted(content)), max_size=2) if content else st.just([])):
        content.pop(key, None)
    assert same(tomllib.loads(edited(text, content)), content)
