#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Programs load GMP by dlopen, directly and by plug-ins, which may have a libgmp of their own. Each
# must find the same functions as without the library.
. "$(dirname "$0")/../support/common.sh"
plugged=$builddir/tests/process/plugged
plugin=$builddir/tests/process/.libs/plugin.so
gmp=$(ldd "$plugin" | awk '$1 == "libgmp.so.10" { print $3 }')
[ -f "$gmp" ] || fail "where is libgmp.so.10? $(ldd "$plugin")"

# Copies the plug-in and libgmp under other names, as Python wheels bundle them.
for own in libgm1.so.10 libgm2.so.10; do
    for file in "$gmp" "$plugin"; do
        name=$own
        [ "$file" = "$gmp" ] || name=plugin-$own
        sed "s/libgmp\.so\.10/$own/g" "$file" >"$work/$name"
        chmod +x "$work/$name"
    done
done
LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
ldd "$work/plugin-libgm1.so.10" | grep -q "$work/libgm1" || fail "the plug-in does not take its own libgmp"

as_alone "$plugged" sight
as_alone "$plugged" sight gmp:libgmp.so.10 sight
as_alone "$plugged" "gmp:$work/libgm1.so.10" sight
# The first call is in a signal handler, which may have interrupted malloc. The next call is in
# another libgmp, because the first one was closed.
as_alone "$plugged" "handler:$plugin"
as_alone "$plugged" "handler:$work/plugin-libgm1.so.10" "$plugin"
need_opencl_or_cuda
MORE=stats:text
# Loads plug-ins that use the system's libgmp or a libgmp of their own. Some are closed and opened
# again; in some cases several are loaded at once.
for plugins in "$plugin" "$work/plugin-libgm1.so.10" "-$plugin -$work/plugin-libgm1.so.10 -$plugin $plugin" \
    "$work/plugin-libgm1.so.10 $work/plugin-libgm2.so.10 $plugin gmp:libgmp.so.10"; do
    # shellcheck disable=SC2086 # split on purpose
    as_alone "$plugged" $plugins sight
    [ "$(sent "$work/wait.err")" -ge 5 ] || fail "$plugins: not sent to the device: $(cat "$work/wait.err")"
    cat "$work/wait.out"
done

# Loads plug-ins with different libgmps. Some of them set memory functions, before or
# after another plug-in is loaded, while numbers exist.
one=$work/plugin-libgm1.so.10 two=$work/plugin-libgm2.so.10
for steps in "own:$one $one grow:$one $two grow:$two grow:$one" \
    "$two grow:$two own:$one $one grow:$one $two grow:$two grow:$one" \
    "own:$one grow:$one own:$two $two grow:$two $one grow:$one grow:$two" \
    "grow:$two own:$plugin $plugin grow:$plugin own:$one $one grow:$one grow:$two grow:$plugin"; do
    # shellcheck disable=SC2086 # split on purpose
    as_alone "$plugged" $steps "end:$one" "end:$two" "end:$plugin"
    echo "memory functions of their own:"
    cat "$work/wait.out"
    grep -q '^0 blocks left, some made: 1' "$work/wait.out" || fail "blocks are left, or none was made"
    ! grep -q '^[1-9][0-9]* blocks left' "$work/wait.out" || fail "blocks are left"
done

# In a separate linker namespace nothing is preloaded; a plug-in that is linked with the library
# computes by GMP there.
OPENS="now wait" as_alone "$plugged" "apart:$plugin"
{ command -v "${CC:=cc}" >/dev/null 2>&1 && [ -f "$srcdir/tests/process/plugin.c" ]; } || {
    echo "skipped: a plug-in linked with the library: no $CC, or no source"
    exit 0
}
$CC -shared -fPIC -I"$srcdir" -I"$builddir" -o "$work/linked.so" "$srcdir/tests/process/plugin.c" \
    "$srcdir/tests/support/checked_memory.c" "$library" -lgmp -Wl,-rpath,"$builddir/.libs" || fail "cannot link"
for step in "apart:$work/linked.so" "$work/linked.so"; do
    as_alone "$plugged" "$step"
    MPGPU_CONF=mul:1,sqr:1,open:wait timeout 100 "$plugged" "$step" >"$work/linked.out" || fail "$step: status $?"
    same "$work/alone.out" "$work/linked.out"
done
