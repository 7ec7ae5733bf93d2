/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out whether a batch of divisors or moduli contains zeros or even numbers. */
#ifndef MPGPU_BATCH_LOOK_H
#define MPGPU_BATCH_LOOK_H

#include "compat/batch/batch.h"
#include "lib/modular/euclid.h"

/* Counts the zeros and even numbers of b where b is stored. Moves b to the host only if a device
 * fails or b is too long for it. Returns 0 or an error, and sets the text of mpgpu_error. A zero is
 * the error MPGPU_DIVIDE_BY_ZERO. */
int batch_look(mpgpu_batch *b, struct euclid_found *found);

#endif
