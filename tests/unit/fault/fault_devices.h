/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests through the backend that fails: each runs once on every real backend that has
 * a device. */
#ifndef MPGPU_TEST_FAULT_DEVICES_H
#define MPGPU_TEST_FAULT_DEVICES_H

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>

#include "lib/session/session.h"
#include "tests/support/devices.h"
#include "tests/support/session_anew.h"
#include "tests/unit/fault/fault_backend.h"

static const struct gpu_backend *reals[4]; /* backends with a device */
static int real_count;

/* LeakSanitizer reads this at the end of a test's process: some tests keep memory on purpose,
 * because a hanging device may still write to it. */
static int keeps_memory;
int __lsan_is_turned_off(void) __attribute__((visibility("default")));
int __lsan_is_turned_off(void) {
    return keeps_memory;
}

/* Draws a number for a place of a sweep, from MPGPU_TEST_SEED: neighbouring calls are of one kind,
 * so each gets one of the faults that such calls can have.  A test with GMP's random numbers would
 * send their products to the device. */
static inline unsigned long drawn(long place) {
    static uint64_t seed;
    if (!seed) {
        seed = testing_option("MPGPU_TEST_SEED", (unsigned long)time(NULL));
        printf("MPGPU_TEST_SEED=%lu\n", (unsigned long)seed);
    }
    uint64_t x = ((uint64_t)place + seed) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return (unsigned long)(x >> 40);
}

/* For sweeps over calls of which `usually` in a row are of one kind, or MPGPU_TEST_EVERY: the
 * distance of tried calls, and the first one at `call` or after. */
static inline long sweep_step(long usually) {
    return (long)testing_option("MPGPU_TEST_EVERY", (unsigned long)usually);
}
static inline long sweep_from(long call, long usually) {
    return call + (long)drawn(call) % sweep_step(usually);
}

/* Checks that everything is released. */
static inline void check_released(void) {
    ck_assert_int_eq(fault_count.events, 0);
    ck_assert_int_eq(fault_count.queues, 0);
    ck_assert_int_eq(fault_count.buffers, 0);
    ck_assert_int_eq(fault_count.blocks, 0);
    ck_assert_int_eq(fault_count.devices, 0);
}

/* Opens the device of `real`, without faults, with these options; `init` is to read them first.
 * MPGPU_TEST_LOG sets the level of messages.
 *
 * PoCL confuses two forms of one kernel when it releases them (pocl_release_dlhandle_cache).  If
 * both run at once, its assertion now and then aborts the program.  So kernels take turns on a
 * CPU. */
static inline void begin_session(const struct gpu_backend *real, void (*init)(void),
                                 const char *conf) {
    char all[256];
    int length = snprintf(all, sizeof all, "open:wait,watchdog:0,%s,log:%lu", conf,
                          testing_option("MPGPU_TEST_LOG", 2) % 10);
    ck_assert_int_lt(length, (int)sizeof all);
    setenv("MPGPU_CONF", all, 1);
    init();
    fault_plan.real = real;
    fault_restart();
    fault_plan.alone = 1;
    session_anew();
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
}

/* Opens the device of fault_plan.real without faults and closes it, once for all tests of a
 * program; test_fault.c has the faults of opening.  From then on a device that is opened repeats no
 * self-test of these. */
static inline void learn_opening(void) {
    if (!fault_is_known && !fault_has_passed()) {
        fault_restart();
        session_anew();
        session_wait();
        session_put_down();
    }
    fault_is_known = true;
}

/* Closes the session without faults, once nothing is under way; calls under way read the plan. */
static inline void end_session(void) {
    session_calm();
    fault_plan.call = fault_plan.read = 0;
    session_put_down();
    check_released();
}

/* Freed memory is a later session's, not the system's: to get its pages anew took a sixth of the
 * time.
 */
static inline void keep_freed_memory(void) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/* Runs these tests: the exit status of the program.  PoCL computes in the
 * thread that asks, which takes half the time; so the kernels take turns, too. */
static inline int run_on_real_backends(const char *name, const struct testing_test *tests) {
    setenv("POCL_DEVICES", "basic", 0);
    keep_freed_memory();
    Suite *suite = suite_create(name);
    for (int i = 0; fault_real_backends[i]; i++)
        if (devices_of(fault_real_backends[i]) > 0)
            reals[real_count++] = fault_real_backends[i];
    if (real_count == 0) {
        printf("skipped: no device\n");
        return 77;
    }
    testing_add(suite, "device", 600, tests, real_count);
    return testing_run(suite);
}

#endif
