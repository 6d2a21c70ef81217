"""``cuiscope``, or ``python -m evalcore``: the dashboard, and what its pages compute without a browser.

Exit codes: 0 done; 2 the input is at fault, every problem on its own line; 3 a decline is established.
Results go to standard output, messages and progress to standard error.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

from evalcore import __version__, extensions
from evalcore.cli import output
from evalcore.cli.options import PROGRAM, of_the_program
from evalcore.cli.output import AT_FAULT, DONE, INTERRUPTED, print_fault, print_message
from evalcore.extensions import Command
from evalcore.study.workspace.home import is_full
from evalcore.values import plugins
from evalcore.values.errors import CuiscopeError
from evalcore.values.settings import CANDIDATES, OPTIONS, RELEVANCE, STATISTICS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

# Commands: imported on use, their options under headings.

HEADINGS: Mapping[str, Collection[str]] = {
    RELEVANCE: (),
    STATISTICS: ("judge", "bound", "significance", "n_resamples"),
    CANDIDATES: (),
    "Output": (
        *("out", "csv_path", "per_query", "latex", "markdown", "intervals", "json_wanted", "settings"),
        *("imrmc", "matches", "per_image", "per_concept", "paper"),
    ),
}
"""The options of a command's help by heading, named by their parameters, beside those that are choices
(`evalcore.values.settings`); all others come first."""


class WithHeadings(click.Command):
    """The same command whose help lists its options under headings."""

    def __init__(self, command: click.Command) -> None:
        super().__init__(
            command.name,
            context_settings=command.context_settings,
            callback=command.callback,
            params=[*command.params],
            help=command.help,
            epilog=command.epilog,
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors name settings by its options."""
        try:
            return super().invoke(ctx)
        except CuiscopeError as fault:
            print_fault(fault)
            ctx.exit(AT_FAULT)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        parts: dict[str, list[tuple[str, str]]] = {"Options": [], **{heading: [] for heading in HEADINGS}}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                parts[_heading(param.name or "")].append(record)
        for heading, records in parts.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _heading(name: str) -> str:
    own = next((heading for heading, names in HEADINGS.items() if name in names), "Options")
    return (OPTIONS[name].heading or own) if name in OPTIONS else own


class Deferred(click.Command):
    """A command that is imported when it is called, or when its own help or options are asked for.

    Lists of commands, and completing the name of one, import none.
    """

    def __init__(self, name: str, declared: Command) -> None:
        super().__init__(name, help=declared.summary)
        self.declared = declared

    @cached_property
    def loaded(self) -> click.Command:
        """The command itself."""
        try:
            command: click.Command = extensions.load(self.declared.place)
        except Exception as reason:
            if self.declared.place.startswith("evalcore."):
                raise
            why = f"{type(reason).__name__}: {reason}"
            raise click.ClickException(f"The command {self.name} cannot be loaded: {why}.") from reason
        return WithHeadings(command)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command itself."""
        return self.loaded.make_context(info_name, args, parent, **extra)


def iter_commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command below a group that is shown and no group itself, by its words (``path``)."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group) and not command.hidden:
            yield from iter_commands(command, (*path, name))
        elif not command.hidden:
            yield " ".join((*path, name)), loaded(command)


def loaded(command: click.Command) -> click.Command:
    """The command itself in place of one that is imported on use."""
    return command.loaded if isinstance(command, Deferred) else command


def _command_of(name: str, declared: Any) -> click.Command:
    """A click command of what is declared in ``evalcore.extensions``; click commands as they are."""
    if isinstance(declared, Command):
        return Deferred(name, declared)
    if isinstance(declared, extensions.CommandGroup):
        members: dict[str, click.Command] = {
            word: Deferred(word, member) for word, member in declared.commands.items()
        }
        return click.Group(name, help=declared.help, commands=members)
    command: click.Command = declared
    return command


# The program.


class Program(click.Group):
    """The whole command line; its own options may be before the command or after it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click asks so
        """In the order of the help."""
        return [*self.commands]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands under their headings; those of features come last."""
        known = {name for members in COMMANDS.values() for name in members}
        rest = [name for name in self.commands if name not in known]
        for heading, names in [*COMMANDS.items(), ("Features", rest)]:
            if rows := [(name, self.commands[name].get_short_help_str(70)) for name in names]:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words after the options of the program."""
        valued = {name for param in self.params if getattr(param, "metavar", None) for name in param.opts}
        return super().parse_args(ctx, _first(args, valued, ("-q", "--quiet", "--escape-formulas")))


def _first(words: Sequence[str], options: Collection[str], flags: Collection[str]) -> list[str]:
    """The same words, these flags, options and their values before the others; behind ``--`` is no option."""
    first, rest, todo = list[str](), list[str](), [*words]
    while todo and todo[0] != "--":
        word = todo.pop(0)
        name, sign, _ = word.partition("=")
        if word in flags:
            first.append(word)
        elif name not in options:
            rest.append(word)
        elif not (sign or todo):
            return [word]  # click reports that it needs a value
        else:
            first += [word] if sign else [word, todo.pop(0)]
    return [*first, *rest, *todo]


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="CUIscope", message="%(prog)s %(version)s")
@of_the_program
def main() -> None:
    """Compare medical image retrieval systems by the meaning of what they return.

    STUDY is a folder with concepts.csv and, if you have them, captions, labels, a graph, images and systems;
    `sample` is the sample study that comes with the program. Research tool, not for diagnosis.
    """
    plugins.ready()
    for text in plugins.left_out.values():
        print_message(text)


COMMANDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Every day": {
        "open": ("Open the dashboard in the browser.", "dashboard:dashboard"),
        "check": ("List the contents of STUDY and all its problems.", "studies:check"),
        "fix": ("Write a corrected copy of STUDY.", "studies:fix"),
        "score": ("Score the systems of STUDY, with intervals.", "scores:score"),
        "compare": ("Compare two systems of STUDY, or all pairs.", "pairs:compare"),
        "queries": ("Which queries are hard, and where does a system differ?", "queries:queries"),
        "explain": ("Why CANDIDATE counts as relevant to QUERY.", "concepts:explain"),
        "sweep": ("Do scores and ranking depend on the settings of nn-IoU?", "sweeps:sweep"),
        "report": ("Write verdict, figures and tables as one HTML file.", "export:report"),
        "figures": ("Write the figures of STUDY as SVG or PDF.", "export:figures"),
    },
    "More about a study": {
        "overlap": ("How similar are the results of every two systems?", "pairs:overlap"),
        "kinds": ("Which kinds of concepts the scores come from.", "scores:kinds"),
        "labels": ("Label images by their concepts.", "studies:labels"),
        "duplicates": ("List images of STUDY that are nearly the same.", "studies:duplicates"),
        "rank": ("Write the ranking of a system as a run.", "export:rank"),
        "qrels": ("Write judgments as qrels: query, 0, image, grade.", "export:qrels"),
    },
    "Concepts": {
        "path": ("Show how two concepts are connected.", "concepts:path"),
        "neighbours": ("List the concepts around CONCEPT in STUDY's graph.", "concepts:neighbours"),
        "search": ("Find concepts by id or by any of their names.", "concepts:search"),
        "dictionary": ("Write who is near whom in STUDY's graph.", "concepts:dictionary"),
    },
    "Measures": {
        "metrics": ("List metrics and relevance measures.", "measures:metrics"),
        "measures": ("Do relevance measures agree? Rank correlations.", "measures:agreement"),
        "discrimination": ("Which measure can tell the systems apart?", "measures:discrimination"),
        "table1": ("Each measure as a system, judged by labels.", "measures:table1"),
        "cost": ("Time IoU and nn-IoU on STUDY, here and now.", "sweeps:cost"),
        "ratings": ("Compare concept similarities with people's ratings.", "concepts:ratings"),
        "readers": ("What readers say, and which measure agrees with them.", "readers:readers"),
        "mrmc": ("Compare systems for other readers and cases.", "readers:mrmc"),
    },
}
"""What the core can be asked for, under the headings of the help: the first sentence of a command's help, and
its place in `evalcore.cli`."""

for group in COMMANDS.values():
    for name, (summary, place) in group.items():
        main.add_command(Deferred(name, Command(summary, f"evalcore.cli.{place}")), name)
for name, declared in extensions.commands().items():
    main.add_command(_command_of(name, declared), name)


_COMPLETE = "_CUISCOPE_COMPLETE"
"""How a shell asks for words that complete a call."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code and never lets an error of the input escape."""
    name = "cuiscope" if _COMPLETE in os.environ else PROGRAM
    output.quiet = output.escape_formulas = False
    try:
        result = main.main(
            args=list(arguments), prog_name=name, complete_var=_COMPLETE, standalone_mode=False
        )
        return result if isinstance(result, int) else DONE
    except click.ClickException as problem:
        if "unexpected extra argument" in problem.message:
            hint = "Put a pattern of run files in quotes: --system 'ckpts/*.trec'."
            problem = click.UsageError(f"{problem.message}. {hint}", getattr(problem, "ctx", None))
        message = StringIO()
        problem.show(message)
        print_message(message.getvalue(), error=True)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return INTERRUPTED
    except CuiscopeError as problem:
        print_fault(problem)
    except OSError as problem:
        if not is_full(problem):
            raise
        from evalcore.study.tables.writers import silence

        silence(sys.stdout)
        print_message("Error: The output cannot be written: the disk is full. Free some space.", error=True)
    return AT_FAULT
