"""Drives the real programs of a build. SCHEDLAB_BIN_DIR has schedlab, schedlab-server and
schedlab-worker; CTest sets it. By default those of the dev preset."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SCHEDLAB_BIN_DIR", SOURCE / "build" / "dev" / "bin")).resolve()
PATIENCE_SECONDS = 120

OK = 0
REGRESSION = 1
USAGE = 2
INCONCLUSIVE = 3
INFRASTRUCTURE = 4
TIMED_OUT = 5
INTERRUPTED = 130

FIRST_BAD = "23f0d2093c78"

# One quick workload on one machine, over the parent and the child that are compared.
SMALL_SUITE = """
name = "small"
project = "linux"
repetitions = {repetitions}
topologies = ["{topology}"]

[[policy]]
name = "linux-fair"
revisions = "{revisions}"

[[workload]]
name = "{workload}"
duration_ns = {duration_ns}
"""


def small_suite(**changes):
    values = {"repetitions": 5, "topology": "kvm-16x1", "revisions": "v3.11",
              "workload": "fs_mark", "duration_ns": 1_000_000_000}
    values.update(changes)
    return SMALL_SUITE.format(**values)


def schedlab(*arguments, timeout=PATIENCE_SECONDS, environment=None):
    """Runs the client to its end."""
    return subprocess.run([str(BIN / "schedlab"), *map(str, arguments)], text=True, timeout=timeout,
                          capture_output=True, check=False,
                          env={**os.environ, **(environment or {})})


def wait_until(condition, what, seconds=PATIENCE_SECONDS):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen within {seconds} s")


def children_of(pid):
    """(pid, command line) of the direct children of a process."""
    children = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            status = (folder / "stat").read_text()
            if int(status.rsplit(")", 1)[1].split()[1]) == pid:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                children.append((int(folder.name), command))
    return children


class Dev:
    """`schedlab dev` in the background; as a context it is stopped by Ctrl-C and must exit with 0."""

    def __init__(self, data_folder, *arguments, environment=None):
        self.data_folder = data_folder
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".stderr")
        self.process = subprocess.Popen(
            [str(BIN / "schedlab"), "dev", "--data-dir", str(data_folder), *map(str, arguments)],
            stdout=self.log, stderr=self.log, env={**os.environ, **(environment or {})})
        try:
            wait_until(lambda: "] workers " in self.text() or self.process.poll() is not None,
                       "the start")
            match = re.search(r"grpc (127\.0\.0\.1:\d+)  http (http://127\.0\.0\.1:\d+)",
                              self.text())
            if match is None:
                raise AssertionError(self.text())
            self.grpc, self.http = match.groups()
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def text(self):
        return pathlib.Path(self.log.name).read_text()

    def run(self, *arguments, **options):
        return schedlab("--server", self.grpc, *arguments, **options)

    def json(self, *arguments):
        done = self.run("-o", "json", *arguments)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def child(self, pattern):
        """The pid of the one child whose command line has `pattern`; None while there is none."""
        found = [pid for pid, command in children_of(self.process.pid) if pattern in command]
        return found[0] if found else None

    def logs(self):
        return "\n".join(f"--- {path}\n{path.read_text()}"
                         for path in sorted(pathlib.Path(self.data_folder, "logs").glob("*.log")))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            print(self.text(), self.logs())
        code = self.stop()
        if kind is None and code != OK:
            raise AssertionError(f"schedlab dev exited with {code}: {self.text()}")


class TestCase(unittest.TestCase):
    """With a folder of its own that also an unprivileged PostgreSQL may enter."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="schedlab-e2e-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def assert_exit(self, done, code):
        self.assertEqual(done.returncode, code, f"\nstdout: {done.stdout}\nstderr: {done.stderr}")


class SharedDevTestCase(TestCase):
    """One `schedlab dev` for all tests of the class, beside the folder of each."""

    @classmethod
    def setUpClass(cls):
        cls.shared = TestCase()
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.dev = Dev(cls.shared.folder / "data")
        cls.addClassCleanup(cls.dev.stop)
