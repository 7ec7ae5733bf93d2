/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times composite operations of GMP by size, alone or under preload: a line for each with its name,
 * the size in bits, the best of a few runs in milliseconds, and a sum over the results, which is
 * the same wherever they are. Usage: operations MOST_SECONDS [NAME...] BITS...  With names only
 * those operations are timed.  One that is expected to take longer than that is not begun: "-" for
 * its time.  With PRODUCTS in the environment operands are products, as those of most programs are:
 * under preload they lie in the library's pool, others in malloc's memory. */
#include <ctype.h>
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_RUNS = 2, RUNS = 7, EXPONENT = 0xb2e5 };
static const double enough = 1; /* seconds for all runs of one operation */

static gmp_randstate_t random_state;
static mpz_t a, b, q, r; /* operands and results */
static mpf_t x, y, z;    /* the same */
static char *digits;
static unsigned long k;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- operands: with their highest bit */

static void random_product(mpz_t x, unsigned long bits) {
    mpz_t u;
    mpz_init(u);
    mpz_urandomb(u, random_state, bits - bits / 2);
    mpz_clear(x);
    mpz_init(x); /* so that its limbs are the product's */
    mpz_mul(x, u, u);
    mpz_tdiv_r_2exp(x, x, bits);
    mpz_clear(u);
}

static void random_number(mpz_t x, unsigned long bits) {
    if (getenv("PRODUCTS"))
        random_product(x, bits);
    else
        mpz_urandomb(x, random_state, bits);
    mpz_setbit(x, bits - 1);
}

static void one_number(unsigned long bits) {
    random_number(a, bits);
}

static void two_numbers(unsigned long bits) {
    random_number(a, bits);
    random_number(b, bits);
    mpz_setbit(b, 0);
}

static void twice_as_long(unsigned long bits) {
    random_number(a, 2 * bits);
    random_number(b, bits);
}

/* a = b times another. */
static void multiple(unsigned long bits) {
    twice_as_long(bits);
    mpz_tdiv_q_2exp(r, a, bits);
    mpz_mul(a, b, r);
}

static void floats(unsigned long bits) {
    two_numbers(bits);
    mpf_set_prec(x, bits);
    mpf_set_prec(y, bits);
    mpf_set_prec(z, bits);
    mpf_set_z(x, a);
    mpf_set_z(y, b);
}

static void decimal(unsigned long bits) {
    one_number(bits);
    free(digits);
    digits = mpz_get_str(NULL, 10, a);
}

static void for_factorial(unsigned long bits) {
    for (k = 2; lgamma((double)k + 1) / log(2) < (double)bits; k += k / 64 + 1)
        ;
}

static void for_binomial(unsigned long bits) {
    k = bits / 2;
}

static void for_fibonacci(unsigned long bits) {
    k = (unsigned long)((double)bits / 0.69424);
}

/* ---- operations */

static void multiply(void) {
    mpz_mul(q, a, b);
}

static void accumulate(void) {
    mpz_addmul(q, a, b);
}

static void multiply_floats(void) {
    mpf_mul(z, x, y);
}

static void divide_floats(void) {
    mpf_div(z, x, y);
}

static void float_to_decimal(void) {
    mp_exp_t exponent;
    free(digits);
    digits = mpf_get_str(NULL, &exponent, 10, 0, x);
}

static void divide_exactly(void) {
    mpz_divexact(q, a, b);
}

static void divisor(void) {
    mpz_gcd(q, a, b);
}

static void inverse(void) {
    mpz_invert(q, a, b);
}

static void divide(void) {
    mpz_tdiv_qr(q, r, a, b);
}

static void power_modulo(void) {
    mpz_powm_ui(q, a, EXPONENT, b);
}

static void square_root(void) {
    mpz_sqrt(q, a);
}

static void cube_root(void) {
    mpz_root(q, a, 3);
}

static void to_decimal(void) {
    free(digits);
    digits = mpz_get_str(NULL, 10, a);
}

static void from_decimal(void) {
    mpz_set_str(q, digits, 10);
}

static void factorial(void) {
    mpz_fac_ui(q, k);
}

static void binomial(void) {
    mpz_bin_uiui(q, 2 * k, k);
}

static void fibonacci(void) {
    mpz_fib_ui(q, k);
}

static const struct operation {
    const char *name;
    void (*prepare)(unsigned long bits);
    void (*run)(void);
} operations[] = {
    {"mul", two_numbers, multiply},         {"addmul", two_numbers, accumulate},
    {"mpf_mul", floats, multiply_floats},   {"tdiv_qr", twice_as_long, divide},
    {"divexact", multiple, divide_exactly}, {"mpf_div", floats, divide_floats},
    {"powm", two_numbers, power_modulo},    {"sqrt", twice_as_long, square_root},
    {"root3", twice_as_long, cube_root},    {"get_str", one_number, to_decimal},
    {"set_str", decimal, from_decimal},     {"mpf_str", floats, float_to_decimal},
    {"fac_ui", for_factorial, factorial},   {"bin_uiui", for_binomial, binomial},
    {"fib_ui", for_fibonacci, fibonacci},   {"gcd", two_numbers, divisor},
    {"invert", two_numbers, inverse},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static uint64_t add_up(uint64_t sum, const mpz_t x) {
    for (size_t i = 0; i < mpz_size(x); i++)
        sum = (sum ^ mpz_getlimbn(x, (mp_size_t)i)) * 0x100000001b3u;
    return sum;
}

static uint64_t sum_of_results(void) {
    uint64_t sum = add_up(add_up(0, q), r);
    for (size_t i = 0; i < (size_t)labs(z->_mp_size); i++)
        sum = (sum ^ z->_mp_d[i]) * 0x100000001b3u;
    for (const char *c = digits; c && *c; c++)
        sum = (sum ^ (unsigned char)*c) * 0x100000001b3u;
    return sum;
}

/* The best of a few runs, in seconds.  The first one opens the device. */
static double best(void (*run)(void)) {
    double begin = now(), least = 0;
    for (int i = 0; i < RUNS && (i < LEAST_RUNS || now() - begin < enough); i++) {
        double start = now();
        run();
        double time = now() - start;
        least = i == 0 || time < least ? time : least;
    }
    return least;
}

/* Returns the seconds, or `expected` if that is too long. */
static double measure(const struct operation *o, unsigned long bits, double expected, double most) {
    if (expected > most) {
        printf("%-9s %11lu %12s -\n", o->name, bits, "-");
        return expected;
    }
    mpz_set_ui(q, 0);
    mpz_set_ui(r, 0);
    mpf_set_ui(z, 0);
    gmp_randseed_ui(random_state, bits); /* whatever was measured before */
    o->prepare(bits);
    double seconds = best(o->run);
    if (o->run == accumulate) { /* as often as there was time */
        mpz_set(q, b);
        o->run();
    }
    printf("%-9s %11lu %12.3f %016llx\n", o->name, bits, seconds * 1e3,
           (unsigned long long)sum_of_results());
    fflush(stdout);
    free(digits);
    digits = NULL;
    return seconds;
}

/* Is it among the names, or are there none?  Sizes begin with a digit. */
static bool is_asked_for(const char *name, char **arguments) {
    bool is_first = true;
    for (; *arguments && !isdigit((unsigned char)**arguments); arguments++, is_first = false)
        if (strcmp(*arguments, name) == 0)
            return true;
    return is_first;
}

int main(int argc, char **argv) {
    double last[OPERATIONS] = {0}, before = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: operations MOST_SECONDS [NAME...] BITS...\n");
        return 2;
    }
    gmp_randinit_default(random_state);
    mpz_inits(a, b, q, r, NULL);
    mpf_inits(x, y, z, NULL);
    for (int i = 2; i < argc; i++) {
        double bits = atof(argv[i]), growth = before ? pow(bits / before, 1.1) : 1;
        for (int o = 0; bits > 0 && o < OPERATIONS; o++)
            if (is_asked_for(operations[o].name, argv + 2))
                last[o] =
                    measure(&operations[o], (unsigned long)bits, last[o] * growth, atof(argv[1]));
        before = bits;
    }
    mpz_clears(a, b, q, r, NULL);
    mpf_clears(x, y, z, NULL);
    gmp_randclear(random_state);
    return 0;
}
