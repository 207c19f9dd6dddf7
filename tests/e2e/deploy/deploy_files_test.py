"""What can be said of deploy/ without running schedlab: shapes, alerting rules, units."""

import itertools
import pathlib
import re
import subprocess
import tempfile
import unittest

import grafana
import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[3]
DEPLOY = SOURCE / "deploy"
# systemd's own words: up to 2 is "OK".
HIGHEST_EXPOSURE = 20


def load_yaml(path):
    return yaml.safe_load((DEPLOY / path).read_text(encoding="utf-8"))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def anchors(page):
    """The anchors that headings of a page get."""
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class DataSourcesTest(unittest.TestCase):
    def setUp(self):
        self.sources = load_yaml("grafana/provisioning/datasources/schedlab.yaml")["datasources"]

    def test_ids_are_fixed(self):
        self.assertEqual(["schedlab-postgres", "schedlab-prometheus"], [s["uid"] for s in self.sources])

    def test_nothing_can_be_edited_in_the_browser(self):
        self.assertEqual([False, False], [source["editable"] for source in self.sources])

    def test_addresses_and_secrets_come_from_the_environment(self):
        for source in self.sources:
            settings = [source["url"], *source.get("secureJsonData", {}).values()]

            self.assertTrue(all(re.fullmatch(r"\$SCHEDLAB_GRAFANA_\w+", s) for s in settings), settings)

    def test_environment_is_documented(self):
        page = (SOURCE / "docs/operations.md").read_text(encoding="utf-8")
        for path in (DEPLOY / "grafana/provisioning").rglob("*.yaml"):
            names = re.findall(r"\$(SCHEDLAB_GRAFANA_\w+)", path.read_text(encoding="utf-8"))

            self.assertTrue(names, path)
            self.assertEqual([], [name for name in names if name not in page], path)


class DashboardTest(unittest.TestCase):
    def setUp(self):
        self.dashboard = grafana.Dashboard(DEPLOY / "grafana/dashboards/schedlab.json")
        self.document = self.dashboard.document

    def test_provider_keeps_the_files_as_they_are(self):
        provider = load_yaml("grafana/provisioning/dashboards/schedlab.yaml")["providers"][0]

        self.assertEqual(("file", False), (provider["type"], provider["allowUiUpdates"]))

    def test_identity_is_the_same_in_every_grafana(self):
        self.assertEqual("schedlab", self.document["uid"])
        self.assertNotIn("id", self.document)
        self.assertFalse(self.document["editable"])

    def test_every_panel_says_what_it_shows_and_in_which_unit(self):
        for panel in self.dashboard.panels:
            unit = panel["fieldConfig"]["defaults"].get("unit")

            self.assertTrue(panel["title"] and len(panel["description"]) > 30 and unit, panel["title"])

    def test_data_sources_are_variables_that_point_at_the_provisioned_ones(self):
        chosen = {v["name"]: v["current"]["value"] for v in self.dashboard.variables
                  if v["type"] == "datasource"}
        used = {item["datasource"]["uid"] for panel in self.dashboard.panels
                for item in [panel, *panel["targets"]]}

        self.assertEqual({"postgres": "schedlab-postgres", "prometheus": "schedlab-prometheus"}, chosen)
        self.assertEqual({"${postgres}", "${prometheus}"}, used)

    def test_variables_are_chained(self):
        names = [name for name, _ in self.dashboard.sql_variables()]
        self.assertEqual(["project", "workload", "metric", "topology", "policy"], names)

        for index, (_, query) in enumerate(self.dashboard.sql_variables()):
            self.assertEqual(names[:index], grafana.SQL_LIST.findall(query))

    def test_panels_have_ids_and_places_of_their_own(self):
        panels = self.document["panels"]
        places = [panel["gridPos"] for panel in panels]
        overlaps = [(a, b) for a, b in itertools.combinations(places, 2)
                    if a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"]
                    and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]]

        self.assertEqual(len(panels), len({panel["id"] for panel in panels}))
        self.assertEqual([], overlaps)

    def test_a_macro_that_is_not_known_is_an_error(self):
        with self.assertRaisesRegex(ValueError, r"\$__timeGroup"):
            grafana.expand_sql("SELECT $__timeGroup(t, '1h')", {}, ("a", "b"))
        with self.assertRaisesRegex(ValueError, r"\$instance"):
            grafana.expand_promql('up{instance="$instance"}', {})


class PrometheusFilesTest(unittest.TestCase):
    def setUp(self):
        self.rules = {rule["alert"]: rule for group in load_yaml("prometheus/rules.yml")["groups"]
                      for rule in group["rules"]}

    def test_configuration_is_valid(self):
        self.assertEqual(0, run("promtool", "check", "config", str(DEPLOY / "prometheus/prometheus.yml"))[0])

    def test_rules_are_valid(self):
        self.assertEqual(0, run("promtool", "check", "rules", str(DEPLOY / "prometheus/rules.yml"))[0])

    def test_rules_fire_when_they_should_and_only_then(self):
        status, output = run("promtool", "test", "rules", str(DEPLOY / "prometheus/rules_test.yml"))

        self.assertEqual(0, status, output)

    def test_every_rule_is_tested_firing_and_silent(self):
        tested = {(case["alertname"], bool(case["exp_alerts"]))
                  for test in load_yaml("prometheus/rules_test.yml")["tests"]
                  for case in test["alert_rule_test"]}

        self.assertEqual(set(itertools.product(self.rules, (True, False))), tested)

    def test_every_rule_says_how_bad_it_is_and_what_to_do(self):
        page = (SOURCE / "docs/operations.md").read_text(encoding="utf-8")
        for name, rule in self.rules.items():
            path, _, anchor = rule["annotations"]["runbook"].partition("#")

            self.assertIn(rule["labels"]["severity"], ("warning", "critical"), name)
            self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"], name)
            self.assertEqual("docs/operations.md", path)
            self.assertIn(anchor, anchors(page))


class UnitsTest(unittest.TestCase):
    """systemd-analyze wants the programs to exist, so the units are given one that does."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="schedlab-units-")
        self.addCleanup(folder.cleanup)
        self.units = []
        for path in sorted((DEPLOY / "systemd").glob("*.service")):
            text = path.read_text(encoding="utf-8")
            copy = pathlib.Path(folder.name, path.name.replace("@", "@1"))
            copy.write_text(re.sub(r"/usr/bin/schedlab-\w+", "/bin/true", text), encoding="utf-8")
            self.units.append(str(copy))

    def test_units_are_understood_whole(self):
        self.assertEqual(2, len(self.units))
        self.assertEqual((0, ""), run("systemd-analyze", "verify", *self.units))

    def test_units_are_confined(self):
        for unit in self.units:
            status, output = run("systemd-analyze", "security", "--no-pager", "--offline=true",
                                 f"--threshold={HIGHEST_EXPOSURE}", unit)

            self.assertEqual(0, status, output[-200:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
