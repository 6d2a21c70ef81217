"""The report of a reader study as one HTML file: opens without a network, prints on about four A4 pages."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import TYPE_CHECKING

from evalcore.features.review.adaptive.tables import chosen_by_need, estimates_table, state_lines
from evalcore.features.review.diagnosis import tables as diagnosis_tables
from evalcore.features.review.diagnosis import words as diagnosis_words
from evalcore.features.review.diagnosis.figures import arm_rows, arms_and_readers
from evalcore.features.review.reader_study import kinds_of
from evalcore.features.review.statement.checklist import checklist, checklist_table, in_short
from evalcore.features.review.statement.figures import by_reader, flow_diagram
from evalcore.features.review.statement.flow import codes, missing_table, readers_table
from evalcore.features.review.statement.protocol import analysis, design, questions, stopping
from evalcore.figures.printed import PAPER
from evalcore.report.document import Section, libraries, of_sections
from evalcore.report.figures import DOUBLE, Named
from evalcore.report.html import drawn
from evalcore.results.mrmc import cautions, differences_table, method, values_table
from evalcore.results.mrmc import sentence as answer
from evalcore.results.rows import Column, Table, also, decimals, interval, percent, whole
from evalcore.study import naming
from evalcore.values.markdown import md_escape
from evalcore.values.version import __version__
from evalcore.values.writing import count, listed, pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.features.review.agreement.between import TwoReaders
    from evalcore.features.review.diagnosis.analysis import Analysis
    from evalcore.features.review.statement.facts import Statement
    from evalcore.figures.theme import Theme
    from evalcore.report.html import Table as Drawn
    from evalcore.stats.mrmc.analysis import ReaderStudy

MOST_MEASURES = 8
"""Measures that diagnoses are held against; `review readers` lists all."""
MOST_PAIRS = 4
"""Pairs of readers in the table of agreement; of more readers those that agree least."""


def report(of: Statement, *, made: str) -> str:
    """The report as HTML, everything in it. ``made``: the day, as it should be read.

    Raises
    ------
    InputError
        Figures cannot be drawn (see `report.document.report`).
    """
    lists = of.outcome.plan.lists
    readers = f"{pluralize(len(of.flow.readers), 'reader')}"
    if of.simulated:
        readers += (
            " (all simulated)" if of.simulated == len(of.flow.readers) else f" ({of.simulated} simulated)"
        )
    word = {"material": "image", "diagnosis": "case"}.get(of.task.form, "query")
    cases = pluralize(len(lists), word)
    return of_sections(
        kind="CUIscope reader study",
        title=of.task.title,
        subtitle=f"{pluralize(len(of.task.systems), 'system')}, {readers}, {cases}. Task {of.task.name} of "
        f"the study {of.study.name}. {made}.",
        sections=[
            Section("What follows for other readers and cases?", [*_answer(of)]),
            Section("Who was asked, and what became of it?", [*_flow(of)]),
            Section("Design", [_design(of)]),
            Section("Do readers agree?", [*_agreement(of)]),
            Section("Method", [*_method(of)]),
            Section("Checklist", [*_checklist(of)]),
            Section("Versions and files", [*_files(of)]),
        ],
    )


def _theme(of: Statement) -> Theme:
    return replace(PAPER, looks=naming.of_study(of.study), width=DOUBLE)


def _answer(of: Statement) -> Iterator[str | Drawn | Named]:
    if of.adaptive is not None:
        for text in state_lines(of.adaptive):
            yield md_escape(text)
        if of.adaptive.course.over:
            yield drawn(estimates_table(of.adaptive), "Weighted means over all queries of the task.")
        yield md_escape(chosen_by_need([of.task]))
    if of.diagnosis is not None:
        yield md_escape(diagnosis_words.headline(of.diagnosis))
    elif of.judged is None and of.adaptive is None:
        yield md_escape(f"Nothing follows yet. {of.why_none}")
    elif of.judged is not None:
        study = of.judged.study
        text = answer(study).replace("mean rating", of.what.name)
        yield md_escape(text)
    if of.simulated:
        names = listed(codes(one.reader for one in of.flow.readers if one.simulated), limit=8)
        yield (
            f"**Simulated answers.** {md_escape(names)}: made by a program. They show what this report "
            "contains, not what readers think."
        )
    yield md_escape(of.what.sentence(of.task))
    if of.diagnosis is not None:
        yield from _diagnosis(of, of.diagnosis)
    if of.judged is None:
        if of.diagnosis is not None:
            yield md_escape(of.why_none)
        return
    study = of.judged.study
    name = f"{of.what.name[0].upper()}{of.what.name[1:]}"
    if of.diagnosis is None:
        values = _renamed(values_table(study), "value", of.what.name)
        yield drawn(values, f"{name} of each system, other readers and cases random.")
    if study.differences:
        yield drawn(
            differences_table(study),
            f"{name}, all pairs: the first minus the second; standard error, degrees of freedom, p, p "
            "corrected by Holm, and interval.",
        )
    for text in cautions(study):
        yield md_escape(text)
    if of.diagnosis is None:
        drawn_readers = by_reader(study, name=of.what.name, systems=of.study.systems, theme=_theme(of))
        yield Named("by_reader", drawn_readers)
    yield drawn(
        _components(study), "Variance components: what the variance of a system, or of two, is made of."
    )


def _diagnosis(of: Statement, analysis: Analysis) -> Iterator[str | Drawn | Named]:
    """Accuracy, confidence and time by arm, what changed, and when results helped."""
    for text in (*diagnosis_words.changed(analysis), *diagnosis_words.helped(analysis)):
        yield md_escape(text)
    for text in (diagnosis_words.more_help(analysis), diagnosis_words.missing(analysis)):
        if text:
            yield md_escape(text)
    rows = arm_rows(analysis)
    if rows:
        readers = pluralize(analysis.readers, "reader")
        yield Named("arms", arms_and_readers(rows, readers=readers, theme=_theme(of)))
    for table, caption in (
        (diagnosis_tables.values_table(analysis), "Each outcome of each arm."),
        (diagnosis_tables.differences_table(analysis), "Every two arms: the first minus the second."),
        (
            diagnosis_tables.changes_table(analysis),
            "Answers of the same reader to the same case in two arms.",
        ),
        (diagnosis_tables.help_table(analysis), "Cases by what the results showed."),
        (_closest(analysis), f"Does a higher score help more? The {MOST_MEASURES} clearest of all measures."),
    ):
        yield drawn(table, caption)


def _closest(analysis: Analysis) -> Table:
    """The measures that go most clearly with help or harm."""
    table = diagnosis_tables.against_table(analysis, "right")
    known = [row for row in table.rows if row.more.p == row.more.p]
    return table._replace(rows=sorted(known, key=lambda row: row.more.p)[:MOST_MEASURES])


def _components(study: ReaderStudy) -> Table:
    """A row a system, or two; a column for what readings have in common."""
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for moment in study.moments:
        if moment.shared:
            rows.setdefault((moment.a, moment.b), {})[moment.shared] = moment.variance
    shared = [*next(iter(rows.values()), {})]

    def of(name: str) -> Column:
        return also(name, lambda row: row[1][name], "{:.3g}".format)

    named = also("system", lambda row: row[0][0]), also("and", lambda row: row[0][1])
    return Table([*rows.items()], (*named, *(of(name) for name in shared)))


def _renamed(table: Table, name: str, head: str) -> Table:
    """The table with another head above one of its columns."""
    columns = tuple(one._replace(head=head, title=None) if one.name == name else one for one in table.columns)
    return table._replace(columns=columns)


def _flow(of: Statement) -> Iterator[str | Drawn | Named]:
    yield Named("flow", flow_diagram(of.flow, theme=_theme(of)))
    yield drawn(readers_table(of.flow), "Readers by their codes, and the answers that were asked for.")
    missing = missing_table(of.flow)
    if missing.rows:
        yield drawn(missing, "Readings that are not analysed, by reader and system.")
    elif of.flow.readers:
        yield "No reading is missing."


def _design(of: Statement) -> list[tuple[str, object]]:
    task, lists = of.task, of.outcome.plan.lists
    if task.diagnosis is not None:
        parts = (line.removeprefix("- ").partition(": ") for line in design(task, len(of.outcome.plan.items)))
        return [(name, text.rstrip(".")) for name, _, text in parts]
    cases = "images" if task.form == "material" else "queries"
    scale = "0 to 100" if task.scale == 100 and of.what.kind in ("graded", "rating") else "5 steps"
    sides = "; sides drawn for each item" if task.form == "preference" else ""
    days = {one.days for one in of.flow.readers}
    return [
        ("Asked of readers", " ".join(questions(task))),
        ("Instructions", task.instructions),
        ("Kind", listed([*kinds_of(task)])),
        ("Systems" if task.form != "material" else "Teams", listed([*task.systems], limit=20)),
        (cases.capitalize(), f"{count(len(lists))}, {'named' if task.queries else 'drawn by the seed'}"),
        ("Results of each list", "" if task.form == "material" else task.depth),
        ("Scale", f"{scale}, as numbers from {-1 if of.what.kind == 'preference' else 0} to 1"),
        ("Criteria", listed([*task.criteria], limit=20) if task.criteria else ""),
        ("Crossing", "" if task.adaptive else "every reader is asked about every system and query"),
        ("Sessions", f"any time; on {min(days)} to {max(days)} days a reader" if days else "any time"),
        ("Blinding", "no system is named; results of all systems are one pool"),
        ("Order", f"of its own for each reader{sides}"),
        ("Seed", task.seed),
        ("End", stopping(task)),
    ]


def _agreement(of: Statement) -> Iterator[str | Drawn]:
    rows = [*of.agreement]
    known = [(name, one) for name, one in rows if not one.why_none]
    for name, one in rows:
        if one.why_none:
            yield md_escape(f"{f'{name}: ' if name else ''}{one.why_none}")
    if known:
        yield drawn(
            Table(
                known,
                (
                    also(
                        "criterion" if any(name for name, _ in known) else "judged",
                        lambda row: row[0] or "all",
                    ),
                    also("level", lambda row: row[1].level),
                    also("alpha", lambda row: row[1].alpha.mean, decimals),
                    also("95% interval", lambda row: interval(row[1].alpha.low, row[1].alpha.high)),
                    also("judged by two or more", lambda row: row[1].alpha.n, whole),
                    also("Fleiss' kappa", lambda row: row[1].fleiss, decimals),
                    also("judged by all", lambda row: row[1].n_by_all, whole),
                ),
            ),
            "Krippendorff's alpha (1: always the same, 0: as by chance), bootstrap over queries; Fleiss' "
            "kappa over what all readers judged.",
        )
    pairs: list[tuple[str, TwoReaders]] = [
        (name, pair) for name, one in known for pair in one.pairs if pair.n
    ]
    pairs.sort(key=lambda row: (row[1].kappa != row[1].kappa, row[1].kappa))
    if pairs:
        more = len(pairs) - MOST_PAIRS
        few = f" The {MOST_PAIRS} lowest of {count(len(pairs))}." if more > 0 else ""
        weights = known[0][1].weights
        yield drawn(
            Table(
                pairs[:MOST_PAIRS],
                (
                    *((also("criterion", lambda row: row[0]),) if any(name for name, _ in pairs) else ()),
                    also("reader", lambda row: row[1].a),
                    also("and", lambda row: row[1].b),
                    also("kappa", lambda row: row[1].kappa, decimals),
                    also("same answer", lambda row: row[1].same, percent),
                    also("judged by both", lambda row: row[1].n, whole),
                ),
            ),
            f"Cohen's kappa of two readers, weights: {weights}.{few}",
        )


def _method(of: Statement) -> Iterator[str]:
    if of.judged is not None:
        yield md_escape(method(of.judged.study))
    for text in [*analysis(of.task, of.what)][1:]:
        yield md_escape(text)


def _checklist(of: Statement) -> Iterator[str | Drawn]:
    entries = checklist(of)
    known = sum(entry.known for entry in entries)
    yield (
        f"{count(known)} of {count(len(entries))} entries are filled in from the study; the others are for "
        "the authors. In our own words; it follows what STARD and CLAIM ask for, and replaces neither."
    )
    yield drawn(checklist_table(in_short(entries)), "What a report has to state.")


def _files(of: Statement) -> Iterator[str | list[tuple[str, object]] | Drawn]:
    if of.registered is not None:
        yield md_escape(of.registered.sentence)
    else:
        yield "No protocol was registered beside this task, so nothing is compared with one."
    yield [
        ("CUIscope", __version__),
        ("Python", platform.python_version()),
        ("System", f"{platform.system()} {platform.machine()}"),
        ("Libraries", libraries()),
        ("Digest of the study", of.study.content),
        ("Digest of the answers", of.answers),
    ]
    rows = [*of.files.items()]
    yield drawn(
        Table(
            rows,
            (Column("file", lambda row: row[0], "file"), Column("sha256", lambda row: row[1], "SHA-256")),
        ),
        "Files that the study and the task rest on.",
    )
