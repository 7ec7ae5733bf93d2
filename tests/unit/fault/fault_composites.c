/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations of test_composite_fault and test_handlers_fault. Each is a line of OPERATIONS. */
#include "tests/unit/fault/fault_composites.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/support/testing.h"

/* Names for the results (R, S, TEXT) and the operands (A, B, C, DIGITS). A is a multiple of B.
 * DIGITS is a decimal text; NO_NUMBER is the same text with an invalid character. */
#define R results[0]
#define S results[1]
#define TEXT result_text
#define A operands[0]
#define B operands[1]
#define C operands[2]
#define E operands[3]
#define DIGITS operand_text
#define NO_NUMBER wrong_text

/* X(name, limbs of A, of B and of C, statement). Operations with `wrapped` in their name use a
 * product modulo 2^(64 n) - 1. */
#define OPERATIONS(X)                                                                              \
    X(mpz_submul, 0, 8200, 8300, (mpz_set(R, C), mpz_submul(R, B, C)))                             \
    X(mpz_submul_more, 17000, 8200, 8200, (mpz_set(R, A), mpz_submul(R, B, C)))                    \
    X(mpz_tdiv_qr, 420, 200, 0, mpz_tdiv_qr(R, S, A, B))                                           \
    X(mpz_tdiv_qr_long, 2900, 1300, 0, mpz_tdiv_qr(R, S, C, B))                                    \
    X(mpz_tdiv_qr_wrapped, 0, 12000, 24000, mpz_tdiv_qr(R, S, C, B))                               \
    X(mpz_fdiv_q, 400, 150, 0, mpz_fdiv_q(R, C, B))                                                \
    X(mpz_cdiv_q, 400, 300, 0, mpz_cdiv_q(R, A, B))                                                \
    X(mpz_mod, 300, 160, 0, mpz_mod(R, C, B))                                                      \
    X(mpz_divexact, 350, 180, 0, mpz_divexact(R, A, B))                                            \
    X(mpz_powm, 0, 90, 120, mpz_powm(R, C, E, B))                                                  \
    X(mpz_powm_in_place, 0, 90, 30, (mpz_set(R, E), mpz_powm(R, C, R, B)))                         \
    X(mpz_powm_ui, 0, 60, 200, mpz_powm_ui(R, C, 0xb5, B))                                         \
    X(mpz_sqrtrem, 0, 0, 300, mpz_sqrtrem(R, S, C))                                                \
    X(mpz_root, 0, 0, 300, mpz_root(R, C, 3))                                                      \
    X(mpz_sqrtrem_long, 0, 0, 1200, mpz_sqrtrem(R, S, C))                                          \
    X(mpz_rootrem, 0, 0, 1200, mpz_rootrem(R, S, C, 5))                                            \
    X(mpz_root_exactly, 0, 0, 1200, mpz_set_ui(S, (unsigned)mpz_root(R, C, 3)))                    \
    X(mpz_perfect_square_p, 0, 0, 300,                                                             \
      (mpz_mul(R, C, C), mpz_set_ui(S, (unsigned)mpz_perfect_square_p(R))))                        \
    X(mpz_get_str, 0, 0, 300, TEXT = mpz_get_str(NULL, 10, C))                                     \
    X(mpz_set_str, 0, 0, 300, mpz_set_str(R, DIGITS, 10))                                          \
    X(mpz_set_str_of_none, 0, 0, 300,                                                              \
      (mpz_set(R, C), mpz_set_str(R, NO_NUMBER, 10), mpz_set_str(S, DIGITS, 10)))                  \
    X(mpz_fac_ui, 0, 0, 0, mpz_fac_ui(R, 3000))                                                    \
    X(mpz_bin_uiui, 0, 0, 0, mpz_bin_uiui(R, 20000, 9000))                                         \
    X(mpz_fib_ui, 0, 0, 0, mpz_fib_ui(R, 40000))                                                   \
    X(mpz_pow_ui, 0, 0, 20, mpz_pow_ui(R, C, 75))                                                  \
    X(mpz_ui_pow_ui, 0, 0, 0, mpz_ui_pow_ui(R, 0xfedcba9, 5555))

enum { RESULTS = 2, OPERANDS = 4, PAGES = 1 << 21, COVER = 0x5a };
static mpz_t results[RESULTS], operands[OPERANDS], copies[OPERANDS];
static char *result_text, *operand_text, *wrong_text;
static char *pages; /* of the operands */
static size_t used; /* bytes */

#define DEFINE(name, an, bn, cn, statement)                                                        \
    static void call_##name(void) {                                                                \
        statement;                                                                                 \
    }
OPERATIONS(DEFINE)

static const struct {
    const char *name;
    size_t limbs[3];
    void (*call)(void);
} table[] = {
#define ENTRY(name, an, bn, cn, statement) {#name, {an, bn, cn}, call_##name},
    OPERATIONS(ENTRY)};
enum { COUNT = sizeof table / sizeof *table };

static int chosen;                   /* of the table */
static mpz_t right_results[RESULTS]; /* by GMP */
static char *right_text;

int composites_count(void) {
    return COUNT;
}

const char *composite_name(void) {
    return table[chosen].name;
}

unsigned long composite_sends(void) {
    void (*call)(void) = table[chosen].call;
    return call == call_mpz_perfect_square_p || call == call_mpz_set_str_of_none ? 2 : 1;
}

bool composite_is_whole(void) {
    void (*call)(void) = table[chosen].call;
    return call == call_mpz_get_str || call == call_mpz_set_str || call == call_mpz_set_str_of_none;
}

/* Sets x to n limbs, some of which are 0 or have all bits set. */
static void fill(mpz_t x, size_t n, mp_limb_t seed) {
    mp_limb_t *p = mpz_limbs_write(x, (mp_size_t)n + 1);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = seed >> 62 == 0 ? 0 : seed >> 62 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
    p[n - (n > 0)] |= 1;
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* Makes operands[i] a read-only number whose limbs are a copy of x's limbs in the pages that can be
 * protected. */
static void place(mpz_t x, int i) {
    size_t bytes = mpz_size(x) * sizeof(mp_limb_t);
    memcpy(pages + used, mpz_limbs_read(x), bytes);
    mpz_roinit_n(operands[i], (const mp_limb_t *)(pages + used), (mp_size_t)mpz_size(x));
    used += bytes;
    ck_assert(used < PAGES);
}

/* Makes the operands: A is a multiple of B, C is not. C has A's size unless the table OPERATIONS
 * gives its own. */
static void make_operands(int op) {
    const size_t *limbs = table[op].limbs;
    fill(copies[1], limbs[1], 2);
    fill(copies[0], limbs[0] > limbs[1] ? limbs[0] - limbs[1] : 0, 1);
    mpz_mul(copies[0], copies[0], copies[1]);
    fill(copies[2], limbs[2] ? limbs[2] : limbs[0], 3);
    mpz_set_ui(copies[3], 0x5a5);
    used = 0;
    for (int i = 0; i < OPERANDS; i++)
        place(copies[i], i);
    operand_text = pages + used;
    ck_assert(used + 2 * (mpz_sizeinbase(copies[2], 10) + 2) < PAGES);
    mpz_get_str(operand_text, 10, copies[2]);
    size_t n = strlen(operand_text);
    wrong_text = memcpy(operand_text + n + 1, operand_text, n + 1);
    wrong_text[n / 2] = '!';
}

static void begin_results(void) {
    for (int i = 0; i < RESULTS; i++)
        mpz_init(results[i]);
    result_text = NULL;
}

static void release_results(void) {
    for (int i = 0; i < RESULTS; i++)
        mpz_clear(results[i]);
    free(result_text);
    begin_results();
}

static void protect(int how) {
    ck_assert_int_eq(mprotect(pages, PAGES, how), 0);
}

/* At the first call, allocates the pages for operands and initialises the numbers. */
static void begin(void) {
    if (pages)
        return;
    pages = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    for (int i = 0; i < OPERANDS; i++)
        mpz_init(copies[i]);
    begin_results();
}

void composite_choose(int op) {
    begin();
    chosen = op;
    make_operands(op);
    composite_call();
    memcpy(right_results, results, sizeof results);
    right_text = result_text;
    begin_results();
}

void composite_call(void) {
    table[chosen].call();
}

static void check_operands(const char *what) {
    for (int i = 0; i < OPERANDS; i++)
        ck_assert_msg(mpz_cmp(operands[i], copies[i]) == 0, "%s: operand %d: %s", composite_name(),
                      i, what);
}

void composite_check(const char *what) {
    for (int i = 0; i < RESULTS; i++)
        ck_assert_msg(mpz_cmp(results[i], right_results[i]) == 0, "%s: result %d: %s",
                      composite_name(), i, what);
    ck_assert_msg(!right_text || (result_text && strcmp(result_text, right_text) == 0),
                  "%s: text: %s", composite_name(), what);
    check_operands(what);
    release_results();
}

/* Returns the limbs of result i, and sets *bytes to their length in bytes. */
static unsigned char *bytes_of(int i, size_t *bytes) {
    *bytes = mpz_size(results[i]) * sizeof(mp_limb_t);
    return (unsigned char *)results[i]->_mp_d;
}

void composite_protect(void) {
    size_t bytes;
    for (int i = 0; i < RESULTS; i++) {
        unsigned char *p = bytes_of(i, &bytes);
        memset(p, COVER, bytes);
    }
    protect(PROT_NONE);
}

void composite_restore(const char *what) {
    size_t bytes;
    protect(PROT_READ | PROT_WRITE);
    check_operands(what);
    for (int i = 0; i < RESULTS; i++) {
        const unsigned char *p = bytes_of(i, &bytes);
        for (size_t k = 0; k < bytes; k++)
            ck_assert_msg(p[k] == COVER, "%s: written late: %s", composite_name(), what);
    }
    release_results();
}
