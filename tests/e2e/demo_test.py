"""`schedlab dev --demo --once`: the whole path, twice in one folder and twice at a time."""

import concurrent.futures
import re
import unittest

import schedlab_program as program

DEMO_SECONDS = 900


def demo(folder):
    return program.schedlab("dev", "--demo", "--once", "--data-dir", folder, timeout=DEMO_SECONDS)


class DemoTest(program.TestCase):
    """Two demos at a time, in two new folders; the tests look at what they left."""

    @classmethod
    def setUpClass(cls):
        cls.shared = program.TestCase()
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data = cls.shared.folder / "one"
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            cls.done, cls.other = pool.map(demo, [cls.data, cls.shared.folder / "two"])

    def test_two_at_a_time_both_find_it(self):
        self.assert_exit(self.done, program.OK)
        self.assert_exit(self.other, program.OK)
        self.assertIn("REGRESSION", self.other.stdout)

    def test_the_screen_says_what_where_how_much_and_why(self):
        shown = self.done.stdout
        self.assertRegex(shown, r"REGRESSION  fs_mark.files_per_sec  -\d.* on kvm-16x1 only\n")
        self.assertEqual(shown.count("REGRESSION"), 1)
        self.assertRegex(shown, r"first bad +" + program.FIRST_BAD)
        self.assertRegex(shown, r"unchanged +fs_mark.files_per_sec .* on kvm-1x16")
        self.assertRegex(shown, r"(?s)no change .*hackbench.messages_per_sec \(.* on \S+ and \S+\n")
        self.assertRegex(shown, r"recovered +by [0-9a-f]{12}: [+-]")
        for counter in ("idle_ratio", "wasted_cpu_seconds"):
            self.assertRegex(shown, rf"(?m)^  (why)? +{counter} ")
        self.assertIn("%stddev     %change         %stddev", shown)

    def test_the_screen_fits_into_120_columns(self):
        lines = self.done.stdout.split("\nsee\n")[0].splitlines()

        # Commands are there to be copied, so they are not wrapped.
        self.assertLessEqual(max(len(line) for line in lines if not line.startswith("  schedlab ")), 120)

    def test_again_in_the_same_folder_runs_nothing_twice(self):
        second = demo(self.data)

        self.assert_exit(second, program.OK)
        ports = re.compile(r"127\.0\.0\.1:\d+")
        self.assertEqual(ports.sub("", second.stdout), ports.sub("", self.done.stdout))
        with program.Dev(self.data) as dev:
            jobs = dev.json("job", "list")["jobs"]
            runs = dev.json("job", "get", jobs[0]["id"])["runs"]
        self.assertEqual(len(jobs), 1)
        self.assertEqual({run["attempt"] for run in runs}, {1})

    def test_its_commands_repeat_runs_with_the_same_digest(self):
        commands = re.findall(r"^  schedlab (sim run .*)$", self.done.stdout, re.MULTILINE)
        self.assertEqual(len(commands), 2)

        with program.Dev(self.data) as dev:
            runs = dev.json("job", "get", 1)["runs"]
            for command in commands:
                seed = int(command.split()[-1])
                local = dev.json(*command.split())
                stored = [run for run in runs if run["seed"] == seed]
                self.assertIn(local["digest"], [run["result"]["digest"] for run in stored])


if __name__ == "__main__":
    unittest.main()
