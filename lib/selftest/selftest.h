/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: no kernel's result counts before it has passed its test on the device at hand.
 * Each function returns at once if its kernels have passed before, and GPU_FAILED where an answer
 * is wrong.  It uses the context's slots. */
#ifndef MPGPU_SELFTEST_H
#define MPGPU_SELFTEST_H

#include "lib/modular/euclid.h"
#include "lib/multiply/batch.h"
#include "lib/multiply/fft_product_plan.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/multiply/small.h"
#include "lib/multiply/ssa_plan.h"

/* Products and squares through the kernels of a plan, at lengths as short as they serve. */
enum gpu_status selftest_ntt(struct context *s, const struct ntt_plan *plan);
enum gpu_status selftest_ssa(struct context *s, const struct ssa_plan *plan);
enum gpu_status selftest_fft(struct context *s, const struct fft_product_plan *plan);
enum gpu_status selftest_small(struct context *s, const struct small_plan *p);

/* Products modulo x^n - 1 or x^n + 1 by one ring. */
enum gpu_status selftest_mulmod(struct context *s, const struct ntt_ring *ring);

/* Product and square in a ring by transforms that wrap round, whose ring->room and plan are set,
 * beside those in full, which have been verified, reduced: for that key. */
enum gpu_status selftest_ring(struct context *s, unsigned key, struct mulmod *wrapped);

/* After a product by fft: `status`, or GPU_ABSENT if the product is in doubt. */
enum gpu_status selftest_trust(struct context *s, enum gpu_status status, size_t n);

/* Products by one limb. */
enum gpu_status selftest_limb(struct context *s);

/* The linear steps of composite operations, and the check of their equations. */
enum gpu_status selftest_window(struct context *s);

/* Products that are joined from their halves; remainders by products modulo B^w - 1. */
enum gpu_status selftest_halves(struct context *s);
enum gpu_status selftest_remainder(struct context *s);

/* Digits and levels of radix conversions; levels of remainder trees. */
enum gpu_status selftest_radix(struct context *s);
enum gpu_status selftest_tree(struct context *s);

/* Modular batches of numbers of `words` words; the same by products, which are tested too; the
 * steps that compute reciprocals of `words` words (lib/modular/barrett_newton.h). */
enum gpu_status selftest_modular(struct context *s, uint32_t words);
enum gpu_status selftest_barrett(struct context *s, uint32_t words);
enum gpu_status selftest_reciprocals(struct context *s, uint32_t words);

/* A batch; comparison and selection in batches; gcds, inverses and quotients of a batch. */
enum gpu_status selftest_batch(struct context *s, const struct batch_operation *op);
enum gpu_status selftest_order(struct context *s);
enum gpu_status selftest_euclid(struct context *s, const struct euclid_operation *op);

/* What every device is asked before it is used: sums, the check's residues, the shortest products.
 */
enum gpu_status selftest_all(struct context *s);

/* Before others of a context for small products alone: those column by column. */
enum gpu_status selftest_columns(struct context *s);

#endif
