/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches on the device by Barrett's reduction, for moduli of any parity and of any length
 * that products of batches have (doc/design/modular-batches.md). */
#ifndef MPGPU_BARRETT_BATCH_H
#define MPGPU_BARRETT_BATCH_H

#include "kernels/modular/barrett.h"
#include "lib/modular/modular.h"

/* As modular.h says, but that moduli.known has BARRETT_KNOWN_WORDS(words) for each modulus.
 * MODULAR_KIND_POW_SECURE: launches and addresses depend on lengths and moduli alone, and what lies
 * in the context's buffers is cleared. */
struct barrett_operation {
    struct modular_operation op;
    bool is_normal; /* the highest bit of each modulus is set: shifts are 0 */
};

/* The operation, checked as `verify` says, to the end: GPU_FAILED where a number is wrong. */
enum gpu_status barrett_operate(struct context *s, const struct barrett_operation *b);

/* What depends on the moduli alone: BARRETT_KNOWN_WORDS(words) each, and `kinds`, of two words:
 * what modular.h says, and the modulus' shift.  Checked, to the end. */
enum gpu_status barrett_moduli_compute(struct context *s, const struct modular_request *r);

#endif
