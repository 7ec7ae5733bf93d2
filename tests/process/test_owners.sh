#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Programs swap, enlarge, free and inherit (by fork) large results, with and without memory
# functions of their own. The output must be the same with the library's default pool (memory for
# large results), with a small pool, without a pool, and with GMP alone. Results must be in the pool
# when they should be.
. "$(dirname "$0")/../support/common.sh"
owners=$builddir/tests/process/owners
need_opencl_or_cuda
OPENS='wait'

# Prints how many blocks the library's pool has handed out, from the statistics.
blocks() {
    sed -n 's/^mpgpu: pool: \([0-9]*\) blocks.*/\1/p' "$work/wait.err"
}

large=mul:9000,sqr:9000,mulmod:never,add:never

for mode in handed before after restored got threads fork grandchild many; do
    for pool in auto 64M 1M off; do
        case $mode:$pool in handed:* | *:auto | many:64M) ;; *) continue ;; esac
        echo "$mode, pool:$pool"
        MORE="$large,pool:$pool,stats:text" as_alone "$owners" "$mode"
        count=$(blocks)
        case $mode:$pool in
        before:* | *:off) [ -z "$count" ] || fail "$mode, pool:$pool: $count blocks were handed out" ;;
        *:1M) [ "$count" = 0 ] || fail "$mode, pool:$pool: no block fits, but $count were handed out" ;;
        *) [ "$count" -ge 1 ] || fail "$mode, pool:$pool: no results in the pool: $(cat "$work/wait.err")" ;;
        esac
    done
done

# As JSON.
MORE="$large,stats:json" as_alone "$owners" many
sed -n 's/^mpgpu: //p' "$work/wait.err" >"$work/json"
need_command python3
python3 - "$work/json" <<'TEXT' || fail "JSON: $(cat "$work/json")"
import json, sys
pool = json.load(open(sys.argv[1]))["pool"]
assert pool["blocks"] > 10 and pool["refused"] == 0 and 0 < pool["bytes"] <= pool["most"] <= pool["limit"], pool
TEXT
