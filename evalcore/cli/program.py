"""``python -m evalcore``: everything the pages compute, without a browser.

Exit codes: 0 done; 2 the input is at fault, every problem on its own line. Results go to standard
output, messages and progress to standard error.
"""

from __future__ import annotations

import sys
from io import StringIO
from typing import TYPE_CHECKING

import click

from evalcore import __version__, extensions
from evalcore.cli.concepts import concept_ratings, concept_vectors, explain, neighbours, path
from evalcore.cli.export import export
from evalcore.cli.fusion import bounds, fuse
from evalcore.cli.graph import distances, effect, neighbourhood, relations, search
from evalcore.cli.kinds import kinds
from evalcore.cli.measures import agreement, discrimination, measures, table1
from evalcore.cli.options import why_not, with_cap
from evalcore.cli.output import complain
from evalcore.cli.pairs import compare, overlap
from evalcore.cli.queries import queries
from evalcore.cli.scores import score
from evalcore.cli.studies import check, duplicates, rank
from evalcore.cli.sweeps import cost, stability, sweep
from evalcore.cli.systems import systems
from evalcore.cli.take_home import figures, report, views
from evalcore.study.workspace.home import is_full
from evalcore.values.errors import CuiscopeError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, AT_FAULT, INTERRUPTED = 0, 2, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="CUIscope", message="%(prog)s %(version)s")
def main() -> None:
    """Compare medical image retrieval systems by the meaning of what they return.

    STUDY is a folder with concepts.csv, and beside it captions, labels, a graph, images and systems
    where there are any. Research tool, not for diagnosis.
    """


for command in (
    check,
    score,
    queries,
    rank,
    explain,
    path,
    neighbours,
    sweep,
    stability,
    cost,
    duplicates,
    systems,
    export,
    kinds,
    search,
    neighbourhood,
    distances,
    effect,
    relations,
    measures,
    agreement,
    discrimination,
    table1,
    compare,
    overlap,
    fuse,
    bounds,
    report,
    figures,
    views,
    concept_ratings,
    concept_vectors,
):
    main.add_command(command)
for command in extensions.commands():
    main.add_command(command)
for command in main.commands.values():
    for leaf in command.commands.values() if isinstance(command, click.Group) else (command,):
        with_cap(leaf)


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code and never lets an error of the input escape."""
    try:
        result = main.main(args=list(arguments), prog_name="python -m evalcore", standalone_mode=False)
        return result if isinstance(result, int) else DONE
    except click.ClickException as problem:
        if isinstance(problem, click.NoSuchOption):
            problem = why_not(problem, main.commands)
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
