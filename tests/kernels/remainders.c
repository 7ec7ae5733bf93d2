/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests remainders that are computed by products modulo B^w - 1, by the kernels compiled as host C,
 * compared with GMP's. */
#include "lib/multiply/remainder.h"
#include "tests/kernels/trials.h"
#include "tests/support/halves.h"

/* The operands of remainder_make, which computes the lowest `words` words of a remainder N - q d
 * from N, q, d, and P = q d modulo B^w - 1.  N has n words, P has w words, q and d have
 * `factors` words. */
struct division {
    size_t n, w, factors, words;
    uint32_t *np, *pp, *qp, *dp, *rp;
};

static enum gpu_status make(struct context *s, void *division) {
    const struct division *x = division;
    struct number n = number_above(s, SLOT_U, x->np, x->n),
                  p = number_above(s, SLOT_V, x->pp, x->w),
                  q = number_above(s, SLOT_PART, x->qp, x->factors),
                  d = number_above(s, SLOT_KEPT, x->dp, x->factors),
                  r = number_above(s, SLOT_R, NULL, x->words);
    enum gpu_status status = remainder_make(s, r, n, p, q, d);
    if (status == GPU_OK)
        number_down(s, x->rp, r);
    return status;
}

static uint32_t *words_of(size_t n, const mpz_t x) {
    uint32_t *to = malloc(n * sizeof *to);
    halves_words(to, n, x);
    return to;
}

/* Computes the remainder r = n - q d from q and P = q d modulo B^w - 1 (B = 2^32), and compares r
 * with GMP's. If P is 0, passes either 0 or B^w - 1, at random; both are 0 modulo B^w - 1. */
static void compare(const mpz_t n, const mpz_t d, size_t words, size_t w, size_t all) {
    mpz_t q, r, p, m;
    mpz_inits(q, r, p, m, NULL);
    mpz_fdiv_qr(q, r, n, d);
    halves_modulus(m, w, false);
    mpz_mul(p, q, d);
    mpz_mod(p, p, m);
    if (mpz_sgn(p) == 0 && testing_below(2))
        mpz_set(p, m);
    size_t factors = all + 4;
    struct division x = {all,
                         w,
                         factors,
                         words,
                         words_of(all, n),
                         words_of(w, p),
                         words_of(factors, q),
                         words_of(factors, d),
                         malloc(words * sizeof(uint32_t))};
    uint32_t *right = words_of(words, r);
    with_device(make, &x);
    for (size_t i = 0; i < words; i++)
        ck_assert_msg(x.rp[i] == right[i], "word %zu of %zu: %08x, not %08x", i, words, x.rp[i],
                      right[i]);
    free(x.np), free(x.pp), free(x.qp), free(x.dp), free(x.rp), free(right);
    mpz_clears(q, r, p, m, NULL);
}

/* Compares the remainders for divisors of `words` words and numerators of `all` words, with bits
 * of each pattern (enum halves_shape).  Products are modulo B^w - 1. */
static void compare_shapes(size_t words, size_t w, size_t all) {
    mpz_t n, d;
    mpz_inits(n, d, NULL);
    for (int i = HALVES_ONES; i < HALVES_ALONE; i++)
        for (int j = 0; j < HALVES_SHAPES; j++) {
            halves_fill(d, words, (enum halves_shape)i, d);
            halves_fill(n, all, (enum halves_shape)j, d);
            if (mpz_sgn(d) > 0)
                compare(n, d, words, w, all);
        }
    mpz_clears(n, d, NULL);
}

START_TEST(shapes_of_remainders) {
    open_form(_i, ALGORITHM_AUTO);
    compare_shapes(8, 8, 12);
    compare_shapes(CARRY_CHUNK, CARRY_CHUNK, 2 * CARRY_CHUNK - 4);
    compare_shapes(CARRY_CHUNK + 4, 2 * CARRY_CHUNK, 3 * CARRY_CHUNK + 8);
}
END_TEST

START_TEST(random_remainders) {
    open_form(_i, ALGORITHM_AUTO);
    mpz_t n, d;
    mpz_inits(n, d, NULL);
    for (int k = 0; k < 100; k++) {
        size_t words = 4 * (1 + testing_below(CARRY_CHUNK)), w = words + 4 * testing_below(300),
               all = w + 4 * testing_below(w / 4);
        mpz_rrandomb(d, *testing_random(), 1 + testing_below(32 * words));
        mpz_rrandomb(n, *testing_random(), 1 + testing_below(32 * all));
        compare(n, d, words, w, all);
    }
    mpz_clears(n, d, NULL);
}
END_TEST

void add_remainders(TCase *tests) {
    tcase_add_loop_test(tests, shapes_of_remainders, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, random_remainders, 0, KERNEL_FORMS);
}
