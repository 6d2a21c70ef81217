"""How commands are put together: imported on use, in groups, and doing something else under a flag."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from evalcore import extensions

if TYPE_CHECKING:
    from collections.abc import Mapping


class Deferred(click.Command):
    """A command that is imported when it is called, or when its own help or options are asked for.

    Lists of commands, and completing the name of one, import none.
    """

    def __init__(self, name: str, declared: extensions.Command) -> None:
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
        modes = {flag: (extensions.load(place), text) for flag, (place, text) in self.declared.modes.items()}
        return WithModes(command, modes) if modes else command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command itself."""
        return self.loaded.make_context(info_name, args, parent, **extra)


def loaded(command: click.Command) -> click.Command:
    """The command itself where this one stands for it."""
    return command.loaded if isinstance(command, Deferred) else command


def command_of(name: str, declared: Any) -> click.Command:
    """A click command of what is declared in ``evalcore.extensions``; click commands as they are."""
    if isinstance(declared, extensions.Command):
        return Deferred(name, declared)
    if isinstance(declared, extensions.CommandGroup):
        group = click.Group(name, help=declared.help)
        for word, member in declared.commands.items():
            group.add_command(Deferred(word, member))
        return group
    command: click.Command = declared
    return command


class WithModes(click.Command):
    """A command, and others on the same things that a flag asks for instead.

    A mode parses its words by its own options, so that those that do not act in it are refused. In the help
    of the command stand the flags, and those options of a mode that the command itself has not.

    Parameters
    ----------
    command
        What is done without a flag.
    modes
        By flag (``--kinds``): the command it asks for, and what the help says of the flag.
    """

    def __init__(self, command: click.Command, modes: Mapping[str, tuple[click.Command, str]]) -> None:
        super().__init__(
            command.name,
            callback=command.callback,
            params=[*command.params],
            help=command.help,
            epilog=command.epilog,
        )
        self.modes = {flag: mode for flag, (mode, _) in modes.items()}
        for flag, (mode, text) in modes.items():
            flag_option = click.Option([flag], is_flag=True, expose_value=False, help=f"Instead: {text}")
            known = {name for param in self.params for name in param.opts}
            more = [
                param
                for param in mode.params
                if isinstance(param, click.Option) and not param.hidden and not known & {*param.opts}
            ]
            # Before the settings that end every list.
            place = next(
                (i for i, param in enumerate(self.params) if param.name == "settings"), len(self.params)
            )
            self.params[place:place] = [flag_option, *(_only_with(flag, param) for param in more)]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the mode that is asked for."""
        flag = next((flag for flag in self.modes if flag in args), "")
        if not flag:
            return super().make_context(info_name, args, parent, **extra)
        rest = [word for word in args if word != flag]
        return self.modes[flag].make_context(f"{info_name} {flag}", rest, parent, **extra)


def _only_with(flag: str, option: click.Option) -> click.Option:
    """The option of a mode for the help of its command, refused where the flag is missing."""

    def refuse(ctx: click.Context, param: click.Parameter, _value: Any) -> None:
        if ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{param.opts[0]} goes with {flag}.", ctx)

    shown = copy(option)
    shown.name = f"{flag} {option.name}"  # an option of the command itself may have the name
    shown.help = f"With {flag}: {option.help}"
    shown.required, shown.expose_value, shown.is_eager, shown.callback = False, False, False, refuse
    return shown
