#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests tools/python-package.sh: the source distribution must have all sources of the library.
# auditwheel must accept the wheel of this build tree as manylinux, and the wheel must work where
# pip installs it.
. "$(dirname "$0")/../support/common.sh"
script=$srcdir/tools/python-package.sh
[ -f "$builddir/Makefile" ] && [ -f "$script" ] || skip 'no build tree here'
need_command "${PYTHON:=python3}"
export PYTHON
unset MAKEFLAGS MFLAGS MAKELEVEL

# package KIND: writes the package into folder $work/KIND.  Skips the test if a tool is missing.
package() {
    status=0
    sh "$script" "$1" "$srcdir" "$builddir" "$work/$1" >"$work/log" 2>&1 || status=$?
    [ $status -ne 77 ] || skip "$1: $(grep '^skipped: ' "$work/log" | sed 's/^skipped: //')"
    [ $status -eq 0 ] || fail "$1: status $status: $(tail -n 30 "$work/log")"
}

package sdist
tar -xzf "$work"/sdist/mpgpu-*.tar.gz -C "$work"
unpacked=$(find "$work" -maxdepth 1 -name 'mpgpu-*' -type d)
for file in PKG-INFO pyproject.toml setup.py mpgpu/__init__.py sources/configure sources/Makefile.in; do
    [ -f "$unpacked/$file" ] || fail "the source distribution lacks $file"
done
(cd "$srcdir" && find include gpu kernels lib compat tools -type f \
    \( -name '*.[ch]' -o -name '*.cl' -o -name '*.def' -o -name '*.sh' -o -name '*.profile' \)) >"$work/sources"
[ "$(wc -l <"$work/sources")" -ge 500 ] || fail 'too few sources'
while read -r file; do
    [ -f "$unpacked/sources/$file" ] || fail "the source distribution lacks $file"
done <"$work/sources"
# Parallel make may build any object first, so the Makefile must build generated headers before each
# object that needs them. setup.py uses parallel make for some targets.
mkdir "$work/build"
(cd "$work/build" && "../$(basename "$unpacked")/sources/configure" -q --without-cuda --without-mpi) >"$work/log" 2>&1 ||
    fail "configure: $(tail -n 5 "$work/log")"
for object in tools/serve/mpgpu_serve-serve_buffers.o tools/run/mpgpu_run-watch.o tools/replace/mpgpu_replace-mpgpu-replace.o; do
    (cd "$work/build" && rm -f kernels/kernels.def lib/device/launches.h &&
        make -s AUTOCONF=: AUTOMAKE=: AUTOHEADER=: ACLOCAL=: "$object") >"$work/log" 2>&1 ||
        fail "$object alone: $(tail -n 5 "$work/log")"
done
# From an unpacked source distribution, setup.py must be able to make a source distribution again.
(cd "$unpacked" && "$PYTHON" setup.py -q sdist --formats=gztar --dist-dir "$work/again") >"$work/log" 2>&1 ||
    fail "a source distribution of a source distribution: $(tail -n 5 "$work/log")"
tar -tzf "$work"/again/*.tar.gz >"$work/again.list"
grep -q '/sources/lib/gmp/functions.def$' "$work/again.list" || fail 'the second source distribution has no sources'
echo "source distribution: $(wc -l <"$work/again.list") files"

package wheel
wheel=$(find "$work/wheel" -name '*.whl')
case $wheel in
*/mpgpu-*-py3-none-manylinux_*.whl) echo "wheel: $(basename "$wheel")" ;;
*) fail "the wheel's name: $wheel" ;;
esac
"$PYTHON" -m auditwheel show "$wheel" >"$work/log" || fail "auditwheel show: $(cat "$work/log")"
tr '\n' ' ' <"$work/log" | grep -q 'following platform tag: *"manylinux_' || fail "auditwheel: $(cat "$work/log")"
"$PYTHON" -m pip install -q --disable-pip-version-check --no-index --no-deps --target "$work/site" "$wheel"
cd "$work" || exit
found=$(env -u MPGPU_LIBRARY PYTHONDONTWRITEBYTECODE=1 MPGPU_CONF=backend:none PYTHONPATH="$work/site" \
    "$PYTHON" -c 'import mpgpu; print(mpgpu.library.path(), mpgpu.mul([3**100], [5**100]) == [15**100])')
[ "$found" = "$work/site/mpgpu/libmpgpu-gmp.so.0 True" ] || fail "the installed wheel: $found"
# With --replace, the stand-in for libgmp must find the machine's libgmp, not the wheel's empty
# library.
script='import ctypes; print(ctypes.c_char_p.in_dll(ctypes.CDLL("libgmp.so.10"), "__gmp_version").value)
print("libmpgpu-gmp" in open("/proc/self/maps").read())'
found=$(env -u MPGPU_LIBRARY XDG_CACHE_HOME="$work/cache" PYTHONDONTWRITEBYTECODE=1 MPGPU_CONF=backend:none \
    PYTHONPATH="$work/site" "$PYTHON" -m mpgpu run --replace -c "$script" | tr '\n' ' ')
case $found in
"b'6."*"' True ") ;;
*) fail "run --replace from the installed wheel: $found" ;;
esac
