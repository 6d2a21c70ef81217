import pytest

from evalcore.study.tables.ids import explain_id_mismatch

KNOWN = ("ROCO_1", "ROCO_2", "ROCO_3")


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        (["ROCO_1.jpg", "ROCO_2.PNG"], "a file ending such as .jpg both match"),
        (["roco_1", "Roco_2"], "upper and lower case both match"),
        (["images/ROCO_1", "x\\ROCO_2"], "the folder before the name both match"),
        (["images/ROCO_1.jpg"], "the folder and a file ending such as .jpg it matches"),
        (["images/roco_1.jpg", "ROCO_3.jpg"], "folder, file ending and upper or lower case both match"),
    ],
)
def test_ids_that_all_miss_alike_are_explained(missing, words):
    assert explain_id_mismatch(missing, KNOWN) == f"Apart from {words}."


def test_the_ending_may_stand_on_the_other_side():
    assert (
        explain_id_mismatch(["a"], ["a.jpg", "b.jpg"]) == "Apart from a file ending such as .jpg it matches."
    )


def test_one_stranger_is_enough_for_no_hint():
    assert explain_id_mismatch(["ROCO_1.jpg", "other"], KNOWN) == ""
    assert explain_id_mismatch([], KNOWN) == ""
