"""What is run for real and in the simulator: each case is one workload with one setting.

Sizes are for runs of about a second, `scale` shrinks them. What the simulator is told of a workload's operations
comes from `costs`, the measurements of `schedlab worker calibrate`, and from nothing else.
"""

import dataclasses
import json
import pathlib
import sys

import parse

PAIRS = 20  # senders, and receivers, of a group of hackbench and of perf bench sched messaging
HACKBENCH_MESSAGES = 1_000_000
PIPE_EXCHANGES = 200_000
RT_PRIORITY = 10
# sched(7): the numbers by which the simulated workload knows a policy, and how chrt is told.
POLICIES = {"other": (0, []), "batch": (3, ["chrt", "-b", "0"]), "fifo": (1, ["chrt", "-f", str(RT_PRIORITY)]),
            "rr": (2, ["chrt", "-r", str(RT_PRIORITY)])}


@dataclasses.dataclass
class Outcome:
    """What a real run says of itself."""
    operations: float  # done, of the case's unit
    seconds: float     # in which they were done
    shares: list = dataclasses.field(default_factory=list)  # CPU seconds of its tasks, where they compete


@dataclasses.dataclass
class Case:
    name: str
    unit: str            # of its throughput
    command: list        # the real run
    read: object         # its output -> Outcome
    workload: list       # options of `schedlab sim run`
    metric: str          # the simulator's name of the throughput
    names: tuple         # beginnings of the names of its tasks
    orders: tuple = ()   # rankings that it takes part in
    operations: int = 0  # of a whole run, where its length is a number of them
    per_operation: bool = True  # switches are compared per operation, else per second
    needs_policy: bool = False  # to run it needs the right to use real-time policies
    nices: tuple = ()    # of its competing tasks
    prepare: object = None  # called with the folder before each real run


class Costs:
    """Medians of a calibration, in nanoseconds."""

    def __init__(self, document):
        self._measurements = document["measurements"]

    def get(self, name):
        row = self._measurements.get(name)
        return row["median"] if row else None

    def whole(self, name):
        value = self.get(name)
        return max(1, round(value if value is not None else 1))

    def mean(self, *names):
        """Of those that were measured: a machine of one CPU has nothing apart."""
        values = [self.get(name) for name in names if self.get(name) is not None]
        return max(1, round(sum(values) / len(values)))


def parameters(**values):
    return [word for name, value in values.items() for word in ("--param", f"{name}={value}")]


def message_parameters(costs, is_pipe, is_threads, capacity):
    kind = "pipe" if is_pipe else "socket"
    start, life, end = (("thread_create", "thread_life", "thread_exit") if is_threads
                        else ("fork", "process_life", "process_exit"))
    # Where there are two CPUs both are at work and half of the messages cross: the mean of both.
    setting = "100_many_both" if costs.get(f"{kind}_write_100_many_both") is not None else "100_many"
    values = {
        "write_work_ns": costs.mean(f"{kind}_write_{setting}", f"{kind}_write_{setting}_apart"),
        "read_work_ns": costs.mean(f"{kind}_read_{setting}", f"{kind}_read_{setting}_apart"),
        "fork_work_ns": costs.whole(start),
        "start_work_ns": max(1, costs.whole(life) - costs.whole(start) - costs.whole(end)),
        "exit_work_ns": costs.whole(end),
        "pipes_flag": int(is_pipe),
        "threads_flag": int(is_threads),
    }
    if not is_pipe:
        values["socket_capacity_count"] = capacity
    return values


def messages(seconds_of, count):
    return lambda text, folder: Outcome(operations=count, seconds=seconds_of(text))


def message_case(name, command, seconds_of, groups, loops, values, orders, **more):
    simulated = dict(values, groups_count=groups, pairs_count=PAIRS, loops_count=loops)
    return Case(name=name, unit="messages/s", command=command,
                read=messages(seconds_of, groups * PAIRS * PAIRS * loops), operations=groups * PAIRS * PAIRS * loops,
                workload=["--workload", "hackbench", *parameters(**simulated)], metric="messages_per_sec",
                orders=orders, **more)


def loops_of(groups, scale):
    return max(2, round(HACKBENCH_MESSAGES * scale / (groups * PAIRS * PAIRS)))


def hackbench(costs, capacity, scale, groups, is_pipe=False, is_threads=False, policy="other", orders=()):
    number, prefix = POLICIES[policy]
    loops = loops_of(groups, scale)
    values = message_parameters(costs, is_pipe, is_threads, capacity)
    if policy != "other":
        values.update(policy_number=number)
    kind = ("pipes" if is_pipe else "sockets") + (", threads" if is_threads else "")
    kind += f", {policy.upper()}" if policy != "other" else ""
    command = [*prefix, "hackbench", "-g", str(groups), "-l", str(loops)]
    command += (["-p"] if is_pipe else []) + (["-T"] if is_threads else [])
    return message_case(f"hackbench {groups} {kind}", command, parse.hackbench_seconds, groups, loops, values, orders,
                        names=("hackbench",), needs_policy=policy in ("fifo", "rr"))


def messaging(costs, capacity, scale, groups, is_pipe=False, orders=()):
    loops = loops_of(groups, scale)
    values = message_parameters(costs, is_pipe, False, capacity)
    command = ["perf", "bench", "sched", "messaging", "-g", str(groups), "-l", str(loops)]
    return message_case(f"perf messaging {groups} {'pipes' if is_pipe else 'sockets'}",
                        command + (["-p"] if is_pipe else []), parse.perf_bench_seconds, groups, loops, values, orders,
                        names=("sched-messaging", "perf"))


def pipe(costs, scale, placement, policy="other", orders=()):
    count = max(10, round(PIPE_EXCHANGES * scale))
    work = costs.whole("pipe_exchange_1")
    values = {"exchanges_count": count, "client_work_ns": work, "server_work_ns": work,
              "fork_work_ns": costs.whole("fork")}
    prefix = []
    if placement == "one CPU":
        values["cpus_count"] = 1
        prefix = ["taskset", "-c", "0"]
    if policy == "rr":
        values["rr_priority"] = RT_PRIORITY
    prefix += POLICIES[policy][1]
    name = f"perf pipe, {placement}" + (f", {policy.upper()}" if policy != "other" else "")
    return Case(name=name, unit="exchanges/s", command=[*prefix, "perf", "bench", "sched", "pipe", "-l", str(count)],
                read=lambda text, folder: Outcome(count, parse.perf_bench_seconds(text)),
                workload=["--workload", "pipe", "--duration", "60s", *parameters(**values)],
                metric="exchanges_per_sec", names=("sched-pipe", "perf"), orders=orders, operations=count,
                needs_policy=policy in ("fifo", "rr"))


def rt_app_outcome(folder, seconds):
    logs = sorted((folder / "rt-app").glob("rt-*.log"))
    return Outcome(sum(parse.rt_app_passes(log.read_text()) for log in logs), seconds)


def rt_app(name, tasks, folder, seconds, load_ns, orders=()):
    path = folder / f"{name}.json"
    document = {"tasks": tasks,
                "global": {"duration": seconds, "calibration": load_ns, "default_policy": "SCHED_OTHER",
                           "log_size": 4, "logdir": str(folder / "rt-app"), "log_basename": "rt", "ftrace": False,
                           "gnuplot": False}}
    path.write_text(json.dumps(document, indent=1))

    def empty_logs():
        (folder / "rt-app").mkdir(exist_ok=True)
        for log in (folder / "rt-app").glob("*.log"):
            log.unlink()

    return Case(name=f"rt-app {name}", unit="passes/s", command=["rt-app", str(path)],
                read=lambda text, folder: rt_app_outcome(folder, seconds),
                workload=["--workload", "rt_app", "--workload-file", str(path), "--duration", f"{seconds}s"],
                metric="activations_per_sec", names=tuple(tasks), orders=orders, per_operation=False,
                prepare=empty_logs)


RT_APP_TASKS = {
    # 2.25 times 40 % of a CPU: both CPUs nearly full, everybody with a period.
    "periodic": {"tick": {"instance": 6, "loop": -1, "run": 2500, "timer": {"ref": "unique", "period": 10000}}},
    # Sleepers among tasks that compute without end.
    "mixed": {"hog": {"instance": 3, "loop": -1, "run": 5000},
              "light": {"instance": 4, "loop": -1, "run": 200, "sleep": 3000}},
    # One works, wakes the next, and waits.
    "chain": {"source": {"loop": -1, "run": 300, "resume": "middle", "timer": {"ref": "unique", "period": 2000}},
              "middle": {"loop": -1, "suspend": "middle", "run": 500, "resume": "sink"},
              "sink": {"loop": -1, "suspend": "sink", "run": 400},
              "hog": {"instance": 2, "priority": 10, "loop": -1, "run": 5000}},
}


def spin_outcome(text, folder):
    document = json.loads(text)
    return Outcome(sum(document["cpu_sec"]), document["elapsed_sec"], document["cpu_sec"])


def spinners(folder, nices, seconds):
    path = folder / f"spinners{'_'.join(str(nice) for nice in nices)}.json"
    tasks = {f"spin{i}": {"loop": -1, "priority": nice, "run": 100000} for i, nice in enumerate(nices)}
    path.write_text(json.dumps({"tasks": tasks}))
    program = pathlib.Path(__file__).with_name("spin.py")
    return Case(name=f"spinners, nice {' '.join(str(nice) for nice in nices)}", unit="CPUs",
                command=[sys.executable, str(program), str(seconds), *(str(nice) for nice in nices)],
                read=spin_outcome,
                workload=["--workload", "rt_app", "--workload-file", str(path), "--duration", f"{seconds}s"],
                metric="work_per_sec", names=("python",), per_operation=False, nices=tuple(nices))


def stress(count, seconds):
    values = {"cpu_count": count, "io_count": 0, "vm_count": 0, "fork_count": 0, "yield_count": 0}
    return Case(name=f"stress-ng cpu {count}", unit="CPUs",
                command=["stress-ng", "--cpu", str(count), "--cpu-method", "loop", "--timeout", f"{seconds}s",
                         "--metrics-brief"],
                read=lambda text, folder: Outcome(parse.stress_cpu_per_second(text, "cpu"), 1),
                workload=["--workload", "stress", "--duration", f"{seconds}s", *parameters(**values)],
                metric="work_per_sec", names=("stress-ng",), orders=("stress-ng cpu",), per_operation=False)


def all_cases(costs, capacity, load_ns, folder, scale):
    """Every case of the table, in its order."""
    seconds = max(1, round(4 * scale))
    hack = lambda groups, **more: hackbench(costs, capacity, scale, groups, **more)
    return [
        hack(1, orders=("groups on sockets", "sockets or pipes, 1 group")),
        hack(2, orders=("groups on sockets", "policies")),
        hack(5, orders=("groups on sockets", "processes or threads")),
        hack(10, orders=("groups on sockets", "sockets or pipes, 10 groups")),
        hack(1, is_pipe=True, orders=("groups on pipes", "sockets or pipes, 1 group")),
        hack(2, is_pipe=True, orders=("groups on pipes",)),
        hack(5, is_pipe=True, orders=("groups on pipes",)),
        hack(10, is_pipe=True, orders=("groups on pipes", "sockets or pipes, 10 groups")),
        hack(5, is_threads=True, orders=("processes or threads",)),
        hack(2, policy="batch", orders=("policies",)),
        hack(2, policy="fifo", orders=("policies",)),
        hack(2, policy="rr", orders=("policies",)),
        messaging(costs, capacity, scale, 2, orders=("messaging",)),
        messaging(costs, capacity, scale, 5, is_pipe=True, orders=("messaging",)),
        pipe(costs, scale, "any CPU", orders=("placement of a pair", "policy of a pair")),
        pipe(costs, scale, "one CPU", orders=("placement of a pair",)),
        pipe(costs, scale, "any CPU", policy="rr", orders=("policy of a pair",)),
        *(rt_app(name, tasks, folder, seconds, load_ns) for name, tasks in RT_APP_TASKS.items()),
        spinners(folder, (0, 0, 0), seconds),
        spinners(folder, (0, 5, 0), seconds),
        spinners(folder, (-5, 0, 5), seconds),
        spinners(folder, (-5, 0, 0, 5, 5), seconds),
        stress(1, seconds),
        stress(2, seconds),
        stress(4, seconds),
    ]
