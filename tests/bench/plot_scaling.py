"""Draws docs/scaling.svg: the cost of an event by the number of tasks, one line for each number of CPUs,
and what growth with the logarithm of the tasks would be. Reads `sim_scale_bench sweep` from build/release,
or from a file of its lines.

  python3 tests/bench/plot_scaling.py [LINES]"""

import json
import math
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 120, 30, 50
COLORS = ("#1b6ca8", "#2a9d5c", "#c77d0a", "#b3413b", "#6c4ab6")
MAX_TASKS = 100_000
MIN_TASKS = 100


def read_points(path):
    if path:
        text = pathlib.Path(path).read_text()
    else:
        command = [str(ROOT / "build" / "release" / "bin" / "sim_scale_bench"), "sweep"]
        text = "".join(subprocess.run(command, capture_output=True, text=True, check=True).stdout
                       for _ in range(3))
    taken = {}
    for line in text.splitlines():
        point = json.loads(line)
        taken.setdefault(point["cpus"], {}).setdefault(point["tasks"], []).append(point["ns_per_event"])
    return {cpus: {tasks: statistics.median(values) for tasks, values in sorted(by_tasks.items())}
            for cpus, by_tasks in sorted(taken.items())}


class Axes:
    def __init__(self, most_ns):
        self.step = 10 ** math.floor(math.log10(most_ns))
        self.top = math.ceil(most_ns * 1.05 / self.step) * self.step

    def x(self, tasks):
        span = math.log(MAX_TASKS / MIN_TASKS)
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(tasks / MIN_TASKS) / span

    def y(self, ns):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * ns / self.top


def text(x, y, content, anchor="middle", color="#333"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{content}</text>'


def polyline(points, color, dash=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>'


def grid(axes):
    bottom = HEIGHT - BOTTOM
    for i in range(int(axes.top / axes.step) + 1):
        y = axes.y(i * axes.step)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>'
        yield text(LEFT - 8, y + 4, f"{i * axes.step:,.0f}", "end")
    for tasks in (100, 1_000, 10_000, 100_000):
        yield text(axes.x(tasks), bottom + 18, f"{tasks:,}")
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "tasks")
    yield text(LEFT, TOP - 12, "ns of CPU time per event", "start")


def curves(points, axes):
    """Name, color, dashes and points of every line."""
    for (cpus, by_tasks), color in zip(points.items(), COLORS):
        yield f"{cpus:,} CPUs", color, "", [(axes.x(tasks), axes.y(ns)) for tasks, ns in by_tasks.items()]
    # From the cheapest point on: cost proportional to the logarithm of the tasks.
    least = min(by_tasks[MIN_TASKS] for by_tasks in points.values())
    yield "log(tasks)", "#888", "5 4", [
        (axes.x(tasks), axes.y(least * math.log(tasks) / math.log(MIN_TASKS)))
        for tasks in (MIN_TASKS, MAX_TASKS)]


def draw(points, axes):
    """The lines, and their names from the top down, none over another."""
    drawn = sorted(curves(points, axes), key=lambda curve: curve[3][-1][1])
    free_from = 0
    for name, color, dash, path in drawn:
        yield polyline(path, color, dash)
        y = max(path[-1][1] + 4, free_from)
        yield text(WIDTH - RIGHT + 8, y, name, "start", color)
        free_from = y + 14


def main():
    points = read_points(sys.argv[1] if len(sys.argv) > 1 else None)
    axes = Axes(max(max(by_tasks.values()) for by_tasks in points.values()))
    body = [*grid(axes), *draw(points, axes)]
    svg = "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                     'font-family="sans-serif" font-size="12">',
                     f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', *body, "</svg>", ""])
    (ROOT / "docs" / "scaling.svg").write_text(svg)


if __name__ == "__main__":
    main()
