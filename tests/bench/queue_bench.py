"""The queue of a `schedlab dev` of its own, by the clock of its database: a job of many trivial runs,
then jobs of one run each on the idle queue, beside commits of single rows on the same PostgreSQL.

Prints one JSON object a line: name, value, unit, ratio to the yardstick (null where it has none).
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import schedlab_program as program  # noqa: E402
from dev_session import DevSession  # noqa: E402

COMMITS = 2_000
WAIT_SECONDS = 600

# A simulation that costs next to nothing: what is measured is the way around it.
SUITE = """
name = "bench"
project = "linux"
repetitions = {run_count}
topologies = ["kvm-1x16"]
salt = "{salt}"

[[policy]]
name = "linux-fair"
revisions = "v3.11"

[[workload]]
name = "spinners"
duration_ns = 1_000_000
parameters = {{ tasks_count = 2, start_cpus_count = 1 }}
"""

PERCENTILES = """
  SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY queue_wait_seconds),
    percentile_cont(0.99) WITHIN GROUP (ORDER BY queue_wait_seconds)
  FROM reporting.run_waits WHERE job_id BETWEEN {first} AND {last}
"""


class Bench:
    def __init__(self, dev):
        self.dev = dev
        self.database = re.search(r'psql "(.*)"', dev.text()).group(1)

    def sql(self, script):
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-F", " ", "-v", "ON_ERROR_STOP=1",
                               "-d", self.database], input=script, text=True, capture_output=True,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.split()

    def commits_per_second(self):
        """Single rows, each in a transaction of its own, one after another on one connection."""
        inserts = "INSERT INTO yardstick VALUES (1);\n" * COMMITS
        started, ended = self.sql(
            "CREATE TABLE yardstick (n integer);\n"
            "SELECT extract(epoch FROM clock_timestamp());\n" + inserts +
            "SELECT extract(epoch FROM clock_timestamp());\nDROP TABLE yardstick;\n")
        return COMMITS / (float(ended) - float(started))

    def execute(self, run_count, salt):
        """Submits a job and waits for its end; its id."""
        path = self.dev.folder / "suite.toml"
        path.write_text(SUITE.format(run_count=run_count, salt=salt))
        done = self.dev.run("-o", "json", "job", "submit", path)
        if done.returncode != program.OK:
            raise RuntimeError(done.stderr)
        job = json.loads(done.stdout)["jobs"][0]["id"]
        watched = self.dev.run("job", "watch", job, timeout=WAIT_SECONDS)
        if watched.returncode not in (program.OK, program.INCONCLUSIVE):
            raise RuntimeError(watched.stderr)
        return job

    def runs_per_second(self, job):
        count, seconds = self.sql(
            f"SELECT succeeded_count, duration_seconds FROM reporting.jobs WHERE job_id = {job}")
        return int(count) / float(seconds)

    def waits_ms(self, first, last):
        """p50 and p99 of the time from a job's submission to the lease of a run."""
        return [1000 * float(text) for text in self.sql(PERCENTILES.format(first=first, last=last))]


def emit(name, value, unit, ratio):
    print(json.dumps({"name": name, "value": value, "unit": unit, "ratio": ratio}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="of the large job, at most 1000")
    parser.add_argument("--single-jobs", type=int, default=100)
    options = parser.parse_args()
    with DevSession() as dev:
        bench = Bench(dev)
        program.wait_until(lambda: len(dev.json("worker", "list")["workers"]) == 2, "the workers")
        commits_per_second = bench.commits_per_second()
        commit_ms = 1000 / commits_per_second
        emit("queue: yardstick, single-row commits", commits_per_second, "1/s", 1)

        large = bench.execute(options.runs, "large")
        runs_per_second = bench.runs_per_second(large)
        emit(f"queue: {options.runs} runs on 2 workers", runs_per_second, "runs/s",
             runs_per_second / commits_per_second)
        for name, wait in zip(("p50", "p99"), bench.waits_ms(large, large)):
            emit(f"queue: {options.runs} runs, submit to lease {name}", wait, "ms",
                 wait / commit_ms)

        jobs = [bench.execute(1, f"single {i}") for i in range(options.single_jobs)]
        for name, wait in zip(("p50", "p99"), bench.waits_ms(jobs[0], jobs[-1])):
            emit(f"queue: job of one run, submit to lease {name}", wait, "ms", wait / commit_ms)


if __name__ == "__main__":
    main()
