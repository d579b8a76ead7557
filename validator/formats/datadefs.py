"""DataDefs.tsv: the resources that a system description may name; first column the id, first line a heading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from validator.formats.problems import Problems
from validator.tables import ResourceTable

if TYPE_CHECKING:
    from validator.formats.source import Source


@dataclass(frozen=True, slots=True)
class DataDefsFile:
    """The table as it was read."""

    table: ResourceTable
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.ids)


def read(source: Source) -> DataDefsFile:
    """Read the ids."""
    with source.open() as stream:
        lines = stream.read().decode("utf-8", "replace").splitlines()[1:]
    return DataDefsFile(
        ResourceTable(frozenset(line.split("\t")[0].strip() for line in lines if line.strip())), Problems()
    )
