"""``settings.toml``: a view of a study as a file, written by the pages and the report, read by both and the
commands.

metric = ["nnCUI@10"]
system = ["hog", "pixels"]     # none: all systems of the study
baseline = "hog"
queries = "common-pool"        # all, common, common-pool
where = ["organ=chest"]        # only these queries
correction = "holm"
alpha = 0.5                    # and every other option that commands on studies share, by its name

[made_with]                    # what the file was written for; not read as a choice
study = "ROCOv2 test"
digest = "9f3a12c0..."
program = "1.0.0"
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import tomlkit

from evalcore.study.folder.toml import ANY, Model, Value, read_toml, read_values
from evalcore.study.tables.files import reader
from evalcore.study.tables.problems import Problems
from evalcore.values.settings import OPTIONS, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.values.settings import Option

MADE_WITH = "made_with"
WAY_OUT = "Save the settings again on a page, or write it by hand: one `name = value` a line."
MAX_TEXTS, MAX_TEXT = 200, 400
"""Most values of a list, and characters of a text."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a settings file says: the choices by the names of their options, and what it was made with."""

    chosen: Mapping[str, Any] = field(default_factory=dict)
    study: str = ""
    digest: str = ""


def settings_text(view: View, *, study: str, digest: str, program: str) -> str:
    """A view as the text of a settings file; all of it is written, so that later defaults change nothing."""
    head = "# Settings of CUIscope: for --settings of a command, and for the sidebar of the pages.\n"
    made = {"study": study, "digest": digest, "program": program}
    return head + tomlkit.dumps({**view.as_dict(), MADE_WITH: made})


@reader(lambda _: SettingsFile())
def parse_settings(data: bytes, problems: Problems) -> SettingsFile:
    """Read a settings file. A name nobody knows and a value that cannot be are errors, all of them listed;
    nothing of a file with errors is used: a choice that is passed over would give other numbers."""
    top, content = read_toml(data, problems, way_out=WAY_OUT)
    chosen = read_values(top, _MODEL, content, problems, remedy="Correct the line.")
    if problems.n_errors:
        return SettingsFile()
    made = chosen.pop(MADE_WITH, {})
    return SettingsFile(chosen, made.get("study", ""), made.get("digest", ""))


def _choice(option: Option) -> Value:
    """What is declared of a choice; True is no number here, and 1 no text."""

    def read(value: Any) -> Any:
        value = float(value) if option.kind is float and type(value) is int else value
        if option.values:
            return value if value in option.values else None
        return value if type(value) is option.kind and option.allows(value) else None

    return Value(option.rule, read)


def _list(items: list[str]) -> list[str] | None:
    return items if len(items) <= MAX_TEXTS and all(len(item) <= MAX_TEXT for item in items) else None


_LIST = Value(f"a list of at most {MAX_TEXTS} texts of at most {MAX_TEXT} characters", _list, of_texts=True)
_MODEL: Model = {
    **{option.name: _LIST if option.kind is tuple else _choice(option) for option in OPTIONS.values()},
    MADE_WITH: {ANY: Value("a text in quotes", str)},
    "baseline": Value(
        f"a text in quotes, of at most {MAX_TEXT} characters",
        lambda value: value if isinstance(value, str) and len(value) <= MAX_TEXT else None,
    ),
}
"""How each choice is checked."""
