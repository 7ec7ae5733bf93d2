#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times products, determinants and solutions of matrices of integers, and prints tables with the
target times.

matrices.py BUILD_DIR [--small] [--long] [--systems] [--repeats N]
    By default, measures two kinds of products. In the first, operands and result stay on the device
    (mpgpu_matrix_mul); one entry of each product is compared with Python's. In the second, they are
    on the host: python-flint's fmpz_mat under mpgpu-run, compared with FLINT on one thread and on
    all cores.
    --small uses short matrices, for a machine without a GPU. --long measures only products on the
    device that are computed by transforms. --systems measures determinants, solutions for one right
    side, and inverses instead of products. Their operands are on the device, their results on the
    host, and FLINT's det(), solve() and inv() are timed for comparison. All results are compared.
    Needs NumPy; without python-flint, its rows are left out.

BUILD_DIR is a build tree, or a bundle that `make device-bundle` has made."""
import argparse
import ctypes
import json
import os
import subprocess
import sys
import time

# each product: rows, terms, columns, bits of an entry, target in milliseconds
DEVICE = ((4096, 4096, 4096, 1024, 250), (300, 300, 300, 1024, None), (64, 64, 64, 332000, 40), (8, 8, 8, 2**20, 2))
SMALL_DEVICE = ((60, 60, 60, 1024, None), (3, 3, 3, 33200, None))
LONG = 11640  # bits of an entry from which on transforms compute the product (lib/matrix/matrix.h)
# each product of square matrices: side, bits of an entry, target as a multiple of FLINT's speed on
# one thread
FLINT = ((200, 700, 10), (1000, 1024, 20))
SMALL_FLINT = ((40, 700, None),)
# each system of equations: side, bits of an entry, whether the inverse is timed, too
SYSTEMS = ((50, 100, True), (100, 1000, True), (200, 100, True), (300, 64, False), (500, 100, False), (1000, 20, False))
SMALL_SYSTEMS = ((8, 100, True), (20, 30, True))


class Mpz(ctypes.Structure):
    """GMP's mpz_t."""

    _fields_ = [("alloc", ctypes.c_int), ("size", ctypes.c_int), ("limbs", ctypes.c_void_p)]

    def value(self):
        magnitude = int.from_bytes(ctypes.string_at(self.limbs, 8 * abs(self.size)), "little")
        return -magnitude if self.size < 0 else magnitude


def library(build):
    lib = ctypes.CDLL(f"{build}/.libs/libmpgpu-gmp.so.0")
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    lib.mpgpu_matrix_create.restype, lib.mpgpu_matrix_create.argtypes = pointer, (size, size)
    lib.mpgpu_matrix_destroy.argtypes = (pointer,)
    lib.mpgpu_matrix_set.argtypes = (pointer, pointer, size)
    lib.mpgpu_matrix_get.argtypes = (pointer, pointer)
    lib.mpgpu_matrix_mul.argtypes = (pointer, pointer, pointer)
    lib.mpgpu_matrix_det.argtypes = (pointer, pointer, pointer)
    lib.mpgpu_matrix_solve.argtypes = (pointer, pointer, pointer, pointer, pointer)
    lib.mpgpu_matrix_inverse.argtypes = (pointer, pointer, pointer, pointer)
    lib.mpgpu_matrix_limbs.restype, lib.mpgpu_matrix_limbs.argtypes = size, (pointer,)
    lib.mpgpu_matrix_on_device.argtypes = (pointer,)
    lib.mpgpu_error.restype = ctypes.c_char_p
    return lib


def checked(lib, error):
    if error:
        sys.exit(f"matrices.py: {lib.mpgpu_error().decode()}")


def random_entries(numpy, rows, columns, bits):
    """Returns limbs of random signed numbers of `bits` bits."""
    limbs = bits // 64 + 1
    x = numpy.random.default_rng(rows + bits).integers(0, 2**64, (rows, columns, limbs), numpy.uint64)
    x[:, :, -1] = (x[:, :, -1].view(numpy.int64) >> (63 - bits % 64)).view(numpy.uint64)
    return x


def entry(x):
    return int.from_bytes(x.tobytes(), "little", signed=True)


def on_device(lib, numpy, m, k, n, bits, repeats):
    """Returns the least seconds of a product whose operands must be on the device, and whether they
    really were there."""
    shapes = (m, k), (k, n), (m, n)
    u, v, r = (lib.mpgpu_matrix_create(*shape) for shape in shapes)
    x, y = (random_entries(numpy, *shape, bits) for shape in shapes[:2])
    checked(lib, lib.mpgpu_matrix_set(u, x.ctypes.data, x.shape[2]))
    checked(lib, lib.mpgpu_matrix_set(v, y.ctypes.data, y.shape[2]))
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        checked(lib, lib.mpgpu_matrix_mul(r, u, v))
        times.append(time.perf_counter() - start)
    was_there = all(lib.mpgpu_matrix_on_device(a) for a in (u, v, r))
    got = numpy.empty((m, n, lib.mpgpu_matrix_limbs(r)), numpy.uint64)
    checked(lib, lib.mpgpu_matrix_get(got.ctypes.data, r))
    i, j = m // 2, n - 1
    right = sum(entry(x[i, t]) * entry(y[t, j]) for t in range(k))
    if entry(got[i, j]) != right:
        sys.exit(f"matrices.py: a wrong entry of the product of {m} x {k} x {n} numbers of {bits} bits")
    for a in (u, v, r):
        lib.mpgpu_matrix_destroy(a)
    return min(times[1:]), was_there


def flint_times(sizes, threads, repeats):
    """Prints the least seconds of a product of FLINT's for each size, and a hash of the product, as
    JSON."""
    import random

    import flint

    flint.ctx.threads = threads
    found = []
    for side, bits, _ in sizes:
        random.seed(side)
        a, b = (flint.fmpz_mat([[random.getrandbits(bits + 1) - 2**bits for _ in range(side)] for _ in range(side)])
                for _ in range(2))
        times = []
        for _ in range(repeats + 1):
            start = time.perf_counter()
            c = a * b
            times.append(time.perf_counter() - start)
        total = sum(int(c[i, j]) * (7 * i + 3 * j + 1) for i in range(side) for j in range(0, side, 17))
        found.append((min(times[1:]), total % (2**61 - 1)))
    print(json.dumps(found))


def run_flint(build, under, threads, repeats, small):
    command = [sys.executable, os.path.abspath(__file__), build, "--flint", str(threads), "--repeats", str(repeats)]
    command += ["--small"] if small else []
    if under:
        command = [f"{build}/tools/mpgpu-run", "--wait", "--"] + command
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def host_to_host(build, sizes, repeats, small):
    ways = (False, 1), (False, os.cpu_count()), (True, 1)
    alone, cores, under = (run_flint(build, *way, repeats, small) for way in ways)
    if not (alone and cores and under):
        print("python-flint: skipped, a run failed (pip install python-flint)")
        return
    for (side, bits, target), one, many, ours in zip(sizes, alone, cores, under):
        if not one[1] == many[1] == ours[1]:
            sys.exit(f"matrices.py: another product of {side} x {side} numbers of {bits} bits under mpgpu-run")
        ratio = one[0] / ours[0]
        verdict = "" if target is None else f"  target {target}: {'met' if ratio >= target else 'missed'}"
        print(f"fmpz_mat {side} x {side} of {bits} bits: {1e3 * ours[0]:.1f} ms; FLINT 1 thread {1e3 * one[0]:.1f}, "
              f"{os.cpu_count()} cores {1e3 * many[0]:.1f} ms; {ratio:.1f} times one thread{verdict}")


def least(work, repeats):
    """Returns the least seconds of work(), after a first run, and its last result."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times[1:]), result


def ours(lib, numpy, x, columns, repeats):
    """Times the determinant, and the solution for `columns` columns of 1, or the inverse if
    `columns` is 0. Returns both times in seconds, the results, and whether the device computed
    all."""
    n = len(x)
    a, b, r = (lib.mpgpu_matrix_create(n, c) for c in (n, columns or n, columns or n))
    d, ones = Mpz(), numpy.ones((n, max(1, columns), 1), numpy.uint64)
    ctypes.CDLL("libgmp.so.10").__gmpz_init(ctypes.byref(d))
    checked(lib, lib.mpgpu_matrix_set(a, x.ctypes.data, x.shape[2]))
    checked(lib, lib.mpgpu_matrix_set(b, ones.ctypes.data, 1) if columns else 0)
    before = lib.mpgpu_sent()

    def det():
        checked(lib, lib.mpgpu_matrix_det(ctypes.byref(d), a, None))
        return d.value()

    def solve():
        checked(lib, lib.mpgpu_matrix_solve(r, ctypes.byref(d), a, b, None) if columns
                else lib.mpgpu_matrix_inverse(r, ctypes.byref(d), a, None))
        got = numpy.empty((n * (columns or n), lib.mpgpu_matrix_limbs(r)), numpy.uint64)
        checked(lib, lib.mpgpu_matrix_get(got.ctypes.data, r))
        return [entry(y) for y in got[:: max(1, len(got) // 9)]], d.value()

    of_det, right = least(det, repeats) if columns else (0, None)
    of_solve, solution = least(solve, repeats)
    for m in (a, b, r):
        lib.mpgpu_matrix_destroy(m)
    return of_det, of_solve, right, solution, lib.mpgpu_sent() - before == (1 + (columns > 0)) * (repeats + 1)


def systems(lib, numpy, sizes, repeats):
    try:
        import flint
    except ImportError:
        flint = None
        print("python-flint: skipped (pip install python-flint)")
    for n, bits, has_inverse in sizes:
        x = random_entries(numpy, n, n, bits)
        for columns in (1, 0) if has_inverse else (1,):
            of_det, of_solve, det, solution, was_there = ours(lib, numpy, x, columns, repeats)
            times = {"determinant": of_det, "solution": of_solve} if columns else {"inverse": of_solve}
            beside = {what: [] for what in times}
            for threads in (1, os.cpu_count()) if flint else ():
                flint.ctx.threads = threads
                a = flint.fmpz_mat(n, n, [entry(y) for row in x for y in row])
                ones = flint.fmpz_mat(n, 1, [1] * n)
                if columns:
                    seconds, right = least(a.det, 1)
                    beside["determinant"].append(seconds)
                    if int(right) != det:
                        sys.exit(f"matrices.py: a wrong determinant of {n} x {n} numbers of {bits} bits")
                seconds, right = least((lambda: a.solve(ones)) if columns else a.inv, 1)
                beside["solution" if columns else "inverse"].append(seconds)
                right = right.entries()
                if [flint.fmpq(y, solution[1]) for y in solution[0]] != right[:: max(1, len(right) // 9)]:
                    sys.exit(f"matrices.py: a wrong solution for {n} x {n} numbers of {bits} bits")
            for what, seconds in times.items():
                others = "".join(f"; FLINT {t} threads {1e3 * s:.1f} ms"
                                 for t, s in zip((1, os.cpu_count()), beside[what]))
                print(f"{what} {n} x {n} of {bits} bits: {1e3 * seconds:.2f} ms{'' if was_there else ', by GMP'}{others}",
                      flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--systems", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--flint", type=int)
    given = parser.parse_args()
    flint_sizes = SMALL_FLINT if given.small else FLINT
    if given.flint:
        flint_times(flint_sizes, given.flint, given.repeats)
        return
    import numpy

    os.environ.setdefault("MPGPU_CONF", "open:wait,dispatch:fixed,batch:1")
    lib = library(given.build)
    if given.systems:
        systems(lib, numpy, SMALL_SYSTEMS if given.small else SYSTEMS, given.repeats)
        return
    for m, k, n, bits, target in SMALL_DEVICE if given.small else DEVICE:
        if given.long and bits < LONG:
            continue
        seconds, was_there = on_device(lib, numpy, m, k, n, bits, given.repeats)
        verdict = "" if target is None else f"  target {target} ms: {'met' if 1e3 * seconds <= target else 'missed'}"
        print(f"device {m} x {k} x {n} of {bits} bits: {1e3 * seconds:.2f} ms{'' if was_there else ', by GMP'}{verdict}",
              flush=True)
    if not given.long:
        host_to_host(given.build, flint_sizes, given.repeats, given.small)


main()
