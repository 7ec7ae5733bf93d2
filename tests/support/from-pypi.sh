#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# from-pypi.sh FOLDER PACKAGE...: creates a Python virtual environment in FOLDER with these packages
# from PyPI.  Exit status 77, with a message, if that fails.
set -u
folder=${1:?}
shift
[ "$(cat "$folder/packages" 2>/dev/null)" != "$*" ] || exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ "${PYTHON:-python3}" -m venv "$folder" &&
    "$folder/bin/pip" -q --disable-pip-version-check install "$@" &&
    echo "$*" >"$folder/packages"; } >"$log" 2>&1 || {
    echo "skipped: $* can't be installed: $(tail -n 1 "$log")"
    exit 77
}
