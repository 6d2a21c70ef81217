"""A tool is asked about captions: they go to its Python in one CSV file, its matches come back in another."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evalcore.features.annotate.tools_read import child
from evalcore.features.annotate.tools_read.environments import tool_of, usable
from evalcore.features.annotate.tools_read.process import run
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

TIMEOUT = 3_600.0
"""Seconds that a tool may take for all captions, unless told otherwise."""
_LOADING = 0.05
"""Share of the progress that loading the tool gets."""


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """A concept that a tool found in the caption of an image.

    ``start``, ``end``: of the text in the caption, characters from 0; None where the tool does not say.
    ``status``: what it says about it, such as {"Negation": "Yes"}; ``score``: how sure it is, 0 to 1;
    ``preferred``: whether the name is the first of its concept. None where it does not say.
    """

    image: str
    start: int | None
    end: int | None
    concept: str
    name: str
    score: float | None
    preferred: bool | None
    status: Mapping[str, str]


def ask(
    tool: str,
    captions: Mapping[str, str],
    *,
    weights: str,
    environment: Path | None = None,
    timeout: float = TIMEOUT,
    progress: Progress = silent,
) -> tuple[ToolMatch, ...]:
    """What MedCAT or QuickUMLS finds in captions, {image: text}, in the order of captions and places.

    Parameters
    ----------
    tool : "medcat" (``weights`` a model pack, zip or folder) or "quickumls" (``weights`` the folder that
        ``python -m quickumls.install`` made). Loading either runs code that lies in it: give only what you
        trust.
    environment : the folder of the tool's environment; None is that of the workspace.
    timeout : seconds for all captions; then the tool is stopped, as when ``progress`` raises.

    Raises
    ------
    InputError
        There is no environment, the tool cannot be started, fails or takes too long, or its answer is none.
    """
    title, python = tool_of(tool).title, usable(tool, environment)
    if not os.path.lexists(weights):
        raise InputError(f"There is nothing at {weights}, where {title} should find its concepts.")
    done, doing = 0.0, f"loading {title}"

    def heard(line: str) -> None:
        nonlocal done, doing
        if line.startswith("@progress "):
            at, total = (int(number) for number in line.split()[1:3])
            done, doing = _LOADING + (1 - _LOADING) * at / max(1, total), f"{title} reads the captions"
        progress(done, doing)

    with tempfile.TemporaryDirectory(prefix="captions-") as made:
        folder = Path(made)
        given, answer = folder / "captions.csv", folder / "matches.csv"
        given.write_bytes(_table(captions))
        command = [str(python), "-I", "-X", "utf8", child.__file__, tool, str(Path(weights).absolute())]
        run(
            [*command, str(given), str(answer)],
            name=title,
            timeout=timeout,
            heard=heard,
            environ=_environ(),
            folder=folder,
        )
        if not answer.is_file():
            raise InputError(f"{title} ended without an answer.")
        matches = list(parse_matches(answer.read_bytes(), captions, title=title))
    order = {image: at for at, image in enumerate(captions)}
    matches.sort(key=lambda one: (order[one.image], one.start or 0, one.end or 0, one.concept))
    progress(1.0, "")
    return tuple(matches)


def parse_matches(data: bytes, captions: Mapping[str, str], *, title: str) -> Iterator[ToolMatch]:
    """Matches as the tool's script writes them; InputError, with the line, for what is none."""
    rows = csv.reader(io.StringIO(data.decode("utf-8", "replace"), newline=""))
    if next(rows, None) != child.FOUND:
        raise InputError(f"The answer of {title} has not the columns {', '.join(child.FOUND)}.")
    for row in rows:
        try:
            yield _match(row, captions)
        except ValueError as reason:
            raise InputError(f"The answer of {title} is wrong in line {rows.line_num}: {reason}.") from reason


def _match(row: list[str], captions: Mapping[str, str]) -> ToolMatch:
    if len(row) != len(child.FOUND):
        raise ValueError(f"{len(row)} cells, not {len(child.FOUND)}")
    image, start, end, concept, name, score, preferred, status = row
    if image not in captions:
        raise ValueError(f"no caption of {image!r} was asked about")
    if not concept.strip():
        raise ValueError("no concept")
    place = (int(start), int(end)) if start and end else None
    if place is not None and not 0 <= place[0] < place[1] <= len(captions[image]):
        raise ValueError(f"{start} to {end} is no part of the caption of {image!r}")
    sure = float(score) if score else None
    said = (part.partition("=") for part in status.split("; ") if part)
    return ToolMatch(
        image,
        place[0] if place else None,
        place[1] if place else None,
        concept.strip(),
        name,
        None if sure is None or sure != sure else sure,
        None if not preferred else preferred == "1",
        MappingProxyType({key.strip(): value.strip() for key, _, value in said}),
    )


def _table(captions: Mapping[str, str]) -> bytes:
    """Captions as CSV; what UTF-8 or CSV cannot hold is replaced by as many characters, so places stay."""
    text = io.StringIO(newline="")
    out = csv.writer(text)
    out.writerow(["ID", "Caption"])
    out.writerows((image, caption.replace("\0", " ")) for image, caption in captions.items())
    return text.getvalue().encode("utf-8", "replace")


def _environ() -> dict[str, str]:
    """What the tool's Python sees: nothing of this program's Python, and no download is tried."""
    own = ("PYTHON", "VIRTUAL_ENV", "STREAMLIT", "CUISCOPE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
