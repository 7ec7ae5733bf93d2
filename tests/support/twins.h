/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The runner of tests on several devices (tests/support/twin_backend.h). */
#ifndef MPGPU_TEST_TWINS_H
#define MPGPU_TEST_TWINS_H

#include "tests/support/testing.h"
#include "tests/support/twin_backend.h"

/* Runs these tests if there is a device: the exit status of the program. */
static inline int twins_main(const char *name, const struct testing_test *tests) {
    if (!twin_real()) {
        printf("skipped: no device\n");
        return 77;
    }
    return testing_main(name, 600, tests);
}

#endif
