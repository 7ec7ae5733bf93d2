/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches on the device (doc/design/euclid-batches.md). */
#ifndef MPGPU_EUCLID_H
#define MPGPU_EUCLID_H

#include "lib/device/context.h"

/* The longest numbers, in words; a dividend has up to twice as many. */
enum { EUCLID_MOST_WORDS = 1 << 13 };

/* `count` numbers each.  EUCLID_GCD: r = gcd(u, v), of `words` words all.  EUCLID_INVERSE: r, of
 * `words` words as u and v, is the inverse of u modulo v, and `flags` one limb each, 1; or both are
 * 0.  EUCLID_DIVIDE: u, of u_words words, is q v + r, q of u_words, v and r of `words`.  Where
 * v_is_one there is one v for all, but not for a gcd; has_even: of an inverse, v may be even.  v is
 * nowhere zero, but for a gcd.  r and q may be none (h is 0), not both, in a division; results lie
 * apart from each other and operands. */
struct euclid_operation {
    enum euclid_kind { EUCLID_GCD, EUCLID_INVERSE, EUCLID_DIVIDE } kind;
    bool v_is_one, has_even;
    uint64_t count;
    uint32_t words, u_words;
    gpu_mem r, q, flags, u, v;
};

/* Computes it, in pieces if it has to, checked as `verify` says, to the end: GPU_FAILED where a
 * number is wrong.  Without the self-test. */
enum gpu_status euclid_operate(struct context *s, const struct euclid_operation *op);

/* What there is among numbers of so many words. */
struct euclid_found {
    uint32_t zeros, even;
};
enum gpu_status euclid_look(struct context *s, gpu_mem v, uint64_t count, uint32_t words,
                            struct euclid_found *found);

/* Where numbers `first` to first + count - 1 of an operation are made: its own memory, with numbers
 * of its own from their first on. */
struct euclid_piece {
    const struct euclid_operation *op;
    uint64_t first, count;
    gpu_mem record, extra; /* of the steps; quotient digits, or gcds where there is no inverse */
    gpu_mem inverse;       /* what batch_inverse makes, from this number on: */
    uint64_t inverse_first;
};

/* ---- within lib/modular */

/* Adds to the verdict (lib/device/verdict.h). */
enum gpu_status euclid_check(struct context *s, const struct euclid_piece *p);

/* From the inverses of even moduli modulo the other number those that are asked for. */
enum gpu_status euclid_even_prepare(struct context *s, struct euclid_piece *p);
enum gpu_status euclid_even(struct context *s, const struct euclid_piece *p);

/* Checks the results of euclid_even; adds to the verdict.  euclid_check must check the inverses. */
enum gpu_status euclid_even_check(struct context *s, const struct euclid_piece *p);

/* Words from one v to the next. */
static inline uint64_t euclid_v_step(const struct euclid_operation *op) {
    return op->v_is_one ? 0 : op->words;
}

#endif
