"""Set relevances in which concepts weigh more or less: which concepts count, and the loops that weigh."""
