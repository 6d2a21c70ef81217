"""Small files that many tests of this room upload, and what a folder holds."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from evalcore.study.parts.recognise import STUDY
from evalcore.study.workspace.home import make_folder, study_folder
from evalcore.study.workspace.uploads import add_part
from evalcore.values.errors import Report


def png(content: int | np.ndarray | Image.Image = 7, kind: str = "PNG") -> bytes:
    """A small grey picture, or one of these pixels, as a file."""
    image = Image.new("L", (6, 4), content) if isinstance(content, int) else content
    out = io.BytesIO()
    (image if isinstance(image, Image.Image) else Image.fromarray(image)).save(out, kind)
    return out.getvalue()


def raw_png(width: int, height: int, rows: bytes, *, bits: int = 8) -> bytes:
    """A grey PNG that claims this size, whatever its packed rows hold."""
    head = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    )


def npz(ids: Sequence[str] = "abc", times: float = 1) -> bytes:
    """Vectors of these ids, all different, in as many dimensions."""
    out = io.BytesIO()
    np.savez(out, ids=np.array(list(ids)), vectors=np.eye(len(ids), dtype=np.float32) * times)
    return out.getvalue()


def parquet(table: pa.Table | Mapping[str, object], **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), out, **options)
    return out.getvalue()


def shard(image: str) -> bytes:
    return parquet({"image_id": [image], "cui": [["C0000001"]], "caption": ["x"]})


def zipped(**members: str | bytes) -> bytes:
    """A zip of these files; in their names ``__`` stands for a slash, ``_png`` for an ending."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            plain = name.replace("__", "/") if not name.startswith("__") else name
            for ending in ("png", "csv", "txt"):
                plain = plain.replace(f"_{ending}", f".{ending}")
            archive.writestr(plain, data)
    return out.getvalue()


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder, with these files at their paths in it."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder


def content(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def empty_study(name: str = "mine") -> Path:
    """The folder of an uploaded study without files, as a page has it before its first part is added."""
    make_folder(study_folder(name))
    return study_folder(name)


def add_zip(name: str, data: bytes) -> tuple[Path | None, Report]:
    """A whole study in a zip, as a new study of that name."""
    return add_part(name, STUDY, f"{name}.zip", data)
