/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of composite operations on every backend.  The options are read when the first random
 * number is generated, before the backend is known, so the functions here change them later. */
#ifndef MPGPU_TEST_COMPOSITE_H
#define MPGPU_TEST_COMPOSITE_H

#include "lib/base/conf.h"
#include "tests/support/backends.h"

/* Opens the backend's device in the child process of each test. */
static inline void composite_open(struct test_backend backend) {
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "%s", backend.name);
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
}

static int composite_scale;

static inline enum gpu_status composite_ask_scale(struct context *s, void *unused) {
    (void)unused;
    composite_scale = s->dev.caps.is_cpu ? 1 : 64;
    return GPU_OK;
}

/* Returns n limbs for a CPU, and 64 n limbs for a GPU. With 64 n limbs, a GPU uses products
 * modulo B^w - 1, for some w (lib/calc/calc_divide.c). Call it in the child process of a test. */
static inline size_t composite_limbs(size_t n) {
    int unused = 0;
    ck_assert_int_eq(session_run(composite_ask_scale, &unused, sizeof unused, 0), OUTCOME_DONE);
    return n * (size_t)composite_scale;
}

/* Runs the tests.  GMP's own functions compute the expected results: the options send no single
 * product to the device. */
static inline int composite_tests(const char *name, const struct testing_test *tests) {
    setenv("MPGPU_CONF", "open:wait,watchdog:600,log:1,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends(name, tests, NULL);
}

#endif
