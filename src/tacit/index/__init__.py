"""The folder of an index: written as a whole, opened at once, changed record by record, never executed."""

from tacit.index.filters import Filters
from tacit.index.folder import Generation, change_generation, open_generation, sweep
from tacit.index.manifest import Manifest
from tacit.index.store import RecordStore, StoreCounts
from tacit.index.verifying import verify
from tacit.index.writer import GenerationWriter

__all__ = [
    "Filters",
    "Generation",
    "GenerationWriter",
    "Manifest",
    "RecordStore",
    "StoreCounts",
    "change_generation",
    "open_generation",
    "sweep",
    "verify",
]
