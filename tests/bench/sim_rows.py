"""The rows of run.py about whole simulations: the figures that docs/benchmarks.md promises, each beside
a yardstick of the same run. SimGrid and hackbench rows are left out where those are not installed."""

import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import time

POLICY = "linux-fair-releases@v6.12"
# 64 CPUs in eight caches on two nodes.
SHAPE_64 = "synthetic:numa:2 package:1 l3:4 core:8 pu:1"
TASKS_256 = {
    "hackbench": ("hackbench", {"groups_count": 4, "pairs_count": 32, "loops_count": 100_000}, "200ms"),
    "schbench": ("schbench", {"message_threads_count": 4, "workers_count": 63}, "5s"),
}
TASKS_768 = {
    "spinners": ("spinners", {}),
    "schbench": ("schbench", {"message_threads_count": 4, "workers_count": 191}),
}
HACKBENCH_GROUPS = 10
HACKBENCH_LOOPS = 1000


class SimRows:
    def __init__(self, bin_dir, repetitions, smoke):
        self.bin = pathlib.Path(bin_dir)
        self.repetitions = 1 if smoke else repetitions
        self.smoke = smoke

    def lines(self, command):
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def median(self, measure):
        return statistics.median(measure() for _ in range(self.repetitions))

    def simulate(self, topology, workload, parameters, duration, *options):
        """One run as a process: its document and the CPU time that it took, in seconds."""
        command = [self.bin / "schedlab", "sim", "bench", "--topology", topology, "--workload", workload,
                   "--policy", POLICY, "--duration", "10ms" if self.smoke else duration, "--repeat", "1",
                   "-o", "json", *options]
        for name, value in parameters.items():
            command += ["--param", f"{name}={value}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_sec = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return json.loads(done.stdout), cpu_sec

    def simgrid_events_per_sec(self):
        program = self.bin / "simgrid_sleep_bench"
        if not program.exists():
            return None
        size = ["16", "10"] if self.smoke else ["256", "2000"]
        return self.median(lambda: self.lines([program, *size])[0]["events_per_sec"])

    def rows_of_speed(self):
        yardstick = self.simgrid_events_per_sec()
        if yardstick is not None:
            yield "sim: yardstick, SimGrid actors that sleep", yardstick, "events/s", 1
        for traced, options in (("", []), (", traced", ["--trace"])):
            for name, arguments in TASKS_256.items():
                def speed(arguments=arguments, options=options):
                    document, cpu_sec = self.simulate(SHAPE_64, *arguments, *options)
                    return document["events"] / cpu_sec
                value = self.median(speed)
                ratio = value / yardstick if yardstick else None
                yield f"sim: 64 CPUs, 256 tasks, {name}{traced}", value, "events/s", ratio

    def rows_of_large_machine(self):
        """5 simulated seconds; the ratio is simulated time per time taken."""
        for name, (workload, parameters) in TASKS_768.items():
            def seconds(workload=workload, parameters=parameters):
                return self.simulate("genoa-2s", workload, parameters, "5s")[1]
            value = self.median(seconds)
            yield f"sim: 384 CPUs, 768 tasks, {name}, 5 s", value, "s", 5 / value

    def rows_of_hackbench(self):
        """The same hackbench, simulated and real, in turn; the ratio is to the real one."""
        if shutil.which("hackbench") is None:
            return
        loops = 1 if self.smoke else HACKBENCH_LOOPS
        parameters = {"groups_count": HACKBENCH_GROUPS, "loops_count": loops}
        simulated, real = [], []
        for _ in range(self.repetitions):
            simulated.append(self.simulate("kvm-2", "hackbench", parameters, "600s")[0]["wall_sec"])
            begin = time.monotonic()
            subprocess.run(["hackbench", "-g", str(HACKBENCH_GROUPS), "-l", str(loops)],
                           stdout=subprocess.DEVNULL, check=True)
            real.append(time.monotonic() - begin)
        by = statistics.median(real)
        command = f"hackbench -g {HACKBENCH_GROUPS} -l {HACKBENCH_LOOPS}"
        yield f"sim: {command}, real, on {os.cpu_count()} CPUs", by, "s", 1
        value = statistics.median(simulated)
        yield f"sim: {command}, simulated, on 2 CPUs", value, "s", value / by

    def rows_of_pair(self):
        program = [self.bin / "sim_scale_bench", "pair", *(["20"] if self.smoke else [])]

        def speedup():
            result = self.lines(program)[0]
            return result["alone_sec"] / result["together_sec"]
        value = self.median(speedup)
        yield "sim: two runs at once, by one after the other", value, "x", value

    def rows_of_memory(self):
        program = [self.bin / "sim_scale_bench", "memory", *(["2000"] if self.smoke else [])]
        value = self.lines(program)[0]["bytes_per_task"]
        yield "sim: memory of a task, 1,024 CPUs", value, "bytes", value / 1024

    def sweep(self):
        """{CPUs: {tasks: ns per event}}"""
        program = [self.bin / "sim_scale_bench", "sweep", *(["200"] if self.smoke else [])]
        points = {}
        for _ in range(self.repetitions):
            for point in self.lines(program):
                by_tasks = points.setdefault(point["cpus"], {})
                by_tasks.setdefault(point["tasks"], []).append(point["ns_per_event"])
        return {cpus: {tasks: statistics.median(values) for tasks, values in by_tasks.items()}
                for cpus, by_tasks in points.items()}

    def rows_of_sweep(self):
        """The ratio is to the cost with the fewest tasks on those CPUs."""
        for cpus, by_tasks in self.sweep().items():
            least = min(by_tasks)
            for tasks, value in by_tasks.items():
                yield f"sim: event, {cpus:,} CPUs, {tasks:,} tasks", value, "ns", value / by_tasks[least]

    def rows(self, wanted):
        for words, rows in (("sim: yardstick, SimGrid; 64 CPUs, 256 tasks, traced", self.rows_of_speed),
                            ("sim: 384 CPUs, 768 tasks", self.rows_of_large_machine),
                            ("sim: hackbench, real, simulated", self.rows_of_hackbench),
                            ("sim: two runs at once", self.rows_of_pair),
                            ("sim: memory of a task", self.rows_of_memory),
                            ("sim: event, sweep", self.rows_of_sweep)):
            if wanted in words:
                yield from rows()
