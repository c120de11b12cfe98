"""Writes nearfar/_schema.py, a dataclass for each type of the JSON Schemas in schema/.

The file is not kept: the build of the wheel writes it, as do the tests of the module.
"""

import json
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
SCHEMAS = PACKAGE.parent.parent / "schema"

DOCUMENTS = {
    "nearfar.survey-2": "SurveyDocument",
    "nearfar.fleet-1": "FleetDocument",
    "nearfar.sweep-2": "SweepDocument",
}
"""The class of each document. A type of several schemas is written once."""

HEAD = '''\
# Written by packages/python/schema_types.py from schema/*.json: do not edit.
# ruff: noqa: E501
"""Types of nearfar's documents. Each field is None in documents that lack it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._record import Record, record_field
'''

KEYWORDS = {"class", "from", "global", "import", "in", "is", "lambda"}
"""Keywords of Python get an underscore."""

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


class Types:
    """The types of one schema: an annotation, and the class of the records in it or None."""

    def __init__(self, definitions):
        self.definitions = definitions

    def text(self, name, definition, constants=""):
        """The class of a definition; nothing for one without fields."""
        fields = self.fields(definition)
        if not fields:
            return ""
        about = definition.get("description", name).replace("\\", "\\\\").replace('"""', "'''")
        about = " ".join(about.split()) + (" " if about.endswith('"') else "")
        text = f'\n\n@dataclass\nclass {name}(Record):\n    """{about}"""\n\n{constants}'
        for field, (annotation, record) in sorted(fields.items()):
            field = field.replace("-", "_")
            field += "_" if field in KEYWORDS else ""
            default = f'record_field("{record}")' if record else "None"
            text += f"    {field}: Optional[{annotation}] = {default}\n"
        return text

    def fields(self, definition):
        """The fields of a definition and of all its variants."""
        properties = definition.get("properties", {})
        fields = {name: self.type(field) for name, field in properties.items()}
        others = [one for key in ("oneOf", "anyOf", "allOf") for one in definition.get(key, [])]
        others += [self.definitions[self.referred(definition)]] if "$ref" in definition else []
        for name, found in (field for one in others for field in self.fields(one).items()):
            known = fields.setdefault(name, found)
            if known != found:
                fields[name] = self.of_both(known, found)
        return fields

    def of_both(self, one, other):
        """Of two records the one with all fields of the other."""
        for own, less in [(one, other), (other, one)]:
            if own[1] and less[1] and own[0].replace(own[1], less[1]) == less[0]:
                fields = self.fields(self.definitions[own[1]])
                others = self.fields(self.definitions[less[1]])
                if all(fields.get(name) == found for name, found in others.items()):
                    return own
        return ("Any", None)

    def type(self, schema):
        if not isinstance(schema, dict):
            return ("Any", None)
        if "$ref" in schema:
            name = self.referred(schema)
            definition = self.definitions[name]
            return (name, name) if self.fields(definition) else self.type(definition)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                variants = [one for one in schema[key] if one.get("type") != "null"]
                types = {self.type(one) for one in variants}
                return types.pop() if len(types) == 1 else ("Any", None)
        if isinstance(schema.get("const"), str) or "enum" in schema:
            return ("str", None)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), None)
        if kind == "array":
            annotation, record = self.type(schema.get("items"))
            return (f"List[{annotation}]", record)
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            annotation, record = self.type(schema["additionalProperties"])
            return (f"Dict[str, {annotation}]", record)
        return (PLAIN.get(kind, "Any"), None)

    @staticmethod
    def referred(schema):
        return schema["$ref"].rpartition("/")[2]


def text():
    """The module."""
    classes = {}
    for file, root in DOCUMENTS.items():
        schema = json.loads((SCHEMAS / f"{file}.json").read_text(encoding="utf-8"))
        types = Types(schema["$defs"])
        for name, definition in schema["$defs"].items():
            found = types.text(name, definition)
            if classes.setdefault(name, found) != found:
                raise SystemExit(f"{name} of {file} differs in another schema")
        # Without an annotation it is no field.
        constants = f'    SCHEMA = "{schema["$id"]}"\n'
        classes[root] = types.text(root, schema, constants)
    return HEAD + "".join(classes[name] for name in sorted(classes))


def write():
    """Writes the module beside the others, whole or not at all."""
    path = PACKAGE / "nearfar/_schema.py"
    draft = path.with_name(f".{os.getpid()}.draft")
    draft.write_text(text(), encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    write()
