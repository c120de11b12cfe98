"""Loads the documents of nearfar: surveys, sweeps, fleets.

>>> import nearfar
>>> survey = nearfar.load("survey.json")
>>> cell = max(survey.cells(), key=lambda cell: cell.median or 0)

Needs no other package. 'to_pandas' needs pandas, 'plot' needs matplotlib.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Dict, IO, Iterator, List, Optional, Union

from . import _schema
from ._record import Record

__all__ = ["Cell", "Document", "Fleet", "NearfarError", "Survey", "Sweep", "load", "loads"]


class NearfarError(Exception):
    """A document that cannot be read."""


@dataclass
class Cell:
    """A figure of a document, whatever its instrument."""

    instrument: str
    """"latency", "bandwidth", "io.latency"; of sweeps the metric."""
    row: str
    """The CPU group; of sweeps the configuration."""
    column: Optional[str]
    """The memory. None in sweeps."""
    treatment: str
    """What the cell was visited with: "kernel=read threads=2". Empty where there is one way only."""
    unit: Optional[str]
    median: Optional[float]
    low: Optional[float]
    """Lower end of the 95 % interval of the median."""
    high: Optional[float]
    """Its upper end."""
    samples: Optional[int]
    why: Optional[str]
    """Why there is no figure."""


class Document:
    """What all documents have."""

    raw: Dict[str, Any]
    """The JSON object as it is, with fields that this release does not know."""

    def cells(self) -> List[Cell]:
        """Each figure."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The cells as a DataFrame, a row each."""
        import pandas  # optional

        names = [field.name for field in fields(Cell)]
        return pandas.DataFrame([asdict(cell) for cell in self.cells()], columns=names)


class Survey(_schema.SurveyDocument, Document):
    """A survey: 'nearfar survey --json', or a file of its store."""

    def cells(self) -> List[Cell]:
        """The cells of each instrument."""
        parts = ((field.name, getattr(self, field.name)) for field in fields(self))
        return [cell for name, part in parts for cell in _cells(name, part)]

    @property
    def is_numa(self) -> Optional[bool]:
        """The verdict; None if it was not decided."""
        return self.verdict.numa if self.verdict else None

    def plot(self, instrument: str = "latency", axes: Any = None) -> Any:
        """A heat map of one instrument, drawn by matplotlib."""
        from matplotlib import pyplot  # optional

        cells = [cell for cell in self.cells() if cell.instrument == instrument]
        if not cells:
            raise NearfarError(f"{instrument} was not measured")
        first = cells[0].treatment
        cells = [cell for cell in cells if cell.treatment == first]
        rows = list(dict.fromkeys(cell.row for cell in cells))
        columns = list(dict.fromkeys(cell.column for cell in cells))
        figures = {(cell.row, cell.column): cell.median for cell in cells}
        nan = float("nan")
        values = [[figures.get((row, column)) or nan for column in columns] for row in rows]
        axes = axes or pyplot.subplots()[1]
        axes.figure.colorbar(axes.imshow(values, cmap="cividis"), label=cells[0].unit)
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_title(" ".join(filter(None, [instrument, first])))
        return axes


class Fleet(_schema.FleetDocument, Document):
    """A fleet: 'nearfar fleet --json'."""

    def cells(self) -> List[Cell]:
        """The cells of each group of machines: the centre of the machines' medians."""
        return [
            Cell(
                instrument=cell.instrument,
                row=cell.row,
                column=cell.column,
                treatment=_treatment(cell.treatment),
                unit=cell.unit,
                median=cell.center,
                low=None,
                high=None,
                samples=cell.machines,
                why=None,
            )
            for group in self.groups or []
            for cell in group.cells or []
        ]


class Sweep(_schema.SweepDocument, Document):
    """A sweep: 'nearfar sweep --json'."""

    def cells(self) -> List[Cell]:
        """The configurations."""
        objective = self.objective or _schema.Objective()
        return [
            Cell(
                instrument=objective.name or "wall_s",
                row=one.id,
                column=None,
                treatment="",
                unit=None if objective.metric else "s",
                median=one.median,
                low=one.ci95[0] if one.ci95 else None,
                high=one.ci95[1] if one.ci95 else None,
                samples=len(one.runs or []),
                why=None,
            )
            for one in self.configurations or []
        ]


_KINDS = {
    "nearfar.survey": Survey,
    "nearfar.fleet": Fleet,
    "nearfar.sweep": Sweep,
}


def load(path: Union[str, os.PathLike, IO[str]]) -> Any:
    """Reads a document from a file: a Survey, a Fleet or a Sweep.

    Fields of newer releases are ignored; fields that older releases lack are None.
    """
    if hasattr(path, "read"):
        return loads(path.read(), getattr(path, "name", "the input"))
    return loads(Path(path).read_text(encoding="utf-8"), os.fspath(path))


def loads(text: str, name: str = "the text") -> Any:
    """Reads a document from its text."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise NearfarError(f"{name} is no JSON: {error}") from None
    schema = raw.get("schema") if isinstance(raw, dict) else None
    kind = _KINDS.get(str(schema).partition("/")[0])
    if kind is None:
        raise NearfarError(
            f"{name} is no survey, sweep or fleet: its schema is {schema or 'missing'}"
        )
    document = kind.from_json(raw)
    document.raw = raw
    return document


def _cells(name: str, part: Any) -> Iterator[Cell]:
    """The cells of a part of a survey, and of the tables in it."""
    if not isinstance(part, Record):
        return
    if not hasattr(part, "cells"):
        for field in fields(part):
            yield from _cells(f"{name}.{field.name}", getattr(part, field.name))
        return
    for cell in part.cells or []:
        if not isinstance(cell, Record) or not hasattr(cell, "median"):
            continue
        low, high = cell.ci95 or (None, None)
        yield Cell(
            instrument=name,
            row=_label(part.rows, cell.row),
            column=_label(part.columns, cell.column),
            treatment=_treatment(
                {field.name: getattr(cell, field.name) for field in fields(cell)
                 if field.name not in _COMMON}
            ),
            unit=part.unit,
            median=cell.median,
            low=low,
            high=high,
            samples=cell.samples,
            why=cell.why,
        )


_COMMON = {field.name for field in fields(_schema.MatrixCell)}


def _label(axis: Any, index: Optional[int]) -> str:
    if axis is None or index is None or index >= len(axis):
        return str(index)
    return axis[index].label or str(index)


def _treatment(values: Optional[Dict[str, Any]]) -> str:
    known = {name: value for name, value in (values or {}).items() if value is not None}

    def text(value: Any) -> str:
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)

    return " ".join(f"{name}={text(value)}" for name, value in known.items())
