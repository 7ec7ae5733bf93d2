/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What lies before the numbers of a composite operation, and is the same to lib/calc's files. */
#ifndef MPGPU_CALC_HEAD_H
#define MPGPU_CALC_HEAD_H

#include "lib/calc/calc.h"
#include "lib/device/answers.h"
#include "lib/multiply/product.h"

/* Words: flags, in turn; parts of residues. */
#define CALC_FLAGS 32
#define CALC_FLAGS_MOST 32
#define CALC_PARTS 64
#define CALC_PARTS_GROUPS 256 /* of each of five numbers */
#define CALC_HEAD (CALC_PARTS + 5 * CALC_PARTS_GROUPS * 2)

/* The word of c->answers that becomes 1 where a demand did not hold. */
#define CALC_WRONG (2 * ANSWER_WRONG)

/* The plan for products of un >= vn words. */
void calc_plan_product(struct calc *c, struct product *p, uint64_t un, uint64_t vn);

/* While the operation is planned, and launches are to go in lists: a self-test that was passed,
 * once more by those. */
void calc_verify_listed(struct calc *c,
                        enum gpu_status (*test)(struct context *s, const void *argument),
                        const void *argument);

/* Is work to be put into the queue? */
bool calc_is_on(const struct calc *c);

/* The words of n for products of un by vn words modulo B^n - 1, and their transforms' length, where
 * they pay (mulmod_minus_words in lib/multiply/mulmod.h); or 0.  Its kernels are verified while the
 * operation is planned. */
uint64_t calc_plan_ring(struct calc *c, struct ntt_length *l, uint64_t least, uint64_t un,
                        uint64_t vn);

/* The entry of c->answers for the next product modulo B^n - 1: 0 where it was reduced. */
unsigned calc_next_open(struct calc *c);

#endif
