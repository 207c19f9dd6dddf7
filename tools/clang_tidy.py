#!/usr/bin/env python3
"""Runs clang-tidy over sources of a build folder and remembers what was clean.

usage: clang_tidy.py BUILD_FOLDER [--with-tests | FILE_OR_FOLDER...]

Without names: the product's sources; with --with-tests all of them.

A file is remembered under a digest of its preprocessed text, its flags and the checks, so that a second
run looks only at what changed. The memory is BUILD_FOLDER/clang-tidy-clean.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def is_wanted(name, wanted):
    if not wanted:
        return not name.startswith("tests/")
    return "--with-tests" in wanted or name in wanted or any(name.startswith(w + "/") for w in wanted)


def entries(build, wanted):
    """One compile command for each of our own sources."""
    seen = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        is_ours = path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build")
        if is_ours and is_wanted(str(path.relative_to(ROOT)), wanted):
            seen[path] = entry
    return [seen[path] for path in sorted(seen)]


def digest(entry, checks):
    command = [word for word in shlex.split(entry["command"]) if word != "ccache"]
    end = command.index("-c")
    text = subprocess.run(["clang++-14", *command[1:end], "-E", "-P", entry["file"]], cwd=entry["directory"],
                          capture_output=True).stdout
    return hashlib.sha256(checks + text + entry["command"].encode()).hexdigest()


def lint(build, entry, checks, clean):
    key = digest(entry, checks)
    if (clean / key).exists():
        return ""
    # The build's flags are g++'s.
    run = subprocess.run(["clang-tidy-14", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", str(build),
                          entry["file"]], capture_output=True, text=True)
    if run.returncode == 0:
        (clean / key).touch()
        return ""
    return run.stdout or run.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    clean = build / "clang-tidy-clean"
    clean.mkdir(exist_ok=True)
    checks = (ROOT / ".clang-tidy").read_bytes()
    todo = entries(build, set(sys.argv[2:]))
    if not todo:
        print("clang-tidy: no sources: build first", file=sys.stderr)
        return 1
    found_count = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for text in pool.map(lambda e: lint(build, e, checks, clean), todo):
            found_count += 1 if text else 0
            if text:
                print(text, flush=True)
    print(f"clang-tidy: {len(todo)} files, {found_count} with findings")
    return 1 if found_count else 0


if __name__ == "__main__":
    sys.exit(main())
