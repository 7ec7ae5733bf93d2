/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times the functions of number theory by size, alone or under preload: a line for each with its
 * name, the size in bits, the best of a few runs in milliseconds, and what it returns, which is
 * the same wherever they are.
 * Usage: theory MOST_SECONDS BITS... A function that took so long is not called for more bits.
 * Tests of primes take numbers of BITS / 300. */
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 7, BITS_OF_PRIME = 300, POWER = 7 };
static const double enough = 1; /* seconds for all runs of one function */

static gmp_randstate_t random_state;
static mpz_t a, b, r;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- operands */

/* Odd, with its highest bit, and without a small factor. */
static void random_number(mpz_t x, unsigned long bits) {
    do {
        mpz_urandomb(x, random_state, bits);
        mpz_setbit(x, bits - 1);
        mpz_setbit(x, 0);
    } while (mpz_gcd_ui(NULL, x, 3ul * 5 * 7 * 11 * 13 * 17 * 19 * 23) != 1);
}

static void two_numbers(unsigned long bits) {
    random_number(a, bits);
    random_number(b, bits);
}

static void twice_as_long(unsigned long bits) {
    random_number(a, 2 * bits);
    random_number(b, bits);
}

static void multiple(unsigned long bits) {
    two_numbers(bits);
    mpz_mul(a, a, b);
}

static void square(unsigned long bits) {
    random_number(a, bits / 2);
    mpz_mul(a, a, a);
}

static void power(unsigned long bits) {
    random_number(a, bits / POWER);
    mpz_pow_ui(a, a, POWER);
}

static void power_of_3(unsigned long bits) {
    mpz_set_ui(b, 3);
    mpz_ui_pow_ui(a, 3, bits * 5 / 8);
    mpz_mul_ui(a, a, 1000003);
}

static void long_factor(unsigned long bits) {
    random_number(b, bits / 8);
    mpz_pow_ui(a, b, POWER);
    mpz_mul_ui(a, a, 1000003);
}

static void short_number(unsigned long bits) {
    random_number(a, bits / BITS_OF_PRIME);
}

/* ---- functions */

static unsigned long low(const mpz_t x) {
    return mpz_get_ui(x);
}

static unsigned long gcd(void) {
    mpz_gcd(r, a, b);
    return low(r);
}

static unsigned long jacobi(void) {
    return (unsigned long)mpz_jacobi(a, b);
}

/* Copies of both, with a limb more. */
static mp_ptr copy_limbs(const mpz_t x) {
    mp_ptr p = calloc(mpz_size(x) + 1, sizeof *p);
    if (!p)
        abort();
    memcpy(p, mpz_limbs_read(x), mpz_size(x) * sizeof *p);
    return p;
}

static unsigned long limbs_gcdext(void) {
    mp_ptr u = copy_limbs(a), v = copy_limbs(b), g = copy_limbs(b), s = copy_limbs(b);
    mp_size_t sn;
    mpn_gcdext(g, s, &sn, u, (mp_size_t)mpz_size(a), v, (mp_size_t)mpz_size(b));
    unsigned long result = s[0];
    free(u);
    free(v);
    free(g);
    free(s);
    return result;
}

static unsigned long perfect_square(void) {
    return mpz_perfect_square_p(a) != 0;
}

static unsigned long perfect_power(void) {
    return mpz_perfect_power_p(a) != 0;
}

static unsigned long divisible(void) {
    return mpz_divisible_p(a, b) != 0;
}

static unsigned long congruent(void) {
    return mpz_congruent_p(a, b, b) != 0;
}

static unsigned long without(void) {
    return mpz_remove(r, a, b);
}

static unsigned long probab_prime(void) {
    return (unsigned long)mpz_probab_prime_p(a, 25);
}

static unsigned long next_prime(void) {
    mpz_nextprime(r, a);
    return low(r);
}

static const struct function {
    const char *name;
    void (*prepare)(unsigned long bits);
    unsigned long (*run)(void);
} functions[] = {
    {"gcd", two_numbers, gcd},
    {"jacobi", two_numbers, jacobi},
    {"mpn_gcdext", two_numbers, limbs_gcdext},
    {"square", square, perfect_square},
    {"no_square", twice_as_long, perfect_square},
    {"power", power, perfect_power},
    {"no_power", two_numbers, perfect_power},
    {"divisible", multiple, divisible},
    {"indivisible", twice_as_long, divisible},
    {"congruent", multiple, congruent},
    {"remove_3", power_of_3, without},
    {"remove", long_factor, without},
    {"prime_p", short_number, probab_prime},
    {"nextprime", short_number, next_prime},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The best of a few runs, in seconds. */
static double best(unsigned long (*run)(void), unsigned long *result) {
    double begin = now(), least = 0;
    for (int i = 0; i < RUNS && (i == 0 || now() - begin < enough); i++) {
        double start = now();
        *result = run();
        double time = now() - start;
        least = i == 0 || time < least ? time : least;
    }
    return least;
}

static double measure(const struct function *f, unsigned long bits) {
    unsigned long result = 0;
    gmp_randseed_ui(random_state, bits); /* whatever was measured before */
    f->prepare(bits);
    double seconds = best(f->run, &result);
    printf("%-11s %11lu %12.3f %016lx\n", f->name, bits, seconds * 1e3, result);
    fflush(stdout);
    return seconds;
}

int main(int argc, char **argv) {
    double last[FUNCTIONS] = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: theory MOST_SECONDS BITS...\n");
        return 2;
    }
    gmp_randinit_default(random_state);
    mpz_inits(a, b, r, NULL);
    for (int i = 2; i < argc; i++)
        for (int f = 0; f < FUNCTIONS; f++)
            if (last[f] < atof(argv[1]))
                last[f] = measure(&functions[f], (unsigned long)atof(argv[i]));
    mpz_clears(a, b, r, NULL);
    gmp_randclear(random_state);
    return 0;
}
