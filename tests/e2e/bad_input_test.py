"""Mistakes: each has a clear message, an exit code, and leaves nothing behind."""

import subprocess
import unittest

import schedlab_program as program

DEADLOCK = ('{"tasks": {"a": {"lock": "m", "run": 9, "lock": "n", "unlock": "n", "unlock": "m"},'
            ' "b": {"lock": "n", "run": 9, "lock": "m", "unlock": "m", "unlock": "n"}}}')


class BadInputTest(program.SharedDevTestCase):

    def refuse(self, suite_text, *expected, code=program.USAGE):
        suite = self.write("suite.toml", suite_text)
        before = self.dev.json("job", "list")["jobs"]

        done = self.dev.run("job", "submit", suite)

        self.assert_exit(done, code)
        for text in expected:
            self.assertIn(text, done.stderr)
        self.assertEqual(self.dev.json("job", "list")["jobs"], before)

    def test_unknown_topology(self):
        self.refuse(program.small_suite(topology="kvm-16x2"), "kvm-16x2", "did you mean 'kvm-16x1'")

    def test_unknown_workload(self):
        self.refuse(program.small_suite(workload="fs_mork"), "fs_mork", "did you mean 'fs_mark'")

    def test_unknown_policy(self):
        self.refuse(program.small_suite().replace("linux-fair", "linux-fare"), "linux-fare",
                    "did you mean 'linux-fair'")

    def test_unknown_revision(self):
        self.refuse(program.small_suite(revisions="v9.99"), "v9.99")

    def test_unknown_metric(self):
        text = 'metrics = ["files_per_sek"]' + program.small_suite()
        self.refuse(text, "files_per_sek", "did you mean 'files_per_sec'")

    def test_malformed_suite_names_file_and_line(self):
        self.refuse("name = \n", "suite.toml:1")

    def test_unknown_key_names_file_line_and_key(self):
        self.refuse("repititions = 5" + program.small_suite(), "suite.toml:1", "repititions")

    def test_a_job_too_large(self):
        text = program.small_suite(revisions="v3.11..v3.13", repetitions=1000)
        many = text.replace('["kvm-16x1"]', '["kvm-16x1", "kvm-1x16"]')
        workloads = "".join(f'\n[[workload]]\nname = "spinners"\nduration_ns = {ns}\n'
                            for ns in range(1_000_000, 1_000_060))
        self.refuse(many + workloads, "100000")

    def test_a_request_id_with_other_content(self):
        first = self.write("first.toml", program.small_suite(repetitions=1))
        self.assert_exit(self.dev.run("job", "submit", first, "--request-id", "twice", "--wait"),
                         program.OK)
        again = self.dev.run("job", "submit", first, "--request-id", "twice")
        self.assert_exit(again, program.OK)
        self.assertIn("exists already", again.stderr)
        before = self.dev.json("job", "list")["jobs"]
        other = self.write("other.toml", program.small_suite(repetitions=2))

        done = self.dev.run("job", "submit", other, "--request-id", "twice")

        self.assert_exit(done, program.USAGE)
        self.assertIn("twice", done.stderr)
        self.assertEqual(self.dev.json("job", "list")["jobs"], before)

    def test_no_such_job(self):
        done = self.dev.run("job", "get", "999999")

        self.assert_exit(done, program.USAGE)
        self.assertIn("999999", done.stderr)

    def test_no_such_suite_file(self):
        done = self.dev.run("job", "submit", "/nonexistent/suite.toml")

        self.assertNotEqual(done.returncode, program.OK)
        self.assertIn("/nonexistent/suite.toml", done.stderr)

    def test_folders_and_devices_are_no_files(self):
        for path in ("/", "/dev/zero"):
            for command in (("job", "submit"), ("analyze", "series")):
                with self.subTest(path=path, command=command):
                    done = self.dev.run(*command, path, timeout=10)
                    self.assert_exit(done, program.USAGE)
                    self.assertIn(f"cannot read {path}", done.stderr)

    def test_numbers_that_do_not_fit(self):
        for arguments in (("job", "get", "99999999999999999999"),
                          ("alerts", "show", "99999999999999999999"),
                          ("sim", "run", "--topology", "kvm-16x1", "--workload", "fs_mark",
                           "--policy", "linux-fair@v3.11", "--seed", "9" * 23)):
            with self.subTest(arguments):
                done = self.dev.run(*arguments)
                self.assert_exit(done, program.USAGE)
                self.assertIn(arguments[-1], done.stderr)

    def test_a_parameter_given_twice(self):
        done = program.schedlab("sim", "run", "--topology", "kvm-16x1", "--workload", "fs_mark",
                                "--policy", "linux-fair@v3.11", "--seed", "1",
                                "--param", "writers_count=1", "--param", "writers_count=2")

        self.assert_exit(done, program.USAGE)
        self.assertIn("writers_count is given twice", done.stderr)

    def test_output_that_cannot_be_written(self):
        command = f"'{program.BIN / 'schedlab'}' catalog metrics"
        for redirection, code in ((">/dev/full", program.INFRASTRUCTURE),
                                  (">&-", program.INFRASTRUCTURE)):
            with self.subTest(redirection):
                done = subprocess.run(["sh", "-c", f"{command} {redirection}"], text=True,
                                      capture_output=True, check=False)
                self.assert_exit(done, code)
                self.assertIn("cannot write to stdout", done.stderr)

    def test_a_trace_that_comes_to_nothing_leaves_the_earlier_file(self):
        kept = self.write("kept.txt", "earlier")
        new = f"{self.folder}/new.txt"
        script = self.write("script.json", DEADLOCK)
        for arguments in (("--workload", "nope"), ("--workload", "spinners", "--param", "nope=1"),
                          ("--workload", "rt_app", "--workload-file", script)):
            for path in (kept, new):
                with self.subTest(arguments=arguments, path=path):
                    before = sorted(self.folder.iterdir())
                    done = program.schedlab("sim", "trace", "--topology", "kvm-2", "--policy", "linux-fair@v3.11",
                                            "--seed", "1", *arguments, "-O", path)
                    self.assert_exit(done, program.USAGE)
                    self.assertEqual(sorted(self.folder.iterdir()), before)
                    with open(kept, encoding="utf-8") as file:
                        self.assertEqual(file.read(), "earlier")

    def test_a_reader_that_goes_away_is_no_error(self):
        command = f"'{program.BIN / 'schedlab'}' catalog policies linux-fair"
        done = subprocess.run(["sh", "-c", f"{command} | true"], text=True, capture_output=True,
                              check=False)

        self.assertEqual(done.stderr, "")

    def test_control_characters_of_a_suite_do_not_reach_the_terminal(self):
        text = program.small_suite(repetitions=1).replace('"small"', '"\\u001b[2Jsmall"')
        suite = self.write("suite.toml", text)

        done = self.dev.run("job", "submit", suite, "--wait")

        self.assert_exit(done, program.OK)
        self.assertIn("\\x1b[2Jsmall", done.stdout)
        self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_the_file_name_is_told_once(self):
        suite = self.write("suite.toml", "name = \n")

        done = self.dev.run("job", "submit", suite)

        self.assertEqual(done.stderr.count("suite.toml"), 1, done.stderr)

    def test_a_wrong_suite_is_told_without_a_coordinator(self):
        last_cpu = program.small_suite(topology="kvm-2") + "hotplug = [" + ", ".join(
            f"{{ at_ns = 1000000, cpu = {cpu}, is_online = false }}" for cpu in (0, 1)) + "]"
        for text, expected in ((program.small_suite(revisions="v3.13..v3.11"), "v3.13"),
                               (program.small_suite(workload="fs_mork"), "fs_mork"),
                               (last_cpu, "it is the last one online")):
            with self.subTest(expected):
                suite = self.write("suite.toml", text)
                done = program.schedlab("--server", "127.0.0.1:1", "job", "submit", suite)
                self.assert_exit(done, program.USAGE)
                self.assertIn(expected, done.stderr)
                self.assertIn("suite.toml", done.stderr)
                self.assertNotIn("no coordinator", done.stderr)

    def test_no_coordinator(self):
        done = program.schedlab("--server", "127.0.0.1:1", "job", "list")

        self.assert_exit(done, program.INFRASTRUCTURE)
        self.assertIn("127.0.0.1:1", done.stderr)
        self.assertIn("schedlab dev", done.stderr)

    def simulate(self, *arguments, script=None):
        if script is not None:
            arguments += ("--workload", "rt_app", "--workload-file",
                          self.write("script.json", '{"tasks": %s}' % script))
        elif "--workload" not in arguments:
            arguments += ("--workload", "spinners")
        if "--topology" not in arguments:
            arguments += ("--topology", "kvm-2")
        return program.schedlab("sim", "run", "--policy", "linux-fair@v3.11", "--seed", "1",
                                *arguments)

    def test_simulations_that_nobody_should_ask_for(self):
        absurd = self.write("absurd.toml", 'name = "absurd"\ndescription = "d"\n'
                            'shape = "numa:100000 core:64"\nnode_distances = [[10]]\n')
        for arguments, expected in (
                (("--topology", absurd), "absurd.toml"),
                (("--duration", "-5s"), "'-5s' is not a duration"),
                (("--hotplug=-2s:1:off",), "--hotplug -2s:1:off: '-2s' is not a duration"),
                (("--hotplug", "9s:1:off", "--duration", "9s"),
                 "CPU 1 goes offline at 9 s: the run ends at 9 s"),
                (("--duration", "0s"), "'0s' is no time at all"),
                (("--hotplug", "1s:7:off"), "CPU 7 goes offline at 1 s: the machine has CPUs 0 to 1"),
                (("--irq", "0:1ms:2ms"), "interrupts of 2 ms every 1 ms on CPU 0: they leave it no time"),
                (("--param", "tasks_count=1000000"), "tasks_count = 1000000 is outside of")):
            with self.subTest(arguments):
                done = self.simulate(*arguments)
                self.assert_exit(done, program.USAGE)
                self.assertIn(expected, done.stderr)

    def test_an_empty_file_is_called_empty(self):
        empty = self.write("empty.xml", " \n")
        for command in (("topology", "import", empty), ("trace", "import", empty),
                        ("analyze", "series", empty), ("job", "submit", empty),
                        ("gate", "run", empty, "--commit", "v3.12"),
                        ("sim", "run", "--topology", empty, "--policy", "linux-fair@v3.11",
                         "--workload", "spinners", "--seed", 1),
                        ("sim", "run", "--topology", "kvm-2", "--policy", "linux-fair@v3.11",
                         "--workload", "rt_app", "--workload-file", empty, "--seed", 1)):
            with self.subTest(command):
                done = program.schedlab(*command)
                self.assert_exit(done, program.USAGE)
                self.assertIn(f"cannot read {empty}: it is empty", done.stderr)

    def test_scripts_that_nobody_should_write(self):
        for script, expected, code in (
                ('{"a": {"run": -5}}', "tasks.a.run: must be from 0", program.USAGE),
                ('{"a": {"instance": 1000000, "run": 5}}', "tasks.a.instance: must be from 0",
                 program.USAGE),
                ('{"a": {"lock": "m", "run": 9, "lock": "n", "unlock": "n", "unlock": "m"},'
                 ' "b": {"lock": "n", "run": 9, "lock": "m", "unlock": "m", "unlock": "n"}}',
                 "'a-0' waits for mutex 'n', which 'b-1' holds; 'b-1' waits for mutex 'm', which 'a-0' holds",
                 program.USAGE),
                ('{"a": {"loop": 2000000000, "phases": {"p": {"loop": 2000000000, "signal": "q"}}}}',
                 "event limit", program.USAGE)):
            with self.subTest(script):
                done = self.simulate(script=script)
                self.assert_exit(done, code)
                self.assertIn(expected, done.stderr)

    def test_a_run_of_more_events_than_allowed(self):
        done = program.schedlab("sim", "run", "--topology", "kvm-2", "--workload", "pipe", "--policy",
                                "linux-fair@v3.13", "--seed", "1", "--event-limit", "1000")
        self.assert_exit(done, program.USAGE)
        self.assertIn("event limit: stopped after 1000 events at", done.stderr)

    def test_unknown_names_of_a_local_simulation(self):
        for arguments, expected in (
                (("--topology", "kvm-16x2", "--workload", "fs_mark", "--policy", "linux-fair@v3.11"),
                 "did you mean 'kvm-16x1'"),
                (("--topology", "kvm-16x1", "--workload", "fs_mark", "--policy", "linux-fair@v3.11",
                  "--set", "no_such_switch=on"), "no_such_switch"),
                (("--topology", "kvm-16x1", "--workload", "fs_mark", "--policy", "linux-fair@v3.11",
                  "--param", "no_such_parameter=1"), "no_such_parameter")):
            with self.subTest(expected):
                done = program.schedlab("sim", "run", *arguments, "--seed", "1")
                self.assert_exit(done, program.USAGE)
                self.assertIn(expected, done.stderr)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
