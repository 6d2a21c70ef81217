"""Uploaded images, one by one or in a zip: each is looked at before it joins the others."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from uuid import uuid4

from evalcore.errors import InputError
from evalcore.model import Report
from evalcore.sources.archives import unpack
from evalcore.sources.home import home, write_whole
from evalcore.sources.image_files import ENDINGS
from evalcore.sources.images import MAX_FILE
from evalcore.sources.limits import in_words
from evalcore.sources.picture_ends import is_cut, report_cut
from evalcore.sources.pixels import check_header
from evalcore.sources.problems import Problems


def add_images(study: Path, name: str, data: bytes, *, existing: Sequence[Path] = ()) -> Report:
    """Add an image file, or all images of a zip, to a study; files of the same name are replaced.

    ``existing`` is where the images of the study lie now: a folder is added to, a zip unpacked first.
    Files that are no readable images are errors and left out, other files counted as a warning. With
    a problem of rule "not-kept" nothing was changed.
    """
    found = Problems(name)
    aside = home() / "studies" / f".{uuid4().hex}"
    try:
        if data[:4] == b"PK\x03\x04":
            report = unpack(data, aside, file=name)
        else:
            write_whole(aside / _file_name(name), data)
            report = Report()
        accepted = _accepted(aside, found) if aside.is_dir() else []
        if not accepted:
            found.error(
                "not-kept", f"{name} was not kept: there is no image in it that can be read.",
                f"Give a zip of {', '.join(ENDINGS[:6])} files; what was there before is unchanged.",
            )  # fmt: skip
            return report + found.report()
        target = _target(study, existing)
        top = _common_folder(accepted)
        for path in accepted:
            place = target / path.relative_to(top)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
        return report + found.report()
    except OSError as reason:
        raise InputError(f"{name} cannot be kept: {reason.strerror or reason}.") from reason
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _file_name(name: str) -> str:
    """An id may hold any character; only what no file system can hold is replaced."""
    plain = PurePosixPath(name.replace("\\", "/")).name.lstrip(".")
    return "".join(c if c.isprintable() and c not in '<>:"|?*/' else "_" for c in plain)[:200] or "image"


def _accepted(folder: Path, found: Problems) -> list[Path]:
    """The readable images below a folder, by name."""
    accepted, others, cut = [], [], []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix.lower() not in ENDINGS:
            others.append(name)
            continue
        if path.stat().st_size > MAX_FILE:
            message = f"{name} is larger than {in_words(MAX_FILE)}."
            found.error("broken-image", message, "It is left out.", value=name)
            continue
        data = path.read_bytes()
        try:
            check_header(data, file=name)
        except InputError as reason:
            found.error("broken-image", f"{reason}", "It is left out.", value=name)
        else:
            accepted.append(path)
            cut += [name] if is_cut(data) else []
    if cut:
        report_cut(found, cut)
    if others:
        message = f"{len(others):,} files are no images; they are left out."
        found.warning("not-an-image", message, "", value=others[0], count=len(others))
    return accepted


def _target(study: Path, existing: Sequence[Path]) -> Path:
    """The folder the images of a study lie in; those of a zip are moved there."""
    if existing and existing[0].is_dir():
        return existing[0]
    folder = study / "images"
    if existing:
        report = unpack(existing[0], folder, file=existing[0].name)
        if report.total("error"):
            raise InputError(f"{existing[0].name}, where the images are now, cannot be unpacked.", report)
        existing[0].unlink()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _common_folder(paths: Sequence[Path]) -> Path:
    """The deepest folder that holds all of them: what surrounds the images in a zip says nothing."""
    parents = [set(path.parents) for path in paths]
    return max(set.intersection(*parents), key=lambda path: len(path.parts))
