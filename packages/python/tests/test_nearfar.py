"""Documents in Python: python3 -m unittest discover packages/python/tests."""

import ast
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent
DOCUMENTS = REPOSITORY / "docs/gallery/documents"
SKETCH = REPOSITORY / "crates/sweep/src/sketch.json"
sys.path.insert(0, str(PACKAGE))

import schema_types  # noqa: E402

schema_types.write()

import nearfar  # noqa: E402


class Loading(unittest.TestCase):
    def test_all_kept_documents_are_read(self):
        for path in sorted(DOCUMENTS.glob("*.json")):
            document = nearfar.load(path)
            cells = document.cells()
            self.assertTrue(cells, path.name)
            self.assertTrue(all(cell.row and cell.instrument for cell in cells), path.name)
            self.assertEqual(document.schema, document.raw["schema"])

    def test_figures_are_those_of_the_document(self):
        path = DOCUMENTS / "lab-xeon-2s-after.json"
        raw = json.loads(path.read_text())
        survey = nearfar.load(str(path))
        cells = [cell for cell in survey.cells() if cell.instrument == "latency"]
        medians = [cell["median"] for cell in raw["latency"]["cells"]]
        self.assertEqual([cell.median for cell in cells], medians)
        self.assertEqual([cells[0].low, cells[0].high], raw["latency"]["cells"][0]["ci95"])
        self.assertEqual((cells[1].row, cells[1].column), ("node 0", "node 1"))
        self.assertEqual(raw["verdict"]["numa"], "yes")
        self.assertIs(survey.is_numa, True)
        self.assertEqual(survey.latency.rows[0].cpus, raw["latency"]["rows"][0]["cpus"])

    def test_treatments_are_named(self):
        gpus = nearfar.load(DOCUMENTS / "h200.json").cells()
        self.assertIn("direction=to-device gpus=GPU0", gpus[0].treatment)

    def test_newer_fields_are_ignored_and_kept_in_raw(self):
        raw = json.loads((DOCUMENTS / "lab-xeon-2s-after.json").read_text())
        raw["tomorrow"] = {"a": 1}
        raw["latency"]["cells"][0]["tomorrow"] = True
        survey = nearfar.load(io.StringIO(json.dumps(raw)))
        self.assertFalse(hasattr(survey, "tomorrow"))
        self.assertEqual(survey.raw["tomorrow"], {"a": 1})

    def test_fields_may_be_missing(self):
        survey = nearfar.loads('{"schema": "nearfar.survey/2", "verdict": {"numa": "yes"}}')
        self.assertIsNone(survey.latency)
        self.assertEqual(survey.cells(), [])
        self.assertIsNone(survey.verdict.reasons)

    def test_sweeps_have_configurations(self):
        sweep = nearfar.load(SKETCH)
        self.assertEqual([cell.row for cell in sweep.cells()], ["unbound", "local:0"])
        self.assertEqual(sweep.configurations[0].runs[0].wall_s, 1.25)

    def test_answers_of_sweeps_are_records(self):
        gain = {"of": "local:0", "jobs": 2, "jobs_off": 2, "ratio": -0.1, "ci95": [-0.2, -0.05]}
        answers = {
            "findings": [{"code": "smt", "gains": [gain]}],
            "smt": [gain],
            "difference_to_default": {"local:0": {"ratio": -0.05, "real": True}},
        }
        sweep = nearfar.loads(json.dumps({"schema": "nearfar.sweep/2", "answers": answers}))
        self.assertEqual(sweep.answers.findings[0].gains[0].ratio, -0.1)
        self.assertEqual(sweep.answers.smt[0].jobs_off, 2)
        self.assertIs(sweep.answers.difference_to_default["local:0"].real, True)

    def test_fleets_have_groups(self):
        cell = {
            "instrument": "latency", "row": "node 0", "column": "node 1",
            "treatment": {"kernel": "read"}, "unit": "ns", "center": 130.5, "machines": 12,
        }
        fleet = nearfar.loads(
            json.dumps({"schema": "nearfar.fleet/1", "groups": [{"cells": [cell]}]})
        )
        [found] = fleet.cells()
        self.assertEqual(
            (found.median, found.samples, found.treatment), (130.5, 12, "kernel=read")
        )

    def test_other_files_are_refused_in_one_line(self):
        for text, part in [
            ("{", "is no JSON"),
            ("[]", "its schema is missing"),
            ('{"schema": "nearfar.irq/1"}', "its schema is 'nearfar.irq/1'"),
            ('{"schema": "nearfar.survey/1"}', "is none of nearfar.survey/2, "),
        ]:
            with self.assertRaises(nearfar.NearfarError) as raised:
                nearfar.loads(text, "x.json")
            self.assertIn(part, str(raised.exception))
            self.assertNotIn("\n", str(raised.exception))


class Files(unittest.TestCase):
    def test_syntax_is_that_of_3_9(self):
        for path in [*PACKAGE.rglob("*.py"), REPOSITORY / "docs/libraries/notebook.py"]:
            ast.parse(path.read_text(), str(path), feature_version=(3, 9))

    def test_no_package_is_needed(self):
        code = "import sys, nearfar; print({'pandas', 'matplotlib'} & set(sys.modules))"
        self.assertEqual(run("-S", "-c", code).strip(), "set()")

    def test_the_notebook_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            script = str(REPOSITORY / "docs/libraries/notebook.py")
            picture = str(Path(folder) / "a.svg")
            printed = run(script, str(DOCUMENTS), picture)
        self.assertIn("remote / local: ", printed)
        self.assertIn("fastest of 4 configurations: ", printed)


class Optional(unittest.TestCase):
    def test_cells_are_a_data_frame(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        survey = nearfar.load(DOCUMENTS / "lab-xeon-2s-after.json")
        table = survey.to_pandas()
        self.assertEqual(len(table), len(survey.cells()))
        self.assertEqual(table["median"][0], survey.cells()[0].median)

    def test_a_survey_is_a_picture(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("svg")
        survey = nearfar.load(DOCUMENTS / "lab-xeon-2s-after.json")
        self.assertEqual(survey.plot().get_title(), "latency")


def run(*words):
    environment = {"PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *words], env=environment, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    unittest.main()
