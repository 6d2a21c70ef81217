"""The systems over several studies: means by study and over them, for those that the reader adds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from evalcore.evaluate.across_studies import AcrossStudies, across_studies, too_few_studies
from evalcore.evaluate.slices.conditions import select as select_queries
from evalcore.evaluate.systems import name_of
from evalcore.results.across_studies import method, missing_lines, rows_table, sentence
from evalcore.ui.components import select, table
from evalcore.ui.frame import cache, studies
from evalcore.ui.frame.context import Choice, Context, StudyEntry
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError, InputError, UnknownName
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study
from evalcore.values.writing import listed, pluralize

STUDIES = Key("studies", of_study=True)
MOST = 8


def others(context: Context) -> dict[str, StudyEntry]:
    """The studies on offer beside the open one, by their name in links."""
    return {slug: entry for slug, entry in studies.entries().items() if slug != context.entry.slug}


def section(context: Context) -> None:
    """Which studies, the sentence, the table, and what is missing where."""
    offered = others(context)
    help = "Systems are matched by their name; the settings on the left apply to every study."
    chosen = select.several("Studies to add", list(offered), keep=STUDIES, first=[], most=MOST, help=help)
    compared = {context.entry.slug: (context.study, context.choice.systems)}
    for slug in chosen:
        try:
            study, systems = _opened(offered[slug], context.choice)
            cache.scores(study, context.choice, systems)
        except CuiscopeError as problem:
            st.warning(md_escape(f"{slug} is left out. {problem}", limit=400), icon=":material/error:")
        else:
            compared[slug] = study, systems
    if len(compared) < 2:
        st.caption("Add a study to compare the selected systems over both.")
        return
    try:
        result = _found(context.choice, compared)
    except CuiscopeError as problem:
        st.warning(md_escape(str(problem), limit=400), icon=":material/error:")
        return
    _show(context, result, [study for study, _ in compared.values()])


def _opened(entry: StudyEntry, choice: Choice) -> tuple[Study, tuple[str, ...]]:
    """Another study as the sidebar says, limited to what those of the selected systems that it has search.

    Raises InputError where it has none of them, and what opening, choosing and scoring raise.
    """
    study = studies.opened(entry.path)
    if choice.where:
        study = select_queries(study, choice.where)
    systems = []
    for name in choice.systems:
        with suppress(UnknownName):
            systems.append(name_of(study, name))
    if not systems:
        there = f"; it has {listed(list(study.systems))}" if study.systems else ""
        raise InputError(f"It has none of the selected systems{there}.")
    return cache.limited(study, choice, systems), tuple(systems)


def _found(choice: Choice, compared: dict[str, tuple[Study, tuple[str, ...]]]) -> AcrossStudies:
    """The comparison; with the baseline where every study has it."""
    everywhere = all(choice.baseline in systems for _, systems in compared.values())
    baseline = choice.baseline if choice.baseline and everywhere else None

    def work() -> AcrossStudies:
        scored = {slug: cache.scores(study, choice, systems) for slug, (study, systems) in compared.items()}
        (result,) = across_studies(scored, baseline=baseline, settings=choice.settings)
        return result

    contents = tuple((slug, study.digest, systems) for slug, (study, systems) in compared.items())
    key = ("across studies", repr(contents), choice.metric, repr(choice.settings), baseline or "")
    return cache.remember(key, work)


def _show(context: Context, found: AcrossStudies, opened: list[Study]) -> None:
    st.markdown(md_escape(sentence(replace(found, metric=context.choice.metric_shown)), limit=600))
    to_the_right = ("95% interval", "Interval of the difference", "Higher in")
    table.declared(
        context,
        rows_table(found),
        key="across-studies",
        alt=f"{pluralize(len(found.rows), 'system')} over {len(found.studies)} studies, best first",
        file="studies",
        note=md_escape(method(found), limit=900),
        columns={title: st.column_config.TextColumn(alignment="right") for title in to_the_right},
        about=lambda _, rows: rows.assign(**_facts(context.choice, found, opened)),
    )
    if context.choice.baseline and not found.chosen:
        st.caption(f"The baseline {md_escape(context.choice.baseline)} is not in every study.")
    for line in missing_lines(found):
        st.caption(f":material/remove_selection: {md_escape(line, limit=300)}")
    if caution := too_few_studies(len(found.studies)):
        st.caption(f":material/warning: {caution}")


def _facts(choice: Choice, found: AcrossStudies, opened: list[Study]) -> dict[str, object]:
    """What stands in every row of the file: the settings, and which studies they are."""
    digests = {f"digest:{name}": study.digest for name, study in zip(found.studies, opened, strict=True)}
    return {"seed": found.seed, **choice.settings.as_dict(), **digests}
