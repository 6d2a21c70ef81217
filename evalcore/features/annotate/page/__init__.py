"""Find concepts: what the captions of a study name, looked through and made its concepts."""
