#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests the statistics of composite operations, one by one, several in one program, and in several
# threads. The time of a row must be at least the sum of its uploads, kernels and downloads, and
# at most the elapsed time.
#
# An operation counts as `whole` if it runs on the device from operands to result. If the device
# computes only its products, or GMP computes some of them, the operation still counts in its row.
# A radix conversion is never split in this way: either it is `whole`, or GMP computes it.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
need_command python3
# With verify:residue, products are sent one by one; with mul:100, GMP computes the smaller
# products.
LIBRARY=$library PROGRAM=$builddir/tests/programs/wholes python3 - <<'TEXT' || fail "see above"
import json, os, subprocess, sys, time

WHOLE = ["mpz_tdiv_qr", "mpz_cdiv_q", "mpz_mod", "mpz_divexact", "mpz_powm", "mpz_powm_ui"]
OTHERS = ["mpz_sqrtrem", "mpz_root", "mpz_gcd", "mpz_get_str", "mpz_set_str", "mpz_fac_ui",
          "mpz_bin_uiui", "mpz_fib_ui"]
CONVERSIONS = ["mpz_get_str", "mpz_set_str"]
SLACK = 1e-4 # seconds: rounding errors of the printed times

def rows_of(names, threads=1, calls=2, limbs=700, options="mul:1,sqr:1"):
    env = dict(os.environ, LD_PRELOAD=os.environ["LIBRARY"],
               MPGPU_CONF="open:wait,watchdog:600,stats:json," + options)
    begin = time.monotonic()
    run = subprocess.run([os.environ["PROGRAM"], str(threads), str(calls), str(limbs)] + names,
                         env=env, stderr=subprocess.PIPE, text=True, check=True)
    wall = time.monotonic() - begin
    text = "".join(line[len("mpgpu: "):] for line in run.stderr.splitlines(True)
                   if line.startswith("mpgpu: "))
    rows = {row["function"]: row for row in json.loads(text)["functions"]}
    assert sorted(rows) == sorted(names), list(rows)
    times = 0
    for row in rows.values():
        seconds = row["seconds"]
        parts = seconds["upload"] + seconds["kernels"] + seconds["download"]
        row["parts"], row["time"] = parts, seconds["device"] + seconds["gmp"]
        assert row["calls"] == threads * calls, row
        assert min(seconds.values()) >= 0 and parts <= row["time"] + SLACK, row
        assert row["time"] <= threads * wall, (row, wall)
        times += row["time"]
    assert times <= threads * wall, (rows, wall)
    return rows

def are_sent(rows):
    for row in rows.values():
        seconds = row["seconds"]
        assert row["sent"] == row["calls"] and row["not_sent"] == {}, row
        assert seconds["gmp"] == 0 and min(seconds["upload"], seconds["kernels"], seconds["download"]) > 0, row
        assert sum(row["by"].values()) >= row["calls"], row

# With several threads, an operation waits most of its time for a stream of the device.  So its
# parts (uploads, kernels and downloads) may then take little of the time.
def are_whole(rows, threads=1):
    are_sent(rows)
    for name in WHOLE:
        if name in rows:
            row = rows[name]
            assert set(row["by"]) == {"whole"} and row["by"]["whole"] >= row["calls"], row
            assert threads > 1 or row["parts"] >= row["time"] / 4, row

for name in WHOLE + OTHERS:
    are_whole(rows_of([name]))
are_whole(rows_of(WHOLE + OTHERS))
for threads in 2, 5:
    are_whole(rows_of(WHOLE, threads), threads)
are_whole(rows_of(WHOLE + OTHERS, 3, 1), 3)

for options in "mul:1,sqr:1,verify:residue", "mul:100,sqr:100,verify:residue":
    rows = rows_of(WHOLE + OTHERS, 2, 1, 1500, options)
    are_sent(rows)
    assert [name for name in OTHERS if "whole" in rows[name]["by"]] == CONVERSIONS, rows
    assert not any("whole" in rows[name]["by"] for name in WHOLE), rows

# Tests with device memory too small for the whole operation, for some of its products, or for all
# of them.
for memory in "2M", "3M", "4M", "6M":
    names = ["mpz_tdiv_qr", "mpz_powm_ui", "mpz_sqrtrem"]
    for row in rows_of(names, 1, 1, 16000, "mul:1,sqr:1,memory:" + memory).values():
        assert row["sent"] + sum(row["not_sent"].values()) == 1 and "small" not in row["not_sent"], row
        assert (row["seconds"]["gmp" if row["sent"] else "device"]) == 0, row
TEXT
