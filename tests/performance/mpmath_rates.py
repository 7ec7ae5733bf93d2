# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times mpmath functions with gmpy2's integers, for several numbers of digits, alone or under
preload.  Prints a line for each function and number of digits: its name, the digits, seconds, and
a CRC-32 of the last digits of the result.

Usage: mpmath_rates.py [DIGITS]..."""
import sys
import time
import zlib

import mpmath
from mpmath import mp

assert mpmath.libmp.BACKEND == "gmpy", "mpmath does not use gmpy2"
sys.set_int_max_str_digits(0)

WORK = {
    "pi": lambda: +mp.pi,
    "sqrt(2)": lambda: mp.sqrt(2),
    "exp(1)": lambda: +mp.e,
    "log(2)": lambda: +mp.ln2,
    "agm(1, 2)": lambda: mp.agm(1, 2),
    "3^(1/3)": lambda: mp.cbrt(3),
    "to text": lambda: mpmath.nstr(+mp.pi, mp.dps),
}

for digits in [int(float(word)) for word in sys.argv[1:]] or [10**5, 10**6]:
    for name, work in WORK.items():
        mp.dps = digits
        begin = time.perf_counter()
        value = work()
        seconds = time.perf_counter() - begin
        mantissa = value if isinstance(value, str) else str(value.man % 10**200)
        print(f"{name:10} {digits:9} {seconds:9.3f} s {zlib.crc32(mantissa.encode()):08x}", flush=True)
