#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs the fast jobs of tests/matrix, which check format, shell scripts, spelling and Python.
# test_mandoc.sh and test_groff.sh check the manual pages.
. "$(dirname "$0")/../support/common.sh"
[ -e "$srcdir/.git" ] || skip 'the sources are not a git checkout'
MATRIX_BUILDS=$work exec sh "$srcdir/tests/matrix/job.sh" format shellcheck codespell ruff
