/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real backend in which one launch goes wrong without any error, as on a
 * device or a driver that fails silently. */
#ifndef MPGPU_TEST_INJECT_BACKEND_H
#define MPGPU_TEST_INJECT_BACKEND_H

#include "gpu/gpu.h"

enum inject_kind {
    INJECT_LOST,     /* the launch is skipped */
    INJECT_LOST_ON,  /* the launch and all later ones are skipped, until inject_end */
    INJECT_REPEATED, /* the launch is issued twice */
    INJECT_STALE,    /* the launch gets the arguments of the kernel's previous launch; without
                        one it is skipped */
    INJECT_BIT,      /* before the launch, a bit changes in one of its buffers that an earlier
                        launch has used since the host wrote to it */
    INJECT_ANY_BIT,  /* before or after the launch, a bit changes in any of its buffers, even in
                        data that was just uploaded or will be downloaded */
    INJECT_KINDS
};
extern const char *const inject_names[INJECT_KINDS];

/* A backend that wraps `real`; inject_use sets it. Its first device is opened once and stays
 * open. */
extern struct gpu_backend inject_backend;
void inject_use(const struct gpu_backend *real);

/* If true, later sessions find no device. */
extern bool inject_is_absent;

/* Starts counting launches, from 1; launch number `launch` goes wrong (0: none). `seed` chooses
 * the bit. */
void inject_begin(enum inject_kind kind, long launch, uint64_t seed);

/* Stops injecting faults; returns how many launches there were. */
long inject_end(void);

/* inject_is_done returns true if the launch has gone wrong since inject_begin. inject_text
 * describes its kernel and the fault. */
bool inject_is_done(void);
const char *inject_text(void);

/* Returns the next number of a pseudo-random sequence. */
uint64_t inject_random(uint64_t *seed);

#endif
