"""X and what is known become a fitted space: scikit-learn estimators, one folder per paper."""
