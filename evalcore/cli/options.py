"""Options that the commands share, and what they mean inside."""

from __future__ import annotations

import math
import sys
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from evalcore.cli import output
from evalcore.cli.output import TEXT_FILE
from evalcore.study.tables.files import VARIABLE
from evalcore.values import plugins
from evalcore.values.errors import SettingError
from evalcore.values.settings import OPTIONS, Option, Settings, options_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


PROGRAM = "cuiscope" if Path(sys.argv[0]).stem == "cuiscope" else "python -m evalcore"
"""How this process was started: what its help calls it."""
Command = TypeVar("Command", bound="Callable[..., Any]")
ALL = (*Settings().as_dict(), "where")
"""Every setting, by name, and the choice of queries."""
TESTED = ("level", "seed", "correction", "flips", "smallest_difference")
"""How surely systems differ."""
COMPARED = (*ALL, "metrics", "systems", "queries", *TESTED)
"""What decides a comparison of systems."""
NN_IOU = ("alpha", "threshold", "count_rule", "direction")
"""What acts on the values of nn-IoU."""


MOST = 1_000_000_000
"""The largest number, either way, where an option names none."""
LEAST = 1e-12
"""The smallest number other than 0, either way."""


def _range_text(text: str) -> str:
    """A range for the help, without the ends that every option has."""
    lower, upper = f"{-MOST}<=", f"<={MOST}"
    if not text.endswith(upper):
        return text.removeprefix(lower)
    if text.startswith(lower):
        return ""
    least, strict, _ = text.removesuffix(upper).partition("<=" if "<=x" in text else "<")
    return f"x{'>=' if strict == '<=' else '>'}{least}"


class Number(click.FloatRange):
    """A finite number; from -1e9 to 1e9 unless the range says otherwise, and 0 or at least 1e-12 from it."""

    def __init__(self, min: float = -MOST, max: float = MOST, **ends: bool) -> None:
        super().__init__(min, max, **ends)

    def _describe_range(self) -> str:
        return _range_text(super()._describe_range())

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

    def _describe_range(self) -> str:
        return _range_text(super()._describe_range())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; BadParameter for what is none. Long ones are named by their first digits."""
        if isinstance(value, str) and len(value) > 40:
            self.fail(f"{value:.20}... is not a whole number from {self.min:,} to {self.max:,}.")
        return int(super().convert(value, param, ctx))


MOST_VALUES = 1_000
"""Of an axis."""


class NumberGrid(click.ParamType[tuple[float, ...]]):
    """Values of an axis: ``0:1:0.1`` (start, stop included, step; step 1 if left out) or ``0,1,2``.

    ``setting``: whose values they are; any whole numbers for none.

    >>> NumberGrid("alpha").convert("0:0.3:0.1", None, None), NumberGrid().convert("0,2", None, None)
    ((0.0, 0.1, 0.2, 0.3), (0, 2))
    """

    name = "grid"

    def __init__(self, setting: str = "") -> None:
        self.choice = OPTIONS.get(setting)
        self.whole = self.choice is None or self.choice.kind is int

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """The values; BadParameter for what is no such list, and for values that the setting cannot have."""
        try:
            if ":" in value:
                start, stop, step = [*(float(part) for part in value.split(":")), 1.0][:3]
                # Steps are counted, not added up, and cut to 12 decimals: 3 * 0.1 is meant to be 0.3.
                count = int((stop - start) / step + 1e-9) + 1 if step > 0 and stop >= start else 0
                values = tuple(round(start + i * step, 12) for i in range(min(count, MOST_VALUES + 1)))
            else:
                values = tuple(float(part) for part in value.split(","))
            fits = not self.whole or all(number == int(number) for number in values)
            if not 0 < len(values) <= MOST_VALUES or not fits or not all(map(math.isfinite, values)):
                raise ValueError(value)
        except (ValueError, OverflowError):
            numbers = "whole numbers" if self.whole else "numbers"
            such = f"such as 0,1,2 or 0:1:0.1 (at most {MOST_VALUES:,})"
            self.fail(f"{value!r} is not a list of {numbers} {such}.", param, ctx)
        if self.choice is not None and not all(map(self.choice.allows, values)):
            self.fail(f"each must be {self.choice.rule}. Got {value!r}.", param, ctx)
        return tuple(map(int, values)) if self.whole else values


def option(
    *names: str, help: str, kind: Any = None, usual: Any = None, **more: Any
) -> Callable[[Command], Command]:
    """An option of one command: its names, and what it is.

    ``kind``: a type of click's, or the values to choose from. ``usual``: the default, which the help names;
    several where it is a tuple. ``more``: see `click.option`.
    """
    if isinstance(kind, (tuple, list)):
        kind = click.Choice(kind)
    several = {"multiple": True} if isinstance(usual, tuple) else {}
    # A default of None would satisfy click where an option is required.
    default = {} if usual is None else {"default": usual}
    return click.option(*names, type=kind, help=help, **{"show_default": True} | default | several | more)


SHARE = Number(0, 1, min_open=True, max_open=True)
"""A share that is neither nothing nor all."""


def choice_option(name: str, *, usual: str = "") -> Callable[[Command], Command]:
    """The option of a choice that is declared in `evalcore.values.settings`; the command gets it by its name.

    ``usual``: what counts where it is left out, for the help; the declared value by default.
    """
    return _option_of(name, OPTIONS[name], usual)


def field_options(kind: type, *names: str) -> list[Callable[[Command], Command]]:
    """The same of choices that a class declares (`values.settings.option`), by the names of its fields."""
    choices = options_of(kind)
    return [_option_of(name, choices[name]) for name in names]


def _option_of(name: str, choice: Option, usual: str = "") -> Callable[[Command], Command]:
    kind: Any = click.Choice(choice.values) if choice.values else None
    if choice.kind is float:
        ends = {"min_open": choice.open, "max_open": choice.open}
        kind = Number(max(choice.low, -MOST), min(choice.high, MOST), **ends)
    elif choice.kind is int:
        kind = Whole(int(choice.low), MOST if math.isinf(choice.high) else int(choice.high))
    empty = choice.default in ("", ())
    return click.option(
        *filter(None, [choice.short]),
        choice.flag,
        name,
        type=kind,
        multiple=choice.kind is tuple,
        is_flag=choice.kind is bool,
        default=None if empty else choice.default,
        show_default=usual or not empty,
        metavar=choice.metavar,
        help=choice.help,
    )


def options(*those: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator; the help lists them in this order."""

    def add(command: Command) -> Command:
        for option in reversed(those):
            command = option(command)
        return command

    return add


def example(words: str, *, own_files: bool = False) -> Callable[[click.Command], click.Command]:
    """Put a call of the command, as it comes after the name of the program, below its help.

    It runs as it is, whatever the folder, unless it names files that readers have (``own_files``).
    """
    heading = "Example, with files of your own:" if own_files else "Example:"

    def add(command: click.Command) -> click.Command:
        command.epilog = f"\b\n{heading}\n  {PROGRAM} {words}"
        return command

    return add


def grouped_options(
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
        def called(**values: Any) -> Any:
            taken = {name: values.pop(name) for name in names & values.keys()}
            return command(**{name: make(**taken)}, **values)

        return add(cast("Command", called))

    return gather


def all_but(*names: str) -> tuple[str, ...]:
    """`ALL` without these."""
    return tuple(name for name in ALL if name not in names)


as_json = option("--json", "json_wanted", is_flag=True, is_eager=True, help="Print one JSON document.")
"""Eager: before files to write, of which none goes to standard output beside it."""


def file_option(*names: str, metavar: str, help: str, **more: Any) -> Callable[[Command], Command]:
    """The option of a text file to write; "-" is standard output."""
    return option(*names, kind=TEXT_FILE, metavar=metavar, help=help, **more)


def as_csv(text: str) -> Callable[[Command], Command]:
    """``--csv`` as ``csv_path``; ``text``: what is written."""
    return file_option("--csv", "csv_path", metavar="FILE.csv", help=f"Write rows as CSV: {text}")


def as_paper(text: str) -> tuple[Callable[[Command], Command], ...]:
    """``--latex`` and ``--markdown``; ``text``: what is written."""
    what = f"Write a LaTeX table (booktabs): {text} - for standard output."
    return (
        file_option("--latex", metavar="FILE.tex", help=what),
        file_option("--markdown", metavar="FILE.md", help="The same in Markdown."),
    )


def reject_unused(acts: bool, *names: str, because: str) -> None:
    """Refuse parameters of the command that were given although they cannot matter, by their flag."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if not acts and parameter.name in names and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[0]} has no use here: {because}.", context)


def _set_cap(ctx: click.Context, _option: click.Parameter, text: str | None) -> None:
    from evalcore.study.tables.files import at_most, size_of

    size = None if text is None else size_of(text)
    if text is not None and size is None:
        raise click.BadParameter(f"{text!r} is not a size such as 500MB, 4GB or 2000000000.")
    ctx.with_resource(at_most(size))


def _set_output(name: str) -> Callable[..., None]:
    """What sets a switch of `output`."""
    return lambda _ctx, _option, wanted: setattr(output, name, wanted)


def _load_plugins(_ctx: click.Context, _option: click.Parameter, files: tuple[str, ...]) -> None:
    for file in files:
        plugins.load_file(file)


def _set_cluster(ctx: click.Context, _option: click.Parameter, address: str | None) -> None:
    if address is not None:
        from evalcore.engine.cluster import using

        try:
            ctx.with_resource(using(address))
        except SettingError as fault:
            raise click.BadParameter(str(fault)) from fault


of_the_program = options(
    option(
        *("-q", "--quiet"),
        is_flag=True,
        expose_value=False,
        callback=_set_output("quiet"),
        help="No remarks and no progress on standard error; errors stay.",
    ),
    option(
        "--escape-formulas",
        is_flag=True,
        expose_value=False,
        callback=_set_output("escape_formulas"),
        help="An apostrophe before cells of CSV files that a spreadsheet would compute, such as @iou.",
    ),
    option(
        "--max-bytes",
        metavar="SIZE",
        envvar=VARIABLE,
        expose_value=False,
        callback=_set_cap,
        help=f"The most that is read of one file, unpacked; 1GB unless set here or by {VARIABLE}.",
    ),
    option(
        "--scheduler",
        metavar="ADDRESS",
        expose_value=False,
        callback=_set_cluster,
        help="Run blocks of queries on a dask.distributed cluster, such as tcp://HOST:8786.",
    ),
    option(
        "--plugin",
        kind=click.Path(),
        usual=(),
        metavar="FILE.py",
        envvar=plugins.VARIABLE,
        expose_value=False,
        callback=_load_plugins,
        help="Run a file of yours that registers measures or readers. Repeat for several; also set by "
        f"{plugins.VARIABLE}.",
    ),
)
"""Options that all commands have, before the command or after it."""
