#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests options that cannot be satisfied: if the named backend or device is missing, one line must
# give the reason for each backend.  While mpgpu-run waits for a device, a terminal must show the
# progress.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/tests/programs/composites
mkdir -p "$work/none"

# expect TEXT OPTION...: the program must run and print one line that contains TEXT, or nothing if
# TEXT is ''.
expect() {
    text=$1
    shift
    OCL_ICD_VENDORS=$work/none "$run" --wait --threshold 100 --conf server:off "$@" "$program" 3000 mpz_divexact \
        >"$work/out" 2>"$work/err" || fail "$*: status $?"
    if [ -z "$text" ]; then
        [ ! -s "$work/err" ] || fail "$*: $(cat "$work/err")"
    else
        [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q "^mpgpu: $text" "$work/err" || fail "$*: no '$text': $(cat "$work/err")"
    fi
}
expect '' --backend none
grep -q '^#define WITH_CUDA 1' "$builddir/config.h" 2>/dev/null ||
    expect 'none for backend cuda, device auto (this library is built without that backend); GMP computes' --backend cuda
backends | grep -qx cuda || {
    expect ''
    expect 'none for backend opencl, device auto (opencl: .*); GMP computes' --backend opencl
    expect 'none for backend auto, device NOSUCH (.*); GMP computes' --device NOSUCH
}

# Uses a mock OpenCL driver that starts slowly, and a pseudo-terminal.
command -v python3 >/dev/null 2>&1 || skip 'python3 is not installed'
mkdir -p "$work/slow"
cp "$builddir/tests/process/.libs/slowdriver.so" "$work/slow/libOpenCL.so.1"
cat >"$work/terminal.py" <<'TEXT'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
output = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    output += piece
sys.stdout.write(output.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
TEXT
# Runs mpgpu-run with options "$@" on a terminal, and writes what the terminal shows to $work/out.
shows() {
    LD_LIBRARY_PATH=$work/slow SLOWDRIVER_MS=4000 python3 "$work/terminal.py" "$run" --threshold 100 \
        --conf server:off --backend opencl "$@" "$program" 3000 mpz_divexact >"$work/out" || fail "$*: status $?"
}
if grep -q '^#define WITH_OPENCL 1' "$builddir/config.h" 2>/dev/null; then
    shows --wait
    esc=$(printf '\033')
    grep -q "mpgpu: waiting for the device: [2-9][0-9]* s$esc\\|mpgpu: waiting for the device: [2-9][0-9]* s.*$esc\\[K" "$work/out" ||
        fail "no progress: $(cat "$work/out")"
    shows
    ! grep -q 'waiting' "$work/out" || fail "progress without a wait: $(cat "$work/out")"
    LD_LIBRARY_PATH=$work/slow SLOWDRIVER_MS=4000 "$run" --wait --threshold 100 --conf server:off --backend opencl \
        "$program" 3000 mpz_divexact >"$work/out" 2>"$work/err" || fail "status $?"
    ! grep -q 'waiting' "$work/err" || fail "progress without a terminal: $(cat "$work/err")"
fi
