/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reciprocals of batches, for lib/modular/barrett_moduli.c. */
#ifndef MPGPU_BARRETT_NEWTON_H
#define MPGPU_BARRETT_NEWTON_H

#include "lib/modular/euclid.h"

/* barrett_leaf_words returns the words of the quotients with which Newton's steps begin, for
 * numbers of `words` words. barrett_smaller_words returns the words of the longest step but the
 * last. */
uint32_t barrett_leaf_words(uint32_t words);
uint32_t barrett_smaller_words(uint32_t words);

/* Queues a EUCLID_DIVIDE of numbers B^2n / 2 - 1 by divisors with their highest bits set, with
 * remainders.  The caller checks the quotients.  It uses the slots KEPT, ADDEND, R and EXPRESSION.
 */
enum gpu_status barrett_reciprocals(struct context *s, const struct euclid_operation *op);

#endif
