"""What `schedlab dev` does with folders, ports and PostgreSQL installations."""

import os
import pathlib
import signal
import socket
import unittest

import schedlab_program as program


class DevTest(program.TestCase):

    def test_data_is_found_again(self):
        suite = self.write("suite.toml", program.small_suite(repetitions=1))
        with program.Dev(self.folder / "data") as dev:
            self.assert_exit(dev.run("job", "submit", suite, "--wait"), program.OK)

        with program.Dev(self.folder / "data") as dev:
            jobs = dev.json("job", "list")["jobs"]

        self.assertEqual([job["state"] for job in jobs], ["succeeded"])

    def test_a_second_one_in_the_same_folder_is_refused(self):
        with program.Dev(self.folder / "data") as dev:
            second = program.schedlab("dev", "--data-dir", self.folder / "data")

            self.assert_exit(second, program.INFRASTRUCTURE)
            self.assertIn(f"pid {dev.process.pid}", second.stderr)
            self.assertIn("--data-dir", second.stderr)

    def test_after_a_kill_the_next_start_takes_over(self):
        suite = self.write("suite.toml", program.small_suite(repetitions=1))
        dev = program.Dev(self.folder / "data")
        self.assert_exit(dev.run("job", "submit", suite, "--wait"), program.OK)
        children = program.children_of(dev.process.pid)
        self.assertEqual(len(children), 4)

        dev.process.send_signal(signal.SIGKILL)
        dev.process.wait()

        with program.Dev(self.folder / "data") as again:
            self.assertEqual(len(again.json("job", "list")["jobs"]), 1)
        for pid, _ in children:
            program.wait_until(lambda pid=pid: not pathlib.Path(f"/proc/{pid}").exists(),
                               f"the end of child {pid}")

    def test_a_folder_of_something_else_is_left_alone(self):
        self.write("precious", "text")

        done = program.schedlab("dev", "--data-dir", self.folder)

        self.assert_exit(done, program.INFRASTRUCTURE)
        self.assertIn("not empty", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["precious"])

    def test_without_postgresql_it_says_what_to_install(self):
        done = program.schedlab("dev", "--data-dir", self.folder / "data",
                                environment={"SCHEDLAB_PG_BINDIR": "/nonexistent"})

        self.assert_exit(done, program.INFRASTRUCTURE)
        self.assertIn("sudo apt-get install postgresql", done.stderr)
        self.assertFalse((self.folder / "data").exists())

    def test_a_cluster_of_another_major_version_is_refused(self):
        with program.Dev(self.folder / "data"):
            pass
        version = self.folder / "data" / "postgres" / "PG_VERSION"
        version.write_text("9\n")

        done = program.schedlab("dev", "--data-dir", self.folder / "data")

        self.assert_exit(done, program.INFRASTRUCTURE)
        self.assertIn("was made by PostgreSQL 9", done.stderr)
        self.assertIn("postgresql-9", done.stderr)

    def test_a_port_that_was_asked_for_and_is_in_use_is_an_error(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]

            done = program.schedlab("dev", "--data-dir", self.folder / "data", "--grpc-port", port)

        self.assert_exit(done, program.INFRASTRUCTURE)
        self.assertIn(f"port 127.0.0.1:{port} (--grpc-port) is in use", done.stderr)

    def test_a_deep_folder_has_its_socket_elsewhere(self):
        deep = self.folder / ("x" * 60) / ("y" * 60)
        with program.Dev(deep) as dev:
            self.assertEqual(dev.json("job", "list")["jobs"], [])

    def test_a_folder_below_a_closed_one(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o700)
        suite = self.write("suite.toml", program.small_suite(repetitions=1))

        with program.Dev(closed / "data") as dev:
            self.assert_exit(dev.run("job", "submit", suite, "--wait"), program.OK)
            text = dev.text()
        with program.Dev(closed / "data") as dev:
            self.assertEqual(len(dev.json("job", "list")["jobs"]), 1)

        # Only root has PostgreSQL run as somebody else.
        self.assertEqual("may not enter" in text, os.geteuid() == 0, text)
        self.assertEqual(closed.stat().st_mode & 0o777, 0o700)

    def test_after_a_kill_the_next_start_takes_over_below_a_closed_folder(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o700)
        dev = program.Dev(closed / "data")
        server = dev.child("postgres -D")

        dev.process.send_signal(signal.SIGKILL)
        dev.process.wait()

        with program.Dev(closed / "data") as again:
            self.assertEqual(again.json("job", "list")["jobs"], [])
        program.wait_until(lambda: not pathlib.Path(f"/proc/{server}").exists(),
                           "the end of PostgreSQL")

    def test_a_demo_without_a_regression_is_inconclusive(self):
        suite = self.write("suite.toml", program.small_suite(revisions="v3.11"))

        done = program.schedlab("dev", "--demo", "--once", "--suite", suite,
                                "--data-dir", self.folder / "data")

        self.assert_exit(done, program.INCONCLUSIVE)
        self.assertIn("no regression found in 1 revisions x 1 scenarios x 5 runs", done.stdout)

    def test_a_suite_that_is_not_there_is_refused_before_anything_is_written(self):
        done = program.schedlab("dev", "--demo", "--suite", "nowhere.toml",
                                "--data-dir", self.folder / "data")

        self.assertIn("neither a suite of the catalog nor a file", done.stderr)
        self.assertNotEqual(done.returncode, program.OK)
        self.assertFalse((self.folder / "data").exists())

    def test_files_are_private(self):
        with program.Dev(self.folder / "data"):
            data = self.folder / "data"
            self.assertEqual(data.stat().st_mode & 0o777, 0o700)
            self.assertEqual((data / "pgpass").stat().st_mode & 0o777, 0o600)
            self.assertEqual((data / "password").stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
