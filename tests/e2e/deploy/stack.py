"""What an operator runs: a coordinator on a PostgreSQL of their own, a worker, a Prometheus."""

import csv
import io
import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[3]
DEPLOY = SOURCE / "deploy"
POLL_SECONDS = 0.05


def wait_for(what, condition, seconds=60):
    """Polls until `condition()` is true and returns its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(POLL_SECONDS)


def get(url):
    """Body of a GET; raises on any status but 200."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Psql:
    """Runs SQL as a role of the test's database."""

    def __init__(self, database, user=None):
        self._database = database + (f" user={user}" if user else "")

    def run(self, script, variables=(), environment=()):
        """Output of a script on stdin as text; RuntimeError with PostgreSQL's message."""
        command = ["psql", "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", "-d", self._database]
        for name, value in dict(variables).items():
            command += ["-v", f"{name}={value}"]
        done = subprocess.run(command, input=script, env={**os.environ, **dict(environment)},
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def rows(self, query):
        """The rows of one query, run read only, as dicts of text."""
        return list(csv.DictReader(io.StringIO(self.run(f"BEGIN READ ONLY;\n{query}\n;ROLLBACK;"))))

    def column_types(self, query):
        described = csv.DictReader(io.StringIO(self.run(f"{query} \\gdesc\n")))
        return {row["Column"]: row["Type"] for row in described}


class Process:
    """A child process that logs to a file and must not end by itself."""

    def __init__(self, name, command, folder, environment=()):
        self.name = name
        self.log_path = folder / f"{name}.log"
        with self.log_path.open("w") as log:
            self._child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                           env={**os.environ, **dict(environment)})

    def log(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def check(self):
        if self._child.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self._child.returncode}:\n{self.log()[-2000:]}")

    def wait_for(self, what, condition, seconds=60):
        def checked():
            self.check()
            return condition()
        return wait_for(f"{self.name}: {what}", checked, seconds)

    def stop(self):
        self._child.terminate()
        try:
            return self._child.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
            raise


class Prometheus:
    """A Prometheus with the configuration and the rules that ship, on other ports and faster."""

    def __init__(self, folder, target):
        self._address = f"127.0.0.1:{free_port()}"
        config = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(DEPLOY / "prometheus" / name) for name in config["rule_files"]]
        config["scrape_configs"][0]["scrape_timeout"] = "1s"
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [target]
        path = folder / "prometheus.yml"
        path.write_text(yaml.safe_dump(config))
        self.job = config["scrape_configs"][0]["job_name"]
        self._process = Process("prometheus", [
            "prometheus", f"--config.file={path}", f"--storage.tsdb.path={folder / 'prometheus'}",
            f"--web.listen-address={self._address}", "--log.level=warn"], folder)

    def ask(self, path, **parameters):
        """The data of an API call; RuntimeError with Prometheus' message."""
        query = urllib.parse.urlencode(parameters, doseq=True)
        try:
            return json.loads(get(f"http://{self._address}/api/v1/{path}?{query}"))["data"]
        except urllib.error.HTTPError as refused:
            raise RuntimeError(json.loads(refused.read())["error"]) from refused

    def query(self, expression):
        return self.ask("query", query=expression)["result"]

    def _is_ready(self):
        try:
            return get(f"http://{self._address}/-/ready")
        except OSError:  # not listening yet, or still starting: 503
            return None

    def _is_scraping(self):
        return any(sample["value"][1] == "1" for sample in self.query("up"))

    def await_scrape(self):
        self._process.wait_for("is ready", self._is_ready)
        self._process.wait_for("scrapes the coordinator", self._is_scraping)

    def stop(self):
        return self._process.stop()


class Stack:
    """The parts, started in order. `database` is a libpq connection string of an empty database."""

    def __init__(self, bin_dir, folder, database):
        self._bin_dir = pathlib.Path(bin_dir)
        self._folder = pathlib.Path(folder)
        self._database = database
        self._parts = []
        self.owner = Psql(database)
        self.processes = []
        self.prometheus = None
        self.grpc_address = self.http_address = None

    def _start(self, name, program, *flags):
        ready = self._folder / f"{name}.ready"
        process = Process(name, [self._bin_dir / program, *flags, "--ready-file", ready], self._folder)
        self._parts.append(process)
        self.processes.append(process)
        process.wait_for("is ready", ready.exists)
        return ready.read_text(encoding="utf-8")

    def start(self):
        note = json.loads(self._start("server", "schedlab-server", "--database", self._database,
                                      "--grpc-address", "127.0.0.1:0", "--http-address", "127.0.0.1:0"))
        self.grpc_address, self.http_address = note["grpc_address"], note["http_address"]
        self.prometheus = Prometheus(self._folder, self.http_address)
        self._parts.append(self.prometheus)
        self.prometheus.await_scrape()
        self._start("worker", "schedlab-worker", "--server", self.grpc_address, "--name", "deploy-test",
                    "--slots", "2")

    def help_of(self, program):
        return subprocess.run([self._bin_dir / program, "--help"], check=True, capture_output=True,
                              text=True).stdout

    def metrics(self):
        return get(f"http://{self.http_address}/metrics")

    def execute(self, name, suite):
        """Submits a suite and waits until its results have been stored and analysed."""
        path = self._folder / f"{name}.toml"
        path.write_text(suite, encoding="utf-8")
        done = subprocess.run([self._bin_dir / "schedlab", "--server", self.grpc_address, "job", "submit",
                               path, "--wait", "--timeout", "15m"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"schedlab job submit: {done.returncode}\n{done.stderr}")
        analysed = f"SELECT 1 FROM reporting.jobs WHERE suite = '{name}' AND is_analyzed"
        wait_for(f"analysis of {name}", lambda: self.owner.rows(analysed))

    def add_dashboard_login(self, name):
        """Makes the role as docs/operations.md says, and returns who runs SQL as it."""
        script = (DEPLOY / "postgresql/dashboard_role.sql").read_text(encoding="utf-8")
        self.owner.run(script, {"login": name}, {"SCHEDLAB_DASHBOARD_PASSWORD": "only for this test"})
        return Psql(self._database, name)

    def stop(self):
        """Stops the part that was started last first; returns the exit status of each."""
        statuses = []
        while self._parts:
            statuses.append(self._parts.pop().stop())
        return statuses
