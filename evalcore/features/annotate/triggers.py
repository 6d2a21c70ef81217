"""Words that deny or doubt a term, by what they do.

Kinds as in NegEx (Chapman et al. 2001, doi:10.1006/jbin.2001.1029): triggers before and after the term,
phrases that look like triggers and are none (pseudo), and words that end the reach of a trigger; as in
ConText (Harkema et al. 2009, doi:10.1016/j.jbi.2009.05.002) also what puts a term into the past. The lists
are our own, for captions and reports, in English and German.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["no-before", "no-after", "maybe-before", "maybe-after", "past-before", "pseudo", "end"]

TRIGGERS: dict[Kind, tuple[str, ...]] = {
    "no-before": (
        "no", "not", "without", "without any", "without evidence of", "without sign of", "without signs of",
        "without findings of", "no evidence of", "no evidence for", "no sign of", "no signs of",
        "no findings of", "no indication of", "no suggestion of", "no suspicious", "no evidence to suggest",
        "no new", "no other", "absence of", "absent", "lack of", "lacks", "lacking", "free of",
        "negative for", "negative of", "denies", "denied", "denying", "declines", "fails to reveal",
        "failed to reveal", "fails to show", "failed to show", "did not reveal", "does not reveal",
        "did not show", "does not show", "did not demonstrate", "does not demonstrate",
        "could not demonstrate", "not demonstrate", "not reveal", "not show", "never had",
        "never developed", "rather than", "rules out", "ruled out", "excludes", "excluded", "excluding",
        "resolution of", "resolved", "disappearance of", "clear of", "devoid of", "neither", "nor",
        "none of", "exclusion of", "unremarkable for", "no longer visible", "no longer seen",
        "no longer present", "failure to show", "failure to reveal", "failure to demonstrate",
        "was negative for", "is negative for", "unlikely", "kein", "keine", "keinen", "keiner", "keinem",
        "keinerlei", "ohne", "kein hinweis auf", "keine hinweise auf", "ohne hinweis auf",
        "ohne nachweis von", "kein nachweis von", "nicht", "ausschluss von", "ausschluss einer",
        "ausschluss eines", "fehlen von",
    ),
    "no-after": (
        "is absent", "are absent", "was absent", "were absent", "is excluded", "was excluded",
        "were excluded", "are excluded", "has been excluded", "have been excluded", "is ruled out",
        "was ruled out", "were ruled out", "are ruled out", "has been ruled out", "have been ruled out",
        "not seen", "not visible", "not visualized", "not visualised", "not identified", "not detected",
        "not demonstrated", "not evident", "not noted", "not found", "not observed", "not present",
        "is not seen", "was not seen", "are not seen", "were not seen", "was not found", "were not found",
        "could not be seen", "could not be identified", "could not be observed", "cannot be seen",
        "is resolved", "was resolved", "has resolved", "have resolved", "had resolved", "resolved",
        "has disappeared", "have disappeared", "disappeared", "is negative", "was negative", "is unlikely",
        "was unlikely", "unlikely", "no longer seen", "no longer visible", "no longer present",
        "is seen in neither", "no is seen", ": none", ": no", ": absent", ": negative", ": nil", "? none",
        "? no", "excluded by", "removed", "has been removed", "have been removed", "ausgeschlossen",
        "nicht nachweisbar", "nicht nachgewiesen",
        "nicht erkennbar", "nicht sichtbar", "nicht abgrenzbar",
    ),
    "maybe-before": (
        "possible", "possibly", "probable", "probably", "likely", "most likely", "presumed", "presumably",
        "suspected", "suspicious for", "suspicious of", "suspicion of", "suspicion for", "suspect",
        "question of", "questionable", "concern for", "concerning for", "worrisome for", "suggest",
        "suggests", "suggesting", "suggestive of", "suggested", "may represent", "might represent",
        "could represent", "may be", "might be", "could be", "may indicate", "might indicate",
        "appears to be", "possibility of", "probability of", "differential diagnosis",
        "differential diagnoses", "differential includes", "versus", "vs", "rule out", "to rule out",
        "r / o", "to exclude", "evaluate for", "evaluation for", "screening for", "risk of", "risk for",
        "be ruled out for", "cannot exclude",
        "can not exclude", "cannot rule out", "does not exclude", "not exclude", "not rule out",
        "equivocal for", "indeterminate for", "potential", "verdacht auf", "v . a .", "va .", "möglich",
        "mögliche", "möglicherweise", "wahrscheinlich", "fraglich", "fragliche", "fraglicher", "fragliches",
        "dd", "a . e .", "vermutlich", "suspekt auf",
    ),
    "maybe-after": (
        "possible", "is possible", "suspected", "is suspected", "was suspected", "were suspected",
        "cannot be excluded", "can not be excluded", "could not be excluded", "cannot be ruled out",
        "can not be ruled out", "could not be ruled out", "not ruled out", "not excluded",
        "not be excluded", "not be ruled out", "versus", "vs", "is likely", "is probable", "was considered",
        "is considered", "be considered", "is questionable", "questionable", "must be ruled out",
        "should be ruled out", "to be ruled out", "should be excluded", "nicht ausgeschlossen",
        "nicht auszuschließen", "möglich", "wahrscheinlich", "nicht sicher ausgeschlossen",
    ),
    "past-before": (
        "history of", "known history of", "status post", "s / p", "post", "previous", "prior", "old",
        "remote", "healed", "previously treated for", "after", "following", "zustand nach", "z . n .",
        "anamnestisch",
    ),
    "pseudo": (
        "without doubt", "no cause", "no cause for", "no reason", "no reason for", "no explanation",
        "no explanation for", "no source", "without treatment", "without therapy", "not resolved",
        "has not resolved", "have not resolved", "had not resolved", "not disappeared",
        "has not disappeared", "partial resolution of", "not separable", "does not invade", "not invade",
        "not amenable", "not seen before", "not seen on prior", "not seen on the prior",
        "not seen previously", "not previously seen", "not visible on the earlier", "not visible on prior",
        "after contrast", "after administration", "after injection",
        "no change", "no changes", "no interval change", "no significant change",
        "no significant interval change", "no increase", "no significant increase", "no decrease",
        "no further", "no doubt", "no sooner", "not only", "not just", "not necessarily", "not certain if",
        "not certain whether", "not clear whether", "not significantly changed", "not changed", "not drain",
        "not cause", "not extend", "without difficulty", "without further", "without change",
        "without contrast", "without contrast medium", "without contrast agent",
        "without intravenous contrast", "without iv contrast", "without and with", "with and without",
        "with or without", "gram negative", "false negative", "negative pressure", "negative contrast",
        "no less than", "no more than", "no .", "nicht nur", "ohne kontrastmittel", "ohne km",
        "keine änderung", "keine veränderung", "risk factor", "risk factors",
    ),
    "end": (
        "but", "however", "nevertheless", "nonetheless", "yet", "though", "although", "except",
        "except for", "apart from", "aside from", "other than", "with the exception of", "which", "who",
        "whereas", "while", "secondary to", "due to", "because", "because of", "caused by",
        "as a cause of", "than", "despite",
        "cause of", "source of", "etiology of", "reason for", "as well as evidence of", "still", "instead",
        "then", "shows", "showed", "showing", "reveals", "revealed", "revealing", "demonstrates",
        "demonstrated", "demonstrating", "aber", "jedoch", "sondern", "obwohl", "wegen", "aufgrund", "bei",
        "allerdings", "dagegen", "sowie ein", "zeigt", "zeigte",
    ),
}  # fmt: skip
PLACES = frozenset(("in", "within", "inside", "with", "mit", "im"))
"""Words that end the reach of a trigger once it has reached a term: "no mass in the liver" has a liver."""
OPENERS = frozenset((
    "a", "an", "the", "small", "large", "mild", "moderate", "severe", "slight", "minimal", "marked",
    "chronic",
    "acute", "subtle", "tiny", "diffuse", "bilateral", "multiple", "several", "new", "stable", "unchanged",
    "normal", "ein", "eine", "kleiner", "kleine", "kleines", "geringe", "geringer",
))  # fmt: skip
"""Words that begin something else behind a comma or "and", where no "or" joins the list."""
VERBS = frozenset((
    "developed", "presented", "was", "were", "is", "are", "has", "had", "have", "showed", "underwent",
    "received", "complained", "died", "remains", "persists",
))  # fmt: skip
"""Verbs of a clause; what follows "and" behind one, or before one, is another clause."""
JOINED, AND = frozenset(("or", "nor", "oder", "noch")), frozenset(("and", "und"))
