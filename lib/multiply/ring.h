/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products modulo B^n - 1 and B^n + 1, B = 2^64. */
#ifndef MPGPU_RING_H
#define MPGPU_RING_H

#include "lib/multiply/check.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/device/number.h"
#include "lib/multiply/product.h"
#include "lib/multiply/ssa_plan.h"

struct ring {
    uint64_t words; /* of n */
    int plus;       /* B^n + 1 */
    /* by ring_prepare: */
    uint64_t room; /* words that the product takes before it is reduced */
    /* in full, or by transforms in which it wraps round: */
    enum { RING_IN_FULL, RING_BY_NTT, RING_BY_SSA } way;
    struct ntt_length length; /* of those transforms */
    struct ssa_plan ssa;
    struct product product; /* in full */
    /* by ring_mul: */
    struct check_ring reduced;
    int is_open; /* whether that is right is not known yet */
};

/* The plan for a product of un >= vn >= 1 words, un <= words, and what it needs, its
 * kernels proven.  Uses the session's slots. */
int ring_prepare(struct session *s, struct ring *ring, uint64_t un, uint64_t vn);

/* The words of the n for which B^n - 1 is the modulus of a product of un by vn words that
 * costs less than the product in full, at least `least` and fewer than un + vn; or 0. */
uint64_t ring_minus_words(uint64_t least, uint64_t un, uint64_t vn);

/* ring_mul in three steps, of which the host waits for the first only where the product does not
 * come by ntt.  ring_end stands behind a wait for the queue, and may change the result: then all
 * that was made of it is to be made again. */
int ring_begin(struct session *s, struct ring *ring, struct number r, struct number u,
               struct number v);
int ring_ask(struct session *s, const struct ring *ring);
int ring_end(struct session *s, struct ring *ring, struct number r, int *changed);

/* The first ring->words words of r = u v modulo B^n -+ 1; r has ring->room words and begins
 * its buffer. ring->reduced says how the product was reduced, and its `top` whether the
 * result is B^n; the host waits for that. */
int ring_mul(struct session *s, struct ring *ring, struct number r, struct number u,
             struct number v);

#endif
