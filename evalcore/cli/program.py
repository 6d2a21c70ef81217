"""``python -m evalcore``: everything the pages compute, without a browser.

Exit codes: 0 done; 2 the input is at fault, every problem on its own line. Results go to standard
output, messages and progress to standard error.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING

import click

from evalcore import __version__, extensions
from evalcore.cli import concepts, export, fusion, graph, kinds, measures, pairs, reports, sweeps, systems
from evalcore.cli.groups import Program, WithModes
from evalcore.cli.options import of_the_program, why_not
from evalcore.cli.output import complain
from evalcore.cli.queries import queries
from evalcore.cli.scores import score
from evalcore.cli.several import board
from evalcore.cli.studies import check, duplicates, rank
from evalcore.cli.watch import watch
from evalcore.study.workspace.home import is_full
from evalcore.values.errors import CuiscopeError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DONE, AT_FAULT, INTERRUPTED = 0, 2, 130
COMPLETE = "_EVALCORE_COMPLETE"


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="CUIscope", message="%(prog)s %(version)s")
@of_the_program
def main() -> None:
    """Compare medical image retrieval systems by the meaning of what they return.

    STUDY is a folder with concepts.csv, and beside it captions, labels, a graph, images and systems
    where there are any. Research tool, not for diagnosis.
    """


def _grouped(name: str, text: str, commands: Mapping[str, click.Command]) -> click.Group:
    group = click.Group(name, help=text)
    for word, command in commands.items():
        group.add_command(command, word)
    return group


for command in (
    WithModes(check, {"--duplicates": (duplicates, "which images are nearly the same.")}),
    WithModes(
        score,
        {
            "--bounds": (fusion.bounds, "how good a choice between the systems could be."),
            "--kinds": (kinds.kinds, "which kinds of concepts the scores come from."),
        },
    ),
    watch,
    board,
    WithModes(pairs.compare, {"--overlap": (pairs.overlap, "how alike the results of systems are.")}),
    queries,
    concepts.explain,
    WithModes(
        sweeps.sweep,
        {
            "--stability": (sweeps.stability, "who leads at every setting, and where the order changes."),
            "--cost": (sweeps.cost, "how long IoU and nn-IoU take, here and now."),
        },
    ),
    WithModes(
        reports.report, {"--figures": (reports.figures, "the figures as SVG or PDF, into the folder --out.")}
    ),
    _grouped(
        "graph",
        "Concepts, what connects them, and what that changes.",
        {
            "path": concepts.path,
            "neighbours": WithModes(
                graph.neighbourhood,
                {"--dictionary": (concepts.neighbours, "who is near whom, of all concepts of STUDY.")},
            ),
            "search": graph.search,
            "distances": graph.distances,
            "effect": graph.effect,
            "relations": graph.relations,
            "vectors": concepts.concept_vectors,
            "ratings": concepts.concept_ratings,
        },
    ),
    _grouped(
        "study",
        "Systems and views of STUDY worth showing.",
        {"systems": systems.systems, "views": reports.views},
    ),
    _grouped(
        "export",
        "Runs and judgments for trec_eval and programs like it.",
        {
            "qrels": export.export,
            "run": WithModes(rank, {"--fuse": (fusion.fuse, "several systems put together.")}),
        },
    ),
    _grouped(
        "measures",
        "Which relevance measure to trust.",
        {
            "list": measures.measures,
            "agreement": WithModes(
                measures.agreement,
                {"--table1": (measures.table1, "each measure as a system, judged by labels.")},
            ),
            "discrimination": measures.discrimination,
        },
    ),
    *extensions.commands(),
):
    main.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code and never lets an error of the input escape."""
    # The shell that completes words of a script `evalcore` asks by that name.
    prog_name = "evalcore" if COMPLETE in os.environ else "python -m evalcore"
    try:
        result = main.main(
            args=list(arguments), prog_name=prog_name, complete_var=COMPLETE, standalone_mode=False
        )
        return result if isinstance(result, int) else DONE
    except click.ClickException as problem:
        if isinstance(problem, click.NoSuchOption):
            problem = why_not(problem)
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
