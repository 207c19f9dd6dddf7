"""A CI job: `schedlab job submit suite.toml --commit SHA --wait`, and the same over gRPC."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import schedlab_program as program

GATE_SECONDS = 300
# Half a second is too short for fs_mark to tell its noise from a change of a few percent.
FULL = {"repetitions": 5, "duration_ns": 8_000_000_000}


class CiGateTest(program.SharedDevTestCase):

    def gate(self, commit, *arguments, **suite):
        path = self.write("suite.toml", program.small_suite(**suite))
        return self.dev.run("job", "submit", path, "--commit", commit, "--wait", *arguments,
                            timeout=GATE_SECONDS)

    def test_a_regression_is_1_and_named_first(self):
        done = self.gate(program.FIRST_BAD, **FULL)

        self.assert_exit(done, program.REGRESSION)
        first_line = done.stderr.splitlines()[0]
        self.assertRegex(first_line, r"^REGRESSION  fs_mark\.files_per_sec on kvm-16x1: -\d\d\.\d % "
                                      r"\(n=5/5, .*\), 23f0d2093c78 against [0-9a-f]{12}")
        self.assertIn("worse", done.stdout)
        self.assertNotIn("idle_ratio", done.stdout)  # a counter

    def test_the_same_commit_on_another_machine_passes(self):
        done = self.gate(program.FIRST_BAD, topology="kvm-1x16", **FULL)

        self.assert_exit(done, program.OK)
        self.assertTrue(done.stderr.startswith("no regression"), done.stderr)

    def test_one_run_a_side_is_inconclusive(self):
        # A duration of its own: results that other tests have stored would count too.
        done = self.gate(program.FIRST_BAD, repetitions=1, duration_ns=1_100_000_000)

        self.assert_exit(done, program.INCONCLUSIVE)
        self.assertTrue(done.stderr.startswith("INCONCLUSIVE"), done.stderr)

    def test_a_retried_gate_attaches_to_the_first_job(self):
        first = self.gate(program.FIRST_BAD, topology="kvm-1x16", repetitions=2)
        jobs = self.dev.json("job", "list")["jobs"]

        second = self.gate(program.FIRST_BAD, topology="kvm-1x16", repetitions=2)

        self.assertEqual(second.returncode, first.returncode)
        self.assertEqual(second.stderr.splitlines()[0], first.stderr.splitlines()[0])
        self.assertIn("exists already", second.stderr)
        self.assertEqual(len(self.dev.json("job", "list")["jobs"]), len(jobs))

    def test_a_new_attempt_runs_again(self):
        self.gate(program.FIRST_BAD, topology="kvm-1x16", repetitions=2)

        again = self.gate(program.FIRST_BAD, "--new-attempt", topology="kvm-1x16", repetitions=2)

        self.assertIn("created", again.stderr)
        self.assertIn(": 4 runs, 0 of them cached", again.stderr)

    def test_progress_is_told_where_it_is_asked_for(self):
        done = self.gate(program.FIRST_BAD, "--progress", topology="kvm-1x16", repetitions=2)

        self.assertTrue(done.stderr.startswith("job "), done.stderr)
        self.assertIn("100 %", done.stderr)

    def test_a_gate_that_takes_too_long_is_5_and_the_job_goes_on(self):
        done = self.gate(program.FIRST_BAD, "--timeout", "1ms", repetitions=7)

        self.assert_exit(done, program.TIMED_OUT)
        self.assertIn("schedlab job watch", done.stderr)

    def test_views_of_what_was_stored(self):
        self.gate(program.FIRST_BAD, **FULL)

        parent = program.FIRST_BAD + "~"
        table = self.dev.run("compare", parent, program.FIRST_BAD, "--topology", "kvm-16x1")
        lkp = self.dev.run("compare", parent, program.FIRST_BAD, "--format", "lkp")
        history = self.dev.run("history", "files_per_sec", "--topology", "kvm-16x1")
        workers = self.dev.json("worker", "list")["workers"]

        self.assert_exit(table, program.OK)
        self.assertIn("fs_mark.files_per_sec", table.stdout)
        self.assertIn("%stddev     %change         %stddev", lkp.stdout)
        self.assert_exit(history, program.OK)
        self.assertIn(program.FIRST_BAD, history.stdout)
        self.assertEqual([worker["name"] for worker in workers], ["sim-1", "sim-2"])

    def test_the_same_over_grpc_from_python(self):
        with tempfile.TemporaryDirectory() as generated:
            pb = generate_stubs(generated)

            def gate(revisions, topology):
                return grpc_gate(pb, self.dev.grpc, revisions, topology)

            self.assertEqual(gate(program.FIRST_BAD, "kvm-16x1"), "worse")
            self.assertEqual(gate(program.FIRST_BAD, "kvm-1x16"), "no worse")


def generate_stubs(folder):
    """The Python classes of the API, made by Debian's protoc."""
    protos = sorted((program.SOURCE / "proto" / "schedlab" / "v1").glob("*.proto"))
    subprocess.run(["protoc", "-I", program.SOURCE / "proto", f"--python_out={folder}",
                    f"--grpc_python_out={folder}",
                    "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *protos],
                   check=True)
    sys.path.insert(0, folder)
    try:
        from schedlab.v1 import comparison_pb2, comparison_pb2_grpc, jobs_pb2, jobs_pb2_grpc
        from schedlab.v1 import specs_pb2
    finally:
        sys.path.remove(folder)
    return {"comparison": comparison_pb2, "comparison_grpc": comparison_pb2_grpc,
            "jobs": jobs_pb2, "jobs_grpc": jobs_pb2_grpc, "specs": specs_pb2}


def grpc_gate(pb, address, commit, topology):
    """Submits the commit and its parent, waits, compares."""
    import grpc
    jobs = pb["jobs"]
    spec = jobs.JobSpec(
        project="linux", suite="from-python", executor=pb["specs"].EXECUTOR_SIM,
        policies=[jobs.PolicySelection(policy="linux-fair", revisions=f"{commit}~..{commit}")],
        topologies=[topology], repetitions=5,
        workloads=[jobs.WorkloadSelection(workload="fs_mark", duration_ns=8_000_000_000)])
    with grpc.insecure_channel(address) as channel:
        service = pb["jobs_grpc"].JobServiceStub(channel)
        request = jobs.CreateJobRequest(request_id=f"python-{commit}-{topology}", spec=spec)
        job = service.CreateJob(request, timeout=30).job
        for update in service.WatchJob(jobs.WatchJobRequest(job_id=job.id), timeout=GATE_SECONDS):
            job = update.job
        assert job.state == jobs.JOB_STATE_SUCCEEDED, job
        comparison = pb["comparison"]
        answer = pb["comparison_grpc"].ComparisonServiceStub(channel).CompareRevisions(
            comparison.CompareRevisionsRequest(
                project="linux", policy="linux-fair", baseline_revision=commit + "~",
                candidate_revision=commit, topology=topology, workload="fs_mark"), timeout=30)
    verdicts = {row.verdict for row in answer.rows}
    return "worse" if comparison.VERDICT_WORSE in verdicts else "no worse"


if __name__ == "__main__":
    unittest.main()
