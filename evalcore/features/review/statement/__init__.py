"""The report of a reader study, its checklist, and the protocol that is registered beforehand."""
