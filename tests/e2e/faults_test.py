"""A worker, the coordinator or PostgreSQL is killed in the middle of a job: every run still gets one
result, with the digest it would have had."""

import os
import signal
import unittest

import schedlab_program as program

RUN_COUNT = 200
SUITE = program.small_suite(repetitions=RUN_COUNT, duration_ns=4_000_000_000)


class FaultTest(program.TestCase):

    def survive(self, pattern):
        suite = self.write("suite.toml", SUITE)
        with program.Dev(self.folder / "data") as dev:
            self.assert_exit(dev.run("job", "submit", suite), program.OK)
            program.wait_until(lambda: self.succeeded(dev) >= 2, "the first results")

            victim = dev.child(pattern)
            os.kill(victim, signal.SIGKILL)

            self.assertLess(self.succeeded_at_kill, RUN_COUNT)
            program.wait_until(lambda: dev.run("job", "get", "1").returncode == 0, "the recovery")
            watched = dev.run("job", "watch", "1", timeout=300)
            self.assert_exit(watched, program.OK)
            self.assertIn("signal 9 (Killed); starting it again", dev.text())
            program.wait_until(lambda: dev.child(pattern) not in (None, victim), "the restart")
            job = dev.json("job", "get", "1")
            self.check_results(dev, job)

    def succeeded(self, dev):
        self.succeeded_at_kill = dev.json("job", "list")["jobs"][0]["run_counts"]["succeeded"]
        return self.succeeded_at_kill

    def check_results(self, dev, job):
        self.assertEqual(job["run_counts"], {"queued": 0, "leased": 0, "succeeded": RUN_COUNT, "failed": 0,
                                             "cancelled": 0})
        self.assertEqual(len({run["id"] for run in job["runs"]}), RUN_COUNT)
        self.assertEqual(len({run["seed"] for run in job["runs"]}), RUN_COUNT)
        # Those around the kill are among the first and those with a second attempt.
        checked = job["runs"][:3] + [run for run in job["runs"] if run["attempt"] > 1][:3]
        for run in checked:
            local = dev.json("sim", "run", "--topology", run["topology"], "--workload",
                             run["workload"], "--policy", f"{run['policy']}@{run['revision']}",
                             "--seed", run["seed"], "--duration", "4s")
            self.assertEqual(local["digest"], run["result"]["digest"])
            self.assertEqual({name: metric["value"] for name, metric in local["metrics"].items()},
                             run["result"]["metrics"])

    def test_a_killed_worker(self):
        self.survive("schedlab-worker")

    def test_a_killed_coordinator(self):
        self.survive("schedlab-server")

    def test_a_killed_postgresql(self):
        self.survive("/bin/postgres")


if __name__ == "__main__":
    unittest.main()
