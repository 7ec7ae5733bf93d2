/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program, timed: what mpgpu-serve is for.
 * Usage: serve first BITS: milliseconds of the first product of BITS bits, of the second, and the
 *        least of eight more.
 *        serve quotient BITS: the same of quotients of BITS bits, by numbers of as many.
 *        serve rate BITS SECONDS [START]: products of BITS bits a second; it warms up until START,
 * a time in seconds since 1970, for several processes at once.
 * Operands of rates are products, as those of most programs are; with PRODUCTS in the environment
 * the others', too, so that their first one is the program's third. */
#include <gmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MORE = 8, ROUND = 16 };

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef void operation(mpz_t c, const mpz_t a, const mpz_t b);

static double measure(operation *f, mpz_t c, const mpz_t a, const mpz_t b) {
    double start = now(CLOCK_MONOTONIC);
    f(c, a, b);
    return now(CLOCK_MONOTONIC) - start;
}

static void first(operation *f, mpz_t c, const mpz_t a, const mpz_t b) {
    double one = measure(f, c, a, b), two = measure(f, c, a, b), least = two;
    for (int i = 0; i < MORE; i++) {
        double more = measure(f, c, a, b);
        least = more < least ? more : least;
    }
    printf("first %.3f ms, second %.3f ms, least %.3f ms\n", 1e3 * one, 1e3 * two, 1e3 * least);
}

/* Its square's lowest bits in its place, in memory that a product has got. */
static void become_product(mpz_t x, unsigned long bits) {
    mpz_t u;
    mpz_init(u);
    mpz_swap(u, x);
    mpz_clear(x);
    mpz_init(x);
    mpz_mul(x, u, u);
    mpz_tdiv_r_2exp(x, x, bits);
    mpz_setbit(x, bits - 1);
    mpz_clear(u);
}

static unsigned long rounds_until(mpz_t c, const mpz_t a, const mpz_t b, double end,
                                  clockid_t clock) {
    unsigned long count = 0;
    while (now(clock) < end)
        for (int i = 0; i < ROUND; i++, count++)
            mpz_mul(c, a, b);
    return count;
}

static void rate(mpz_t c, const mpz_t a, const mpz_t b, double seconds, double begin) {
    mpz_mul(c, a, b);
    rounds_until(c, a, b, begin, CLOCK_REALTIME);
    double start = now(CLOCK_MONOTONIC);
    unsigned long count = rounds_until(c, a, b, start + seconds, CLOCK_MONOTONIC);
    printf("%.0f\n", (double)count / (now(CLOCK_MONOTONIC) - start));
}

int main(int argc, char **argv) {
    gmp_randstate_t random;
    mpz_t a, b, c;
    if (argc < 3) {
        fputs("usage: serve first BITS | quotient BITS | rate BITS SECONDS [START]\n", stderr);
        return 2;
    }
    gmp_randinit_default(random);
    mpz_inits(a, b, c, NULL);
    bool divides = strcmp(argv[1], "quotient") == 0, is_rate = strcmp(argv[1], "rate") == 0;
    unsigned long bits = strtoul(argv[2], NULL, 10);
    mpz_urandomb(a, random, divides ? 2 * bits : bits);
    mpz_urandomb(b, random, bits);
    mpz_setbit(b, bits - 1);
    if (is_rate || getenv("PRODUCTS")) {
        become_product(a, divides ? 2 * bits : bits);
        become_product(b, bits);
    }
    if (is_rate)
        rate(c, a, b, argc > 3 ? atof(argv[3]) : 1, argc > 4 ? atof(argv[4]) : 0);
    else
        first(divides ? mpz_tdiv_q : mpz_mul, c, a, b);
    mpz_clears(a, b, c, NULL);
    gmp_randclear(random);
    return 0;
}
