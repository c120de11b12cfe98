"""Damaged documents: each is read, or refused by a NearfarError in one line.

The damage is random, and the same in each run. NEARFAR_FUZZ=N makes N documents in place of 1,500.
"""

import copy
import io
import json
import os
import random
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent
sys.path.insert(0, str(PACKAGE))

import schema_types  # noqa: E402

schema_types.write()

import nearfar  # noqa: E402

COUNT = int(os.environ.get("NEARFAR_FUZZ", "1500"))
"""Documents that are damaged."""

FLEET = {
    "schema": "nearfar.fleet/1",
    "groups": [
        {
            "cells": [
                {
                    "instrument": "latency",
                    "row": "node 0",
                    "column": "node 1",
                    "treatment": {"kernel": "read"},
                    "unit": "ns",
                    "center": 130.5,
                    "machines": 12,
                }
            ],
            "machines": [{"name": "n1", "ratios": [1.0, None]}],
        }
    ],
}

VALUES = [
    None, True, False, 0, -1, 1, 10**20, 10**40, -(10**400), 0.5, -0.0, 1e308, 5e-324,
    float("nan"), float("inf"), float("-inf"), "", "x", "nan", "\ud800", "\u202e\x9b", [], {},
    [[]], [None], [1, 2, 3], {"a": {}}, {"a": {"b": 1}}, ["x"], [{}],
]  # fmt: skip


def documents():
    """Real ones, the smaller of each kind."""
    paths = sorted((REPOSITORY / "docs/gallery/documents").glob("*.json"))
    paths = [path for path in paths if path.stat().st_size < 60_000]
    paths.append(REPOSITORY / "crates/sweep/src/sketch.json")
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths] + [FLEET]


def places(value, found):
    """Each list and object that has something."""
    if isinstance(value, (dict, list)) and value:
        found.append(value)
        for one in value.values() if isinstance(value, dict) else value:
            places(one, found)
    return found


def damaged_values(document, chance):
    """One to three of the document's values are others, gone, doubled or deep."""
    document = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        found = places(document, [])
        if not found:
            break
        # Places near the root decide about more.
        place = chance.choice(found[: chance.choice([4, 40, len(found)])])
        key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
        damage = chance.randrange(6)
        if damage == 0:
            del place[key]
        elif damage == 1 and isinstance(place, list):
            place.extend(copy.deepcopy(place[:3]))
        elif damage == 2:
            deep = place[key]
            for _ in range(chance.choice([2, 70, 120])):
                deep = chance.choice([[deep], {"a": deep}])
            place[key] = deep
        elif damage == 3 and isinstance(place, dict):
            place[key] = place[chance.choice(list(place))]
        else:
            place[key] = copy.deepcopy(chance.choice(VALUES))
    return json.dumps(document).encode()


def damaged_bytes(document, chance):
    """The document's text is cut, or some of its bytes are others."""
    text = bytearray(json.dumps(document).encode())
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        damage = chance.randrange(6)
        if damage == 0:
            del text[at:]
        elif damage == 1:
            text[at:at] = bytes([chance.choice([0, 0x80, 0xFF, 0x22, 0x5C, 0x0A])])
        elif damage == 2:
            text[at:at] = chance.choice([b"[", b"{", b'{"a":']) * chance.choice([1, 2000, 200_000])
        elif damage == 3:
            text[at:at] = chance.choice([b"1e999", b"NaN", b"-Infinity", b"9" * 5000, b"-"])
        elif damage == 4:
            text[at : at + chance.randint(1, 30)] = b""
        else:
            text += text[:at]
    return bytes(text)


class Damage(unittest.TestCase):
    def use(self, bytes_of):
        """What a program does with a document; whether it was refused."""
        try:
            try:
                text = bytes_of.decode()
            except UnicodeDecodeError:
                text = bytes_of
            document = nearfar.loads(text)
            document.cells()
            getattr(document, "is_numa", None)
        except nearfar.NearfarError as error:
            self.assertNotIn("\n", str(error))
            self.assertLess(len(str(error)), 300)
            return True
        return False

    def test_damage_is_read_or_refused(self):
        chance = random.Random(51)
        kept = documents()
        for document in kept:
            self.assertFalse(self.use(json.dumps(document).encode()))
        refused = 0
        for number in range(COUNT):
            damage = damaged_values if number % 4 else damaged_bytes
            damaged = damage(chance.choice(kept), chance)
            try:
                refused += self.use(damaged)
            except Exception as error:
                raise AssertionError(f"document {number}: {damaged[:2000]!r}") from error
        self.assertGreater(refused, COUNT // 4)

    def test_files_that_are_no_text_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.json"
            path.write_bytes(b'{"schema": "nearfar.survey/2\xff"}')
            for source in [path, str(path)]:
                with self.assertRaisesRegex(nearfar.NearfarError, "it is not UTF-8"):
                    nearfar.load(source)
            with open(path, encoding="utf-8") as file:
                with self.assertRaisesRegex(nearfar.NearfarError, "it is not UTF-8"):
                    nearfar.load(file)
            with self.assertRaises(FileNotFoundError):
                nearfar.load(Path(folder) / "b.json")
        with self.assertRaisesRegex(nearfar.NearfarError, "its schema is missing"):
            nearfar.load(io.StringIO("3"))

    def test_the_error_names_the_place(self):
        text = '{"schema": "nearfar.survey/2", "latency": {"cells": [{"median": "x"}]}}'
        why = r"latency.cells\[0\].median has to be a number, and is 'x'"
        with self.assertRaisesRegex(nearfar.NearfarError, why):
            nearfar.loads(text)
        for text, why in [
            ('{"schema": "nearfar.survey/2", "seed": 1e999}', "larger than any"),
            ('{"schema": "nearfar.survey/2", "seed": NaN}', "NaN is no number"),
            ('{"schema": "a", "schema": "nearfar.survey/2"}', "'schema' is there twice"),
            ("[" * 100_000, "too deep|no JSON"),
        ]:
            with self.assertRaisesRegex(nearfar.NearfarError, why):
                nearfar.loads(text)


if __name__ == "__main__":
    unittest.main()
