"""What the tools print, as numbers. Each function raises ValueError where its text is not what the tool prints."""

import re

HACKBENCH_TIME = re.compile(r"^Time:\s+([0-9.]+)$", re.MULTILINE)
PERF_BENCH_TIME = re.compile(r"^\s+Total time: ([0-9.]+) \[sec\]$", re.MULTILINE)
STRESS_ROW = re.compile(r"^stress-ng: metrc: \[\d+\] (\S+)\s+(\d+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s", re.MULTILINE)
RT_APP_LOAD = re.compile(r"pLoad = (\d+)ns")
RT_APP_HEAD = re.compile(r"^#idx\s+perf\s+run\s+period", re.MULTILINE)
SCHED_EVENT = re.compile(r"^\s*(?:\S.*?)\s+\d+\s+\[(\d+)\]\s+([0-9.]+):\s+sched:(sched_\w+):\s+(.*)$")
SWITCH = re.compile(r"prev_comm=(.*?) prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> next_comm=(.*?) next_pid=(\d+) ")
WAKING = re.compile(r"comm=(.*?) pid=(\d+) prio=-?\d+")


def only(pattern, text, what):
    found = pattern.search(text)
    if not found:
        raise ValueError(f"no line of {what} in: {text[-300:]!r}")
    return found


def hackbench_seconds(text):
    return float(only(HACKBENCH_TIME, text, "hackbench's time")[1])


def perf_bench_seconds(text):
    return float(only(PERF_BENCH_TIME, text, "perf bench's time")[1])


def stress_cpu_per_second(text, stressor):
    """CPU seconds a second that the stressors of one name had."""
    for name, _, real, user, system in STRESS_ROW.findall(text):
        if name == stressor:
            return (float(user) + float(system)) / float(real)
    raise ValueError(f"no row of {stressor} in: {text[-300:]!r}")


def rt_app_load_ns(text):
    """Nanoseconds of one loop of rt-app, as it has measured or was told."""
    return int(only(RT_APP_LOAD, text, "rt-app's calibration")[1])


def rt_app_passes(text):
    """Passes over a phase in the log of one thread."""
    if not RT_APP_HEAD.search(text):
        raise ValueError(f"no head of rt-app's log in: {text[:300]!r}")
    return sum(1 for line in text.splitlines() if line.strip() and not line.startswith("#"))


def perf_stat(text):
    """Counts by event of `perf stat -x,`; None for what is not supported or was not counted."""
    counts = {}
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) < 3 or line.startswith("#"):
            continue
        value = None if fields[0].startswith("<") else float(fields[0])
        counts[fields[2]] = value
    if not counts:
        raise ValueError(f"no count of perf stat in: {text[-300:]!r}")
    return counts


def proc_stat(text):
    """Ticks by kind of the line of all CPUs, and the number of switches since the machine came up."""
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    ticks = dict(zip(names, (int(word) for word in only(re.compile(r"^cpu +(.*)$", re.MULTILINE), text, "CPU times")[1].split())))
    ticks["switches"] = int(only(re.compile(r"^ctxt (\d+)$", re.MULTILINE), text, "switches")[1])
    return ticks


class Waits:
    """How long tasks waited for a CPU, from sched_waking and sched_switch in their order.

    Of tasks whose name begins with one of `names`, if any are given. A wakeup of a task that has not left its
    queue is none, as in the kernel's own statistics.
    """

    def __init__(self, names=()):
        self.names = tuple(names)
        self.wakeup_ns = []
        self.delay_ns = []
        self.switches = 0
        self._woken = {}
        self._queued = {}
        self._active = set()

    def _counts(self, name):
        return not self.names or name.startswith(self.names)

    def feed(self, line):
        event = SCHED_EVENT.match(line)
        if not event:
            return
        at_ns = nanoseconds(event[2])
        if event[3] == "sched_switch":
            self._switch(at_ns, only(SWITCH, event[4] + " ", "sched_switch"))
        elif event[3] in ("sched_waking", "sched_wakeup_new"):
            woken = only(WAKING, event[4], event[3])
            self._wake(at_ns, woken[1], int(woken[2]), event[3] == "sched_waking")

    def _wake(self, at_ns, name, task, is_wakeup):
        if task in self._active or not self._counts(name):
            return
        self._active.add(task)
        self._queued[task] = at_ns
        if is_wakeup:
            self._woken[task] = at_ns

    def _switch(self, at_ns, switch):
        self.switches += 1
        left, state, chosen = int(switch[2]), switch[3], int(switch[5])
        if left and self._counts(switch[1]):
            if state.startswith("R"):
                self._active.add(left)
                self._queued[left] = at_ns
            else:
                self._active.discard(left)
        if chosen and self._counts(switch[4]):
            self._active.add(chosen)
            if chosen in self._queued:
                self.delay_ns.append(at_ns - self._queued.pop(chosen))
            if chosen in self._woken:
                self.wakeup_ns.append(at_ns - self._woken.pop(chosen))


def nanoseconds(text):
    """Of "12.345678901": exact, which a float of a long uptime is not."""
    whole, _, part = text.partition(".")
    return int(whole) * 1_000_000_000 + int((part + "000000000")[:9])


def quantile(values, fraction):
    """By linear interpolation between order statistics; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    at = (len(ordered) - 1) * fraction
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)
