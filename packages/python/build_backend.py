"""Builds the wheel by maturin, after the types of documents and the page for PyPI are written."""

import maturin
import readme
import schema_types
from maturin import *  # noqa: F403 - the hooks of PEP 517


def written_first(hook):
    """A hook of maturin, which finds what a checkout lacks."""

    def call(*words, **named):
        schema_types.write()
        readme.write()
        return hook(*words, **named)

    return call


build_wheel = written_first(maturin.build_wheel)
build_editable = written_first(maturin.build_editable)
build_sdist = written_first(maturin.build_sdist)
prepare_metadata_for_build_wheel = written_first(maturin.prepare_metadata_for_build_wheel)
prepare_metadata_for_build_editable = written_first(maturin.prepare_metadata_for_build_editable)
