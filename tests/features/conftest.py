"""What tests of a feature's page share with those of the other pages."""

from __future__ import annotations

from tests.ui.conftest import open_app, open_tiny, study_folder

__all__ = ["open_app", "open_tiny", "study_folder"]
