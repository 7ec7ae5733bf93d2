/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs composite operations on two devices (tests/support/shards.h) and compares the results with
 * GMP's. */
#ifndef MPGPU_TEST_SHARDS_COMPOSITE_H
#define MPGPU_TEST_SHARDS_COMPOSITE_H

#include "tests/support/composite_cases.h"
#include "tests/support/shards.h"

/* The number of composite operations; loop i of a test uses operation composite_op(i). */
enum { COMPOSITES = JOB_FIRST_ON_DEVICE - JOB_FIRST_COMPOSITE };

static inline enum job_op composite_op(int i) {
    return (enum job_op)(JOB_FIRST_COMPOSITE + i % COMPOSITES);
}

/* Begins a test.  GMP's own functions compute the expected results: the options send no single
 * product to the devices. */
static inline void composite_begin(const struct shards_devices *d, const char *conf) {
    char all[128];
    snprintf(all, sizeof all, "mul:never,sqr:never,mulmod:never,add:never,%s", conf);
    shards_begin(d, all);
}

/* calls and copies of each device, counted before the operation */
static uint64_t composite_calls[2], composite_copies[2];

static inline enum outcome composite_run(struct composite_case *c, const char *what) {
    for (unsigned i = 0; i < 2; i++) {
        composite_calls[i] = shards_calls(i);
        composite_copies[i] = (uint64_t)atomic_load(&twins[i].peer_copies);
    }
    enum outcome outcome = composite_case_run(c, job_run, what);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(twins[i].strays == 0, "%s: another device's memory", what);
    return outcome;
}

/* Returns true if both devices took part in the last operation: each has computed, and has copied
 * data from the other device. */
static inline bool composite_was_shared(void) {
    bool is_shared = true;
    for (unsigned i = 0; i < 2; i++)
        is_shared = is_shared && shards_calls(i) > composite_calls[i] &&
                    (uint64_t)atomic_load(&twins[i].peer_copies) > composite_copies[i];
    return is_shared;
}

#endif
