/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens a device for tests of products by Schoenhage-Strassen's algorithm, and lists shapes of
 * transforms. */
#ifndef MPGPU_TEST_SSA_SHAPES_H
#define MPGPU_TEST_SSA_SHAPES_H

#include "lib/multiply/ssa.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

/* Opens the session. Skips the test and returns 0 if a CPU would run the kernels for GPUs: this
 * algorithm's kernels are the same for CPUs and GPUs. */
static inline int open_for_ssa(struct test_backend backend) {
    char conf[96];
    if (backend.kernels_of_gpus) {
        testing_skip("kernels of GPUs: here the same as those of CPUs");
        return 0;
    }
    snprintf(conf, sizeof conf, "backend:%s,open:wait,log:%lu,watchdog:0,algorithm:ssa",
             backend.name, testing_option("MPGPU_TEST_LOG", 1) % 10);
    setenv("MPGPU_CONF", conf, 1);
    session_init();
    return 1;
}

/* Shapes of transforms: log2 of the number of coefficients, and log2 of the digits of each. */
static const struct {
    unsigned log_n, log_p;
} shapes[] = {{4, 8},  {5, 8},  {6, 8},  {7, 8},  {8, 8},  {9, 8}, {10, 8},
              {11, 8}, {12, 8}, {13, 8}, {6, 12}, {4, 11}, {5, 9}, {8, 10}};
static const int shape_count = sizeof shapes / sizeof *shapes;

#endif
