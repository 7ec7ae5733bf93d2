#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs Debian's gmpy2 for Python: mpz, mpq and mpfr, and mpmath on gmpy2 if it is installed.
. "$(dirname "$0")/../support/common.sh"
python=/usr/bin/python3 # the one that Debian's modules are for
need_command $python
module=$($python -c 'import gmpy2.gmpy2 as m; print(m.__file__)' 2>/dev/null) ||
    skip "$python has no gmpy2 (Debian: python3-gmpy2)"
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$module"

check_client "$small" $python "$srcdir/tests/clients/gmpy2_client.py" 500
check_client "$large" $python "$srcdir/tests/clients/gmpy2_client.py" 1200000
