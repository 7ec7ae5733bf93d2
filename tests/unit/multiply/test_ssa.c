/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products by Schoenhage-Strassen's transforms, in full and modulo B^n - 1 and B^n + 1 (B =
 * 2^64), and the plans of these transforms. Compares results with GMP's, on every backend that has
 * a device. */
#include "kernels/ssa/ssa.h"
#include "lib/job/limbs.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/ssa_shapes.h"

/* ---- products of numbers */

struct operands {
    struct ssa_plan plan;
    mp_limb_t *rp;
    const mp_limb_t *up, *vp;
    size_t un, vn, rn;
};

static enum gpu_status by_plan(struct context *s, void *operands) {
    const struct operands *o = operands;
    struct number u, v, r;
    enum gpu_status status = number_in_slot(s, SLOT_U, 2 * o->un, &u);
    status = status ? status : number_in_slot(s, SLOT_V, 2 * o->vn, &v);
    status = status ? status : number_in_slot(s, SLOT_R, 2 * o->rn, &r);
    status = status ? status : transfer_up(s->transfer, &s->queue, u.mem, 0, o->up, 8 * o->un);
    status = status ? status : transfer_up(s->transfer, &s->queue, v.mem, 0, o->vp, 8 * o->vn);
    int square = o->up == o->vp && o->un == o->vn;
    status = status ? status : ssa_mul(s, &o->plan, r, u, square ? u : v);
    return status ? status : transfer_down(s->transfer, &s->queue, o->rp, r.mem, 0, 8 * o->rn);
}

/* Computes a full product of un and vn limbs by the plan's transforms. Swaps un and vn if
 * necessary, because GMP requires the longer operand first. */
static void check_full(struct ssa_plan plan, size_t un, size_t vn) {
    if (un < vn) {
        check_full(plan, vn, un);
        return;
    }
    struct operands o = {.plan = plan, .un = un, .vn = vn, .rn = un + vn};
    mp_limb_t *up = limbs(un), *vp = limbs(vn), *right = limbs(un + vn);
    testing_limbs(up, un);
    testing_limbs(vp, vn);
    o.rp = guarded(o.rn);
    o.up = up;
    o.vp = un == vn && testing_below(4) == 0 ? up : vp;
    mpn_mul(right, up, un, o.vp, vn);
    ck_assert_int_eq(session_run(by_plan, &o, sizeof o, 0), OUTCOME_DONE);
    for (size_t i = 0; i < o.rn; i++)
        ck_assert_msg(o.rp[i] == right[i], "2^%u by 2^%u: %zu by %zu limbs: limb %zu", plan.log_n,
                      plan.log_p, un, vn, i);
    check_guards(o.rp, o.rn);
    free(up), free(vp), free(right);
}

START_TEST(plans_to_the_brim) {
    if (!open_for_ssa(backends[_i]))
        return;
    for (int i = 0; i < shape_count; i++) {
        struct ssa_plan plan;
        ck_assert(ssa_plan_shape(&plan, shapes[i].log_n, shapes[i].log_p));
        size_t n = ssa_plan_fill(&plan) / 2, k = 1 + testing_below(n);
        check_full(plan, n, n);
        check_full(plan, 2 * n - k - 100, k);
        check_full(plan, n, 1 + testing_below(n));
    }
}
END_TEST

/* Multiplies operands with all bits set, which give the largest coefficients. */
START_TEST(largest_coefficients) {
    if (!open_for_ssa(backends[_i]))
        return;
    for (int i = 0; i < shape_count; i++) {
        struct operands o = {.rn = 0};
        ck_assert(ssa_plan_shape(&o.plan, shapes[i].log_n, shapes[i].log_p));
        size_t n = ssa_plan_fill(&o.plan) / 2;
        mp_limb_t *ones = limbs(n), *right = limbs(2 * n);
        memset(ones, 0xff, n * sizeof *ones);
        o.un = o.vn = n;
        o.rn = 2 * n;
        o.up = o.vp = ones;
        o.rp = limbs(2 * n);
        mpn_sqr(right, ones, n);
        ck_assert_int_eq(session_run(by_plan, &o, sizeof o, 0), OUTCOME_DONE);
        ck_assert(memcmp(right, o.rp, 2 * n * sizeof *right) == 0);
        free(ones), free(right), free(o.rp);
    }
}
END_TEST

/* Tests products by limbs_mul, the function that programs' calls use, of any size that it
 * supports. */
START_TEST(products) {
    if (!open_for_ssa(backends[_i]))
        return;
    for (int k = 0; k < 60; k++) {
        size_t un = SSA_MIN_WORDS / 2 + testing_size(40000),
               vn = k % 3 ? 128 + testing_below(un) : un;
        if (vn > un)
            vn = un;
        mp_limb_t *up = limbs(un), *vp = limbs(vn), *rp = guarded(un + vn), *right = limbs(un + vn);
        testing_limbs(up, un);
        testing_limbs(vp, vn);
        mpn_mul(right, up, un, vp, vn);
        ck_assert_int_eq(limbs_mul(rp, up, un, vp, vn), OUTCOME_DONE);
        ck_assert_msg(memcmp(rp, right, (un + vn) * sizeof *rp) == 0, "%zu by %zu limbs", un, vn);
        check_guards(rp, un + vn);
        free(up), free(vp), free(right);
    }
}
END_TEST

/* Checks a product of random operands modulo 2^(64 n) - 1 or, with `plus`, 2^(64 n) + 1. */
static void check_mulmod(size_t n, int plus) {
    mp_limb_t *up = limbs(n), *vp = limbs(n), *rp = guarded(n), *right = limbs(2 * n + 1), top = 0;
    testing_limbs(up, n);
    testing_limbs(vp, n);
    up[n - 1] |= 1, vp[n - 1] |= 1;
    mpn_mul_n(right, up, vp, n);
    mp_limb_t over =
        plus ? mpn_sub_n(right, right, right + n, n) : mpn_add_n(right, right, right + n, n);
    mp_limb_t high = mpn_add_1(right, right, n, over);
    enum outcome why = plus ? limbs_mulmod(LIMBS_MULMOD_BNP1, rp, n, up, n, vp, n, &top)
                            : limbs_mulmod(LIMBS_MULMOD_BNM1, rp, n, up, n, vp, n, &(mp_limb_t){0});
    ck_assert_int_eq(why, OUTCOME_DONE);
    ck_assert_msg(memcmp(rp, right, n * sizeof *rp) == 0, "%zu limbs, %d", n, plus);
    ck_assert_uint_eq(top, plus ? high : 0);
    check_guards(rp, n);
    free(up), free(vp), free(right);
}

START_TEST(in_rings) {
    static const size_t sizes[] = {128,  192,  384, 640,  1024,  3 << 9,  5 << 10,
                                   2048, 8192, 997, 1000, 15000, 1 << 15, 1 << 16};
    if (!open_for_ssa(backends[_i]))
        return;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int plus = 0; plus < 2; plus++)
            check_mulmod(sizes[i], plus);
}
END_TEST

/* Tests products modulo B^n - 1 or B^n + 1 (B = 2^64) by transforms that yield the reduced product.
 * A transform has 2^log_n coefficients of 2^log digits. */
static void check_wraparound(unsigned log_n, unsigned log, enum ssa_modulus ring) {
    struct operands o = {.rn = 0};
    size_t n = ((size_t)(12u << log) - 64) / 64 << log_n;
    ck_assert(ssa_plan_shape(&o.plan, log_n, log));
    if (!ssa_plan_wrap(&o.plan, 2 * n, ring))
        return;
    mp_limb_t *up = limbs(n), *vp = limbs(n);
    mpz_t u, v, r, m;
    mpz_inits(u, v, r, m, NULL);
    testing_limbs(up, n);
    testing_limbs(vp, n);
    o.un = o.vn = n;
    o.rn = (ssa_plan_mulmod_words(&o.plan) + 1) / 2;
    o.up = up, o.vp = vp;
    o.rp = limbs(o.rn);
    ck_assert_int_eq(session_run(by_plan, &o, sizeof o, 0), OUTCOME_DONE);
    mpz_import(u, n, -1, 8, 0, 0, up);
    mpz_import(v, n, -1, 8, 0, 0, vp);
    mpz_import(r, o.rn, -1, 8, 0, 0, o.rp);
    mpz_setbit(m, 64 * n);
    (ring == SSA_PLUS ? mpz_add_ui : mpz_sub_ui)(m, m, 1);
    mpz_mul(u, u, v);
    mpz_mod(u, u, m);
    mpz_mod(r, r, m);
    ck_assert_msg(mpz_cmp(u, r) == 0, "2^%u by 2^%u, ring %d", log_n, log, ring);
    mpz_clears(u, v, r, m, NULL);
    free(up), free(vp), free(o.rp);
}

START_TEST(wrapped) {
    if (!open_for_ssa(backends[_i]))
        return;
    for (int i = 0; i < shape_count; i++)
        for (enum ssa_modulus ring = SSA_MINUS; ring <= SSA_PLUS; ring++)
            check_wraparound(shapes[i].log_n, shapes[i].log_p, ring);
}
END_TEST

/* ---- plans */

/* Each size must have a plan whose coefficients are large enough for the product. */
START_TEST(plans_hold_products) {
    for (int k = 0; k < 100000; k++) {
        struct ssa_plan p;
        uint64_t un = SSA_MIN_WORDS + testing_size(1ul << 26),
                 vn = SSA_MIN_WORDS + testing_below(un - SSA_MIN_WORDS + 1);
        ck_assert(ssa_plan_init(&p, un, vn, UINT64_MAX, UINT64_MAX));
        uint64_t u = (32 * un + p.bits - 1) / p.bits, v = (32 * vn + p.bits - 1) / p.bits;
        ck_assert(u + v - 1 <= (uint64_t)1 << p.log_n);
        ck_assert(2 * p.bits + p.log_n < 24u << p.log_p);
        ck_assert(p.log_n <= p.log_p + 5);
        unsigned levels = 0;
        for (unsigned i = 0; i < p.passes; i++) {
            ck_assert(p.log_r[i] >= 3 && p.log_r[i] <= 5);
            ck_assert(p.log_r[i] + SSA_LOG_COLUMNS(p.log_r[i]) <= p.log_p + 1);
            levels += p.log_r[i];
        }
        ck_assert_uint_eq(levels, p.log_n);
    }
}
END_TEST

START_TEST(plans_know_their_limits) {
    struct ssa_plan p;
    const uint64_t most = (uint64_t)1 << 26; /* the words of an operand of 2^31 bits */
    ck_assert(!ssa_plan_init(&p, 1000, SSA_MIN_WORDS - 1, UINT64_MAX, UINT64_MAX));
    ck_assert(ssa_plan_init(&p, SSA_MIN_WORDS, SSA_MIN_WORDS, UINT64_MAX, UINT64_MAX));
    ck_assert(ssa_plan_init(&p, most, most, UINT64_MAX, UINT64_MAX));
    ck_assert(!ssa_plan_init(&p, 4 * most, 4 * most, UINT64_MAX, UINT64_MAX));
    ck_assert(!ssa_plan_init(&p, most, most, UINT64_MAX, ssa_plan_bytes(&p) - 1));
    ck_assert(!ssa_plan_init(&p, 1000, 1000, 1000, 1000));
    for (unsigned n = 0; n < 20; n++)
        for (unsigned log = 0; log < 16; log++)
            ck_assert_int_eq(ssa_plan_shape(&p, n, log),
                             n >= 4 && n <= 17 && log >= 8 && log <= 12 && n <= log + 5);
}
END_TEST

int main(void) {
    return run_on_backends("ssa",
                           TESTS(ONCE(plans_hold_products), ONCE(plans_know_their_limits),
                                 PER_DEVICE(plans_to_the_brim, 1),
                                 PER_DEVICE(largest_coefficients, 1), PER_DEVICE(products, 1),
                                 PER_DEVICE(in_rings, 1), PER_DEVICE(wrapped, 1)),
                           NULL);
}
