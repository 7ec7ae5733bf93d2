/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real one in which one launch goes wrong without any error, as on a device
 * or a driver that fails silently. */
#ifndef MPGPU_TEST_INJECT_BACKEND_H
#define MPGPU_TEST_INJECT_BACKEND_H

#include "gpu/gpu.h"

enum inject_kind {
    INJECT_LOST,     /* the launch is left out */
    INJECT_LOST_ON,  /* it and all that follow, until inject_end */
    INJECT_REPEATED, /* it is issued twice */
    INJECT_STALE,    /* it is made with the arguments that its kernel had before, or left out where
                        there are none */
    INJECT_BIT,      /* before it a bit of one of its buffers changes, which a launch has had since
                        the host wrote to it */
    INJECT_ANY_BIT,  /* before it or after it a bit of one of its buffers changes: also of what was
                        uploaded, or is downloaded */
    INJECT_KINDS
};
extern const char *const inject_names[INJECT_KINDS];

/* Like `real`, whose first device is opened once and stays open. */
extern struct gpu_backend inject_backend;
void inject_use(const struct gpu_backend *real);

/* Later sessions find no device. */
extern bool inject_is_absent;

/* From now on launches are counted, from 1, and number `launch` goes wrong; 0: none.  `seed`
 * chooses the bit. */
void inject_begin(enum inject_kind kind, long launch, uint64_t seed);

/* No more; how many there were. */
long inject_end(void);

/* Whether it has gone wrong since inject_begin; and its kernel and what was done, as text. */
bool inject_is_done(void);
const char *inject_text(void);

/* Numbers that follow from a seed. */
uint64_t inject_random(uint64_t *seed);

#endif
