#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Measures what the tests can see: plants one small mutant at a time and runs tests until one fails.

Usage: mutate.py FILE [--commit COMMIT] [--count N] [--seed N] [--minutes N] [--folder FOLDER]
       mutate.py FILE --table

FILE has one JSON object per mutant that was tried, so a later run continues where the last one ended.
The first line names commit, seed and count.  A worktree of the commit is built in FOLDER
(default: build-mutation/), without CUDA.

Each mutant changes one operator, constant or condition, or drops a statement, in lib/, compat/,
client/ or kernels/.  It is run against the unit tests of its room, then, for kernels, against the
kernels as host C, then against a short differential run.  The first test that fails, or does not
end in time, kills it.  A mutant that does not compile is replaced by the next one."""
import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

KINDS = ("operator", "constant", "condition", "statement")
OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
    "!=": "==", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|", "+=": "-=",
    "-=": "+=", "++": "--", "--": "++",
}  # fmt: skip
# Operators have blanks on both sides in this tree, but for ++ and --.
OPERATOR = re.compile(r"(?<= )(\+=|-=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^])(?= )|(\+\+|--)")
CONSTANT = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
CONDITION = re.compile(r"\b(if|while) \((.*)\)( \{)?$")
STATEMENT = re.compile(r"^\s+(?!return\b|goto\b|break\b|continue\b|case\b|else\b|\})[\w>.*\[\]()-]+( [-+|&^]?= .*|\(.*\));$")

# The unit tests of each room, as shell patterns below tests/unit; the longest prefix counts.
ROOMS = {
    "lib/algorithms": "algorithms/*",
    "lib/base": "base/*",
    "lib/calc": "operate/test_*_device trees/test_tree compat/test_number",
    "lib/device": "session/test_session transfer/* operate/test_mul compat/test_batch_changed",
    "lib/dispatch": "dispatch/*",
    "lib/expression": "compat/test_expression",
    "lib/fft": "fft/* multiply/test_fft_*",
    "lib/fixed": "fixed/test_convert fixed/test_fixed fixed/test_fixed_device",
    "lib/gmp": "compat/test_memory compat/test_room compat/test_no_memory",
    "lib/memory": "memory/*",
    "lib/modular": "modular/*",
    "lib/multiply": "multiply/* operate/test_mul compat/test_batch",
    "lib/operate": "operate/*",
    "lib/process": "process/*",
    "lib/selftest": "operate/test_mul modular/test_modular_batch compat/test_batch fault/test_gather_fault",
    "lib/session": "session/*",
    "lib/transfer": "transfer/* compat/test_batch_mpz",
    "lib/trees": "trees/*",
    "compat": "compat/test_call compat/test_compat compat/test_room compat/test_null",
    "compat/batch": "compat/test_batch*",
    "compat/fixed": "compat/test_mandelbrot",
    "compat/number": "compat/test_number",
    "compat/trees": "trees/*",
    "client": "compat/*",
    "kernels": "operate/test_mul",
    "kernels/batch": "compat/test_batch multiply/test_batch_check",
    "kernels/fixed": "fixed/test_fixed_device",
    "kernels/modular": "modular/*",
    "kernels/radix": "operate/test_radix_device",
    "kernels/ssa": "multiply/test_ssa*",
    "kernels/fft": "fft/*",
    "kernels/trees": "trees/*",
}
HOST_KERNELS = "tests/kernels/test_asan"
DIFFERENTIAL = "tests/differential/test_differential_opencl.sh"
SECONDS = 420  # of one test
BUILT = ["libmpgpu-gmp.la", "tools/mpgpu-cpu", "tests/differential/differential"]


def code_lines(text):
    """Yields number and text of each line of code, without comments; no preprocessor, no strings."""
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
    """Yields (kind, line number, start, end, replacement)."""
    for number, code in code_lines(text):
        if code[0] not in " \t}":  # declarations and heads of functions
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


def chosen(tree, seed):
    """All candidates in the order in which they are tried: the kinds alternate."""
    listed = subprocess.run(["git", "ls-files", "lib", "compat", "client", "kernels"], cwd=tree, capture_output=True, text=True, check=True)
    by_kind = {kind: [] for kind in KINDS}
    for path in sorted(listed.stdout.split()):
        if path.endswith((".c", ".h", ".cl")):
            for kind, *place in candidates(path, (tree / path).read_text()):
                by_kind[kind].append((kind, path, *place))
    chance = random.Random(seed)
    for kind in KINDS:
        chance.shuffle(by_kind[kind])
    return [mutant for four in zip(*by_kind.values(), strict=False) for mutant in four]


def run(command, cwd, seconds):
    """Returns the exit status, or None after `seconds`; and the output.  Nothing that it started remains."""
    environment = {**os.environ, "POCL_DEVICES": "basic", "MPGPU_TEST_OPERATIONS": "600", "MPGPU_TEST_SEED": "1"}
    with subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", start_new_session=True) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, ""


class Tree:
    def __init__(self, folder, commit):
        self.source, self.build = folder / "tree", folder / "tree/build"
        top = Path(__file__).resolve().parents[2]
        if not self.source.exists():
            subprocess.run(["git", "worktree", "add", "--detach", self.source, commit], cwd=top, check=True)
        subprocess.run(["git", "checkout", "-q", "-f", "--detach", commit], cwd=self.source, check=True)
        if not (self.build / "Makefile").exists():
            self.build.mkdir(exist_ok=True)
            subprocess.run(["autoreconf", "-fi"], cwd=self.source, check=True, capture_output=True)
            configure = ["../configure", "-q", "--without-cuda", f"CC={os.environ.get('CC', 'gcc')}"]
            subprocess.run(configure, cwd=self.build, check=True)
        status, output = run(["make", "-s", f"-j{os.cpu_count()}", *BUILT], self.build, 3600)
        if status != 0:
            sys.exit(f"mutate.py: the commit does not build: {output[-2000:]}")

    def tests_of(self, path):
        room = max((room for room in ROOMS if path.startswith(room + "/")), key=len)
        tests = [str(x.relative_to(self.source))[:-2] for pattern in ROOMS[room].split()
                 for x in sorted((self.source / "tests/unit").glob(pattern + ".c"))]  # fmt: skip
        tests = [x for x in tests if Path(x).name.startswith("test_") and "fault" not in Path(x).name] or tests
        tests.sort(key=lambda x: Path(x).name != "test_" + Path(path).stem)
        return [*tests, *([HOST_KERNELS] if path.startswith("kernels/") else []), DIFFERENTIAL]

    def outcome(self, path):
        """("not compiled", None), ("killed", the test) or ("survived", None)."""
        status, _ = run(["make", "-s", f"-j{os.cpu_count()}", *BUILT], self.build, 1800)
        if status != 0:
            return "not compiled", None
        for test in self.tests_of(path):
            status, output = run(["make", "-s", "check-TESTS", f"TESTS={test}"], self.build, SECONDS)
            if status != 0:
                return "killed", test + (" (did not end)" if status is None else "")
            if f"PASS: {test}" not in output:
                sys.exit(f"mutate.py: {test} did not run: {output[-1000:]}")
        return "survived", None

    def apply(self, path, number, start, end, replacement):
        """Returns the line before and after, and a function that undoes the change."""
        file = self.source / path
        before = file.read_text()
        lines = before.split("\n")
        line = lines[number]
        lines[number] = line[:start] + replacement + line[end:]
        file.write_text("\n".join(lines))
        return line.strip(), lines[number].strip(), lambda: file.write_text(before)


def read(file):
    if not file.exists():
        return None, []
    head, *rest = [json.loads(line) for line in file.read_text().splitlines()]
    return head, rest


def try_all(arguments):
    head, done = read(arguments.file)
    if head is None:
        top = Path(__file__).resolve().parent
        commit = subprocess.run(["git", "rev-parse", arguments.commit], cwd=top, capture_output=True, text=True, check=True).stdout.strip()
        head = {"commit": commit, "seed": arguments.seed, "count": arguments.count}
        arguments.file.write_text(json.dumps(head) + "\n")
    tree = Tree(arguments.folder.resolve(), head["commit"])
    end = time.monotonic() + 60 * arguments.minutes
    counted = sum(x["outcome"] != "not compiled" for x in done)
    for kind, path, number, *place in chosen(tree.source, head["seed"])[len(done):]:
        if counted >= head["count"] or time.monotonic() > end:
            break
        before, after, undo = tree.apply(path, number, *place)
        start = time.monotonic()
        try:
            outcome, test = tree.outcome(path)
        finally:
            undo()
        row = {"kind": kind, "file": path, "line": number + 1, "before": before, "after": after,
               "outcome": outcome, "by": test, "seconds": round(time.monotonic() - start)}  # fmt: skip
        with arguments.file.open("a") as f:
            f.write(json.dumps(row) + "\n")
        counted += outcome != "not compiled"
        print(f"{counted} {outcome}: {path}:{number + 1}: {before}  ->  {after}  {test or ''}", flush=True)


def print_table(file):
    head, rows = read(file)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--folder", type=Path, default=Path("build-mutation"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.file)
    else:
        try_all(arguments)


if __name__ == "__main__":
    main()
