/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers, after Knuth 1.2.8 and its exercises. In the step from k to 2k or 2k
 * + 1, all numbers have the length of F[2k+1] in words. Sums are computed modulo a power of two of
 * that length. */
#include "lib/calc/calc_fibonacci.h"

#include "lib/calc/calc_check.h"
#include "lib/device/modulus.h"

struct state {
    struct number room[4], two; /* memory for F[k], F[k-1] and their squares */
    struct number a, b;         /* F[k], F[k-1] */
    uint64_t k;
};

static struct number part(struct number x, uint64_t words) {
    return number_part(x, 0, words);
}

/* Adds 2 (-1)^k to x. */
static void add_sign(struct calc *c, const struct state *f, struct number x) {
    if (f->k % 2)
        calc_sub(c, x, x, f->two);
    else
        calc_add(c, x, x, f->two);
}

/* Squares u in memory f->room[room]. Returns the lowest `words` words of the square. */
static struct number square(struct calc *c, const struct state *f, unsigned room, struct number u,
                            uint64_t words) {
    struct number r = part(f->room[room], 2 * u.words > words ? 2 * u.words : words);
    calc_mul(c, r, u, u);
    return part(r, words);
}

/* Replaces k by 2k + is_odd, and a and b by F[k] and F[k-1] for the new k. */
static void twice(struct calc *c, struct state *f, bool is_odd) {
    uint64_t words = calc_words(calc_fibonacci_bits(2 * f->k + 1));
    struct number x = square(c, f, 2, f->a, words), y = square(c, f, 3, f->b, words);
    struct number a = part(f->room[0], words), b = part(f->room[1], words);
    calc_add(c, b, x, y); /* F[2k-1] = F[k]^2 + F[k-1]^2 */
    calc_shift(c, a, x, -2, false);
    calc_sub(c, a, a, y);
    add_sign(c, f, a); /* F[2k+1] = 4 F[k]^2 - F[k-1]^2 + 2 (-1)^k */
    calc_sub(c, is_odd ? b : a, a, b);
    f->k = 2 * f->k + is_odd;
    f->a = part(a, calc_words(calc_fibonacci_bits(f->k)));
    f->b = part(b, f->a.words);
}

/* Computes F[n] with one product from F[k]: F[2k] = F[k] (F[k] + 2 F[k-1]), and F[2k+1] = (2 F[k] +
 * F[k-1]) (2 F[k] - F[k-1]) + 2 (-1)^k. */
static struct number last(struct calc *c, const struct state *f, bool is_odd) {
    uint64_t words = calc_words(calc_fibonacci_bits(f->k) + 2), n = 2 * f->k + is_odd;
    struct number u = part(f->room[2], words), v = part(f->room[3], words);
    struct number r = calc_take(c, 2 * words);
    calc_shift(c, u, is_odd ? f->a : f->b, -1, false);
    if (is_odd)
        calc_sub(c, v, u, f->b);
    calc_add(c, u, u, is_odd ? f->b : f->a);
    calc_mul(c, r, u, is_odd ? v : f->a);
    if (is_odd)
        add_sign(c, f, r);
    return part(r, calc_words(calc_fibonacci_bits(n)));
}

/* Returns the Lucas numbers L[n] = F[n] + 2 F[n-1] and L[n-1] = 2 F[n] - F[n-1], from the Fibonacci
 * numbers f->a = F[n] and f->b = F[n-1]. */
static struct calc_fibonacci_pair lucas(struct calc *c, const struct state *f, uint64_t bits) {
    struct calc_fibonacci_pair r = {calc_take(c, calc_words(bits)), calc_take(c, calc_words(bits))};
    calc_shift(c, r.a, f->b, -1, false);
    calc_add(c, r.a, r.a, f->a);
    calc_shift(c, r.b, f->a, -1, false);
    calc_sub(c, r.b, r.b, f->b);
    return r;
}

/* ---- the check */

struct residues {
    uint64_t a, b;
};

static uint64_t minus(uint64_t x, uint64_t y, uint64_t m) {
    return residue_plus(x, m - y, m);
}

static uint64_t double_of(uint64_t x, uint64_t m) {
    return residue_plus(x, x, m);
}

/* Returns the residues of F[n] and F[n-1]. */
static struct residues residues_of(uint64_t n, struct check_modulus q) {
    struct residues f = {0, 1}; /* F[0], F[-1] */
    for (unsigned i = 64; i-- > 0;) {
        uint64_t x = modulus_mul(f.a, f.a, q), y = modulus_mul(f.b, f.b, q);
        uint64_t before = residue_plus(x, y, q.m), k = i < 63 ? n >> (i + 1) : 0;
        uint64_t behind = minus(double_of(double_of(x, q.m), q.m), y, q.m);
        behind = k % 2 ? minus(behind, 2, q.m) : residue_plus(behind, 2, q.m);
        uint64_t middle = minus(behind, before, q.m);
        f = n >> i & 1 ? (struct residues){behind, middle} : (struct residues){middle, before};
    }
    return f;
}

static void demand(struct calc *c, const struct calc_fibonacci *f, struct calc_fibonacci_pair r) {
    if (!calc_check_is_on(c))
        return;
    const struct check_modulus q = c->s->modulus;
    struct residues x = residues_of(f->n, q);
    if (f->kind == CALC_FIBONACCI_LUCAS)
        x = (struct residues){residue_plus(x.a, double_of(x.b, q.m), q.m),
                              minus(double_of(x.a, q.m), x.b, q.m)};
    calc_demand_residue(c, r.a, x.a);
    if (f->kind != CALC_FIBONACCI_ONE)
        calc_demand_residue(c, r.b, x.b);
}

/* ---- */

static const uint64_t two = 2;

static void begin(struct calc *c, const struct calc_fibonacci *f, struct state *t) {
    uint64_t words = calc_words(64 * f->start_limbs);
    uint64_t most = calc_words(calc_fibonacci_bits(f->n + 1)) + 2 * CALC_QUAD;
    for (unsigned i = 0; i < 4; i++)
        t->room[i] = calc_take(c, most > 2 * words ? most : 2 * words);
    t->a = calc_upload(c, f->start, f->start_limbs, words);
    t->b = calc_upload(c, f->start + f->start_limbs, f->start_limbs, words);
    t->two = calc_upload(c, &two, 1, CALC_QUAD);
    t->k = f->n >> f->steps;
    calc_need(c, t->a);
    calc_need(c, t->b);
    calc_need(c, t->two);
}

struct calc_fibonacci_pair calc_fibonacci(struct calc *c, const struct calc_fibonacci *f) {
    unsigned fewer = f->kind == CALC_FIBONACCI_ONE;
    struct state t;
    begin(c, f, &t);
    for (unsigned step = f->steps; step-- > fewer;)
        twice(c, &t, f->n >> step & 1);
    struct calc_fibonacci_pair r = {t.a, t.b};
    if (f->kind == CALC_FIBONACCI_ONE)
        r.a = last(c, &t, f->n & 1);
    else if (f->kind == CALC_FIBONACCI_LUCAS)
        r = lucas(c, &t, calc_fibonacci_result_bits(f));
    demand(c, f, r);
    return r;
}
