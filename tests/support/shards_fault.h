/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Injects faults into one of two devices that shard an operation (tests/support/shards.h). */
#ifndef MPGPU_TEST_SHARDS_FAULT_H
#define MPGPU_TEST_SHARDS_FAULT_H

#include "lib/base/conf.h"
#include "tests/support/shards.h"

/* for each of the two devices: the calls and writes that it counted in an operation without
 * faults */
static long calls[2], writes[2];

/* Removes all injected faults of both devices, and resets the counters. */
static inline void calm(void) {
    for (int i = 0; i < 2; i++) {
        twins[i].call = twins[i].wrong = twins[i].calls = twins[i].writes = 0;
        session_device((unsigned)i)->faults = 0;
    }
}

/* Records the counters of an operation without faults, which has run since calm().  Resets the
 * counters. */
static inline void note_calls(void) {
    for (int i = 0; i < 2; i++) {
        calls[i] = twins[i].calls;
        writes[i] = twins[i].writes;
    }
    calm();
}

/* If false, the library does not count wrong results. After counting three, it would no longer
 * shard operations, and the test could not continue. Programs that include this are linked with
 * --wrap=sharding_count_wrong. */
static bool wrong_is_counted = true;

void __real_sharding_count_wrong(void);
void __wrap_sharding_count_wrong(void);

void __wrap_sharding_count_wrong(void) {
    if (wrong_is_counted)
        __real_sharding_count_wrong();
}

/* Returns a text that describes the faults that are injected into device number `twin`. */
static inline char *what(int twin) {
    static char text[120];
    snprintf(text, sizeof text, "twin %d call %ld status %d wrong %ld", twin,
             (long)twins[twin].call, (int)twins[twin].status, (long)twins[twin].wrong);
    return text;
}

#endif
