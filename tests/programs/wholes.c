/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_wholes.sh.  Each of THREADS threads calls each named function, a
 * composite operation (one that consists of products), CALLS times.  It calls no other intercepted
 * function.
 * Usage: wholes THREADS CALLS LIMBS FUNCTION ... */
#include <pthread.h>

#include "tests/support/products.h"

enum { MOST = 16 };

static size_t limbs;
static unsigned long calls;
static char **names; /* names of functions, followed by NULL */

/* The operands of one thread: x has twice the limbs of y, and z is a multiple of y. */
struct numbers {
    mpz_t r, s, x, y, z, e;
    char *digits;
};

/* Sets x to n pseudorandom limbs. */
static void fill(mpz_t x, size_t n, mp_limb_t seed) {
    mp_limb_t *xp = mpz_limbs_write(x, (mp_size_t)n);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        xp[i] = seed ^ seed >> 32;
    }
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* X(function, statement) */
#define FUNCTIONS(X)                                                                               \
    X(mpz_tdiv_qr, mpz_tdiv_qr(k->r, k->s, k->x, k->y))                                            \
    X(mpz_cdiv_q, mpz_cdiv_q(k->r, k->x, k->y))                                                    \
    X(mpz_mod, mpz_mod(k->r, k->x, k->y))                                                          \
    X(mpz_divexact, mpz_divexact(k->r, k->z, k->y))                                                \
    X(mpz_powm, mpz_powm(k->r, k->x, k->e, k->y))                                                  \
    X(mpz_powm_ui, mpz_powm_ui(k->r, k->x, 0x1234, k->y))                                          \
    X(mpz_sqrtrem, mpz_sqrtrem(k->r, k->s, k->x))                                                  \
    X(mpz_root, mpz_root(k->r, k->x, 3))                                                           \
    X(mpz_gcd, mpz_gcd(k->r, k->x, k->y))                                                          \
    X(mpz_get_str, free(mpz_get_str(NULL, 10, k->x)))                                              \
    X(mpz_set_str, mpz_set_str(k->r, k->digits, 10))                                               \
    X(mpz_fac_ui, mpz_fac_ui(k->r, 5 * limbs))                                                     \
    X(mpz_bin_uiui, mpz_bin_uiui(k->r, 70 * limbs, 30 * limbs))                                    \
    X(mpz_fib_ui, mpz_fib_ui(k->r, 100 * limbs))

#define DEFINE(function, statement)                                                                \
    static void call_##function(struct numbers *k) {                                               \
        statement;                                                                                 \
    }
FUNCTIONS(DEFINE)

static const struct {
    const char *name;
    void (*call)(struct numbers *k);
} functions[] = {
#define ENTRY(function, statement) {#function, call_##function},
    FUNCTIONS(ENTRY)};

static void begin(struct numbers *k) {
    mpz_inits(k->r, k->s, k->x, k->y, k->z, k->e, NULL);
    fill(k->x, 2 * limbs, 1);
    fill(k->y, limbs, 2);
    mpz_mul_2exp(k->z, k->y, limbs * GMP_NUMB_BITS - 7);
    mpz_set_ui(k->e, 0x155);
    k->digits = malloc(19 * limbs + 1);
    for (size_t i = 0; i < 19 * limbs; i++)
        k->digits[i] = (char)('1' + i * i % 9);
    k->digits[19 * limbs] = 0;
}

static void end(struct numbers *k) {
    free(k->digits);
    mpz_clears(k->r, k->s, k->x, k->y, k->z, k->e, NULL);
}

static void call(const char *name, struct numbers *k) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            functions[i].call(k);
}

static void *work(void *unused) {
    struct numbers k;
    begin(&k);
    for (unsigned long n = 0; n < calls; n++)
        for (char **name = names; *name; name++)
            call(*name, &k);
    end(&k);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread[MOST];
    long threads = argc > 4 ? atol(argv[1]) : 0;
    if (threads < 1 || threads > MOST)
        return 2;
    calls = strtoul(argv[2], NULL, 10);
    limbs = strtoul(argv[3], NULL, 10);
    names = argv + 4;
    for (long i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            fail("no thread");
    for (long i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
