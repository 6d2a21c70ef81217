"""What features add to the core: the built-in ones, and packages installed beside it.

A feature is a package with a value ``FEATURE``. The built-in ones lie in ``evalcore.features``; others name
theirs as an entry point of the group ``cuiscope.features``. Everything in it is text such as
``"package.module:name"`` and imported on use, so that asking what there is costs nothing. A feature that is
not there leaves its place empty; the core imports none of them. One of an installed package that cannot be
loaded is named once and left out. Single functions of a user are plugins (`evalcore.values.plugins`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from evalcore.values.plugins import carefully, left_out

BUILT_IN, GROUP = "evalcore.features", "cuiscope.features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: its file as Streamlit names it, its name in the sidebar, and the question it answers.

    ``group``: the heading it is under in the sidebar; an unknown one comes last. ``place``: where it comes
    there, lower ones first. ``guide``: the page of ``docs`` that says how
    it is used, such as ``how-to/compare-systems``; "" for none. ``show``: what draws it, as
    ``"module:function"`` that takes a context; "" where its file does.

    The sidebar shows what the page uses. ``compares``: it compares systems by a measure, over the queries and
    candidates that the sidebar counts. ``related``: it counts related concepts, so by α and maximum distance;
    ``varied``: these two are what it is about. ``filtered``: the choice of queries changes it.
    ``about_files``: about files, so it needs no concepts. ``ahead``: it is drawn once before anybody comes;
    not one that may take minutes.
    """

    key: str
    file: str
    title: str
    icon: str
    question: str
    place: int
    group: str = "Other tasks"
    guide: str = ""
    show: str = ""
    compares: bool = True
    related: bool = True
    varied: bool = False
    about_files: bool = False
    filtered: bool = True
    ahead: bool = True

    @property
    def address(self) -> str:
        """What its address ends in; "" for the first page."""
        return Path(self.file).stem.partition("_")[2]


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line, imported when it is called or its own help is asked for.

    ``summary``: the first sentence of its help. ``place``: the click command as ``"module:command"``.
    """

    summary: str
    place: str


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Commands that share a first word: the help of the group, and the commands by their second word."""

    help: str
    commands: Mapping[str, Command]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What one feature adds.

    ``commands``: by name; or, as ``"module:name"``, a sequence of click commands, which is imported whenever
    the program starts. ``pages``: pages of the dashboard. ``adds``: by the name of a place in the core, what
    belongs there. The places, and what each takes:

    ``folder about a study``  path of a study -> the folder of the workspace with what is kept about it
    ``before a study moves``  path of an uploaded study -> nothing; what is known by its path moves into it
    ``data systems``      (context, whether the study may be changed) -> draws below the systems on Data
    ``concepts in a text``  (study, text) -> the concepts it names (InputError)
    ``live answers``      (study, text or picture, its name) -> {system: vector} and {system: why it has none}
    ``data part``         context -> draws the part *Find concepts* of Data
    ``judging``           context -> draws the part of Readers where results are judged
    ``judging blind``     () -> the keys that the address keeps while a reader judges without knowing
                          the systems, none at other times
    ``readers part``      context -> draws a part of Readers, called by the feature's ``title``
    ``middleware``        () -> what stands in front of the pages in the web server, a list of Starlette's
    ``sidebar part``      () -> draws at the end of the sidebar
    ``readable studies``  () -> {name: folder} of the studies that all users of a server may read and none of
                          them changes
    """

    name: str
    title: str
    commands: Mapping[str, Command | CommandGroup] | str = ""
    pages: tuple[Page, ...] = ()
    adds: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@cache
def features() -> tuple[Feature, ...]:
    """Every feature that is there, by name: built-in ones and those of installed packages."""
    return tuple(sorted(_looked_up(), key=lambda feature: feature.name))


def _looked_up() -> Iterator[Feature]:
    for module in iter_modules(import_module(BUILT_IN).__path__):
        yield import_module(f"{BUILT_IN}.{module.name}").FEATURE
    for point in entry_points(group=GROUP):
        what = f"The feature {point.name} ({point.value})"
        feature = carefully(what, point.load)
        if isinstance(feature, Feature):
            _outside.add(feature.name)
            yield feature
        elif feature is not None:
            left_out[what] = f"{what} is left out, as it cannot be loaded: it is no Feature."


_outside: set[str] = set()
"""Names of the features of installed packages, which must not stop the program."""


def _part(feature: Feature, name: str) -> Any:
    """A part of a feature; None where it is one of an installed package that cannot be loaded."""
    if feature.name not in _outside:
        return load(name)
    return carefully(f"{name} of the feature {feature.name}", partial(load, name))


def load(name: str) -> Any:
    """What ``"module:attribute"``, or ``"module"`` alone, names."""
    module, _, attribute = name.partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def offers(place: str) -> bool:
    """Whether a feature adds something at a place of the core."""
    return any(place in feature.adds for feature in features())


def additions(place: str) -> list[tuple[Feature, Any]]:
    """What features add at a place of the core, with the feature; none where none does."""
    parts = (
        (feature, _part(feature, feature.adds[place])) for feature in features() if place in feature.adds
    )
    return [(feature, part) for feature, part in parts if part is not None]


def addition(place: str) -> Any:
    """What the first feature adds at a place; None where none does."""
    return next((added for _, added in additions(place)), None)


def commands() -> dict[str, Any]:
    """The commands of all features by name: a `Command`, a `CommandGroup` or a click command."""
    named: dict[str, Any] = {}
    for feature in features():
        if isinstance(feature.commands, str):
            commands = _part(feature, feature.commands) if feature.commands else ()
            named |= {command.name: command for command in commands or ()}
        else:
            named |= feature.commands
    return named


def pages() -> list[Page]:
    """The pages of all features, in the order of the sidebar."""
    return sorted((page for feature in features() for page in feature.pages), key=lambda page: page.place)
