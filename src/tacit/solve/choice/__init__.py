"""Which solver answers, and what each would cost."""
