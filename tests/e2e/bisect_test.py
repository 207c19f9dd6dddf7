"""`schedlab bisect`: the first bad commit of a history, through the death of a coordinator; and
`schedlab bisect-step` below `git bisect run`."""

import os
import signal
import subprocess
import unittest

import schedlab_program as program

BISECT_SECONDS = 600
BUDGET = 120
SCENARIO = ["--policy", "linux-fair", "--topology", "kvm-16x1", "--workload", "fs_mark",
            "--duration", "4s", "--metric", "files_per_sec"]
CANNOT_TELL = 125
ENDS_THE_BISECTION = 128


class BisectTest(program.SharedDevTestCase):

    def start(self, *arguments, good="v3.11", bad="30ce5dabc92b"):
        return self.dev.run("bisect", "start", *SCENARIO, "--good", good, "--bad", bad, *arguments,
                            timeout=BISECT_SECONDS)

    def newest(self):
        return self.dev.json("bisect", "list")["bisections"][0]["id"]

    def test_a_bisection_outlives_its_coordinator_and_finds_the_first_bad_commit(self):
        self.assert_exit(self.start("--workers", 4, "--budget", BUDGET), program.OK)
        number = self.newest()
        program.wait_until(lambda: self.dev.json("bisect", "status", number)["round"] >= 2,
                           "a second round")
        os.kill(self.dev.child("schedlab-server"), signal.SIGKILL)
        program.wait_until(lambda: self.dev.run("bisect", "status", number).returncode == 0,
                           "the recovery")

        watched = self.dev.run("bisect", "watch", number, timeout=BISECT_SECONDS)

        self.assert_exit(watched, program.OK)
        self.assertIn(program.FIRST_BAD + "  sched: Factor out code to should_we_balance()",
                      watched.stdout)
        self.assertIn("confirmed by fresh runs beside its parent", watched.stdout)
        bisection = self.dev.json("bisect", "status", number)
        self.check_answer(bisection)
        self.check_cost(bisection)
        self.check_a_second_asking(bisection)

    def check_answer(self, bisection):
        answer = bisection["answer"]
        self.assertEqual((bisection["state"], answer["outcome"]), ("finished", "culprit"))
        culprit = answer["culprits"][0]
        self.assertTrue(culprit["revision"].startswith(program.FIRST_BAD))
        self.assertGreaterEqual(culprit["probability"], 0.95)
        self.assertLess(culprit["step_low"], culprit["step"])
        self.assertLess(culprit["step"], -0.1)
        self.assertEqual([one["revision"] for one in answer["smallest_set"]],
                         [culprit["revision"]])

    def check_cost(self, bisection):
        """Every run was made once, and counted."""
        runs = {run["id"] for job in bisection["jobs"]
                for run in self.dev.json("job", "get", job["job"])["runs"]}
        self.assertEqual(bisection["run_count"], len(runs))
        self.assertLessEqual(bisection["run_count"], BUDGET)
        self.assertEqual(sum(one["count"] for one in bisection["answer"]["runs"]), len(runs))

    def check_a_second_asking(self, bisection):
        """The same bisection attaches to the first; another one finds the runs of the first."""
        attached = self.start("--workers", 4, "--budget", BUDGET, "--wait")
        again = self.start("--workers", 4, "--budget", BUDGET + 1, "--wait")

        self.assert_exit(attached, program.OK)
        self.assertIn(f"bisection {bisection['id']} exists already", attached.stderr)
        self.assert_exit(again, program.OK)
        repeated = self.dev.json("bisect", "status", self.newest())
        self.assertEqual(repeated["run_count"], 0)
        self.assertEqual(repeated["answer"], bisection["answer"])

    def test_cancelling_ends_the_runs(self):
        self.assert_exit(self.start("--new-attempt"), program.OK)
        number = self.newest()

        cancelled = self.dev.json("bisect", "cancel", number)

        self.assertEqual(cancelled["state"], "cancelled")
        self.assert_exit(self.dev.run("bisect", "watch", number), program.INFRASTRUCTURE)

    def test_mistakes_are_named(self):
        backwards = self.start(good="30ce5dabc92b", bad="v3.11")
        unknown = self.start(bad="v9.99")
        missing = self.dev.run("bisect", "start", "--policy", "linux-fair")

        self.assertIn("does not lie before the bad one", backwards.stderr)
        self.assert_exit(unknown, program.USAGE)
        self.assertIn("has no revision 'v9.99'", unknown.stderr)
        self.assert_exit(missing, program.USAGE)
        self.assertIn("--topology or --from-alert is needed", missing.stderr)

    def test_a_bisection_is_no_gate(self):
        self.assert_exit(self.start("--new-attempt"), program.OK)
        number = self.newest()
        self.dev.json("bisect", "cancel", number)

        gate = self.dev.run("gate", "status", number)

        self.assert_exit(gate, program.USAGE)
        self.assertIn("is a bisection, not a gate", gate.stderr)
        self.assertEqual(self.dev.json("gate", "list")["gates"], [])


class BisectStepTest(program.TestCase):

    def setUp(self):
        super().setUp()
        self.good = self.write("good.txt", "99 100 101 100 98 102\n")
        self.bad = self.write("bad.txt", "79 80 81 80 78 82\n")

    def step(self, command, *arguments):
        return program.schedlab("bisect-step", "--good", self.good, "--bad", self.bad, "--command",
                                command, *arguments)

    def test_says_good_bad_or_that_it_cannot_tell(self):
        self.assert_exit(self.step("echo it took 100"), 0)
        self.assert_exit(self.step("echo 80.5"), 1)
        self.assert_exit(self.step("echo 89.4", "--runs", 1), CANNOT_TELL)
        self.assert_exit(self.step("exit 1"), CANNOT_TELL)
        self.assert_exit(self.step("echo nothing"), CANNOT_TELL)

    def test_a_mistake_ends_the_bisection_instead_of_naming_a_commit(self):
        self.assert_exit(self.step("echo 100", "--runs", 0), ENDS_THE_BISECTION)
        self.assert_exit(program.schedlab("bisect-step", "--good", self.folder / "none", "--bad",
                                          self.bad, "--command", "true"), ENDS_THE_BISECTION)

    def test_git_finds_the_first_bad_commit(self):
        def git(*arguments):
            return subprocess.run(
                ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *map(str, arguments)],
                cwd=self.folder, check=True, capture_output=True, text=True).stdout

        git("init", "-q")
        for number in range(8):
            self.write("value", f"{80 if number >= 5 else 100}\n")
            self.write("number", f"{number}\n")
            git("add", "value", "number")
            git("commit", "-q", "-m", f"commit {number}")
        git("bisect", "start", "HEAD", "HEAD~7")

        found = git("bisect", "run", program.BIN / "schedlab", "bisect-step", "--good", self.good,
                    "--bad", self.bad, "--command", "cat value", "--runs", 2)

        self.assertIn("is the first bad commit", found)
        self.assertIn("commit 5", found)


if __name__ == "__main__":
    unittest.main()
