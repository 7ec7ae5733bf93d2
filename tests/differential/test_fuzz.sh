#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs each fuzz target for a short time, with the same inputs each time; `make fuzz` runs them
# longer.  MPGPU_TEST_OPERATIONS sets the calls on each backend, MPGPU_TEST_SEED other inputs.
. "$(dirname "$0")/../support/common.sh"
cd "$work" # if an input fails, the fuzz target writes it to the current folder
seed=${MPGPU_TEST_SEED:-1}

"$builddir/tests/fuzz/fuzz_conf" --runs 20000 --seed "$seed" "$srcdir"/tests/fuzz/corpus/conf/* ||
    fail "fuzz_conf: exit status $?"
"$builddir/tests/fuzz/fuzz_profile" --runs 20000 --seed "$seed" "$srcdir"/tests/fuzz/corpus/profile/* ||
    fail "fuzz_profile: exit status $?"
"$builddir/tests/fuzz/fuzz_cache" --runs 5000 --seed "$seed" || fail "fuzz_cache: exit status $?"
"$builddir/tests/fuzz/fuzz_job" --runs 50000 --seed "$seed" || fail "fuzz_job: exit status $?"
"$builddir/tests/fuzz/fuzz_serve" --runs 2000 --seed "$seed" >"$work/serve" 2>&1 ||
    fail "fuzz_serve: $(tail -n 3 "$work/serve")"
"$builddir/tests/fuzz/fuzz_group" --runs 2000 --seed "$seed" >"$work/group" 2>&1 ||
    fail "fuzz_group: $(tail -n 3 "$work/group")"

need_opencl_or_cuda
for backend in $(backends); do
    echo "$backend:"
    MPGPU_CONF=backend:$backend "$builddir/tests/fuzz/fuzz_calls" \
        --runs "${MPGPU_TEST_OPERATIONS:-1000}" --seed "$seed" || fail "fuzz_calls: exit status $?"
done
