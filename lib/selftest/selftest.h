/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: a kernel's results count only after it has passed its test on the current device.
 * Each function returns at once if its kernels have passed before, and GPU_FAILED if an answer is
 * wrong.  It uses the context's slots. */
#ifndef MPGPU_SELFTEST_H
#define MPGPU_SELFTEST_H

#include "lib/modular/euclid.h"
#include "lib/multiply/batch.h"
#include "lib/multiply/fft_product_plan.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/multiply/small.h"
#include "lib/multiply/ssa_plan.h"

/* Test products and squares by the kernels of a plan, at the shortest lengths that these serve. */
enum gpu_status selftest_ntt(struct context *s, const struct ntt_plan *plan);
enum gpu_status selftest_ssa(struct context *s, const struct ssa_plan *plan);
enum gpu_status selftest_fft(struct context *s, const struct fft_product_plan *plan);
enum gpu_status selftest_small(struct context *s, const struct small_plan *p);

/* Tests products modulo x^n - 1 or x^n + 1 by one ring. */
enum gpu_status selftest_mulmod(struct context *s, const struct ntt_ring *ring);

/* Tests the kernels that compute a product and a square in a ring by transforms that wrap around.
 * `key` identifies the test.  The caller sets wrapped->room and the plan.  The test compares each
 * result with a full product, computed by verified kernels and reduced modulo the ring's modulus.
 */
enum gpu_status selftest_ring(struct context *s, unsigned key, struct mulmod *wrapped);

/* Returns `status` if it is an error or if a product by fft is trustworthy; otherwise GPU_ABSENT.
 */
enum gpu_status selftest_trust(struct context *s, enum gpu_status status, size_t n);

/* Tests products by one limb. */
enum gpu_status selftest_limb(struct context *s);

/* Tests the linear steps of composite operations, and the check of their equations. */
enum gpu_status selftest_window(struct context *s);

/* Test products that are joined from their halves, and remainders by products modulo B^w - 1. */
enum gpu_status selftest_halves(struct context *s);
enum gpu_status selftest_remainder(struct context *s);

/* Test digits and levels of radix conversions, and levels of remainder trees. */
enum gpu_status selftest_radix(struct context *s);
enum gpu_status selftest_tree(struct context *s);

/* Test modular batches of numbers of `words` words: by Montgomery's reduction; by products, which
 * are tested too; and the steps that compute reciprocals (lib/modular/barrett_newton.h). */
enum gpu_status selftest_modular(struct context *s, uint32_t words);
enum gpu_status selftest_barrett(struct context *s, uint32_t words);
enum gpu_status selftest_reciprocals(struct context *s, uint32_t words);

/* Test a batch; comparison and selection in batches; gcds, inverses and quotients of a batch. */
enum gpu_status selftest_batch(struct context *s, const struct batch_operation *op);
enum gpu_status selftest_order(struct context *s);
enum gpu_status selftest_euclid(struct context *s, const struct euclid_operation *op);

/* Tests each device before it is used: sums, the check's residues, the shortest products. */
enum gpu_status selftest_all(struct context *s);

/* Tests small products column by column, before any other test of a context that computes small
 * products only. */
enum gpu_status selftest_columns(struct context *s);

#endif
