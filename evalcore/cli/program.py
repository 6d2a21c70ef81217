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
from evalcore.cli.groups import command_of
from evalcore.cli.options import PROGRAM, of_the_program, why_not
from evalcore.cli.output import AT_FAULT, DONE, INTERRUPTED, complain
from evalcore.extensions import Command, CommandGroup
from evalcore.study.workspace.home import is_full
from evalcore.values import plugins
from evalcore.values.errors import CuiscopeError, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class Program(click.Group):
    """The whole command line; its own options may be before the command or after it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click asks so
        """The daily commands first, then the groups."""
        return [*self.commands]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words after the options of the program."""
        valued = {name for param in self.params if getattr(param, "metavar", None) for name in param.opts}
        return super().parse_args(ctx, _first(args, valued))


def _first(words: Sequence[str], options: Collection[str]) -> list[str]:
    """The same words, these options and their values before the others; behind ``--`` is no option."""
    first, rest, todo = list[str](), list[str](), [*words]
    while todo and todo[0] != "--":
        word = todo.pop(0)
        name, sign, _ = word.partition("=")
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


COMMANDS: Mapping[str, Command | CommandGroup] = {
    "open": Command("Open the dashboard in the browser.", "evalcore.cli.dashboard:dashboard"),
    "check": Command(
        "List the contents of STUDY and all its problems.",
        "evalcore.cli.studies:check",
        {"--duplicates": ("evalcore.cli.studies:duplicates", "which images are near duplicates.")},
    ),
    "fix": Command("Write a corrected copy of STUDY.", "evalcore.cli.studies:fix"),
    "score": Command(
        "Score the systems of STUDY, with intervals.",
        "evalcore.cli.scores:score",
        {
            "--kinds": ("evalcore.cli.kinds:kinds", "which kinds of concepts the scores come from."),
            "--labels": ("evalcore.cli.labels:labels", "how much P@K depends on the choice of labels."),
        },
    ),
    "compare": Command(
        "Compare two systems of STUDY, or all pairs.",
        "evalcore.cli.pairs:compare",
        {"--overlap": ("evalcore.cli.pairs:overlap", "how similar the results of systems are.")},
    ),
    "queries": Command(
        "Which queries are hard, and where does a system differ?", "evalcore.cli.queries:queries"
    ),
    "explain": Command("Why CANDIDATE counts as relevant to QUERY.", "evalcore.cli.concepts:explain"),
    "sweep": Command(
        "Score systems over a grid of settings of nn-IoU.",
        "evalcore.cli.sweeps:sweep",
        {
            "--stability": (
                "evalcore.cli.sweeps:stability",
                "who leads at every setting, and where the order changes.",
            ),
            "--cost": ("evalcore.cli.sweeps:cost", "how long IoU and nn-IoU take on this computer."),
        },
    ),
    "mrmc": Command("Compare systems for other readers and cases.", "evalcore.cli.mrmc:mrmc"),
    "report": Command(
        "Write verdict, figures and tables as one HTML file.",
        "evalcore.cli.reports:report",
        {"--figures": ("evalcore.cli.reports:figures", "the figures as SVG or PDF, into the folder --out.")},
    ),
    "graph": CommandGroup(
        "Concepts, what connects them, and what that changes.",
        {
            "path": Command("Show how two concepts are connected.", "evalcore.cli.concepts:path"),
            "neighbours": Command(
                "List the concepts around CONCEPT in STUDY's graph.",
                "evalcore.cli.graph:neighbourhood",
                {
                    "--dictionary": (
                        "evalcore.cli.concepts:neighbours",
                        "the nearest concepts of every concept of STUDY.",
                    ),
                    "--distances": (
                        "evalcore.cli.graph:distances",
                        "how far apart concepts are, pair by pair.",
                    ),
                    "--relations": (
                        "evalcore.cli.graph:relations",
                        "the relation types of the graph; choose which count.",
                    ),
                },
            ),
            "search": Command("Find concepts by id or by any of their names.", "evalcore.cli.graph:search"),
            "vectors": Command(
                "Make vectors of concepts from the graph of STUDY.", "evalcore.cli.concepts:concept_vectors"
            ),
            "ratings": Command(
                "Compare concept similarities with people's ratings.", "evalcore.cli.concepts:concept_ratings"
            ),
        },
    ),
    "study": CommandGroup(
        "Systems of STUDY.",
        {
            "systems": Command(
                "List the systems of STUDY, or change them.",
                "evalcore.cli.systems:systems",
                {
                    "--uploaded": (
                        "evalcore.cli.systems:uploaded",
                        "which studies were uploaded; delete one, or bring it back.",
                    )
                },
            )
        },
    ),
    "export": CommandGroup(
        "Runs and judgments for trec_eval and programs like it.",
        {
            "qrels": Command(
                "Write judgments as qrels: query, 0, image, grade.", "evalcore.cli.export:export"
            ),
            "run": Command(
                "Write a run: ranked by a relevance, or of a system.",
                "evalcore.cli.studies:rank",
                {"--fuse": ("evalcore.cli.fusion:fuse", "several systems fused.")},
            ),
        },
    ),
    "measures": CommandGroup(
        "Which relevance measure to trust.",
        {
            "list": Command(
                "List relevance measures: formula, range, edge cases.", "evalcore.cli.measures:measures"
            ),
            "agreement": Command(
                "Do relevance measures agree? Rank correlations.", "evalcore.cli.measures:agreement"
            ),
            "discrimination": Command(
                "Which measure can tell the systems apart?",
                "evalcore.cli.measures:discrimination",
                {"--table1": ("evalcore.cli.measures:table1", "each measure as a system, judged by labels.")},
            ),
        },
    ),
}
"""What the core can be asked for; a command is imported when it is called or its own help is asked for."""

for name, declared in {**COMMANDS, **extensions.commands()}.items():
    main.add_command(command_of(name, declared), name)


_COMPLETE = "_CUISCOPE_COMPLETE"
"""How a shell asks for words that complete a call."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code and never lets an error of the input escape."""
    name = "cuiscope" if _COMPLETE in os.environ else PROGRAM
    try:
        result = main.main(
            args=list(arguments), prog_name=name, complete_var=_COMPLETE, standalone_mode=False
        )
        return result if isinstance(result, int) else DONE
    except click.ClickException as problem:
        if isinstance(problem, click.NoSuchOption):
            problem = why_not(problem)
        elif "unexpected extra argument" in problem.message:
            hint = "Put a pattern of run files in quotes: --system 'ckpts/*.trec'."
            problem = click.UsageError(f"{problem.message}. {hint}", getattr(problem, "ctx", None))
        message = StringIO()
        problem.show(message)
        complain(message.getvalue())
        return AT_FAULT
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return INTERRUPTED
    except InputError as problem:
        for line in problem.report.problems if problem.report else ():
            complain(str(line))
        complain(f"Error: {problem}")
        return AT_FAULT
    except CuiscopeError as problem:
        complain(f"Error: {problem}")
        return AT_FAULT
    except OSError as problem:
        if not is_full(problem):
            raise
        from evalcore.study.tables.writers import silence

        silence(sys.stdout)
        complain("Error: The output cannot be written: the disk is full. Free some space.")
        return AT_FAULT
