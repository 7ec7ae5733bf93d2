/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products by long transforms, by the kernels compiled as host C, compared with GMP's: each
 * program of a pass; operands that fill a transform, that are shorter, and that are cut into
 * pieces; products modulo B^n - 1 and B^n + 1. */
#include <string.h>

#include "kernels/ssa/ssa.h"
#include "lib/multiply/ntt.h"
#include "lib/multiply/ssa.h"
#include "tests/kernels/trials.h"
#include "tests/support/on_limbs.h"

struct product {
    struct ntt_plan ntt;
    struct ssa_plan ssa;
    int by_ssa;
    uint32_t *r;
    const uint32_t *u, *v;
    size_t un, vn;
};

static enum gpu_status multiply(struct context *s, void *product) {
    const struct product *p = product;
    struct number u = number_above(s, SLOT_U, p->u, p->un), v = u;
    if (p->v != p->u || p->vn != p->un)
        v = number_above(s, SLOT_V, p->v, p->vn);
    struct number r = number_above(s, SLOT_R, NULL, p->un + p->vn);
    ck_assert_int_eq(p->by_ssa ? ssa_mul(s, &p->ssa, r, u, v) : ntt_mul(s, &p->ntt, r, u, v), 0);
    number_down(s, p->r, r);
    return GPU_OK;
}

/* Multiplies random numbers of un and vn words, or squares one, and compares the product with
 * GMP's. */
static void compare(struct product p, size_t un, size_t vn, int is_square) {
    uint32_t *u = malloc(un * sizeof *u), *v = malloc(vn * sizeof *v);
    p.r = malloc((un + vn) * sizeof *p.r);
    testing_words(u, un);
    testing_words(v, vn);
    p.u = u;
    p.v = is_square ? u : v;
    p.un = un;
    p.vn = vn;
    with_device(multiply, &p);
    check_words(p.r, u, un, p.v, vn);
    free(u), free(v), free(p.r);
}

static struct product whole(struct ntt_length length) {
    return (struct product){.ntt = {.length = length, .parts = 1, .pieces = 1}};
}

static struct product by_ring(unsigned first, unsigned last) {
    return whole((struct ntt_length){1, {{first + last, 0, 2, {first, last}}}});
}

/* Tests products by one cyclic transform: the shortest first pass followed by each program of the
 * point-wise pass, and a longer first pass. */
START_TEST(one_ring) {
    const size_t n = 1 << 13;
    open_form(_i, ALGORITHM_AUTO);
    compare(by_ring(5, 8), n + 1, n - 1, 0);
    compare(by_ring(5, 8), 2 * n - 3, 3, 0);
    compare(by_ring(5, 8), n, n, 1);
    compare(by_ring(6, 8), n + 77, n - 1, 0);
    compare(by_ring(5, 12), 16 * n + 1, 16 * n - 1, 0);
}
END_TEST

/* Tests products by transforms of two lengths (rings). Operands longer than the shorter transform
 * are folded (reduced modulo its ring), once or several times. */
START_TEST(two_rings) {
    struct ntt_length l;
    open_form(_i, ALGORITHM_AUTO);
    for (unsigned below = 1; below <= 2; below++) {
        ck_assert(ntt_length_init(&l, NTT_MIN_LOG + below, below));
        size_t words = 2 * ntt_length_digits(&l);
        compare(whole(l), words / 2 + 5, words / 2 - 5, 0);
        if (below == 1)
            compare(whole(l), words - 1, 1, 0);
    }
    ck_assert(ntt_length_init(&l, NTT_MIN_LOG + 1, 1));
    compare(whole(l), 2777, 2777, 1);
}
END_TEST

/* Tests products of a long operand, which is cut into pieces, and a shorter one, which is cut
 * into parts.  Transforms of parts are kept for reuse while they fit into device memory. */
START_TEST(pieces_and_parts) {
    const size_t n = (size_t)1 << NTT_MIN_LOG;
    const uint64_t shortest = (uint64_t)NTT_DIGIT_RESIDUES << NTT_MIN_LOG;
    /* Each row has three numbers. The first operand has 3 n / 4 words times the first number. The
     * second operand has n / 2 words times the second number. The third number is how many
     * transforms fit into a buffer. n is the number of digits of the shortest transforms. */
    static const size_t sizes[][3] = {{3, 1, 1}, {5, 3, 2}, {7, 7, 3}};
    open_form(_i, ALGORITHM_AUTO);
    for (int k = 0; k < 3; k++) {
        struct product p = {.by_ssa = 0};
        struct ntt_device room = {20 * shortest, shortest * sizes[k][2], n, 1};
        size_t un = 3 * n / 4 * sizes[k][0] / 2 * 2 + 1, vn = n / 2 * sizes[k][1] - 1;
        ck_assert(ntt_plan_init(&p.ntt, (un + 1) / 2, (vn + 1) / 2, &room));
        compare(p, un, vn, 0);
    }
}
END_TEST

/* Tests products by ssa (lib/multiply/ssa.h), whose transforms multiply by shifts: passes with each
 * number of levels, coefficients of each length, full and short operands. */
START_TEST(by_shifts) {
    static const unsigned shapes[][2] = {{4, 8}, {5, 8},  {6, 8},  {7, 8}, {9, 8},
                                         {5, 9}, {4, 10}, {4, 11}, {4, 12}};
    open_form(_i, ALGORITHM_AUTO);
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct product p = {.by_ssa = 1};
        ck_assert(ssa_plan_shape(&p.ssa, shapes[i][0], shapes[i][1]));
        size_t n = ssa_plan_fill(&p.ssa);
        compare(p, n - i % 2, n, 0);
        compare(p, n, n, 1);
        if (i < 4)
            compare(p, 2 * n - 301, 300, 0);
    }
}
END_TEST

/* Computes a cyclic product by ssa (lib/multiply/ssa.h), whose result may be too large by a
 * multiple of the modulus. */
static enum gpu_status multiply_mulmod(struct context *s, void *product) {
    const struct product *p = product;
    struct number u = number_above(s, SLOT_U, p->u, p->un),
                  v = number_above(s, SLOT_V, p->v, p->vn);
    struct number r = number_above(s, SLOT_R, NULL, ssa_plan_mulmod_words(&p->ssa));
    ck_assert_int_eq(ssa_mul(s, &p->ssa, r, u, v), GPU_OK);
    number_down(s, p->r, r);
    return GPU_OK;
}

static void check_mulmod(const struct product *p, size_t rn) {
    mpz_t u, v, r, m;
    mpz_inits(u, v, r, m, NULL);
    mpz_import(u, p->un, -1, sizeof *p->u, 0, 0, p->u);
    mpz_import(v, p->vn, -1, sizeof *p->v, 0, 0, p->v);
    mpz_import(r, rn, -1, sizeof *p->r, 0, 0, p->r);
    mpz_setbit(m, 32 * p->un);
    (p->ssa.ring == SSA_PLUS ? mpz_add_ui : mpz_sub_ui)(m, m, 1);
    mpz_mul(u, u, v);
    ck_assert_msg(mpz_congruent_p(u, r, m), "2^%u, ring %d", p->ssa.log_n, (int)p->ssa.ring);
    mpz_clears(u, v, r, m, NULL);
}

START_TEST(by_shifts_in_rings) {
    open_form(_i, ALGORITHM_AUTO);
    for (int i = 0; i < 10; i++) {
        struct product p = {.by_ssa = 1};
        unsigned log_n = 4 + (unsigned)i / 2;
        size_t n = (size_t)2 * ((12u << 8) - 64) / 64 << log_n, rn;
        uint32_t *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
        ck_assert(ssa_plan_shape(&p.ssa, log_n, 8));
        ck_assert(ssa_plan_wrap(&p.ssa, n, i % 2 ? SSA_PLUS : SSA_MINUS));
        rn = ssa_plan_mulmod_words(&p.ssa);
        p.r = malloc(rn * sizeof *p.r);
        testing_words(u, n);
        testing_words(v, n);
        p.u = u, p.v = v, p.un = p.vn = n;
        with_device(multiply_mulmod, &p);
        check_mulmod(&p, rn);
        free(u), free(v), free(p.r);
    }
}
END_TEST

/* ---- products modulo B^n - 1 and B^n + 1 */

static void compare_mulmod(size_t n, size_t vn, enum partial kind) {
    mp_limb_t *up = limbs(n), *vp = limbs(n);
    testing_limbs(up, n);
    testing_limbs(vp, vn);
    up[n - 1] |= 1;
    vp[vn - 1] |= 1;
    partial_compare(kind, n, up, n, vp, vn);
    free(up), free(vp);
}

/* Tests products modulo B^n - 1 or B^n + 1.  Some are computed by a transform in which the product
 * wraps round, and the wrapped part is checked.  Other products are computed in full and then
 * reduced. */
START_TEST(in_rings) {
    open_form(_i, ALGORITHM_AUTO);
    compare_mulmod(1 << 13, 1 << 13, PLUS);
    compare_mulmod(1 << 14, (1 << 14) - 77, MINUS);
    compare_mulmod(5001, 5000, MINUS);
}
END_TEST

/* Tests products modulo B^n - 1 and B^n + 1 by ssa (lib/multiply/ssa.h): each of its kernel
 * programs runs, with weights or without. */
START_TEST(in_rings_by_shifts) {
    static const size_t sizes[] = {128, 3 << 9};
    open_form(_i, ALGORITHM_SSA);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (enum partial kind = MINUS; kind <= PLUS; kind++)
            compare_mulmod(sizes[i], sizes[i], kind);
}
END_TEST

/* Tests products by floating-point transforms: a full product, and a product whose rounding
 * errors are too large to be trusted.  Then products modulo B^n - 1 and B^n + 1, which wrap
 * round, with the check of the wrapped part. */
START_TEST(by_floating_point) {
    const size_t n = 1100;
    mp_limb_t *up = limbs(n), *right = limbs(2 * n), *rp = guarded(2 * n);
    open_form(_i, ALGORITHM_FFT);
    for (int hard = 0; hard < 2; hard++) {
        memset(up, 0x55, n * sizeof *up);
        if (!hard)
            testing_limbs(up, n);
        mpn_mul(right, up, n, up, n - 1);
        ck_assert_int_eq(limbs_mul(rp, up, n, up, n - 1), OUTCOME_DONE);
        ck_assert(memcmp(rp, right, (2 * n - 1) * sizeof *rp) == 0);
    }
    check_guards(rp, 2 * n);
    stats_begin();
    for (enum partial kind = MINUS; kind <= PLUS; kind++)
        compare_mulmod(1024, 1024, kind);
    ck_assert_uint_eq(stats_here()->recomputed, 0); /* no check of a right product fails */
    free(up), free(right);
}
END_TEST

void add_transforms(TCase *tests) {
    tcase_add_loop_test(tests, one_ring, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, two_rings, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, pieces_and_parts, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, by_shifts, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, by_shifts_in_rings, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, in_rings, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, in_rings_by_shifts, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, by_floating_point, 0, KERNEL_FORMS);
}
