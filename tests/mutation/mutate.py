#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Measures what the tests can see: plants one small fault (a mutant) at a time and
runs tests until one fails.

Usage: mutate.py FILE [--commit COMMIT] [--count N] [--seed N] [--minutes N] [--jobs N] [--folder FOLDER] [--prepared] [--only PREFIX ...]
       mutate.py FILE --table

FILE has one JSON object per mutant that was tried, so a later run continues where the last one ended.
The first line names commit, seed and count.  FOLDER/tree (default: build-mutation/tree) is a worktree
of the commit, built without CUDA.  With --prepared, it exists and is used as it is.

Each mutant changes one operator, constant or condition, or drops a statement, in lib/, compat/ or
kernels/, or only in files whose paths begin with a PREFIX.  A mutant of a kernel is first
tested by the tests of the kernels as host C.  Then each mutant is tested by the unit tests of its
folder and a short differential run.  The first test that fails, or does not end in time, kills the
mutant.  A mutant that does not compile is replaced by the next one.

The first time that a test fails, it runs without a mutant, too.  If it fails again, the test is not
used: FILE names it.  A mutant's commands see FOLDER/tree through an overlay (unshare, mount).  So N
mutants run at the same time with --jobs N, and none changes FOLDER/tree."""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

KINDS = ("operator", "constant", "condition", "statement")
OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
    "!=": "==", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|", "+=": "-=",
    "-=": "+=", "++": "--", "--": "++",
}  # fmt: skip
# In this tree binary operators have blanks on both sides; ++ and -- have none.
OPERATOR = re.compile(r"(?<= )(\+=|-=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^])(?= )|(\+\+|--)")
CONSTANT = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
CONDITION = re.compile(r"\b(if|while) \((.*)\)( \{)?$")
STATEMENT = re.compile(r"^\s+(?!return\b|goto\b|break\b|continue\b|case\b|else\b|\})[\w>.*\[\]()-]+( [-+|&^]?= .*|\(.*\));$")

# For each prefix of a source path: the unit tests to run, as shell patterns below tests/unit, and
# scripts below tests. The longest matching prefix counts.
FOLDERS = {
    "lib/algorithms": "algorithms/*",
    "lib/base": "base/*",
    "lib/base/sites": "base/test_stats programs/test_profile.sh programs/test_estimate.sh",
    "lib/calc": "job/test_composites operate/test_*_device trees/test_tree compat/test_number",
    "lib/device": "session/test_session transfer/* operate/test_mul compat/test_batch_changed",
    "lib/dispatch": "dispatch/*",
    "lib/expression": "compat/test_expression",
    "lib/fft": "fft/* multiply/test_fft_*",
    "lib/fixed": "fixed/test_fixed fixed/test_fixed_device",
    "lib/job": "job/* compat/test_batch*",
    "lib/gmp": "compat/test_memory compat/test_room compat/test_no_memory process/test_plugin.sh",
    "lib/matrix": "compat/test_matrix*",
    "lib/memory": "memory/*",
    "lib/modular": "job/test_jobs compat/test_batch modular/*",
    "lib/multiply": "multiply/* operate/test_mul compat/test_batch session/test_coalesce",
    "lib/operate": "operate/*",
    "lib/process": "process/*",
    "lib/selftest": "operate/test_mul job/test_jobs compat/test_batch fault/test_coalesce_fault",
    "lib/session": "session/*",
    "lib/transfer": "transfer/* compat/test_batch_mpz",
    "lib/trees": "trees/*",
    "compat": "compat/test_call compat/test_compat compat/test_room compat/test_null",
    "compat/batch": "compat/test_batch* compat/test_expression compat/test_probable_prime compat/test_no_memory",
    "compat/fixed": "compat/test_mandelbrot",
    "compat/flint": "clients/test_flint_polynomials.sh clients/test_flint_calls.sh",
    "compat/matrix": "compat/test_matrix*",
    "compat/number": "compat/test_number",
    "compat/poly": "compat/test_poly",
    "compat/trees": "trees/*",
    "kernels": "operate/test_mul",
    "kernels/batch": "compat/test_batch compat/test_batch_changed compat/test_expression multiply/test_batch_check",
    "kernels/check": "operate/test_mul operate/test_mulmod",
    "kernels/fixed": "fixed/test_fixed fixed/test_fixed_device",
    "kernels/matrix": "compat/test_matrix*",
    "kernels/ntt": "operate/test_mul compat/test_matrix",
    "kernels/modular": "job/test_jobs modular/*",
    "kernels/poly": "compat/test_poly",
    "kernels/radix": "job/test_composites operate/test_radix_device",
    "kernels/ssa": "multiply/test_ssa*",
    "kernels/sums": "multiply/test_halves operate/test_mul",
    "kernels/fft": "fft/* multiply/test_fft_sum",
    "kernels/trees": "trees/*",
}
HOST_KERNELS = "tests/kernels/test_asan"
FAST_SECONDS = 8
DIFFERENTIAL = "tests/differential/test_differential_opencl.sh"
BUILT = ["libmpgpu-gmp.la", "tools/mpgpu-serve", "examples/pi", "tests/differential/differential"]


def code_lines(text):
    """Yields the number and text of each code line. Leaves out comments, preprocessor lines and
    strings."""
    in_comment = in_macro = False
    for number, line in enumerate(text.split("\n")):
        continues = line.endswith("\\")
        skips = in_macro or line.lstrip().startswith("#")
        in_macro = skips and continues
        if in_comment or skips or '"' in line or "'" in line:
            in_comment = (in_comment or "/*" in line) and "*/" not in line.split("/*")[-1]
            continue
        code = re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group()), line)
        if "/*" in code:
            in_comment, code = True, code[: code.index("/*")]
        if code.strip():
            yield number, code.rstrip()


def candidates(path, text):
    """Yields possible mutants: (kind, line number, start, end, replacement)."""
    for number, code in code_lines(text):
        if code[0] not in " \t}":  # declarations and function headers get no mutants
            continue
        for m in OPERATOR.finditer(code):
            if not (m.group() == "*" and re.search(r"\b(const|struct|void|char|int|u?int\d+_t|u\d+|mp_ptr) \*$", code[: m.end()])):
                yield "operator", number, m.start(), m.end(), OPERATORS[m.group()]
        for m in CONSTANT.finditer(code):
            yield "constant", number, m.start(), m.end(), str(int(m.group()) + 1)
        if m := CONDITION.search(code):
            yield "condition", number, m.start(2), m.end(2), f"!({m.group(2)})"
        if STATEMENT.match(code) and not re.match(r"^\s+(const |static |struct |enum )", code):
            start = len(code) - len(code.lstrip())
            yield "statement", number, start, len(code), ";"


def chosen(tree, seed, only):
    """Returns the possible mutants of files whose paths begin with an element of `only`, in the order
    in which they are tried: the kinds alternate."""
    by_kind = {kind: [] for kind in KINDS}
    files = [x for folder in ("lib", "compat", "kernels") for x in (tree / folder).rglob("*.*")]
    paths = sorted(str(x.relative_to(tree)) for x in files if x.suffix in (".c", ".h", ".cl"))
    for path in (x for x in paths if x.startswith(tuple(only)) and not x.endswith("_ptx.h")):  # only CUDA
        for kind, *place in candidates(path, (tree / path).read_text()):
            by_kind[kind].append((kind, path, *place))
    chance = random.Random(seed)
    for kind in KINDS:
        chance.shuffle(by_kind[kind])
    return [mutant for four in zip(*by_kind.values(), strict=False) for mutant in four]


PASSES = {}  # for each test that has failed with a mutant: whether it passes without one


class TimeIsUp(Exception):
    pass


def prepare(tree, commit):
    top = Path(__file__).resolve().parents[2]
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", tree, commit], cwd=top, check=True)
    subprocess.run(["git", "checkout", "-q", "-f", "--detach", commit], cwd=tree, check=True)
    if not (tree / "build/Makefile").exists():
        (tree / "build").mkdir(exist_ok=True)
        subprocess.run(["autoreconf", "-fi"], cwd=tree, check=True, capture_output=True)
        configure = ["../configure", "-q", "--without-cuda", f"CC={os.environ.get('CC', 'gcc')}"]
        subprocess.run(configure, cwd=tree / "build", check=True)
        subprocess.run([sys.executable, top / "tests/mutation/unchanged.py", tree / "build"], check=True)


class Tree:
    """The built tree of a commit. Its methods raise TimeIsUp when time.monotonic() reaches `end`
    (seconds)."""

    def __init__(self, folder, jobs, end, mutated):
        self.folder, self.source, self.jobs, self.end = folder, folder / "tree", jobs, end
        (self.source / "tmp").mkdir(exist_ok=True)
        for overlay in folder.glob("[0-9]*"):  # remains of an interrupted run
            shutil.rmtree(overlay)
        tests = sorted({test for path in mutated for test in self.tests_of(path)})
        has_script = any(x.endswith(".sh") and x != DIFFERENTIAL for x in tests)
        for targets in ["all"], ["check", "TESTS="] if has_script else [], [*BUILT, *(x for x in tests if not x.endswith(".sh"))]:
            status, output = self.make(self.source, targets, 3600, os.cpu_count())
            if status != 0:
                sys.exit(f"mutate.py: the commit does not build: {output[-2000:]}")
        if HOST_KERNELS in tests and not (folder / "cover.jsonl").exists():
            self.cover()

    def make(self, tree, targets, seconds, jobs=0, log="", only=""):
        """Removes the file `log`, then runs make, for a mutant in the overlay `tree`. Returns make's exit
        status and output.  The status is None if `seconds` pass first, and "FAIL" as soon as a mutant's
        test fails.  Kills what is left of its processes."""
        command = ["sh", "-c", 'cd "$0/build" && rm -f $1 && shift && exec "$@"', self.source, log]
        command += ["make", "-s", f"-j{jobs or max(1, os.cpu_count() // self.jobs)}", *targets]
        environment = {**os.environ, "TMPDIR": str(self.source / "tmp"), "MPGPU_TEST_OPERATIONS": "600", "MPGPU_TEST_SEED": "1"}
        if only:
            environment["MPGPU_TEST_LOOPS"] = only
        if tree != self.source:
            tap = tree.parent / "tap"
            tap.unlink(missing_ok=True)
            environment["CK_TAP_LOG_FILE_NAME"] = str(tap)
            mount = 'mount -t overlay -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" overlay "$0" && shift && exec "$@"'
            command = ["unshare", "-m", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", mount, self.source, tree.parent, *command]
        limit = min(time.monotonic() + seconds, self.end)
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True) as process:  # fmt: skip
            status, output = "", ""
            while status == "":
                try:
                    output, _ = process.communicate(timeout=0.5)
                    status = process.returncode
                except subprocess.TimeoutExpired:
                    if tree != self.source and tap.exists() and re.search("^not ok", tap.read_text(errors="replace"), re.M):
                        status = "FAIL"
                    elif time.monotonic() >= limit:
                        status = None
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        if time.monotonic() >= self.end:
            raise TimeIsUp
        return status, output

    def host_test(self, only):
        """Runs the chosen tests of the kernels as host C. Returns the processor time in seconds, or None
        if a test fails; the names of tests that it printed; and the kernels (program, kernel) that were
        not launched."""
        home = str(self.source / "build/tests/home")
        environment = {**os.environ, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "MPGPU_TEST_SEED": "1", "MPGPU_TEST_LOOPS": only}
        with subprocess.Popen(self.source / "build" / HOST_KERNELS, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace") as process:  # fmt: skip
            output = process.stdout.read()
            _, process.returncode, used = os.wait4(process.pid, 0)
        idle = re.findall(r"^never launched: kernel (\w+) of program (\w+)(, groups in a cluster)?$", output, re.M)
        seconds = None if process.returncode else used.ru_utime + used.ru_stime
        return seconds, re.findall(r"^(\w+:\d+) $", output, re.M), {
            (("cluster_" if cluster else "host_") + program, kernel) for kernel, program, cluster in idle}  # fmt: skip

    def cover(self):
        """Writes FOLDER/cover.jsonl: for each test of the kernels as host C that passes, and each loop,
        the programs whose kernels it launches and the seconds that it takes."""
        self.result(self.source, HOST_KERNELS, 600, " ")  # runs no test, but prepares their home folder
        _, names, kernels = self.host_test("")
        with ProcessPoolExecutor(self.jobs) as pool:
            results = pool.map(self.host_test, [name + " " for name in names])
            rows = [{"name": name, "seconds": seconds, "programs": sorted({program for program, _ in kernels - idle})}
                    for name, (seconds, _, idle) in zip(names, results, strict=True) if seconds is not None]  # fmt: skip
        if not any(row["programs"] for row in rows):
            sys.exit(f"mutate.py: {HOST_KERNELS} launches no kernel")
        (self.folder / "cover.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def host_tests(self, programs):
        """Returns the tests of the kernels as host C that launch one of the programs, as two values of
        MPGPU_TEST_LOOPS: fast ones, then the others."""
        tests, seconds = ["", ""], 0
        for row in sorted(map(json.loads, (self.folder / "cover.jsonl").open()), key=lambda x: x["seconds"]):
            if programs & set(row["programs"]):
                seconds += row["seconds"]
                tests[seconds > FAST_SECONDS] += row["name"] + " "
        return [x for x in tests if x]

    def host_programs(self, path):
        """Returns the kernel programs, as host C, that include a file."""
        objects = (self.source / "build/tests/kernels").glob("*.asan.o.d")
        return {x.name.split(".")[0] for x in objects if f"../{path}" in x.read_text().split()}

    def log(self, tree, test):
        return tree / "build" / (test.removesuffix(".sh") + ".log")

    def result(self, tree, test, seconds, only=""):
        """Runs a test. Returns PASS, SKIP, FAIL, ... from the test's .trs file, or a text that
        says why there is no result."""
        log = self.log(tree, test)
        # TEST_LOGS= skips the tests that `make check` runs before its first test; check_PROGRAMS=
        # skips the programs that it builds before its first script.
        name = log.relative_to(tree / "build")
        status, _ = self.make(tree, [name, "TEST_LOGS=", "check_PROGRAMS="], seconds, log=name, only=only)
        if status != 0:
            return {None: "did not end", "FAIL": "FAIL"}.get(status, "make failed")
        return re.search(r":test-result: (\S+)", log.with_suffix(".trs").read_text()).group(1)

    def passes(self, test):
        """Returns true if the test passes without a mutant. The loops of HOST_KERNELS in cover.jsonl do."""
        if test == HOST_KERNELS:
            return True
        if test not in PASSES:
            PASSES[test] = self.result(self.source, test, 1800) == "PASS"
        return PASSES[test]

    def tests_of(self, path):
        folder = max((folder for folder in FOLDERS if path.startswith(folder + "/")), key=len)
        patterns = [x if x.endswith(".sh") else f"unit/{x}.c" for x in FOLDERS[folder].split()]
        # A pattern with a * leaves out tests with injected faults, which take minutes.
        tests = [str(x.relative_to(self.source)).removesuffix(".c") for pattern in patterns
                 for x in sorted((self.source / "tests").glob(pattern))
                 if x.name.startswith("test_") and ("*" not in pattern or "fault" not in x.name)]  # fmt: skip
        tests.sort(key=lambda x: Path(x).name != "test_" + Path(path).stem)
        return [*([HOST_KERNELS] if path.startswith("kernels/") else []), *tests, DIFFERENTIAL]

    def outcome(self, tree, path):
        """Builds and tests a tree with a mutant. Returns ("not compiled", None), ("killed",
        TEST) or ("survived", None)."""
        runs = [(test, "") for test in self.tests_of(path)]
        if path.startswith("kernels/"):
            programs = self.host_programs(path)
            host_tests = self.host_tests(programs)
            runs[:1] = [(HOST_KERNELS, tests) for tests in host_tests]
            for suffix in ("c", "asan.o"):  # other programs are not built again
                for old in (self.source / "build/tests/kernels").glob(f"*_*.{suffix}"):
                    if old.name.split(".")[0] not in programs:
                        copy = tree / old.relative_to(self.source)
                        copy.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copyfile(old, copy)
        status, _ = self.make(tree, [HOST_KERNELS] if path.startswith("kernels/") else BUILT, 1800)
        if status != 0:
            return "not compiled", None
        for test, only in runs:
            # The unit tests of a kernel renew the images of kernels, which the library must match.
            if test.endswith(".sh") and self.make(tree, BUILT, 1800)[0] != 0:
                return "not compiled", None
            result = self.result(tree, test, 900, only)
            if result not in ("PASS", "SKIP") and self.passes(test):
                return "killed", test + ("" if result == "FAIL" else f" ({result})")
        return "survived", None

    def row(self, index, mutant):
        """Tries one mutant and returns its object for FILE; None if the time is up."""
        kind, path, number, start, end, replacement = mutant
        begin = time.monotonic()
        overlay = self.folder / str(index)
        tree = overlay / "upper"
        (tree / path).parent.mkdir(parents=True)
        (overlay / "work").mkdir()
        try:
            lines = (self.source / path).read_text().split("\n")
            before = lines[number]
            lines[number] = before[:start] + replacement + before[end:]
            (tree / path).write_text("\n".join(lines))
            outcome, test = self.outcome(tree, path)
        except TimeIsUp:
            return None
        finally:
            shutil.rmtree(overlay, ignore_errors=True)
        left_out = [test for test, passed in PASSES.items() if not passed]
        return {"index": index, "left out": left_out, "kind": kind, "file": path, "line": number + 1, "before": before.strip(),
                "after": lines[number].strip(), "outcome": outcome, "by": test, "seconds": round(time.monotonic() - begin)}  # fmt: skip


def read(file):
    """Reads FILE. Returns the object of its first line, the mutants' objects, and the names of
    tests that were left out."""
    head, *rest = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else [None]
    return head, [x for x in rest if "index" in x], sorted({test for x in rest for test in x.get("left out", ())})


def try_all(arguments):
    head, rows, _ = read(arguments.file)
    folder, end = arguments.folder.resolve(), time.monotonic() + 60 * arguments.minutes

    def add(row):
        with arguments.file.open("a") as f:
            f.write(json.dumps(row) + "\n")

    if head is None:
        git = ["git", "-C", Path(__file__).resolve().parent, "rev-parse", arguments.commit]
        commit = arguments.commit if arguments.prepared else subprocess.check_output(git, text=True).strip()
        head = {"commit": commit, "seed": arguments.seed, "count": arguments.count, "only": arguments.only}
        add(head)
    if not arguments.prepared:
        prepare(folder / "tree", head["commit"])
    counted = sum(x["outcome"] != "not compiled" for x in rows)
    tried = {x["index"] for x in rows}
    mutants = [x for x in enumerate(chosen(folder / "tree", head["seed"], head.get("only", [""]))) if x[0] not in tried][: 2 * (head["count"] - counted)]
    tree = Tree(folder, arguments.jobs, end, {mutant[1] for _, mutant in mutants})
    waiting, running = iter(mutants), set()
    with ProcessPoolExecutor(tree.jobs) as pool:
        while True:
            while len(running) < min(tree.jobs, head["count"] - counted) and time.monotonic() < end:
                running.add(pool.submit(tree.row, *next(waiting)))  # `waiting` has spare mutants: some do not compile
            if not running:
                break
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for row in filter(None, (x.result() for x in finished)):
                add(row)
                counted += row["outcome"] != "not compiled"
                change = f"{row['file']}:{row['line']}: {row['before']}  ->  {row['after']}"
                print(f"{counted} {row['outcome']}: {change}  {row['by'] or ''}", flush=True)


def print_table(file):
    head, rows, left_out = read(file)
    rows = [x for x in rows if x["outcome"] != "not compiled"]
    print(f"Commit {head['commit'][:8]}, seed {head['seed']}, {len(rows)} of {head['count']} mutants.\n")
    for title, key in (("folder", lambda x: "/".join(x["file"].split("/")[:2])), ("kind", lambda x: x["kind"])):
        total, killed = Counter(map(key, rows)), Counter(key(x) for x in rows if x["outcome"] == "killed")
        print(f"| {title} | mutants | killed |\n| --- | ---: | ---: |")
        for name in sorted(total):
            print(f"| {name} | {total[name]} | {killed[name]} |")
        print(f"| all | {len(rows)} | {sum(killed.values())} |\n")
    print("Survivors:")
    for x in rows:
        if x["outcome"] == "survived":
            print(f"- {x['file']}:{x['line']}: `{x['before']}` -> `{x['after']}`")
    print("\nTests that fail without a mutant:", *left_out or ["none"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("build-mutation"))
    parser.add_argument("--prepared", action="store_true")
    parser.add_argument("--only", nargs="+", default=[""])
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.file)
    else:
        with suppress(TimeIsUp):
            try_all(arguments)


if __name__ == "__main__":
    main()
