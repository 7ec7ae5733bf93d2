/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the reciprocals of a batch's numbers, for lib/modular/barrett_moduli.c. */
#ifndef MPGPU_BARRETT_NEWTON_H
#define MPGPU_BARRETT_NEWTON_H

#include "lib/modular/euclid.h"

/* barrett_leaf_words returns the length in words of the quotients from which Newton's iteration
 * starts, for numbers of `words` words. barrett_smaller_words returns the length before the last
 * step. */
uint32_t barrett_leaf_words(uint32_t words);
uint32_t barrett_smaller_words(uint32_t words);

/* Queues the division of B^2n / 2 - 1, where B^n = 2^(32 words), by each divisor, with remainders.
 * Divisors must have their highest bits set. The caller checks the quotients. Uses the buffers
 * SLOT_KEPT, SLOT_ADDEND, SLOT_R and SLOT_EXPRESSION. */
enum gpu_status barrett_reciprocals(struct context *s, const struct euclid_operation *op);

#endif
