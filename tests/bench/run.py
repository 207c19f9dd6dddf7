"""Runs every benchmark whose name contains FILTER and prints one table: figure, unit, and the ratio to
the yardstick that was measured in the same run. --smoke checks that every benchmark still works."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from sim_rows import SimRows

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("SCHEDLAB_BIN_DIR",
                                  HERE.parents[1] / "build" / "release" / "bin")).resolve()
REPETITIONS = 3
GATE_TRIALS = 2000
SERIES_TRIALS = 500
BINARIES = ("sim_bench", "stats_bench")
# (benchmarks, the benchmark of the same binary that they are measured by)
YARDSTICKS = (
    (r"BM_EventQueue/(\d+)", r"BM_PriorityQueue/\1"),
    (r"BM_PriorityQueue/(\d+)", r"BM_PriorityQueue/\1"),
    (r"BM_(Simulate|Tasks)/.*", "BM_PriorityQueue/256"),
    (r".*", "BM_SortDoubles/1000"),
)


def yardstick_of(name):
    for pattern, yardstick in YARDSTICKS:
        match = re.fullmatch(pattern, name)
        if match:
            return match.expand(yardstick)
    raise AssertionError(name)


def google_benchmarks(binary, pattern, smoke):
    """{name: [result of each repetition]}"""
    command = [str(BIN / binary), "--benchmark_format=json"]
    if smoke:
        command.append("--benchmark_min_time=0")
    else:
        command.append(f"--benchmark_repetitions={REPETITIONS}")
    if pattern:
        command.append(f"--benchmark_filter={pattern}")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    results = {}
    for result in json.loads(done.stdout)["benchmarks"]:
        if result["run_type"] == "iteration":
            results.setdefault(result["run_name"], []).append(result)
    return results


def nanoseconds(result):
    return result["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[result["time_unit"]]


def rows_of_binary(binary, wanted, smoke):
    results = google_benchmarks(binary, None, True)
    names = [name for name in results if wanted in f"{binary}: {name}"]
    if not names:
        return
    if not smoke:
        needed = sorted(set(names) | {yardstick_of(name) for name in names})
        pattern = "^(" + "|".join(re.escape(name) for name in needed) + ")$"
        results = google_benchmarks(binary, pattern, False)
    for name in names:
        time_ns = statistics.median(map(nanoseconds, results[name]))
        by_ns = statistics.median(map(nanoseconds, results[yardstick_of(name)]))
        scale, unit = (1, "ns") if time_ns < 1e3 else (1e3, "us")
        yield f"{binary}: {name}", time_ns / scale, unit, time_ns / by_ns
        for counter, unit in (("events_per_sec", "events/s"), ("simulated_sec_per_sec", "s/s")):
            if counter in results[name][0]:
                value = statistics.median(result[counter] for result in results[name])
                # Of events, against operations of the yardstick in the same time.
                ratio = value * by_ns / 1e9 if counter == "events_per_sec" else None
                yield f"{binary}: {name}", value, unit, ratio


def rows_of_queue(smoke):
    """The median of each figure."""
    arguments = ["--runs=20", "--single-jobs=2"] if smoke else []
    figures = {}
    for _ in range(1 if smoke else REPETITIONS):
        done = subprocess.run([sys.executable, str(HERE / "queue_bench.py"), *arguments],
                              stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "SCHEDLAB_BIN_DIR": str(BIN)})
        for line in done.stdout.splitlines():
            figure = json.loads(line)
            figures.setdefault((figure["name"], figure["unit"]), []).append(figure)
    for (name, unit), taken in figures.items():
        yield (name, statistics.median(figure["value"] for figure in taken), unit,
               statistics.median(figure["ratio"] for figure in taken))


def rows_of_gate(wanted, smoke):
    """How often the gate errs and how much it finds, each with its 95 % interval."""
    done = subprocess.run([str(BIN / "gate_power"), "2" if smoke else str(GATE_TRIALS)],
                          stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        figure = json.loads(line)
        name = f"gate: {figure['name']} ({figure['low']:.1f}-{figure['high']:.1f})"
        if wanted in name:
            yield name, figure["value"], figure["unit"], None


def rows_of_series(wanted, smoke):
    """How often the detector of change points errs and how much it finds."""
    part = wanted.removeprefix("series: ") if wanted.startswith("series: ") else ""
    done = subprocess.run([str(BIN / "series_power"), "1" if smoke else str(SERIES_TRIALS), part],
                          stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        figure = json.loads(line)
        yield f"series: {figure['name']}", figure["value"], figure["unit"], None


def rows(wanted, smoke):
    for binary in BINARIES:
        yield from rows_of_binary(binary, wanted, smoke)
    yield from SimRows(BIN, REPETITIONS, smoke).rows(wanted)
    if wanted in "queue":
        yield from rows_of_queue(smoke)
    if wanted == "" or wanted.startswith("gate"):
        yield from rows_of_gate(wanted, smoke)
    if wanted == "" or wanted.startswith("series"):
        yield from rows_of_series(wanted, smoke)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filter", nargs="?", default="", metavar="FILTER")
    parser.add_argument("--smoke", action="store_true", help="each once, as short as can be")
    options = parser.parse_args()
    print(f"{'benchmark':58} {'figure':>14} {'unit':9} {'ratio':>10}")
    count = 0
    for name, value, unit, ratio in rows(options.filter, options.smoke):
        text = "-" if ratio is None else f"{ratio:.4g}"
        print(f"{name:58} {value:14,.2f} {unit:9} {text:>10}", flush=True)
        count += 1
    if count == 0:
        sys.exit(f"no benchmark has '{options.filter}' in its name")


if __name__ == "__main__":
    main()
