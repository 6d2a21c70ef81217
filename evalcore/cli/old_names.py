"""What commands and options were called before: old words become new ones, and each is said once.

The one place for it: the next release drops this module, and the line of `Program` that calls it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import click

from evalcore.cli.groups import loaded
from evalcore.cli.options import is_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

COMMANDS: Mapping[str, str] = {
    "rank": "export run",
    "fuse": "export run --fuse",
    "export": "export qrels",
    "figures": "report --figures",
    "bounds": "score --bounds",
    "overlap": "compare --overlap",
    "stability": "sweep --stability",
    "cost": "sweep --cost",
    "duplicates": "check --duplicates",
    "path": "graph path",
    "neighbours": "graph neighbours --dictionary",
    "neighbourhood": "graph neighbours",
    "search": "graph search",
    "distances": "graph neighbours --distances",
    "graph distances": "graph neighbours --distances",
    "effect": "graph effect",
    "relations": "graph neighbours --relations",
    "graph relations": "graph neighbours --relations",
    "concept-vectors": "graph vectors",
    "concept-ratings": "graph ratings",
    "systems": "study systems",
    "kinds": "score --kinds",
    "study kinds": "score --kinds",
    "measures": "measures list",
    "agreement": "measures agreement",
    "discrimination": "measures discrimination",
    "table1": "measures discrimination --table1",
    "measures table1": "measures discrimination --table1",
    "imageclef models": "imageclef captions --list-models",
    "wsi": "synthetic score",
    "wsi-ablation": "synthetic score --ablation",
    "wsi-copies": "synthetic copies",
    "wsi-distances": "synthetic distances",
    "review list": "review show --tasks",
    "review leave-out": "review verdicts --leave-out",
    "readers": "review readers",
    "annotate": "annotate run",
    "annotate-score": "annotate score",
    "embed": "encode",
}
"""New words by old ones. A name that is a group now is the old command where no command of it follows."""

_RELEVANCE = {"--by": "--relevance"}
_DRAWN = {"--queries": "--n-queries"}
_TVERSKY = {"--alpha": "--wsi-alpha", "--beta": "--wsi-beta"}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "queries": {"--smallest-difference": "--departs-by"},
    "explain": {"--measure": "--relevance"},
    "sweep": {
        "--alpha": "--alphas",
        "--threshold": "--thresholds",
        "--count-rule": "--count-rules",
        "--direction": "--directions",
    },
    "sweep --cost": _DRAWN,
    "report --figures": {"--width": "--column"},
    "export run": {**_RELEVANCE, "--scores": "--write-scores", "--top": "--depth"},
    "export run --fuse": {"--by": "--method", "--k": "--rrf-k", "--top": "--depth"},
    "export qrels": {"--scale": "--times"},
    "graph path": {"--all": "--every"},
    "graph vectors": {"--window": "--walk"},
    "graph ratings": {"--measure": "--similarity"},
    "score --kinds": {**_RELEVANCE, "--top": "--k"},
    "measures list": _RELEVANCE,
    "measures agreement": {**_RELEVANCE, **_DRAWN, "--level": "--unit"},
    "measures discrimination": {**_RELEVANCE, **_DRAWN, "--level": "--significance"},
    "measures discrimination --table1": {**_RELEVANCE, **_DRAWN},
    "imageclef captions": {"--scores": "--values", "--model": "--metric-model"},
    "synthetic score": {**_TVERSKY, "--weights": "--feature-weights", "--undefined": "--neither"},
    "synthetic score --ablation": {**_TVERSKY, "--images": "--n-images"},
    "synthetic copies": _TVERSKY,
    "review make": {"--name": "--task", "--queries": "--n-queries", "--scale": "--steps", "--form": "--kind"},
    "review readers": {**_RELEVANCE, "--level": "--measurement", "--differ": "--furthest"},
    "satisfaction": {
        **_RELEVANCE,
        "--relevance": "--lists",
        "--depth": "--rows",
        "--without": "--skip",
        "--sweep": "--windows",
    },
    "annotate run": {"--source": "--name-source"},
    "annotate score": {"--against": "--given", "--source": "--name-source"},
}
"""New options by old ones, by command."""
_STILL: Mapping[str, Callable[[str], bool]] = {
    "--queries": str.isdigit,
    "--relevance": lambda value: bool(Path(value).suffix),
}
"""Of names that the same command gave to another option since: whether a value is one of the old option."""
ANYWHERE = ("--plugin",)
"""Options of the program that stand before the command or after it."""
IDLE = ("--unknown", "--settings")
"""Options that `WITHOUT_RUNS` took before although they decide nothing there."""
WITHOUT_RUNS = (
    *("explain", "check --duplicates", "measures list", "encode", "annotate run"),
    *("graph path", "graph neighbours", "graph neighbours --dictionary", "graph neighbours --distances"),
    "graph search",
    *(
        "graph neighbours --relations",
        "graph vectors",
        "graph ratings",
        "review verdicts",
        "review verdicts --leave-out",
    ),
)
"""Commands on a study that read no runs of it."""


class _Reading(NamedTuple):
    """Words as they are said now, and what to say of those that were not."""

    words: list[str]
    remarks: list[str]


def in_new_words(program: click.Group, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a call as they are said now, and a line for each name that is an old one."""
    first = _begins(program, words)
    before, rest = [*words[:first]], [*words[first:]]
    remarks: list[str] = []
    old = _old_command(program, rest)
    if old:
        new = COMMANDS[old].split()
        rest = [*new, *rest[len(old.split()) :]]
        remarks.append(f"`{old}` is now `{' '.join(new)}`; the old name works in this release.")
    command: click.Command | None = program
    n = 0
    while isinstance(command, click.Group) and n < len(rest):
        command, n = command.commands.get(rest[n]), n + 1
    if command is None or isinstance(command, click.Group):
        return [*before, *rest], remarks
    command = loaded(command)
    path, arguments = " ".join(rest[:n]), rest[n:]
    flag, mode = getattr(command, "mode_of", lambda _: ("", None))(arguments)
    lifted, read = _options(program, f"{path} {flag}".strip(), mode or command, arguments)
    return [*lifted, *before, *rest[:n], *read.words], [*dict.fromkeys([*remarks, *read.remarks])]


def _begins(program: click.Group, words: Sequence[str]) -> int:
    """Where the name of the command stands, behind the options of the program."""
    place = 0
    while place < len(words) and words[place].startswith("-") and words[place] != "--":
        option = _option_of(program, words[place])
        place += 2 if _takes_value(option) and "=" not in words[place] else 1
    return place


def _old_command(program: click.Group, words: Sequence[str]) -> str:
    """The old name that the words begin with; "" for none."""
    pair = " ".join(words[:2])
    if pair in COMMANDS:
        return pair
    if not words or words[0] not in COMMANDS:
        return ""
    now = program.commands.get(words[0])
    if now is None:
        return words[0]
    # A group now: the old command where arguments follow, but its help is that of the group.
    follows = words[1] if len(words) > 1 else ""
    names = getattr(now, "commands", {})
    return words[0] if follows and follows not in {*names, "--help", "-h"} else ""


def _options(
    program: click.Group, path: str, command: click.Command, words: Sequence[str]
) -> tuple[list[str], _Reading]:
    """The words behind the name of a command; first what belongs before it."""
    lifted: list[str] = []
    read = _Reading([], [])
    renamed = OPTIONS.get(path, {})
    todo = [*words]
    while todo and todo[0] != "--":
        flag, sign, value = (word := todo.pop(0)).partition("=")
        option, of_program = _option_of(command, flag), _option_of(program, flag)
        option = None if option in getattr(command, "lent", ()) and flag in renamed else option
        n = 0 if sign else option.nargs if _takes_value(option) else 1 if option is None else 0
        behind = todo[:n]
        if flag in renamed and (option is None or _STILL[flag]("".join([value, *todo[:1]]))):
            read.words.append(f"{renamed[flag]}{sign}{value}")
            read.remarks.append(_said(f"{path} {flag}", renamed[flag]))
        elif option is not None and is_set(option):
            given = f"{option.name}={value if sign else ''.join(behind) or 'true'}"
            read.words.extend(["--set", given])
            read.remarks.append(_said(f"{path} {flag}", f"--set {given}"))
            todo = todo[len(behind) :]
        elif option is None and path in WITHOUT_RUNS and flag in IDLE:
            read.remarks.append(f"`{path}` has no use for {flag}: it is passed over.")
            todo = todo[len(behind) :]
        elif option is None and _takes_value(of_program):
            lifted.extend([word, *behind])
            if flag not in ANYWHERE:
                read.remarks.append(
                    f"{flag} goes before the command now; after it, it works in this release."
                )
            todo = todo[len(behind) :]
        else:
            taken = behind if option is not None else []
            read.words.extend([word, *taken])
            todo = todo[len(taken) :]
    read.words.extend(todo)
    return lifted, read


def _said(old: str, new: str) -> str:
    return f"`{old}` is now `{new}`; the old name works in this release."


def _option_of(command: click.Command, flag: str) -> click.Option | None:
    name = flag.partition("=")[0]
    for param in command.params:
        if isinstance(param, click.Option) and name in (*param.opts, *param.secondary_opts):
            return param
    return None


def _takes_value(option: click.Option | None) -> TypeGuard[click.Option]:
    return option is not None and not option.is_flag and not option.count
