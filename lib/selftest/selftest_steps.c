/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of linear steps such as shifts (kernels/sums/), and of the check of equations
 * by residues (kernels/check/equation.cl). */
#include <string.h>

#include "kernels/check/chain.h"
#include "kernels/check/key.h"
#include "kernels/check/residue.h"
#include "kernels/common/carry.h"
#include "kernels/sums/divide_1.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/multiply/halves.h"
#include "lib/multiply/remainder.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

/* ---- products by a limb l: u l, v + u l, and v - u l, which is negative */

static void verify_limb(struct known_answer *t) {
    const uint64_t limb = 0xfffffffe00000003;
    const struct number to = number_part(t->r, 0, t->n + 4), none = number_part(t->x[1], 0, 0);
    uint64_t v = t->residue[1], uv = residue_mul(t->residue[0], limb % RESIDUE_MODULUS);
    uint64_t power = residue_of_power(to.words);
    uint64_t right[] = {uv, residue_add(v, uv),
                        residue_add(residue_add(v, power), RESIDUE_MODULUS - uv)};
    for (int kind = 0; kind < 3; kind++) {
        KNOWN_ANSWER(t, number_mul_1(t->s, to, t->x[0], limb, kind ? t->x[1] : none, kind == 2));
        known_answer_residue(t, to.words, right[kind], "product by a limb");
    }
}

enum gpu_status selftest_limb(struct context *s) {
    return known_answer_ensure(s, KNOWN_LIMB, 10008, verify_limb, NULL);
}

/* ---- divide_1.cl */

/* Words of the dividend: two full chunks (DIVIDE_1_CHUNK), and a part of a third one. */
enum { DIVIDEND = 2 * DIVIDE_1_CHUNK + 20 };

/* Tests quotients by three words: the least and the greatest word whose highest bit is set, and one
 * between them. */
static void verify_divide(struct known_answer *t) {
    static const uint32_t divisors[] = {0x80000000, 0xc0000003, 0xffffffff};
    uint32_t right[DIVIDEND];
    for (int k = 0; k < 3; k++) {
        uint64_t rest = 0;
        for (size_t i = DIVIDEND; i-- > 0; rest %= divisors[k]) {
            rest = rest << 32 | t->host[k & 1][i];
            right[i] = (uint32_t)(rest / divisors[k]);
        }
        KNOWN_ANSWER(
            t, number_divide_1(t->s, number_part(t->r, 0, DIVIDEND), t->x[k & 1], divisors[k]));
        known_answer_compare(t, t->r.mem, 0, right, DIVIDEND, "quotient by a word");
    }
}

enum gpu_status selftest_divide(struct context *s) {
    return known_answer_ensure(s, KNOWN_DIVIDE, DIVIDEND, verify_divide, NULL);
}

/* ---- kernel halves.cl: the number that it joins must be congruent to both halves */

enum { HALF = 3 * CARRY_CHUNK, STEP = 4, CASES = 8 };

/* Returns true if {x, 2 HALF} is congruent to {half, HALF} modulo B^HALF - 1, or modulo B^HALF + 1
 * if `plus`, where B = 2^32. */
static bool has_half(const uint32_t *x, const uint32_t *half, bool plus) {
    int64_t carry = 0;
    bool is_same = true;
    for (int round = 0; round < 2; round++) {
        carry = carry != 0;
        is_same = true;
        for (size_t i = 0; i < HALF; i++, carry >>= 32) {
            carry += plus ? (int64_t)x[i] - x[HALF + i] : (int64_t)x[i] + x[HALF + i];
            is_same &= half[i] == (uint32_t)carry;
        }
    }
    return is_same;
}

/* Tests that halves_make joins two halves to one number. In case k, the half modulo B^HALF - 1 (B =
 * 2^32) is one operand from word STEP k up. The half modulo B^HALF + 1 is the first words of the
 * other operand. */
static void verify_halves(struct known_answer *t) {
    for (size_t k = 0; k < CASES; k++) {
        const size_t a = k & 1, b = !a;
        KNOWN_ANSWER(t, halves_make(t->s, number_part(t->r, 0, 2 * HALF),
                                    number_part(t->x[a], STEP * k, HALF),
                                    number_part(t->x[b], 0, HALF)));
        known_answer_down(t, t->got, t->r.mem, 0, 2 * HALF);
        known_answer_expect(
            t, has_half(t->got, t->host[a] + STEP * k, false) && has_half(t->got, t->host[b], true),
            "product of halves", HALF);
    }
}

enum gpu_status selftest_halves(struct context *s) {
    return known_answer_ensure(s, KNOWN_HALVES, HALF + STEP * CASES, verify_halves, NULL);
}

/* ---- remainder.cl */

/* Lengths in words, for remainders N - q d from q d modulo B^w - 1 (B = 2^32). REST: compared words
 * of the remainder. HIGH: words of N above B^w. ALL: the largest w. FACTOR: words of q and of d. */
enum { REST = 2 * CARRY_CHUNK + 20, HIGH = CARRY_CHUNK + 24, ALL = REST + 24, FACTOR = 4 };

/* Returns true if {r, REST} is {low, REST} + {high, HIGH} - {p, REST} - k. */
static bool is_rest(const uint32_t *r, const uint32_t *low, const uint32_t *high, const uint32_t *p,
                    int k) {
    int64_t sum = -k;
    for (size_t i = 0; i < REST; i++, sum >>= 32) {
        sum += (int64_t)low[i] + (i < HIGH ? high[i] : 0) - p[i];
        if (r[i] != (uint32_t)sum)
            return false;
    }
    return true;
}

/* Tests the kernel that computes remainders N - q d, with d = 1. One operand serves as N, the
 * other as q d modulo B^from - 1 (B = 2^32). The kernel must find its correction k, which is -1,
 * 0 or 1, from the lowest words of N and q d. The lowest word of q determines which k is right. */
static void verify_remainder(struct known_answer *t) {
    for (size_t i = 0; i < 6; i++) {
        const size_t n = i & 1, from = ALL - 4 * i;
        const uint32_t *low = t->host[n], *p = t->host[!n];
        const int k = (int)(i % 3) - 1;
        const uint32_t factors[2 * FACTOR] = {p[0] - low[from] + (uint32_t)k, 0, 0, 0, 1};
        const struct number q = number_part(t->r, REST + FACTOR, FACTOR),
                            d = number_part(t->r, REST + 2 * FACTOR, FACTOR);
        known_answer_up(t, q.mem, q.at, factors, 2 * FACTOR);
        KNOWN_ANSWER(t, remainder_make(t->s, number_part(t->r, 0, REST),
                                       number_part(t->x[n], 0, from + HIGH),
                                       number_part(t->x[!n], 0, from), q, d));
        known_answer_down(t, t->got, t->r.mem, 0, REST);
        known_answer_expect(t, is_rest(t->got, low, low + from, p, k), "remainder", REST);
    }
}

enum gpu_status selftest_remainder(struct context *s) {
    return known_answer_ensure(s, KNOWN_REMAINDER, ALL + HIGH, verify_remainder, NULL);
}

/* ---- window.cl */

enum { WORDS = 1023, STEPS = 1 };

static uint32_t word_of(const uint32_t *x, uint64_t i) {
    return i < WORDS ? x[i] : 0;
}

/* Tests the shift of u by 32 skip + bits bits to the right. If `complement`, the kernel inverts all
 * bits. */
static void verify_shift(struct known_answer *t, uint64_t skip, uint32_t bits,
                         uint32_t complement) {
    uint32_t right[WORDS + 40];
    const size_t n = sizeof right / sizeof *right;
    for (size_t i = 0; i < n; i++) {
        uint64_t low = word_of(t->host[0], i + skip), high = word_of(t->host[0], i + skip + 1);
        right[i] = (uint32_t)((low | high << 32) >> bits) ^ complement;
    }
    KNOWN_ANSWER(t,
                 launch_window(t->s, launch_row(ceil_div(n, CARRY_THREADS)), t->r.mem, t->r.at, n,
                               t->x[0].mem, t->x[0].at, t->x[0].words, skip, bits, complement));
    known_answer_compare(t, t->r.mem, 0, right, n, "shift");
}

/* Tests the selection of u or v by bit 0 of word `at` of u. If `demand` is 0, the kernel stores
 * this bit after the result. Otherwise the kernel compares the bit with bit 0 of `demand`, and
 * stores the next number of the check's chain (chain_next) if they are equal, or 0. */
static void verify_choice(struct known_answer *t, uint64_t at, uint32_t demand) {
    const struct number u = t->x[0], v = t->x[1];
    uint32_t flag = t->host[0][at] & 1, right[WORDS + 2];
    uint64_t kept = !demand ? flag : flag == (demand & 1) ? chain_next(0, demand) : 0;
    memcpy(right, t->host[flag], WORDS * sizeof *right);
    memcpy(right + WORDS, &kept, sizeof kept);
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, t->r.mem, WORDS * sizeof *right, 2 * sizeof *right));
    KNOWN_ANSWER(t, launch_choose(t->s, launch_row(ceil_div(WORDS, CARRY_THREADS)), t->r.mem,
                                  t->r.at, WORDS, u.mem, u.at, u.words, v.mem, v.at, v.words, u.mem,
                                  at, demand, t->r.mem, WORDS));
    known_answer_compare(t, t->r.mem, 0, right, WORDS + 2, "choice");
}

/* ---- equation.cl */

/* Offsets in the result's buffer, in entries of 64 bits. PARTS_AT: residues of parts of numbers;
 * RECORD_U, RECORD_V: the check's records of u and v. */
enum { PARTS_AT = 16, RECORD_U = CHECK_RECORDS + 1, RECORD_V, CHECK_ENTRIES };

struct check_test {
    struct known_answer *t;
    gpu_mem tables;
    uint64_t groups, shift;
    uint64_t state;
};

/* Queues the computation of the residues of all parts of x and y. */
static void take(struct check_test *k, struct number x, struct number y) {
    KNOWN_ANSWER(k->t, launch_residue(k->t->s, launch_grid(k->groups, 2), x.mem, x.at, x.words,
                                      y.mem, y.at, y.words, x.mem, x.at, x.words, y.mem, y.at,
                                      y.words, k->tables, tables_residue_at(), STEPS, KEY_NONE,
                                      k->t->r.mem, PARTS_AT));
}

static uint64_t places(uint64_t r, uint64_t w, uint64_t u, uint64_t v, uint64_t a) {
    return r << EQUATION_BITS * EQUATION_R | w << EQUATION_BITS * EQUATION_W |
           u << EQUATION_BITS * EQUATION_U | v << EQUATION_BITS * EQUATION_V |
           a << EQUATION_BITS * EQUATION_A;
}

static void equation(struct check_test *k, uint64_t taken, uint64_t operands, uint64_t e,
                     uint64_t f, uint64_t g, uint64_t h, bool holds) {
    if (holds)
        k->state = chain_next(k->state, chain_equation(operands, taken, e, f, g, h));
    KNOWN_ANSWER(k->t, launch_equation(k->t->s, launch_row(1), k->t->r.mem, PARTS_AT, k->groups,
                                       taken, k->shift, operands, e, f, g, h, k->tables,
                                       tables_residue_at(), k->t->r.mem, 0));
}

/* Tests the check of two equations: 5 u v = 5 v u, and u v = f v + u - f, where f is the residue of
 * u. Then tests the kernel that verifies that u and v are unchanged. If `holds` is false, one side
 * is 1 too large, and u and v are exchanged, so the check must fail. */
static void verify_equations(struct known_answer *t, bool holds) {
    const uint64_t group = STEPS * RESIDUE_VECTOR * RESIDUE_THREADS, more = !holds;
    const uint64_t both =
        2 | (uint64_t)RECORD_U << TAKEN_ENTRY(0) | (uint64_t)RECORD_V << TAKEN_ENTRY(1);
    const struct check_modulus q = t->s->modulus;
    const uint64_t u = residue_of(t->host[0], WORDS, q.m), v = residue_of(t->host[1], WORDS, q.m);
    struct check_test k = {
        .t = t, .groups = ceil_div(WORDS, group), .shift = modulus_power_of_words(group, q)};
    uint64_t r[CHECK_ENTRIES] = {0};
    KNOWN_ANSWER(t, tables_get(t->s, &k.tables));
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, t->r.mem, 0, sizeof r));
    take(&k, t->x[0], t->x[1]);
    equation(&k, both, places(1, 2, 2, 1, 0), 5, 5, 0, more, holds);
    equation(&k, 0, places(RECORD_U, RECORD_V, RECORD_V, 0, RECORD_U), 1, u, 1,
             (q.m - u + more) % q.m, holds);
    if (holds)
        k.state = chain_next(k.state, both);
    else
        take(&k, t->x[1], t->x[0]);
    KNOWN_ANSWER(t, launch_unchanged(t->s, launch_row(1), t->r.mem, PARTS_AT, k.groups, both,
                                     k.shift, k.tables, tables_residue_at(), t->r.mem, 0));
    known_answer_down(t, r, t->r.mem, 0, 2 * CHECK_ENTRIES);
    known_answer_expect(t, r[CHECK_STATE] == k.state && r[RECORD_U] == u && r[RECORD_V] == v,
                        "equation", t->n);
}

static void verify_window(struct known_answer *t) {
    static const uint64_t skips[] = {0, 37, (uint64_t)-5, WORDS};
    for (uint32_t k = 0; k < 4; k++)
        verify_shift(t, skips[k], 11 * k % 32, k & 1 ? ~0u : 0);
    for (uint32_t at = 0; at < 24; at++)
        verify_choice(t, at, at % 3 ? 1 + at % 3 : 0);
    verify_equations(t, false);
    verify_equations(t, true);
}

enum gpu_status selftest_window(struct context *s) {
    return known_answer_ensure(s, KNOWN_WINDOW, WORDS, verify_window, NULL);
}

/* ---- mersenne.cl */

/* FOLDED: words of the dividends that are reduced modulo 2^FOLD_P - 1. They fill two chunks, and
 * a part of a third one. TOP: the word with bit FOLD_P. */
enum { FOLDED = 2 * CARRY_CHUNK + 24, TOP = FOLDED - 4, TOP_BIT = 7, FOLD_P = 32 * TOP + TOP_BIT };
#define TOP_ONES (((uint32_t)1 << TOP_BIT) - 1)

/* Returns the bits of word i that are below bit FOLD_P. */
static uint32_t below_p(size_t i) {
    return i < TOP ? UINT32_MAX : i == TOP ? TOP_ONES : 0;
}

/* Sets {right, FOLDED} to the remainder of x, and returns the quotient. */
static uint64_t divide_on_host(uint32_t *right, const uint32_t *x) {
    const uint64_t h = (x[TOP] | (uint64_t)x[TOP + 1] << 32) >> TOP_BIT | (uint64_t)x[TOP + 2]
                                                                              << (64 - TOP_BIT);
    uint64_t carry = h, ones = 1;
    for (size_t i = 0; i < FOLDED; i++) {
        const uint64_t sum = (x[i] & below_p(i)) + (carry & UINT32_MAX);
        right[i] = (uint32_t)sum;
        carry = (carry >> 32) + (sum >> 32);
        ones &= right[i] == below_p(i);
    }
    const uint64_t again = ones | right[TOP] >> TOP_BIT;
    carry = again;
    for (size_t i = 0; i < FOLDED; i++, carry >>= 32) {
        carry += right[i];
        right[i] = (uint32_t)carry & below_p(i);
    }
    return h + again;
}

/* Tests the division of {x, FOLDED} by 2^FOLD_P - 1, and that the kernel mersenne_less accepts the
 * remainder as less than the divisor. */
static void verify_division(struct known_answer *t, const uint32_t *x) {
    enum { QUOTIENT = FOLDED, STATE = QUOTIENT + 4, ALL = STATE + 2 };
    uint32_t right[ALL] = {0};
    const uint64_t quotient = divide_on_host(right, x), state = chain_next(0, 6);
    memcpy(right + QUOTIENT, &quotient, sizeof quotient);
    memcpy(right + STATE, &state, sizeof state);
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, t->r.mem, 0, sizeof right));
    known_answer_up(t, t->x[0].mem, t->x[0].at, x, FOLDED);
    KNOWN_ANSWER(t, number_reduce_mersenne(t->s, number_part(t->r, 0, FOLDED),
                                           number_part(t->r, QUOTIENT, STATE), t->x[0], FOLD_P));
    KNOWN_ANSWER(t, launch_mersenne_less(t->s, launch_row(1), t->r.mem, 0, FOLDED, FOLD_P, 6,
                                         t->r.mem, STATE));
    known_answer_compare(t, t->r.mem, 0, right, ALL, "remainder modulo 2^p - 1");
}

/* Tests that the kernel mersenne_less finds {x, FOLDED} not less than 2^FOLD_P - 1. */
static void verify_excess(struct known_answer *t, const uint32_t *x) {
    static const uint32_t zeros[2];
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, t->r.mem, 0, sizeof zeros));
    known_answer_up(t, t->x[0].mem, t->x[0].at, x, FOLDED);
    KNOWN_ANSWER(t, launch_mersenne_less(t->s, launch_row(1), t->x[0].mem, t->x[0].at, FOLDED,
                                         FOLD_P, 6, t->r.mem, 0));
    known_answer_compare(t, t->r.mem, 0, zeros, 2, "number above 2^p - 2");
}

/* Tests the reduction modulo 2^p - 1, p = FOLD_P, which adds the part of the dividend above bit p
 * to the part below. One dividend is an operand. The others are h 2^p + 2^p - 4 for h = 2, 3 and
 * 4. The sums of their parts are 2^p - 2, 2^p - 1 and 2^p. */
static void verify_mersenne(struct known_answer *t) {
    uint32_t x[FOLDED];
    memcpy(x, t->host[0], sizeof x);
    x[FOLDED - 1] = 0;
    verify_division(t, x);
    memset(x, 0xff, sizeof x);
    x[TOP] = TOP_ONES, x[TOP + 1] = x[TOP + 2] = x[TOP + 3] = 0;
    verify_excess(t, x);
    for (uint32_t h = 2; h <= 4; h++) {
        x[0] = (uint32_t)-4;
        x[TOP] = TOP_ONES | h << TOP_BIT;
        verify_division(t, x);
    }
    memset(x, 0, sizeof x);
    x[TOP] = TOP_ONES + 1;
    verify_excess(t, x);
}

enum gpu_status selftest_mersenne(struct context *s) {
    return known_answer_ensure(s, KNOWN_MERSENNE, FOLDED, verify_mersenne, NULL);
}
