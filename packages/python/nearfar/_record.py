"""Records of documents: dataclasses that are read from JSON."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, Dict


def record_field(name: str) -> Any:
    """A field whose values are records of this class, in lists and by keys too."""
    return dataclasses.field(default=None, metadata={"record": name})


class Record:
    """What documents consist of."""

    @classmethod
    def from_json(cls, values: Dict[str, Any]) -> Any:
        """Reads a JSON object. Fields of newer releases are ignored."""
        known = {}
        for field in dataclasses.fields(cls):
            key = field.name.rstrip("_")
            if key in values:
                record = field.metadata.get("record")
                known[field.name] = _read(_module_of(cls), record, values[key])
        return cls(**known)


def _module_of(cls: Any) -> str:
    """The module whose classes a record's fields name."""
    return next(one.__module__ for one in cls.__mro__ if "__dataclass_fields__" in vars(one))


def _read(module: str, name: Any, value: Any) -> Any:
    if name is None or value is None:
        return value
    if isinstance(value, list):
        return [_read(module, name, one) for one in value]
    if not isinstance(value, dict):
        # Older documents have a sentence, or a name alone.
        return value
    record = getattr(sys.modules[module], name)
    names = {field.name.rstrip("_") for field in dataclasses.fields(record)}
    if names.isdisjoint(value) and all(isinstance(one, dict) for one in value.values()):
        return {key: _read(module, name, one) for key, one in value.items()}
    return record.from_json(value)
