/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices whose entries are too long for residues modulo short primes. Transforms each
 * entry of the factors by number-theoretic transforms (lib/multiply/ntt_passes.h). An entry of the
 * result is the inverse transform of a sum of pointwise products. Each launch computes one step for
 * up to NTT_BATCH_MOST entries. */
#ifndef MPGPU_MATRIX_LONG_H
#define MPGPU_MATRIX_LONG_H

#include "lib/matrix/matrix.h"
#include "lib/multiply/ntt_plan.h"

/* Returns a plan of the operation's transforms, from which selftest_ntt tests their programs with
 * known answers. */
struct ntt_plan matrix_long_plan(const struct matrix_operation *op);

/* Does the same as matrix_compute, by transforms. */
enum gpu_status matrix_long_compute(struct context *s, const struct matrix_operation *op);

/* Does the same as matrix_long_compute, by transforms of a given length of at least
 * matrix_digits(op) digits. */
enum gpu_status matrix_long_compute_by(struct context *s, const struct matrix_operation *op,
                                       const struct ntt_length *length);

#endif
