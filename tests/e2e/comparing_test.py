"""What is asked of stored results: compare, report, history, noise, coverage, metric, reproduce."""

import csv
import io
import json
import re
import shlex
import unittest

import schedlab_program as program

# Six commits around the one that lost files per second on the machine of sixteen sockets only.
SUITE = """
name = "around-3.12"
project = "linux"
repetitions = 4
topologies = ["kvm-16x1", "kvm-1x16"]

[[policy]]
name = "linux-fair"
revisions = "62470419e993..147c5fc2bad7"

[[workload]]
name = "fs_mark"
parameters = { iterations_count = 1 }
"""
PARENT = "95a79b805b93"
FIRST_BAD = program.FIRST_BAD
JOB_SECONDS = 600


class ComparingTest(program.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.shared = program.TestCase()
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.dev = program.Dev(cls.shared.folder / "data")
        cls.addClassCleanup(cls.dev.stop)
        suite = cls.shared.write("suite.toml", SUITE)
        done = cls.dev.run("job", "submit", suite, "--wait", timeout=JOB_SECONDS)
        assert done.returncode == program.OK, done.stderr
        job = cls.dev.json("job", "list")["jobs"][0]["id"]
        program.wait_until(lambda: cls.dev.json("job", "get", job)["is_analyzed"], "the analysis")

    def ask(self, *arguments, code=program.OK):
        done = self.dev.run(*arguments)
        self.assert_exit(done, code)
        return done.stdout

    def records(self, *arguments):
        text = self.dev.run("-o", "csv", *arguments).stdout
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def test_compare_tells_each_machine_and_all_dialects_tell_the_same(self):
        text = self.ask("compare", PARENT, FIRST_BAD, "--by", "topology", "--exit-code",
                        code=program.REGRESSION)
        worse = re.search(r"topology kvm-16x1, 23f0d2093c against 95a79b805b: (\d+) worse", text)
        self.assertGreaterEqual(int(worse[1]), 1, text)
        self.assertRegex(text, r"topology kvm-1x16, 23f0d2093c against 95a79b805b: 0 worse")

        document = self.dev.json("compare", PARENT, FIRST_BAD, "--topology", "kvm-16x1")
        row = next(row for row in document["rows"] if row["series"]["metric"] == "files_per_sec")
        ratio = row["candidate"]["mean"] / row["baseline"]["mean"]
        self.assertEqual(row["baseline"]["count"], 4)
        self.assertEqual(row["series"]["minimum_effect"], 0.03)
        arguments = ("compare", PARENT, FIRST_BAD, "--topology", "kvm-16x1", "--format")
        self.assertIn(f"{100 * (ratio - 1):+.1f}%", self.ask(*arguments, "lkp"))
        self.assertIn("changed: fs_mark.files_per_sec is worse", self.ask(*arguments, "lkp"))
        self.assertRegex(self.ask(*arguments, "mmtests"),
                         r"Hmean +files_per_sec .*\* +-\d+\.\d\d%\*")
        self.assertIn(f"{ratio:9.2f} [{100 * (ratio - 1):6.2f}]", self.ask(*arguments, "kernel"))
        self.assertIn("| kvm-16x1 | fs_mark.files_per_sec |", self.ask(*arguments, "markdown"))

    def test_several_candidates_and_baselines(self):
        text = self.ask("compare", PARENT, FIRST_BAD, "147c5fc2bad7", "--also-against",
                        "62470419e993", "--topology", "kvm-16x1")
        self.assertIn("vs 62470419e9", text)
        self.assertRegex(text, r"147c5fc2ba against 62470419e9: \d worse")
        records = self.records("compare", PARENT, FIRST_BAD, "147c5fc2bad7", "--raw")
        runs = [one for one in records if one["metric"] == "files_per_sec" and
                one["topology"] == "kvm-1x16"]
        self.assertEqual(len(runs), 3 * 4)

    def test_the_report_is_a_mail_that_is_not_sent(self):
        alert = self.dev.json("alerts", "list")["alerts"][0]["id"]
        self.assertIn("REGRESSION", self.ask("report", alert))
        mail = self.ask("report", alert, "--format", "lkp-mail")
        self.assertRegex(mail, r"noticed a \d+\.\d% regression of fs_mark\.\S+ on kvm-16x1:")
        order = [mail.index(part) for part in
                 ("commit:", "testcase:", "test machine:", "parameters:", "Reported-by:",
                  "Details are as below:", "schedlab sim run", "%stddev")]
        self.assertEqual(order, sorted(order))

    def test_a_run_is_reproduced_bit_for_bit(self):
        alert = self.dev.json("alerts", "list")["alerts"][0]["id"]
        runs = self.dev.json("reproduce", "alert", alert)["runs"]
        self.assertEqual([run["role"] for run in runs], ["last good", "first bad"])
        self.assertTrue(all(run["is_equal"] for run in runs), runs)

        printed = [line for line in self.ask("reproduce", "alert", alert, "--print").splitlines()
                   if not line.startswith("#")]
        self.assertEqual(printed, [run["command"] for run in runs])
        again = json.loads(program.schedlab(*shlex.split(printed[1])[1:], "-o", "json").stdout)
        self.assertEqual(again["digest"], runs[1]["stored_digest"])
        for name, metric in again["metrics"].items():
            self.assertEqual(metric["value"], runs[1]["metrics"][name]["stored"], name)

    def test_history_begins_where_it_is_asked_to(self):
        where = ("history", "elapsed_sec", "--topology", "kvm-16x1", "--workload", "fs_mark")
        whole = self.records(*where)
        since = self.records(*where, "--since", FIRST_BAD)
        self.assertEqual(len(whole), 6)
        self.assertEqual(since, whole[3:])
        self.assertEqual(since[0]["change"], "regression")
        self.assertRegex(self.ask(*where), r"<< regression \+\d+\.\d %")
        unknown = self.dev.run("history", "files_per_secs")
        self.assert_exit(unknown, program.USAGE)
        self.assertIn("did you mean 'files_per_sec'", unknown.stderr)

    def test_noise_leaves_the_regression_out(self):
        where = ("noise", "elapsed_sec", "--topology", "kvm-16x1", "--workload", "fs_mark")
        report = self.dev.json(*where)["noise"][0]
        self.assertEqual((report["run_count"], report["revision_count"]), (24, 6))
        self.assertEqual(report["segment_count"], 2)
        self.assertGreater(report["within_sd"], 0)
        self.assertLess(report["between_robust_sd"], 0.15)  # the loss is two fifths
        self.assertIn("runs a side", self.ask(*where))

    def test_coverage_names_what_is_missing(self):
        extra = self.write("extra.toml", program.small_suite(
            topology="kvm-16x1", revisions=PARENT, workload="spinners", repetitions=1,
            duration_ns=50_000_000))
        self.assert_exit(self.dev.run("job", "submit", extra, "--wait"), program.OK)

        cells = self.dev.json("coverage", FIRST_BAD)["cells"]
        missing = {(cell["series"]["topology"], cell["series"]["workload"])
                   for cell in cells if cell["is_missing"]}
        self.assertEqual(missing, {("kvm-16x1", "spinners")})
        self.assertIn("MISSING", self.ask("coverage", FIRST_BAD))
        # Known to the catalog, never run; and known to nobody.
        self.assert_exit(self.dev.run("coverage", "v3.13"), program.INCONCLUSIVE)
        self.assert_exit(self.dev.run("coverage", "0123456789ab"), program.USAGE)

    def test_a_metric_is_described(self):
        text = self.ask("metric", "describe", "files_per_sec")
        self.assertIn("judged in       fs_mark", text)
        self.assertIn("minimum effect  3 %", text)
        self.assertIn("fs_mark", self.dev.json("metric", "describe", "files_per_sec")["judged_in"])
        typo = self.dev.run("metric", "describe", "file_per_sec")
        self.assert_exit(typo, program.USAGE)
        self.assertIn("did you mean 'files_per_sec'", typo.stderr)


if __name__ == "__main__":
    unittest.main()
