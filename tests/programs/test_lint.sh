#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Format, scripts, spelling and Python: the jobs of the matrix that take seconds.  Manual pages have
# test_mandoc.sh and test_groff.sh.
. "$(dirname "$0")/../support/common.sh"
[ -e "$srcdir/.git" ] || skip 'the sources are not a git checkout'
MATRIX_BUILDS=$work exec sh "$srcdir/tests/matrix/job.sh" format shellcheck codespell ruff
