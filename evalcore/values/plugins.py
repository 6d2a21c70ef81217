"""What users add with functions of their own: relevances, metrics and readers of files.

`evalcore.register` has the decorators; this module holds what they registered, loads the files and packages
that hold such functions, calls the functions, and says what is wrong with what they return.

Plugins are programs of the user. They come from three places, each named by whoever runs the program: a
file named on the command line (``--plugin``) or by ``CUISCOPE_PLUGINS``, a package installed beside this
one (entry points of the group ``cuiscope.plugins``), and the script or notebook that imports ``evalcore``.
Nothing that comes with a study, an upload or an address is ever run.
"""

from __future__ import annotations

import hashlib
import inspect
import linecache
import os
import re
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

from evalcore.values.errors import CuiscopeError, InputError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

GROUP, VARIABLE = "cuiscope.plugins", "CUISCOPE_PLUGINS"
Kind = Literal["relevance", "metric", "reader"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*")
_WORD = re.compile(r"[A-Za-z][\w:-]*")
_CALLS = RLock()
"""Functions of users run one at a time: they need not know that the program works on several cores."""
_LOADS = RLock()


class PluginError(InputError):
    """A function of a user failed, or gave what it must not."""


@dataclass(frozen=True, slots=True, eq=False)
class Plugin:
    """A function that a user registered; each registration is another, so that nothing computed by an earlier
    version is taken for this one's.

    ``name``: what labels call it. ``file``: where the function stands, as messages name it. ``digest``: of
    the source of that file, or of the function where there is no file, as in a notebook. ``block``: it takes
    whole arrays.
    """

    kind: Kind
    name: str
    function: Callable[..., Any]
    file: str
    digest: str
    block: bool = False

    @property
    def plain(self) -> str:
        """The first paragraph of its docstring, in one line; "" where it has none."""
        return " ".join((inspect.getdoc(self.function) or "").partition("\n\n")[0].split())

    def __str__(self) -> str:
        return f"{self.kind} {self.name} of {self.file} (source {self.digest[:8]})"


functions: Mapping[Kind, dict[str, Plugin]] = {"relevance": {}, "metric": {}, "reader": {}}
"""What was registered, by name, in that order."""
specs: Mapping[Kind, dict[str, Any]] = {"relevance": {}, "metric": {}, "reader": {}}
"""What each is to the program: its entry in the registry of its kind."""
files: list[str] = []
"""Files that were loaded, by their whole paths."""
left_out: dict[str, str] = {}
"""What could not be loaded, with a sentence that says so."""


def register(
    kind: Kind,
    name: str,
    function: Callable[..., Any],
    spec_of: Callable[[Plugin], Any],
    *,
    taken: Collection[str],
    block: bool = False,
) -> None:
    """Make a function known as a plugin, in place of an earlier one of this name.

    ``spec_of`` gives what it is to the program, and may raise where it cannot be that.

    Raises
    ------
    SettingError
        A name that cannot be one, or that the program itself uses (``taken``, whatever the case).
    """
    own = name.rpartition(":")[2]
    if not _NAME.fullmatch(own) or len(own) > 40:
        rule = "letters and digits, joined by single - or _, at most 40, the first a letter"
        raise SettingError(f"name of the {kind}", rule, own)
    if not callable(function):
        raise SettingError(kind, "a function", function)
    if name.lower() in {other.lower() for other in taken}:
        raise SettingError(f"name of the {kind}", "one that the program does not use itself", own)
    others = [other for other in functions[kind] if other != name and other.lower() == name.lower()]
    if others:
        raise SettingError(f"name of the {kind}", f"unlike {others[0]}, which is registered", own)
    plugin = Plugin(kind, name, function, *_source_of(function), block)
    specs[kind][name], functions[kind][name] = spec_of(plugin), plugin


def registered(kind: Kind) -> dict[str, Any]:
    """The entries of all plugins of a kind by name, those of packages and of the environment included."""
    ready()
    return dict(specs[kind])


def used_in(texts: Iterable[str]) -> list[Plugin]:
    """The relevances and metrics that labels and names of systems mention, each once."""
    words = dict.fromkeys(word for text in texts for word in _WORD.findall(text))
    tables = functions["relevance"], functions["metric"]
    return [table[word] for word in words for table in tables if word in table]


# Where a function stands.


def _source_of(function: Callable[..., Any]) -> tuple[str, str]:
    """The name of the file of a function, and a digest of the whole file or cell, so that helpers count too;
    of what it is compiled to where there is no text of it."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    path = "" if code is None else code.co_filename
    linecache.checkcache(path)
    source = "".join(linecache.getlines(path))
    if not source:
        source = repr(type(function) if code is None else (code.co_code, code.co_consts, code.co_names))
    digest = hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return Path(path).name if os.path.isfile(path) else "this session", digest  # noqa: PTH113 -- never raises


def place(reason: BaseException, file: str = "") -> str:
    """File and line that raised: the last line of that file, else of any."""
    if isinstance(reason, SyntaxError) and reason.lineno is not None:
        return f"{Path(reason.filename or file).name}:{reason.lineno}"
    frames = traceback.extract_tb(reason.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).name == file]
    last = (own or frames)[-1:]
    return f"{Path(last[0].filename).name}:{last[0].lineno}" if last else file


# Calling what users wrote.


def call(plugin: Plugin, *values: Any, about: Callable[[], str], **named: Any) -> Any:
    """What the function returns.

    Raises
    ------
    PluginError
        It raised: with the line of the user's file, and what it was called for (``about``).
    """
    try:
        with _CALLS:
            return plugin.function(*values, **named)
    except CuiscopeError:
        raise
    except Exception as reason:
        where, what = place(reason, plugin.file), f"{type(reason).__name__}: {reason}"
        raise PluginError(
            f"{where}: The {plugin.kind} {plugin.name} failed for {about()}: {what.rstrip(': ')}."
        ) from reason


def wrong(plugin: Plugin, value: Any, rule: str, about: str) -> PluginError:
    """The error for a value that a plugin must not give."""
    shown = repr(value.item() if getattr(value, "size", 0) == 1 else value)
    shown = f"an array of shape {value.shape}" if getattr(value, "ndim", 0) else shown
    return PluginError(
        f"The {plugin.kind} {plugin.name} of {plugin.file} gave {shown[:80]} for {about}. "
        f"It must give {rule}."
    )


# Files and packages with plugins.


def load_file(path: str | os.PathLike[str]) -> None:
    """Run a file of the user, whose decorators register plugins; once, however often it is named.

    Raises
    ------
    InputError
        There is no such file, it fails, or it registers nothing.
    """
    file = os.path.realpath(path)
    with _LOADS:
        if file in files:
            return
        if not os.path.isfile(file):  # noqa: PTH113 -- never raises
            raise InputError(f"The plugin {os.fspath(path)} cannot be read: No such file.")
        name = f"cuiscope_plugin_{hashlib.blake2b(os.fsencode(file), digest_size=4).hexdigest()}"
        loader, before = SourceFileLoader(name, file), [dict(known) for known in functions.values()]
        sys.modules[name] = module = module_from_spec(spec_from_loader(name, loader))  # type: ignore[arg-type]
        files.append(file)  # first of all: what it calls may ask for plugins itself
        try:
            loader.exec_module(module)
            if [*functions.values()] == before:
                hint = "Put a decorator such as @evalcore.register_relevance before a function."
                raise InputError(f"The plugin {Path(file).name} registers nothing. {hint}")
        except (Exception, SystemExit) as reason:
            files.remove(file)
            if isinstance(reason, InputError):
                raise
            where, what = place(reason, Path(file).name), f"{type(reason).__name__}: {reason}"
            what = str(reason) if isinstance(reason, CuiscopeError) else what
            raise InputError(f"{where}: The plugin cannot be loaded: {what.rstrip('.: ')}.") from reason


def ready() -> None:
    """Load the plugins of installed packages and of the files that ``CUISCOPE_PLUGINS`` names.

    What cannot be loaded is left out, and named in `left_out`.
    """
    _installed()
    for path in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        if path not in left_out:
            try:
                load_file(path)
            except InputError as reason:
                left_out[path] = str(reason)


@cache
def _installed() -> None:
    for point in entry_points(group=GROUP):
        carefully(f"The plugin {point.name} ({point.value})", point.load)


def carefully(what: str, load: Callable[[], Any]) -> Any:
    """A part of an installed package; None where it cannot be loaded, which is noted in `left_out`."""
    try:
        return load()
    except (Exception, SystemExit) as reason:
        why, where = f"{type(reason).__name__}: {reason}".rstrip(".: "), place(reason)
        left_out[what] = f"{what} is left out, as it cannot be loaded: {where and f'{where}: '}{why}."
        return None
