"""Changes one token of the core at a time and runs the tests that cover it; script/mutate prepares the builds and calls it."""
import argparse
import collections
import csv
import filecmp
import glob
import json
import os
import queue
import random
import re
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

import mutants as making

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build-mutate")
COVERAGE = os.path.join(ROOT, "build-coverage")
FOLDERS = ["src/geom", "src/bound", "src/query", "src/probe", "src/method", "src/world"]
LIBRARY = "libsnag_inside.so"
# The sources as they were at the start: a run takes long, and somebody may edit them meanwhile.
SNAPSHOT = os.path.join(BUILD, "snapshot")

KILLED, SURVIVED, SAME, BROKEN = "killed", "survived", "same object", "does not compile"
IDLE_SECONDS = 120
FIELDS = ["file", "line", "column", "kind", "was", "now", "verdict", "by", "seconds", "class"]


# ---- mutants ----

def sources():
    return sorted(os.path.relpath(path, ROOT) for folder in FOLDERS for path in glob.glob(os.path.join(ROOT, folder, "*.[ch]")))


def read_files(names):
    files, found = {}, []
    for name in names:
        with open(os.path.join(ROOT, name)) as source:
            files[name], changes = making.mutants_of(name, source.read())
        found += changes
    return files, found


def key_of(m):
    return (m.file, str(m.line), str(m.column), m.was, m.now)


# ---- tests that cover a line ----

def core_tests():
    listing = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1", "-L", "core"], check=True, capture_output=True)
    tests = {}
    for test in json.loads(listing.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        tests[test["name"]] = (test["command"], environment)
    return tests


def lines_reached(test):
    """{file: lines} covered by one test, from the counts saved by script/coverage."""
    counts = os.path.join(COVERAGE, "counts", test)
    reached = collections.defaultdict(set)
    data = []
    for folder, _, names in os.walk(counts):
        for name in names:
            path = os.path.join(folder, name)
            if not name.endswith(".gcda") or not any("/" + f + "/" in path for f in FOLDERS):
                continue
            notes = path[:-4] + "gcno"
            if not os.path.lexists(notes):
                os.symlink(os.path.join(COVERAGE, os.path.relpath(notes, counts)), notes)
            data.append(path)
    if not data:
        return reached
    output = subprocess.run(["gcov", "--json-format", "--stdout"] + data, check=True, capture_output=True, cwd=COVERAGE).stdout
    for document in output.splitlines():
        for entry in json.loads(document)["files"] if document else []:
            name = os.path.relpath(os.path.join(COVERAGE, entry["file"]), ROOT)
            if os.path.dirname(name) in FOLDERS:
                reached[name].update(line["line_number"] for line in entry["lines"] if line["count"] > 0)
    return reached


def reach_map(tests):
    """{file: {line: [test]}}, cached in the build folder until script/coverage runs again. A test that script/coverage --only left out
    counts as covering everything."""
    kept = os.path.join(BUILD, "reached.json")
    trace = os.path.join(COVERAGE, "coverage.json")
    if os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(trace):
        with open(kept) as file:
            return json.load(file)
    print("reading which tests cover which lines", flush=True)
    table = collections.defaultdict(lambda: collections.defaultdict(list))
    for test in tests:
        if not os.path.isdir(os.path.join(COVERAGE, "counts", test)):
            table[""]["everything"].append(test)
        for name, lines in lines_reached(test).items():
            for line in lines:
                table[name][str(line)].append(test)
    with open(kept, "w") as file:
        json.dump(table, file)
    return table


def tests_for(mutant, files, table):
    """Tests that cover the mutant's line; if the line has no counted code, those that cover its function or file."""
    lines, everything = table.get(mutant.file, {}), set(table.get("", {}).get("everything", []))
    if str(mutant.line) in lines:
        return everything | set(lines[str(mutant.line)])
    around = files[mutant.file].function_lines(mutant.line)
    return everything | {test for line, by in lines.items() if around is None or around[0] <= int(line) <= around[1] for test in by}


# ---- running ----

def limits(cpu_seconds):
    def set_them():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        os.setsid()
    return set_them


def processor_ticks(pid):
    with open(f"/proc/{pid}/stat") as file:
        return sum(int(field) for field in file.read().rpartition(")")[2].split()[11:13])


def end_if_idle(pid):
    """Waits for a process, and ends one that has not used the processor for two minutes: it waits for what never comes. A machine
    with other work on it slows a test down, but does not keep it from the processor for so long."""
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    used, since = -1, time.monotonic()
    while not poll.poll(5000):
        now = processor_ticks(pid)
        if now > used:
            used, since = now, time.monotonic()
        elif time.monotonic() - since > IDLE_SECONDS:
            os.killpg(pid, signal.SIGKILL)
    os.close(handle)


def run_test(test, library_folder, work, cpu_seconds):
    """Exit code and CPU seconds. Its time limit is one of CPU seconds too: load on the machine kills no mutant."""
    command, environment = test
    environment = dict(os.environ, LD_LIBRARY_PATH=library_folder, CMOCKA_TEST_ABORT="1", **environment)
    process = subprocess.Popen(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limits(cpu_seconds))
    end_if_idle(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def baseline(tests):
    """CPU seconds of each test on the unchanged library; cached until the library is rebuilt."""
    kept = os.path.join(BUILD, "baseline.json")
    if os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(os.path.join(BUILD, LIBRARY)):
        with open(kept) as file:
            seconds = json.load(file)
    else:
        seconds = {}
    for name in tests:
        program = tests[name][0][0]
        if name in seconds and seconds[name][1] == os.path.getmtime(program):
            continue
        code, cpu = run_test(tests[name], BUILD, BUILD, 3600)
        if code != 0:
            sys.exit(f"script/mutate: {name} fails on the unchanged library (exit code {code})")
        seconds[name] = (cpu, os.path.getmtime(program))
        with open(kept, "w") as file:
            json.dump(seconds, file)
    return {name: cpu for name, (cpu, _) in seconds.items()}


class History:
    """Which tests killed mutants so far, so that those likely to kill the next one run first."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.ran, self.killed = collections.Counter(), collections.Counter()

    def likelihood(self, name, file):
        # A test with the file's name is the most likely to notice a change.
        stem = re.sub(r"(_kernel)?\.[ch]$", "", os.path.basename(file))
        guess = 0.3 if name.split("/")[1].startswith(stem.split("_")[0]) else 0.05
        anywhere = (self.killed[name] + 4 * guess) / (self.ran[name] + 4)
        return (self.killed[name, file] + 3 * anywhere) / (self.ran[name, file] + 3)

    def sort(self, names, file):
        return sorted(names, key=lambda name: ((self.seconds[name] + 0.02) / self.likelihood(name, file), name))

    def add(self, name, file, killed):
        for key in (name, (name, file)):
            self.ran[key] += 1
            self.killed[key] += killed


class Worker:
    """Compiles a mutant in its own folder, links it with the other objects, and runs tests on it."""

    def __init__(self, number, commands, users, tests, history, effort):
        self.folder = os.path.join(BUILD, f"worker-{number}")
        self.commands, self.users, self.tests, self.history, self.effort = commands, users, tests, history, effort
        shutil.rmtree(self.folder, ignore_errors=True)
        for sub in ["overlay", "objects", "work"]:
            os.makedirs(os.path.join(self.folder, sub))

    def compile(self, source, output, arguments, into):
        """Compiles src/... as seen through the overlay; names are relative, so that equal code gives equal bytes."""
        local = os.path.join(self.folder, "overlay", os.path.relpath(source, "src"))
        if not os.path.exists(local):
            os.makedirs(os.path.dirname(local), exist_ok=True)
            shutil.copy(os.path.join(SNAPSHOT, source), local)
        target = os.path.join(self.folder, into, output.replace("/", "_"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        # An endless loop in the compiler counts as not compiling too.
        result = subprocess.run(arguments[:1] + ["-I" + os.path.join(self.folder, "overlay")] + arguments[1:] +
                                ["-w", "-o", target, "-c", os.path.relpath(source, "src")],
                                cwd=os.path.join(self.folder, "overlay"), capture_output=True, preexec_fn=limits(300))
        return target if result.returncode == 0 else None

    def pristine(self, source, output, arguments):
        target = os.path.join(self.folder, "pristine", output.replace("/", "_"))
        return target if os.path.exists(target) else self.compile(source, output, arguments, "pristine")

    def link(self, objects):
        words = shlex.split(self.commands["link"])
        words = [objects.get(word, word) for word in words]
        words[words.index("-o") + 1] = os.path.join(self.folder, LIBRARY)
        subprocess.run(words, cwd=BUILD, check=True)

    def try_mutant(self, mutant, text, names):
        started = time.thread_time()
        overlay = os.path.join(self.folder, "overlay")
        shutil.rmtree(overlay)
        users = self.users[mutant.file]
        for source in users:  # before the change, so that objects can be compared
            for output, arguments in self.commands[source]:
                self.pristine(source, output, arguments)
        path = os.path.join(overlay, os.path.relpath(mutant.file, "src"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text[:mutant.start] + mutant.now + text[mutant.end:])
        changed = {}
        for source in users:
            for output, arguments in self.commands[source]:
                made = self.compile(source, output, arguments, "objects")
                if made is None:
                    return BROKEN, "", time.thread_time() - started
                if not filecmp.cmp(made, self.pristine(source, output, arguments), shallow=False):
                    changed[output] = made
        if not changed:
            return SAME, "", 0
        self.link(changed)
        return self.run_tests(mutant, names)

    def run_tests(self, mutant, names):
        spent = 0
        work = os.path.join(self.folder, "work")
        for name in self.history.sort(names, mutant.file):
            if self.effort and spent > self.effort:
                return SURVIVED, "effort", spent
            # What takes five times as long does not end. Five more seconds for each of those would be most of the time of a run.
            code, cpu = run_test(self.tests[name], self.folder, work, int(5 * self.history.seconds[name] + 2))
            spent += cpu
            self.history.add(name, mutant.file, code != 0)
            if code != 0:
                return KILLED, name + (" (time)" if -code in (signal.SIGXCPU, signal.SIGKILL) else ""), spent
        return SURVIVED, "" if names else "not reached", spent


def build_commands():
    """{source: [(object, compiler and flags)]} and the link command."""
    commands = collections.defaultdict(list)
    with open(os.path.join(BUILD, "compile_commands.json")) as file:
        for entry in json.load(file):
            source = os.path.relpath(entry["file"], ROOT)
            if not source.startswith("src/"):
                continue
            words = shlex.split(entry["command"])
            if os.path.basename(words[0]) == "ccache":
                words = words[1:]
            words = [word.replace("-I" + ROOT, "-I" + SNAPSHOT) for word in words]
            output = words[words.index("-o") + 1]
            commands[source].append((output, words[:words.index("-o")]))
    link = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", LIBRARY], check=True, capture_output=True, text=True)
    commands["link"] = link.stdout.strip().splitlines()[-1].removeprefix(": && ").removesuffix(" && :")
    return commands


def users_of_headers():
    """{file: sources to compile when it changes}."""
    users = collections.defaultdict(set)
    output = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    source = None
    for line in output.splitlines():
        if not line.startswith(" "):
            source = None
            continue
        name = os.path.relpath(os.path.join(BUILD, line.strip()), ROOT)
        source = source or name
        if source.startswith("src/"):
            users[name].add(source)
    return {name: sorted(sources_) for name, sources_ in users.items()}


# ---- the record ----

def read_record(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write_record(path, rows):
    with open(path + ".part", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, delimiter="\t", lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda r: (r["file"], int(r["line"]), int(r["column"]), r["now"])))
    os.replace(path + ".part", path)


def print_summary(rows):
    print(f"\n{'':12}{'mutants':>8}{'no code':>8}{'same':>8}{'killed':>8}{'survived':>9}{'equivalent':>11}{'killed of the rest':>19}")
    for folder in FOLDERS + ["all"]:
        of = [r for r in rows if folder in ("all", os.path.dirname(r["file"]))]
        count = collections.Counter(r["verdict"] for r in of)
        equivalent = sum(r["verdict"] == SURVIVED and (r.get("class") or "").startswith("equivalent") for r in of)
        rest = count[KILLED] + count[SURVIVED] - equivalent
        share = f"{100 * count[KILLED] / rest:.1f} %" if rest else "-"
        print(f"{folder:12}{len(of):8}{count[BROKEN]:8}{count[SAME]:8}{count[KILLED]:8}{count[SURVIVED]:9}{equivalent:11}{share:>19}")


def source_line(name, line):
    with open(os.path.join(ROOT, name)) as file:
        return file.read().split("\n")[int(line) - 1].strip()


def print_survivors(rows):
    for r in rows:
        if r["verdict"] == SURVIVED:
            why = f" ({r['by']})" if r["by"] else ""
            why += f" {r['class']}" if r.get("class") else ""
            print(f"{r['file']}:{r['line']}:{r['column']}: `{r['was']}` became `{r['now']}`{why}\n    {source_line(r['file'], r['line'])}")


# ---- the run ----

def choose(options, found, record):
    if options.again:
        wanted = {(r["file"], r["line"], r["column"], r["was"], r["now"]) for r in record if r["verdict"] == SURVIVED}
        return [m for m in found if key_of(m) in wanted]
    if options.sample:
        # Shuffled, so that a larger sample of the same seed starts with the smaller one.
        random.Random(options.seed).shuffle(found)
        found = found[:options.sample]
    if options.resume:
        known = {(r["file"], r["line"], r["column"], r["was"], r["now"]) for r in record}
        found = [m for m in found if key_of(m) not in known]
    return found


def run(options, files, chosen, record):
    tests = core_tests()
    table = reach_map(tests)
    print(f"{len(chosen)} mutants; timing {len(tests)} tests", flush=True)
    seconds = baseline(tests)
    commands, users = build_commands(), users_of_headers()
    shutil.rmtree(SNAPSHOT, ignore_errors=True)
    for folder in ["src", "include"]:
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(SNAPSHOT, folder))
    todo = queue.Queue()
    for mutant in chosen:
        todo.put(mutant)
    lock, history = threading.Lock(), History(seconds)
    rows = {tuple(r[f] for f in ("file", "line", "column", "was", "now")): r for r in record} if options.resume or options.again else {}

    def work(number):
        worker = Worker(number, commands, users, tests, history, options.effort)
        while True:
            try:
                mutant = todo.get_nowait()
            except queue.Empty:
                return
            verdict, by, cpu = worker.try_mutant(mutant, files[mutant.file].text, tests_for(mutant, files, table))
            with lock:
                key = key_of(mutant)
                row = dict(zip(FIELDS, [mutant.file, str(mutant.line), str(mutant.column), mutant.kind, mutant.was, mutant.now,
                                        verdict, by, f"{cpu:.1f}", rows.get(key, {}).get("class", "")]))
                if verdict != SURVIVED:
                    row["class"] = ""
                rows[key] = row
                write_record(options.record, rows.values())
                print(f"{verdict:16} {mutant.file}:{mutant.line} `{mutant.was}` -> `{mutant.now}` {by} {cpu:.1f} s", flush=True)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return list(rows.values())


def main():
    parser = argparse.ArgumentParser(prog="script/mutate")
    parser.add_argument("--sample", type=int, metavar="N", help="try N random mutants (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="random seed; the same seed gives the same mutants")
    parser.add_argument("--file", action="append", metavar="FILE", help="only mutants of this file; can be repeated")
    parser.add_argument("--lines", metavar="A-B", help="only mutants of these lines")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--resume", action="store_true", help="skip mutants already in the record")
    parser.add_argument("--again", action="store_true", help="try the survivors of the record again")
    parser.add_argument("--summary", action="store_true", help="print the record's table and survivors and try none")
    parser.add_argument("--record", default=os.path.join(BUILD, "mutants.tsv"), metavar="FILE", help="file for the results")
    parser.add_argument("--effort", type=float, default=0, metavar="SECONDS",
                        help="stop testing a mutant after this much CPU time: it counts as survived")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count()), metavar="N", help="mutants in parallel")
    options = parser.parse_args()
    record = read_record(options.record)
    if options.summary:
        print_survivors(record)
        print_summary(record)
        return
    names = [os.path.relpath(os.path.abspath(name), ROOT) for name in options.file or []] or sources()
    files, found = read_files(names)
    if options.lines:
        low, high = map(int, options.lines.split("-"))
        found = [m for m in found if low <= m.line <= high]
    chosen = choose(options, found, record)
    if options.list:
        for m in chosen:
            print(f"{m.file}:{m.line}:{m.column}: {m.kind}: `{m.was}` -> `{m.now}`")
        print(f"{len(chosen)} mutants")
        return
    os.nice(10)
    rows = run(options, files, chosen, record)
    print_survivors(rows)
    print_summary(rows)


if __name__ == "__main__":
    main()
