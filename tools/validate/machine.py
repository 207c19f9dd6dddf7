"""The machine at hand: what is installed, what may be measured, what disturbs."""

import os
import pathlib
import platform
import re
import shutil
import socket
import subprocess

import parse

# What a program comes in, on Debian.
PACKAGES = {"hackbench": "rt-tests", "perf": "linux-perf", "rt-app": "rt-app", "stress-ng": "stress-ng",
            "taskset": "util-linux", "chrt": "util-linux"}


def missing_programs():
    """Lines that say what is missing and how to get it."""
    missing = [name for name in PACKAGES if not shutil.which(name)]
    if not missing:
        return []
    packages = " ".join(sorted({PACKAGES[name] for name in missing}))
    return [f"not found: {', '.join(missing)}; on Debian: apt-get install {packages}"]


def answers(command):
    return subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


def can_count():
    """Whether perf may count the switches and migrations of the whole machine."""
    return answers(["perf", "stat", "-a", "-x,", "-e", "context-switches,cpu-migrations", "--", "true"])


def can_trace():
    """Whether perf may record scheduler events of the whole machine."""
    return answers(["perf", "record", "-q", "-a", "-o", "/dev/null", "-e", "sched:sched_switch", "--", "true"])


def can_change_policy():
    return answers(["chrt", "-f", "10", "true"])


def ticks():
    return parse.proc_stat(pathlib.Path("/proc/stat").read_text())


def steal_permille(before, after):
    spent = sum(after[name] - before[name] for name in after if name != "switches")
    return 1000 * (after["steal"] - before["steal"]) / max(1, spent)


def socket_capacity(size=100):
    """Messages of `size` bytes that a local stream socket takes before its writer would wait."""
    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        count = 0
        try:
            while one.send(b"x" * size) == size:
                count += 1
        except BlockingIOError:
            pass
        return count


def kernel_release():
    """("6.18", "6.18.44-...")."""
    whole = platform.release()
    number = re.match(r"\d+\.\d+", whole)
    return (number[0] if number else whole), whole


def describe():
    """Facts that stand beside every table."""
    _, kernel = kernel_release()
    model = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    virtual = subprocess.run(["systemd-detect-virt"], capture_output=True, text=True, check=False).stdout.strip() \
        if shutil.which("systemd-detect-virt") else ""
    if not virtual or virtual == "none":
        virtual = "a guest" if "hypervisor" in pathlib.Path("/proc/cpuinfo").read_text() else "no guest"
    return {"kernel": kernel, "cpus": len(os.sched_getaffinity(0)), "cpu_model": model[1] if model else "unknown",
            "virtualization": virtual}
