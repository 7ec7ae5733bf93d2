#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs SymPy on python-flint (pip install sympy python-flint; PYTHON names the Python that has
# them).  The text must be the same, and FLINT's products must be sent to the device.
. "$(dirname "$0")/../support/common.sh"
python=${PYTHON:-python3}
"$python" -c 'import flint, sympy' 2>/dev/null ||
    skip "$python has no modules flint and sympy (pip install sympy python-flint)"
need_opencl_or_cuda
. "$(dirname "$0")/flint_script.sh"
export SYMPY_GROUND_TYPES=flint
cat >"$work/script.py" <<'TEXT'
import sys
from sympy import Integer, Poly, Rational, factorial, fibonacci, igcd, integer_nthroot, lucas, symbols
from sympy.external.gmpy import GROUND_TYPES
assert GROUND_TYPES == "flint", GROUND_TYPES
n = int(sys.argv[1])
sys.set_int_max_str_digits(0)
def show(name, *numbers):
    for x in numbers:
        print(name, Integer(x) % (2**61 - 1), Integer(x) % (10**40 + 1))
x = symbols("x")
a, b = Integer(3) ** (n * 5 // 8), Integer(7) ** (n // 3)
show("product", a * b, a * a, a * b * b)
show("quotient", a * b // (a + 1), a % b, pow(a, 5, b + 2))
show("gcd", igcd(a * (b + 1), b * (b + 1)), igcd(a + b, b * 9))
show("root", *[r for r, _ in (integer_nthroot(a, 2), integer_nthroot(b, 3))])
show("sequence", factorial(n // 16), fibonacci(n), lucas(n // 2))
q = Rational(a, b + 1) + Rational(b, a + 2)
show("fraction", q.p, q.q)
f = Poly([a // 3 ** (i * n // 16) - i for i in range(8)], x)
g = Poly([b // 7 ** (i * n // 32) + i for i in range(6)], x)
show("polynomial", *(f * g).all_coeffs(), f.eval(12345))
print(str(a * b)[:60], str(a * b)[-60:])
TEXT
check_flint_script "${MPGPU_TEST_BITS:-60000}"
