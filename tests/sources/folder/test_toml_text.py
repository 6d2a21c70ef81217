"""What is written reads back as the same value."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.sources.folder.kinds import OF_A_STUDY
from evalcore.sources.folder.study_toml import StudyToml, parse_study_toml
from evalcore.sources.folder.toml_text import toml_text

WORD = st.text(min_size=1, max_size=8).map(str.strip).filter(bool)
WORDS = st.lists(WORD, max_size=3).map(tuple)
TOMLS = st.builds(
    StudyToml,
    name=WORD | st.just(""),
    description=WORD | st.just(""),
    files=st.dictionaries(st.sampled_from(OF_A_STUDY), WORDS, max_size=4),
    systems=st.none()
    | st.dictionaries(WORD, st.dictionaries(st.sampled_from(["run", "embeddings", "ids"]), WORD), max_size=3),
    graph_sources=st.none() | WORDS,
    graph_rela=st.none() | WORDS,
    one_value_labels=st.booleans(),
    concept_format=st.none() | WORD,
)


@settings(deadline=None)
@given(TOMLS)
def test_round_trip(toml: StudyToml) -> None:
    read, report = parse_study_toml(toml_text(toml).encode(), file="study.toml")
    assert read == toml
    assert report.problems == ()
