#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs expr of the GNU coreutils. Some builds of expr compute with GMP.
. "$(dirname "$0")/../support/common.sh"
need_command expr
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$(command -v expr)"

digits() {
    awk -v n="$1" -v x="$2" 'BEGIN { while (n-- > 0) { x = (x * 1103 + 12345) % 65536; printf "%d", 1 + x % 9 } }'
}
cat >"$work/expr.sh" <<'TEXT'
expr "$1" \* "$2"
expr "$1" / "$2"
expr "$1" % "$2"
expr "$1" + "$2"
expr "$2" - "$1"
TEXT
check_client "$small" sh "$work/expr.sh" "$(digits 700 1)" "$(digits 300 2)"
check_client "$large" sh "$work/expr.sh" "$(digits 120000 3)" "$(digits 60000 4)"
