/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests numbers (include/mpgpu.h) on a device that fails: no value may be lost, and every result
 * must be GMP's. A session opens a device, computes with numbers and closes it. In each session one
 * backend call fails, several fail, one never returns, or one launch leaves a wrong word. */
#include "tests/unit/fault/fault_sweep.h"

enum { BITS = 700, NUMBERS = 8, MERSENNE = 8209 };

static mpz_t u, v, m, w, mersenne, right[NUMBERS];

/* Computes the expected values of the numbers in `operate` by GMP. */
static void prepare(void) {
    pattern(u, 3, BITS);
    pattern(v, 5, BITS);
    pattern(m, 7, BITS / 2);
    pattern(w, 9, MERSENNE - 64);
    mpz_init_set_ui(mersenne, 1);
    mpz_mul_2exp(mersenne, mersenne, MERSENNE);
    real.mpz_sub_ui(mersenne, mersenne, 1);
    for (int i = 0; i < NUMBERS; i++)
        mpz_init(right[i]);
    real.mpz_mul(right[0], u, u);
    real.mpz_mod(right[0], right[0], m);
    real.mpz_mul(right[1], right[0], v);
    real.mpz_sub(right[2], right[0], right[1]);
    real.mpz_tdiv_qr(right[3], right[4], right[1], u);
    real.mpz_mul(right[5], right[0], right[4]);
    real.mpz_mod(right[5], right[5], m);
    real.mpz_add(right[6], right[5], right[3]);
    mpz_set_ui(right[7], 4);
    real.mpz_powm(right[7], w, right[7], mersenne);
}

static void expect(mpgpu_number *const *x, int i) {
    mpz_t got;
    mpz_init(got);
    ck_assert_int_eq(mpgpu_number_get_mpz(got, x[i]), 0);
    ck_assert_msg(mpz_cmp(got, right[i]) == 0, "number %d: wrong: %s", i, plan_text());
    mpz_clear(got);
}

/* Computes with numbers in two runs. The second run uses results of the first, which are still on
 * the device. */
static void operate(mpgpu_number *const *x, mpgpu_number *a, mpgpu_number *b, mpgpu_modulus *by,
                    mpgpu_modulus *by_mersenne) {
    must(mpgpu_modulus_sqr(x[0], a, by));
    must(mpgpu_number_mul(x[1], x[0], b));
    must(mpgpu_number_sub(x[2], x[0], x[1]));
    must(mpgpu_number_tdiv_qr(x[3], x[4], x[1], a));
    for (int i = 0; i < 5; i++)
        expect(x, i);
    must(mpgpu_modulus_sqr(x[7], x[7], by_mersenne));
    must(mpgpu_modulus_sqr(x[7], x[7], by_mersenne));
    must(mpgpu_modulus_mul(x[5], x[0], x[4], by));
    must(mpgpu_number_add(x[6], x[5], x[3]));
    for (int i = 0; i < NUMBERS; i++)
        expect(x, i);
}

static void compute(void) {
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *a = mpgpu_number_create(queue), *b = mpgpu_number_create(queue), *x[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        x[i] = mpgpu_number_create(queue);
    must(mpgpu_number_set_mpz(a, u));
    must(mpgpu_number_set_mpz(b, v));
    must(mpgpu_number_set_mpz(x[0], m));
    mpgpu_modulus *by = mpgpu_modulus_create(x[0]);
    ck_assert_ptr_nonnull(by);
    must(mpgpu_number_set_mpz(x[0], mersenne));
    mpgpu_modulus *by_mersenne = mpgpu_modulus_create(x[0]);
    ck_assert_ptr_nonnull(by_mersenne);
    must(mpgpu_number_set_mpz(x[7], w));
    operate(x, a, b, by, by_mersenne);
    mpgpu_modulus_destroy(by);
    mpgpu_modulus_destroy(by_mersenne);
    mpgpu_number_destroy(a);
    mpgpu_number_destroy(b);
    for (int i = 0; i < NUMBERS; i++)
        mpgpu_number_destroy(x[i]);
    mpgpu_queue_destroy(queue);
}

static const struct sweep sweep = {.name = "number_fault",
                                   .options = "open:wait,mul:1,sqr:1,add:never,algorithm:fft",
                                   .prepare = prepare,
                                   .compute = compute,
                                   .sent = 2};

int main(void) {
    return run_sweep();
}
