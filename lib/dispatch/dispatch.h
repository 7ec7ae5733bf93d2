/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Who computes a call that is above its threshold: the device, or GMP at once, since the device is
 * busy (doc/design/dispatch.md; option `dispatch`).  Takes no lock, and whole numbers alone. */
#ifndef MPGPU_DISPATCH_H
#define MPGPU_DISPATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/outcome.h"
#include "lib/base/profile.h"
#include "lib/dispatch/decide.h"

struct dispatch_call {
    struct decide_call call;
    bool is_asked;
};

/* One operation of the device, `size` against `threshold`, which is in `thresholds`, and `limbs`
 * of operands.  OUTCOME_DONE: try the device; OUTCOME_BUSY, OUTCOME_SAMPLE: GMP's at once.
 * dispatch_end must follow in any case, by the same thread. */
enum outcome dispatch_begin(struct dispatch_call *c, const _Atomic size_t *threshold, size_t size,
                            size_t limbs);

/* The same for a composite operation, whose products ask for themselves. */
enum outcome dispatch_begin_composite(struct dispatch_call *c, const _Atomic size_t *threshold,
                                      size_t size, size_t limbs);

/* The device has not done it: it is free for others while GMP computes. */
void dispatch_give_up(struct dispatch_call *c);

/* The result is there.  OUTCOME_DONE: the device's, or a composite operation made of products; of
 * others why GMP has computed it. */
void dispatch_end(struct dispatch_call *c, enum outcome outcome);

/* What the device is expected to take for the call that this thread has begun, in nanoseconds; 0
 * where that is unknown. */
int64_t dispatch_cost(void);

/* The device prepares itself: what calls take now is not what they take. Any thread. */
void dispatch_warm_up(void);

/* GMP's times by a profile: `gmp_ns` gives nanoseconds, 0 where they are unknown.  It may use
 * floating point: not in a thread of the program. */
void dispatch_use_profile(const struct profile *p,
                          uint64_t (*gmp_ns)(const struct profile *p, enum profile_threshold kind,
                                             size_t limbs));

/* Decisions so far, the wait that a call would have now and the account, in nanoseconds. */
struct dispatch_numbers {
    bool is_fixed;
    uint64_t busy, trials, samples;
    int64_t wait, account;
};
void dispatch_ask(struct dispatch_numbers *n);

#endif
