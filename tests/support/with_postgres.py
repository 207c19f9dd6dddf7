#!/usr/bin/env python3
"""with_postgres.py COMMAND...: runs COMMAND with a throw-away PostgreSQL cluster.

The cluster listens on a Unix socket in a temporary folder only and forgets everything. COMMAND finds
it by SCHEDLAB_TEST_DATABASE, a libpq connection string. The exit code is COMMAND's.
"""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "''",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "timezone": "UTC",
}


def server_programs():
    """The folder of the newest installed PostgreSQL server."""
    folders = glob.glob("/usr/lib/postgresql/*/bin")
    folders = [folder for folder in folders if os.path.exists(folder + "/initdb")]
    if not folders:
        sys.exit("with_postgres.py: no initdb below /usr/lib/postgresql: apt-get install postgresql")
    return max(folders, key=lambda folder: int(folder.split("/")[-2]))


def owner():
    """Who runs the server: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    sys.exit("with_postgres.py: neither user postgres nor nobody exists")


def run_as(user, arguments):
    credentials = {}
    if user is not None:
        credentials = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    done = subprocess.run(arguments, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, check=False, **credentials)
    if done.returncode != 0:
        sys.exit(f"with_postgres.py: {' '.join(arguments)} failed:\n{done.stdout}")


def run_with_server(folder, command):
    programs, user = server_programs(), owner()
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    data = folder + "/data"
    run_as(user, [programs + "/initdb", "-D", data, "-U", "schedlab", "-A", "trust", "-E", "UTF8",
                  "--locale=C", "--no-sync"])
    options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
    control = [programs + "/pg_ctl", "-D", data, "-w", "-s"]
    run_as(user, control + ["-l", folder + "/log", "-o", f"-k {folder} {options}", "start"])
    try:
        database = f"host={folder} user=schedlab dbname=postgres"
        environment = dict(os.environ, SCHEDLAB_TEST_DATABASE=database)
        try:
            return subprocess.run(command, env=environment, check=False).returncode
        except OSError as error:
            sys.exit(f"with_postgres.py: cannot run {command[0]}: {error}")
    finally:
        run_as(user, control + ["-m", "immediate", "stop"])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    # A time-out of ctest must still stop the server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = tempfile.mkdtemp(prefix="schedlab-pg-", dir="/tmp")
    try:
        sys.exit(run_with_server(folder, sys.argv[1:]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
