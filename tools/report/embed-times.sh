#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# embed-times.sh FILE: prints a table of times as a string literal of C.
set -eu
echo '#include "tools/report/built_in.h"'
echo 'const char times_built_in[] ='
sed -e 's/[\\"]/\\&/g' -e 's/.*/    "&\\n"/' "$1"
echo '    ;'
