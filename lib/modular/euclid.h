/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches on the device (doc/design/euclid-batches.md). */
#ifndef MPGPU_EUCLID_H
#define MPGPU_EUCLID_H

#include "lib/device/context.h"

/* The longest numbers, in words; a dividend may have twice that. */
enum { EUCLID_MOST_WORDS = 1 << 13 };

/* An operation on `count` numbers.
 *
 * - EUCLID_GCD: r = gcd(u, v), all of `words` words.
 * - EUCLID_INVERSE: r, u and v have `words` words.  r is the inverse of u modulo v, and its limb in
 * `flags` is 1; if there is no inverse, both are 0.  If has_even, v may be even.
 * - EUCLID_DIVIDE: u = q v + r; u and q have u_words words, v and r have `words` words.  One of r
 * and q may be missing (h is 0).
 *
 * If v_is_one, all numbers share one v, except for a gcd.  v is not zero, except for a gcd.
 * Results overlap neither each other nor operands. */
struct euclid_operation {
    enum euclid_kind { EUCLID_GCD, EUCLID_INVERSE, EUCLID_DIVIDE } kind;
    bool v_is_one, has_even;
    uint64_t count;
    uint32_t words, u_words;
    gpu_mem r, q, flags, u, v;
};

/* Computes the operation, in pieces if necessary, checks it as `verify` demands, and waits for it.
 * Returns GPU_FAILED if a number is wrong.  The caller runs the self-test before. */
enum gpu_status euclid_operate(struct context *s, const struct euclid_operation *op);

/* How many of `count` numbers of `words` words are zero, and how many even. */
struct euclid_found {
    uint32_t zeros, even;
};
enum gpu_status euclid_look(struct context *s, gpu_mem v, uint64_t count, uint32_t words,
                            struct euclid_found *found);

/* Numbers `first` to first + count - 1 of an operation, and memory for their computation alone,
 * which begins with number `first`. */
struct euclid_piece {
    const struct euclid_operation *op;
    uint64_t first, count;
    gpu_mem record, extra; /* of the steps; quotient digits, or gcds if no inverse is asked for */
    gpu_mem inverse;       /* results of batch_inverse, whose first is this number's: */
    uint64_t inverse_first;
};

/* ---- within lib/modular */

/* Queues the check, whose result becomes part of the verdict (lib/device/verdict.h). */
enum gpu_status euclid_check(struct context *s, const struct euclid_piece *p);

/* Compute the inverses modulo even numbers from those modulo the other operand. */
enum gpu_status euclid_even_prepare(struct context *s, struct euclid_piece *p);
enum gpu_status euclid_even(struct context *s, const struct euclid_piece *p);

/* Queues the check of the results of euclid_even, which becomes part of the verdict.  euclid_check
 * must check the inverses before. */
enum gpu_status euclid_even_check(struct context *s, const struct euclid_piece *p);

/* Returns the words from one v to the next. */
static inline uint64_t euclid_v_step(const struct euclid_operation *op) {
    return op->v_is_one ? 0 : op->words;
}

#endif
