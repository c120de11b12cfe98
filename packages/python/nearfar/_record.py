"""Records of documents: dataclasses that are read from JSON, each value of its declared type."""

from __future__ import annotations

import dataclasses
import functools
import typing
from typing import Any, Dict, Union

_DEEPEST = 64
"""Lists and objects within each other, where a field may have any type."""

_NAMES = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}


class WrongValue(ValueError):
    """A value that the schema of its document does not have."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(why, path)
        self.why = why
        self.path = path

    def __str__(self) -> str:
        return f"{self.path.lstrip('.')} {self.why}"

    def within(self, step: str) -> WrongValue:
        """The same, seen from the value around it."""
        return WrongValue(self.why, step + self.path)


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
                known[field.name] = _at(f".{key}", _types(cls)[field.name], values[key])
        return cls(**known)


@functools.lru_cache(maxsize=None)
def _types(cls: Any) -> Dict[str, Any]:
    return typing.get_type_hints(cls)


def _at(step: str, kind: Any, value: Any) -> Any:
    try:
        return _read(kind, value)
    except WrongValue as error:
        raise error.within(step) from None


def _read(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if kind is Any:
        _check_depth(value, _DEEPEST)
        return value
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is Union:
        return _read(inner[0], value)
    if origin is list:
        _check(isinstance(value, list), "a list", value)
        return [_at(f"[{index}]", inner[0], one) for index, one in enumerate(value)]
    if origin is dict:
        _check(isinstance(value, dict), "an object", value)
        return {key: _at(f"[{key[:40]!a}]", inner[1], one) for key, one in value.items()}
    if issubclass(kind, Record):
        # Reasons without figures are a name alone.
        _check(isinstance(value, (dict, str)), "an object", value)
        return kind.from_json(value) if isinstance(value, dict) else value
    wanted = (int, float) if kind is float else kind
    is_truth = isinstance(value, bool)
    _check(isinstance(value, wanted) and is_truth == (kind is bool), _NAMES[kind], value)
    return value


def _check(holds: bool, wanted: str, value: Any) -> None:
    if not holds:
        shown = ascii(value) if isinstance(value, (str, int, float)) else type(value).__name__
        raise WrongValue(f"has to be {wanted}, and is {shown[:40]}")


def _check_depth(value: Any, left: int) -> None:
    if left == 0:
        raise WrongValue(f"has more than {_DEEPEST} lists and objects within each other")
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for one in inner:
            _check_depth(one, left - 1)
