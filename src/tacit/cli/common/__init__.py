"""What several commands share: options, output and progress."""
