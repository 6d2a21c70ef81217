"""The challenge page from top to bottom: what is asked, the files, the scores of all runs, one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pandas as pd
import streamlit as st

from evalcore.features.imageclef import editions, scoring
from evalcore.features.imageclef.caption_metrics import OVERALL, PARTIAL, Nltk
from evalcore.features.imageclef.concepts import ConceptDetail, ConceptTally
from evalcore.features.imageclef.page import files, results
from evalcore.features.imageclef.results import Result
from evalcore.features.imageclef.scoring import Files, Scored, Source
from evalcore.features.imageclef.tables import tallies_table, title
from evalcore.ui.components import download, fold, messages, select, table
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.writing import NOTHING, count, listed, md_escape, number, plain, pluralize

# What the score of one run is made of: its concepts and near misses, or every caption metric.

AT_LEAST, EXTREMES, NEAR_MISSES = 5, 4, 8
"""Images a concept needs to be named among the best or worst; concepts and near misses that are named."""


def behind_section(context: Context, one: Result[Any]) -> None:
    """Concepts with their hits, and near misses; or every caption metric and what is missing."""
    if one.detail is None:
        _metrics(one)
        return
    _extremes(context.study, one.detail)
    _concepts(context, one.detail, file=f"{one.name.rsplit('.', 1)[0]}_concepts")
    _near_misses(context, one.detail, one.metric("nn-F1"))


def _extremes(study: Study, detail: ConceptDetail) -> None:
    """The concepts that are found best and worst, among those of several images."""

    def named(tallies: Sequence[ConceptTally]) -> str:
        return listed([f"{md_escape(study.name_of(c.cui), limit=40)} ({number(c.f1)})" for c in tallies])

    best, worst = (detail.extremes(EXTREMES, at_least=AT_LEAST, best=best) for best in (True, False))
    if best:
        st.markdown(
            f"Detected best: {named(best)}. Detected worst: {named(worst)}. "
            f":gray[In brackets: F1. Only concepts of {AT_LEAST} or more images are named.]"
        )


def _concepts(context: Context, detail: ConceptDetail, *, file: str) -> None:
    tallies = sorted(detail.concepts, key=lambda c: (-c.missed, -c.wrong))
    table.declared(
        context,
        tallies_table(tallies, context.study.names),
        key="challenge-concepts",
        stem=file,
        height=360,
        placeholder=NOTHING,
        note=f"{pluralize(len(tallies), 'concept')}, the most often missed first. Found, wrong and missed "
        "count images. None of this is part of the official score.",
        alt=f"{pluralize(len(tallies), 'concept')} with hits, wrong predictions and misses",
    )


def _near_misses(context: Context, detail: ConceptDetail, nn_f1: float) -> None:
    """What the run scores when neighbours of missed concepts earn credit, and the most frequent of them."""
    study, settings = context.study, context.choice.settings
    if detail.nn_f1 is None:
        st.caption("The open study has no concept graph, so near misses cannot be counted.")
        return
    reach = f"at most {pluralize(settings.threshold, 'step')} from a missed concept"
    st.markdown(
        f"Predictions {reach} are near misses. With partial credit for each of them (α {settings.alpha:g}), "
        f"the run scores **{number(nn_f1)}**."
        if context.choice.plain
        else f"nn\\-F1 \\= (2·|G∩P| \\+ {settings.alpha:g}·NN) / (|G| \\+ |P|), where NN counts predictions "
        f"{reach}: **{number(nn_f1)}** on average."
    )
    lines = [
        f"- **{md_escape(study.name_of(mixed.predicted))}** instead of "
        f"**{md_escape(study.name_of(mixed.true))}**: {pluralize(mixed.images, 'image')}"
        for mixed in detail.confusions[:NEAR_MISSES]
    ]
    if lines:
        st.markdown("\n".join(["Most frequent near misses:\n", *lines]))


def _metrics(one: Result[Any]) -> None:
    """Every metric with its value or what it lacks, then the overall scores."""
    overall = [name for name in (*OVERALL, PARTIAL) if name in one.metrics or name in one.lacking]
    single = dict.fromkeys([*(name for name in one.values if name not in overall), *one.missing])
    lacking = {name: ", ".join(one.lacking.get(name, ())) for name in overall}
    rows = pd.DataFrame(
        {
            "Metric ↑": [*(md_escape(name) for name in single), *(f"**{title(name)}**" for name in overall)],
            "Value": [number(one.metric(name), digits=4) for name in (*single, *overall)],
            "Missing": [
                *(md_escape(one.missing.get(name, ""), limit=400) for name in single),
                *(md_escape(f"Needs {parts}.", limit=400) if parts else "" for parts in lacking.values()),
            ],
        }
    )
    table.wrapped(rows, alt="Caption metrics of the run, and what is missing for the others", cards="metrics")
    download.csv(
        lambda: pd.DataFrame({"ID": one.images} | dict(one.values)),
        f"{one.name.rsplit('.', 1)[0]}_values",
        label="All values per image",
        help="This file can be uploaded later under “Computed elsewhere”, as scores of models.",
    )


# What is wrong with the file of one run, line by line.

EXAMPLES = 5
"""Problems of one rule that are shown; the saved file has all that were kept."""


def problems_section(one: Result[Any]) -> None:
    """Every problem of a file, those that the official script stops at first."""
    problems = sorted(one.report.problems, key=lambda p: (p.severity != "error", p.line is None, p.line or 0))
    if not problems:
        st.success(
            "No problems found: the file follows the rules of this edition.", icon=":material/check_circle:"
        )
        return
    rows = pd.DataFrame(
        {
            "Official script": ["stops" if p.severity == "error" else "goes on" for p in problems],
            "Line": ["" if p.line is None else str(p.line) for p in problems],
            "Rule": [p.rule for p in problems],
            "What is wrong": [plain(p.message, limit=300) for p in problems],
            "What to do": [plain(p.remedy, limit=300) for p in problems],
        }
    )
    alike = rows.groupby(["Official script", "Rule"], sort=False).cumcount()
    shown = rows[alike < EXAMPLES].head(messages.PROBLEMS_SHOWN).map(md_escape)
    with st.container(key="challenge-problems"):
        table.wrapped(
            shown,
            height="content" if len(shown) <= 10 else 460,
            alt=f"{pluralize(len(shown), 'problem')} with line and remedy",
            cards="challenge-problems",
        )
    stem, total = one.name.rsplit(".", 1)[0], one.n_problems
    note = f"{pluralize(total, 'problem')}; those at which the official script stops come first."
    if len(shown) < total:
        held = "all" if len(problems) == total else f"the first {count(len(problems))}"
        note += f" Up to {EXAMPLES} of a kind are shown; the file contains {held}."
        counts = sorted(one.report.counts.items(), key=lambda kind: -kind[1])
        often = [f"{md_escape(rule)} {count(n)}" for (_, _, rule), n in counts if n > EXAMPLES]
        note += f" Most frequent: {listed(often, limit=3)}." if often else ""
    table.beside(note, rows, f"{stem}_problems")


# An example submission made of a study, so that checking and scoring can be tried at once.

MOST_RUNS = 3


def files_example(study: Study, edition: editions.Edition) -> Files:
    """Truth and runs: each image with the content of the image that a system returns first for it.

    A damaged copy of the first run comes last. The study has at least one system with a run file.
    """
    n, dialect = len(study.image_ids), edition.run
    if edition.task == "concepts":
        column = "CUIs"
        content = [edition.separator.join(sorted(study.concepts.of_image(i))) for i in range(n)]
    else:
        column = "Caption"
        content = [text or "" for text in study.captions.texts] if study.captions else [""] * n
    header = f"ID{dialect.cell}{column}\n" if dialect.header != "none" else ""
    prefix = f"{edition.prefix}_" if edition.prefix else ""
    made = [("truth", _table(study.image_ids, content, dialect, header))]
    for system in list(study.runs)[:MOST_RUNS]:
        firsts = [_first(study, system, i) for i in range(n)]
        returned = [content[first] if first >= 0 else "" for first in firsts]
        made.append((prefix + system, _table(study.image_ids, returned, dialect, header)))
    damaged = made[1][1].replace(dialect.cell, f".jpg{dialect.cell}", 3).replace("\n", "\n\n", 2)
    made.append((f"{prefix}damaged", damaged))
    mark = digest_of("example", study.digest, edition.task, edition.key)
    truth, *runs = (Source(f"{name}.csv", text.encode(), f"{mark} {name}") for name, text in made)
    return Files(truth, tuple(runs))


def _first(study: Study, system: str, image: int) -> int:
    """The image a system returns first for another; -1 for none, and for one not in the study."""
    answer, _ = study.runs[system].answer(image, include_self=False)
    return int(answer[0]) if len(answer) else -1


def _table(images: Sequence[str], texts: Sequence[str], dialect: editions.Dialect, header: str) -> str:
    """Rows in an edition's form; what separates cells is quoted, or becomes a space."""

    def cell(text: str) -> str:
        if dialect.quoted:
            return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text
        return text.replace(dialect.cell, " ")

    rows = zip(images, texts, strict=True)
    return header + "".join(f"{image}{dialect.cell}{cell(text)}\n" for image, text in rows)


TASKS = {"concepts": "Concept detection", "captions": "Caption prediction"}
NLTK_VERSIONS = {"nltk322": "NLTK 3.2.2, as in 2017", "modern": "NLTK of today"}


def show(context: Context) -> None:
    """The files, or an example while there are none; then what the official script makes of them."""
    files.upload()
    edition = ask()
    nltk = _nltk(context, edition)
    given = files.section(edition.task) if files.uploads() else _example(context, edition)
    if given is None:
        if files.uploads():
            st.info("Upload a ground truth and at least one run.", icon=":material/info:")
        return
    scored = score(context, edition, nltk, given)
    if scored and scored.results:
        results.finding(scored.results)
        baseline = results.compared(context, scored)
        results.published(context, given, edition, scored.results)
        fold.section(
            "Run details: problems in the file, what the score is made of, images",
            one_run,
            context,
            scored,
            baseline,
            keep=files.DETAILS,
        )


def ask() -> editions.Edition:
    """Task, as recognised unless the reader says otherwise, and edition."""
    titles = {key: editions.CONCEPT_EDITIONS[key].title for key in editions.EDITIONS}
    state.follow_default(files.TASK)
    with st.container(horizontal=True, vertical_alignment="bottom", key="challenge-asked"):
        task = select.one("Task", TASKS, keep=files.TASK, first=files.recognised_task(), width=200)
        year = select.one(
            "Edition",
            titles,
            keep=files.EDITION,
            first="2025",
            width=300,
            help="Each year has its own file format, rules and evaluation script.",
        )
    return editions.edition_of(cast("editions.Task", task), year)


def _nltk(context: Context, edition: editions.Edition) -> Nltk:
    """Whose BLEU; at Simple shown only where it is not the usual one."""
    chosen = str(state.read_param(files.NLTK, "nltk322", state.one_of(*NLTK_VERSIONS)))
    if edition.primary == "BLEU (2017)" and (chosen != "nltk322" or not context.choice.plain):
        select.segments("BLEU computed by", NLTK_VERSIONS, keep=files.NLTK)
    return cast("Nltk", chosen)


def _example(context: Context, edition: editions.Edition) -> Files | None:
    """Files made from the open study; None, with a message, where it has no rankings."""
    study = context.study
    if not study.runs:
        st.info("Upload a ground truth and at least one run.", icon=":material/info:")
        return None
    what = "concepts" if edition.task == "concepts" else "caption"
    st.caption(
        f":material/science: This is an example: each image takes the {what} of its top hit in a system of "
        "the open study, and the run “damaged” contains deliberate errors. Upload files to check and score "
        "yours. Nothing is sent anywhere."
    )
    key = ("challenge example", study.digest, edition.task, edition.key)
    return cache.share(key, lambda: files_example(study, edition))


def score(context: Context, edition: editions.Edition, nltk: Nltk, given: Files) -> Scored | None:
    """The results of all runs; None while they are computed and, with a message, for an unusable truth."""
    study, settings = context.study, context.choice.settings
    if edition.task == "concepts":
        decides: tuple[str, ...] = (study.graph.digest if study.graph else "", repr(settings))

        def compute(progress: Progress) -> Scored:  # noqa: ARG001
            return scoring.score_concepts(given, edition=edition, graph=study.graph, settings=settings)

    else:
        values = files.models_section(context, edition, given)
        decides = (nltk, values.key)

        def compute(progress: Progress) -> Scored:
            return scoring.score_captions(
                given, progress, edition=edition, from_models=values.values, nltk=nltk
            )

    key = f"challenge {digest_of([edition.task, edition.key, given.digest, *decides])}"

    def or_error(progress: Progress) -> Scored | InputError:
        """An unusable truth is a result too: its problems are shown line by line."""
        try:
            return compute(progress)
        except InputError as error:
            return error

    scored = jobs.run(key, or_error, label="Checking and scoring")
    if not isinstance(scored, InputError):
        return scored
    messages.failed(scored, key="truth-problems")
    return None


def one_run(context: Context, scored: Scored, baseline: str) -> None:
    """One run: its problems, what its score is made of, and its images."""
    by_name = {result.name: result for result in scored.results}
    left, _ = st.columns([1, 2])
    with left:
        one = by_name[select.one("Run", list(by_name), keep=files.RUN)]
    parts = {
        files.PROBLEMS: lambda: problems_section(one),
        files.BEHIND: lambda: behind_section(context, one),
        files.PER_IMAGE: lambda: results.section(context, scored.results, one, baseline),
    }
    select.parts(parts, keep=state.TAB)
