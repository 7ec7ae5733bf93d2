/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of kernels. A kernel is used only after it has passed its test on the current
 * device. Each function returns GPU_OK immediately if its kernels have passed before, and
 * GPU_FAILED if a result is wrong. It overwrites buffers of the context. */
#ifndef MPGPU_SELFTEST_H
#define MPGPU_SELFTEST_H

#include "lib/matrix/matrix.h"
#include "lib/modular/euclid.h"
#include "lib/multiply/batch.h"
#include "lib/multiply/fft_product_plan.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/multiply/small.h"
#include "lib/multiply/ssa_plan.h"

/* Test products and squares by the kernels of a plan. Use the shortest numbers for which these
 * kernels are used; selftest_small uses the longest of the plan. */
enum gpu_status selftest_ntt(struct context *s, const struct ntt_plan *plan);
enum gpu_status selftest_ssa(struct context *s, const struct ssa_plan *plan);
enum gpu_status selftest_fft(struct context *s, const struct fft_product_plan *plan);
enum gpu_status selftest_small(struct context *s, const struct small_plan *p);

/* Tests products modulo 2^k - 1 or 2^k + 1 by the transforms of one ring (polynomials modulo x^n -
 * 1 or x^n + 1). */
enum gpu_status selftest_mulmod(struct context *s, const struct ntt_ring *ring);

/* Tests a product and a square modulo 2^k - 1 or 2^k + 1 that transforms compute directly, with the
 * test key `key`. The caller sets wrapped->room and the plan. The right result is the whole
 * product, computed by kernels that are already tested, and then reduced. */
enum gpu_status selftest_ring(struct context *s, unsigned key, struct mulmod *wrapped);

/* Returns `status` if it is an error, or if the latest product by floating-point transforms is not
 * doubted (fft_product_is_doubted). Otherwise returns GPU_ABSENT, and the device uses
 * floating-point transforms no more. */
enum gpu_status selftest_trust(struct context *s, enum gpu_status status, size_t n);

/* Tests products of a number by one limb. */
enum gpu_status selftest_limb(struct context *s);

/* Tests quotients of a number by one word. */
enum gpu_status selftest_divide(struct context *s);

/* Tests kernels of composite operations: shifts, selections, and the check of equations by
 * residues. */
enum gpu_status selftest_window(struct context *s);

/* Tests the kernels that reduce numbers modulo 2^p - 1, and compare them with it. */
enum gpu_status selftest_mersenne(struct context *s);

/* selftest_halves tests whole products that are joined from products modulo 2^k - 1 and modulo 2^k
 * + 1. selftest_remainder tests remainders N - q d, for which q d is computed only modulo a number
 * 2^k - 1. */
enum gpu_status selftest_halves(struct context *s);
enum gpu_status selftest_remainder(struct context *s);

/* selftest_radix tests the kernels of radix conversions; selftest_tree tests the kernels of
 * remainder trees and binary splitting. */
enum gpu_status selftest_radix(struct context *s);
enum gpu_status selftest_tree(struct context *s);

/* Tests the kernels for products of polynomials. */
enum gpu_status selftest_poly(struct context *s);

/* Test modular batches of numbers of `words` words. selftest_modular: by Montgomery's method.
 * selftest_barrett: by Barrett's method, with the products that it uses. selftest_reciprocals: only
 * the quotients by which Barrett's method computes reciprocals of moduli. */
enum gpu_status selftest_modular(struct context *s, uint32_t words);
enum gpu_status selftest_barrett(struct context *s, uint32_t words);
enum gpu_status selftest_reciprocals(struct context *s, uint32_t words);

/* Test operations on batches. selftest_batch: products, sums and changes of length. selftest_order:
 * comparison and selection. selftest_euclid: gcds, inverses and quotients. */
enum gpu_status selftest_batch(struct context *s, const struct batch_operation *op);
enum gpu_status selftest_order(struct context *s);
enum gpu_status selftest_euclid(struct context *s, const struct euclid_operation *op);

/* Tests products of matrices by the kernels that compute *op. */
enum gpu_status selftest_matrix(struct context *s, const struct matrix_operation *op);

/* Tests the kernels for systems of linear equations. */
enum gpu_status selftest_system(struct context *s);

/* Runs the tests that each device must pass before it is used: of sums, of residues for the check,
 * and of the shortest products. */
enum gpu_status selftest_all(struct context *s);

/* Tests small products that are computed column by column. This is the first test of a context that
 * computes only small products. */
enum gpu_status selftest_columns(struct context *s);

#endif
