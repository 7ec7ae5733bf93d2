#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# intel-opencl.sh FOLDER: puts Intel's OpenCL for CPUs, which Python's package registry has, into
# FOLDER/lib.  Exit status 77 and a word where that can't be.
set -u
folder=${1:?}
[ ! -e "$folder/lib/libintelocl.so" ] || exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ "${PYTHON:-python3}" -m venv "$folder" &&
    "$folder/bin/pip" -q --disable-pip-version-check install \
        intel-opencl-rt intel-cmplr-lib-rt intel-cmplr-lib-ur; } >"$log" 2>&1 || {
    echo "skipped: Intel's OpenCL can't be installed: $(tail -n 1 "$log")"
    exit 77
}
