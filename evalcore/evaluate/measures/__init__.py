"""What the measures themselves are worth: do they agree, do they separate systems, and Table 1."""
