/* SPDX-License-Identifier: LGPL-3.0-or-later
 * kernels/modular/ as GPUs of NVIDIA have it, by teams of a warp with carry flags and shuffles,
 * emulated on the host (tests/unit/modular/warp.h), beside GMP. */
#include <string.h>

#include "kernels/modular/modular.h"
#include "lib/modular/modular.h"
#include "tests/support/testing.h"
#include "tests/unit/modular/lanes.h"

static const struct lanes_program *const programs[] = {&lanes_8, &lanes_16, &lanes_32, &lanes_64,
                                                       &lanes_256};
enum { PROGRAMS = sizeof programs / sizeof *programs, COUNT = 5, MOST = MODULAR_MOST_WORDS / 2 };

static mp_limb_t u[2 * COUNT * MOST], v[COUNT * MOST], m[COUNT * MOST], r[COUNT * MOST],
    known[COUNT * (2 * MOST + 1)], kinds[COUNT], tables[32 * 8 * MOST * 2];

static void fill(mp_limb_t *xp, size_t n) {
    for (size_t i = 0; i < COUNT; i++)
        testing_limbs(xp + i * n, n);
}

static struct lanes_launch launch_of(uint32_t words) {
    size_t n = words / 2;
    fill(u, n);
    fill(v, n);
    fill(m, n);
    for (size_t i = 0; i < COUNT; i++)
        m[i * n] |= 1;
    if (testing_below(2)) {
        memset(m, 0, n * sizeof *m);
        m[0] = 1;
        memset(m + n, -1, n * sizeof *m);
    }
    return (struct lanes_launch){.r = (uint32_t *)r,
                                 .known = (uint32_t *)known,
                                 .kinds = (uint32_t *)kinds,
                                 .tables = (uint32_t *)tables,
                                 .u = (uint32_t *)u,
                                 .v = (uint32_t *)v,
                                 .m = (uint32_t *)m,
                                 .count = COUNT,
                                 .words = words,
                                 .u_words = words,
                                 .rows = modular_rows(words),
                                 .slots = 32};
}

static void expect(size_t i, size_t n, const mp_limb_t *rp, mpz_srcptr right, const char *what) {
    mpz_t got;
    mpz_roinit_n(got, rp, (mp_size_t)n);
    if (mpz_cmp(got, right) != 0)
        gmp_fprintf(stderr, "got %Zx\nnot %Zx\n", got, right);
    ck_assert_msg(mpz_cmp(got, right) == 0, "%s: number %zu of %zu limbs", what, i, n);
}

static void expect_known(const struct lanes_launch *l) {
    size_t n = l->words / 2;
    mpz_t x, w;
    mpz_init(x);
    for (size_t i = 0; i < COUNT; i++) {
        mpz_roinit_n(w, m + i * n, (mp_size_t)n);
        for (unsigned square = 0; square < 2; square++) {
            mpz_set_ui(x, 1);
            mpz_mul_2exp(x, x, (mp_bitcnt_t)32 * l->rows << square);
            mpz_mod(x, x, w);
            expect(i, n, known + i * (2 * n + 1) + (square ? 0 : n), x, "known");
        }
        ck_assert_uint_eq(kinds[i], MODULAR_IS_ODD);
        ck_assert_uint_eq((uint32_t)(known[i * (2 * n + 1) + 2 * n] * m[i * n] + 1), 0);
    }
    mpz_clear(x);
}

static void expect_arithmetic(const struct lanes_launch *l, size_t i) {
    size_t n = l->words / 2;
    mpz_t x, a, b, w;
    mpz_init(x);
    mpz_roinit_n(a, u + i * l->u_words / 2, l->u_words / 2);
    mpz_roinit_n(b, v + i * n, (mp_size_t)n);
    mpz_roinit_n(w, m + i * n, (mp_size_t)n);
    if (l->kind == MODULAR_ADD)
        mpz_add(x, a, b);
    else if (l->kind == MODULAR_SUB)
        mpz_sub(x, a, b);
    else if (l->kind == MODULAR_MUL)
        mpz_mul(x, a, b);
    else
        mpz_set(x, a);
    mpz_mod(x, x, w);
    expect(i, n, r + i * n, x, "arithmetic");
    mpz_clear(x);
}

static void compare_arithmetic(const struct lanes_program *p, struct lanes_launch *l) {
    for (l->kind = MODULAR_REDUCE; l->kind <= MODULAR_MUL; l->kind++) {
        if (l->kind == MODULAR_REDUCE) {
            l->u_words *= 2;
            fill(u, l->words);
        }
        p->arithmetic(l);
        for (size_t i = 0; i < COUNT; i++)
            expect_arithmetic(l, i);
        if (l->kind == MODULAR_REDUCE) {
            l->u_words = l->words;
            fill(u, l->words / 2);
        }
    }
}

static void compare_powers(const struct lanes_program *p, struct lanes_launch *l) {
    size_t n = l->words / 2;
    mpz_t x, a, b, w;
    mpz_init(x);
    l->exponent_words = 2;
    l->window = 3;
    v[0] = testing_below(3);
    p->power(l);
    for (size_t i = 0; i < COUNT; i++) {
        mpz_roinit_n(a, u + i * n, (mp_size_t)n);
        mpz_roinit_n(b, v + i, 1);
        mpz_roinit_n(w, m + i * n, (mp_size_t)n);
        mpz_powm(x, a, b, w);
        expect(i, n, r + i * n, x, l->is_secret ? "secret power" : "power");
    }
    mpz_clear(x);
}

static void compare(const struct lanes_program *p, uint32_t words) {
    struct lanes_launch l = launch_of(words);
    p->prepare(&l);
    expect_known(&l);
    compare_arithmetic(p, &l);
    for (l.is_secret = 0; l.is_secret < 2 && words <= 64; l.is_secret++)
        compare_powers(p, &l);
}

START_TEST(every_length) {
    const struct lanes_program *p = programs[_i];
    uint32_t least = p->words == MODULAR_LEAST_WORDS ? 2 : p->words / 2 + 2;
    for (int turn = 0; turn < (p->words <= 64 ? 3 : 1); turn++) {
        compare(p, p->words);
        compare(p, least);
        compare(p, least + 2 * (uint32_t)testing_below((p->words - least) / 2));
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("modular lanes");
    TCase *tests = tcase_create("emulated");
    tcase_set_timeout(tests, 120);
    testing_random();
    tcase_add_loop_test(tests, every_length, 0, PROGRAMS);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
