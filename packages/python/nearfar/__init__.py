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
from typing import Any, Dict, IO, Iterator, List, Optional, Tuple, Union

from . import _schema
from ._record import Record, WrongValue

__all__ = ["Cell", "Document", "Fleet", "NearfarError", "Survey", "Sweep", "load", "loads"]


class NearfarError(Exception):
    """A document that is damaged, or of another kind. Files that cannot be opened are OSErrors."""


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
        decided = {"yes": True, "no": False}
        return decided.get(_record(self.verdict, "the verdict").numa) if self.verdict else None

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
            for group in _records(self.groups, "a group")
            for cell in _records(group.cells, "a cell")
        ]


class Sweep(_schema.SweepDocument, Document):
    """A sweep: 'nearfar sweep --json'."""

    def cells(self) -> List[Cell]:
        """The configurations."""
        objective = _record(self.objective or _schema.Objective(), "the objective")
        return [
            Cell(
                instrument=objective.name or "wall_s",
                row=one.id,
                column=None,
                treatment="",
                unit=None if objective.metric else "s",
                median=one.median,
                low=_ends(one.ci95)[0],
                high=_ends(one.ci95)[1],
                samples=len(one.runs or []),
                why=None,
            )
            for one in _records(self.configurations, "a configuration")
        ]


_KINDS = {kind.SCHEMA: kind for kind in (Survey, Fleet, Sweep)}


def load(path: Union[str, os.PathLike, IO[str]]) -> Any:
    """Reads a document from a file: a Survey, a Fleet or a Sweep.

    Unknown fields are ignored; fields that a document lacks are None. A damaged document, or one of
    another schema, is a NearfarError, a file that cannot be opened an OSError.
    """
    is_open = hasattr(path, "read")
    name = str(getattr(path, "name", "the input") if is_open else os.fspath(path))
    try:
        text = path.read() if is_open else Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise NearfarError(f"{name} is no JSON: it is not UTF-8") from None
    return loads(text, name)


def loads(text: str, name: str = "the text") -> Any:
    """Reads a document from its text."""
    try:
        raw = json.loads(
            text,
            parse_float=_number,
            parse_int=_whole_number,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise NearfarError(f"{name} is no document: its lists are too deep") from None
    except ValueError as error:
        raise NearfarError(f"{name} is no JSON: {error}") from None
    schema = raw.get("schema") if isinstance(raw, dict) else None
    kind = _KINDS.get(schema) if isinstance(schema, str) else None
    if kind is None:
        shown = ascii(schema)[:60] if isinstance(schema, str) else "missing"
        known = ", ".join(_KINDS)
        raise NearfarError(f"{name} is none of {known}: its schema is {shown}")
    try:
        document = kind.from_json(raw)
    except WrongValue as error:
        raise NearfarError(f"{name} is damaged: {error}") from None
    document.raw = raw
    return document


_LARGEST = 1e30
"""Nothing that is measured is as large: nearfar refuses such a number, too."""


def _number(text: str) -> float:
    number = float(text)
    if not abs(number) < _LARGEST:
        raise ValueError(f"the number {text[:40]} is larger than any that is measured")
    return number


def _whole_number(text: str) -> int:
    _number(text)
    return int(text)


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in values if keys.count(key) > 1)
        raise ValueError(f"the field {twice[:40]!a} is there twice")
    return values


def _record(value: Any, what: str) -> Any:
    if not isinstance(value, Record):
        raise NearfarError(f"the document is damaged: {what} has no fields")
    return value


def _records(values: Optional[List[Any]], what: str) -> List[Any]:
    return [_record(value, what) for value in values or []]


def _ends(interval: Optional[List[float]]) -> List[Optional[float]]:
    """Both ends of an interval."""
    if not interval:
        return [None, None]
    if len(interval) != 2:
        raise NearfarError(f"the document is damaged: an interval has {len(interval)} ends")
    return list(interval)


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
        low, high = _ends(cell.ci95)
        yield Cell(
            instrument=name,
            row=_label(getattr(part, "rows", None), cell.row),
            column=_label(getattr(part, "columns", None), cell.column),
            treatment=_treatment(
                {field.name: getattr(cell, field.name) for field in fields(cell)
                 if field.name not in _COMMON}
            ),
            unit=getattr(part, "unit", None),
            median=cell.median,
            low=low,
            high=high,
            samples=cell.samples,
            why=cell.why,
        )


_COMMON = {field.name for field in fields(_schema.MatrixCell)}


def _label(axis: Any, index: Optional[int]) -> str:
    if axis is None or index is None or not 0 <= index < len(axis):
        return str(index)
    return _record(axis[index], "a row or column").label or str(index)


def _treatment(values: Optional[Dict[str, Any]]) -> str:
    known = {name: value for name, value in (values or {}).items() if value is not None}

    def text(value: Any) -> str:
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)

    return " ".join(f"{name}={text(value)}" for name, value in known.items())
