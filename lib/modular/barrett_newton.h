/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reciprocals of batches, for lib/modular/barrett_moduli.c. */
#ifndef MPGPU_BARRETT_NEWTON_H
#define MPGPU_BARRETT_NEWTON_H

#include "lib/modular/euclid.h"

/* Words of the quotients that Newton's steps begin with, for numbers of so many; those of the
 * longest step but the last. */
uint32_t barrett_leaf_words(uint32_t words);
uint32_t barrett_smaller_words(uint32_t words);

/* The quotients of a EUCLID_DIVIDE of numbers B^2n / 2 - 1 by others that have their highest bits,
 * with remainders, into the queue.  The caller checks them.  Uses slots KEPT, ADDEND, R and
 * EXPRESSION. */
enum gpu_status barrett_reciprocals(struct context *s, const struct euclid_operation *op);

#endif
