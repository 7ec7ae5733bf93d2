# SPDX-License-Identifier: LGPL-3.0-or-later
"""The parts of a test run on a machine with a GPU.  A part has steps (commands), a backend, a kind
of libgmp and a share of a GPU.  Parts begin in the order of ORDER."""
import fnmatch
import glob
import os
from dataclasses import dataclass, field

from step import Step

# A part's share of a GPU: all of it, half, or none.  Processes on a GPU alternate: a tiny call
# takes 13 us alone, and 450 us if a second process computes.  So at most two parts share a GPU.
ALONE, SHARED, NONE = 1.0, 0.5, 0.0
# number of jobs of a part under the Multi-Process Service; each job keeps two cores busy
MPS_JOBS = 8

# tests that the common parts omit, because separate parts run them
APART = {"test_fault", "test_soak.sh", "test_fuzz.sh", "test_targets.sh"}
FAULTS = (
    "each_call_of_opening_fails",
    "each_call_fails",
    "calls_of_opening_keep_failing",
    "calls_keep_failing",
    "next_device",
    "each_call_of_opening_hangs",
    "each_call_hangs",
    "memory_is_short",
    "each_wrong_word_is_found",
    "each_wrong_launch_is_found",
)
LONGER = {"test_differential_cuda.sh": 60, "test_differential_opencl.sh": 60, "test_algorithms.sh": 40}
TOOLS = {"memcheck": 90, "initcheck": 90, "synccheck": 90, "racecheck": 400}
FUZZ_RUNS = 25_000  # calls that the fuzz test makes in each step
FUZZ_STEPS = 40  # a million
# expected seconds of a tiny call on each backend, including the time of GMP's own call in the test
CALL_SECONDS = {"cuda": 30e-6, "opencl": 80e-6, "pocl": 2e-3}
TUNING = 90  # seconds for mpgpu-tune
FEW_CALLS, MANY_CALLS = 500, 500_000  # of a suite's program
TARGETS = "small link device crossover check memory threads opencl transform digit smooth below run figures"


@dataclass
class Part:
    name: str
    backend: str  # cuda, opencl (NVIDIA's, if the loader finds that), pocl
    share: float  # of a GPU
    steps: list
    kind: str = "system"  # libgmp: the machine's, or debian
    jobs: int = 1
    # After this many seconds the part is interrupted, so that parts which have not begun run first.
    cap: float = 1e9
    folders: list = field(default_factory=list)  # of libraries before libgmp's kind
    mps: bool = False  # can use NVIDIA's Multi-Process Service: CUDA programs that nobody kills


def tests_of(bundle):
    """Returns the test programs and scripts: a dictionary from name to path."""
    files = glob.glob(f"{bundle}/tests/unit/*/test_*") + glob.glob(f"{bundle}/tests/*/test_*.sh")
    return {os.path.basename(file): os.path.relpath(file, bundle) for file in sorted(files)}


def test_step(name, file):
    argv = ["sh"] if name.endswith(".sh") else []
    return Step(name, argv + ["{copy}/" + file], seconds=LONGER.get(name, 12), most=400)


def test_parts(bundle):
    tests = tests_of(bundle)
    unit = [test_step(n, f) for n, f in tests.items() if not n.endswith(".sh") and n not in APART]
    scripts = [test_step(n, f) for n, f in tests.items() if n.endswith(".sh") and n not in APART]
    for backend in ("cuda", "opencl"):
        for kind in ("debian", "system"):
            yield Part(f"unit-{backend}-{kind}", backend, ALONE, unit, kind, jobs=2)
            yield Part(f"scripts-{backend}-{kind}", backend, ALONE, scripts, kind, jobs=2)
    env = {"MPGPU_TEST_LOG": "3", "POCL_DEBUG": "error,warning"}
    steps = [Step(name, ["{copy}/" + file], env) for name, file in tests.items() if name == "test_streams"]
    yield Part("streams-pocl", "pocl", NONE, steps)


def fault_parts():
    steps = [
        Step(case, ["{copy}/tests/unit/fault/test_fault"], {"MPGPU_TEST_ONLY": case, "CK_TIMEOUT_MULTIPLIER": "4"},
             seconds=100, most=560)
        for case in FAULTS
    ]
    for backend in ("cuda", "opencl"):
        yield Part(f"fault-{backend}", backend, ALONE, steps, jobs=2)


def soak_parts():
    for backend, kind in (("cuda", "system"), ("opencl", "debian")):
        step = Step("test_soak", ["sh", "{copy}/tests/programs/test_soak.sh"],
                    {"MPGPU_TEST_SECONDS": "{left}", "MPGPU_TEST_TRIES": "1", "MPGPU_TEST_SHARED": "1"},
                    seconds=640, shrinks=600)
        yield Part(f"soak-{backend}", backend, SHARED, [step], kind, cap=640)


def sanitize_parts():
    for tool, seconds in TOOLS.items():
        argv = ["sh", "{copy}/tests/sanitize/kernels.sh", "{copy}", tool]
        step = Step(tool, argv, {"JOBS": "6"}, seconds=seconds, most=1200)
        yield Part(f"sanitize-{tool}", "cuda", SHARED, [step])


def fuzz_parts():
    for backend in ("cuda", "opencl"):
        steps = [
            Step(f"seed-{seed}", ["{copy}/tests/fuzz/fuzz_calls", "--runs", str(FUZZ_RUNS), "--seed", str(seed)],
                 {"MPGPU_CONF": f"backend:{backend},watchdog:600"}, seconds=15)
            for seed in range(1, FUZZ_STEPS + 1)
        ]
        yield Part(f"fuzz-{backend}", backend, ALONE, steps, "debian", cap=300, mps=backend == "cuda")


def programs_of(folder):
    """Yields (calls, program) for each program of a test suite.  The counts of calls come from the
    file `calls` in its folder, which an earlier run has written."""
    calls_of = {}
    if os.path.exists(f"{folder}/calls"):
        with open(f"{folder}/calls") as file:
            calls_of = {name: int(calls) for calls, name in (line.split() for line in file)}
    for path in glob.glob(f"{folder}/**", recursive=True):
        with open(path if os.path.isfile(path) else os.devnull, "rb") as file:
            if os.access(path, os.X_OK) and file.read(4) == b"\x7fELF":
                name = os.path.relpath(path, folder)
                yield calls_of.get(name, FEW_CALLS), name


def suite_step(suite, program, calls, backend):
    return Step(
        program.replace("/", "_"),
        ["sh", "{copy}/tests/clients/suite.sh", "--program", "{copy}", "{copy}/suites/" + f"{suite}/{program}"],
        {"BACKEND": backend, "SECONDS_EACH": "{left}"},
        "{copy}/suites/" + os.path.dirname(f"{suite}/{program}"),
        seconds=1 + calls * CALL_SECONDS[backend],
        most=1e9,
    )


def suite_parts(bundle):
    """Yields the parts of the test suites of other libraries.

    Programs with few calls run several at a time, because opening the device takes most of their
    time.  The largest programs are a part of their own, so that other suites can run before
    them.  Each program runs twice: with the suite's libgmp, and with a copy of it whose inner
    calls cannot be intercepted."""
    suites = sorted(os.path.basename(suite) for suite in glob.glob(f"{bundle}/suites/*"))
    for suite in suites:
        programs = sorted(programs_of(f"{bundle}/suites/{suite}"))
        for size, above, most in (("few", -1, FEW_CALLS), ("more", FEW_CALLS, MANY_CALLS), ("most", MANY_CALLS, 1e9)):
            for backend in ("cuda", "opencl"):
                steps = [suite_step(suite, p, c, backend) for c, p in programs if above < c <= most]
                for kind in ("open", "symbolic"):
                    yield suite_part(suite, size, backend, kind, steps)


def suite_part(suite, size, backend, kind, steps):
    share, jobs = (SHARED, 6) if size == "few" else (ALONE, 1)
    name = f"{suite.split('-')[0]}-{size}-{backend}-{kind}"
    return Part(name, backend, share, steps, kind, jobs, 200, ["{copy}/suites-lib/" + suite], backend == "cuda")


def python_parts(bundle):
    """Yields the parts of the test suites of Python modules, with one step for each file."""
    for folder in sorted(glob.glob(f"{bundle}/suites-python/*")):
        suite = os.path.basename(folder)
        files = sorted(os.path.basename(f) for f in glob.glob(f"{folder}/test/test_*.py"))
        for backend in ("cuda", "opencl"):
            steps = [
                Step(file, ["sh", "{copy}/tests/device/pytest.sh", file],
                     {"PYTHONPATH": "{copy}/suites-python/" + suite, "BACKEND": backend, "SECONDS_EACH": "{left}"},
                     "{copy}/suites-python/" + f"{suite}/test", seconds=30, most=200)
                for file in files
            ]
            yield Part(f"{suite}-{backend}", backend, ALONE, steps, cap=150, mps=backend == "cuda")


def arrays_parts():
    """Yields the parts that test arrays of CuPy and PyTorch: with the user's server, and with
    server:off."""
    for name, conf in (("served", "backend:cuda"), ("own", "backend:cuda,server:off")):
        cases = [] if name == "served" else ["driver", "protocol", "same_gpu_without_another_library", "cupy_takes", "cupy_gives",
                                             "cupy_numbers", "streams", "lifetimes", "array_at_exit", "torch_both_ways", "rates"]
        step = Step("arrays", ["sh", "-c", 'python3 "$@" >{out}/said 2>&1; status=$?; cat {out}/said; exit $status', "sh",
                               "{copy}/tests/device/arrays.py", "{copy}", *cases],
                    {"MPGPU_CONF": conf}, seconds=60, most=300, show="said")
        yield Part(f"arrays-{name}", "cuda", ALONE, [step])


def targets_parts():
    argv = ["sh", "{copy}/tests/performance/targets.sh", "{copy}"]
    steps = [Step("table", argv + TARGETS.split(), seconds=200, most=400, show="targets.md")]
    for row, seconds in (("pi7", 20), ("pi8", 130), ("composite", 100), ("largest", 60)):
        steps.append(Step(row, argv + [row], seconds=seconds, show="targets.md"))
    yield Part("targets", "cuda", ALONE, steps)
    for backend in ("cuda", "opencl"):
        argv = ["{copy}/tools/mpgpu-tune", "--backend", backend, "--verbose", "--seconds", str(TUNING),
                "--output", "{out}/" + f"{backend}.profile"]
        step = Step("mpgpu-tune", argv, seconds=TUNING + 15, most=400, show=f"{backend}.profile")
        yield Part(f"tune-{backend}", backend, ALONE, [step])


def extra_parts(bundle):
    """Yields a part for each script in the bundle's folder extra/.  A person puts scripts there
    for a single measurement; the report shows their output."""
    for script in sorted(glob.glob(f"{bundle}/extra/*.sh")):
        name = os.path.basename(script).removesuffix(".sh")
        command = f"sh {{copy}}/extra/{name}.sh >{{out}}/said 2>&1; status=$?; cat {{out}}/said; exit $status"
        step = Step(name, ["sh", "-c", command], seconds=30, most=120, show="said")
        yield Part(f"extra-{name}", "cuda", ALONE, [step])


ORDER = (
    "sanitize-racecheck", "unit-*", "streams-*", "fault-*", "soak-*", "scripts-*", "sanitize-*", "*-few-*-open",
    "gmp-more-*-open", "fuzz-*", "gmpy2-*", "*-more-*-open", "*-few-*", "*-more-*", "*",
)


def rank(part):
    return next(i for i, pattern in enumerate(ORDER) if fnmatch.fnmatch(part.name, pattern))


def spread(part):
    """Changes a part for the Multi-Process Service.  The part gets half of a GPU and runs more
    jobs at the same time; its longest steps run first.  No other part interrupts it, because
    `cap` is very large."""
    part.share, part.jobs, part.cap = SHARED, MPS_JOBS, 1e9
    part.steps = sorted(part.steps, key=lambda step: -step.seconds)


def parts_of(bundle):
    """Returns all parts, in the order in which they begin."""
    groups = (test_parts(bundle), fault_parts(), soak_parts(), sanitize_parts(),
              suite_parts(bundle), fuzz_parts(), python_parts(bundle),
              arrays_parts(), targets_parts(), extra_parts(bundle))
    return sorted((part for group in groups for part in group), key=rank)
