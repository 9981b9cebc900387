"""An index as if it had been built with another vocabulary: other names of its labels, and other broader terms."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from tacit.errors import InputError
from tacit.relations.taxonomy.languages import choose_language
from tacit.tasks.build.label_matching import LabelMatching
from tacit.tasks.measure.split import RecordSplit
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import StageReporter

if TYPE_CHECKING:
    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.tasks.build.settings import BuildSettings

__all__ = ["RenamedIndex"]


class RenamedIndex(OpenedIndex):
    """The records of an index, with names of subjects from another vocabulary; nothing is changed on disk.

    Parameters
    ----------
    collection : an open index
    vocabulary : names of the labels, and what is above them
    settings : those to fit, for the language of titles

    Raises
    ------
    InputError
        If the labels of the index are paths, which have no other names.
    """

    def __init__(self, collection: OpenedIndex, vocabulary: Taxonomy, settings: BuildSettings) -> None:
        super().__init__(collection.generation)
        if settings.taxonomy_separator is not None:
            raise InputError(
                "vocabulary is given for labels that are paths: got an index that was built with "
                f"taxonomy_separator={settings.taxonomy_separator!r}, expected labels that have names or ids."
            )
        if settings.label_language is not None or not vocabulary.language:
            wanted = settings.label_language
            tag = choose_language(vocabulary.languages, wanted, of_texts=settings.text.language)
            vocabulary = replace(vocabulary, language=tag)
        self._other = vocabulary

    @cached_property
    def vocabulary(self) -> Taxonomy | None:
        """The names of the labels in the other vocabulary."""
        return self._other

    def relabelled(self, split: RecordSplit, stages: StageReporter) -> RecordSplit:
        """Return the records with labels as the other vocabulary has them; labels that it lacks stay as they are.

        Raises
        ------
        InputError
            If it has fewer than half of the different labels.
        """
        stages.begin("labels")
        matching = LabelMatching(self._other, self.node_finder)
        train, test = (
            replace(part, records=list(matching.records(part.records))) for part in (split.train, split.test)
        )
        n_found = matching.n_labels - len(matching.unmatched)
        if 2 * n_found < matching.n_labels:
            raise InputError(
                f"vocabulary is not that of the labels: got names or ids of {n_found:,} of {matching.n_labels:,} "
                f"different labels, expected those of at least half. It lacks {matching.unmatched[0]!r}, for example."
            )
        stages.end(f"{n_found:,} of {matching.n_labels:,} different labels found in the other vocabulary")
        return RecordSplit(train, test, split.how)
