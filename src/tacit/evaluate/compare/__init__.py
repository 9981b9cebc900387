"""Compare models on one data set."""
