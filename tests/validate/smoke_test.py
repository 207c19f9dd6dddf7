"""tools/validate as a whole, each case once and tiny: every cell is filled and simulated runs repeat.

No number is judged: the machine that runs this test has other work.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/validate"))

import machine  # noqa: E402
import report  # noqa: E402

SIMULATED = ("throughput", "switches", "migrations", "delay")


def validate(*words):
    return subprocess.run([sys.executable, str(ROOT / "tools/validate"), *words], capture_output=True, text=True,
                          check=False)


class Smoke(unittest.TestCase):
    def test_every_case_runs_on_both_sides_and_fills_its_row(self):
        self.assertEqual(machine.missing_programs(), [])
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(f"{report.BEGIN}\n{report.END}\n")
            path = pathlib.Path(folder, "results.json")

            run = validate("--smoke", "--results", str(path), "--write", str(page))

            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertNotIn("differ", run.stderr)
            results = json.loads(path.read_text())
            text = page.read_text()
        self.assertGreater(len(results["real"]), 15)
        self.assertEqual(results["real"].keys(), results["simulated"].keys())
        for name, runs in results["real"].items():
            self.assertGreater(runs[0]["throughput"], 0, name)
            self.assertGreater(runs[0]["switches"], 0, name)
            self.assertIn(f"| {name} |", text)
        for name, runs in results["simulated"].items():
            self.assertGreater(runs[0]["throughput"], 0, name)
            for column in SIMULATED:
                self.assertIsNotNone(runs[0][column], f"{name}: {column}")
        if machine.can_trace():
            for name, latencies in results["latencies"].items():
                self.assertTrue(latencies, f"{name}: no latencies")

    def test_costs_come_from_the_calibration_that_is_given(self):
        with tempfile.TemporaryDirectory() as folder:
            calibration = pathlib.Path(folder, "calibration.json")
            program = os.environ["SCHEDLAB_BIN_DIR"] + "/schedlab"
            calibration.write_text(subprocess.run([program, "worker", "calibrate", "--quick", "-o", "json"],
                                                  capture_output=True, text=True, check=True).stdout)
            document = json.loads(calibration.read_text())
            document["topology_toml"] = document["topology_toml"].replace("tick_hz = ", "tick_hz = 1")
            calibration.write_text(json.dumps(document))

            run = validate("--smoke", "--only", "stress-ng cpu 1", "--calibration", str(calibration))

        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(f"| tick_ns | {document['costs']['tick_ns']['value']} |", run.stdout)


class Refusals(unittest.TestCase):
    def test_a_program_that_is_missing_is_named_with_its_package(self):
        environment = dict(os.environ, PATH="/nowhere")
        run = subprocess.run([sys.executable, str(ROOT / "tools/validate"), "--smoke"], capture_output=True, text=True,
                             check=False, env=environment)

        self.assertEqual(run.returncode, 2)
        self.assertIn("hackbench", run.stderr)
        self.assertIn("apt-get install", run.stderr)

    def test_a_client_that_is_missing_is_named(self):
        run = validate("--smoke", "--schedlab", "/nowhere/schedlab")

        self.assertEqual(run.returncode, 2)
        self.assertIn("/nowhere/schedlab", run.stderr)

    def test_a_selection_of_nothing_is_refused(self):
        self.assertTrue(shutil.which("perf"))
        run = validate("--smoke", "--only", "no such case")

        self.assertEqual(run.returncode, 2)
        self.assertIn("no such case", run.stderr)


if __name__ == "__main__":
    unittest.main()
