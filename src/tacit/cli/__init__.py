"""The command line: strings become tasks, and answers become text."""
