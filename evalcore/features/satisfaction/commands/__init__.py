"""The command on satisfaction: what it is asked for, and what it prints."""
