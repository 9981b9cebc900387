"""The folder of an index: written as a whole, opened without reading it all, changed record by record."""

from tacit.index.folder.manifest import Manifest
from tacit.index.folder.opening import Generation, sweep
from tacit.index.folder.writer import GenerationWriter
from tacit.index.records.filters import Filters
from tacit.index.records.store import RecordStore, StoreCounts
from tacit.index.shards.opening import change_generation, open_generation
from tacit.index.shards.verify import verify

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
