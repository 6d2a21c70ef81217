"""How commands are put together: imported on use, in groups, their options under headings."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from evalcore import extensions
from evalcore.values.settings import CANDIDATES, OPTIONS, RELEVANCE, STATISTICS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


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
        return WithGroups(command)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command itself."""
        return self.loaded.make_context(info_name, args, parent, **extra)


def leaves(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command below a group that is shown and no group itself, by its words (``path``)."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield " ".join((*path, name)), loaded(command)


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


HEADINGS: Mapping[str, Collection[str]] = {
    RELEVANCE: (),
    STATISTICS: ("judge", "bound", "n_resamples", "permutations", "resamples"),
    CANDIDATES: ("which",),
    "Output": (
        *("out", "csv", "csv_path", "per_query", "latex", "markdown", "intervals", "json_wanted", "settings"),
        *("help",),
    ),
}
"""The options of a command's help by heading, named by their parameters, beside those that are choices
(`evalcore.values.settings`); all others come first."""


class WithGroups(click.Command):
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

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        rest = [param for param in self.get_params(ctx) if param.get_help_record(ctx) is not None]
        parts: dict[str, list[click.Parameter]] = {"Options": []}
        for heading, names in HEADINGS.items():
            parts[heading] = [param for param in rest if param.name in names or _heading(param) == heading]
        headed = [param for members in parts.values() for param in members]
        parts["Options"] = [param for param in rest if param not in headed]
        for heading, members in parts.items():
            if members:
                with formatter.section(heading):
                    formatter.write_dl([record for of in members if (record := of.get_help_record(ctx))])


def _heading(param: click.Parameter) -> str:
    choice = OPTIONS.get(param.name or "")
    return choice.heading if choice else ""
