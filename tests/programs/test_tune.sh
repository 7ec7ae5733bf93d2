#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-tune: a quick run must write a profile that programs then read.  Also tests its
# errors.
. "$(dirname "$0")/../support/common.sh"
# The watchdog time is 600 s: on a loaded machine, a slow device must not count as one that hangs.
export MPGPU_CONF=watchdog:600
tune=$builddir/tools/mpgpu-tune
info=$builddir/tools/mpgpu-info

# Runs mpgpu-tune with arguments $3...: the exit status must be $1, and the output must contain $2.
expect() {
    wanted=$1
    text=$2
    shift 2
    status=0
    timeout 600 "$tune" "$@" >"$work/out" 2>&1 || status=$?
    [ $status -eq "$wanted" ] || fail "mpgpu-tune $*: exit status $status, not $wanted: $(cat "$work/out")"
    grep -q -e "$text" "$work/out" || fail "mpgpu-tune $*: no '$text' in: $(cat "$work/out")"
}

expect 0 '^Usage: mpgpu-tune' --help
expect 0 '^mpgpu-tune (mpgpu-gmp) [0-9]' --version
expect 2 'unknown argument file .mpgpu-tune --help' file
expect 2 "unrecognized option '--fast'" --fast
expect 2 "requires an argument" --output
expect 2 'bad value "vulkan" for --backend' --backend vulkan
expect 2 'bad value "soon" for --seconds' --seconds soon
expect 2 'bad value "0" for --seconds' --seconds 0
expect 3 'no device to tune for: backend:none' --backend none
expect 3 'no device to tune for: none for backend' --device 'no device has this name'
MPGPU_CONF=backend:none expect 3 'no device to tune for' --quick

# Kernels that no other test has built are built in a cache of this test. Without optimisation, a
# build takes a sixth of the time.
mkdir "$work/cache"
cp -R "${XDG_CACHE_HOME:-$HOME/.cache}/mpgpu-gmp" "$work/cache/" 2>/dev/null || true
export XDG_CACHE_HOME="$work/cache" POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
present=$(backends)
[ -n "$present" ] || skip "a run: no device on this machine (neither CUDA nor OpenCL)"
for backend in $present; do
    XDG_CONFIG_HOME=$work/$backend expect 0 "written to $work/$backend/mpgpu-gmp/$backend-.*[.]profile\$" \
        --quick --seconds 1100 --backend "$backend"
    cat "$work/out"
    # If the output is no terminal, no progress is shown.
    tr -d '\n' <"$work/out" | LC_ALL=C grep -q '[[:cntrl:]]' && fail "control characters in the output"
    for key in mul sqr mulmod add batch; do
        # A quick search cannot prove that a device is never faster than GMP.  It then reports the
        # threshold as not found.
        grep -q "^mpgpu-tune: .*not found.*[: ]$key\\( \\|\$\\)" "$work/out" && continue
        grep -q "^$key *[0-9]* limbs" "$work/out" || fail "no $key in: $(cat "$work/out")"
        grep -q "^$key: [0-9]*\$" "$work/$backend"/mpgpu-gmp/*.profile || fail "no $key in the profile"
    done
    ! grep never "$work/$backend"/mpgpu-gmp/*.profile || fail "a quick search has found that a device never wins"
    for key in gmp_mul gmp_sqr gmp_div; do
        steps=$(grep -c "^$key: [0-9]* [0-9]*\$" "$work/$backend"/mpgpu-gmp/*.profile) || true
        [ "$steps" -ge 5 ] || fail "$key: $steps steps in the profile"
    done
    grep -q '^# date: 20[0-9-]* [0-9:]* UTC$' "$work/$backend"/mpgpu-gmp/*.profile || fail "no date in the profile"
    [ "$(find "$work/$backend/mpgpu-gmp" -name '*profile*' | wc -l)" = 1 ] || fail "files are left over"
    XDG_CONFIG_HOME=$work/$backend MPGPU_CONF=backend:$backend "$info" >"$work/info" || fail "mpgpu-info: exit status $?"
    grep -q "^  gmp_mul: .*($work/$backend/mpgpu-gmp/$backend-.*[.]profile" "$work/info" ||
        fail "the profile does not count: $(cat "$work/info")"
done
backend=${present%%[!a-z]*}
# Calls $1 with $seconds, the time limit of the search. All kernels are built now, so a short limit
# suffices unless the machine is busy; then a longer one is tried.
in_short() {
    for seconds in 20 1100; do
        ! "$1" || return 0
        grep -q 'nothing was found in that time' "$work/out" || break
    done
    cat "$work/failed"
    exit 1
}
try_dry() {
    (expect 0 '^backend: ' --quick --seconds $seconds --dry-run --backend "$backend") >"$work/failed"
}
in_short try_dry # and no file
[ ! -e "$builddir/tests/home/mpgpu-gmp" ] || [ -z "$(find "$builddir/tests/home/mpgpu-gmp" -name '*.profile')" ] ||
    fail "--dry-run has written a file"
# If the time does not suffice for any measurement, no profile is written.
expect 1 'nothing was found in that time' --quick --seconds 0.001 --output "$work/no.profile" --backend "$backend"
[ ! -e "$work/no.profile" ] || fail "a profile of nothing"
# A file that cannot be written must be reported before anything is measured.
soon() {
    expect 1 "$@" --backend "$backend"
    ! grep -q '^mul  *\|^gmp_mul' "$work/out" || fail "measured all the same: $(cat "$work/out")"
}
mkdir -p "$work/folder"
soon "$work/folder: Is a directory" --output "$work/folder"
[ -z "$(find "$work" -name 'folder.*')" ] || fail "a file is left over"
soon "$work/none/x.profile: No such file" --output "$work/none/x.profile"
[ ! -e "$work/none" ] || fail 'a folder was made for --output'
soon '/proc/x.profile: ' --output /proc/x.profile
XDG_CONFIG_HOME=/proc/x soon '/proc/x/mpgpu-gmp/.*[.]profile: '

# If the folder of the profile is removed during the run, mpgpu-tune must print the profile. The
# option `profile` names a file here, because the name ends in .profile.
try_late() {
    rm -rf "$work/late"
    while ! rmdir "$work/late" 2>/dev/null; do
        sleep 0.05
    done && : >"$work/late" &
    (MPGPU_CONF=watchdog:600,profile:$work/late/my.profile expect 1 '^gmp_mul: ' --quick --seconds $seconds --backend "$backend") >"$work/failed"
    status=$?
    [ $status -eq 0 ] || kill $! 2>/dev/null || true
    wait $! || true
    return $status
}
in_short try_late
grep -q "^mpgpu-tune: $work/late/my.profile: Not a directory" "$work/out" || fail "no path: $(cat "$work/out")"
