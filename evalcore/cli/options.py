"""Options that the commands share, and what they mean inside."""

from __future__ import annotations

import math
import sys
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click
from click.core import ParameterSource

from evalcore.cli import output
from evalcore.cli.groups import loaded
from evalcore.cli.output import TEXT_FILE
from evalcore.study.tables.limits import VARIABLE
from evalcore.values import plugins
from evalcore.values import settings as choices
from evalcore.values.settings import DROP, FLIPS, MAX_THRESHOLD, MOST_FLIPS, Correction, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping


PROGRAM = "cuiscope" if Path(sys.argv[0]).stem == "cuiscope" else "python -m evalcore"
"""How this process was started: what its help calls it."""
Command = TypeVar("Command", bound="Callable[..., Any]")
ALL = (*Settings().as_dict(), "where")
"""Every setting, by name, and the choice of queries."""
NN_IOU = ("alpha", "threshold", "count_rule", "direction")
"""What acts on the values of nn-IoU."""


MOST = 1_000_000_000
"""The largest number, either way, where an option names none."""
LEAST = 1e-12
"""The smallest number other than 0, either way."""
MOST_SEED = 2**63 - 1


class Number(click.FloatRange):
    """A finite number; from -1e9 to 1e9 unless the range says otherwise, and 0 or at least 1e-12 from it."""

    def __init__(self, min: float = -MOST, max: float = MOST, **ends: bool) -> None:
        super().__init__(min, max, **ends)

    def _describe_range(self) -> str:
        """In the help: without the ends that every option has."""
        return _described(super()._describe_range())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; BadParameter for what is none, for nan and for infinities."""
        try:
            finite = math.isfinite(float(value))
        except (TypeError, ValueError, OverflowError):
            finite = True  # refused as no number at all
        if not finite:
            self.fail(f"{value!s:.40} is not a finite number. Give one, such as 0.05.")
        number = float(super().convert(value, param, ctx))
        if 0 < abs(number) < LEAST:
            self.fail(f"{value!s:.40} is too close to 0. Give 0, or a number of at least {LEAST:g}.")
        return number


class Whole(click.IntRange):
    """A whole number; at most 1,000,000,000 unless the range says otherwise."""

    def __init__(self, min: int = -MOST, max: int = MOST) -> None:
        super().__init__(min, max)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; BadParameter for what is none. Long ones are named by their first digits."""
        if isinstance(value, str) and len(value) > 40:
            self.fail(f"{value:.20}... is not a whole number from {self.min:,} to {self.max:,}.")
        return int(super().convert(value, param, ctx))

    def _describe_range(self) -> str:
        """In the help: without the ends that every option has."""
        return _described(super()._describe_range())


def _described(text: str) -> str:
    lower, upper = f"{-MOST}<=", f"<={MOST}"
    if text.startswith(lower) == text.endswith(upper):
        return text
    least, strict, _ = text.removesuffix(upper).partition("<=" if "<=x" in text else "<")
    return f"x{'>=' if strict == '<=' else '>'}{least}" if text.endswith(upper) else text.removeprefix(lower)


def _choice(options: Any, text: str) -> dict[str, Any]:
    return {"type": click.Choice(get_args(options)), "help": text}


_SHARED: Mapping[str, dict[str, Any]] = {
    "alpha": {"type": Number(0, 1), "help": "Weight of a neighbour match in nn-IoU."},
    "threshold": {
        "type": Whole(0, MAX_THRESHOLD),
        "help": "Largest distance in the graph, in edges, that makes two concepts neighbours.",
    },
    "count_rule": _choice(choices.CountRule, "How neighbour matches are counted."),
    "direction": _choice(choices.Direction, "directed: neighbours must be ancestor and descendant."),
    "ties": _choice(choices.Ties, "Equal scores: ordered by image id, or the mean over all orders."),
    "pool": _choice(choices.Pool, "Label metrics: only images with the label, or all candidates."),
    "undefined": _choice(choices.Undefined, "Queries without a value: left out of the mean, or 0."),
    "gain": _choice(choices.Gain, "Gain of a relevance r in discounted measures: r, or 2^r - 1."),
    "unknown": _choice(
        choices.Unknown, "Ids in runs that no concept set contains: error, kept with relevance 0, left out."
    ),
    "include_self": {"is_flag": True, "help": "Let a query be among its own candidates."},
    "same_group": _choice(
        choices.SameGroup, "Candidates of the query's own group, if the study names groups: left out, or not."
    ),
    "interval": _choice(
        choices.IntervalMethod,
        "Interval of a mean: bootstrap by percentiles or BCa, or wilson for values of 0 and 1, such as P@1.",
    ),
    "where": {
        "multiple": True,
        "metavar": "CONDITION",
        "help": "Only queries with this; candidates are unchanged. A label: organ=chest, organ=chest|abdomen "
        "(either), organ!=chest, organ= (none). "
        "A concept by id or name: concept=C0024109, below=C0024109 (it or any below it in the graph). "
        "Numbers, by = != >= <= > <: concepts>=5, rarest<=3 (images that carry the rarest concept), "
        "coverage>=80% (concepts in the graph). Repeat: all must apply. Quote it, as in --where "
        "'concepts>=5'.",
    },
}


ACTS_ON = {
    "alpha": "values of nn-IoU",
    "threshold": "neighbours in the graph",
    "count_rule": "values of nn-IoU",
    "direction": "steps in the graph",
    "ties": "rankings with equal scores",
    "pool": "label metrics",
    "undefined": "means over queries",
    "gain": "discounted metrics such as nDCG",
    "unknown": "the runs of a study",
    "include_self": "rankings of candidates",
    "interval": "intervals of means",
    "where": "the queries that count",
    "same_group": "rankings of candidates",
}
"""What shared settings act on, by name."""


def options(*those: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator; in the help they stand in this order."""

    def add(command: Command) -> Command:
        for option in reversed(those):
            command = option(command)
        return command

    return add


def example(words: str) -> Callable[[click.Command], click.Command]:
    """Put a call of the command, as it comes after the name of the program, below its help."""

    def add(command: click.Command) -> click.Command:
        command.epilog = f"\b\nExample:\n  {PROGRAM} {words}"
        return command

    return add


def gathered(
    name: str, make: Callable[..., Any], *those: Callable[[Command], Command], also: Collection[str] = ()
) -> Callable[[Command], Command]:
    """These options as one value: the command gets what ``make`` makes of them as ``name``.

    also: other parameters of the command that ``make`` takes, where it has them. Those options that come by
    no name, such as ``--settings``, do their work without it.
    """
    add = options(*those)
    names = {param.name for param in click.command(add(cast("Command", lambda: None))).params} | {*also}

    def gather(command: Command) -> Command:
        @wraps(command)
        def called(**given: Any) -> Any:
            taken = {name: given.pop(name) for name in names & given.keys()}
            return command(**{name: make(**taken)}, **given)

        return add(cast("Command", called))

    return gather


def shared_options(shown: Collection[str]) -> Callable[[Command], Command]:
    """The shared options that can change what the command computes; it refuses the others by name."""
    defaults = {**Settings().as_dict(), "unknown": "error", "where": (), "same_group": DROP}
    return options(
        *(
            click.option(_flag(name), default=defaults[name], show_default=True, **given)
            for name, given in _SHARED.items()
            if name in shown
        )
    )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def no_use(ctx: click.Context, shown: str, name: str) -> str:
    """Why a command refuses a shared option or setting, and in which commands it acts."""
    program = ctx.find_root().command
    assert isinstance(program, click.Group), "commands are called by the program"
    flag = _flag(name)
    takers = [
        key
        for key, command in leaves(program)
        if any(param.name == name and flag in param.opts for param in command.params)
    ]
    return (
        f"`{ctx.command_path.removeprefix(f'{PROGRAM} ')}` has no use for {shown}, which acts on "
        f"{ACTS_ON[name]}: leave it out. It matters in {', '.join(takers)}."
    )


def why_not(problem: click.NoSuchOption) -> click.NoSuchOption:
    """The same refusal; of a shared option with the reason, and in which commands it acts."""
    name = problem.option_name.removeprefix("--").replace("-", "_")
    several = f"{problem.option_name}s"
    if name not in _SHARED or problem.ctx is None or several in (problem.possibilities or ()):
        return problem
    text = no_use(problem.ctx, problem.option_name, name)
    return click.NoSuchOption(problem.option_name, text, ctx=problem.ctx)


def leaves(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command below a group that is shown and no group itself, by its words (``path``)."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield " ".join((*path, name)), loaded(command)


def all_but(*names: str) -> tuple[str, ...]:
    """`ALL` without these."""
    return tuple(name for name in ALL if name not in names)


def settings_of(given: Mapping[str, Any]) -> Settings:
    """The settings among the values of a command's options."""
    return Settings(**{name: given[name] for name in Settings().as_dict() if name in given})


METRIC_HELP = "A metric, such as nnCUI@10 or P(organ)@5: `metrics` lists all."
SYSTEM_HELP = (
    "A system: a folder of systems/, one seed of it (NAME.2), or @ and a relevance to rank by "
    "(@iou, @cosine:NAME), or several fused (rrf:A+B; combsum, combmnz, isr, borda). "
    "Repeat for several; default: all systems of the study."
)


def with_metrics(default: str = "") -> Callable[[Command], Command]:
    """``--metric`` as ``metrics``, required unless there is a ``default``, which the help names."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        required=not default,
        show_default=default or None,
        metavar="M",
        help=f"{METRIC_HELP} Repeat for several.",
    )


with_systems = click.option("-s", "--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
with_level = click.option(
    "--level",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the intervals.",
)
corrected = click.option(
    "--correction",
    type=click.Choice(get_args(Correction)),
    default="holm",
    show_default=True,
    help="Correction of p over comparisons: Holm, Benjamini-Hochberg, MaxT (Westfall-Young), none.",
)
with_flips = click.option(
    "--flips",
    type=Whole(1, MOST_FLIPS),
    default=FLIPS,
    show_default=True,
    metavar="N",
    help="Sign flips of the permutation tests: p cannot be less than 1 / (N + 1), before its correction.",
)
as_json = click.option("--json", "json_wanted", is_flag=True, is_eager=True, help="Print one JSON document.")
"""Eager: before files to write, of which none goes to standard output beside it."""


def with_seed(text: str) -> Callable[[Command], Command]:
    """``--seed``; ``text``: of what, in the help."""
    return click.option(
        "--seed", type=Whole(0, MOST_SEED), default=0, show_default=True, help=f"Seed of random draws: {text}"
    )


def as_csv(text: str) -> Callable[[Command], Command]:
    """``--csv`` as ``csv_path``; ``text``: what is written."""
    return click.option(
        "--csv", "csv_path", type=TEXT_FILE, metavar="FILE.csv", help=f"Write rows as CSV: {text}"
    )


def refuse_idle(acts: bool, *names: str, because: str) -> None:
    """Refuse parameters of the command that were given although they cannot matter, by their flag."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if not acts and parameter.name in names and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[0]} has no use here: {because}.", context)


def _set_cap(ctx: click.Context, _option: click.Parameter, text: str | None) -> None:
    from evalcore.study.tables.limits import at_most, size_of

    size = None if text is None else size_of(text)
    if text is not None and size is None:
        raise click.BadParameter(f"{text!r} is not a size such as 500MB, 4GB or 2000000000.")
    ctx.with_resource(at_most(size))


def _be_quiet(_ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    output.quiet = wanted


def _escape_formulas(_ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    output.escape_formulas = wanted


def _load_plugins(_ctx: click.Context, _option: click.Parameter, files: tuple[str, ...]) -> None:
    for file in files:
        plugins.load_file(file)


def _set_cluster(ctx: click.Context, _option: click.Parameter, address: str | None) -> None:
    if address is not None:
        from evalcore.engine.cluster import using

        ctx.with_resource(using(address))


of_the_program = options(
    click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=_be_quiet,
        help="No remarks and no progress on standard error; errors stay.",
    ),
    click.option(
        "--escape-formulas",
        is_flag=True,
        expose_value=False,
        callback=_escape_formulas,
        help="An apostrophe before cells of CSV files that a spreadsheet would compute, such as @iou.",
    ),
    click.option(
        "--max-bytes",
        metavar="SIZE",
        envvar=VARIABLE,
        expose_value=False,
        callback=_set_cap,
        help=f"The most that is read of one file, unpacked; 1GB unless set here or by {VARIABLE}.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        expose_value=False,
        callback=_set_cluster,
        help="Run blocks of queries on a dask.distributed cluster, such as tcp://HOST:8786.",
    ),
    click.option(
        "--plugin",
        type=click.Path(),
        multiple=True,
        metavar="FILE.py",
        envvar=plugins.VARIABLE,
        expose_value=False,
        callback=_load_plugins,
        help="Run a file of yours that registers measures or readers. Repeat for several; also set by "
        f"{plugins.VARIABLE}.",
    ),
)
"""Options that all commands have, before the command or after it."""


def parse_grid(text: str) -> tuple[float, ...]:
    """Values of an axis: ``0:1:0.1`` (start, stop included, step; step 1 if left out) or ``0,1,2``.

    Examples
    --------
    >>> parse_grid("0:0.3:0.1")
    (0.0, 0.1, 0.2, 0.3)
    """
    return _grid(text, "numbers")


def whole_grid(text: str) -> tuple[int, ...]:
    """The same of an axis that takes whole numbers only.

    >>> whole_grid("0,2")
    (0, 2)
    """
    return tuple(map(int, _grid(text, "whole numbers")))


def _grid(text: str, kind: str) -> tuple[float, ...]:
    try:
        if ":" in text:
            start, stop, step = [*(float(part) for part in text.split(":")), 1.0][:3]
            # Steps are counted, not added up, and cut to 12 decimals: 3 * 0.1 is meant to be 0.3.
            count = int((stop - start) / step + 1e-9) + 1 if step > 0 and stop >= start else 0
            values = tuple(round(start + i * step, 12) for i in range(count))
        else:
            values = tuple(float(part) for part in text.split(","))
        fits = kind == "numbers" or all(value == int(value) for value in values)
        if not values or len(values) > 1_000 or not fits or not all(map(math.isfinite, values)):
            raise ValueError(text)
    except (ValueError, OverflowError) as problem:
        raise click.BadParameter(f"{text!r} is not a list of {kind} such as 0,1,2 or 0:1:0.1.") from problem
    return values
