"""Curation on the data page: what each rule would remove of the concepts, and the file that is left."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

from evalcore.evaluate.curation import Curated, curate
from evalcore.results.curation import removed_table, steps_table, types_table
from evalcore.study.curation_rules import rules_of
from evalcore.study.tables.problems import Problems
from evalcore.ui.components import download, fold, messages, select, table
from evalcore.ui.frame import jobs, pages
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.writing import pluralize

_BETWEEN = re.compile(r"[\s,;]+")


def section(context: Context) -> None:
    """A part of the page, closed at first; nothing of a study whose images have no concepts."""
    if context.study.concepts.annotated.any():
        fold.section(
            "**Curation**: rare, unwanted and wrongly linked concepts",
            _curation,
            context,
            keep=pages.CURATION,
            opened_by=(pages.FEWEST_IMAGES, pages.KEPT_KINDS, pages.BLACKLIST, pages.LINKS),
        )


def _curation(context: Context) -> None:
    study = context.study
    content: dict[str, object] = {}
    left, right = st.columns(2, gap="medium")
    with left:
        content["min_images"] = select.whole(
            "Fewest images of a concept", 0, 1_000_000, keep=pages.FEWEST_IMAGES, first=2
        )
        if study.kinds:
            there = sorted(set(study.kinds.of.values()))
            kept = select.some("Kinds to keep", there, keep=pages.KEPT_KINDS, first=there)
            content["keep_types"] = kept if kept != there else []
    with right:
        typed = select.words("Concepts to remove", keep=pages.BLACKLIST, placeholder="C0332157; C1546708")
        content["blacklist"] = [cui for cui in _BETWEEN.split(typed) if cui]
        links = select.words(
            "Wrong links",
            keep=pages.LINKS,
            placeholder="C0376152=C0444584",
            help="The wrong concept, =, the one that was meant; several apart by spaces.",
        )
        pairs = [pair.partition("=") for pair in _BETWEEN.split(links) if pair]
        content["links"] = {wrong: right_one for wrong, _, right_one in pairs if wrong and right_one}
    problems = Problems("the rules")
    rules = rules_of(content, problems, kinds=study.kinds)
    if problems.n_errors:
        messages.failed(InputError("These rules cannot be used.", problems.report()), key="curation-problems")
        return
    result = jobs.run(
        f"curation-{digest_of(study.digest, repr(sorted(content.items())))}",
        lambda _progress: curate(study.concepts, rules),
        label="Curating the concepts",
    )
    if result is not None:
        _result(context, result)


def _result(context: Context, result: Curated) -> None:
    before, after = result.steps[0], result.steps[-1]
    st.markdown(
        f"Of {pluralize(before.concepts, 'concept')}, **{after.concepts:,}** are left, on all but "
        f"{pluralize(after.empty, 'image')}."
    )
    table.declared(
        context,
        steps_table(result),
        key="curation-steps",
        file="curation",
        note="In the order in which the rules are applied. An occurrence is a concept of an image.",
        alt="What each rule removed",
    )
    table.declared(
        context,
        types_table(result),
        key="curation-types",
        file="curation-types",
        note="A concept without a known kind is kept.",
        alt="Concepts of each kind before and after",
    )
    if result.removed:
        table.declared(
            context,
            removed_table(result, context.study.names),
            key="curation-removed",
            file="curation-removed",
            note="Concepts that were removed or corrected, those of most images first.",
            alt=f"{pluralize(len(result.removed), 'concept')} that were removed or corrected",
            height=300,
        )
    download.csv(lambda: _file(result), "concepts", label="New concepts file")


def _file(result: Curated) -> pd.DataFrame:
    sets = result.sets
    rows = [(image, ";".join(sets.written(i))) for i, image in enumerate(sets.image_ids) if sets.annotated[i]]
    return pd.DataFrame(rows, columns=["ID", "CUIs"])
