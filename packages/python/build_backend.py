"""Builds the wheel by maturin, after the types of documents are written."""

import maturin
import schema_types
from maturin import *  # noqa: F403 - the hooks of PEP 517


def build_wheel(*words, **named):
    schema_types.write()
    return maturin.build_wheel(*words, **named)


def build_editable(*words, **named):
    schema_types.write()
    return maturin.build_editable(*words, **named)
