/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens a device for tests of products that are computed by floating-point transforms
 * (algorithm:fft). */
#ifndef MPGPU_TEST_FFT_PRODUCTS_H
#define MPGPU_TEST_FFT_PRODUCTS_H

#include "lib/multiply/fft_product.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

static enum gpu_status has_doubles(struct context *s, void *yes) {
    (void)yes;
    return s->dev.caps.doubles ? GPU_OK : GPU_FAILED;
}

/* Opens a session with the options algorithm:fft and `option`.  Skips the test and returns 0 if the
 * device has no doubles. */
static inline int open_for_fft(struct test_backend backend, const char *option) {
    char conf[128];
    int unused = 0;
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(conf, sizeof conf, "backend:%s,open:wait,log:%lu,watchdog:0,algorithm:fft,%s",
             backend.name, testing_option("MPGPU_TEST_LOG", 1) % 10, option);
    setenv("MPGPU_CONF", conf, 1);
    session_init();
    if (session_run(has_doubles, &unused, sizeof unused, 0) == OUTCOME_DONE)
        return 1;
    testing_skip("%s: the device has no doubles", backend.name);
    return 0;
}

#endif
