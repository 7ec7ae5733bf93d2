#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks arrays that the Python module shares with other libraries. A simulated GPU consists of a
# server (peerserve.c) and a driver in the client (fakecuda.c); its memory is in files that both
# map. peerserve.c simulates it only with a CPU device; tests/device/arrays.py tests a real GPU.
. "$(dirname "$0")/../support/common.sh"
cpu=
for backend in $(backends); do
    ! is_cpu "$backend" || cpu=$backend
done
[ -n "$cpu" ] || skip 'no CPU device on this machine, which the simulated GPU needs'
MPGPU_TEST_BACKENDS=$cpu
. "$srcdir/tests/support/serve.sh"
python=${PYTHON:-python3}
need_command "$python"
serve=$builddir/tests/process/peerserve
[ -x "$serve" ] || skip 'no server with such devices in this build (no OpenCL)'
mkdir "$work/driver"
ln -s "$builddir/tests/process/.libs/fakecuda.so" "$work/driver/libcuda.so.1"
PYTHONPATH=$srcdir/python MPGPU_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH MPGPU_LIBRARY PYTHONDONTWRITEBYTECODE

# on_gpu ARGUMENTS...: runs Python as a client of the server, with the fake driver.
on_gpu() {
    CONF="batch:1,open:wait,watchdog:600,log:1${LIMIT:+,memory:$LIMIT}" client env MPGPU_TEST_LIMIT="${LIMIT-}" LD_LIBRARY_PATH="$work/driver" MPGPU_TEST_FAKE_CUDA=1 "$python" "$@" \
        2>"$work/err" || fail "$(cat "$work/err" "$work/log")"
}

export MPGPU_TEST_SHARES=1
begin
on_gpu "$srcdir/python/tests/test_arrays.py"
grep -q '^OK' "$work/err" || fail "$(cat "$work/err")"
cat "$work/err"

LIMIT=134217728 on_gpu "$srcdir/python/tests/test_arrays.py" OnGPU.test_limit
grep -q '^OK$' "$work/err" || fail "$(cat "$work/err")"

# A client that is killed while its arrays live leaves nothing in the server.
CONF="batch:1,open:wait" client env LD_LIBRARY_PATH="$work/driver" MPGPU_TEST_FAKE_CUDA=1 "$python" -c '
import os, mpgpu
batch = mpgpu.Batch(list(range(5000)))
capsules = [batch.__dlpack__() for _ in range(5)]
os.kill(os.getpid(), 9)' 2>/dev/null && fail 'the client was not killed'
all_are_gone
end

# If the server cannot share memory, the error message must give the reason.
export MPGPU_TEST_SHARES=no
begin
on_gpu -c '
import mpgpu
batch = mpgpu.Batch(list(range(5000)))
try:
    batch.__dlpack__()
    raise SystemExit("shared")
except mpgpu.Error as error:
    assert "cannot share or copy" in str(error), error'
end
