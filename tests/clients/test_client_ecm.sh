#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs GMP-ECM: P-1, P+1 and elliptic curves.  Compares the final residues and the factors found.
. "$(dirname "$0")/../support/common.sh"
need_command ecm
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$(command -v ecm)"

# Runs ecm for each line METHOD:NUMBER:B1:B2 of file $1, and prints its exit status, which shows
# whether a factor was found.
cat >"$work/ecm.sh" <<'TEXT'
while IFS=: read -r method number b1 b2; do
    rm -f "$2"
    # shellcheck disable=SC2086 # options and their values
    echo "$number" | ecm -q $method -save "$2" "$b1" "$b2"
    echo "$method: status $?"
    grep -o " X=0x[0-9a-fA-F]*" "$2"
done <"$1"
TEXT
cat >"$work/small" <<'TEXT'
-sigma 7:(3^601+2)/5:2:1
-sigma 7:(2^101-1)*65537:10:20
TEXT
cat >"$work/large" <<'TEXT'
-pm1 -x0 3:(3^60001+2)/458695:100:1
-pp1 -x0 3:(3^60001+2)/458695:30:1
-sigma 7:(3^60001+2)/458695:7:1
TEXT
check_client "$small" sh "$work/ecm.sh" "$work/small" "$work/residue"
check_client "$large" sh "$work/ecm.sh" "$work/large" "$work/residue"
