#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests the statistics of programs: valid JSON, exact totals with many threads, and the same calls
# in the table and in JSON.  The time of a composite operation must be in its own row.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
countable=$builddir/tests/programs/countable
OPENS='wait'
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
    assert set(row["by"]) <= {"ntt", "ssa", "block", "fft"} and sum(row["by"].values()) == 120, row
    assert 0 < parts and row["seconds"]["device"] > 0 and row["seconds"]["gmp"] == 0, row
TEXT
composites=$builddir/tests/programs/composites
json() {
    MORE=stats:json as_alone "$composites" "$@"
    sed -n 's/^mpgpu: //p' "$work/wait.err" >"$work/json"
    shift
    python3 - "$work/json" "$@" <<'TEXT' || fail "$*: $(cat "$work/json")"
import json, sys
rows = {row["function"]: row for row in json.load(open(sys.argv[1]))["functions"]}
assert sorted(rows) == sorted(sys.argv[2:]), list(rows)
for row in rows.values():
    seconds = row["seconds"]
    parts = seconds["upload"] + seconds["kernels"] + seconds["download"]
    assert row["calls"] == row["sent"] == 1 and row["not_sent"] == {}, row
    assert 0 < parts <= seconds["device"] + 1e-5 and seconds["gmp"] == 0, row
    assert sum(row["by"].values()) > 0, row
TEXT
}
for name in mpz_gcdext mpz_divexact mpz_lcm mpz_sqrtrem mpz_rootrem mpz_powm_ui mpz_get_str mpz_jacobi \
    mpz_divisible_p mpz_congruent_p mpn_perfect_square_p; do
    json 3000 $name
done
json 3000 mpz_gcdext mpz_rootrem mpz_get_str mpz_divexact
