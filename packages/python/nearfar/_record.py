"""Records of documents: dataclasses that are read from JSON."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, Dict


def of(name: str) -> Any:
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
                known[field.name] = _read(field.metadata.get("record"), values[key])
        return cls(**known)


def _read(name: Any, value: Any) -> Any:
    if name is None or value is None:
        return value
    if isinstance(value, list):
        return [_read(name, one) for one in value]
    if not isinstance(value, dict):
        # Older documents have a sentence, or a name alone.
        return value
    record = getattr(sys.modules["nearfar._schema"], name)
    names = {field.name.rstrip("_") for field in dataclasses.fields(record)}
    if names.isdisjoint(value) and all(isinstance(one, dict) for one in value.values()):
        return {key: _read(name, one) for key, one in value.items()}
    return record.from_json(value)
