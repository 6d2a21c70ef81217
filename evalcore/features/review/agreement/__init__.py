"""From judgments to answers: agreement of readers, coverage, and of measures with readers."""
