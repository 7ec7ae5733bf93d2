/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Transforms modulo B^P + 1 and products by them, on every backend that has a device, beside
 * GMP's arithmetic; digits driven to their bounds.  */
#include "backends.h"
#include "kernels/ssa.h"
#include "kernels/ssa_shift.h"
#include "lib/conf.h"
#include "lib/log.h"
#include "lib/mul.h"
#include "lib/ssa.h"
#include "lib/transfer.h"
#include <string.h>

/* 0 where this was tested before: the kernels are the same for CPUs and GPUs. */
static int open_for_ssa(struct test_backend backend) {
    char conf[96];
    if (backend.kernels_of_gpus)
        return 0;
    snprintf(conf, sizeof conf, "backend:%s,open:wait,log:%lu,watchdog:0,algorithm:ssa",
             backend.name, testing_option("MPGPU_TEST_LOG", 1) % 10);
    setenv("MPGPU_CONF", conf, 1);
    session_init();
    return 1;
}

/* ---- arithmetic modulo M = B^P + 1 on the host */

static mpz_t modulus;
static unsigned log_p;

static void set_modulus(unsigned log) {
    mpz_init(modulus);
    log_p = log;
    mpz_setbit(modulus, DIGIT_BITS << log);
    mpz_add_ui(modulus, modulus, 1);
}

static void reduce(mpz_t x) {
    mpz_mod(x, x, modulus);
}

/* x times the root of two to the power `half_bits`, modulo M. */
static void turn(mpz_t x, unsigned long half_bits) {
    unsigned long quarter = (6ul << log_p);
    mpz_mul_2exp(x, x, half_bits / 2 % (48ul << log_p));
    reduce(x);
    if (half_bits % 2) {
        mpz_t y;
        mpz_init(y);
        mpz_mul_2exp(y, x, 3 * quarter);
        mpz_mul_2exp(x, x, quarter);
        mpz_sub(x, y, x);
        reduce(x);
        mpz_clear(y);
    }
}

/* The value of P digits. */
static void value(mpz_t x, const int32_t *digits) {
    mpz_set_ui(x, 0);
    for (unsigned i = 1u << log_p; i-- > 0;) {
        mpz_mul_2exp(x, x, DIGIT_BITS);
        if (digits[i] >= 0)
            mpz_add_ui(x, x, (unsigned long)digits[i]);
        else
            mpz_sub_ui(x, x, (unsigned long)-(long)digits[i]);
    }
    reduce(x);
}

/* ---- digits on the host */

/* Digits up to `most`: random, or all at a bound, or at both in turns. */
static void random_digits(int32_t *x, size_t count, int64_t most) {
    const int32_t m = (int32_t)most;
    unsigned kind = (unsigned)testing_below(5);
    uint64_t random = testing_below(~0ul);
    for (size_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int32_t any = (int32_t)((random >> 32) % (2 * (uint64_t)most + 1)) - m;
        x[i] = kind == 0   ? m
               : kind == 1 ? -m
               : kind == 2 ? (i % 2 ? m : -m)
               : kind == 3 ? (random >> 60 ? (random >> 40 & 1 ? m : 0) : -m)
                           : any;
    }
}

/* Every shift, of digits at their bound and of such whose remainder is half of B. */
START_TEST(shifts) {
    const size_t p = (size_t)1 << SSA_MIN_LOG_P;
    int32_t *x = malloc(p * sizeof *x), *y = malloc(p * sizeof *y);
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    set_modulus(SSA_MIN_LOG_P);
    for (unsigned h = 0; h < SSA_ORDER(SSA_MIN_LOG_P); h += 1 + (unsigned)testing_below(5)) {
        random_digits(x, p, SSA_LOADED);
        for (size_t i = 0; h % 3 == 0 && i < p; i++)
            x[i] &= -(1 << 12);
        for (size_t i = 0; i < p; i++) {
            y[i] = stored_shifted(x, (uint32_t)i, shift_of(h), SSA_MIN_LOG_P,
                                  SHIFTS_OF(h % 48 == 0 ? 4 : h % 2 == 0));
            ck_assert(y[i] <= SSA_SETTLED && y[i] >= -SSA_SETTLED);
        }
        value(u, x);
        turn(u, h);
        value(v, y);
        ck_assert_msg(mpz_cmp(u, v) == 0, "exponent %u", h);
    }
    mpz_clears(u, v, modulus, NULL);
    free(x), free(y);
}
END_TEST

/* ---- digits on the device */

enum work { FORWARD, AND_BACK, MULTIPLY, SQUARE };

struct digits {
    enum work work;
    struct ssa_plan plan;
    int32_t *x;
    const int32_t *y;
};

static int work_on_digits(struct session *s, void *digits) {
    const struct digits *d = digits;
    const size_t bytes = ssa_plan_bytes(&d->plan);
    gpu_mem x, y;
    int status = session_buffer(s, SLOT_WORK, bytes, &x);
    status = status ? status : session_buffer(s, SLOT_KEPT, bytes, &y);
    status = status ? status : transfer_up(s->transfer, &s->queue, x, 0, d->x, bytes);
    if (status == GPU_OK && d->work == MULTIPLY)
        status = transfer_up(s->transfer, &s->queue, y, 0, d->y, bytes);
    if (status == GPU_OK && d->work >= MULTIPLY)
        status = ssa_multiply(s, &d->plan, x, d->work == SQUARE ? x : y);
    else if (status == GPU_OK)
        status = ssa_transform(s, &d->plan, &x, &y, 0);
    if (status == GPU_OK && d->work == AND_BACK)
        status = ssa_transform(s, &d->plan, &x, &y, 1);
    return status ? status : transfer_down(s->transfer, &s->queue, d->x, x, 0, bytes);
}

static int32_t *new_digits(const struct ssa_plan *plan) {
    const size_t count = ssa_plan_bytes(plan) / sizeof(int32_t);
    int32_t *x = malloc(count * sizeof *x);
    ck_assert_ptr_nonnull(x);
    random_digits(x, count, SSA_LOADED);
    return x;
}

static void bounded(const int32_t *x, const struct ssa_plan *plan, int64_t most) {
    for (size_t i = 0; i < ssa_plan_bytes(plan) / sizeof *x; i++)
        ck_assert_msg(x[i] <= most && x[i] >= -most, "digit %zu is %d", i, x[i]);
}

/* ---- transforms */

/* Where a transform leaves the value at power k of the root. */
static unsigned long place_of(const struct ssa_plan *plan, unsigned long k) {
    unsigned long place = 0;
    for (unsigned i = 0; i < plan->passes; i++) {
        unsigned r = plan->log_r[i];
        place = place << r | (k & ((1ul << r) - 1));
        k >>= r;
    }
    return place;
}

/* Values at a few powers of the root, by their definition. */
static void check_values(const struct ssa_plan *plan, const int32_t *x, const int32_t *y) {
    const unsigned long n = 1ul << plan->log_n, p = 1ul << plan->log_p;
    mpz_t sum, term;
    mpz_inits(sum, term, NULL);
    for (int t = 0; t < 2; t++) {
        unsigned long k = t == 0 ? n - 1 : testing_below(n);
        mpz_set_ui(sum, 0);
        for (unsigned long i = 0; i < n; i++) {
            value(term, x + i * p);
            turn(term, (96ul << log_p) / n * (i * k % n));
            mpz_add(sum, sum, term);
        }
        reduce(sum);
        value(term, y + place_of(plan, k) * p);
        ck_assert_msg(mpz_cmp(sum, term) == 0, "2^%u by 2^%u: power %lu", plan->log_n, plan->log_p,
                      k);
    }
    mpz_clears(sum, term, NULL);
}

/* There and back are N times the value. */
static void check_return(const struct ssa_plan *plan, const int32_t *x, const int32_t *y) {
    const size_t p = (size_t)1 << plan->log_p;
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    for (size_t i = 0; i < (size_t)1 << plan->log_n; i++) {
        value(u, x + i * p);
        value(v, y + i * p);
        mpz_mul_2exp(u, u, plan->log_n);
        reduce(u);
        ck_assert_msg(mpz_cmp(u, v) == 0, "2^%u by 2^%u: coefficient %zu", plan->log_n, plan->log_p,
                      i);
    }
    mpz_clears(u, v, NULL);
}

static const struct {
    unsigned log_n, log_p;
} shapes[] = {{4, 8},  {5, 8},  {6, 8},  {7, 8},  {8, 8},  {9, 8}, {10, 8},
              {11, 8}, {12, 8}, {13, 8}, {6, 12}, {4, 11}, {5, 9}, {8, 10}};
static const int shape_count = sizeof shapes / sizeof *shapes;

static void check_transform(unsigned log_n, unsigned log) {
    struct digits d = {.work = FORWARD};
    ck_assert(ssa_plan_shape(&d.plan, log_n, log));
    set_modulus(log);
    for (int turns = 0; turns < 2; turns++) {
        int32_t *x = new_digits(&d.plan);
        size_t bytes = ssa_plan_bytes(&d.plan);
        d.x = malloc(bytes);
        memcpy(d.x, x, bytes);
        d.work = turns ? AND_BACK : FORWARD;
        ck_assert_int_eq(session_run(work_on_digits, &d, sizeof d, 0), WHY_DONE);
        bounded(d.x, &d.plan, SSA_LOADED);
        if (turns)
            check_return(&d.plan, x, d.x);
        else
            check_values(&d.plan, x, d.x);
        free(d.x);
        free(x);
    }
    mpz_clear(modulus);
}

START_TEST(transforms) {
    if (!open_for_ssa(backends[_i]))
        return;
    for (int i = 0; i < shape_count; i++)
        check_transform(shapes[i].log_n, shapes[i].log_p);
}
END_TEST

/* ---- products of coefficients */

START_TEST(products_of_coefficients) {
    unsigned log = SSA_MIN_LOG_P + (unsigned)_i % (SSA_MAX_LOG_P - SSA_MIN_LOG_P + 1);
    if (!open_for_ssa(backends[_i / (SSA_MAX_LOG_P - SSA_MIN_LOG_P + 1)]))
        return;
    set_modulus(log);
    for (int k = 0; k < 8; k++) {
        struct digits d = {.work = k % 2 ? SQUARE : MULTIPLY};
        ck_assert(ssa_plan_shape(&d.plan, SSA_MIN_LOG_N, log));
        int32_t *x = new_digits(&d.plan), *y = new_digits(&d.plan);
        size_t p = (size_t)1 << log;
        mpz_t u, v;
        mpz_inits(u, v, NULL);
        d.x = malloc(ssa_plan_bytes(&d.plan));
        memcpy(d.x, x, ssa_plan_bytes(&d.plan));
        d.y = y;
        ck_assert_int_eq(session_run(work_on_digits, &d, sizeof d, 0), WHY_DONE);
        bounded(d.x, &d.plan, DIGIT_BASE + (1 << 11) + 1);
        for (size_t i = 0; i < (size_t)1 << d.plan.log_n; i++) {
            value(u, x + i * p);
            value(v, (d.work == SQUARE ? x : y) + i * p);
            mpz_mul(u, u, v);
            reduce(u);
            value(v, d.x + i * p);
            ck_assert_msg(mpz_cmp(u, v) == 0, "2^%u digits: product %zu", log, i);
        }
        mpz_clears(u, v, NULL);
        free(d.x), free(x), free(y);
    }
    mpz_clear(modulus);
}
END_TEST

/* ---- products of numbers */

struct operands {
    struct ssa_plan plan;
    mp_limb_t *rp;
    const mp_limb_t *up, *vp;
    size_t un, vn, rn;
};

static int by_plan(struct session *s, void *operands) {
    const struct operands *o = operands;
    struct number u, v, r;
    int status = number_in_slot(s, SLOT_U, 2 * o->un, &u);
    status = status ? status : number_in_slot(s, SLOT_V, 2 * o->vn, &v);
    status = status ? status : number_in_slot(s, SLOT_R, 2 * o->rn, &r);
    status = status ? status : transfer_up(s->transfer, &s->queue, u.mem, 0, o->up, 8 * o->un);
    status = status ? status : transfer_up(s->transfer, &s->queue, v.mem, 0, o->vp, 8 * o->vn);
    int square = o->up == o->vp && o->un == o->vn;
    status = status ? status : ssa_mul(s, &o->plan, r, u, square ? u : v);
    return status ? status : transfer_down(s->transfer, &s->queue, o->rp, r.mem, 0, 8 * o->rn);
}

/* A product in full of operands that fill the plan. */
static void check_full(struct ssa_plan plan, size_t un, size_t vn) {
    struct operands o = {.plan = plan, .un = un, .vn = vn, .rn = un + vn};
    mp_limb_t *up = limbs(un), *vp = limbs(vn), *right = limbs(un + vn);
    testing_limbs(up, un);
    testing_limbs(vp, vn);
    o.rp = guarded(o.rn);
    o.up = up;
    o.vp = un == vn && testing_below(4) == 0 ? up : vp;
    mpn_mul(right, up, un, o.vp, vn);
    ck_assert_int_eq(session_run(by_plan, &o, sizeof o, 0), WHY_DONE);
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

/* All ones: the largest coefficients. */
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
        ck_assert_int_eq(session_run(by_plan, &o, sizeof o, 0), WHY_DONE);
        ck_assert(memcmp(right, o.rp, 2 * n * sizeof *right) == 0);
        free(ones), free(right), free(o.rp);
    }
}
END_TEST

/* As programs call it: any size that is served. */
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
        ck_assert_int_eq(mpgpu_mul(rp, up, un, vp, vn), WHY_DONE);
        ck_assert_msg(memcmp(rp, right, (un + vn) * sizeof *rp) == 0, "%zu by %zu limbs", un, vn);
        check_guards(rp, un + vn);
        free(up), free(vp), free(right);
    }
}
END_TEST

/* Modulo 2^(64 n) -+ 1, of random operands, of all ones, of 2^(64 n) - 1 alone. */
static void check_in_ring(size_t n, int plus) {
    mp_limb_t *up = limbs(n), *vp = limbs(n), *rp = guarded(n), *right = limbs(2 * n + 1), top = 0;
    testing_limbs(up, n);
    testing_limbs(vp, n);
    up[n - 1] |= 1, vp[n - 1] |= 1;
    mpn_mul_n(right, up, vp, n);
    mp_limb_t over =
        plus ? mpn_sub_n(right, right, right + n, n) : mpn_add_n(right, right, right + n, n);
    mp_limb_t high = mpn_add_1(right, right, n, over);
    enum mpgpu_why why =
        plus ? mpgpu_mul_plus(rp, n, up, n, vp, n, &top) : mpgpu_mul_minus(rp, n, up, n, vp, n);
    ck_assert_int_eq(why, WHY_DONE);
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
            check_in_ring(sizes[i], plus);
}
END_TEST

/* Each shape in its rings. */
static void check_wrapped(unsigned log_n, unsigned log, enum ssa_ring ring) {
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
    o.rn = (ssa_plan_ring_room(&o.plan) + 1) / 2;
    o.up = up, o.vp = vp;
    o.rp = limbs(o.rn);
    ck_assert_int_eq(session_run(by_plan, &o, sizeof o, 0), WHY_DONE);
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
        for (enum ssa_ring ring = SSA_MINUS; ring <= SSA_PLUS; ring++)
            check_wrapped(shapes[i].log_n, shapes[i].log_p, ring);
}
END_TEST

/* ---- plans */

/* Every size has a plan whose coefficients hold the product. */
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
    const uint64_t most = (uint64_t)1 << 26; /* words of 2^31 bits */
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

static void add_tests(TCase *tests) {
    const int sizes = SSA_MAX_LOG_P - SSA_MIN_LOG_P + 1;
    tcase_add_test(tests, shifts);
    tcase_add_test(tests, plans_hold_products);
    tcase_add_test(tests, plans_know_their_limits);
    tcase_add_loop_test(tests, transforms, 0, backend_count);
    tcase_add_loop_test(tests, products_of_coefficients, 0, backend_count * sizes);
    tcase_add_loop_test(tests, plans_to_the_brim, 0, backend_count);
    tcase_add_loop_test(tests, largest_coefficients, 0, backend_count);
    tcase_add_loop_test(tests, products, 0, backend_count);
    tcase_add_loop_test(tests, in_rings, 0, backend_count);
    tcase_add_loop_test(tests, wrapped, 0, backend_count);
}

int main(void) {
    return run_on_backends("ssa", add_tests, NULL);
}
