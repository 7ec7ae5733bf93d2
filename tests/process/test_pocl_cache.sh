#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# PoCL runs machine code from its cache. The library must not let it run code from a folder that
# others can write or that another user owns, whatever HOME, XDG_CACHE_HOME and POCL_CACHE_DIR say.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/tests/process/served
[ -x "$program" ] || skip 'no mpgpu-serve in this build'
backends | grep -qx opencl || skip 'no OpenCL'
MPGPU_CONF=backend:opencl "$builddir/tools/mpgpu-info" | grep -q PoCL || skip 'the device is not PoCL'
unset POCL_CACHE_DIR
# without optimisation, kernels are built in a sixth of the time
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
export XDG_CACHE_HOME="$work/cache"
own=$XDG_CACHE_HOME/mpgpu-gmp
mkdir "$work/cache"
use_copies

# compute SENT WHAT: runs a program with the device. If SENT is 0, no call may use the device;
# otherwise at least one must.
"$program" products 1 20000 1 >"$work/alone"
compute() {
    MPGPU_CONF=backend:opencl,open:wait,watchdog:600,mul:100,sqr:100,verify:off,stats:text,log:1,server:${server:-private} \
        LD_PRELOAD=$library timeout 900 "$program" products 1 20000 1 >"$work/out" 2>"$work/err" || fail "exit status $?: $(cat "$work/err")"
    await_processes # no process may still use the folders when the test changes them
    same "$work/alone" "$work/out"
    [ ! -e "$work/ran" ] || fail "$2: foreign code ran: $(cat "$work/ran")"
    if [ "$1" -gt 0 ]; then
        [ "$(sent "$work/err")" -gt 0 ] || fail "$2: nothing was sent: $(cat "$work/err")"
    else
        [ "$(sent "$work/err")" -eq 0 ] || fail "$2: something was sent: $(cat "$work/err")"
    fi
}

# PoCL must store built kernels in a folder inside the library's own cache folder.
compute 1 'an empty cache'
[ ! -e "$XDG_CACHE_HOME/pocl" ] || fail 'PoCL has a folder of its own'
[ -d "$own/pocl" ] || fail 'PoCL has no folder in ours'
echo 'passed: our own folder'

# Plants foreign code in PoCL's default folder, under the names that PoCL gives its files. It must
# not run.
cat >"$work/foreign.c" <<'C'
#include <stdio.h>
__attribute__((constructor)) static void run(void) {
    FILE *f = fopen(RAN, "w");
    if (f) {
        fputs("yes\n", f);
        fclose(f);
    }
}
C
$CC -shared -fPIC -DRAN="\"$work/ran\"" -o "$work/foreign.so" "$work/foreign.c" || skip 'no shared object can be built'
mkdir -p "$work/saved" "$XDG_CACHE_HOME/pocl"
cp -a "$own" "$work/saved/mpgpu-gmp"
cp -a "$own/pocl" "$work/planted"
find "$work/planted" -name '*.so' -exec cp "$work/foreign.so" {} \;
[ -n "$(find "$work/planted" -name '*.so')" ] || fail 'PoCL has built nothing: nothing is tested'
cp -a "$work/planted" "$XDG_CACHE_HOME/pocl/kcache"
compute 1 'the folder that PoCL takes by itself'

# Plants the same code in the user's own cache folder, where it does run. This shows that the test
# can detect it.
rm -rf "$own/pocl"
cp -a "$work/planted" "$own/pocl"
MPGPU_CONF=backend:opencl,open:wait,watchdog:600,mul:100,sqr:100,server:private LD_PRELOAD=$library \
    timeout 900 "$program" products 1 20000 1 >"$work/out" 2>"$work/err" || true
await_processes
[ -e "$work/ran" ] || fail 'planted code does not run in an own folder: the test is blind'
rm -f "$work/ran"
echo 'passed: PoCL'\''s own folder'

# Cache folders that others can write must not be used. Without a safe folder, the library must not
# use the CPU as a device.
restore() {
    rm -rf "$own"
    cp -a "$work/saved/mpgpu-gmp" "$own"
    rm -rf "$own/pocl"
    cp -a "$work/planted" "$own/pocl"
}
for mode in 0770 0707; do
    for folder in "$own" "$own/pocl"; do
        restore
        chmod $mode "$folder"
        compute 0 "$folder of mode $mode"
        grep -q 'others can write this folder' "$work/err" || fail "not told: $(cat "$work/err")"
    done
done
restore
mv "$own/pocl" "$work/elsewhere"
ln -s "$work/elsewhere" "$own/pocl"
compute 0 'a symbolic link'
rm -rf "$own" "$work/elsewhere"
cp -a "$work/saved/mpgpu-gmp" "$own"
cp -a "$work/planted" "$work/given"
chmod 0770 "$work/given"
POCL_CACHE_DIR=$work/given compute 1 'POCL_CACHE_DIR of mode 0770'
echo 'passed: folders that others can write'

# HOME belongs to another user, as after sudo -E: its folders must not be used.
if [ "$(id -u)" = 0 ]; then
    restore
    mkdir "$work/home"
    mv "$XDG_CACHE_HOME" "$work/home/.cache"
    chown -R 65534 "$work/home"
    (
        unset XDG_CACHE_HOME
        HOME=$work/home compute 0 "another user's HOME"
        rm -rf "$work/home/.cache/mpgpu-gmp"
        HOME=$work/home compute 1 "another user's HOME with a folder of ours"
    ) || exit 1
    mv "$work/home/.cache" "$XDG_CACHE_HOME"
    rm -rf "$own"
    cp -a "$work/saved/mpgpu-gmp" "$own"
    echo "passed: another user's HOME"
else
    echo "skipped: another user's HOME: only root can make one"
fi

# PoCL's old temporary files must be removed from the cache; new ones, which may be in use, must
# stay.
touch -d '2 days ago' "$own/pocl/tempfile_OLDONE"
touch "$own/pocl/tempfile_NEWONE"
compute 1 'old files'
[ ! -e "$own/pocl/tempfile_OLDONE" ] || fail "PoCL's old file stays"
[ -e "$own/pocl/tempfile_NEWONE" ] || fail "PoCL's new file is gone"
echo 'passed: temporary files'

# With server:off PoCL chooses its cache folder itself: the CPU is used only if nobody else can
# write to that folder.
server=off
export POCL_CACHE_DIR="$work/given"
compute 0 'server:off, POCL_CACHE_DIR of mode 0770'
grep -q 'others can write this folder' "$work/err" || fail "not told: $(cat "$work/err")"
rm -rf "$work/given"
mkdir "$work/given"
compute 1 'server:off, a folder of the user'
if [ "$(id -u)" = 0 ]; then
    mkdir "$work/foreign"
    chown 65534 "$work/foreign"
    mv "$work/given" "$work/foreign/"
    POCL_CACHE_DIR=$work/foreign/given compute 0 'server:off, in a folder of another user'
    grep -q 'in a folder of another user' "$work/err" || fail "not told: $(cat "$work/err")"
fi
echo 'passed: server:off'

# Without the file of kernels (images.bin) no device may be opened.
mv "$work/tree/lib/mpgpu-gmp/images.bin" "$work/images.bin"
mkdir -m 700 "$work/mine"
POCL_CACHE_DIR=$work/mine compute 0 'server:off, no kernels'
grep -q '^mpgpu: device: .*no kernels: no mpgpu-gmp/images.bin' "$work/err" || fail "not told: $(cat "$work/err")"
unset POCL_CACHE_DIR
server=private
compute 0 'a private server, no kernels'
echo 'passed: no kernels'
