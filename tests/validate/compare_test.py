"""Which aims are met, and what the tables say."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/validate"))

import cases  # noqa: E402
import compare  # noqa: E402
import real  # noqa: E402
import report  # noqa: E402
import simulated  # noqa: E402


def case(name="a", orders=(), nices=()):
    return cases.Case(name=name, unit="messages/s", command=[], read=None, workload=[], metric="messages_per_sec",
                      names=(), orders=orders, nices=nices)


def real_run(throughput, switches=1.0, shares=()):
    return real.RealRun(throughput, switches, 5.0, list(shares), 0.0, 1.0)


def simulated_run(throughput, switches=1.0, shares=()):
    return simulated.SimulatedRun("0", throughput, switches, 5.0, 1.0, 2.0, 3.0, 4.0, list(shares))


def row(real_throughputs, simulated_throughput, switches=(1.0, 1.0), **more):
    return compare.make_row(case(**more), [real_run(one, switches[0]) for one in real_throughputs],
                            [real.Latencies(1.0, 2.0, 3.0, 4.0)], [simulated_run(simulated_throughput, switches[1])])


class Aims(unittest.TestCase):
    def test_throughput_is_met_within_fifteen_percent_of_the_real_median(self):
        self.assertTrue(row([90, 100, 500], 115).throughput_is_met())
        self.assertFalse(row([90, 100, 500], 116).throughput_is_met())
        self.assertFalse(row([100], 84).throughput_is_met())

    def test_switches_are_met_within_a_factor_of_two_either_way(self):
        self.assertTrue(row([1], 1, switches=(10, 20)).switches_are_met())
        self.assertTrue(row([1], 1, switches=(10, 5)).switches_are_met())
        self.assertFalse(row([1], 1, switches=(10, 4.9)).switches_are_met())

    def test_ranks_are_compared_only_where_real_runs_do_not_overlap(self):
        rows = [row([10, 12], 5, name="slow", orders=("o",)), row([11, 13], 4, name="like it", orders=("o",)),
                row([20, 22], 6, name="fast", orders=("o",)), row([30, 31], 5.5, name="fastest", orders=("o",))]

        order, = compare.orders_of(rows)

        self.assertEqual(order.unclear, 1)
        self.assertEqual(order.right, 4)
        self.assertEqual(order.wrong, ["fast against fastest"])

    def test_nice_values_rank_the_tasks_of_a_mix(self):
        mix = compare.make_row(case(nices=(0, 5, 0)), [real_run(1, shares=(4, 1, 4))], [],
                               [simulated_run(1, shares=(4, 5, 6))])

        order, = compare.orders_of([mix])

        self.assertEqual((order.right, order.wrong), (1, ["a: 0 against 5"]))

    def test_what_could_not_be_measured_has_no_ratio(self):
        without = compare.make_row(case(), [real_run(1)], [], [simulated_run(1)])

        self.assertIsNone(without.ratio("p99"))
        self.assertIn("not measured", report.cell(without, "p99"))


class Pages(unittest.TestCase):
    def test_only_what_stands_between_the_marks_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")

            report.write_between_marks(page, "new \\1")

            self.assertEqual(page.read_text(), f"before\n{report.BEGIN}\n\nnew \\1\n\n{report.END}\nafter\n")

    def test_a_page_without_marks_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("text")

            with self.assertRaisesRegex(ValueError, "page.md"):
                report.write_between_marks(page, "new")

    def test_a_cell_has_the_ratio_and_the_spread_of_the_real_runs(self):
        self.assertEqual(report.cell(row([100, 200, 300], 150), "throughput"), "0.75 of 200 (100 to 300)")


class Releases(unittest.TestCase):
    def test_the_nearest_release_is_the_last_that_is_not_later(self):
        catalog = '"v6.6" "v6.12" "v6.9" "v3.4"'

        self.assertEqual(simulated.nearest("6.18", catalog), "v6.12")
        self.assertEqual(simulated.nearest("6.10", catalog), "v6.9")
        with self.assertRaises(simulated.SimulationFailed):
            simulated.nearest("2.4", catalog)


if __name__ == "__main__":
    unittest.main()
