"""Processes that only compute, each with its nice value, for some seconds.

    python3 spin.py SECONDS NICE...

Prints the CPU seconds that each of them had, in their order.
"""

import json
import os
import signal
import sys
import time


def spin(nice):
    os.nice(nice)
    while True:
        pass


def main(seconds, nices):
    children = []
    for nice in nices:
        child = os.fork()
        if child == 0:
            spin(nice)
        children.append(child)
    begin = time.monotonic()
    # A handler, so that the alarm ends the pause and not this process.
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.pause()
    for child in children:
        os.kill(child, signal.SIGKILL)
    elapsed = time.monotonic() - begin
    usages = [os.wait4(child, 0)[2] for child in children]
    print(json.dumps({"elapsed_sec": elapsed, "cpu_sec": [use.ru_utime + use.ru_stime for use in usages]}))


if __name__ == "__main__":
    main(float(sys.argv[1]), [int(word) for word in sys.argv[2:]])
