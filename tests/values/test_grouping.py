"""A column that repeats another with all its values is no label type of its own."""

from __future__ import annotations

from evalcore.values.grouping import label_types, repeated_by, with_all_values


def test_a_column_counts_as_repeated_only_where_the_other_stands_beside_it():
    assert label_types(["organ", "organ_all", "view", "only_all"]) == ("organ", "view", "only_all")
    assert repeated_by("organ_all", {"organ": 1, "organ_all": 2}) == "organ"
    assert repeated_by("organ", ["organ", "organ_all"]) is None
    assert repeated_by("only_all", ["only_all"]) is None


def test_the_name_given_to_all_values_is_the_name_looked_for():
    assert label_types(["organ", with_all_values("organ")]) == ("organ",)
