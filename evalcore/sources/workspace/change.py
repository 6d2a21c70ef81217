"""A study of the workspace while it changes: what is where, and what ``study.toml`` says from then on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from evalcore.errors import InputError
from evalcore.sources.folder.layout import TOML, Layout, read_layout
from evalcore.sources.folder.study_toml import StudyToml, parse_study_toml
from evalcore.sources.folder.toml_text import toml_text
from evalcore.sources.tables.lines import read_bytes
from evalcore.sources.tables.problems import Problems
from evalcore.sources.workspace.home import readable, write_new


@dataclass(slots=True)
class Change:
    """A study about to change: how it is laid out now, a folder aside on the same disk, what to report."""

    layout: Layout
    aside: Path
    found: Problems

    @staticmethod
    def of(study: Path, aside: Path, *, file: str) -> Change:
        """The study as it is now; ``file`` is what the messages are about."""
        return Change(read_layout(study)[0], aside, Problems(file))

    @property
    def root(self) -> Path:
        return self.layout.root

    def names(self, files: Mapping[str, tuple[str, ...]]) -> None:
        """Let ``study.toml`` say which file is what."""
        self._write(replace(self.layout.toml, files=dict(files)))

    def systems(self, systems: Mapping[str, Mapping[str, str]]) -> None:
        """Let ``study.toml`` say which systems there are."""
        self._write(replace(self.layout.toml, systems=dict(systems)))

    def _write(self, toml: StudyToml) -> None:
        here = self.root / TOML
        if here.exists():
            _, report = parse_study_toml(read_bytes(here, self.found) or b"", file=TOML)
            if report.total("error"):
                remedy = f"Mend or remove {TOML} in {readable(str(self.root))}, or make a new study."
                raise InputError(f"{TOML} has errors, so it cannot follow the change. {remedy}", report)
        try:
            text = toml_text(toml).encode()
        except UnicodeEncodeError as reason:
            remedy = f"Rename it: {TOML} can only hold names in UTF-8."
            raise InputError(f"A file of the study has a name that is not UTF-8. {remedy}") from reason
        ready = unused(self.aside / TOML)
        write_new(ready, text)
        ready.replace(here)
        self.layout = replace(self.layout, toml=toml)

    def relative(self, path: Path) -> str:
        """A path as ``study.toml`` names it."""
        return path.relative_to(self.root).as_posix()

    def is_also(self, path: Path, own: Iterable[Path]) -> bool:
        """Whether a file is another part of the study than ``own`` too, as ``study.toml`` can say."""
        parts = [*self.layout.files.values(), *(parts.values() for parts in self.layout.systems.values())]
        uses = sum(file == path for files in parts for file in files)
        return uses > sum(file == path for file in own)


def unused(path: Path) -> Path:
    """The path, or the first of name_2, name_3 and so on where nothing is yet.

    >>> unused(Path("/no/such/folder/umls.2024.csv")).name
    'umls.2024.csv'
    """
    numbered = (path.with_name(f"{path.stem}_{n}{path.suffix}") for n in count(2))
    return path if not os.path.lexists(path) else next(p for p in numbered if not os.path.lexists(p))
