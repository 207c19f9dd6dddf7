"""deploy/ against the real thing: every query of the dashboard as the read-only role on results of a
real job, every PromQL on a Prometheus that scraped the running coordinator.

with_postgres.py deploy_test.py, with the folder of the binaries in SCHEDLAB_BIN_DIR.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import grafana
import stack
import yaml

# From before the regression to before its fix: the alert stays open.
OPEN = """
name = "up-to-the-regression"
project = "linux"
repetitions = 5
topologies = ["kvm-16x1", "kvm-1x16"]

[[policy]]
name = "linux-fair"
revisions = "v3.11..30ce5dabc92b"

[[workload]]
name = "fs_mark"
parameters = { iterations_count = 1 }
"""
# Past the fix, with a switch set that changes nothing here but makes other series of it.
VARIANT = """
name = "past-the-fix"
project = "linux"
repetitions = 5
topologies = ["kvm-16x1"]

[[policy]]
name = "linux-fair"
revisions = "v3.11..3029ede39373"
switches = { group_imb_rule = "spread" }

[[workload]]
name = "fs_mark"
parameters = { iterations_count = 1 }
"""
# Another history, from before its regression to past its fix.
RESOLVED = """
name = "past-another-fix"
project = "linux"
repetitions = 3
topologies = ["core2-quad"]

[[policy]]
name = "linux-fair-3.4"
revisions = "a195f004e949..04f733b4afac"

[[workload]]
name = "hackbench"
parameters = { groups_count = 40, loops_count = 60, task_group_flag = 1, fork_work_ns = 70000, start_work_ns = 80000, write_work_ns = 900, read_work_ns = 1150 }
"""
METRIC = "files_per_sec"
BAD_TOPOLOGY = "kvm-16x1"
BAD_COMMIT = "23f0d2093c78"
# What a person would pick to see the open alert, a variant of its policy, and the resolved one.
OPEN_PICKS = {"policy": "linux-fair", "workload": "fs_mark", "metric": METRIC, "topology": BAD_TOPOLOGY}
VARIANT_PICKS = OPEN_PICKS | {"policy": "linux-fair group_imb_rule=spread"}
RESOLVED_PICKS = {"policy": "linux-fair-3.4", "workload": "hackbench", "metric": "messages_per_sec",
                  "topology": "core2-quad"}
RANGE = ("1990-01-01T00:00:00Z", "2100-01-01T00:00:00Z")
TELEMETRY_NAME = re.compile(r"\bschedlab_[a-z0-9_]+\b")
TYPE_LINE = re.compile(r"^# TYPE (\S+) (\S+)$", re.MULTILINE)
DOCUMENTED_METRIC = re.compile(r"^\| `(schedlab_\w+)[`{].*?\| (counter|gauge|histogram) \|", re.MULTILINE)
ENVIRONMENT_NAME = re.compile(r"\bSCHEDLAB_[A-Z_]+\b")

running = None
reader = None


def setUpModule():
    global running, reader
    folder = tempfile.TemporaryDirectory(prefix="schedlab-deploy-")
    unittest.addModuleCleanup(folder.cleanup)
    running = stack.Stack(os.environ["SCHEDLAB_BIN_DIR"], folder.name,
                          os.environ["SCHEDLAB_TEST_DATABASE"])
    unittest.addModuleCleanup(stop_cleanly)
    running.start()
    running.execute("up-to-the-regression", OPEN)
    running.execute("past-the-fix", VARIANT)
    running.execute("past-another-fix", RESOLVED)
    reader = running.add_dashboard_login("dashboards")


def stop_cleanly():
    """Every part drains, and none has logged an error."""
    logs = {process.name: process.log() for process in running.processes}
    statuses = running.stop()
    complaints = [line for log in logs.values() for line in log.splitlines() if "level=error" in line]
    if any(statuses) or complaints:
        raise AssertionError(f"exit statuses {statuses}, errors {complaints}")


def telemetry_types():
    return dict(TYPE_LINE.findall(running.metrics()))


def telemetry_names(expression):
    """The families that an expression names."""
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in TELEMETRY_NAME.findall(expression)}


def operations_page():
    return (stack.SOURCE / "docs/operations.md").read_text(encoding="utf-8")


def rules():
    document = yaml.safe_load((stack.DEPLOY / "prometheus/rules.yml").read_text())
    return [rule for group in document["groups"] for rule in group["rules"]]


class DashboardSqlTest(unittest.TestCase):
    """Each variable is asked for in turn, as the browser does; what a person would pick is picked."""

    def setUp(self):
        self.dashboard = grafana.Dashboard(stack.DEPLOY / "grafana/dashboards/schedlab.json")

    def values_of_variables(self, wanted):
        """Every topology is left picked, as the dashboard opens."""
        picks = {"project": "linux"} | {name: wanted[name] for name in wanted if name != "topology"}
        values = {}
        for name, query in self.dashboard.sql_variables():
            rows = reader.rows(grafana.expand_sql(query, values, RANGE))
            offered = [next(iter(row.values())) for row in rows]
            if name in picks:
                self.assertIn(picks[name], offered, f"variable {name}")
            values[name] = [picks[name]] if name in picks else offered
        return values

    def rows_by_place(self, wanted):
        """A panel that is repeated is run for the topology of the alert alone."""
        variables = self.values_of_variables(wanted)
        one = {"topology": [wanted["topology"]]}
        return {query.where: reader.rows(grafana.expand_sql(
                    query.text, variables | one if query.repeated_for else variables, RANGE))
                for query in self.dashboard.sql()}

    def test_every_query_has_rows(self):
        for wanted in (OPEN_PICKS, VARIANT_PICKS, RESOLVED_PICKS):
            rows = self.rows_by_place(wanted)

            self.assertEqual([], [where for where, found in rows.items() if not found], wanted)

    def test_topologies_are_all_offered(self):
        self.assertEqual({"kvm-16x1", "kvm-1x16"},
                         set(self.values_of_variables(OPEN_PICKS)["topology"]))

    def test_open_alert_names_the_first_bad_commit_and_where_it_shows(self):
        rows = self.rows_by_place(OPEN_PICKS)["panel 'Open alerts'"]

        alert = next(row for row in rows if row["metric"] == METRIC)
        self.assertEqual(BAD_COMMIT, alert["first_bad"])
        self.assertEqual({BAD_TOPOLOGY}, {row["topology"] for row in rows})
        self.assertLess(float(alert["relative_change"]), -0.1)
        self.assertGreaterEqual(int(alert["before_n"]), 5)
        self.assertGreaterEqual(int(alert["after_n"]), 5)

    def test_resolved_alert_names_the_commit_that_recovered_it(self):
        rows = self.rows_by_place(RESOLVED_PICKS)["panel 'Resolved alerts'"]

        alert = next(row for row in rows if row["metric"] == RESOLVED_PICKS["metric"])
        self.assertEqual("367456c756a6", alert["first_bad"])
        self.assertEqual("eb95308ee2a6", alert["recovered_by"])

    def test_history_in_time_has_the_order_of_the_commits(self):
        rows = next(found for where, found in self.rows_by_place(VARIANT_PICKS).items()
                    if "by commit time" in where)

        times = [row["time"] for row in rows]
        ordinals = [int(row["ordinal"]) for row in rows]
        self.assertEqual(len(times), len(set(times)))
        self.assertEqual(sorted(ordinals), ordinals)
        self.assertGreaterEqual(len(rows), 12)

    def test_change_point_stands_where_the_point_of_its_commit_stands(self):
        rows = self.rows_by_place(OPEN_PICKS)

        points = next(found for where, found in rows.items() if "by commit time" in where)
        bad = next(row for row in points if row["revision"] == BAD_COMMIT)
        marks = rows["annotation 'Change points'"]
        self.assertIn(bad["time"], [mark["time"] for mark in marks])
        self.assertTrue(any(BAD_COMMIT in mark["text"] for mark in marks))

    def test_what_is_drawn_over_time_has_a_time(self):
        variables = self.values_of_variables(OPEN_PICKS)

        for query in self.dashboard.sql():
            if query.needs_time:
                types = reader.column_types(grafana.expand_sql(query.text, variables, RANGE))
                self.assertEqual("timestamp with time zone", types.get("time"), query.where)


class DashboardRoleTest(unittest.TestCase):
    def test_tables_cannot_be_read(self):
        tables = [row["name"] for row in running.owner.rows(
            "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")]

        self.assertIn("public.jobs", tables)
        for table in tables:
            with self.assertRaisesRegex(RuntimeError, "permission denied", msg=table):
                reader.rows(f"SELECT 1 FROM {table}")

    def test_views_cannot_be_written(self):
        with self.assertRaisesRegex(RuntimeError, "permission denied"):
            reader.run("BEGIN READ WRITE; DELETE FROM reporting.workers; COMMIT;")

    def test_nothing_can_be_created(self):
        with self.assertRaisesRegex(RuntimeError, "permission denied"):
            reader.run("BEGIN READ WRITE; CREATE TABLE public.mine (x integer); COMMIT;")
        with self.assertRaisesRegex(RuntimeError, "permission denied"):
            reader.run("BEGIN READ WRITE; CREATE VIEW reporting.mine AS SELECT 1; COMMIT;")

    def test_session_is_read_only_and_limited_in_time(self):
        self.assertEqual([{"default_transaction_read_only": "on"}],
                         reader.rows("SHOW default_transaction_read_only"))
        self.assertEqual([{"statement_timeout": "30s"}], reader.rows("SHOW statement_timeout"))

    def test_role_can_be_made_again(self):
        self.assertEqual([{"current_user": "dashboards"}],
                         running.add_dashboard_login("dashboards").rows("SELECT current_user"))


class PrometheusTest(unittest.TestCase):
    def setUp(self):
        self.dashboard = grafana.Dashboard(stack.DEPLOY / "grafana/dashboards/schedlab.json")
        self.variables = {"job": running.prometheus.job, "instance": ".+", "__rate_interval": "1m"}

    def expressions(self):
        for query in self.dashboard.promql():
            yield query.where, grafana.expand_promql(query.text, self.variables)
        for rule in rules():
            yield f"rule {rule['alert']}", rule["expr"]

    def test_every_expression_of_the_dashboard_has_a_value(self):
        for query in self.dashboard.promql():
            expression = grafana.expand_promql(query.text, self.variables)

            self.assertTrue(stack.wait_for(f"{query.where}: {expression}",
                                           lambda e=expression: running.prometheus.query(e), 20))

    def test_every_expression_of_the_rules_is_understood(self):
        for rule in rules():
            self.assertIsInstance(running.prometheus.query(rule["expr"]), list)

    def test_variables_offer_the_coordinator(self):
        for name, selector, label in self.dashboard.prometheus_variables():
            selector = grafana.expand_promql(selector, self.variables)

            offered = running.prometheus.ask(f"label/{label}/values", **{"match[]": selector})

            expected = {"job": running.prometheus.job, "instance": running.http_address}[name]
            self.assertEqual([expected], offered)

    def test_names_in_expressions_are_on_the_metrics_page(self):
        known = set(telemetry_types())

        for where, expression in self.expressions():
            names = telemetry_names(expression)
            self.assertTrue(names, where)
            self.assertEqual(set(), names - known, where)

    def test_open_regression_fires_and_nothing_else(self):
        def states():
            return {(alert["labels"]["alertname"], alert["state"])
                    for alert in running.prometheus.ask("alerts")["alerts"]}

        expected = {("SchedlabOpenRegressions", "firing")}
        self.assertTrue(stack.wait_for("the alert, and no other", lambda: states() == expected))

    def test_metrics_page_is_clean(self):
        done = subprocess.run(["promtool", "check", "metrics"], input=running.metrics(),
                              capture_output=True, text=True, check=False)

        self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))


class OperationsPageTest(unittest.TestCase):
    def test_every_telemetry_metric_is_documented_with_its_type(self):
        self.assertEqual(telemetry_types(), dict(DOCUMENTED_METRIC.findall(operations_page())))

    def test_every_setting_of_the_binaries_is_documented(self):
        page = set(ENVIRONMENT_NAME.findall(operations_page()))
        for program in ("schedlab-server", "schedlab-worker"):
            settings = set(ENVIRONMENT_NAME.findall(running.help_of(program)))

            self.assertTrue(settings)
            self.assertEqual(set(), settings - page, program)

    def test_examples_of_environment_files_have_settings_that_exist(self):
        for program, example in (("schedlab-server", "server"), ("schedlab-worker", "worker")):
            text = (stack.DEPLOY / f"systemd/{example}.env.example").read_text(encoding="utf-8")
            set_names = set(re.findall(r"^(SCHEDLAB_\w+)=", text, re.MULTILINE))

            self.assertTrue(set_names)
            self.assertEqual(set(), set_names - set(ENVIRONMENT_NAME.findall(running.help_of(program))))


if __name__ == "__main__":
    unittest.main(verbosity=2)
