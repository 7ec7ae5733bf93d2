/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations of several products each, which test_inject runs. */
#include <stdlib.h>

#include "lib/algorithms/theory/small_primes.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/real.h"
#include "tests/unit/fault/inject_operations.h"

static void text_of(mpz_srcptr x) {
    char *text = mpz_get_str(NULL, 10, x);
    written_text(text);
    free(text);
}

/* Converts x to text and back. */
static void text_and_back(mpz_ptr r, mpz_srcptr x) {
    char *text = mpz_get_str(NULL, 10, x);
    mpz_set_str(r, text, 10);
    free(text);
}

/* ---- quotients */

static void round_negative(mpz_t *operands, mpz_t *results) {
    mpz_neg(A, A);
    mpz_fdiv_q(R, A, B);
    mpz_cdiv_r(S, A, B);
}

/* Makes a product of A and B by GMP. Asks whether this product, and the product plus 1, is
 * divisible by B. */
static void ask_divisible(mpz_t *operands, mpz_t *results) {
    real.mpz_mul(R, A, B);
    long is = mpz_divisible_p(R, B) != 0;
    real.mpz_add_ui(R, R, 1);
    is += 2 * (mpz_divisible_p(R, B) != 0);
    mpz_set_ui(S, 1);
    is += 4 * (mpz_congruent_p(R, S, B) != 0);
    mpz_set_si(S, is);
}

static void divide_limbs_exactly(mpz_t *operands, mpz_t *results) {
    real.mpz_mul(S, A, B);
    const mp_size_t nn = (mp_size_t)mpz_size(S), dn = (mp_size_t)mpz_size(B);
    mpn_divexact(mpz_limbs_write(R, nn - dn + 1), S->_mp_d, nn, B->_mp_d, dn);
    mpz_limbs_finish(R, nn - dn + 1);
}

static void remove_factor(mpz_t *operands, mpz_t *results) {
    real.mpz_pow_ui(R, B, 5);
    real.mpz_mul(R, R, A);
    mpz_set_ui(S, mpz_remove(R, R, B));
}

/* ---- powers and roots */

static void raise_even(mpz_t *operands, mpz_t *results) {
    mpz_clrbit(B, 0);
    mpz_clrbit(B, 1);
    mpz_neg(C, C);
    mpz_powm(R, C, A, B);
}

static void ask_root(mpz_t *operands, mpz_t *results) {
    real.mpz_pow_ui(R, C, 3);
    long is = mpz_root(S, R, 3) != 0;
    real.mpz_add_ui(R, R, 1);
    is += 2 * (mpz_root(R, R, 3) != 0);
    mpz_mul_2exp(R, R, 2);
    real.mpz_add_ui(R, R, (unsigned long)is);
    (void)A;
}

static void ask_square(mpz_t *operands, mpz_t *results) {
    real.mpz_mul(R, C, C);
    long is = mpz_perfect_square_p(R) != 0;
    /* R = C^2 + S is no square, but has a square's low limb and residues modulo small primes */
    mpz_set_ui(S, SMALL_PRIMES_PRODUCT);
    mpz_mul_2exp(S, S, GMP_NUMB_BITS);
    real.mpz_add(R, R, S);
    mpz_set_si(S, is + 2 * (mpz_perfect_square_p(R) != 0));
}

static void ask_power(mpz_t *operands, mpz_t *results) {
    real.mpz_pow_ui(R, C, 7);
    mpz_set_si(S, mpz_perfect_power_p(R) != 0);
}

/* Tests a Mersenne prime and its square for primality. */
static void ask_prime(mpz_t *operands, mpz_t *results, unsigned set) {
    static const unsigned bits[INJECT_SETS] = {127, 107, 89};
    mpz_set_ui(S, 1);
    mpz_mul_2exp(A, S, bits[set]);
    real.mpz_sub_ui(A, A, 1);
    long is = mpz_probab_prime_p(A, 2);
    real.mpz_mul(A, A, A);
    is += 4 * mpz_probab_prime_p(A, 2);
    mpz_set_si(S, is);
}

/* ---- greatest common divisors and Jacobi symbols */

static void take_gcdext(mpz_t *operands, mpz_t *results) {
    real.mpz_mul(A, A, C);
    real.mpz_mul(B, B, C);
    mpz_gcdext(C, R, S, A, B);
    written_number(C);
}

static void take_limbs_gcd(mpz_t *operands, mpz_t *results) {
    mpz_setbit(B, 0);
    const mp_size_t n = (mp_size_t)mpz_size(B);
    mpz_limbs_finish(R,
                     mpn_gcd(mpz_limbs_write(R, n), A->_mp_d, (mp_size_t)mpz_size(A), B->_mp_d, n));
}

static void take_jacobi(mpz_t *operands, mpz_t *results) {
    mpz_setbit(B, 0);
    mpz_set_si(R, mpz_jacobi(A, B));
    mpz_set_si(S, mpz_jacobi(B, A));
}

/* ---- other types */

/* Runs `operation` on the fractions A / B and C / (15 B), in lowest terms. */
static void with_quotients(mpz_t *operands, mpz_t *results,
                           void (*operation)(mpq_ptr r, mpq_srcptr x, mpq_srcptr y)) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpz_set(mpq_numref(x), A);
    mpz_set(mpq_denref(x), B);
    mpz_set(mpq_numref(y), C);
    real.mpz_mul_ui(mpq_denref(y), B, 15);
    mpq_canonicalize(x);
    mpq_canonicalize(y);
    operation(x, x, y);
    mpz_set(R, mpq_numref(x));
    mpz_set(S, mpq_denref(x));
    mpq_clears(x, y, NULL);
}

/* A and B. */
static void with_floats(mpz_t *operands, mpz_t *results,
                        void (*operation)(mpf_ptr r, mpf_srcptr x, mpf_srcptr y)) {
    enum { BITS = 120 * GMP_NUMB_BITS };
    mpf_t x, y;
    mpf_init2(x, BITS);
    mpf_init2(y, BITS);
    mpf_set_z(x, A);
    mpf_set_z(y, B);
    operation(x, x, y);
    const mp_size_t n = x->_mp_size < 0 ? -x->_mp_size : x->_mp_size;
    mpn_copyi(mpz_limbs_write(R, n), x->_mp_d, n);
    mpz_limbs_finish(R, x->_mp_size);
    mpz_set_si(S, (long)x->_mp_exp);
    mpf_clears(x, y, NULL);
}

static void root_of_first(mpf_ptr r, mpf_srcptr x, mpf_srcptr y) {
    (void)y;
    mpf_sqrt(r, x);
}

static void power_of_first(mpf_ptr r, mpf_srcptr x, mpf_srcptr y) {
    (void)y;
    mpf_pow_ui(r, x, 11);
}

static void text_of_float(mpz_t *operands) {
    mp_exp_t exponent;
    mpf_t x;
    mpf_init2(x, 400 * GMP_NUMB_BITS);
    mpf_set_z(x, C);
    mpf_div_2exp(x, x, 1000);
    char *text = mpf_get_str(NULL, &exponent, 10, 0, x);
    written_text(text);
    free(text);
    mpf_clear(x);
}

/* X(name, limbs of A, of B and of C, statement): operations that the device computes as one job. */
#define WHOLE(X)                                                                                   \
    X(tdiv_qr, 420, 200, 0, mpz_tdiv_qr(R, S, A, B))                                               \
    X(tdiv_q, 500, 200, 0, mpz_tdiv_q(R, A, B))                                                    \
    X(tdiv_q_short, 260, 200, 0, mpz_tdiv_q(R, A, B))                                              \
    X(cdiv_qr, 300, 200, 0, mpz_cdiv_qr(R, S, A, B))                                               \
    X(fdiv_q, 300, 120, 0, round_negative(operands, results))                                      \
    X(mod_long, 0, 900, 2000, mpz_mod(R, C, B))                                                    \
    X(powm, 1, 90, 120, mpz_powm(R, C, A, B))                                                      \
    X(powm_long, 3, 40, 39, mpz_powm(R, C, A, B))                                                  \
    X(powm_even, 1, 50, 49, raise_even(operands, results))                                         \
    X(powm_ui, 0, 60, 200, mpz_powm_ui(R, C, 0xb5, B))                                             \
    X(sqrt, 0, 0, 500, mpz_sqrt(R, C))                                                             \
    X(sqrtrem, 0, 0, 500, mpz_sqrtrem(R, S, C))                                                    \
    X(rootrem, 0, 0, 500, mpz_rootrem(R, S, C, 5))

/* Operations of which the host computes a part. Their check computes the operands' residues from
 * uploaded data, so it does not cover the upload. */
#define PARTS(X)                                                                                   \
    X(divexact, 180, 170, 0, (mpz_mul(S, A, B), mpz_divexact(R, S, B)))                            \
    X(divexact_long, 40, 300, 0, (real.mpz_mul(S, A, B), mpz_divexact(R, S, B)))                   \
    X(divexact_limbs, 180, 170, 0, divide_limbs_exactly(operands, results))                        \
    X(divisible, 100, 170, 0, ask_divisible(operands, results))                                    \
    X(remove, 90, 60, 0, remove_factor(operands, results))                                         \
    X(root, 0, 0, 120, ask_root(operands, results))                                                \
    X(perfect_square, 0, 0, 300, (mpz_mul(R, C, C), mpz_set_si(S, mpz_perfect_square_p(R))))       \
    X(square, 0, 0, 150, ask_square(operands, results))                                            \
    X(perfect_power, 0, 0, 30, ask_power(operands, results))                                       \
    X(gcd, 700, 600, 0, mpz_gcd(R, A, B))                                                          \
    X(gcd_short, 130, 120, 0, mpz_gcd(R, A, B))                                                    \
    X(gcd_limbs, 130, 120, 0, take_limbs_gcd(operands, results))                                   \
    X(gcdext, 80, 70, 50, take_gcdext(operands, results))                                          \
    X(lcm, 130, 120, 0, mpz_lcm(R, A, B))                                                          \
    X(invert, 300, 310, 0, mpz_set_si(S, mpz_invert(R, A, B)))                                     \
    X(invert_short, 100, 110, 0, mpz_set_si(S, mpz_invert(R, A, B)))                               \
    X(jacobi, 130, 120, 0, take_jacobi(operands, results))                                         \
    X(probab_prime, 0, 0, 0, ask_prime(operands, results, set))                                    \
    X(get_str, 0, 0, 400, text_of(C))                                                              \
    X(set_str, 0, 0, 400, text_and_back(R, C))                                                     \
    X(fac_ui, 0, 0, 0, mpz_fac_ui(R, 3000 + 10 * set))                                             \
    X(2fac_ui, 0, 0, 0, mpz_2fac_ui(R, 5000 + 10 * set))                                           \
    X(mfac_uiui, 0, 0, 0, mpz_mfac_uiui(R, 9000 + 10 * set, 3))                                    \
    X(primorial_ui, 0, 0, 0, mpz_primorial_ui(R, 20000 + 99 * set))                                \
    X(bin_uiui, 0, 0, 0, mpz_bin_uiui(R, 20000 + set, 9000))                                       \
    X(bin_ui, 0, 0, 3, mpz_bin_ui(R, C, 300))                                                      \
    X(fib_ui, 0, 0, 0, mpz_fib_ui(R, 40000 + 77 * set))                                            \
    X(fib2_ui, 0, 0, 0, mpz_fib2_ui(R, S, 40000 + 77 * set))                                       \
    X(lucnum2_ui, 0, 0, 0, mpz_lucnum2_ui(R, S, 40000 + 77 * set))                                 \
    X(pow_ui, 0, 0, 20, mpz_pow_ui(R, C, 75))                                                      \
    X(ui_pow_ui, 0, 0, 0, mpz_ui_pow_ui(R, 0xfedcba9 + set, 2222))                                 \
    X(mpq_add, 90, 80, 70, with_quotients(operands, results, mpq_add))                             \
    X(mpq_mul, 90, 80, 70, with_quotients(operands, results, mpq_mul))                             \
    X(mpf_mul, 100, 90, 0, with_floats(operands, results, mpf_mul))                                \
    X(mpf_div, 100, 90, 0, with_floats(operands, results, mpf_div))                                \
    X(mpf_sqrt, 100, 0, 0, with_floats(operands, results, root_of_first))                          \
    X(mpf_pow_ui, 100, 0, 0, with_floats(operands, results, power_of_first))                       \
    X(mpf_get_str, 0, 0, 200, text_of_float(operands))

WHOLE(INJECT_DEFINE)
PARTS(INJECT_DEFINE)
const struct inject_operation inject_composites[] = {
    WHOLE(INJECT_UPLOADS) PARTS(INJECT_ENTRY){NULL, NULL, NO_TRANSFERS, false}};
