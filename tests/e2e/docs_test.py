"""Every command that the documentation shows is run, against a coordinator with the demo's results.

Commands are the lines of fenced blocks marked `sh` in README.md and docs/. What needs root, a network or
this whole test suite is named in NOT_RUN_HERE, with the test that runs it instead.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from dev_session import DevSession, bin_dir, source_dir

NOT_RUN_HERE = {
    "./dev demo": "demo_test.py",
    "./dev test": "CI itself",
    "./dev bench": "bench_smoke",
    "schedlab dev": "demo_test.py and dev_test.py",
    "schedlab-server": "dev_test.py starts it",
    "schedlab-worker": "dev_test.py starts it",
    "sudo": "needs root on a machine of one's own",
    "psql": "deploy_test.py",
    "ctest": "CI itself",
}
SUITE = """
name = "docs"
project = "linux"
repetitions = 3
topologies = ["kvm-1x16"]
[[policy]]
name = "linux-fair"
revisions = "v3.11"
[[workload]]
name = "spinners"
"""


def commands():
    """(file:line, command) for each command of the documentation."""
    root = source_dir()
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        is_shell = False
        pending = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("```"):
                is_shell = line.strip() == "```sh"
                continue
            if not is_shell:
                continue
            line = re.sub(r"(^|\s)# .*$", "", line).strip()
            if line.endswith("\\"):
                pending += line[:-1]
                continue
            if pending + line:
                yield f"{path.relative_to(root)}:{number}", pending + line
            pending = ""


class DocumentedCommands(unittest.TestCase):
    def test_each_is_either_run_here_or_by_a_test_that_is_named(self):
        for where, command in commands():
            known = command.startswith(("schedlab ", "echo ", "trace-cmd ", "grep ", "./dev ",
                                        *NOT_RUN_HERE))
            self.assertTrue(known, f"{where}: nothing runs: {command}")

    def test_each_exits_as_documented(self):
        with tempfile.TemporaryDirectory() as folder, DevSession(["--demo"]) as session:
            session.wait_for_demo()
            pathlib.Path(folder, "suite.toml").write_text(SUITE)
            pathlib.Path(folder, "series.csv").write_text("\n".join(["100"] * 9 + ["80"] * 9))
            shutil.copy(source_dir() / "tests/samples/hwloc/vm-2c.xml", pathlib.Path(folder, "machine.xml"))
            environment = dict(os.environ, SCHEDLAB_SERVER=session.grpc_address, SHA="95a79b805b93",
                               PATH=f"{bin_dir()}:{os.environ['PATH']}")
            ran = 0
            for where, command in commands():
                if command.startswith(tuple(NOT_RUN_HERE)) or command.startswith("./dev "):
                    continue
                run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True,
                                     text=True, timeout=300)
                # 3 is an answer too: inconclusive.
                self.assertIn(run.returncode, (0, 3), f"{where}: {command}\n{run.stdout}{run.stderr}")
                ran += 1
            self.assertGreater(ran, 5)


if __name__ == "__main__":
    unittest.main()
