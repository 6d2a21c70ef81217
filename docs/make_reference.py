"""Write the parts of the reference that follow from the code: python docs/make_reference.py [--check].

A page has them between the comments ``<!-- made: NAME -->`` and ``<!-- end -->``; the text around them is
written by hand. ``--check`` writes nothing, and ends with exit code 1 if a page is out of date.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

REFERENCE = Path(__file__).resolve().parent / "reference"
sys.path.insert(0, str(REFERENCE.parent.parent))

import click  # noqa: E402

from evalcore.cli import main  # noqa: E402
from evalcore.cli.program import iter_commands  # noqa: E402
from evalcore.ranking.metrics import METRICS  # noqa: E402
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, INFORMATION, SET_MEASURES  # noqa: E402
from evalcore.relevance.registry import RELEVANCE  # noqa: E402
from evalcore.study.folder import layout, settings_toml  # noqa: E402
from evalcore.study.graphs.obo import UNREAD  # noqa: E402
from evalcore.study.parts.registry import KINDS  # noqa: E402
from evalcore.values.settings import OPTIONS  # noqa: E402

REFUSED = (*UNREAD, *(f"{ending}.gz" for ending in UNREAD), ".kv", ".model", ".pkl", ".pickle")
"""Endings of files that are found only for an error to say what to do."""
SHARED = 4
"""Options that at least so many commands have are described once, below the commands."""
BLOCK = re.compile(r"(<!-- made: ([\w-]+) -->\n).*?(<!-- end -->)", flags=re.S)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; bars within cells are escaped.

    >>> print(table(["a", "b"], [["x|y", "z"]]))
    | a | b |
    |---|---|
    | x\\|y | z |
    """
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    head, *body = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join((head, "|" + "---|" * len(cells[0]), *body))


def relevances() -> str:
    """The relevances of two images that have a name of their own."""
    rows = [
        (f"`{m.name}`: {m.title}", m.formula, "{:g} to {:g}".format(*m.range), m.reference)
        for m in RELEVANCE.values()
    ]
    return table(("relevance of two images", "formula", "range", "source"), rows)


def combinations() -> str:
    """What SET:CONCEPT consists of; similarities with the same formula share a row."""
    sets = [(f"`{m.name}`: {m.title}", m.formula, m.reference) for m in SET_MEASURES.values()]
    formulas: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for m in CONCEPT_MEASURES.values():
        formulas[m.formula, m.reference].append(f"`{m.name}`")
    concepts = [(", ".join(names), *formula) for formula, names in formulas.items()]
    information = [(f"`{m.name}`", m.formula, m.reference) for m in INFORMATION.values()]
    tables = (
        ("SET: two sets of concepts by the similarity s of two of them", sets),
        ("CONCEPT: similarity s of two concepts", concepts),
        ("IC: how specific a concept is", information),
    )
    return "\n\n".join(table((title, "formula", "source"), rows) for title, rows in tables)


def metrics() -> str:
    """The measures of a ranked list."""
    rows = [(f"`{f.example}`: {f.title}", f.formula, f.range, f.reference) for f in METRICS.values()]
    return table(("measure of a ranked list", "formula", "range", "source"), rows)


def _sentence(text: str) -> str:
    """On one line, with a full stop; what is in brackets at the end, such as a range, is code.

    Characters with a meaning in Markdown or HTML are escaped.

    >>> _sentence("Width of a_b. [default: 3; x<9]")
    'Width of a\\\\_b. `default: 3; x<9`'
    """
    line = re.sub(r"; -10{9}<=x<=10{9}| \[-10{9}<=x<=10{9}\]", "", re.sub(r"\s+", " ", text).strip())
    words, bracket, rest = line.rpartition("[") if line.endswith("]") else (line, "", "")
    words = words.strip()
    words = re.sub(r"([*_<>|])", r"\\\1", words.rstrip("."))
    words += "." if words and words[-1] != "?" else ""
    return f"{words} `{rest[:-1]}`".strip() if bracket else words


def _shown(option: click.Option, context: click.Context) -> tuple[str, str]:
    """The names of an option, and its help."""
    record = option.get_help_record(context)
    assert record is not None, "hidden options are left out before"
    names, text = record
    metric = OPTIONS["metrics"].help
    if text.startswith(metric):
        return names, f"A [metric](measures.md). {_sentence(text[len(metric) :].strip() or '.')}"
    return names, _sentence(text)


def _options(command: click.Command) -> list[tuple[str, str]]:
    context = click.Context(command)
    shown = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
    return [_shown(option, context) for option in shown if option.name != "help"]


def _first(names: str) -> str:
    return names.split(" ")[0].rstrip(",")


def commands() -> str:
    """Every command with its own options; those that several commands share follow once."""
    all_of = {words: (command, _options(command)) for words, command in iter_commands(main)}
    uses = Counter(option for _, options in all_of.values() for option in options)
    parts = [_command(words, *command, shared=uses) for words, command in all_of.items()]
    shared = sorted(option for option, n in uses.items() if n >= SHARED)
    of_all = "\n".join(f"- `{names}`: {text}" for names, text in _options(main) if names != "--version")
    return "\n\n".join(
        (
            *parts,
            "## Options of several commands",
            "\n".join(f"- `{names}`: {text}" for names, text in shared),
            "## Before any command",
            of_all,
        )
    )


def _command(
    words: str,
    command: click.Command,
    options: list[tuple[str, str]],
    *,
    shared: Mapping[tuple[str, str], int],
) -> str:
    context = click.Context(command)
    arguments = " ".join(p.make_metavar(context) for p in command.params if isinstance(p, click.Argument))
    help = [_sentence(part) for part in re.split(r"\n\s*\n", command.help or "")]
    own = [f"- `{names}`: {text}" for names, text in options if shared[names, text] < SHARED]
    others = [f"`{_first(names)}`" for names, text in options if shared[names, text] >= SHARED]
    lines = [f"## {words}", f"`{words} {arguments}`".replace(" `", "`"), "\n\n".join(help)]
    if own:
        lines.append("\n".join(own))
    if others:
        lines.append(f"Also: {', '.join(others)}.")
    return "\n\n".join(lines)


def settings() -> str:
    """The choices that pages, commands and files share, with their values and what they decide."""
    rows = []
    for name, option in OPTIONS.items():
        if option.kind not in (str, tuple):
            values = ", ".join(f"`{value}`" for value in option.values) or option.rule
            default = f"`{str(option.default).lower()}`" if option.default != "" else ""
            rows.append((f"`{name}`", values, default, _sentence(option.help)))
    return table(("setting", "values", "default", "what it decides"), rows)


def _written(module: object) -> str:
    """The example in the docstring of a reader of TOML."""
    _, _, example = str(module.__doc__).partition("\n\n")
    return f"```toml\n{example.strip()}\n```"


def study_file() -> str:
    """``study.toml`` with everything that can be in it."""
    return _written(layout)


def settings_file() -> str:
    """``settings.toml`` likewise."""
    return _written(settings_toml)


def _collapsed(names: Iterable[str]) -> Iterator[str]:
    """Names that differ in their endings as one.

    >>> list(_collapsed(["a.csv", "a.tsv", "a.csv.gz", "b.obo"]))
    ['`a` .csv .tsv .csv.gz', '`b.obo`']
    """
    endings: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if name.endswith(REFUSED):
            continue
        stem, dot, ending = name.partition(".")
        endings[stem].append(dot + ending)
    for stem, several in endings.items():
        if len(several) == 1:
            yield f"`{stem}{several[0]}`"
        else:
            yield f"`{stem}` {' '.join(ending or '(no ending)' for ending in dict.fromkeys(several))}"


def study_parts() -> str:
    """Each kind of part: its key in ``study.toml``, and the file names that are found."""
    rows = []
    for kind in KINDS.values():
        where = "`[systems.NAME]`" if kind.of_a_system else "`[files]`"
        names = "; else ".join(", ".join(_collapsed(group)) for group in kind.names)
        rows.append((kind.title, f"`{kind.name}` in {where}", names or "-", "all" if kind.many else "one"))
    return table(("part", "key in study.toml", "file names that are found", "files"), rows)


def extras() -> str:
    """What can be installed in addition, and what for: the comment after each extra."""
    project = (REFERENCE.parents[1] / "pyproject.toml").read_text("utf-8")
    listed = project.partition("[project.optional-dependencies]\n")[2].partition("\n\n")[0]
    extras = re.findall(r"^([\w-]+) = \[.*  # (.+)$", listed, flags=re.M)
    return table(("extra", "for"), ((f"`{name}`", purpose) for name, purpose in extras))


BLOCKS: dict[str, Callable[[], str]] = {
    "relevances": relevances,
    "combinations": combinations,
    "metrics": metrics,
    "commands": commands,
    "settings": settings,
    "study-file": study_file,
    "settings-file": settings_file,
    "study-parts": study_parts,
    "extras": extras,
}
PAGES = sorted(REFERENCE.glob("*.md"))


def made(text: str) -> str:
    """The text of a page with its blocks made from the code."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{BLOCKS[block[2]]()}\n\n{block[3]}", text)


def main_() -> int:
    """Write the pages that are out of date; with ``--check`` only name them. Returns the exit code."""
    out_of_date = [
        (page, text) for page in PAGES if (text := made(page.read_text("utf-8"))) != page.read_text("utf-8")
    ]
    for page, text in out_of_date:
        print(f"{page.name} is out of date" if "--check" in sys.argv else f"{page.name} is written")
        if "--check" not in sys.argv:
            page.write_text(text, "utf-8")
    return int(bool(out_of_date) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main_())
