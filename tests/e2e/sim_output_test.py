"""What `schedlab sim` writes is read by the tools that it is written for, and all of it tells one story."""

import collections
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import schedlab_program as program

RUN = ("--topology", "kvm-4x4", "--workload", "hackbench", "--policy", "linux-fair@v3.11", "--seed", "2",
       "--duration", "60ms")
FTRACE_LINE = re.compile(r"^\s*(?P<task>.+)-(?P<tid>\d+)\s+\[(?P<cpu>\d+)\] \S+\s+(?P<seconds>[\d.]+): "
                         r"(?P<event>\w+): (?P<fields>.*)$")
FIELD = re.compile(r"(\w+)=(\S+)")
SWITCH = re.compile(r"(\S+):(\d+) \[(-?\d+)\] (\S) ==> (\S+):(\d+) \[(-?\d+)\]")
REPORT_LINE = re.compile(r"^\s*(?P<task>.+)-(?P<tid>\d+)\s+\[(?P<cpu>\d+)\]\s+(?P<seconds>[\d.]+): "
                         r"(?P<event>\w+):\s+(?P<fields>.*)$")
STATES = {0: "R", 1: "S", 16: "X"}
# Field numbers of the protobuf: what the same fields are called in the kernel's own text.
PERFETTO_EVENTS = {
    4: ("sched_switch", {1: "prev_comm", 2: "prev_pid", 3: "prev_prio", 4: "prev_state", 5: "next_comm",
                         6: "next_pid", 7: "next_prio"}),
    20: ("sched_waking", {1: "comm", 2: "pid", 3: "prio", 5: "target_cpu"}),
    114: ("sched_wakeup_new", {1: "comm", 2: "pid", 3: "prio", 5: "target_cpu"}),
    491: ("sched_migrate_task", {1: "comm", 2: "pid", 3: "prio", 4: "orig_cpu", 5: "dest_cpu"}),
}
Event = collections.namedtuple("Event", "microseconds cpu tid name fields")


def fields_of(pairs):
    """A value that compares equal whatever the format: numbers as numbers."""
    return tuple(sorted((name, int(value) if re.fullmatch(r"-?\d+", value) else value)
                        for name, value in pairs))


def microseconds(seconds):
    whole, fraction = seconds.split(".")
    return int(whole) * 1_000_000 + int(fraction)


def ftrace_events(text):
    for line in text.splitlines():
        match = FTRACE_LINE.match(line)
        if match and not line.startswith("#"):
            yield Event(microseconds(match["seconds"]), int(match["cpu"]), int(match["tid"]), match["event"],
                        fields_of(FIELD.findall(match["fields"])))


def report_events(text):
    for line in text.splitlines():
        match = REPORT_LINE.match(line)
        if not match:
            continue
        pairs = FIELD.findall(match["fields"])
        if match["event"] == "sched_switch":
            names = ("prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio")
            pairs = list(zip(names, SWITCH.search(match["fields"]).groups()))
        elif match["event"] == "sched_wakeup_new":
            comm, tid, priority, cpu = re.search(r"(\S+):(\d+) \[(-?\d+)\].* CPU:(\d+)", match["fields"]).groups()
            pairs = [("comm", comm), ("pid", tid), ("prio", priority), ("target_cpu", cpu)]
        yield Event(microseconds(match["seconds"]), int(match["cpu"]), int(match["tid"]), match["event"],
                    fields_of(pairs))


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return (value - (1 << 64) if value >> 63 else value), at


def protobuf(data):
    """(field, number or bytes) of a message, by its wire format alone."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def perfetto_events(data):
    for _, packet in protobuf(data):
        for field, bundle in protobuf(packet):
            if field != 1:
                continue
            cpu = dict(protobuf(bundle))[1]
            for number, event in protobuf(bundle):
                if number == 2:
                    yield perfetto_event(cpu, dict(protobuf(event)))


def perfetto_event(cpu, event):
    kind = next(number for number in event if number in PERFETTO_EVENTS)
    name, names = PERFETTO_EVENTS[kind]
    pairs = []
    for number, value in protobuf(event[kind]):
        if number in names:
            value = value.decode() if isinstance(value, bytes) else value
            pairs.append((names[number], STATES[value] if names[number] == "prev_state" else str(value)))
    return Event((event[1] + 500) // 1000, cpu, event[2], name, fields_of(pairs))


class SimOutputTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name in ("ftrace", "trace.dat", "perfetto"):
            cls.trace(name, name)
        cls.text = (cls.folder / "ftrace").read_text()
        cls.result = json.loads(program.schedlab("-o", "json", "sim", "run", *RUN).stdout)

    @classmethod
    def trace(cls, name, trace_format, *options):
        done = program.schedlab("-o", "json", "sim", "trace", *RUN, "--format", trace_format,
                                "-O", cls.folder / name, *options)
        assert done.returncode == program.OK, done.stderr
        return json.loads(done.stdout), done.stderr

    def sim(self, *arguments):
        done = program.schedlab(*arguments)
        self.assertEqual(done.returncode, program.OK, done.stderr)
        return done.stdout

    def test_all_formats_tell_the_same_events(self):
        text = list(ftrace_events(self.text))
        report = subprocess.run(["trace-cmd", "report", "-i", str(self.folder / "trace.dat")], text=True,
                                capture_output=True, check=True)
        protobuf_events = list(perfetto_events((self.folder / "perfetto").read_bytes()))

        self.assertGreater(len(text), 1000)
        self.assertEqual({event.name for event in text},
                         {"sched_switch", "sched_waking", "sched_wakeup_new", "sched_migrate_task"})
        self.assertEqual(collections.Counter(report_events(report.stdout)), collections.Counter(text))
        self.assertEqual(collections.Counter(protobuf_events), collections.Counter(text))

    def test_every_event_of_the_file_is_one_of_the_run(self):
        told, warning = self.trace("perfetto", "perfetto")

        self.assertEqual(told["records"], len(list(ftrace_events(self.text))))
        self.assertEqual(told["dropped_records"], 0)
        self.assertEqual(told["digest"], self.result["digest"])
        self.assertEqual(told["bytes"], (self.folder / "perfetto").stat().st_size)
        self.assertEqual(warning, "")

    def test_protoc_decodes_the_protobuf(self):
        with open(self.folder / "perfetto", "rb") as trace:
            decoded = subprocess.run(["protoc", "--decode_raw"], stdin=trace, capture_output=True, text=True,
                                     check=True).stdout

        self.assertIn('"schedlab kvm-4x4 hackbench linux-fair@v3.11 seed 2"', decoded)
        self.assertEqual(decoded.count("\n      4 {"),
                         sum(event.name == "sched_switch" for event in ftrace_events(self.text)))

    def test_a_cut_trace_says_so(self):
        told, warning = self.trace("cut", "ftrace", "--records", "100")
        text = (self.folder / "cut").read_text()
        whole = len(list(ftrace_events(self.text)))

        self.assertEqual(told["records"], 100)
        self.assertEqual(told["dropped_records"], whole - 100)
        self.assertIn("the first 100 events, which end at", warning)
        self.assertIn(f"{whole - 100} later ones are missing", warning)
        self.assertIn(f"entries-in-buffer/entries-written: 100/{whole} ", text)

    def test_latency_adds_up_to_the_run_delay(self):
        rows = json.loads(self.sim("-o", "json", "sim", "latency", *RUN))["rows"]
        table = self.sim("sim", "latency", *RUN)
        delay = sum(row["total_delay_ns"] for row in rows) / 1e9

        self.assertAlmostEqual(delay, self.result["metrics"]["run_delay_sec"]["value"], places=9)
        self.assertIn("  Task                  |   Runtime ms  | Switches | Avg delay ms    |", table)
        total = re.search(r"TOTAL: +\| +([\d.]+) ms \| +(\d+) \|", table)
        self.assertEqual(int(total[2]), sum(row["switches"] for row in rows))

    def test_timehist_has_a_line_for_each_switch(self):
        lines = self.sim("sim", "timehist", *RUN, "--with-summary").splitlines()
        rows = [line for line in lines if re.match(r" +\d+\.\d{6} \[\d{4}\]  ", line)]
        switches = sum(event.name == "sched_switch" for event in ftrace_events(self.text))

        self.assertEqual(len(rows), switches)
        self.assertIn(f"Total number of context switches: {switches}", lines)

    def test_timehist_shows_wakeups_and_migrations_where_asked(self):
        text = self.sim("sim", "timehist", *RUN, "-w", "-M", "--state")
        events = collections.Counter(event.name for event in ftrace_events(self.text))

        self.assertEqual(text.count("awakened: "), events["sched_waking"] + events["sched_wakeup_new"])
        self.assertEqual(text.count("migrated: "), events["sched_migrate_task"])

    def test_documents_tell_what_the_tables_do(self):
        timehist = json.loads(self.sim("-o", "json", "sim", "timehist", *RUN))
        schedstat = json.loads(self.sim("-o", "json", "sim", "schedstat", *RUN))
        switches = sum(event.name == "sched_switch" for event in ftrace_events(self.text))

        self.assertEqual(len(timehist["stretches"]), switches)
        self.assertEqual(sum(task["migrations"] for task in timehist["tasks"]),
                         sum(event.name == "sched_migrate_task" for event in ftrace_events(self.text)))
        self.assertEqual(sum(cpu["idle_picks"] + cpu["timeslices"] for cpu in schedstat["cpus"]), switches)
        self.assertEqual({len(cpu["domains"]) for cpu in schedstat["cpus"]}, {2})

    def test_schedstat_counts_what_the_run_did(self):
        for version, fields in ((15, 36), (16, 36), (17, 45)):
            with self.subTest(version):
                lines = self.sim("sim", "schedstat", *RUN, "--version", version).splitlines()
                cpus = [list(map(int, line.split()[1:])) for line in lines if line.startswith("cpu")]
                domains = [line.split() for line in lines if line.startswith("domain")]
                self.assertEqual(lines[0], f"version {version}")
                self.assertEqual(len(cpus), 16)
                self.assertEqual({len(line) for line in domains}, {fields + (3 if version == 17 else 2)})
                switches = sum(cpu[3] + cpu[8] for cpu in cpus)
                expected = sum(event.name == "sched_switch" for event in ftrace_events(self.text))
                self.assertEqual(switches, expected)

    def test_bench_measures_the_same_run(self):
        for options in ((), ("--trace",)):
            with self.subTest(options):
                told = json.loads(self.sim("-o", "json", "sim", "bench", *RUN, "--repeat", "3", *options))
                self.assertEqual(told["digest"], self.result["digest"])
                self.assertEqual(told["events"], self.result["events"])
                self.assertEqual(len(told["wall_sec_by_repetition"]), 3)
                self.assertAlmostEqual(told["events_per_second"] * told["wall_sec"], told["events"], places=0)
                self.assertGreater(told["simulated_per_wall"], 0)

    def test_a_file_that_cannot_be_written_is_named(self):
        for path in ("/nonexistent/trace", "/dev/full"):
            with self.subTest(path):
                done = program.schedlab("sim", "trace", *RUN, "-O", path)
                self.assertEqual(done.returncode, program.INFRASTRUCTURE)
                self.assertIn(f"cannot write {path}", done.stderr)
                self.assertEqual(done.stdout, "")

    def test_a_trace_goes_to_a_pipe(self):
        done = program.schedlab("sim", "trace", *RUN, "--format", "ftrace", "-O", "-")

        self.assertEqual(done.stdout, self.text)
        self.assertIn("-: ", done.stderr)

    def test_mistakes_are_usage_errors(self):
        for arguments, expected in ((("trace", *RUN), "--file"),
                                    (("trace", *RUN, "-O", "x", "--format", "json"), "not 'json'"),
                                    (("schedstat", *RUN, "--version", "14"), "must be 15 or 16 or 17"),
                                    (("bench", *RUN, "--repeat", "0"), "--repeat"),
                                    (("latency", *RUN, "--duration", "5"), "is not a duration")):
            with self.subTest(expected):
                done = program.schedlab("sim", *arguments)
                self.assertEqual(done.returncode, program.USAGE)
                self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
