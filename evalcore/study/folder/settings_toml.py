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
from math import inf
from typing import TYPE_CHECKING, Any, get_args

from evalcore.study.folder.toml_text import line_that_sets, read_toml, report_unknown_key, toml_text
from evalcore.study.tables.lines import parse_file
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.errors import Report, SettingError
from evalcore.values.settings import (
    LISTS,
    MOST_FLIPS,
    Correction,
    Queries,
    SameGroup,
    Settings,
    Unknown,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MADE_WITH = "made_with"
WAY_OUT = "Save the settings again on a page, or write it by hand: one `name = value` a line."
MAX_TEXTS, MAX_TEXT = 200, 400
"""Most values of a list, and characters of a text."""
_USUAL = Settings().as_dict()


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a settings file says: the choices by the names of their options, and what it was made with."""

    chosen: Mapping[str, Any] = field(default_factory=dict)
    study: str = ""
    digest: str = ""

    def view(self) -> View:
        """The choices, with the usual values for what the file does not say."""
        of = {option: name for name, option in LISTS.items()}
        values: dict[str, Any] = {
            of.get(key, key): tuple(value) if isinstance(value, list) else value
            for key, value in self.chosen.items()
        }
        settings = {key: values.pop(key) for key in _USUAL if key in values}
        return View(**values, settings=Settings(**settings))


def settings_text(view: View, *, study: str, digest: str, program: str) -> str:
    """A view as the text of a settings file; all of it is written, so that later defaults change nothing."""
    head = "# Settings of CUIscope: for --settings of a command, and for the sidebar of the pages.\n"
    made = {"study": study, "digest": digest, "program": program}
    return head + toml_text({**view.as_dict(), MADE_WITH: made})


def read_settings(path: Path) -> tuple[SettingsFile, Report]:
    """The settings in a file, and what is wrong with it; nothing of a file with errors is used."""
    return parse_file(parse_settings, path, SettingsFile())


@reader(lambda _: SettingsFile())
def parse_settings(data: bytes, *, file: str) -> tuple[SettingsFile, Report]:
    """Read a settings file. A name nobody knows and a value that cannot be are errors, all of them listed;
    nothing of a file with errors is used: a choice that is passed over would give other numbers."""
    problems = Problems(file)
    top, text = read_toml(data, problems, way_out=WAY_OUT)
    if top is None:
        return SettingsFile(), problems.report()
    made = top.pop(MADE_WITH, {})
    made = made if isinstance(made, dict) else {}
    chosen = chosen_in(top, text, problems)
    if problems.n_errors:
        return SettingsFile(), problems.report()
    study, digest = (made[key] if isinstance(made.get(key), str) else "" for key in ("study", "digest"))
    return SettingsFile(chosen, study, digest), problems.report()


def chosen_in(table: Mapping[str, Any], text: str, problems: Problems) -> dict[str, Any]:
    """The choices of a table that can be; the others are errors, by their line in the text."""
    chosen: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _CHECKS:
            report_unknown_key(problems, text, key, _CHECKS, f"No setting is called {key!r}.")
            continue
        value = [value] if key in LISTS.values() and isinstance(value, str) else value
        try:
            chosen[key] = _CHECKS[key](key, value)
        except SettingError as wrong:
            line = line_that_sets(text, key)
            problems.error("wrong-value", str(wrong), "Correct the line.", line=line, value=value)
    return chosen


def _texts(key: str, value: Any) -> list[str]:
    rule = f"a list of at most {MAX_TEXTS} texts"
    if not isinstance(value, list) or len(value) > MAX_TEXTS:
        raise SettingError(key, rule, value)
    return [_text(key, item) for item in value]


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise SettingError(key, f"a text in quotes, of at most {MAX_TEXT} characters", value)
    return value


def _one_of(options: Any) -> Callable[[str, Any], str]:
    allowed = [option for option in get_args(options) if option]

    def check(key: str, value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise SettingError(key, f"one of {', '.join(allowed)}", value)
        return value

    return check


def _number(kinds: tuple[type, ...], fits: Callable[[float], bool], rule: str) -> Callable[[str, Any], float]:
    """A number of these types, as the last of them."""

    def check(key: str, value: Any) -> float:
        if type(value) not in kinds or not fits(value):
            raise SettingError(key, rule, value)
        number: float = kinds[-1](value)
        return number

    return check


def _setting(key: str, value: Any) -> Any:
    """A field of ``Settings``: of the type of its default, and allowed."""
    usual = _USUAL[key]
    value = float(value) if type(usual) is float and type(value) is int else value
    if type(value) is not type(usual):
        words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
        raise SettingError(key, words[type(usual)], value)
    checked: dict[str, Any] = {key: value}
    return getattr(Settings(**checked), key)


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(LISTS.values(), _texts),
    "baseline": _text,
    "queries": _one_of(Queries),
    "same_group": _one_of(SameGroup),
    "unknown": _one_of(Unknown),
    "correction": _one_of(Correction),
    "smallest_difference": _number((int, float), lambda value: 0 <= value < inf, "a number from 0 on"),
    "level": _number((float,), lambda value: 0 < value < 1, "a number between 0 and 1"),
    "seed": _number((int,), lambda value: 0 <= value < 1 << 63, "a whole number from 0 on"),
    "flips": _number(
        (int,), lambda value: 0 < value <= MOST_FLIPS, f"a whole number from 1 to {MOST_FLIPS:,}"
    ),
    **dict.fromkeys(_USUAL, _setting),
}
"""How each choice is checked."""
