"""The long work of the page, each piece once for the same images and settings."""

from __future__ import annotations

from evalcore.features.synthetic.diversity import Diversity, diversity
from evalcore.features.synthetic.evaluation.evaluate import Evaluation, Suspected, evaluate
from evalcore.features.synthetic.evaluation.sensitivity import Sensitivity, sensitivity
from evalcore.features.synthetic.page.choose import Chosen
from evalcore.features.synthetic.page.upload import Vectors
from evalcore.features.synthetic.read.feature_files import bind_weights, suspected_copies
from evalcore.features.synthetic.read.material import Material, NoMaterial, measured_groups
from evalcore.features.synthetic.tversky import CHANNELS, UNIFORM, given, named
from evalcore.ui.frame import cache, jobs
from evalcore.values.arrays import digest_of
from evalcore.values.errors import Report
from evalcore.values.progress import Progress

N_RESAMPLES = 999


def material(chosen: Chosen) -> Material | NoMaterial | None:
    """The groups, measured; None while they are."""
    key = f"synthetic material {digest_of([one.digest for one in chosen.sources], chosen.images)}"

    def work(progress: Progress) -> Material | NoMaterial:
        return measured_groups(chosen.sources, settings=chosen.images, progress=progress)

    return jobs.run(key, work, label="Measuring the images")


def evaluated(of: Material, chosen: Chosen) -> Evaluation:
    """The scores of all groups under the settings."""
    tables, names = [one.table for one in of.groups], of.archetypes.table.names
    weights = named(names, chosen.weights) if chosen.own is None else given(names, own_weights(of, chosen)[0])
    key = ("synthetic scores", of.digest, repr(chosen.score), digest_of(weights))

    def work() -> Evaluation:
        return evaluate(of.archetypes.table, tables, weights=weights, settings=chosen.score)

    return cache.share(key, work, spinner="Scoring the images…")


def suspected(of: Material) -> tuple[Suspected, ...] | None:
    """The generated images that nearly repeat a real one; None while they are looked for."""

    def work(progress: Progress) -> tuple[Suspected, ...]:
        return suspected_copies(of, progress=progress)

    return jobs.run(f"synthetic suspects {of.digest}", work, label="Looking for copies of real images")


def own_weights(of: Material, chosen: Chosen) -> tuple[dict[str, float], Report]:
    """The uploaded weights of these features, and what is wrong with them."""
    assert chosen.own is not None, "asked for where weights were uploaded"
    return bind_weights(chosen.own, of.archetypes.table.names)


def settings_matter(of: Material, found: Evaluation, chosen: Chosen) -> Sensitivity | None:
    """How much the settings decide; None while it is computed."""
    key = f"synthetic sensitivity {of.digest} {chosen.score!r} {digest_of(found.weights)}"
    names = of.archetypes.table.names

    def work(progress: Progress) -> Sensitivity:
        return sensitivity(
            found,
            [one.table for one in of.parts],
            weightings={how: named(names, how) for how in (UNIFORM, CHANNELS)},
            progress=progress,
        )

    return jobs.run(key, work, label="Trying other settings")


def diverse(
    of: Material, found: Evaluation, chosen: Chosen, group: int, by: Vectors | None
) -> Diversity | None:
    """A group against its training images, also by vectors where there are any; None while it is computed."""
    vectors, made = (None, "") if by is None else ((by.archetypes, by.groups[group]), by.key)
    key = f"synthetic copies {of.digest} {chosen.score!r} {digest_of(found.weights)} {group} {made}"

    def work(progress: Progress) -> Diversity:
        return diversity(
            found.archetypes.tally,
            found.groups[group].tally,
            weights=found.weights,
            settings=chosen.score,
            vectors=vectors,
            n_resamples=N_RESAMPLES,
            progress=progress,
        )

    return jobs.run(key, work, label="Comparing pairs of images")
