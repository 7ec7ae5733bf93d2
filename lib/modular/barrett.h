/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes modular batches (many numbers of one length) on the device by Barrett's reduction.
 * Moduli may be odd or even. The kernels for products of batches limit their length
 * (doc/design/modular-batches.md). */
#ifndef MPGPU_BARRETT_BATCH_H
#define MPGPU_BARRETT_BATCH_H

#include "kernels/modular/barrett.h"
#include "lib/modular/modular.h"

/* An operation as in lib/modular/modular.h, except that moduli.known has BARRETT_KNOWN_WORDS(words)
 * words for each modulus. Exponents of MODULAR_KIND_POW_SECURE are secret: launches and addresses
 * depend only on lengths and moduli, and the buffers are cleared afterwards. */
struct barrett_operation {
    struct modular_operation op;
    bool is_normal; /* each modulus has its highest bit set, so that no shift is necessary */
};

/* Computes the operation, checks it if the option `verify` is `device`, and waits for the device.
 * Returns GPU_FAILED if the check finds a wrong number. */
enum gpu_status barrett_operate(struct context *s, const struct barrett_operation *b);

/* Computes the constants that depend on the moduli alone: BARRETT_KNOWN_WORDS(words) words for each
 * modulus. Also sets two words of `kinds` for each modulus: its kind (odd, even or zero), and the
 * bits by which it is shifted left. Checks the constants if `verify` is `device`, and waits for the
 * device. */
enum gpu_status barrett_moduli_compute(struct context *s, const struct modular_request *r);

#endif
