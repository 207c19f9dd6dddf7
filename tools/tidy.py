#!/usr/bin/env python3
"""Checks that no compiler makes: who includes whom, what pure code may not ask, which words are refused.

Run by ctest as `tidy` and by ./dev check. Prints one line a finding and exits with 1 if there is any.
`--self-test` plants one violation of each kind in a copy and fails unless each is found.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PURE = ("core", "sim", "stats", "ingest")
MAY_INCLUDE = {
    "core": set(),
    "sim": {"core"},
    "stats": {"core"},
    "ingest": {"core"},
    "measure": {"core", "stats"},
    "proto/rpc": {"core"},
    "server": {"core", "stats", "proto/rpc"},
    "worker": {"core", "sim", "ingest", "measure", "proto/rpc"},
    "client": {"core", "sim", "stats", "ingest", "measure", "proto/rpc"},
}
# A header, and the only places that may include it.
WALLS = [
    (re.compile(r"#include <pqxx"), ("server/store/", "tests/contract/", "tests/support/", "tests/bench/")),
    (re.compile(r'#include (<grpc|"schedlab/v1/|<google/protobuf)'),
     ("proto/rpc/", "server/", "worker/", "client/", "tests/")),
    (re.compile(r"#include <prometheus/"), ("server/telemetry", "tests/")),
    (re.compile(r"#include <toml\+\+/"), ("core/toml.cc",)),
    (re.compile(r"#include <openssl/"), ("core/spec_json.cc",)),
    (re.compile(r"#include <nlohmann/"), ("core/bisection_json.", "core/campaign_json.cc", "core/json_parts.h", "core/spec_json.cc", "ingest/", "server/", "worker/", "client/", "tests/")),
    (re.compile(r"#include <pugixml"), ("ingest/hwloc_xml",)),
    (re.compile(r"#include <CLI/"), ("server/config.cc", "worker/config.cc", "client/", "tests/")),
    (re.compile(r"#include [<\"]absl/"), ()),
]
STORE_SEES_NO_WIRE = re.compile(r'#include (<grpc|"schedlab/v1/|<google/protobuf|"proto/rpc/)')
# Ambient input; core's clock and log are the two places that are there to ask for it.
AMBIENT = re.compile(
    r"_clock::now|\brandom_device\b|\bgetenv\b|\bunordered_(map|set|multimap)\b|std::j?thread\b"
    r"|\b[io]?fstream\b|std::(uniform|normal|exponential)_\w*distribution|std::mt19937|\btime\(nullptr\)")
AMBIENT_ALLOWED = ("core/clock.cc", "core/log.cc")
INCLUDE = re.compile(r'#include "((?:proto/)?[a-z]+)/')
REFUSED_NAMES = re.compile(r"\b(class|struct|enum class|namespace) \w*(Manager|Helper|Utils?|Common|Processor)\b"
                           r"|\b(class|struct) \w+(Data|Info)\b")
REFUSED_FILES = re.compile(r"(^|[/_])(utils?|helpers?|common|misc|manager)([_.]|$)")
CATCH_ALL = re.compile(r"catch \(\.\.\.\)")
TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")
# An actor of SimGrid sleeps in simulated time.
SLEEP = re.compile(r"(?<!this_actor::)sleep_for|sleep_until|\busleep\(|\btime\.sleep\(|\bnanosleep\(")
ENABLED = re.compile(r"DISABLED_|GTEST_SKIP|EXPECT_TRUE\(true\)|ASSERT_TRUE\(true\)")
FILE_LINE_LIMIT = 600
SCENARIO_WORDS = re.compile(r"23f0d20|b0cff9d|kvm-\d|\bcommit_id\b")


def tracked(root):
    """Files that git tracks, and those that it would."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
                            check=True, capture_output=True, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and (root / name).is_file())


def folder_of(name):
    return next((f for f in MAY_INCLUDE if name.startswith(f + "/")), None)


def line_findings(name, line):
    """What is wrong with one line of C++."""
    folder = folder_of(name)
    found = INCLUDE.match(line)
    if folder and found and found[1] in MAY_INCLUDE and found[1] not in MAY_INCLUDE[folder] | {folder}:
        yield f"{folder} may not include {found[1]}"
    if folder in PURE and name not in AMBIENT_ALLOWED and AMBIENT.search(line):
        yield f"{folder} is a function of its arguments: no {AMBIENT.search(line)[0]}"
    for pattern, allowed in WALLS:
        if pattern.match(line) and not name.startswith(allowed or ("nowhere",)):
            yield f"only {', '.join(allowed) or 'nobody'} may include this"
    if name.startswith("server/store/") and STORE_SEES_NO_WIRE.match(line):
        yield "the store does not see the wire"
    if folder in ("sim", "stats", "server", "worker") and SCENARIO_WORDS.search(line):
        yield "code may not know a commit or a machine of the catalog"
    if REFUSED_NAMES.search(line):
        yield "a name that says nothing (style guide, section 2)"
    if CATCH_ALL.search(line):
        yield "catch (...) swallows what nobody named"
    if SLEEP.search(line) and not name.startswith("tests/e2e/"):
        yield "nothing sleeps: wait on a condition with a deadline"
    if name.startswith("tests/") and ENABLED.search(line):
        yield "a test that is switched off or asserts nothing"


def cpp_findings(root, names):
    for name in names:
        lines = (root / name).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            for message in line_findings(name, line):
                yield f"{name}:{number}: {message}"
        if len(lines) > FILE_LINE_LIMIT:
            yield f"{name}: {len(lines)} lines: past {FILE_LINE_LIMIT} there are two things in it"
        if name.endswith(".h") and "#pragma once" not in lines[:3]:
            yield f"{name}:1: a header begins with #pragma once"


def text_findings(root, names):
    for name in names:
        if REFUSED_FILES.search(name.rsplit("/", 1)[-1]):
            yield f"{name}: a file name that says nothing"
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if name == "tools/tidy.py":
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if TODO.search(line):
                yield f"{name}:{number}: a TODO names its issue: TODO(#n)"


def build_findings(root, names):
    """Every source stands in a CMakeLists.txt, every migration in a row without gaps."""
    listed = "\n".join((root / n).read_text() for n in names if n.endswith("CMakeLists.txt"))
    for name in names:
        base = name.rsplit("/", 1)[-1]
        if name.endswith(".cc") and base not in listed:
            yield f"{name}: no CMakeLists.txt names it"
    numbers = [int(n.split("/")[1][:4]) for n in names if re.match(r"migrations/\d{4}_\w+\.sql$", n)]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"migrations/: numbers must run from 0001 without gaps, are {numbers}"


def findings(root):
    names = tracked(root)
    sources = [n for n in names if n.endswith((".h", ".cc"))]
    yield from cpp_findings(root, sources)
    yield from text_findings(root, names)
    yield from build_findings(root, names)


PLANTED = {
    "sim/a.cc": '#include "stats/b.h"\n',
    "core/b.cc": "auto t = std::chrono::system_clock::now();\n",
    "worker/c.cc": "#include <pqxx/pqxx>\n",
    "server/store/d.cc": '#include "proto/rpc/jobs.h"\n',
    "client/e.cc": "class JobManager {};\n",
    "server/f.cc": "catch (...) {}\n",
    "tests/unit/sim/g_test.cc": "std::this_thread::sleep_for(1s);\n",
    "tests/unit/sim/h_test.cc": "TEST(A, DISABLED_B) {}\n",
    "sim/i.cc": 'if (name == "kvm-16x1") return 2;\n',
    "stats/j.h": "int x;\n",
    "docs/k.md": "TODO: write\n",
    "core/string_utils.cc": "\n",
    "sim/l.cc": "\n" * (FILE_LINE_LIMIT + 1),
    "migrations/0002_gap.sql": "\n",
    "client/m.cc": '#include "absl/strings/str_cat.h"\n',
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name, text in PLANTED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        sources = " ".join(n.rsplit("/", 1)[-1] for n in PLANTED if n.endswith(".cc") and n != "sim/a.cc")
        (root / "CMakeLists.txt").write_text(sources)
        found = "\n".join(findings(root))
    missed = [name for name in PLANTED if name not in found and not name.startswith("migrations/")]
    missed += [] if "numbers must run" in found else ["migrations/"]
    missed += [] if "sim/a.cc: no CMakeLists.txt" in found else ["unlisted source"]
    return missed


def main():
    if "--self-test" in sys.argv:
        missed = self_test()
        print(f"{len(PLANTED)} violations planted, missed: {missed or 'none'}")
        return 1 if missed else 0
    found = list(findings(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(found) if found else "tidy: nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
