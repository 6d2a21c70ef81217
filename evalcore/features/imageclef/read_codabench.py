"""Codabench: the scoring program of an edition as an export, and what that program does when it runs there.

Codabench runs ``command`` of ``metadata.yaml`` with the submission in ``input/res`` and the reference data in
``input/ref``, and takes ``output/scores.json``. The export carries the code of this program that scoring
needs; the image it runs in needs Python and the packages of its ``requirements.txt`` (a Dockerfile is
beside them). A submission that the official script refuses ends with exit code 1 and its problems.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import isfinite
from pathlib import Path
from typing import Any

from evalcore import __version__
from evalcore.features.imageclef.captions.evaluate import evaluate_captions, read_caption_truth
from evalcore.features.imageclef.concepts.evaluate import evaluate_concepts, read_concept_truth
from evalcore.features.imageclef.editions import Edition, edition_of
from evalcore.features.imageclef.read import read_submission
from evalcore.features.imageclef.result import Result
from evalcore.values.errors import InputError

TRUTH, MANUAL, SETTINGS = "truth", "manual", "edition.json"
PACKAGES = ("numpy", "scipy", "pyarrow")
_PACKAGES_OF_CAPTIONS = ("nltk",)
_CORE = ("engine", "evaluate", "graph", "ranking", "relevance", "stats", "study", "values")
_LEFT_OUT = ("page", "commands", "board_page.py", "board.css", "board.html.j2", "tables.py", "organiser.py")
"""What scoring one submission does not need of this folder."""
_SCORING = '''"""Scores one submission: python3 scoring.py INPUT OUTPUT, as Codabench calls it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from evalcore.features.imageclef.read_codabench import main

sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
'''


def scoring_program(edition: Edition) -> bytes:
    """``scoring_program.zip`` of an edition: the same bytes for the same program and packages."""
    packages = (*PACKAGES, *(_PACKAGES_OF_CAPTIONS if edition.task == "captions" else ()))
    requirements = "".join(f"{name}=={version(name)}\n" for name in packages)
    facts = {"task": edition.task, "edition": edition.key, "cuiscope": __version__}
    texts = {
        "metadata.yaml": "command: python3 $program/scoring.py $input $output\n",
        "scoring.py": _SCORING,
        "requirements.txt": requirements,
        "Dockerfile": "FROM python:3.12-slim\nCOPY requirements.txt .\n"
        "RUN pip install --no-cache-dir -r requirements.txt\n",
        SETTINGS: json.dumps(facts, indent=1) + "\n",
    }
    return _zip({name: text.encode() for name, text in texts.items()} | dict(_sources()))


def reference_data(truth: tuple[str, bytes], manual: tuple[str, bytes] | None = None) -> bytes:
    """``reference_data.zip``: the truth, and the manually checked truth if there is one (name, content)."""
    parts = {TRUTH: truth} | ({MANUAL: manual} if manual else {})
    return _zip({part + Path(name).suffix.lower(): data for part, (name, data) in parts.items()})


def codabench(edition: Edition, truths: Sequence[tuple[str, bytes]]) -> bytes:
    """A zip of ``scoring_program.zip`` and ``reference_data.zip`` (see there for ``truths``)."""
    parts = {"scoring_program.zip": scoring_program(edition), "reference_data.zip": reference_data(*truths)}
    return _zip(parts)


def _sources() -> Iterator[tuple[str, bytes]]:
    top = files("evalcore")
    wanted = [child for child in top.iterdir() if child.name in _CORE or child.name.endswith(".py")]
    for child in wanted:
        yield from _of(child, "evalcore")
    yield "evalcore/features/__init__.py", (top / "features" / "__init__.py").read_bytes()
    for child in (top / "features" / "imageclef").iterdir():
        if child.name not in _LEFT_OUT:
            yield from _of(child, "evalcore/features/imageclef")


def _of(one: Traversable, place: str) -> Iterator[tuple[str, bytes]]:
    if one.name == "__pycache__":
        return
    if one.is_file():
        yield f"{place}/{one.name}", one.read_bytes()
        return
    for child in one.iterdir():
        yield from _of(child, f"{place}/{one.name}")


def _zip(content: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(content):
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, content[name])
    return stream.getvalue()


# What the scoring program does.


def main(place: Path, output: Path) -> int:
    """Score the submission in ``place/res`` against ``place/ref``; the exit code, 0 with ``scores.json``."""
    try:
        facts = json.loads((Path(sys.argv[0]).resolve().parent / SETTINGS).read_text())
        result = scored(place, edition_of(facts["task"], facts["edition"]))
    except InputError as error:
        print(error, *(error.report.problems if error.report else ()), sep="\n", file=sys.stderr)
        return 1
    for problem in result.report.problems:
        print(problem, file=sys.stderr)
    if not result.accepted:
        print("The official script refuses this submission; it has no score.", file=sys.stderr)
        return 1
    output.mkdir(parents=True, exist_ok=True)
    (output / "scores.json").write_text(json.dumps(scores_of(result), indent=1) + "\n")
    return 0


def scored(place: Path, edition: Edition) -> Result[Any]:
    """The only submission in ``place/res``, scored; InputError where there is none or several."""
    inside = sorted(
        path
        for path in (place / "res").rglob("*")
        if path.is_file() and not any(part.startswith((".", "__MACOSX")) for part in path.parts[-2:])
    )
    if len(inside) != 1:
        raise InputError(f"The submission has {len(inside)} files. Submit exactly one.")
    reference = {path.stem: path for path in (place / "ref").iterdir() if path.is_file()}
    name, data, report = read_submission(inside[0])
    opened = {name: (data, report)}
    if edition.task == "captions":
        captions = read_caption_truth(reference[TRUTH].read_bytes(), file=TRUTH)
        return evaluate_captions(opened, captions, edition=edition)[0]
    true, checked = (
        read_concept_truth(reference[part].read_bytes(), file=part, edition=edition)
        if part in reference
        else None
        for part in (TRUTH, MANUAL)
    )
    if true is None:
        raise InputError("The reference data contain no truth.")
    return evaluate_concepts(opened, true, edition=edition, manual=checked)[0]


def scores_of(result: Result[Any]) -> dict[str, float]:
    """{key of a leaderboard column: value}: the main score, the secondary, and every metric that is there.

    ``ranking`` is what the task ranks by. Keys are in lower case with underscores.
    """
    values = {
        "score": result.score,
        "secondary": result.secondary,
        "ranking": result.headline,
        **result.metrics,
    }
    return {
        name.lower().replace(" ", "_").replace("-", "_").replace("(", "").replace(")", ""): float(value)
        for name, value in values.items()
        if value is not None and isfinite(value)
    }
