#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Compares the Python module with Python's own integers: with GMP alone, and with every supported
# operation sent to the device.
. "$(dirname "$0")/../support/common.sh"
python=${PYTHON:-python3}
need_command "$python"
PYTHONPATH=$srcdir/python MPGPU_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH MPGPU_LIBRARY PYTHONDONTWRITEBYTECODE

# run NAME: runs the tests of python/tests/test_NAME.py.
run() {
    "$python" "$srcdir/python/tests/test_$1.py"
}

"$python" -c 'import mypy' 2>/dev/null || echo 'skipped: types: mypy is not installed (pip install mypy)'
"$python" -c 'import phe' 2>/dev/null || echo "skipped: phe's ciphertexts: phe is not installed (pip install phe)"
for module in numpy jax torch; do
    "$python" -c "import $module" 2>/dev/null || echo "skipped: arrays of $module: it is not installed (pip install $module)"
done
MPGPU_CONF=backend:none
export MPGPU_CONF
for file in mpgpu number batch matrix poly arrays paillier paillier_keys processes stubs; do
    run $file || fail "$file, without a device"
done
for backend in $(backends); do
    MPGPU_CONF=backend:$backend,open:wait,watchdog:600,mul:1,sqr:1,batch:1,stats:text
    for file in mpgpu number batch matrix poly paillier paillier_keys processes; do
        run $file 2>"$work/err" || fail "$backend: $file: $(cat "$work/err")"
        cat "$work/err"
        awk '$1 == "mpgpu:" && $2 ~ /^mpgpu_/ { sent += $4 } END { exit sent < 50 }' "$work/err" ||
            fail "$backend: $file: not sent to the device"
    done
done
unset MPGPU_CONF

# Bad input must give one line that names it.
! MPGPU_LIBRARY=$work/none.so "$python" -c 'import mpgpu' 2>"$work/err" || fail "a library that is not there"
grep -q 'none.so' "$work/err" || fail "no name: $(cat "$work/err")"
