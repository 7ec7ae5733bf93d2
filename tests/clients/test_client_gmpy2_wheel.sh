#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs gmpy2 from a wheel (pip install gmpy2), which contains a libgmp under another file name.
# PYTHON names the Python that has the wheel.
. "$(dirname "$0")/../support/common.sh"
python=${PYTHON:-python3}
module=$("$python" -c 'import gmpy2.gmpy2 as m; print(m.__file__)' 2>/dev/null) ||
    skip "$python has no module gmpy2 (pip install gmpy2)"
ldd "$module" | grep -q 'libgmp-.*=> /' || skip "$module has no libgmp of its own (pip install gmpy2)"
. "$(dirname "$0")/clients.sh"
libgmp_kinds() {
    echo "own $(dirname "$module")"
}
check_client "$small" "$python" "$srcdir/tests/clients/gmpy2_client.py" 500
check_client "$large" "$python" "$srcdir/tests/clients/gmpy2_client.py" 1200000
