/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that calls each function with small operands.  callgrind counts the
 * instructions of repeat(), which is entered once for each function.
 * Usage: calls COUNT; calls --list */
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5 };

static mp_limb_t r[2 * N], s[2 * N], u[N] = {1, 2, 3, 4, 5}, v[N] = {6, 7, 8, 9, 10};
static mpz_t x, y, z, q;
static mpf_t f, g, h;
static mpq_t a, b, c;
static char text[200];
static unsigned char digits[200];
static const char number[] = "123456789012345678901234567890";

/* The result is 0 before each call, so that mpz_addmul and mpz_submul compute a product. */
static void z_addmul(void) {
    mpz_set_ui(z, 0);
    mpz_addmul(z, x, y);
}
static void z_submul(void) {
    mpz_set_ui(z, 0);
    mpz_submul(z, x, y);
}
static void init_set_str(void) {
    mpz_t n;
    mpz_init_set_str(n, number, 10);
    mpz_clear(n);
}
/* Copies the operand first, because mpn_get_str may overwrite it. */
static void n_get_str(void) {
    memcpy(r, u, sizeof u);
    mpn_get_str(digits, 10, r, N);
}
/* Copy the operands first, because mpn_gcd and mpn_gcdext destroy them. */
static void n_gcd(void) {
    mp_limb_t copy[2][N + 1];
    memcpy(copy[0], u, sizeof u);
    memcpy(copy[1], v, sizeof v);
    copy[0][0] |= 1;
    mpn_gcd(r, copy[0], N, copy[1], N - 1);
}
static void n_gcdext(void) {
    mp_limb_t copy[2][N + 1];
    mp_size_t n;
    memcpy(copy[0], u, sizeof u);
    memcpy(copy[1], v, sizeof v);
    mpn_gcdext(r, s, &n, copy[0], N, copy[1], N - 1);
}

/* Stores unused results: gmp.h declares some functions as pure, so a compiler could drop their
 * calls. */
static volatile int sink;

#define CALLS                                                                                      \
    CALL(mpf_div, mpf_div(h, f, g))                                                                \
    CALL(mpf_mul, mpf_mul(h, f, g))                                                                \
    CALL(mpf_sqrt, mpf_sqrt(h, f))                                                                 \
    CALL(mpf_sqrt_ui, mpf_sqrt_ui(h, 2))                                                           \
    CALL(mpf_ui_div, mpf_ui_div(h, 7, g))                                                          \
    CALL(mpn_gcd, n_gcd())                                                                         \
    CALL(mpn_gcdext, n_gcdext())                                                                   \
    CALL(mpn_get_str, n_get_str())                                                                 \
    CALL(mpn_mul, mpn_mul(r, u, N, v, N - 2))                                                      \
    CALL(mpn_mul_n, mpn_mul_n(r, u, v, N))                                                         \
    CALL(mpn_perfect_power_p, sink = mpn_perfect_power_p(u, N))                                    \
    CALL(mpn_perfect_square_p, sink = mpn_perfect_square_p(u, N))                                  \
    CALL(mpn_set_str, mpn_set_str(r, (const unsigned char *)"\1\2\3\4\5\6\7", 7, 10))              \
    CALL(mpn_sqr, mpn_sqr(r, u, N))                                                                \
    CALL(mpn_sqrtrem, mpn_sqrtrem(r, s, u, N))                                                     \
    CALL(mpn_tdiv_qr, mpn_tdiv_qr(r, s, 0, u, N, v, N - 2))                                        \
    CALL(mpq_add, mpq_add(c, a, b))                                                                \
    CALL(mpq_canonicalize, mpq_canonicalize(a))                                                    \
    CALL(mpq_div, mpq_div(c, a, b))                                                                \
    CALL(mpq_mul, mpq_mul(c, a, b))                                                                \
    CALL(mpq_sub, mpq_sub(c, a, b))                                                                \
    CALL(mpz_2fac_ui, mpz_2fac_ui(z, 20))                                                          \
    CALL(mpz_add, mpz_add(z, x, y))                                                                \
    CALL(mpz_add_ui, mpz_add_ui(z, x, 12345))                                                      \
    CALL(mpz_addmul, z_addmul())                                                                   \
    CALL(mpz_addmul_ui, mpz_addmul_ui(z, x, 12345))                                                \
    CALL(mpz_bin_ui, mpz_bin_ui(z, x, 3))                                                          \
    CALL(mpz_bin_uiui, mpz_bin_uiui(z, 100, 7))                                                    \
    CALL(mpz_cdiv_q, mpz_cdiv_q(q, x, y))                                                          \
    CALL(mpz_cdiv_qr, mpz_cdiv_qr(q, z, x, y))                                                     \
    CALL(mpz_cdiv_r, mpz_cdiv_r(z, x, y))                                                          \
    CALL(mpz_congruent_p, sink = mpz_congruent_p(x, y, y))                                         \
    CALL(mpz_divexact, mpz_divexact(q, x, x))                                                      \
    CALL(mpz_divisible_p, sink = mpz_divisible_p(x, y))                                            \
    CALL(mpz_fac_ui, mpz_fac_ui(z, 20))                                                            \
    CALL(mpz_fdiv_q, mpz_fdiv_q(q, x, y))                                                          \
    CALL(mpz_fdiv_qr, mpz_fdiv_qr(q, z, x, y))                                                     \
    CALL(mpz_fdiv_r, mpz_fdiv_r(z, x, y))                                                          \
    CALL(mpz_fib2_ui, mpz_fib2_ui(z, q, 100))                                                      \
    CALL(mpz_fib_ui, mpz_fib_ui(z, 100))                                                           \
    CALL(mpz_gcd, mpz_gcd(z, x, y))                                                                \
    CALL(mpz_gcdext, mpz_gcdext(z, q, NULL, x, y))                                                 \
    CALL(mpz_get_str, mpz_get_str(text, 10, x))                                                    \
    CALL(mpz_init_set_str, init_set_str())                                                         \
    CALL(mpz_invert, mpz_invert(z, x, y))                                                          \
    CALL(mpz_jacobi, sink = mpz_jacobi(x, y))                                                      \
    CALL(mpz_lcm, mpz_lcm(z, x, y))                                                                \
    CALL(mpz_lucnum2_ui, mpz_lucnum2_ui(z, q, 100))                                                \
    CALL(mpz_lucnum_ui, mpz_lucnum_ui(z, 100))                                                     \
    CALL(mpz_mfac_uiui, mpz_mfac_uiui(z, 20, 3))                                                   \
    CALL(mpz_mod, mpz_mod(z, x, y))                                                                \
    CALL(mpz_mul, mpz_mul(z, x, y))                                                                \
    CALL(mpz_mul_si, mpz_mul_si(z, x, -5))                                                         \
    CALL(mpz_mul_ui, mpz_mul_ui(z, x, 12345))                                                      \
    CALL(mpz_nextprime, mpz_nextprime(z, y))                                                       \
    CALL(mpz_perfect_power_p, sink = mpz_perfect_power_p(x))                                       \
    CALL(mpz_perfect_square_p, sink = mpz_perfect_square_p(x))                                     \
    CALL(mpz_pow_ui, mpz_pow_ui(z, y, 3))                                                          \
    CALL(mpz_powm, mpz_powm(z, x, y, x))                                                           \
    CALL(mpz_powm_ui, mpz_powm_ui(z, x, 17, y))                                                    \
    CALL(mpz_primorial_ui, mpz_primorial_ui(z, 20))                                                \
    CALL(mpz_probab_prime_p, sink = mpz_probab_prime_p(x, 25))                                     \
    CALL(mpz_remove, mpz_remove(z, x, y))                                                          \
    CALL(mpz_root, mpz_root(z, x, 3))                                                              \
    CALL(mpz_rootrem, mpz_rootrem(z, q, x, 3))                                                     \
    CALL(mpz_set_str, mpz_set_str(z, number, 10))                                                  \
    CALL(mpz_sqrt, mpz_sqrt(z, x))                                                                 \
    CALL(mpz_sqrtrem, mpz_sqrtrem(z, q, x))                                                        \
    CALL(mpz_sub, mpz_sub(z, x, y))                                                                \
    CALL(mpz_sub_ui, mpz_sub_ui(z, x, 12345))                                                      \
    CALL(mpz_submul, z_submul())                                                                   \
    CALL(mpz_submul_ui, mpz_submul_ui(z, x, 12345))                                                \
    CALL(mpz_tdiv_q, mpz_tdiv_q(q, x, y))                                                          \
    CALL(mpz_tdiv_qr, mpz_tdiv_qr(q, z, x, y))                                                     \
    CALL(mpz_tdiv_r, mpz_tdiv_r(z, x, y))                                                          \
    CALL(mpz_ui_pow_ui, mpz_ui_pow_ui(z, 7, 20))                                                   \
    CALL(mpz_ui_sub, mpz_ui_sub(z, 12345, x))

#define CALL(name, statement)                                                                      \
    static void call_##name(void) {                                                                \
        statement;                                                                                 \
    }
CALLS
#undef CALL

static const struct {
    const char *name;
    void (*call)(void);
} functions[] = {
#define CALL(name, statement) {#name, call_##name},
    CALLS
#undef CALL
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void list(void) {
    for (int i = 0; i < FUNCTIONS; i++)
        puts(functions[i].name);
}

static void __attribute__((noinline)) repeat(void (*call)(void), long count) {
    while (count-- > 0)
        call();
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    mpz_inits(x, y, z, q, NULL);
    mpf_inits(f, g, h, NULL);
    mpq_inits(a, b, c, NULL);
    mpz_ui_pow_ui(x, 7, 100);
    mpz_ui_pow_ui(y, 3, 100);
    mpf_set_z(f, x);
    mpf_set_z(g, y);
    mpq_set_si(a, -3, 7);
    mpq_set_ui(b, 5, 11);
    for (int i = 0; i < FUNCTIONS; i++) {
        functions[i].call(); /* not counted: the first call also allocates memory */
        repeat(functions[i].call, strtol(argv[1], NULL, 10));
    }
    mpz_clears(x, y, z, q, NULL);
    mpf_clears(f, g, h, NULL);
    mpq_clears(a, b, c, NULL);
    return 0;
}
