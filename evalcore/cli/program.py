"""``cuiscope``, or ``python -m evalcore``: the dashboard, and what its pages compute without a browser.

Exit codes: 0 done; 2 the input is at fault, every problem on its own line; 3 a decline is established.
Results go to standard output, messages and progress to standard error.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING

import click

from evalcore import __version__, extensions
from evalcore.cli import output
from evalcore.cli.groups import command_of
from evalcore.cli.options import PROGRAM, of_the_program
from evalcore.cli.output import AT_FAULT, DONE, INTERRUPTED, complain
from evalcore.extensions import Command
from evalcore.study.workspace.home import is_full
from evalcore.values import plugins
from evalcore.values.errors import CuiscopeError, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


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
            continue
        if name not in options:
            rest.append(word)
            continue
        if not (sign or todo):
            return [word]  # it needs a value, which is said
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
    for text in plugins.left_out():
        complain(text)


COMMANDS: Mapping[str, Mapping[str, Command]] = {
    "Every day": {
        "open": Command("Open the dashboard in the browser.", "evalcore.cli.dashboard:dashboard"),
        "check": Command("List the contents of STUDY and all its problems.", "evalcore.cli.studies:check"),
        "fix": Command("Write a corrected copy of STUDY.", "evalcore.cli.studies:fix"),
        "score": Command("Score the systems of STUDY, with intervals.", "evalcore.cli.scores:score"),
        "compare": Command("Compare two systems of STUDY, or all pairs.", "evalcore.cli.pairs:compare"),
        "queries": Command(
            "Which queries are hard, and where does a system differ?", "evalcore.cli.queries:queries"
        ),
        "explain": Command("Why CANDIDATE counts as relevant to QUERY.", "evalcore.cli.concepts:explain"),
        "sweep": Command(
            "Do scores and ranking depend on the settings of nn-IoU?", "evalcore.cli.sweeps:sweep"
        ),
        "report": Command(
            "Write verdict, figures and tables as one HTML file.", "evalcore.cli.reports:report"
        ),
        "figures": Command("Write the figures of STUDY as SVG or PDF.", "evalcore.cli.reports:figures"),
    },
    "More about a study": {
        "overlap": Command("How similar are the results of every two systems?", "evalcore.cli.pairs:overlap"),
        "kinds": Command("Which kinds of concepts the scores come from.", "evalcore.cli.kinds:kinds"),
        "labels": Command(
            "How much label metrics depend on the map of labels.", "evalcore.cli.labels:labels"
        ),
        "duplicates": Command(
            "List images of STUDY that are nearly the same.", "evalcore.cli.studies:duplicates"
        ),
        "rank": Command("Write the ranking of a system as a run.", "evalcore.cli.export:rank"),
        "qrels": Command("Write judgments as qrels: query, 0, image, grade.", "evalcore.cli.export:export"),
    },
    "Concepts": {
        "path": Command("Show how two concepts are connected.", "evalcore.cli.concepts:path"),
        "neighbours": Command(
            "List the concepts around CONCEPT in STUDY's graph.", "evalcore.cli.graph:neighbourhood"
        ),
        "search": Command("Find concepts by id or by any of their names.", "evalcore.cli.graph:search"),
        "dictionary": Command("Write who is near whom in STUDY's graph.", "evalcore.cli.concepts:neighbours"),
    },
    "Measures": {
        "metrics": Command("List metrics and relevance measures.", "evalcore.cli.measures:metrics"),
        "measures": Command(
            "Do relevance measures agree? Rank correlations.", "evalcore.cli.measures:agreement"
        ),
        "discrimination": Command(
            "Which measure can tell the systems apart?", "evalcore.cli.measures:discrimination"
        ),
        "table1": Command("Each measure as a system, judged by labels.", "evalcore.cli.measures:table1"),
        "cost": Command("Time IoU and nn-IoU on STUDY, here and now.", "evalcore.cli.sweeps:cost"),
        "ratings": Command(
            "Compare concept similarities with people's ratings.", "evalcore.cli.concepts:concept_ratings"
        ),
        "readers": Command(
            "What readers say, and which measure agrees with them.", "evalcore.cli.readers:readers"
        ),
        "mrmc": Command("Compare systems for other readers and cases.", "evalcore.cli.mrmc:mrmc"),
    },
}
"""What the core can be asked for, under the headings of the help; a command is imported when it is called or
its own help is asked for."""

for name, declared in {
    **{k: v for part in COMMANDS.values() for k, v in part.items()},
    **extensions.commands(),
}.items():
    main.add_command(command_of(name, declared), name)


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
        complain(message.getvalue(), error=True)
        return AT_FAULT
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return INTERRUPTED
    except InputError as problem:
        for line in problem.report.problems if problem.report else ():
            complain(str(line), error=True)
        complain(f"Error: {problem}", error=True)
        return AT_FAULT
    except CuiscopeError as problem:
        complain(f"Error: {problem}", error=True)
        return AT_FAULT
    except OSError as problem:
        if not is_full(problem):
            raise
        from evalcore.study.tables.writers import silence

        silence(sys.stdout)
        complain("Error: The output cannot be written: the disk is full. Free some space.", error=True)
        return AT_FAULT
