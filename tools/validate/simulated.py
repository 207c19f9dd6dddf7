"""Runs a case in the simulator."""

import dataclasses
import json
import re
import subprocess

MIGRATIONS = ("migrations_same_core_per_sec", "migrations_same_llc_per_sec", "migrations_same_node_per_sec",
              "migrations_remote_per_sec")


class SimulationFailed(Exception):
    """What schedlab said."""


@dataclasses.dataclass
class SimulatedRun:
    digest: str
    throughput: float
    switches: float
    migrations: float
    p50: float
    p90: float
    p99: float
    delay: float
    shares: list


class Schedlab:
    """The client program."""

    def __init__(self, program):
        self._program = program

    def _json(self, *words):
        run = subprocess.run([self._program, *words, "-o", "json"], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SimulationFailed(f"`schedlab {' '.join(words)}` ended with {run.returncode}: {run.stderr.strip()}")
        return json.loads(run.stdout)

    def calibrate(self, is_quick):
        return self._json("worker", "calibrate", *(["--quick"] if is_quick else []))

    def nearest_release(self, kernel):
        """The last release of the catalog that is not after `kernel`, "6.18"."""
        return nearest(kernel, json.dumps(self._json("catalog", "policies", "linux-fair-releases")))

    def run(self, case, topology, policy, seed):
        document = self._json("sim", "run", "--topology", str(topology), *case.workload, "--policy", policy,
                              "--seed", str(seed))
        return read_run(document, case)


def version(text):
    return tuple(int(part) for part in text.lstrip("v").split("."))


def nearest(kernel, catalog_text):
    known = set(re.findall(r'"v(\d+(?:\.\d+)+)"', catalog_text))
    fitting = [one for one in known if version(one) <= version(kernel)]
    if not fitting:
        raise SimulationFailed(f"the catalog has no release of Linux up to {kernel}")
    return "v" + max(fitting, key=version)


def read_run(document, case):
    metrics = {name: entry["value"] for name, entry in document["metrics"].items()}
    if case.metric not in metrics:
        raise SimulationFailed(f"{case.name}: the simulated run has no {case.metric}; it has {', '.join(metrics)}")
    seconds = document["simulated_ns"] / 1e9
    switches = metrics["context_switches_per_sec"]
    if case.per_operation:
        switches = switches * seconds / case.operations
    return SimulatedRun(digest=document["digest"], throughput=metrics[case.metric], switches=switches,
                        migrations=sum(metrics.get(name, 0) for name in MIGRATIONS),
                        p50=metrics.get("wakeup_latency_p50_ns"), p90=metrics.get("wakeup_latency_p90_ns"),
                        p99=metrics.get("wakeup_latency_p99_ns"), delay=metrics.get("run_delay_mean_ns"),
                        shares=[thread["work_ns"] / 1e9 for thread in document.get("threads", [])]
                        if case.nices else [])

