"""A `schedlab dev` in a folder of its own that is gone with it."""

import pathlib
import shutil
import tempfile

import schedlab_program as program

DEMO_SECONDS = 900


def bin_dir():
    return program.BIN


def source_dir():
    return program.SOURCE


class DevSession(program.Dev):
    def __init__(self, arguments=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="schedlab-e2e-"))
        self.folder.chmod(0o755)
        super().__init__(self.folder / "data", *arguments)
        self.grpc_address = self.grpc
        self.http_address = self.http

    def wait_for_demo(self):
        program.wait_until(lambda: "Ctrl-C stops everything" in self.text(), "the demo's result",
                           DEMO_SECONDS)

    def __exit__(self, kind, value, trace):
        try:
            super().__exit__(kind, value, trace)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
