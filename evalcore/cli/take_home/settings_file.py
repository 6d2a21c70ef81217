"""``--settings FILE``: a view that a page or the report saved, as the defaults of a command's options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.output import plain
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from evalcore.cli.options import Command
    from evalcore.values.model import Study

_HELP = "Take choices from a settings file; options given here win over it."
_OWN = {
    "metric": ("metrics", "metric"), "system": ("systems",), "baseline": ("baseline",),
    "queries": ("which", "queries"), "correction": ("correction",), "smallest_difference": ("smallest",),
    "level": ("level",), "seed": ("seed",), "flips": ("flips",),
}  # fmt: skip
"""By name in the file: how commands call the parameter that means the same."""
_READ = "evalcore.values.settings file"


def taken(shared: Collection[str]) -> Callable[[Command], Command]:
    """Add the option; ``shared``: the shared options of the command, by name."""

    def read(ctx: click.Context, _option: click.Parameter, path: str | None) -> None:
        if path is not None:
            _as_defaults(ctx, Path(path), shared)

    def add(command: Command) -> Command:
        added: Command = click.option(
            "--settings", metavar="FILE.toml", is_eager=True, expose_value=False, callback=read, help=_HELP
        )(command)
        return added

    return add


def _as_defaults(ctx: click.Context, path: Path, shared: Collection[str]) -> None:
    from evalcore.evaluate.view import View
    from evalcore.study.folder.settings_toml import read_settings

    found, report = read_settings(path)
    if report.total("error"):
        raise InputError(f"The settings in {plain(str(path))} cannot be used.", report)
    ctx.meta[_READ] = found
    params = {param.name: param for param in ctx.command.params}
    usual, defaults, unused = View().as_dict(), {}, []
    for key, value in found.chosen.items():
        param = params.get(key) if key in shared else _param_of(params, key)
        if param is None:
            unused += [key] if value != usual.get(key) else []
        else:
            # Called only where the command line says nothing.
            defaults[str(param.name)] = partial(_fitting, param, key, value)
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    if unused:
        click.echo(f"{plain(path.name)}: `{ctx.info_name}` has no use for {', '.join(unused)}.", err=True)


def _param_of(params: dict[Any, click.Parameter], key: str) -> click.Parameter | None:
    return next((params[name] for name in _OWN.get(key, ()) if name in params), None)


def _fitting(param: click.Parameter, key: str, value: Any) -> Any:
    """A list where the option can be repeated, one value where it cannot."""
    several = bool(getattr(param, "multiple", False))
    if several or not isinstance(value, list):
        return [value] if several and not isinstance(value, list) else value
    if len(value) != 1:
        text = f"The settings file names {len(value)}, and this command takes one: give --{key}."
        raise click.UsageError(text)
    return value[0]


def mention_other_version(study: Study) -> None:
    """A remark where the settings were saved for this study with another content."""
    ctx = click.get_current_context(silent=True)
    found = None if ctx is None else ctx.meta.get(_READ)
    if found is None or not found.digest or found.digest == study.content:
        return
    other = "another version of the study" if found.study == study.name else f"the study {found.study}"
    here, there = study.content[:8], found.digest[:8]
    click.echo(plain(f"The settings were saved for {other} ({there}; here it is {here})."), err=True)
