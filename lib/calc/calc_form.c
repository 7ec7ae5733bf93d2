/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reduces x modulo M = k 2^e + s, where s is -1 or 1 (R. Crandall and C. Pomerance, "Prime
 * Numbers", section 9.2.3). The code computes the quotient q = floor(x / (k 2^e)). With t = floor(x
 * / 2^e) - k q, which is below k,
 *
 *     x - q M = (x mod 2^e) + t 2^e - s q.
 *
 * The left side is computed modulo a power of two slightly above M. So only the lowest words of x,
 * of s q and of k q 2^e are needed. A division by the word k computes q; for k = 1 a shift does.
 *
 * Bounds. M has `bits` bits, and x < 2^(2 * bits + i) for some i. M and k 2^e are at least 2^(bits
 * - 1), so q < 2^(bits + i + 1) <= 2^(i+2) M.
 *
 * - For s = -1, x - q M is below k 2^e + q <= (2^(i+2) + 1) M.
 * - For s = 1, x - q M is between -2^(i+2) M and M. So 2^(i+2) M is added.
 * - Then 2^(i+2) M, ... 4 M, 2 M and M are subtracted in turn, each only if the number is not less.
 * - All numbers are below 2^(i+3) M < 2^(bits + i + 3).
 *
 * If x is a product of two residues, only one subtraction of M remains.
 *
 * - For s = -1, x <= M^2 and q <= M^2 / (M + 1) < M, so x - q M < k 2^e + M - 1 = 2 M.
 * - For s = 1, x <= (M - 1)^2 and q <= M - 1, so M is added, which yields less than 2 M. */
#include "lib/calc/calc_form.h"

enum { PLUS_BIT = 32, SMALL_BITS = 3, LIMB_BITS = 64 };

static uint64_t bits_of(uint64_t x) {
    return x ? LIMB_BITS - (uint64_t)__builtin_clzll(x) : 0;
}

/* Returns the code of the modulus N + 1 if `plus`, otherwise of N - 1, where N = x 2^(64 i) and x
 * > 0. N is written as k 2^e with an odd k. Returns 0 if k does not fit 32 bits, or e is too
 * small. */
static uint64_t code_of(unsigned __int128 x, size_t i, bool plus) {
    uint64_t zeros = 0;
    for (; (x & 1) == 0; x >>= 1)
        zeros++;
    if (x >> 32 != 0 || LIMB_BITS * i + zeros < CALC_QUAD_BITS)
        return 0;
    return (uint64_t)x | (uint64_t)plus << PLUS_BIT;
}

uint64_t calc_form_find(const uint64_t *m, size_t n) {
    const bool plus = n > 0 && m[0] == 1;
    const uint64_t fill = plus ? 0 : UINT64_MAX;
    size_t i = 1;
    if (n < 2 || (!plus && m[0] != UINT64_MAX))
        return 0;
    while (i < n && m[i] == fill)
        i++;
    if (i + 2 < n)
        return 0;
    if (i == n)
        return code_of(1, n, plus);
    unsigned __int128 x = i + 1 < n ? m[i + 1] : 0;
    return code_of((x << LIMB_BITS | m[i]) + !plus, i, plus);
}

struct calc_form calc_form_of(uint64_t code, uint64_t bits) {
    const uint32_t k = (uint32_t)code;
    const struct calc_form none = {0, false, 0};
    if (code >> (PLUS_BIT + 1) != 0 || k % 2 == 0 || bits < CALC_QUAD_BITS + 32 + 1)
        return none;
    const bool plus = code >> PLUS_BIT != 0;
    /* 2^e - 1 has one bit less than 2^e. */
    return (struct calc_form){k, plus, bits - (k == 1 && !plus ? 0 : bits_of(k))};
}

/* Returns floor(x / (k 2^e)). The divisor of divide_1 must have the highest bit of a word. So the
 * function shifts both k and the dividend up. */
static struct number quotient(struct calc *c, const struct calc_form *f, struct number x,
                              uint64_t x_bits) {
    const uint64_t up = f->k == 1 ? 0 : 32 - bits_of(f->k);
    struct number q = calc_take(c, calc_words(x_bits - f->e + up + 1)); /* not empty */
    calc_shift(c, q, x, (int64_t)(f->e - up), false);
    if (f->k > 1)
        c->engine->divide_1(c, q, q, f->k << up);
    return q;
}

/* Returns 2^i x, in `words` words. */
static struct number shifted(struct calc *c, uint64_t words, struct number x, int i) {
    struct number r = calc_take(c, words);
    calc_shift(c, r, x, -i, false);
    return r;
}

/* Subtracts q k 2^e from r, modulo 2^(32 r.words). So only the lowest words of q matter. */
static void take_off(struct calc *c, const struct calc_form *f, struct number r, struct number q) {
    struct number top = number_part(r, f->e / CALC_QUAD_BITS * CALC_QUAD, r.words);
    struct number low = number_part(q, 0, top.words), high = low;
    if (f->k > 1) {
        high = calc_take(c, top.words);
        calc_mul_1(c, high, low, f->k);
    }
    calc_sub(c, top, top, shifted(c, top.words, high, (int)(f->e % CALC_QUAD_BITS)));
}

/* Reduces x < 2^steps m to r < m, and adds the quotient to q. */
static void finish(struct calc *c, struct number r, struct number x, struct number m, int steps,
                   struct number q) {
    for (int i = steps - 1; i > 0; i--) {
        struct number flag = calc_reduce(c, x, x, shifted(c, x.words, m, i));
        calc_add(c, q, q, shifted(c, CALC_QUAD, flag, i));
    }
    calc_add(c, q, q, calc_reduce(c, r, x, m));
}

struct number calc_form_reduce(struct calc *c, const struct calc_form *f, struct number r,
                               struct number x, uint64_t x_bits, struct number m, uint64_t bits,
                               bool is_of_residues) {
    struct number q = quotient(c, f, x, x_bits);
    uint64_t mark = calc_mark(c);
    const uint64_t over = x_bits > 2 * bits ? x_bits - 2 * bits : 0;
    const int steps = is_of_residues ? 1 : SMALL_BITS + (int)over;
    const uint64_t words = calc_words(bits + over + SMALL_BITS);
    struct number rest = calc_take(c, words), low = number_part(q, 0, words);
    if (x.words < words)
        x = shifted(c, words, x, 0);
    if (f->plus)
        calc_sub(c, rest, number_part(x, 0, words), low);
    else
        calc_add(c, rest, number_part(x, 0, words), low);
    take_off(c, f, rest, q);
    if (f->plus) {
        calc_add(c, rest, rest, shifted(c, words, m, steps - 1));
        calc_sub(c, q, q, shifted(c, CALC_QUAD, calc_one(c), steps - 1));
    }
    finish(c, r, rest, m, steps, q);
    calc_drop(c, mark);
    return q;
}

/* Transforms compute the product modulo m directly only if both operands are as long as m: for a
 * shorter operand, the whole product may be cheaper. x has room for the sum of the coefficients,
 * which is below 2^(bits + FFT_PRODUCT_SUM_BITS). */
struct number calc_form_mul(struct calc *c, const struct calc_form *f, struct number r,
                            struct number x, uint64_t x_bits, struct number u, struct number v,
                            struct number m, uint64_t bits, enum calc_form_factors factors) {
    struct number sum = number_part(x, 0, calc_words(bits + FFT_PRODUCT_SUM_BITS));
    if (factors == CALC_FORM_ANY || !calc_form_is_mersenne(f) || u.words < m.words ||
        v.words < m.words || !c->engine->mul_mersenne(c, bits, sum, u, v)) {
        calc_mul(c, x, u, v);
        return calc_form_reduce(c, f, r, x, x_bits, m, bits, factors == CALC_FORM_RESIDUES);
    }
    struct number q = calc_take(c, CALC_QUAD);
    c->engine->mersenne_reduce(c, bits, r, q, sum);
    c->engine->mersenne_quotient(c, q, u, v);
    return q;
}
