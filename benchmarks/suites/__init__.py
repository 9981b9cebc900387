"""Suites for airspeed velocity: time, peak memory and quality side by side, so that no speed is bought with quality.

Size: TACIT_BENCH_PROFILE = small, regular (the default) or large. `asv run --config benchmarks/asv.conf.json`,
or without asv `python benchmarks/suites/run.py`.
"""

import sys
from pathlib import Path

# asv imports this folder alone, and the made data lie one folder up, beside the studies that use them too
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
