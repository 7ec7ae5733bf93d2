/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests with the fault-injecting backend: runs each test once on every real backend that has
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

static const struct gpu_backend *reals[4]; /* the real backends that have a device */
static int real_count;

/* LeakSanitizer calls __lsan_is_turned_off at the end of a test's process. Tests that leak memory
 * on purpose set keeps_memory: a hanging device may still write to that memory. */
static int keeps_memory;
int __lsan_is_turned_off(void) __attribute__((visibility("default")));
int __lsan_is_turned_off(void) {
    return keeps_memory;
}

/* Returns a random number for position `place` of a sweep (a test of many calls, one after
 * another), derived from MPGPU_TEST_SEED. GMP's random numbers are not used, because they would
 * send products to the device. */
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

/* A sweep is a series of sessions. In each session another backend call fails; some calls are
 * skipped. sweep_step returns the distance between the calls that fail: MPGPU_TEST_EVERY if set,
 * otherwise `usually`. sweep_from returns the first of these calls at or after `call`. */
static inline long sweep_step(long usually) {
    return (long)testing_option("MPGPU_TEST_EVERY", (unsigned long)usually);
}
static inline long sweep_from(long call, long usually) {
    return call + (long)drawn(call) % sweep_step(usually);
}

/* Checks that no object of the backend is left allocated. */
static inline void check_released(void) {
    ck_assert_int_eq(fault_count.events, 0);
    ck_assert_int_eq(fault_count.queues, 0);
    ck_assert_int_eq(fault_count.buffers, 0);
    ck_assert_int_eq(fault_count.blocks, 0);
    ck_assert_int_eq(fault_count.devices, 0);
}

/* Opens the device of `real` without faults. `init` reads the options in `conf`. MPGPU_TEST_LOG
 * sets the level of messages.
 *
 * On a CPU only one kernel runs at a time. PoCL sometimes aborts if two versions of a kernel run at
 * once (an assertion in pocl_release_dlhandle_cache). */
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
 * program. So later openings need not repeat the self-tests. test_fault.c tests faults during
 * opening. */
static inline void learn_opening(void) {
    if (!fault_is_known && !fault_has_passed()) {
        fault_restart();
        session_anew();
        session_wait();
        session_put_down();
    }
    fault_is_known = true;
}

/* Waits until no call is running, because a running call reads the fault plan. Then removes the
 * faults from the plan and closes the session. */
static inline void end_session(void) {
    session_calm();
    fault_plan.call = fault_plan.read = 0;
    session_put_down();
    check_released();
}

/* Makes malloc keep freed memory for later sessions. Without this, getting new pages from the
 * system took a sixth of the tests' time. */
static inline void keep_freed_memory(void) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/* Runs these tests on each real backend, and returns the program's exit status. Chooses PoCL's
 * device `basic`, which computes in the calling thread: that halves the time of the tests. */
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
