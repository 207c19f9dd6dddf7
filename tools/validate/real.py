"""Runs a case for real, and counts what the kernel does meanwhile."""

import dataclasses
import os
import subprocess
import time

import machine
import parse

EVENTS = "context-switches,cpu-migrations"
TRACED = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new"
TRACE_PAGES = "4096"  # of each CPU's buffer: 16 MiB
RUN_LIMIT_SEC = 300


class RunFailed(Exception):
    """A real run that ended badly, with what it said."""


@dataclasses.dataclass
class RealRun:
    throughput: float
    switches: float        # per operation or per second, as the case compares them
    migrations: object     # per second; None where they cannot be counted
    shares: list
    steal_permille: float
    seconds: float


@dataclasses.dataclass
class Latencies:
    """Of one traced run: percentiles of wakeup latency and the mean run delay, in nanoseconds."""
    p50: float
    p90: float
    p99: float
    delay: float


def finish(command, folder):
    """Runs `command`; its stdout and stderr together."""
    run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                         timeout=RUN_LIMIT_SEC, errors="replace",
                         env={**os.environ, "LC_ALL": "C"})
    if run.returncode != 0:
        raise RunFailed(f"`{' '.join(command)}` ended with {run.returncode}: {run.stdout[-400:].strip()}")
    return run.stdout


def run_once(case, folder, can_count):
    """One undisturbed run. The counts are of the whole machine, which costs the run nothing."""
    counts = folder / "counts.csv"
    prefix = ["perf", "stat", "-a", "-x,", "-o", str(counts), "-e", EVENTS, "--"] if can_count else []
    if case.prepare:
        case.prepare()
    before, begin = machine.ticks(), time.monotonic()
    text = finish([*prefix, *case.command], folder)
    seconds = time.monotonic() - begin
    after = machine.ticks()
    outcome = case.read(text, folder)
    counted = parse.perf_stat(counts.read_text()) if can_count else {}
    switches = counted.get("context-switches")
    if switches is None:
        switches = after["switches"] - before["switches"]
    migrations = counted.get("cpu-migrations")
    return RealRun(throughput=outcome.operations / outcome.seconds,
                   switches=switches / (outcome.operations if case.per_operation else seconds),
                   migrations=None if migrations is None else migrations / seconds, shares=outcome.shares,
                   steal_permille=machine.steal_permille(before, after), seconds=seconds)


def trace_once(case, folder):
    """The latencies of one run that is traced, which slows it down."""
    path = folder / "trace.data"
    if case.prepare:
        case.prepare()
    finish(["perf", "record", "-q", "-a", "-m", TRACE_PAGES, "-o", str(path), "-e", TRACED, "--", *case.command], folder)
    waits = parse.Waits(case.names)
    with subprocess.Popen(["perf", "script", "-i", str(path), "--ns", "-F", "comm,tid,cpu,time,event,trace"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as script:
        for line in script.stdout:
            waits.feed(line)
    path.unlink(missing_ok=True)
    if not waits.wakeup_ns or not waits.delay_ns:
        return None
    quantiles = {permille: parse.quantile(waits.wakeup_ns, permille / 1000) for permille in (500, 900, 990)}
    return Latencies(quantiles[500], quantiles[900], quantiles[990], sum(waits.delay_ns) / len(waits.delay_ns))
