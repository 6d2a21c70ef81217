"""What leaves the program: settings as a file, figures, the report, saved views."""
