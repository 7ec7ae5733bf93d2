#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs products of matrices by Python's module flint (pip install python-flint; PYTHON names the
# Python that has it).  The entries must be the same, and products must be sent to the device.
. "$(dirname "$0")/../support/common.sh"
python=${PYTHON:-python3}
"$python" -c 'import flint' 2>/dev/null || skip "$python has no module flint (pip install python-flint)"
need_opencl_or_cuda
cat >"$work/script.py" <<'TEXT'
import random
from flint import arb, arb_mat, ctx, fmpz_mat
random.seed(5)

def matrix(rows, columns, bits, sparse):
    return fmpz_mat([[0 if random.randrange(sparse) else random.randrange(-2**bits, 2**bits)
                      for _ in range(columns)] for _ in range(rows)])

for m, k, n, bits, sparse in ((8, 8, 8, 3000, 1), (20, 30, 10, 700, 3), (33, 9, 40, 60, 1), (40, 40, 40, 1200, 2)):
    a, b = matrix(m, k, bits, sparse), matrix(k, n, bits, 1)
    print((a * b).entries())
    if m == k:
        print((a * a).entries(), (a ** 3).entries())
ctx.prec = 1000
a = arb_mat(20, 20, [arb(3 * i + 1) / (7 * i + 2) for i in range(400)])
print((a * a).entries())
TEXT
"$python" "$work/script.py" >"$work/alone" || fail "the script fails without this library"
for backend in $(backends); do
    "$run" --backend "$backend" --wait --threshold 100 --stats --conf watchdog:600,batch:100 \
        "$python" "$work/script.py" >"$work/$backend" 2>"$work/stats" || fail "exit status $? under preload: $(cat "$work/stats")"
    cat "$work/stats"
    same "$work/alone" "$work/$backend"
    [ "$(awk '$2 == "fmpz_mat_mul" { print $4 }' "$work/stats")" -ge 8 ] || fail "$backend: products were not sent"
done

# With verify:residue the device must get no products of matrices, because this option has no check
# for them: FLINT must compute them.
"$run" --backend "$backend" --wait --threshold 100 --stats --conf watchdog:600,batch:100,verify:residue \
    "$python" "$work/script.py" >"$work/verified" 2>"$work/stats" || fail "exit status $? with verify:residue: $(cat "$work/stats")"
same "$work/alone" "$work/verified"
[ "$(awk '$2 == "fmpz_mat_mul" { sum += $4 } END { print sum + 0 }' "$work/stats")" -eq 0 ] ||
    fail "verify:residue: products were sent without a check"

# Loads another FLINT first, if the machine has one: its matrices may have another layout.
other=$(PATH=$PATH:/sbin ldconfig -p | awk '/libflint\.so\./ { print $NF; exit }')
if [ -n "$other" ]; then
    "$run" --backend none "$python" -c "
import ctypes, sys
ctypes.CDLL(sys.argv[1])
exec(open(sys.argv[2]).read())" "$other" "$work/script.py" >"$work/two" 2>"$work/errors" ||
        fail "exit status $? with two FLINTs: $(cat "$work/errors")"
    same "$work/alone" "$work/two"
else
    echo "not tested with two FLINTs: no other one is installed"
fi
