"""`schedlab gate run suite.toml --commit SHA --wait`: as many runs as it takes, through the death of a
coordinator."""

import os
import signal
import unittest

import schedlab_program as program

GATE_SECONDS = 300
BUDGET = 60
LAST_LOOK = 12  # runs a side
# A regression of about a quarter on the first machine, and none on the second.
TOPOLOGIES = '"kvm-16x1", "kvm-1x16"'


def suite(**changes):
    text = program.small_suite(duration_ns=4_000_000_000, **changes)
    return text.replace('topologies = ["kvm-16x1"]',
                        f'topologies = [{TOPOLOGIES}]\nmetrics = ["files_per_sec"]')


class GateTest(program.SharedDevTestCase):

    def gate(self, *arguments, commit=program.FIRST_BAD):
        return self.dev.run("gate", "run", self.write("suite.toml", suite()), "--commit", commit,
                            *arguments, timeout=GATE_SECONDS)

    def verdicts(self, gate):
        return {row["series"]["topology"]: row["verdict"] for row in gate["answer"]["rows"]}

    def test_a_gate_outlives_its_coordinator_and_finds_the_regression(self):
        started = self.gate("--budget", BUDGET)
        self.assert_exit(started, program.OK)
        self.assertIn("(parent, 1 commit back)", started.stderr)
        number = self.dev.json("gate", "list")["gates"][0]["id"]
        program.wait_until(lambda: self.dev.json("gate", "status", number)["round"] == 1, "a round")
        os.kill(self.dev.child("schedlab-server"), signal.SIGKILL)
        program.wait_until(lambda: self.dev.run("gate", "status", number).returncode == 0,
                           "the recovery")

        watched = self.dev.run("gate", "watch", number, timeout=GATE_SECONDS)

        self.assert_exit(watched, program.REGRESSION)
        self.assertIn("REGRESSION  fs_mark.files_per_sec on kvm-16x1: -", watched.stderr)
        gate = self.dev.json("gate", "status", number)
        self.assertEqual(self.verdicts(gate), {"kvm-16x1": "worse", "kvm-1x16": "no change"})
        self.assertEqual((gate["state"], gate["answer"]["end"]), ("finished", "decided"))
        moved = {(row["series"]["topology"], row["series"]["metric"])
                 for row in gate["answer"]["counters"]}
        self.assertIn(("kvm-16x1", "idle_ratio"), moved)
        self.assertEqual({topology for topology, _ in moved}, {"kvm-16x1"})
        self.check_cost(gate)
        self.check_a_second_asking(gate)

    def check_cost(self, gate):
        """Every run was made once, and counted."""
        runs = {run["id"] for job in gate["jobs"]
                for run in self.dev.json("job", "get", job["job"])["runs"]}
        self.assertEqual(gate["run_count"], len(runs))
        self.assertLessEqual(gate["run_count"], BUDGET)
        worse = next(row for row in gate["answer"]["rows"] if row["verdict"] == "worse")
        self.assertLess(worse["candidate"]["count"], LAST_LOOK)

    def check_a_second_asking(self, gate):
        """The same gate attaches to the first; another one finds the runs of the first."""
        attached = self.gate("--budget", BUDGET, "--wait")
        again = self.gate("--budget", BUDGET + 1, "--baseline", "newest", "--wait")

        self.assert_exit(attached, program.REGRESSION)
        self.assertIn(f"gate {gate['id']} exists already", attached.stderr)
        self.assert_exit(again, program.REGRESSION)
        self.assertIn("(newest, 1 commit back)", again.stderr)
        self.assertIn("0 new runs", again.stderr)

    def test_a_commit_against_itself_is_an_evaluation_of_the_gate(self):
        done = self.gate("--baseline", "itself", "--wait", commit="v3.11")

        self.assert_exit(done, program.OK)
        self.assertIn("(itself, 0 commits back)", done.stderr)
        counted = self.dev.json("gate", "false-alarms")["projects"]
        self.assertEqual([(one["project"], one["evaluations"], one["with_an_alarm"], one["metrics"])
                          for one in counted], [("linux", 1, 0, 2)])
        self.assertIn("0.0 % .. 79.3 %", self.dev.run("gate", "false-alarms").stdout)

    def test_cancelling_ends_the_runs(self):
        started = self.gate("--new-attempt")
        self.assert_exit(started, program.OK)
        number = self.dev.json("gate", "list")["gates"][0]["id"]

        cancelled = self.dev.json("gate", "cancel", number)

        self.assertEqual(cancelled["state"], "cancelled")
        for job in cancelled["jobs"]:
            self.assertNotEqual(self.dev.json("job", "get", job["job"])["state"], "running")
        self.assert_exit(self.dev.run("gate", "watch", number), program.INFRASTRUCTURE)

    def test_mistakes_are_named(self):
        unknown = self.gate(commit="v9.99")
        first = self.gate(commit="v3.11")

        self.assert_exit(unknown, program.USAGE)
        self.assertIn("has no revision 'v9.99'", unknown.stderr)
        self.assert_exit(first, program.INCONCLUSIVE)
        self.assertIn("name a baseline", first.stderr)


if __name__ == "__main__":
    unittest.main()
