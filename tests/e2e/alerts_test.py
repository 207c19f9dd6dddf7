"""The life of an alert, its explanation and the precision of alerts, through coordinator and workers."""

import os
import socket
import unittest

import schedlab_program as program

# Five commits up to the one that lost files per second on the machine of sixteen sockets only.
SUITE = """
name = "alerts"
project = "linux"
repetitions = 4
topologies = {topologies}

[[policy]]
name = "linux-fair"
revisions = "{revisions}"

[[workload]]
name = "{workload}"
"""
SHORT = "parameters = { iterations_count = 1 }\n"
BOTH_MACHINES = '["kvm-16x1", "kvm-1x16"]'
SERIES = "kvm-16x1/fs_mark/files_per_sec"
PARENT = "95a79b805b93"
FIRST_BAD = program.FIRST_BAD
JOB_SECONDS = 600


def suite_text(revisions, topologies=BOTH_MACHINES, workload="fs_mark"):
    text = SUITE.format(revisions=revisions, topologies=topologies, workload=workload)
    return text + (SHORT if workload == "fs_mark" else "")


class AlertsTest(program.SharedDevTestCase):

    @classmethod
    def analyse(cls, name, revisions, *arguments, **choices):
        suite = cls.shared.write(name, suite_text(revisions, **choices))
        done = cls.dev.run("job", "submit", suite, "--wait", *arguments, timeout=JOB_SECONDS)
        assert done.returncode == program.OK, done.stderr
        job = cls.dev.json("job", "list")["jobs"][0]["id"]
        program.wait_until(lambda: cls.dev.json("job", "get", job)["is_analyzed"], "the analysis")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.analyse("suite.toml", "62470419e993..147c5fc2bad7")

    def change(self, name, *arguments, code=program.OK):
        done = self.dev.run("alerts", name, str(self.alert_id()), *arguments)
        self.assert_exit(done, code)
        return done

    def alerts(self, *arguments):
        """About the commit that lost files per second: smaller changes may be found beside it."""
        listed = self.dev.json("alerts", "list", *arguments)["alerts"]
        return [alert for alert in listed if alert["revision"].startswith(FIRST_BAD)]

    def alert_id(self):
        return self.alerts()[0]["id"]

    def alert(self):
        return self.dev.json("alerts", "show", str(self.alert_id()))

    def test_1_people_take_it_through_its_states_and_the_history_tells(self):
        self.assertEqual(len(self.alerts()), 1)
        who = f"{os.environ['USER']}@{socket.gethostname()}" if "USER" in os.environ else None

        self.change("ack", "--why", "reverting it")
        self.change("ack", "--why", "reverting it")  # the same words again are no new event
        refused = self.change("ack", "--why", "me too", code=program.INFRASTRUCTURE)
        self.assertIn("an alert that is acknowledged cannot become acknowledged, only open or resolved or dismissed",
                      refused.stderr)
        self.change("resolve", "--why", "reverted", "--who", "ann@laptop")
        self.change("reopen", "--why", "the revert was reverted")

        alert = self.alert()
        self.assertEqual(alert["state"], "open")
        self.assertEqual([(event["from"], event["to"], event["why"]) for event in alert["history"]],
                         [(None, "open", "raised"), ("open", "acknowledged", "reverting it"),
                          ("acknowledged", "resolved", "reverted"),
                          ("resolved", "open", "the revert was reverted")])
        self.assertEqual(alert["history"][0]["who"], "schedlab")
        self.assertEqual(alert["history"][2]["who"], "ann@laptop")
        if who is not None:
            self.assertEqual(alert["history"][1]["who"], who)
        text = self.dev.run("alerts", "show", str(alert["id"])).stdout
        self.assertIn("resolved by ann@laptop: reverted", text)

    def test_2_a_request_id_is_for_one_change(self):
        self.change("ack", "--why", "mine", "--request-id", "one-change")
        self.change("ack", "--why", "mine", "--request-id", "one-change")
        self.change("dismiss", "--why", "mine", "--request-id", "one-change", code=program.USAGE)

        self.assertEqual(self.alert()["state"], "acknowledged")

    def test_3_what_was_dismissed_stays_so_when_the_change_is_found_again(self):
        self.change("dismiss", "--why", "known trade-off")
        alert = self.alert_id()

        self.analyse("suite.toml", "62470419e993..147c5fc2bad7", "--new-attempt")
        self.analyse("longer.toml", "6e4664525b1d..147c5fc2bad7")

        self.assertEqual([(one["id"], one["state"]) for one in self.alerts()], [(alert, "dismissed")])
        self.assertEqual(self.alerts("--state", "open"), [])
        self.assertEqual(len(self.alerts("--state", "dismissed")), 1)

    def test_4_precision_counts_it(self):
        self.assertEqual(self.dev.json("alerts", "precision", "--days", "1")["projects"],
                         [{"project": "linux", "open": 0, "acknowledged": 0, "resolved": 0, "recovered": 0,
                           "dismissed": 1, "withdrawn": 0, "confirmed_share": 0}])

    def test_5_explanations_name_what_decides(self):
        here = self.dev.json("alerts", "explain", SERIES, FIRST_BAD)
        before = self.dev.json("alerts", "explain", SERIES, PARENT)
        elsewhere = self.dev.json("alerts", "explain", "kvm-1x16/fs_mark/files_per_sec", FIRST_BAD)

        self.assertEqual(here["reason"], "regression")
        self.assertTrue(all(check["is_passed"] for check in here["checks"]), here["checks"])
        self.assertEqual([alert["state"] for alert in here["alerts"]], ["dismissed"])
        self.assertNotEqual(before["reason"], "regression")
        self.assertIn(elsewhere["reason"], ("small_effect", "not_significant", "one_revision"))
        self.assertFalse(all(check["is_passed"] for check in elsewhere["checks"]))
        text = self.dev.run("alerts", "explain", str(here["series"]["id"]), FIRST_BAD).stdout
        self.assertIn("a regression: the series got worse at this commit", text)

    def test_6_what_cannot_be_explained_says_why(self):
        for series, commit in ((SERIES, "ffffffffffff"), ("4711", FIRST_BAD), ("nonsense", FIRST_BAD),
                               ("kvm-16x1/fs_mark/nothing", FIRST_BAD)):
            done = self.dev.run("alerts", "explain", series, commit)
            self.assertNotEqual(done.returncode, program.OK)
            self.assertIn("cannot explain", done.stderr)

    def test_7_what_another_job_measures_later_is_told_beside_it(self):
        self.analyse("beside.toml", "62470419e993..147c5fc2bad7", topologies='["kvm-4x4"]', workload="spinners")

        alert = self.alert()
        told = {(cell["series"]["topology"], cell["series"]["workload"], cell["series"]["metric"])
                for cell in alert["cells"] + alert["unchanged"] + alert["undecided"]}
        self.assertIn(("kvm-4x4", "spinners", "work_per_sec"), told)
        for topology in ("kvm-16x1", "kvm-1x16"):
            for metric in ("files_per_sec", "elapsed_sec", "cpu_time_per_op_ns"):
                self.assertIn((topology, "fs_mark", metric), told)

    def test_8_a_step_back_in_a_later_job_resolves_it_and_the_same_results_leave_it_so(self):
        self.change("reopen", "--why", "not known after all")

        self.analyse("whole.toml", "62470419e993..v3.13", topologies='["kvm-16x1"]')
        resolved = self.alert()
        self.analyse("whole.toml", "62470419e993..v3.13", "--new-attempt", topologies='["kvm-16x1"]')

        self.assertEqual(resolved["state"], "resolved")
        self.assertEqual(resolved["history"][-1]["who"], "schedlab")
        self.assertEqual(resolved["history"][-1]["why"], f"recovered by {resolved['recovered_revision']}")
        self.assertEqual(self.alert()["history"], resolved["history"])
        self.assertEqual([one["state"] for one in self.alerts()], ["resolved"])


class BackfillTest(program.TestCase):
    """An alert over commits that nobody measured becomes the one commit, by itself."""

    def test_a_coordinator_bisects_what_was_measured_only_on_either_side(self):
        environment = {"SCHEDLAB_BACKFILL_RUNS": "150"}
        with program.Dev(self.folder / "data", environment=environment) as dev:
            for name, revisions in (("good", "6e4664525b1d..62470419e993"),
                                    ("bad", "147c5fc2bad7..3ae11c90fd05")):
                suite = self.write(f"{name}.toml", suite_text(revisions))
                self.assert_exit(dev.run("job", "submit", suite, "--wait", timeout=JOB_SECONDS), program.OK)

            def bisection():
                for alert in dev.json("alerts", "list")["alerts"]:
                    shown = dev.json("alerts", "show", str(alert["id"]))
                    if shown["bisection"] is not None:
                        return shown["bisection"]
                return None

            program.wait_until(bisection, "a bisection", JOB_SECONDS)
            done = dev.run("bisect", "watch", str(bisection()), timeout=JOB_SECONDS)

            self.assert_exit(done, program.OK)
            self.assertIn(FIRST_BAD, done.stdout)
            self.assertIn("confirmed by fresh runs beside its parent", done.stdout)
            alert = dev.json("alerts", "list")["alerts"][-1]
            text = dev.run("alerts", "show", str(alert["id"])).stdout
            self.assertRegex(text, rf"bisection +\d+: culprit: {FIRST_BAD} \(\d+ %, confirmed")

    def test_request_ids_of_the_coordinator_are_its_own(self):
        with program.Dev(self.folder / "data") as dev:
            suite = self.write("suite.toml", suite_text(PARENT))
            for own in ("backfill of alert 1", "a/a 7"):
                done = dev.run("gate", "run", suite, "--commit", FIRST_BAD, "--request-id", own)
                self.assert_exit(done, program.USAGE)
                self.assertIn("coordinators use these", done.stderr)


if __name__ == "__main__":
    unittest.main()
