"""The version of the program, in one place: `evalcore.__version__`, from which pyproject.toml takes it."""

__version__ = "1.0.0"
