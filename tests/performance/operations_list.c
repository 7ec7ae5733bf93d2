/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that tests/performance/operations times, and their operands.  Integers have their
 * highest bit set. */
#include "tests/performance/operations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPONENT = 0xb2e5, BITS_OF_PRIME = 300, POWER = 7, PRIMALITY_ROUNDS = 25, MANY = 1000 };

struct operation_results results;
static gmp_randstate_t random_state;
static mpz_t a, b;
static mpf_t x, y;
static mpq_t ratio;
/* the decimal digits of the operand without a decimal point, for functions that read a text */
static char *digits;
static unsigned long k;

/* ---- operands */

static void random_product(mpz_t n, unsigned long bits) {
    mpz_t u;
    mpz_init(u);
    mpz_urandomb(u, random_state, bits - bits / 2);
    mpz_clear(n);
    mpz_init(n); /* so that mpz_mul allocates new limbs for n */
    mpz_mul(n, u, u);
    mpz_tdiv_r_2exp(n, n, bits);
    mpz_clear(u);
}

static void random_number(mpz_t n, unsigned long bits) {
    if (getenv("PRODUCTS"))
        random_product(n, bits);
    else
        mpz_urandomb(n, random_state, bits);
    mpz_setbit(n, bits - 1);
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

static void multiple(unsigned long bits) {
    two_numbers(bits);
    mpz_mul(a, a, b);
}

/* Sets n to a random number without small factors. */
static void rough_number(mpz_t n, unsigned long bits) {
    do {
        random_number(n, bits);
        mpz_setbit(n, 0);
    } while (mpz_gcd_ui(NULL, n, 3ul * 5 * 7 * 11 * 13 * 17 * 19 * 23) != 1);
}

static void two_rough(unsigned long bits) {
    rough_number(a, bits);
    rough_number(b, bits);
}

static void square_of_one(unsigned long bits) {
    rough_number(a, bits / 2);
    mpz_mul(a, a, a);
}

static void power_of_one(unsigned long bits) {
    rough_number(a, bits / POWER);
    mpz_pow_ui(a, a, POWER);
}

static void power_of_3(unsigned long bits) {
    mpz_set_ui(b, 3);
    mpz_ui_pow_ui(a, 3, bits * 5 / 8);
    mpz_mul_ui(a, a, 1000003);
}

static void long_factor(unsigned long bits) {
    rough_number(b, bits / 8);
    mpz_pow_ui(a, b, POWER);
    mpz_mul_ui(a, a, 1000003);
}

static void short_number(unsigned long bits) {
    rough_number(a, bits / BITS_OF_PRIME);
}

static void floats(unsigned long bits) {
    two_numbers(bits);
    mpf_set_prec(x, bits);
    mpf_set_prec(y, bits);
    mpf_set_prec(results.z, bits);
    mpf_set_z(x, a);
    mpf_set_z(y, b);
}

/* Replaces x by its square root, an irrational number, and sets `digits` to the digits of x. */
static void irrational(unsigned long bits) {
    mp_exp_t exponent;
    floats(bits);
    mpf_sqrt(x, x);
    digits = mpf_get_str(NULL, &exponent, 10, 0, x);
}

static void fraction(unsigned long bits) {
    two_numbers(bits / 2);
    mpf_set_prec(results.z, bits);
    mpq_set_num(ratio, a);
    mpq_set_den(ratio, b);
    mpq_canonicalize(ratio);
    digits = mpq_get_str(NULL, 10, ratio);
}

static void decimal(unsigned long bits) {
    one_number(bits);
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

/* ---- operations that consist of several calls */

/* Returns the first limb of mpn_gcdext's cofactor. Copies the operands, because mpn_gcdext destroys
 * them. */
static unsigned long limbs_gcdext(void) {
    mpz_t u, v, g, s;
    mp_size_t un = (mp_size_t)mpz_size(a), vn = (mp_size_t)mpz_size(b), sn;
    mpz_init_set(u, a);
    mpz_init_set(v, b);
    mpz_inits(g, s, NULL);
    mp_limb_t *sp = mpz_limbs_write(s, vn + 1);
    mpn_gcdext(mpz_limbs_write(g, vn), sp, &sn, mpz_limbs_modify(u, un + 1), un,
               mpz_limbs_modify(v, vn + 1), vn);
    unsigned long limb = sp[0];
    mpz_clears(u, v, g, s, NULL);
    return limb;
}

static char *float_digits(void) {
    mp_exp_t exponent;
    return mpf_get_str(NULL, &exponent, 10, 0, x);
}

static void float_to_stream(void) {
    size_t bytes;
    FILE *stream = open_memstream(&results.text, &bytes);
    mpf_out_str(stream, 10, 0, x);
    fclose(stream);
}

static void integer_from_stream(void) {
    FILE *stream = fmemopen(digits, strlen(digits), "r");
    mpz_inp_str(results.q, stream, 10);
    fclose(stream);
}

/* ---- the table of operations; the first column is the group, which `operations GROUP` selects */

#define OPERATIONS(ROW)                                                                            \
    ROW(composite, mul, two_numbers, mpz_mul(w->q, a, b))                                          \
    ROW(composite, addmul, two_numbers, (mpz_set(w->q, b), mpz_addmul(w->q, a, b)))                \
    ROW(composite, mpf_mul, floats, mpf_mul(w->z, x, y))                                           \
    ROW(composite, tdiv_qr, twice_as_long, mpz_tdiv_qr(w->q, w->r, a, b))                          \
    ROW(composite, divexact, multiple, mpz_divexact(w->q, a, b))                                   \
    ROW(composite, mpf_div, floats, mpf_div(w->z, x, y))                                           \
    ROW(composite, powm, two_numbers, mpz_powm_ui(w->q, a, EXPONENT, b))                           \
    ROW(composite, sqrt, twice_as_long, mpz_sqrt(w->q, a))                                         \
    ROW(composite, root3, twice_as_long, mpz_root(w->q, a, 3))                                     \
    ROW(composite, get_str, one_number, w->text = mpz_get_str(NULL, 10, a))                        \
    ROW(composite, set_str, decimal, mpz_set_str(w->q, digits, 10))                                \
    ROW(composite, mpf_str, floats, w->text = float_digits())                                      \
    ROW(composite, fac_ui, for_factorial, mpz_fac_ui(w->q, k))                                     \
    ROW(composite, bin_uiui, for_binomial, mpz_bin_uiui(w->q, 2 * k, k))                           \
    ROW(composite, fib_ui, for_fibonacci, mpz_fib_ui(w->q, k))                                     \
    ROW(composite, gcd, two_numbers, mpz_gcd(w->q, a, b))                                          \
    ROW(composite, invert, two_numbers, mpz_invert(w->q, a, b))                                    \
    ROW(others, quotient, twice_as_long, mpz_tdiv_q(w->q, a, b))                                   \
    ROW(theory, jacobi, two_rough, w->returned = (unsigned long)mpz_jacobi(a, b))                  \
    ROW(theory, gcdext, two_numbers, mpz_gcdext(w->q, w->r, mpq_numref(w->fraction), a, b))        \
    ROW(theory, mpn_gcdext, two_rough, w->returned = limbs_gcdext())                               \
    ROW(theory, square, square_of_one, w->returned = mpz_perfect_square_p(a) != 0)                 \
    ROW(theory, no_square, twice_as_long, w->returned = mpz_perfect_square_p(a) != 0)              \
    ROW(theory, power, power_of_one, w->returned = mpz_perfect_power_p(a) != 0)                    \
    ROW(theory, no_power, two_rough, w->returned = mpz_perfect_power_p(a) != 0)                    \
    ROW(theory, divisible, multiple, w->returned = mpz_divisible_p(a, b) != 0)                     \
    ROW(theory, indivisible, twice_as_long, w->returned = mpz_divisible_p(a, b) != 0)              \
    ROW(theory, congruent, multiple, w->returned = mpz_congruent_p(a, b, b) != 0)                  \
    ROW(theory, remove_3, power_of_3, w->returned = mpz_remove(w->r, a, b))                        \
    ROW(theory, remove, long_factor, w->returned = mpz_remove(w->r, a, b))                         \
    ROW(theory, prime_p, short_number,                                                             \
        w->returned = (unsigned long)mpz_probab_prime_p(a, PRIMALITY_ROUNDS))                      \
    ROW(theory, nextprime, short_number, mpz_nextprime(w->r, a))                                   \
    ROW(texts, mpf_get_str, irrational, w->text = float_digits())                                  \
    ROW(texts, mpf_out_str, irrational, float_to_stream())                                         \
    ROW(texts, gmp_asprintf, irrational, gmp_asprintf(&w->text, "%.*Ff", (int)strlen(digits), x))  \
    ROW(texts, mpf_set_str, irrational, mpf_set_str(w->z, digits, 10))                             \
    ROW(texts, mpz_inp_str, decimal, integer_from_stream())                                        \
    ROW(texts, mpq_get_str, fraction, w->text = mpq_get_str(NULL, 10, ratio))                      \
    ROW(texts, mpq_set_str, fraction, mpq_set_str(w->fraction, digits, 10))                        \
    ROW(texts, mpf_set_q, fraction, mpf_set_q(w->z, ratio))                                        \
    ROW(texts, mpf_pow_ui, irrational, mpf_pow_ui(w->z, x, MANY))

#define ROW(group, name, prepare, statement)                                                       \
    static void run_##name(void) {                                                                 \
        struct operation_results *w = &results;                                                    \
        (void)w;                                                                                   \
        statement;                                                                                 \
    }
OPERATIONS(ROW)
#undef ROW

const struct operation operations[] = {
#define ROW(group, name, prepare, statement) {#group, #name, prepare, run_##name},
    OPERATIONS(ROW)
#undef ROW
};
const int operation_count = sizeof operations / sizeof *operations;

void operations_prepare(const struct operation *o, unsigned long bits) {
    mpz_set_ui(results.q, 0);
    mpz_set_ui(results.r, 0);
    mpf_set_ui(results.z, 0);
    mpq_set_ui(results.fraction, 0, 1);
    results.returned = 0;
    free(digits);
    digits = NULL;
    /* the same seed for each operation, so that operands do not depend on the operations timed
     * before */
    gmp_randseed_ui(random_state, bits);
    o->prepare(bits);
}

void operations_begin(void) {
    gmp_randinit_default(random_state);
    mpz_inits(a, b, results.q, results.r, NULL);
    mpf_inits(x, y, results.z, NULL);
    mpq_inits(ratio, results.fraction, NULL);
}

void operations_end(void) {
    mpz_clears(a, b, results.q, results.r, NULL);
    mpf_clears(x, y, results.z, NULL);
    mpq_clears(ratio, results.fraction, NULL);
    gmp_randclear(random_state);
    free(digits);
}
