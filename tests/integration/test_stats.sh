#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The statistics of whole programs: JSON that a parser takes, totals that are exact with
# many threads at once, the same calls in the table and in JSON.
. "$(dirname "$0")/common.sh"
need_opencl_or_cuda
countable=$builddir/tests/integration/countable
OPENS=wait
for threads in 1 6; do
    MORE=stats:text as_alone "$countable" $threads 20
    cp "$work/wait.err" "$work/text"
    awk -v n=$((threads * 20)) '$2 == "mpn_sqr" { found = 1; if ($3 != n || $4 != n || $5 != 7 * n) exit 1 }
        $2 == "mpn_mul_n" { both = 1; if ($3 != n || $5 != 10 * n) exit 1 } END { exit !found || !both }' "$work/text" ||
        fail "$threads threads: not the calls that were made: $(cat "$work/text")"
done
MORE=stats:json as_alone "$countable" 6 20
sed -n 's/^mpgpu: //p' "$work/wait.err" >"$work/json"
need_command python3
python3 - "$work/json" <<'TEXT' || fail "JSON: $(cat "$work/json")"
import json, sys
report = json.load(open(sys.argv[1]))
rows = {row["function"]: row for row in report["functions"]}
assert report["device"].split(":")[0] in ("cuda", "opencl"), report["device"]
for name, limbs in (("mpn_sqr", 7), ("mpn_mul_n", 10)):
    row = rows[name]
    assert row["calls"] == row["sent"] == 120 and row["limbs"] == 120 * limbs, row
    assert row["not_sent"] == {}, row
    assert set(row["seconds"]) == {"device", "upload", "kernels", "download", "gmp"}, row
    parts = sum(row["seconds"][key] for key in ("upload", "kernels", "download"))
    assert 0 < parts and row["seconds"]["device"] > 0 and row["seconds"]["gmp"] == 0, row
TEXT
