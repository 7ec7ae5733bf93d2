#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Takes the place of the tests of the kernels compiled as host C if configure found no gcc with
# sanitizers.
echo "skipped: the kernels as host C need gcc with -fsanitize=address,undefined"
exit 77
