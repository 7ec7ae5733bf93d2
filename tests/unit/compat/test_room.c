/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests results in variables that already have enough memory (room) for them: in the library's
 * pool, or in arrays of the program, which GMP could not free. Every function must write its
 * results in place and must not change the variable's allocated size. tests/contract tests programs
 * with memory functions of their own. */
#include <stdio.h> /* included before gmp.h, which otherwise leaves out functions with FILE */
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/gmp/memory.h"
#include "tests/support/mock.h"
#include "tests/support/pools.h"
#include "tests/support/testing.h"

enum { ROOM = 3000, BITS = 3000 };

static mpz_t a, b, c, m; /* a, b, m: operands; c: the product of a and b */
static mpq_t q, s;
static char *text, *fraction;

/* A function that writes its results to x, y and z. Functions that also read them, such as
 * mpz_addmul, set them first. */
typedef void function(mpz_ptr x, mpz_ptr y, mpz_ptr z);
#define FUNCTIONS(OF)                                                                              \
    OF(mul, mpz_mul(x, a, b))                                                                      \
    OF(square, mpz_mul(x, a, a))                                                                   \
    OF(mul_in_place, mpz_set(x, a); mpz_mul(x, x, b))                                              \
    OF(square_in_place, mpz_set(x, a); mpz_mul(x, x, x))                                           \
    OF(addmul, mpz_set(x, b); mpz_addmul(x, a, b))                                                 \
    OF(addmul_to_zero, mpz_set_ui(x, 0); mpz_addmul(x, a, b))                                      \
    OF(submul, mpz_set(x, b); mpz_submul(x, a, b))                                                 \
    OF(mul_ui, mpz_mul_ui(x, a, 3))                                                                \
    OF(mul_si, mpz_mul_si(x, a, -3))                                                               \
    OF(addmul_ui, mpz_set(x, a); mpz_addmul_ui(x, b, 7))                                           \
    OF(submul_ui, mpz_set(x, a); mpz_submul_ui(x, b, 7))                                           \
    OF(add, mpz_add(x, a, b))                                                                      \
    OF(add_in_place, mpz_set(x, a); mpz_add(x, x, b))                                              \
    OF(sub, mpz_sub(x, a, b))                                                                      \
    OF(sub_in_place, mpz_set(x, a); mpz_sub(x, b, x))                                              \
    OF(add_ui, mpz_add_ui(x, a, 1))                                                                \
    OF(sub_ui, mpz_sub_ui(x, a, 1))                                                                \
    OF(ui_sub, mpz_ui_sub(x, 1, a))                                                                \
    OF(pow_ui, mpz_pow_ui(x, a, 3))                                                                \
    OF(pow_ui_in_place, mpz_set(x, m); mpz_pow_ui(x, x, 5))                                        \
    OF(ui_pow_ui, mpz_ui_pow_ui(x, 10, BITS))                                                      \
    OF(tdiv_q, mpz_tdiv_q(x, c, m))                                                                \
    OF(tdiv_r, mpz_tdiv_r(x, c, m))                                                                \
    OF(tdiv_qr, mpz_tdiv_qr(x, y, c, m))                                                           \
    OF(fdiv_qr, mpz_fdiv_qr(x, y, c, m))                                                           \
    OF(cdiv_qr, mpz_set(x, c); mpz_cdiv_qr(x, y, x, m))                                            \
    OF(mod, mpz_set(x, c); mpz_mod(x, x, m))                                                       \
    OF(divexact, mpz_divexact(x, c, a))                                                            \
    OF(powm, mpz_powm(x, a, b, m))                                                                 \
    OF(powm_ui, mpz_powm_ui(x, a, 65537, m))                                                       \
    OF(sqrt, mpz_sqrt(x, c))                                                                       \
    OF(sqrtrem, mpz_sqrtrem(x, y, c))                                                              \
    OF(root, mpz_set(x, c); mpz_root(x, x, 3))                                                     \
    OF(rootrem, mpz_rootrem(x, y, c, 5))                                                           \
    OF(gcd, mpz_gcd(x, c, a))                                                                      \
    OF(gcdext, mpz_gcdext(x, y, z, a, b))                                                          \
    OF(gcdext_without, mpz_gcdext(x, y, NULL, a, b))                                               \
    OF(invert, mpz_invert(x, a, m))                                                                \
    OF(lcm, mpz_lcm(x, a, b))                                                                      \
    OF(remove, mpz_remove(x, c, a))                                                                \
    OF(nextprime, mpz_nextprime(x, m))                                                             \
    OF(fac, mpz_fac_ui(x, BITS))                                                                   \
    OF(fac2, mpz_2fac_ui(x, BITS))                                                                 \
    OF(mfac, mpz_mfac_uiui(x, BITS, 3))                                                            \
    OF(primorial, mpz_primorial_ui(x, 3 * BITS))                                                   \
    OF(bin_uiui, mpz_bin_uiui(x, BITS, BITS / 2))                                                  \
    OF(bin_ui, mpz_bin_ui(x, m, 20))                                                               \
    OF(fib, mpz_fib_ui(x, 3 * BITS))                                                               \
    OF(fib2, mpz_fib2_ui(x, y, 3 * BITS))                                                          \
    OF(lucnum, mpz_lucnum_ui(x, 3 * BITS))                                                         \
    OF(lucnum2, mpz_lucnum2_ui(x, y, 3 * BITS))                                                    \
    OF(set_str, mpz_set_str(x, text, 10))                                                          \
    OF(sscanf, gmp_sscanf(text, "%Zd", x))                                                         \
    OF(inp_str, FILE *f = fmemopen(text, strlen(text), "r"); mpz_inp_str(x, f, 10); fclose(f))     \
    OF(mpq_mul, OF_MPQ(mpq_mul(r, q, s)))                                                          \
    OF(mpq_div, OF_MPQ(mpq_div(r, q, s)))                                                          \
    OF(mpq_add, OF_MPQ(mpq_add(r, q, s)))                                                          \
    OF(mpq_sub, OF_MPQ(mpq_sub(r, q, s)))                                                          \
    OF(mpq_add_in_place, OF_MPQ(mpq_set(r, q); mpq_add(r, r, s)))                                  \
    OF(mpq_canonicalize, mpz_mul(x, c, a); mpz_mul(y, c, b); OF_MPQ(mpq_canonicalize(r)))          \
    OF(mpq_set_str, OF_MPQ(mpq_set_str(r, fraction, 10)))                                          \
    OF(mpq_sscanf, OF_MPQ(gmp_sscanf(fraction, "%Qd", r)))

/* Makes a fraction r from the numerator x and the denominator y, runs the statements, and copies
 * both back to x and y. */
#define OF_MPQ(...)                                                                                \
    mpq_t r;                                                                                       \
    *mpq_numref(r) = *x;                                                                           \
    *mpq_denref(r) = *y;                                                                           \
    __VA_ARGS__;                                                                                   \
    *x = *mpq_numref(r);                                                                           \
    *y = *mpq_denref(r)

#define DEFINE(name, ...)                                                                          \
    static void name##_call(mpz_ptr x, mpz_ptr y, mpz_ptr z) {                                     \
        (void)y;                                                                                   \
        (void)z;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
FUNCTIONS(DEFINE)

static const struct {
    const char *name;
    function *call;
} functions[] = {
#define ENTRY(name, ...) {#name, name##_call},
    FUNCTIONS(ENTRY)};
enum { COUNT = sizeof functions / sizeof *functions };

static void set_up(void) {
    call_init();
    memory_least = 8;
    pool_open();
    mpz_inits(a, b, c, m, NULL);
    mpq_inits(q, s, NULL);
    mpz_ui_pow_ui(a, 3, BITS);
    mpz_add_ui(a, a, 2);
    mpz_ui_pow_ui(b, 7, BITS / 2);
    mpz_mul(c, a, b);
    mpz_ui_pow_ui(m, 5, BITS / 3);
    mpz_add_ui(m, m, 2);
    mpz_set(mpq_numref(q), a);
    mpz_set(mpq_denref(q), b);
    mpz_set(mpq_numref(s), b);
    mpz_set(mpq_denref(s), m);
    mpq_canonicalize(q);
    mpq_canonicalize(s);
    text = mpz_get_str(NULL, 10, c);
    fraction = mpq_get_str(NULL, 10, q);
}

/* Gives each of three results memory of ROOM limbs: in the pool, or in static arrays of the
 * program, which no memory function has allocated. */
static void give_room(mpz_t *x, bool is_own) {
    static mp_limb_t own[3][ROOM + 1];
    for (int i = 0; i < 3; i++) {
        memory_init(x[i], ROOM);
        if (is_own) {
            mpz_clear(x[i]);
            *x[i] = (__mpz_struct){._mp_alloc = ROOM, ._mp_d = own[i]};
        }
        mpz_set_ui(x[i], 1);
    }
}

START_TEST(test_results_stay) {
    bool is_own = _i >= COUNT;
    mpz_t x[3];
    mp_limb_t *before[3];
    give_room(x, is_own);
    for (int i = 0; i < 3; i++)
        before[i] = x[i]->_mp_d;
    unsigned long long sent = mpgpu_sent();
    functions[_i % COUNT].call(x[0], x[1], x[2]);
    ck_assert_msg(mpgpu_sent() > sent, "%s is GMP's", functions[_i % COUNT].name);
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(x[i]->_mp_d == before[i] && x[i]->_mp_alloc == ROOM,
                      "%s: result %d moved, or has room for %d limbs", functions[_i % COUNT].name,
                      i, x[i]->_mp_alloc);
        if (!is_own)
            mpz_clear(x[i]);
    }
}
END_TEST

/* If a result's variable has no memory yet, the library must allocate it in the pool directly,
 * without a copy. */
START_TEST(test_fresh_results_are_in_the_pool) {
    mpz_t x;
    mpz_init(x);
    uint64_t blocks = ask().blocks;
    mpz_mul(x, a, b);
    ck_assert(pool_owns(x->_mp_d));
    ck_assert_uint_eq(ask().blocks, blocks + 1);
    mpz_tdiv_q(x, c, b);
    mpz_clear(x);
    mpz_init(x);
    mpz_tdiv_q(x, c, b);
    ck_assert(pool_owns(x->_mp_d));
    mpz_clear(x);
}
END_TEST

int main(void) {
    testing_set_up = set_up;
    return testing_main(
        "room", 60,
        TESTS(LOOP(test_results_stay, 2 * COUNT), ONCE(test_fresh_results_are_in_the_pool)));
}
