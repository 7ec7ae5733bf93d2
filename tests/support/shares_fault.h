/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Faults of one of two devices that share an operation (tests/support/shares.h). */
#ifndef MPGPU_TEST_SHARES_FAULT_H
#define MPGPU_TEST_SHARES_FAULT_H

#include "lib/base/conf.h"
#include "tests/support/shares.h"

static long calls[2], writes[2]; /* of each twin, in an operation without faults */

/* Ends all faults and resets their counts. */
static inline void calm(void) {
    for (int i = 0; i < 2; i++) {
        twins[i].call = twins[i].wrong = twins[i].calls = twins[i].writes = 0;
        session_device((unsigned)i)->faults = 0;
    }
}

/* An operation without faults has been done, since `calm`. */
static inline void note_calls(void) {
    for (int i = 0; i < 2; i++) {
        calls[i] = twins[i].calls;
        writes[i] = twins[i].writes;
    }
    calm();
}

/* After a third wrong result, operations are no longer shared, which would end a test.  Programs
 * that include this are linked with --wrap=sharing_count_wrong. */
static bool wrong_is_counted = true;

void __real_sharing_count_wrong(void);
void __wrap_sharing_count_wrong(void);

void __wrap_sharing_count_wrong(void) {
    if (wrong_is_counted)
        __real_sharing_count_wrong();
}

/* The faults that a twin is to have. */
static inline char *what(int twin) {
    static char text[120];
    snprintf(text, sizeof text, "twin %d call %ld status %d wrong %ld", twin,
             (long)twins[twin].call, (int)twins[twin].status, (long)twins[twin].wrong);
    return text;
}

#endif
