"""Results to take home: tables for papers, tidy rows, and judgments other programs score with."""
