"""Experiments are run case by case, and what was measured is kept for the settings that it was measured with."""
