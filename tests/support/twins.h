/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs tests on several simulated devices, which are one real device opened several times
 * (tests/support/twin_backend.h). */
#ifndef MPGPU_TEST_TWINS_H
#define MPGPU_TEST_TWINS_H

#include "tests/support/testing.h"
#include "tests/support/twin_backend.h"

/* Runs these tests.  Returns the program's exit status, which is 77 if there is no device. */
static inline int twins_main(const char *name, const struct testing_test *tests) {
    if (!twin_real()) {
        printf("skipped: no device\n");
        return 77;
    }
    return testing_main(name, 600, tests);
}

#endif
