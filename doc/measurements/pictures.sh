#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Draws the pictures of README.md, doc/programs.md and this folder from its tables, for light pages
# and for dark ones.  Usage: pictures.sh [FOLDER].  Writes them to FOLDER, or to this folder if none
# is given.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here}
report() {
    ${PYTHON3:-python3} "$here/../../tools/bench/mpgpu-bench-report" "$@"
}
for dark in '' -dark; do
    report "$here/ratios-h200.csv" ${dark:+-$dark} --ratios library --plot "$to/ratios-h200$dark.svg" \
        --title 'How many times as fast as GMP on one thread, by size'
    report "$here/programs-h100.csv" ${dark:+-$dark} --rows --columns gmp,cold,warm \
        --plot "$to/programs-h100$dark.svg" --title 'Whole programs: k products of n bits, from their start to their end'
done
report "$here/bench-h200.csv" --plot "$to/bench-h200.svg" --plot "$to/bench-h200.png"
