/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of composite operations on every backend: the options are read when the first random
 * number is made, before the backend is known. */
#ifndef MPGPU_TEST_COMPOSITE_H
#define MPGPU_TEST_COMPOSITE_H

#include "lib/base/conf.h"
#include "tests/support/backends.h"

/* In the child of each test. */
static inline void composite_open(struct test_backend backend) {
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "%s", backend.name);
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
}

/* GMP's own functions serve for comparison: no product goes to the device by itself. */
static inline int composite_tests(const char *name, void (*add)(TCase *tests)) {
    setenv("MPGPU_CONF", "open:wait,watchdog:600,log:1,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends(name, add, NULL);
}

#endif
