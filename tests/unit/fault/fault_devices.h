/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests through the backend that fails: each runs once on every real backend that has
 * a device. */
#ifndef MPGPU_TEST_FAULT_DEVICES_H
#define MPGPU_TEST_FAULT_DEVICES_H

#include "tests/support/devices.h"
#include "tests/unit/fault/fault_backend.h"

static const struct gpu_backend *reals[4]; /* those with a device */
static int real_count;

/* LeakSanitizer asks this when a test's process ends: some keep memory on purpose, which a
 * device that does not answer may still write to. */
static int keeps_memory;
int __lsan_is_turned_off(void) __attribute__((visibility("default")));
int __lsan_is_turned_off(void) {
    return keeps_memory;
}

/* Everything that was made is released. */
static inline void check_released(void) {
    ck_assert_int_eq(fault_count.events, 0);
    ck_assert_int_eq(fault_count.queues, 0);
    ck_assert_int_eq(fault_count.buffers, 0);
    ck_assert_int_eq(fault_count.blocks, 0);
    ck_assert_int_eq(fault_count.devices, 0);
}

/* Run the tests that `add` puts into a case: the exit status of the program. */
static inline int run_on_real_backends(const char *name, void (*add)(TCase *tests)) {
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create("device");
    for (int i = 0; fault_real_backends[i]; i++)
        if (devices_of(fault_real_backends[i]) > 0)
            reals[real_count++] = fault_real_backends[i];
    if (real_count == 0) {
        printf("skipped: no device\n");
        return 77;
    }
    tcase_set_timeout(tests, 600);
    add(tests);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}

#endif
