"""Items as the desk shows them: pictures, question and answers. Nothing here knows a system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.features.review.page import words
from evalcore.figures.words import upper_first
from evalcore.ui.components.viewer.pictures import picture
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from evalcore.features.review.items import Item
    from evalcore.features.review.tasks import Task
    from evalcore.ui.components.viewer.pictures import Picture
    from evalcore.values.model import Study

SLOTS = 12
"""Items whose pictures are served at a time: those on the screen, ahead and just behind."""
OF_A_LIST = 768
"""Pixels of the longer side of a picture in a list, which are many."""


def shown(study: Study, task: Task, item: Item, place: int) -> dict[str, Any]:
    """An item with its pictures; ``place`` is where it stands in the reader's order."""
    slot = f"review-{place % SLOTS}"
    steps = words.steps(task, item)
    reasons = zip(task.reasons, words.letters(task.reasons), strict=True)
    asked = {
        "key": item.key,
        "question": plain(words.question(item), limit=200),
        "steps": None if steps is None else [{"words": said, "value": value} for said, value in steps],
        "ends": list(words.ENDS.get(item.kind, ("", ""))),
        "reasons": [
            {"name": name, "words": plain(upper_first(name), limit=40), "key": key} for name, key in reasons
        ],
        "query": _side(study, item.query, title="Query", slot=f"{slot}-query"),
    }
    if item.result:
        return asked | {"result": _side(study, item.result, title="Result", slot=f"{slot}-result")}
    return asked | {
        "lists": [
            {
                "title": title,
                "tiles": [
                    _side(
                        study, image, title=f"{title}, result {n}", slot=f"{slot}-{row}-{n}", size=OF_A_LIST
                    )
                    for n, image in enumerate(images, start=1)
                ],
            }
            for row, (title, images) in enumerate(words.lists(item))
        ]
    }


def _side(study: Study, name: str, *, title: str, slot: str, size: int | None = None) -> Picture:
    image = study.concepts.index(name)
    found = picture(study, image, title=title, slot=slot, named=False, size=size)
    if not found["src"]:
        caption = study.caption_of(image)
        concepts = ", ".join(sorted(map(study.name_of, study.concepts.of_image(image))))
        found["none"] = plain(" ".join(filter(None, (found["none"], caption, concepts))), limit=600)
    return found
