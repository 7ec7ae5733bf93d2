#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs a file of a Python module's tests twice: alone, and under preload with every supported
# operation sent to the device.  Only tests that fail under preload alone count as failures.  run.py
# calls it in the file's folder.
# Usage: pytest.sh FILE
# shellcheck disable=SC2154 # run.py sets abs_top_srcdir and abs_top_builddir
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the tests that failed, one a line, from the log $1.
failures() {
    grep -E '^(FAILED|ERROR)' "$1" | sed 's/ - .*//' | sort
}

set -- python3 -m pytest -q --no-header -p no:cacheprovider "$@"
timeout "$SECONDS_EACH" "$@" >"$work/alone" 2>&1 &
status=0
sh "$abs_top_srcdir/tests/clients/suite.sh" --program "$abs_top_builddir" "$@" >"$work/with" 2>&1 || status=$?
wait
tail -n 60 "$work/with"
[ $status -ne 124 ] || exit 124
failures "$work/alone" >"$work/alone.failed"
failures "$work/with" >"$work/with.failed"
grep -Eq '^[0-9]+ passed|^[0-9]+ failed|^no tests ran' "$work/with" || exit 1
echo "alone: $(tail -n 1 "$work/alone")"
diff "$work/alone.failed" "$work/with.failed"
