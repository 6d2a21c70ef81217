"""The version of the program, in one place: `evalcore.__version__`, from which pyproject.toml takes it."""

__version__ = "0.2.0"
