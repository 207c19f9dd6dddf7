"""A cancelled run gives its slot back at once, also where every slot of its worker is busy."""

import time
import unittest

import schedlab_program as program

# A worker that learned of the cancellation only with its next regular call would take 10 seconds.
LONGEST_SECONDS = 8
# So many messages that no machine simulates them while the test runs.
ENDLESS = 'parameters = { groups_count = 100, loops_count = 1_000_000 }'


def endless_suite(repetitions):
    suite = program.small_suite(repetitions=repetitions, duration_ns=3_600_000_000_000,
                                workload="hackbench")
    return suite + ENDLESS + "\n"


class CancelTest(program.TestCase):

    def test_the_slots_of_a_cancelled_job_execute_the_next_one(self):
        with program.Dev(self.folder / "data") as dev:
            program.wait_until(lambda: len(self.workers_of(dev)) == 2, "the workers")
            slot_count = sum(worker["slot_count"] for worker in self.workers_of(dev))
            long_suite = self.write("long.toml", endless_suite(slot_count))
            next_suite = self.write("next.toml", program.small_suite(
                repetitions=1, duration_ns=50_000_000, workload="spinners"))
            self.assert_exit(dev.run("job", "submit", long_suite), program.OK)
            program.wait_until(lambda: self.states_of(dev, 1) == {"leased"}, "the leases")
            time.sleep(1)  # the workers have begun the calls that wait for news
            self.assert_exit(dev.run("job", "submit", next_suite), program.OK)
            self.assertEqual(self.states_of(dev, 2), {"queued"})

            cancelled_at = time.monotonic()
            self.assert_exit(dev.run("job", "cancel", "1"), program.OK)
            program.wait_until(lambda: self.states_of(dev, 2) == {"succeeded"}, "the next job")

            self.assertLess(time.monotonic() - cancelled_at, LONGEST_SECONDS)
            self.assertEqual(self.states_of(dev, 1), {"cancelled"})
            self.check_what_is_said(dev, long_suite, slot_count)

    def check_what_is_said(self, dev, cancelled_suite, run_count):
        watched = dev.run("job", "watch", "1")
        self.assert_exit(watched, program.INFRASTRUCTURE)
        self.assertIn(f"job 1 is cancelled: 0 of {run_count} runs had ended", watched.stderr)
        self.assertNotIn("100 %", watched.stderr)
        again = dev.run("job", "submit", cancelled_suite)
        self.assertIn("is cancelled", again.stderr)
        self.assertIn("--new-attempt", again.stderr)
        waited = dev.run("job", "submit", cancelled_suite, "--wait")
        self.assert_exit(waited, program.INFRASTRUCTURE)
        self.assertIn("--new-attempt", waited.stderr)
        for job, state in (("1", "cancelled"), ("2", "succeeded")):
            cancelled = dev.run("job", "cancel", job)
            self.assert_exit(cancelled, program.OK)
            self.assertIn(f"job {job} is {state} already", cancelled.stderr)

    def workers_of(self, dev):
        return dev.json("worker", "list")["workers"]

    def states_of(self, dev, job):
        return {run["state"] for run in dev.json("job", "get", job)["runs"]}


if __name__ == "__main__":
    unittest.main()
