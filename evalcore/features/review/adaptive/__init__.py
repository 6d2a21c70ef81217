"""Tasks that ask only what decides: which queries to judge next, and when enough is judged.

A task with the table ``[adaptive]`` names a claim (best system, order of systems, value of each) and a number
of items at most. It asks in rounds:

- *Units are queries.* A round draws a few of those not drawn yet, one after the other, with known chances:
  a fifth equal, the rest by how much the lists of the systems in contention differ for a query, for the items
  that it takes. Of a drawn query readers judge what the systems in contention returned. Each round
  follows from the task's seed, the lists and the answers to the rounds before alone: on every
  machine, and however many readers work at a time, the same history gives the same next items.
- *The first queries are shared*: every reader judges them, for agreement. The others rotate: each reader
  begins with queries that no other has begun, and a round is over when every item has an answer.
- *Estimates.* Each draw gives an unbiased estimate of a system's mean over all queries: what is judged,
  what is predicted of the others, and the drawn query's difference from its prediction by the inverse of
  its chance (Des Raj 1956; with predictions from an automatic measure it is the difference estimator, or
  AIPW). Their mean has weights that are fixed before anything is judged, so it is unbiased after any number
  of draws, whatever earlier answers did to later chances. That judging stops *because* of what was seen can
  overstate a difference; docs/results/adaptive.md says by how much.
- *Stopping* (`boundaries`). After each round the differences are tested with a share of the level (alpha
  spending, Lan & DeMets 1983, of the O'Brien-Fleming type; shared among the pairs of an order by Bonferroni).
  The variance is that for other queries like these, not for these alone: systems that are equal but for the
  queries drawn are called different in 5% of tasks at most, also when all is judged.
- A system that another beats leaves the contention for *best*, and is asked about no more; its estimate is of
  the rounds before. Claim and reason are said in words.

``course`` has the statistics, on a table queries x systems; ``design`` makes that table of a study, its
lists and judgments.
"""
