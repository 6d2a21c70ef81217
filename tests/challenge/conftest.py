"""Models are tested where the optional extra is installed; elsewhere their file is not collected."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") and find_spec("transformers") else ["test_models.py"]
