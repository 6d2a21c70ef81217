"""The Compare page: where two systems differ."""
