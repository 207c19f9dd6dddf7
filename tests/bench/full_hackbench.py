"""hackbench as it was reported against Linux 3.4-rc2, 100 groups of 40 processes and 80 million messages, on the
kernels from 3.3 to 3.4: CPU time of the simulation, events per second of it, and what came out, by 3.3."""

import argparse
import json
import os
import pathlib
import resource
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("SCHEDLAB_BIN_DIR",
                                  HERE.parents[1] / "build" / "release" / "bin")).resolve()
KERNELS = ("v3.3", "367456c756a6", "5d6523ebd2f6", "v3.4")
# A fork and the start of a child take about as long as each other, so that sleepers stack on few CPUs.
PARAMETERS = {"fork_work_ns": 70_000, "start_work_ns": 80_000, "write_work_ns": 900, "read_work_ns": 1_150,
              "task_group_flag": 1}


def children_cpu_sec():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def simulate(kernel, options):
    """(CPU seconds, {metric: value}, events) of one run."""
    command = [str(BIN / "schedlab"), "sim", "run", "--topology", "snb-ep-2s", "--workload", "hackbench",
               "--policy", f"linux-fair-3.4@{kernel}", "--seed", str(options.seed), "-o", "json",
               "--duration", "600s"]
    parameters = PARAMETERS | {"groups_count": options.groups, "loops_count": options.loops}
    for name, value in parameters.items():
        command += ["--param", f"{name}={value}"]
    before = children_cpu_sec()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout)
    values = {name: metric["value"] for name, metric in result["metrics"].items()}
    return children_cpu_sec() - before, values, result["events"], result["simulated_ns"] / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=100)
    parser.add_argument("--loops", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'kernel':14} {'CPU s':>8} {'M events/s':>10} {'simulated s':>11} {'time x':>7} {'switches x':>10} "
          f"{'idle x':>8} {'lock wait %':>11}")
    baseline = None
    for kernel in KERNELS:
        cpu_sec, values, event_count, simulated_sec = simulate(kernel, options)
        elapsed = values["elapsed_sec"]
        switches = values["context_switches_per_sec"] * simulated_sec
        idles = values["goidle_per_sec"] * simulated_sec
        baseline = baseline or (elapsed, switches, idles)
        lock_share = values["newidle_lock_wait_sec"] / simulated_sec / 32
        print(f"{kernel:14} {cpu_sec:8.1f} {event_count / cpu_sec / 1e6:10.1f} {elapsed:11.2f} "
              f"{elapsed / baseline[0]:7.2f} {switches / baseline[1]:10.1f} {idles / baseline[2]:8.1f} "
              f"{100 * lock_share:11.2f}", flush=True)


if __name__ == "__main__":
    main()
