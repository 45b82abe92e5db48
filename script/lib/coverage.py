"""Runs the tests of the coverage build, sums their counts and prints them; script/coverage builds and calls it."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build-coverage")
COUNTS = os.path.join(BUILD, "counts")
TRACE = os.path.join(BUILD, "coverage.json")


def run_tests(only, labels):
    """Runs each test pinned to one processor: threads on several would contend for the counters and take three times as long."""
    if not only:
        shutil.rmtree(COUNTS, ignore_errors=True)
    listing = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"] + labels, check=True, capture_output=True)
    names = [test["name"] for test in json.loads(listing.stdout)["tests"]]
    names = [name for name in names if not only or re.search(only, name)]
    cpus = sorted(os.sched_getaffinity(0))
    free = collections.deque(cpus)
    failed = []

    def run_one(name):
        shutil.rmtree(os.path.join(COUNTS, name), ignore_errors=True)
        cpu = free.popleft()
        result = subprocess.run(["taskset", "-c", str(cpu), "ctest", "--test-dir", BUILD, "--output-on-failure",
                                 "-R", f"^{re.escape(name)}$"], capture_output=True, text=True)
        free.append(cpu)
        if result.returncode:
            failed.append(name)
            sys.stdout.write(result.stdout)
        print(f"{'FAILED' if result.returncode else 'ran':6} {name}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(len(cpus)) as pool:
        list(pool.map(run_one, names))
    return failed


def folders_with_counts():
    return sorted(folder for folder, folders, _ in os.walk(COUNTS) if "CMakeFiles" in folders)


def merge_counts():
    """Sums the counts of all tests and writes them beside the object files, where gcovr looks."""
    total = None
    for number, folder in enumerate(folders_with_counts()):
        into = os.path.join(BUILD, f"merged.{number}")
        shutil.rmtree(into, ignore_errors=True)
        if total is None:
            shutil.copytree(folder, into)
        else:
            subprocess.run(["gcov-tool", "merge", total, folder, "-o", into], check=True, capture_output=True)
            shutil.rmtree(total)
        total = into
    if total is None:
        sys.exit("script/coverage: no test wrote any counts")
    for folder, _, files in os.walk(total):
        for name in files:
            source = os.path.join(folder, name)
            shutil.copy(source, os.path.join(BUILD, os.path.relpath(source, total)))
    shutil.rmtree(total)


def run_gcovr():
    # gcovr 5 cannot merge a function at different lines in different builds of the same file, as in simd.h; we only need lines
    # and branches, so hide functions from it.
    gcov = os.path.join(BUILD, "gcov-without-functions")
    with open(gcov, "w") as out:
        out.write('#!/bin/sh\ngcov "$@" || exit\nfor f in *.gcov; do [ ! -f "$f" ] || sed -i "/^function /d" "$f"; done\n')
    os.chmod(gcov, 0o755)
    shutil.rmtree(os.path.join(BUILD, "html"), ignore_errors=True)
    os.mkdir(os.path.join(BUILD, "html"))
    common = ["gcovr", "--root", ROOT, "--filter", os.path.join(ROOT, "src/")]
    subprocess.run(common + ["--object-directory", BUILD, "--exclude-unreachable-branches", "--exclude-throw-branches",
                             "--gcov-executable", gcov, "--json", TRACE, BUILD], check=True, cwd=BUILD)
    subprocess.run(common + ["--add-tracefile", TRACE, "--html-details", os.path.join(BUILD, "html", "index.html"),
                             "--html-title", "snag: line and branch coverage"], check=True, cwd=BUILD)


class Tally:
    def __init__(self):
        self.lines = self.lines_hit = self.branches = self.branches_hit = 0

    def add_line(self, line):
        self.lines += 1
        self.lines_hit += line["count"] > 0
        self.branches += len(line["branches"])
        self.branches_hit += sum(branch["count"] > 0 for branch in line["branches"])

    def add(self, other):
        for key in vars(self):
            setattr(self, key, getattr(self, key) + getattr(other, key))

    def row(self, name):
        def share(hit, total):
            return f"{100 * hit / total:6.1f} %" if total else "       -"
        return (f"{name:44}{self.lines:7}{share(self.lines_hit, self.lines)}{self.branches:10}"
                f"{share(self.branches_hit, self.branches)}{self.branches - self.branches_hit:8}")


def code_lines(entry):
    return [line for line in entry["lines"] if not line.get("gcovr/noncode") and not line.get("gcovr/excluded")]


def read_trace():
    with open(TRACE) as trace:
        return sorted(json.load(trace)["files"], key=lambda entry: entry["file"])


def print_table():
    folders = collections.OrderedDict()
    total = Tally()
    for entry in read_trace():
        tally = Tally()
        for line in code_lines(entry):
            tally.add_line(line)
        folders.setdefault(os.path.dirname(entry["file"]), []).append((entry["file"], tally))
        total.add(tally)
    print(f"\n{'':44}{'lines':>7}{'reached':>8}{'branches':>10}{'taken':>8}{'missed':>8}")
    sums = []
    for folder, files in folders.items():
        folder_sum = Tally()
        for name, tally in files:
            print(tally.row("  " + name))
            folder_sum.add(tally)
        sums.append((folder, folder_sum))
    print()
    for folder, folder_sum in sums:
        print(folder_sum.row(folder))
    print(total.row("src"))
    print(f"\npage: {os.path.relpath(os.path.join(BUILD, 'html', 'index.html'))}")


def print_missed(wanted):
    wanted = [os.path.relpath(os.path.abspath(name), ROOT) for name in wanted]
    for entry in read_trace():
        if not any(entry["file"] == name or entry["file"].startswith(name + "/") for name in wanted):
            continue
        with open(os.path.join(ROOT, entry["file"])) as source:
            text = source.read().split("\n")
        for line in code_lines(entry):
            missed = sum(branch["count"] == 0 for branch in line["branches"])
            number = line["line_number"]
            if missed or line["count"] == 0:
                what = f"{missed} of {len(line['branches'])} branches" if line["count"] else "never reached"
                print(f"{entry['file']}:{number}: {what}: {text[number - 1].strip()}")


def main():
    parser = argparse.ArgumentParser(prog="script/coverage")
    parser.add_argument("--only", metavar="REGEX", help="run only these tests again and keep the counts of the others")
    parser.add_argument("--all", action="store_true", help="also run the tests of tool, io and simulator")
    parser.add_argument("--missed", metavar="FILE", nargs="+", help="run nothing; list lines with a branch that was never taken")
    options = parser.parse_args()
    if options.missed:
        print_missed(options.missed)
        return
    failed = run_tests(options.only, ["-LE", "once"] if options.all else ["-L", "core"])
    merge_counts()
    run_gcovr()
    print_table()
    if failed:
        sys.exit("script/coverage: tests failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
