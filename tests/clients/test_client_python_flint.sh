#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs Python's module flint, whose wheel contains FLINT 3 (pip install python-flint; PYTHON names
# the Python that has it).  The digits must be the same, and products of FLINT's own functions must
# be sent to the device.
. "$(dirname "$0")/../support/common.sh"
python=${PYTHON:-python3}
"$python" -c 'import flint' 2>/dev/null || skip "$python has no module flint (pip install python-flint)"
need_opencl_or_cuda
. "$(dirname "$0")/flint_script.sh"
cat >"$work/script.py" <<'TEXT'
from flint import arb, ctx, fmpq, fmpz, fmpz_poly
n = 20000
x, y = fmpz(3) ** n, fmpz(7) ** (n // 2)
print(x * y, x * x, (x * y) // (x + 1), y.gcd(x * y))
print((fmpq(x, y) + fmpq(y, x + 1)).p)
f = fmpz_poly([(x >> (1000 * i)) - y for i in range(12)])
print(f * f, f(y))
ctx.prec = 3 * n
print(arb.pi().str(n // 2), arb(2).sqrt().str(n // 2), arb(3).exp().str(n // 4))
TEXT
check_flint_script
