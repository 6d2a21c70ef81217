"""Uploaded images, one by one or in a zip: each is looked at before it joins the others."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from evalcore.study.pictures.image_files import (
    ENDINGS_IMAGE_FILES,
    MAX_FILE,
    find_images,
    is_picture,
    report_dicom,
)
from evalcore.study.pictures.pixels import DICOM_ENDINGS, check_header, is_cut, report_cut
from evalcore.study.tables.archives import DISK_FULL, unpack
from evalcore.study.tables.files import in_words
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.change import Change, unused
from evalcore.study.workspace.home import flush, make_folder, write_new
from evalcore.values.errors import InputError, Report


def ready_images(
    name: str, data: bytes, *, image_ids: Sequence[str] | None, aside: Path
) -> tuple[Path | None, Report]:
    """An image file, or all images of a zip, in a folder aside; None when none can be used.

    Files that are no readable images are errors and left out, other files counted as a warning. With
    ``image_ids`` (those of the study they are to join) at least one must belong to one of them.
    """
    result, given, pictures = Problems(name), aside / "given", aside / "pictures"
    if data[:4] == b"PK\x03\x04":
        report = unpack(data, given, file=name)
        if full := [problem for problem in report.problems if problem.rule == DISK_FULL]:
            raise InputError(f"{full[0].message} {full[0].remedy}")
    else:
        write_new(given / _file_name(name), data)
        report = Report()
    accepted = _accepted(given, result) if given.is_dir() else []
    if not accepted:
        remedy = (
            f"Give a zip of {', '.join(ENDINGS_IMAGE_FILES[:6])} files; what was there before is unchanged."
        )
        result.error("not-kept", f"{name} was not kept: there is no image in it that can be read.", remedy)
        return None, report + result.report()
    top = _common_folder(accepted)
    for path in accepted:
        place = pictures / path.relative_to(top)
        make_folder(place.parent)
        path.rename(place)
    if image_ids is not None:
        images, why = find_images(pictures, image_ids, file=name)
        if images is None:
            remedy = "Name each image file by its image id; what was there before is unchanged."
            message = f"{name} was not kept: none of its images belongs to an image of the study."
            result.error("not-kept", message, remedy)
            return None, report + why + result.report()
    return pictures, report + result.report()


def put_images(change: Change, pictures: Path) -> None:
    """Add a folder of images to those of a study; a file of the same name takes the place of the older one.

    InputError where those of the study are in a zip or outside it, and so are never changed.
    """
    if change.layout.has_images_outside:
        raise InputError(
            "The pictures of this study are in a folder outside it (images_root), which is never "
            "changed. Add them there, or remove images_root from study.toml."
        )
    existing, folder = change.layout.files["images"], change.root / "images"
    if existing and not existing[0].is_dir():
        remedy = "Make a new study with all of them."
        raise InputError(
            f"The pictures of this study are in {existing[0].name}, which is not changed. {remedy}"
        )
    flush(pictures)
    if existing:
        _add(change, pictures, existing[0])
        return
    target = unused(folder)
    pictures.rename(target)
    if "images" in change.layout.toml.files or target != folder:
        change.name("images", [target])


def _add(change: Change, pictures: Path, target: Path) -> None:
    """Move every file to its place below the target, once it is clear that all of them can."""
    moves = [
        (path, target / path.relative_to(pictures)) for path in sorted(pictures.rglob("*")) if path.is_file()
    ]
    for _, place in moves:
        parents = [target / part for part in place.relative_to(target).parents]
        if place.is_dir() or any(parent.is_file() for parent in parents):
            message = (
                f"{place.relative_to(target).as_posix()} cannot be added: a folder and a file would have"
            )
            raise InputError(f"{message} the same name. Rename it, then add the images again.")
    for path, place in moves:
        change.make_folder(place.parent)
        path.replace(place)


def _file_name(name: str) -> str:
    """An id may hold any character; only what no file system can hold is replaced."""
    plain = PurePosixPath(name.replace("\\", "/")).name.lstrip(".")
    return "".join(c if c.isprintable() and c not in '<>:"|?*/' else "_" for c in plain)[:200] or "image"


def _accepted(folder: Path, problems: Problems) -> list[Path]:
    """The readable images below a folder, by name."""
    accepted, others, cut = [], [], []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if not is_picture(name):
            others.append(name)
        elif path.stat().st_size > MAX_FILE:
            message = f"{name} is larger than {in_words(MAX_FILE)}."
            problems.error("broken-image", message, "It is left out.", value=name)
        else:
            data = path.read_bytes()
            try:
                check_header(data, file=name)
            except InputError as reason:
                problems.error("broken-image", f"{reason}", "It is left out.", value=name)
            else:
                accepted.append(path)
                cut += [name] if is_cut(io.BytesIO(data)) else []
    report_cut(problems, cut)
    scans = [path for path in accepted if path.name.lower().endswith(DICOM_ENDINGS)]
    report_dicom(problems, ((path.name, path.read_bytes()) for path in scans))
    problems.add_summary("not-an-image", others, "{n} files are no images; they are left out.", "")
    return accepted


def _common_folder(paths: Sequence[Path]) -> Path:
    """The deepest folder that holds all of them: what surrounds the images in a zip says nothing."""
    parents = [set(path.parents) for path in paths]
    return max(set.intersection(*parents), key=lambda path: len(path.parts))
