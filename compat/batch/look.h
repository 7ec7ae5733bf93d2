/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divisors and moduli in batches: whether any is zero, or even. */
#ifndef MPGPU_BATCH_LOOK_H
#define MPGPU_BATCH_LOOK_H

#include "compat/batch/batch.h"
#include "lib/modular/euclid.h"

/* Examines the numbers of b where they are stored; does not move them unless the device fails.  0,
 * or after mpgpu_error has its text one of include/mpgpu.h's codes: MPGPU_DIVIDE_BY_ZERO where one
 * is zero.
 */
int batch_look(mpgpu_batch *b, struct euclid_found *found);

#endif
