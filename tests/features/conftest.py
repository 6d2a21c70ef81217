"""What tests of a feature's page share with those of the other pages."""

from __future__ import annotations

from tests.ui.conftest import _packages_are_looked_through_once, open_app, study_folder

__all__ = ["_packages_are_looked_through_once", "open_app", "study_folder"]
