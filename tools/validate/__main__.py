"""Compares the simulator with this machine: the same workloads for real and simulated.

    python3 tools/validate                                       a table on stdout
    python3 tools/validate --write docs/validation.md            into a page, between its marks
    python3 tools/validate --smoke                               each case once and tiny: does everything work?

Costs come from `schedlab worker calibrate` and from nothing that is compared. Needs hackbench, perf, rt-app and
stress-ng; perf events and real-time policies need root. Takes the whole machine: run nothing beside it.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import cases as case_list
import compare
import machine
import parse
import real
import report
import simulated

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMOKE_SCALE = 0.01
TRACE_SCALE = 0.2
BUSY_LOAD = 0.5


def arguments(words):
    parser = argparse.ArgumentParser(prog="tools/validate", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--schedlab", default=os.environ.get("SCHEDLAB_BIN_DIR", str(ROOT / "build/release/bin")) + "/schedlab",
                        help="the client program")
    parser.add_argument("--rounds", type=int, default=7, help="real runs of each case (7)")
    parser.add_argument("--traced-rounds", type=int, default=3, help="traced runs of each case, for latencies (3)")
    parser.add_argument("--seeds", type=int, default=7, help="simulated runs of each case (7)")
    parser.add_argument("--scale", type=float, default=1.0, help="length of the runs (1)")
    parser.add_argument("--only", default="", help="cases whose name this regular expression finds")
    parser.add_argument("--calibration", type=pathlib.Path, help="JSON of `schedlab worker calibrate -o json`; else it is taken first")
    parser.add_argument("--results", type=pathlib.Path, help="where everything goes as JSON")
    parser.add_argument("--write", type=pathlib.Path, action="append", default=[], help="a page whose marks get all tables")
    parser.add_argument("--write-short", type=pathlib.Path, action="append", default=[], help="one whose marks get the main table")
    parser.add_argument("--smoke", action="store_true", help="each case once and tiny; nothing is judged")
    options = parser.parse_args(words)
    if options.smoke:
        options.rounds = options.traced_rounds = 1
        options.seeds = 1
        options.scale = SMOKE_SCALE
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


def rt_app_calibration(folder):
    """Nanoseconds of one loop of rt-app, by its own measurement on CPU 0."""
    path = folder / "calibrate.json"
    path.write_text('{"tasks": {"one": {"loop": 1, "run": 10}}, "global": {"duration": 1, "calibration": "CPU0", '
                    '"ftrace": false, "gnuplot": false, "logdir": "' + str(folder) + '"}}')
    return parse.rt_app_load_ns(real.finish(["rt-app", str(path)], folder))


class Comparison:
    """All runs of all cases."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.schedlab = simulated.Schedlab(options.schedlab)
        self.can_count = machine.can_count()
        self.can_trace = machine.can_trace()
        self.steal = []

    def prepare(self):
        load = os.getloadavg()[0]
        if load > BUSY_LOAD and not self.options.smoke:
            say(f"this machine is busy (load {load:.2f}): the numbers will say little")
        for is_possible, what in ((self.can_count, "count migrations"), (self.can_trace, "record latencies")):
            if not is_possible:
                say(f"perf may not {what} here: those cells stay empty (run as root, or lower kernel.perf_event_paranoid)")
        say("calibrating")
        self.calibration = (json.loads(self.options.calibration.read_text()) if self.options.calibration
                            else self.schedlab.calibrate(self.options.smoke))
        self.topology = self.folder / "machine.toml"
        self.topology.write_text(self.calibration["topology_toml"])
        release, _ = machine.kernel_release()
        self.policy = f"linux-fair-releases@{self.schedlab.nearest_release(release)}"
        self.load_ns = rt_app_calibration(self.folder)
        self.facts = {**machine.describe(), "policy": self.policy, "load_before": load, "calibration": self.calibration,
                      "rounds": self.options.rounds, "traced_rounds": self.options.traced_rounds, "seeds": self.options.seeds,
                      "rt_app_load_ns": self.load_ns, "socket_capacity": machine.socket_capacity()}
        self.cases = self.make_cases(self.options.scale)

    def make_cases(self, scale):
        costs = case_list.Costs(self.calibration)
        made = case_list.all_cases(costs, self.facts["socket_capacity"], self.load_ns, self.folder, scale)
        may = machine.can_change_policy()
        return [case for case in made if re.search(self.options.only, case.name) and (may or not case.needs_policy)]

    def run_real(self):
        """By turns, so that what changes on the machine meanwhile changes for all cases."""
        runs = {case.name: [] for case in self.cases}
        for number in range(self.options.rounds):
            for case in self.cases:
                say(f"round {number + 1} of {self.options.rounds}: {case.name}")
                run = real.run_once(case, self.folder, self.can_count)
                self.steal.append(run.steal_permille)
                runs[case.name].append(run)
        self.facts["steal_permille"] = sum(self.steal) / max(1, len(self.steal))
        return runs

    def run_traced(self):
        scale = self.options.scale if self.options.smoke else self.options.scale * TRACE_SCALE
        shorter = self.make_cases(scale)
        latencies = {case.name: [] for case in shorter}
        for number in range(self.options.traced_rounds if self.can_trace else 0):
            for case in shorter:
                say(f"traced round {number + 1} of {self.options.traced_rounds}: {case.name}")
                one = real.trace_once(case, self.folder)
                if one:
                    latencies[case.name].append(one)
        self.make_cases(self.options.scale)  # the files of the cases as they were
        return latencies

    def run_simulated(self):
        runs = {}
        for case in self.cases:
            say(f"simulated: {case.name}")
            runs[case.name] = [self.schedlab.run(case, self.topology, self.policy, seed + 1)
                               for seed in range(self.options.seeds)]
        return runs

    def rows(self):
        real_runs, latencies, simulated_runs = self.run_real(), self.run_traced(), self.run_simulated()
        return [compare.make_row(case, real_runs[case.name], latencies[case.name], simulated_runs[case.name])
                for case in self.cases], real_runs, latencies, simulated_runs

    def repeats(self, case, digest):
        """Whether the simulator gives the same run again."""
        return self.schedlab.run(case, self.topology, self.policy, 1).digest == digest


def results(comparison, real_runs, latencies, simulated_runs):
    as_dicts = lambda runs: {name: [vars(one) for one in some] for name, some in runs.items()}
    return {"facts": comparison.facts, "real": as_dicts(real_runs), "latencies": as_dicts(latencies),
            "simulated": as_dicts(simulated_runs)}


def empty_cells(rows):
    """Names of cells that have no number though this machine could give it."""
    return [f"{row.case.name}: {column}" for row in rows for column in compare.COLUMNS
            if row.simulated[column] is None or row.real[column] is None]


def main(words):
    options = arguments(words)
    missing = machine.missing_programs()
    if not pathlib.Path(options.schedlab).is_file():
        missing.append(f"no program {options.schedlab}: build it (./dev build), or say where it is with --schedlab")
    if missing:
        say("\n".join(missing))
        return 2
    with tempfile.TemporaryDirectory(prefix="schedlab-validate-") as name:
        comparison = Comparison(options, pathlib.Path(name))
        try:
            comparison.prepare()
            if not comparison.cases:
                say(f"no case has a name that '{options.only}' finds")
                return 2
            rows, *runs = comparison.rows()
            different = [case.name for case in comparison.cases
                         if not comparison.repeats(case, runs[2][case.name][0].digest)]
        except (real.RunFailed, simulated.SimulationFailed, ValueError, OSError) as error:
            say(f"cannot compare: {error}")
            return 4
        orders = compare.orders_of(rows)
        print(report.whole(rows, orders, comparison.facts))
        if options.results:
            options.results.write_text(json.dumps(results(comparison, *runs), indent=1, default=vars))
        for path in options.write:
            report.write_between_marks(path, report.whole(rows, orders, comparison.facts))
        for path in options.write_short:
            report.write_between_marks(path, report.short(rows, orders, comparison.facts))
        for problem in [*(f"two runs of one seed differ: {name}" for name in different),
                        *(f"no number: {cell}" for cell in empty_cells(rows))]:
            say(problem)
        return 70 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
