/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches on the device by Barrett's reduction, for moduli of any parity and of all lengths
 * that products of batches serve (doc/design/modular-batches.md). */
#ifndef MPGPU_BARRETT_BATCH_H
#define MPGPU_BARRETT_BATCH_H

#include "kernels/modular/barrett.h"
#include "lib/modular/modular.h"

/* An operation as described in modular.h, except that moduli.known has BARRETT_KNOWN_WORDS(words)
 * for each modulus.  For MODULAR_KIND_POW_SECURE, launches and addresses depend only on lengths and
 * moduli, and the data in the context's buffers is cleared. */
struct barrett_operation {
    struct modular_operation op;
    bool is_normal; /* the highest bit of each modulus is set: shifts are 0 */
};

/* Computes the operation, checks it as `verify` demands, and waits for it.  Returns GPU_FAILED if a
 * number is wrong. */
enum gpu_status barrett_operate(struct context *s, const struct barrett_operation *b);

/* Computes what depends on the moduli alone: BARRETT_KNOWN_WORDS(words) each, and `kinds`, of two
 * words each: the kind of modular.h, and the modulus' shift.  Checks it, and waits for it. */
enum gpu_status barrett_moduli_compute(struct context *s, const struct modular_request *r);

#endif
