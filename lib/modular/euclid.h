/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes gcds, inverses and quotients of batches (many numbers of one length) on the device
 * (doc/design/euclid-batches.md). */
#ifndef MPGPU_EUCLID_H
#define MPGPU_EUCLID_H

#include "lib/device/context.h"

/* The most words of a number. Dividends may have twice this length. */
enum { EUCLID_MOST_WORDS = 1 << 13 };

/* An operation on each of `count` numbers.
 *
 * - EUCLID_GCD: r = gcd(u, v). All numbers have `words` words.
 * - EUCLID_INVERSE: r is the inverse of u modulo v, and the number's limb in `flags` is 1. If there
 *   is no inverse, r and this limb are 0. r, u and v have `words` words. v may be even only if
 *   has_even is set.
 * - EUCLID_DIVIDE: u = q v + r. u and q have u_words words, v and r have `words` words. One of r
 *   and q may be absent (its member h is 0).
 *
 * If v_is_one, all numbers share one v; gcds cannot share it. v is not zero, except for gcds.
 * Results overlap neither each other nor operands. */
struct euclid_operation {
    enum euclid_kind { EUCLID_GCD, EUCLID_INVERSE, EUCLID_DIVIDE } kind;
    bool v_is_one, has_even;
    /* EUCLID_DIVIDE: Newton's method must not be used; requires words <= DIVIDE_MOST_WORDS */
    bool by_words;
    uint64_t count;
    uint32_t words, u_words;
    gpu_mem r, q, flags, u, v;
};

/* Computes the operation, in pieces of about euclid_piece_bytes, checks it if `verify` is `device`,
 * and waits for the device. Returns GPU_FAILED if the check finds a wrong number. The caller must
 * run the kernels' self-test first. */
enum gpu_status euclid_operate(struct context *s, const struct euclid_operation *op);

/* The result of euclid_look: how many of `count` numbers of `words` words are zero, and how many
 * are even. */
struct euclid_found {
    uint32_t zeros, even;
};
enum gpu_status euclid_look(struct context *s, gpu_mem v, uint64_t count, uint32_t words,
                            struct euclid_found *found);

/* A piece of an operation: numbers `first` to first + count - 1, and memory for intermediate
 * results of these numbers only. */
struct euclid_piece {
    const struct euclid_operation *op;
    uint64_t first, count;
    /* record: data that the kernels store for the check; extra: gcds, with which the check verifies
     * that a number has no inverse */
    gpu_mem record, extra;
    /* buffer of inverses; the inverse of the piece's first number has the index inverse_first */
    gpu_mem inverse;
    uint64_t inverse_first;
};

/* ---- within lib/modular */

/* Queues the check of a piece. verdict_end (lib/device/verdict.h) later returns whether it
 * succeeded. */
enum gpu_status euclid_check(struct context *s, const struct euclid_piece *p);

/* Compute the inverses of odd u modulo even v, from the inverses of v modulo u
 * (lib/modular/euclid_even.c). euclid_even_prepare allocates memory, euclid_even queues the
 * launches. */
enum gpu_status euclid_even_prepare(struct context *s, struct euclid_piece *p);
enum gpu_status euclid_even(struct context *s, const struct euclid_piece *p);

/* Queues the check of the inverses that euclid_even has computed. They were computed from other
 * inverses, which euclid_check must have checked before. verdict_end (lib/device/verdict.h) later
 * returns whether both checks succeeded. */
enum gpu_status euclid_even_check(struct context *s, const struct euclid_piece *p);

/* Returns the distance in words from one number of v to the next; 0 if all share one v. */
static inline uint64_t euclid_v_step(const struct euclid_operation *op) {
    return op->v_is_one ? 0 : op->words;
}

#endif
