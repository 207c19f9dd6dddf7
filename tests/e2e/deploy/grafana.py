"""The queries of a Grafana dashboard, and what Grafana makes of them before they are run."""

import dataclasses
import json
import re

TIME_FILTER = re.compile(r"\$__timeFilter\(([^()]+)\)")
SQL_LIST = re.compile(r"\$\{(\w+):sqlstring\}")
PROM_VARIABLE = re.compile(r"\$(\w+)")
LABEL_VALUES = re.compile(r"label_values\((?P<selector>.+),\s*(?P<label>\w+)\)$")


@dataclasses.dataclass(frozen=True)
class Query:
    """One query: `where` it stands for people, its text, whether Grafana needs a time in it, and the
    variable for each of whose values it is run by itself."""

    where: str
    text: str
    needs_time: bool = False
    repeated_for: str = ""


class Dashboard:
    """A dashboard file. Panels are those that draw something: rows only give them headings."""

    def __init__(self, path):
        self.document = json.loads(path.read_text(encoding="utf-8"))
        self.panels = [p for p in self.document["panels"] if p["type"] != "row"]
        self.variables = self.document["templating"]["list"]

    def _targets(self, field):
        for panel in self.panels:
            for target in panel["targets"]:
                if field in target:
                    yield panel, target

    def sql(self):
        """Of panels and annotations."""
        for panel, target in self._targets("rawSql"):
            yield Query(f"panel '{panel['title']}'", target["rawSql"], panel["type"] == "timeseries",
                        panel.get("repeat", ""))
        for annotation in self.document["annotations"]["list"]:
            yield Query(f"annotation '{annotation['name']}'", annotation["target"]["rawSql"], True)

    def promql(self):
        for panel, target in self._targets("expr"):
            yield Query(f"panel '{panel['title']}'", target["expr"])

    def sql_variables(self):
        """Name and query, in the order in which one depends on the other."""
        for variable in self.variables:
            if variable["type"] == "query" and isinstance(variable["query"], str):
                yield variable["name"], variable["query"]

    def prometheus_variables(self):
        """Name, selector and label."""
        for variable in self.variables:
            if variable["type"] == "query" and isinstance(variable["query"], dict):
                found = LABEL_VALUES.match(variable["query"]["query"])
                yield variable["name"], found["selector"], found["label"]


def quoted(value):
    return "'" + value.replace("'", "''") + "'"


def _refuse_rest(text):
    if "$" in text:
        raise ValueError(f"not expanded: {text[text.index('$'):][:40]!r}")
    return text


def expand_sql(text, variables, time_range):
    """Replaces macros and variables; `variables` has a list of values for each name."""
    start, end = time_range
    text = TIME_FILTER.sub(lambda m: f"{m[1]} BETWEEN {quoted(start)} AND {quoted(end)}", text)
    text = SQL_LIST.sub(lambda m: ",".join(quoted(v) for v in variables[m[1]]), text)
    return _refuse_rest(text)


def expand_promql(text, variables):
    """Replaces variables; `variables` has one text for each name, __rate_interval among them."""
    return _refuse_rest(PROM_VARIABLE.sub(lambda m: variables.get(m[1], m[0]), text))
