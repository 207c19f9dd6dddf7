"""`schedlab dev --demo --once`: the whole path, twice in one folder and twice at a time."""

import concurrent.futures
import re
import unittest

import schedlab_program as program

DEMO_SECONDS = 900


def demo(folder):
    return program.schedlab("dev", "--demo", "--once", "--data-dir", folder, timeout=DEMO_SECONDS)


class DemoTest(program.TestCase):

    def test_finds_the_regression_again_without_running_anything_twice(self):
        first = demo(self.folder / "data")
        self.assert_exit(first, program.OK)
        self.assertRegex(first.stdout, r"REGRESSION  fs_mark.files_per_sec  -\d.* on kvm-16x1 only\n")
        self.assertEqual(first.stdout.count("REGRESSION"), 1)
        self.assertRegex(first.stdout, r"first bad +" + program.FIRST_BAD)
        self.assertRegex(first.stdout, r"unchanged +fs_mark.files_per_sec .* on kvm-1x16")
        self.assertRegex(first.stdout, r"(?s)no change .*hackbench.messages_per_sec \(.* on \S+ and \S+\n")
        self.assertRegex(first.stdout, r"recovered +by [0-9a-f]{12}: [+-]")
        for counter in ("idle_ratio", "wasted_cpu_seconds"):
            self.assertRegex(first.stdout, rf"(?m)^  (why)? +{counter} ")
        widths = [len(line) for line in first.stdout.split("\nsee\n")[0].splitlines()]
        self.assertLessEqual(max(widths), 120)
        self.assertIn("%stddev     %change         %stddev", first.stdout)

        second = demo(self.folder / "data")

        self.assert_exit(second, program.OK)
        ports = re.compile(r"127\.0\.0\.1:\d+")
        self.assertEqual(ports.sub("", second.stdout), ports.sub("", first.stdout))
        with program.Dev(self.folder / "data") as dev:
            jobs = dev.json("job", "list")["jobs"]
            runs = dev.json("job", "get", jobs[0]["id"])["runs"]
        self.assertEqual(len(jobs), 1)
        self.assertEqual({run["attempt"] for run in runs}, {1})

    def test_its_command_repeats_a_run_with_the_same_digest(self):
        done = demo(self.folder / "data")
        self.assert_exit(done, program.OK)
        commands = re.findall(r"^  schedlab (sim run .*)$", done.stdout, re.MULTILINE)
        self.assertEqual(len(commands), 2)

        with program.Dev(self.folder / "data") as dev:
            runs = dev.json("job", "get", 1)["runs"]
            for command in commands:
                seed = int(command.split()[-1])
                local = dev.json(*command.split())
                stored = [run for run in runs if run["seed"] == seed]
                self.assertIn(local["digest"], [run["result"]["digest"] for run in stored])

    def test_two_at_a_time_in_two_folders(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(demo, [self.folder / "one", self.folder / "two"]))

        self.assert_exit(done[0], program.OK)
        self.assert_exit(done[1], program.OK)


if __name__ == "__main__":
    unittest.main()
