/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides who computes a call above its threshold: the device, or GMP at once because the device is
 * busy (doc/design/dispatch.md; option `dispatch`). Takes no lock, and uses whole numbers only. */
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

/* Begins one operation, and decides who computes it. Its `size` is compared with *threshold, a
 * field of `thresholds`; `limbs` is the size of all operands. Returns OUTCOME_DONE if the caller
 * should try the device; OUTCOME_BUSY or OUTCOME_SAMPLE if GMP should compute at once. The same
 * thread must call dispatch_end in any case. */
enum outcome dispatch_begin(struct dispatch_call *c, const _Atomic size_t *threshold, size_t size,
                            size_t limbs);

/* Does the same as dispatch_begin, for a composite operation. Each product inside the operation is
 * decided by its own call of dispatch_begin. */
enum outcome dispatch_begin_composite(struct dispatch_call *c, const _Atomic size_t *threshold,
                                      size_t size, size_t limbs);

/* Reports that the device has not computed the call: other calls may use the device while GMP
 * computes this one. */
void dispatch_give_up(struct dispatch_call *c);

/* Ends the call. `outcome` is OUTCOME_DONE if the device has computed the call, or some of its
 * products; otherwise why GMP has computed it. */
void dispatch_end(struct dispatch_call *c, enum outcome outcome);

/* Returns the expected device time of the call that this thread has begun, in nanoseconds; 0 if
 * unknown. */
int64_t dispatch_cost(void);

/* Reports that the device is preparing itself: the times of calls under way do not count. Any
 * thread may call it. */
void dispatch_warm_up(void);

/* Sets GMP's times from a profile. `gmp_ns` returns nanoseconds, 0 if unknown. */
void dispatch_use_profile(const struct profile *p,
                          uint64_t (*gmp_ns)(const struct profile *p, enum profile_threshold kind,
                                             size_t limbs));

/* The numbers of decisions so far; the wait that a call would have now, and the balance of the
 * device's gains and losses, both in nanoseconds. */
struct dispatch_numbers {
    bool is_fixed;
    uint64_t busy, trials, samples;
    int64_t wait, budget;
};
void dispatch_ask(struct dispatch_numbers *n);

#endif
