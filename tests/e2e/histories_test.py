"""The four published regressions as histories of a project: each commit is measured, through
coordinator and workers, and the alerts are those that the simulator promises
(docs/simulator.md, docs/histories.md) - no more and no fewer."""

import unittest

import schedlab_program as program

JOB_SECONDS = 1500

# The published calibration of the report in which hackbench was four times slower, fewer groups.
HACKBENCH = ("groups_count = 40, loops_count = 60, fork_work_ns = 70000, start_work_ns = 80000, "
             "write_work_ns = 900, read_work_ns = 1150")

SUITE = """
name = "{name}"
project = "linux"
repetitions = 3
topologies = [{topologies}]

[[policy]]
name = "{policy}"
revisions = "{revisions}"
switches = {{ {switches} }}
"""


def suite(name, policy, revisions, topologies, workloads, switches=""):
    text = SUITE.format(name=name, policy=policy, revisions=revisions, switches=switches,
                        topologies=", ".join(f'"{one}"' for one in topologies))
    for workload, parameters, duration_ns in workloads:
        text += f'\n[[workload]]\nname = "{workload}"\nparameters = {{ {parameters} }}\n'
        if duration_ns:
            text += f"duration_ns = {duration_ns}\n"
    return text


class HistoriesTest(program.SharedDevTestCase):

    def alerts_of(self, policy, text):
        """The alerts of a policy after every run of the suite."""
        done = self.dev.run("job", "submit", self.write(f"{policy}.toml", text), "--wait",
                            "--timeout", f"{JOB_SECONDS}s", timeout=JOB_SECONDS)
        self.assertIn(done.returncode, (program.OK, program.REGRESSION), done.stderr)
        return [self.dev.json("alerts", "show", alert["id"])
                for alert in self.dev.json("alerts", "list")["alerts"]
                if alert["policy"] == policy]

    def check_one(self, alerts, revision, recovered, topologies, workload):
        self.assertEqual(len(alerts), 1, alerts)
        alert = alerts[0]
        self.assertEqual(alert["revision"][:12], revision)
        self.assertEqual(alert["recovered_revision"][:12], recovered)
        worse = {(cell["series"]["topology"], cell["series"]["workload"])
                 for cell in alert["cells"] if cell["change"]["is_regression"]}
        self.assertEqual(worse, {(one, workload) for one in topologies})

    def test_fs_mark_of_3_12_is_found_where_one_node_has_all_cpus(self):
        alerts = self.alerts_of("linux-fair", suite(
            "fs_mark", "linux-fair", "v3.11..v3.13", ["kvm-16x1", "kvm-1x16"],
            [("fs_mark", "iterations_count = 1", 0)]))

        self.check_one(alerts, program.FIRST_BAD, "b0cff9d88ce2", ["kvm-16x1"], "fs_mark")

    def test_hackbench_of_3_4_is_found_in_a_task_group(self):
        alerts = self.alerts_of("linux-fair-3.4", suite(
            "hackbench", "linux-fair-3.4", "a195f004e949..04f733b4afac", ["snb-ep-2s"],
            [("hackbench", HACKBENCH + ", task_group_flag = 1", 0), ("hackbench", HACKBENCH, 0)]))

        self.check_one(alerts, "367456c756a6", "eb95308ee2a6", ["snb-ep-2s"], "hackbench")
        self.assertEqual(len({cell["series"]["scenario_digest"] for cell in alerts[0]["cells"]
                              if cell["change"]["is_regression"]}), 1, "not in the root group")

    def test_tbench_of_2_6_33_by_the_rules_loses_nowhere(self):
        """Only where something keeps both ends of a connection apart does the model lose."""
        alerts = self.alerts_of("linux-fair-2.6.33", suite(
            "tbench", "linux-fair-2.6.33", "v2.6.32..v2.6.33", ["tulsa-4s", "nehalem-ep-2s"],
            [("tbench", "pairs_count = 32", 600_000_000),
             ("tbench", "pairs_count = 32, rr_priority = 20", 600_000_000)]))

        self.assertEqual(alerts, [])

    def test_readers_of_one_file_lose_nothing_by_the_end_of_the_load_history(self):
        """The published gain does not come out of the model, nor does a loss."""
        alerts = self.alerts_of("linux-fair-cpu-load", suite(
            "readers", "linux-fair-cpu-load", "9dbdb1555323..d70495ef86f3", ["brickland"],
            [("mmap_pread_seq", "windows_count = 1500", 0)]))

        self.assertEqual(alerts, [])


if __name__ == "__main__":
    unittest.main()
