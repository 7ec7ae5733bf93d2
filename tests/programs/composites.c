/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_stats.sh.  Calls each named function, a composite operation (one
 * that consists of products), once in a separate thread.  It calls no other intercepted function.
 * Usage: composites LIMBS FUNCTION ... */
#include <pthread.h>

#include "tests/support/products.h"

enum { MOST = 8 };

static size_t limbs;

/* Sets x to n pseudorandom limbs. */
static void fill(mpz_t x, size_t n, mp_limb_t seed) {
    mp_limb_t *xp = mpz_limbs_write(x, (mp_size_t)n);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        xp[i] = seed ^ seed >> 32;
    }
    mpz_limbs_finish(x, (mp_size_t)n);
}

static void gcdext(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    mpz_gcdext(r, s, t, x, y);
}

static void divexact(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)s, (void)t;
    mpz_setbit(y, 0);
    mpz_divexact(r, x, y); /* the division is not exact, so the result is arbitrary */
}

static void lcm(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)s, (void)t;
    mpz_lcm(r, x, y);
}

static void square_root(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)t, (void)y;
    mpz_sqrtrem(r, s, x);
}

static void root(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)t, (void)y;
    mpz_rootrem(r, s, x, 5);
}

static void powm(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)s, (void)t;
    mpz_powm_ui(r, x, 1000003, y);
}

static void text(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)r, (void)s, (void)t, (void)y;
    free(mpz_get_str(NULL, 10, x));
}

/* Stores unused results: gmp.h declares some functions as pure, so a compiler could drop their
 * calls. */
static _Thread_local volatile int returned;

static void jacobi(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)r, (void)s, (void)t;
    mpz_setbit(y, 0);
    returned = mpz_jacobi(x, y);
}

static void divisible(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)r, (void)s, (void)t;
    mpz_setbit(y, 0);
    returned = mpz_divisible_p(x, y);
}

static void congruent(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    (void)s, (void)t;
    mpz_setbit(y, 0);
    returned = mpz_congruent_p(x, r, y);
}

/* Calls mpn_perfect_square_p on (2^bits + 1)^2. */
static void square(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y) {
    mp_bitcnt_t bits = mpz_size(x) / 2 * GMP_NUMB_BITS;
    (void)s, (void)t, (void)y;
    mpz_setbit(r, 2 * bits);
    mpz_setbit(r, bits + 1);
    mpz_setbit(r, 0);
    returned = mpn_perfect_square_p(mpz_limbs_read(r), (mp_size_t)mpz_size(r));
}

static const struct {
    const char *name;
    void (*call)(mpz_t r, mpz_t s, mpz_t t, mpz_t x, mpz_t y);
} functions[] = {
    {"mpz_gcdext", gcdext},         {"mpz_divexact", divexact},      {"mpz_lcm", lcm},
    {"mpz_sqrtrem", square_root},   {"mpz_rootrem", root},           {"mpz_powm_ui", powm},
    {"mpz_get_str", text},          {"mpz_jacobi", jacobi},          {"mpz_divisible_p", divisible},
    {"mpz_congruent_p", congruent}, {"mpn_perfect_square_p", square}};

static void *work(void *name) {
    mpz_t r, s, t, x, y;
    mpz_inits(r, s, t, x, y, NULL);
    fill(x, limbs, 1);
    fill(y, limbs - limbs / 3, 2);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            functions[i].call(r, s, t, x, y);
    mpz_clears(r, s, t, x, y, NULL);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread[MOST];
    limbs = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (limbs < 3 || argc - 2 > MOST)
        return 2;
    for (int i = 2; i < argc; i++)
        if (pthread_create(&thread[i - 2], NULL, work, argv[i]) != 0)
            fail("no thread");
    for (int i = 2; i < argc; i++)
        pthread_join(thread[i - 2], NULL);
    return 0;
}
