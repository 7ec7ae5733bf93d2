#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests tests/device/run.py with a bundle of four mock tests that pass, fail, skip and hang.  Checks
# the verdicts and messages; what the next run repeats, also on another machine; and a run that
# continues after its command.
. "$(dirname "$0")/../support/common.sh"
need_command python3
need_command pgrep
bundle=$work/bundle
mkdir -p "$bundle/tests/unit/base" "$bundle/tests/programs" "$bundle/tests/support" "$bundle/tools" "$bundle/lib" \
    "$bundle/suites-lib"
cp -r "$srcdir/tests/device" "$bundle/tests/"
cp "$srcdir/tests/support/nvidia_opencl.sh" "$bundle/tests/support/"

# Creates program $1 of the bundle as a shell script with the lines of standard input.
program() {
    { echo '#!/bin/sh' && cat; } >"$bundle/$1"
    chmod +x "$bundle/$1"
}
program tools/mpgpu-info <<'TEXT'
echo 'backend cuda: no device'
echo 'backend opencl: 1 device'
echo '  0: mock'
TEXT
echo 'echo "mpgpu: mpz_mul 12 7"' | program tests/unit/base/test_passes
echo 'echo "what is wrong"; exit 1' | program tests/unit/base/test_fails
echo 'exit 77' | program tests/unit/base/test_skips
program tests/unit/base/test_hangs <<TEXT
echo x >>$work/hangs
timeout 1000 sh -c "trap '' TERM; while :; do sleep 0.1; done" $work/left &
while [ ! -e $work/answers ]; do sleep 0.1; done
TEXT

# Runs run.py for at most $1 seconds, with working folder $2 and the options $3 and so on.  Fails
# unless its exit status is $wanted, a variable that the caller sets.
run_parts() {
    seconds=$1
    folder=$2
    shift 2
    status=0
    cd "$work"
    OUT=$work/out python3 "$srcdir/tests/device/run.py" "${packed-bundle}" --work "$folder" --gpus 2 --pace 0.01 \
        --require-device "${required-}" --limit "$seconds" "$@" >"$work/lines" 2>&1 || status=$?
    [ $status -eq $wanted ] || fail "exit status $status: $(cat "$work/lines" "$folder/server.log")"
}

said() {
    grep -q -e "$1" "$work/lines" || fail "not said: $1: $(cat "$work/lines")"
}

# Waits until three of the four tests of the run in folder $1 have ended.
await() {
    for _ in $(seq 600); do
        [ "$(grep -c '"word"' "$work/$1/state.json" 2>/dev/null)" != 3 ] || return 0
        sleep 0.1
    done
    fail "no three results: $(cat "$work/$1/server.log")"
}

wanted=1
(await first && kill "$(cat "$work/first/pid")") &
run_parts 200 "$work/first" --only 'unit-opencl-system unit-cuda-system'
said 'cuda: no device; opencl: mock'
said '^FAIL unit-opencl-system  *1 passed, 1 FAILED, 1 skipped, 1 cut; 12 calls, 7 sent;'
said 'FAIL test_fails, status 1'
said '^        what is wrong'
said 'skipped: test_skips'
said '^-    unit-cuda-system  *0 passed, 4 not begun'
said '^parts: 0 passed, 1 FAILED, 0 in part, 0 skipped, 1 not begun'

pgrep -f "^sh -c trap.*$work/left" && fail 'processes are left'

# With the results of an earlier run, a run on another machine repeats only the step that was
# interrupted.
tar -C "$work" -cf "$work/bundle.tar" bundle
packed=bundle.tar
touch "$work/answers"
run_parts 200 "$work/second" --only unit-opencl-system --state "$work/out/device-run.tar.gz"
said '^FAIL unit-opencl-system  *2 passed, 1 FAILED, 1 skipped; '
[ "$(wc -l <"$work/hangs")" -eq 2 ] || fail "the test that was cut ran $(wc -l <"$work/hangs") times"
[ "$(find "$work/second/logs" -name '*.log' -newer "$work/answers" | wc -l)" -eq 1 ] || fail 'others ran again'

# If a command's time ends before the tests have ended, they continue, and the next command reports
# them.
wanted=0
unset packed
rm "$work/answers" "$bundle/tests/unit/base/test_fails"
run_parts 8 "$work/third" --only unit-opencl-system --total 200
said 'the run goes on'
touch "$work/answers"
run_parts 200 "$work/third" --only unit-opencl-system
said '^PASS unit-opencl-system  *2 passed, 1 skipped; '
[ "$(wc -l <"$work/hangs")" -eq 3 ] || fail "the test that hangs was begun anew while it ran"
run_parts 200 "$work/third" --only unit-opencl-system --anew
said '^PASS unit-opencl-system  *2 passed, 1 skipped; '
[ "$(wc -l <"$work/hangs")" -eq 4 ] || fail 'nothing ran anew'
pgrep -f "^sh -c trap.*$work/left" && fail 'processes are left'

# A required backend without a device fails the run.
wanted=1
required=cuda
run_parts 200 "$work/required" --only unit-cuda-system
said '^FAIL no device, but it is required: cuda$'
unset required

# If NVIDIA's Multi-Process Service is installed and helps, it serves all CUDA programs that no test
# kills.
program tools/mpgpu-info <<'TEXT'
echo 'backend cuda: 1 device'
echo '  0: mock'
TEXT
mkdir -p "$bundle/tests/fuzz" "$work/bin"
program tests/fuzz/fuzz_calls <<TEXT
echo "\$* \${CUDA_MPS_PIPE_DIRECTORY-alone}" >>$work/clients
[ "\$2" != 4000 ] || sleep 0.3 # so the probe takes as long in several processes as in one
TEXT
cat >"$work/bin/nvidia-cuda-mps-control" <<TEXT
#!/bin/sh
[ "\$1" = -d ] && echo begin || cat
TEXT
chmod +x "$work/bin/nvidia-cuda-mps-control"
wanted=0
(
    PATH=$work/bin:$PATH
    run_parts 200 "$work/fourth" --only 'fuzz-cuda'
)
said 'nvidia-cuda-mps-control: used: 6 processes'
said '^PASS fuzz-cuda  *40 passed'
[ "$(grep -c "25000 .*$work/fourth/mps" "$work/clients")" -eq 40 ] || fail "not its clients: $(cat "$work/clients")"
rm "$work/bin/nvidia-cuda-mps-control" "$work/clients"
if command -v nvidia-cuda-mps-control >/dev/null; then
    echo "skipped: a machine without nvidia-cuda-mps-control: this one has it"
else
    run_parts 200 "$work/fifth" --only 'fuzz-cuda'
    said 'no nvidia-cuda-mps-control'
    [ "$(grep -c "25000 .*alone" "$work/clients")" -eq 40 ] || fail "not alone: $(cat "$work/clients")"
fi

wanted=2
run_parts 5 "$work/third" --what
wanted=1
run_parts 5 "$work/third" --only nothing
said 'no part nothing'
