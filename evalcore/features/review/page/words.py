"""The questions readers are asked, and the words of their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.review.items import Item
    from evalcore.features.review.tasks import Task

STEPS = {
    "graded": ("Not useful", "Slightly useful", "Fairly useful", "Very useful", "Just what I want"),
    "panel": ("Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied"),
    "preference": ("Left much better", "Left better", "No difference", "Right better", "Right much better"),
    "rating": ("Very poor", "Poor", "Fair", "Good", "Very good"),
}
ENDS = {"graded": ("Not useful at all", "Just what I want"), "rating": ("Very poor", "Very good")}
FORMS = {
    "graded": "One result at a time",
    "preference": "Two lists side by side",
    "panel": "A whole list at a time",
    "ratings": "One result at a time, by several criteria",
}
QUESTIONS = {
    "graded": "How useful is this result for the query?",
    "preference": "Which list is more useful for the query?",
    "panel": "How satisfied are you with this list as a whole?",
}
TAKEN = frozenset("cutgixwlnp")
"""Letters that do something else."""


def question(item: Item) -> str:
    """What is asked about an item."""
    return f"{item.criterion}: how good is this result?" if item.kind == "rating" else QUESTIONS[item.kind]


def steps(task: Task, item: Item) -> list[tuple[str, float]] | None:
    """(words, value) of each answer; None where it is a number from 0 to 100."""
    if task.scale == 100 and item.kind in ENDS:
        return None
    values = (-1.0, -0.5, 0.0, 0.5, 1.0) if item.kind == "preference" else (0.0, 0.25, 0.5, 0.75, 1.0)
    return list(zip(STEPS[item.kind], values, strict=True))


def said(task: Task, item: Item, value: float | None) -> str:
    """An answer in words."""
    if value is None:
        return "Cannot say"
    offered = steps(task, item)
    return f"{value * 100:.0f}" if offered is None else min(offered, key=lambda one: abs(one[1] - value))[0]


def lists(item: Item) -> list[tuple[str, tuple[str, ...]]]:
    """(title, images) of what is judged of an item, in the order of the screen."""
    if item.kind == "preference":
        return [("Left list", item.results), ("Right list", item.others)]
    return [("Result" if item.result else "The list", item.results)]


def letters(reasons: Sequence[str]) -> list[str]:
    """A key for each reason: its first letter that is free, else none.

    >>> letters(["modality", "organ", "finding", "severity", "quality", "again", "contrast"])
    ['m', 'o', 'f', 's', 'q', 'a', 'r']
    """
    free = set("abcdefghijklmnopqrstuvwxyz") - TAKEN
    keys = []
    for reason in reasons:
        key = next((letter for letter in reason.casefold() if letter in free), "")
        free.discard(key)
        keys.append(key)
    return keys


def duration(n: int) -> str:
    """About how long so many items take, at ten seconds each."""
    minutes = max(1, round(n / 6))
    return f"about {minutes} {'minute' if minutes == 1 else 'minutes'}"
