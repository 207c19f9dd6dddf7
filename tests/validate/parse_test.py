"""What other tools print is read as what they mean."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/validate"))

import parse  # noqa: E402

SAMPLES = ROOT / "tests/samples/tools"


def sample(name):
    """A recorded output without the lines that frame it."""
    lines = (SAMPLES / f"{name}.txt").read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("# command:", "# ---", "# exit status:")))


def switch(at, left, state, chosen):
    return (f"            x  1 [000] {at}: sched:sched_switch: prev_comm={left[0]} prev_pid={left[1]} prev_prio=120 "
            f"prev_state={state} ==> next_comm={chosen[0]} next_pid={chosen[1]} next_prio=120\n")


def waking(at, task):
    return f"            x  1 [000] {at}: sched:sched_waking: comm={task[0]} pid={task[1]} prio=120 target_cpu=000\n"


IDLE, ONE, TWO = ("swapper/0", 0), ("work one", 11), ("other", 12)


class Programs(unittest.TestCase):
    def test_hackbench_says_its_seconds(self):
        self.assertEqual(parse.hackbench_seconds(sample("hackbench-rt-tests-2.4-socket-process")), 0.376)

    def test_perf_bench_says_its_seconds(self):
        self.assertEqual(parse.perf_bench_seconds(sample("perf-6.1-bench-sched-pipe")), 0.259)
        self.assertEqual(parse.perf_bench_seconds(sample("perf-6.1-bench-sched-messaging")), 1.054)

    def test_cpu_time_of_a_stressor_is_user_and_system_time_by_real_time(self):
        text = sample("stress-ng-0.15.06-metrics-brief")

        self.assertAlmostEqual(parse.stress_cpu_per_second(text, "cpu"), 1.02 / 3)
        self.assertAlmostEqual(parse.stress_cpu_per_second(text, "switch"), 1.28 / 3)

    def test_passes_of_rt_app_are_the_rows_of_its_logs(self):
        first, second = (log.split("\n", 1)[1] for log in sample("rt-app-1.0-run").split("# file ")[1:3])

        self.assertEqual(parse.rt_app_passes(first), 12)
        self.assertGreater(parse.rt_app_passes(second), 5)

    def test_rt_app_says_the_length_of_its_loop(self):
        self.assertEqual(parse.rt_app_load_ns(sample("rt-app-1.0-run")), 20)

    def test_counts_that_are_not_supported_are_absent_and_not_zero(self):
        counts = parse.perf_stat(sample("perf-6.1-stat-csv"))

        self.assertEqual(counts["context-switches"], 5637)
        self.assertEqual(counts["cpu-migrations"], 26)
        self.assertIsNone(counts["cycles"])

    def test_the_kernel_counts_ticks_by_kind_and_switches(self):
        ticks = parse.proc_stat(sample("proc-stat"))

        self.assertEqual(ticks["steal"], 281)
        self.assertEqual(ticks["idle"], 178445)
        self.assertEqual(ticks["switches"], 10355594)

    def test_output_that_is_none_is_refused(self):
        for read in (parse.hackbench_seconds, parse.perf_bench_seconds, parse.rt_app_load_ns, parse.rt_app_passes,
                     parse.perf_stat, parse.proc_stat):
            with self.assertRaises(ValueError, msg=read.__name__):
                read("no such command\n")
        with self.assertRaises(ValueError):
            parse.stress_cpu_per_second(sample("stress-ng-0.15.06-metrics-brief"), "vm")


class Waits(unittest.TestCase):
    def feed(self, *lines, names=()):
        waits = parse.Waits(names)
        for line in lines:
            waits.feed(line)
        return waits

    def test_a_wakeup_lasts_until_the_task_is_switched_to(self):
        waits = self.feed(switch("1.000000000", ONE, "S", IDLE), waking("1.000500000", ONE),
                          switch("1.000700250", IDLE, "R", ONE))

        self.assertEqual(waits.wakeup_ns, [200_250])
        self.assertEqual(waits.delay_ns, [200_250])

    def test_who_is_preempted_waits_but_was_not_woken(self):
        waits = self.feed(switch("1.000000000", ONE, "R", TWO), switch("1.000003000", TWO, "S", ONE))

        self.assertEqual(waits.wakeup_ns, [])
        self.assertEqual(waits.delay_ns, [3_000])

    def test_the_wakeup_of_a_task_that_has_not_left_is_none(self):
        waits = self.feed(switch("1.000000000", IDLE, "R", ONE), waking("1.000001000", ONE),
                          switch("1.000002000", ONE, "R+", TWO), switch("1.000005000", TWO, "S", ONE))

        self.assertEqual(waits.wakeup_ns, [])
        self.assertEqual(waits.delay_ns, [3_000])

    def test_tasks_of_other_names_do_not_count(self):
        waits = self.feed(switch("1.0", TWO, "S", IDLE), waking("2.0", TWO), switch("3.0", IDLE, "R", TWO),
                          names=("work",))

        self.assertEqual(waits.wakeup_ns, [])
        self.assertEqual(waits.switches, 2)

    def test_a_recording_of_perf_is_read(self):
        waits = self.feed(*sample("perf-6.1-sched-script").splitlines(keepends=True))

        self.assertGreater(waits.switches, 10)
        self.assertGreater(len(waits.wakeup_ns), 0)
        self.assertGreaterEqual(len(waits.delay_ns), len(waits.wakeup_ns))
        self.assertTrue(all(wait >= 0 for wait in waits.delay_ns))


class Numbers(unittest.TestCase):
    def test_times_are_exact_however_long_the_machine_is_up(self):
        self.assertEqual(parse.nanoseconds("12345678.123456789"), 12_345_678_123_456_789)
        self.assertEqual(parse.nanoseconds("5.25"), 5_250_000_000)

    def test_quantiles_lie_between_order_statistics(self):
        self.assertEqual(parse.quantile([4, 1, 3, 2], 0.5), 2.5)
        self.assertEqual(parse.quantile([7], 0.99), 7)
        self.assertIsNone(parse.quantile([], 0.5))


if __name__ == "__main__":
    unittest.main()
