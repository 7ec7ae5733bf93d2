/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe (the function that computes a job on the device) of products of polynomials, by
 * Kronecker's substitution (kernels/poly/poly.cl).
 *
 * The check evaluates the polynomials at a random point x modulo a random prime p near 2^61. It
 * compares u(x) v(x) = w(x) for the factors u, v and their product w. If the coefficients are
 * reduced modulo m, it also compares w(x) = r(x) + m q(x) for the remainders r and quotients q. If
 * w is wrong, u v - w is a polynomial that is not 0. It vanishes for at most `degree` of p points,
 * unless p divides all its coefficients. */
#include "kernels/poly/poly.h"
#include "lib/base/ceil_div.h"
#include "lib/base/random.h"
#include "lib/calc/calc_check.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/verdict.h"
#include "lib/job/engine.h"
#include "lib/selftest/selftest.h"

__extension__ typedef unsigned __int128 wide;

/* The polynomials of one operand or result. Each has `length` coefficients of n words, and becomes
 * one number of `pad` words. In product_of_polys, `all` is the whole product, and r is the wanted
 * part of it. */
struct side {
    gpu_mem mem;
    uint64_t length, pad;
    uint32_t n;
};
struct product_of_polys {
    const struct job *job;
    uint64_t polys, low;
    uint32_t slot;
    bool is_signed, is_square;
    uint64_t modulus; /* 0: none */
    struct side u, v, r, all;
};

static struct side side_of(const struct job_ref *x, uint64_t polys, uint32_t slot) {
    const uint64_t length = x->count / polys;
    return (struct side){x->mem, length, calc_words(32 * length * slot), 2 * (uint32_t)x->n};
}

static struct product_of_polys product_of(const struct job *j) {
    struct product_of_polys p = {.job = j,
                                 .polys = j->parameter[JOB_POLYS],
                                 .slot = (uint32_t)j->parameter[JOB_SLOT],
                                 .low = j->parameter[JOB_LOW],
                                 .modulus = j->parameter[JOB_POLY_LIMB],
                                 .is_signed = j->parameter[JOB_IS_SIGNED]};
    p.u = side_of(&j->u[0], p.polys, p.slot);
    p.v = side_of(&j->u[1], p.polys, p.slot);
    p.r = side_of(&j->r[0], p.polys, p.slot);
    p.is_square = p.u.mem.h == p.v.mem.h && p.u.length == p.v.length;
    if (p.polys > 1 && p.u.pad < p.v.pad)
        p.u.pad = p.v.pad;
    else if (p.polys > 1)
        p.v.pad = p.u.pad;
    p.all = (struct side){.length = p.u.length + p.v.length - 1, .pad = p.u.pad + p.v.pad};
    return p;
}

/* ---- numbers from polynomials */

static void spread(struct calc *c, const struct product_of_polys *p, struct number to,
                   const struct side *x, uint32_t kind) {
    if (calc_is_on(c))
        c->status =
            launch_poly_spread(c->s, launch_row(ceil_div(to.words, POLY_THREADS)), to.mem, to.at,
                               p->slot, x->pad, to.words, x->mem, 0, x->n, x->length, kind);
}

/* Returns the bias: a number in which the highest bit of each of `length` slots (the words of one
 * coefficient) is set. Adding the bias makes slots of signed coefficients positive. */
static struct number bias_of(struct calc *c, const struct product_of_polys *p, uint64_t length,
                             gpu_mem mem) {
    const struct side x = {mem, length, calc_words(32 * length * p->slot), 1};
    const struct number bias = calc_take(c, x.pad);
    spread(c, p, bias, &x, POLY_BIAS);
    return bias;
}

/* Returns the numbers that represent the polynomials *x. If coefficients have signs, returns the
 * absolute value, and sets *flag to a word that is 1 if the number is not negative. */
static struct number number_of(struct calc *c, const struct product_of_polys *p,
                               const struct side *x, struct number *flag) {
    const struct number to = calc_take(c, p->polys * x->pad);
    const uint64_t mark = calc_mark(c);
    spread(c, p, to, x, p->is_signed ? POLY_SIGNED : POLY_ABSOLUTE);
    *flag = to;
    if (!p->is_signed)
        return to;
    const struct number bias = bias_of(c, p, x->length, x->mem);
    const struct number above = calc_take(c, to.words), below = calc_take(c, to.words);
    *flag = calc_reduce(c, above, to, bias);
    calc_sub(c, below, bias, to);
    calc_select(c, to, *flag, below, above);
    calc_drop(c, mark);
    return to;
}

/* ---- products of numbers */

static bool is_batch(const struct calc *c, const struct product_of_polys *p) {
    return p->polys > 1 && p->u.pad <= calc_batch_most_words(c);
}

static void multiply(struct calc *c, const struct product_of_polys *p, struct number w,
                     struct number u, struct number v) {
    if (is_batch(c, p)) {
        calc_mul_batch(c, p->polys, p->u.pad, w, u, v);
        return;
    }
    for (uint64_t k = 0; k < p->polys; k++)
        calc_mul(c, number_part(w, k * p->all.pad, p->all.pad),
                 number_part(u, k * p->u.pad, p->u.pad), number_part(v, k * p->v.pad, p->v.pad));
}

/* ---- the check */

/* Returns true if the odd number p passes the test of Miller and Rabin with this base. */
static bool is_probable_prime(uint64_t p, uint64_t base) {
    const int twos = __builtin_ctzll(p - 1);
    uint64_t power = 1, b = base;
    for (uint64_t e = (p - 1) >> twos; e > 0; e >>= 1, b = (uint64_t)((wide)b * b % p))
        power = e & 1 ? (uint64_t)((wide)power * b % p) : power;
    bool is_good = power == 1 || power == p - 1;
    for (int i = 1; i < twos && !is_good; i++) {
        power = (uint64_t)((wide)power * power % p);
        is_good = power == p - 1;
    }
    return is_good;
}

/* Returns true if p is prime. For all numbers below 2^64, the test of Miller and Rabin with these
 * bases is exact. */
static bool is_prime(uint64_t p) {
    static const uint8_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (size_t i = 0; i < sizeof bases; i++)
        if (!is_probable_prime(p, bases[i]))
            return false;
    return true;
}

/* Returns a random prime below 2^61, the same one in the whole process, as a modulus. */
static struct check_modulus prime_modulus(void) {
    static _Atomic uint64_t chosen;
    uint64_t p = chosen, minv = 1;
    if (p == 0) {
        while (!is_prime(p = random_modulus()))
            continue;
        uint64_t none = 0;
        if (!atomic_compare_exchange_strong(&chosen, &none, p))
            p = none;
    }
    for (int i = 0; i < 6; i++)
        minv *= 2 - p * minv;
    return (struct check_modulus){p, minv, (uint64_t)(((wide)1 << 64) % p)};
}

struct point {
    struct check_modulus q;
    uint64_t x, key; /* x: the random point, in Montgomery form */
    /* Parts of the values of the polynomials at the random point, in entries of 64 bits. */
    struct number parts;
    uint64_t used; /* entries in use */
};

/* The coefficients of a polynomial, and where the kernel poly_value stores its value. The value is
 * a sum of `parts` parts, which are stored in point.parts from entry `at`. */
struct sequence {
    struct number from; /* `from.words` is not used */
    uint32_t n, kind;
    uint64_t stride, pad, length, most;
    uint64_t at; /* entry of parts.mem */
    uint32_t parts;
};

/* Each work-group computes one part of a polynomial's value. One work-item then adds the parts, of
 * which there are at most MOST_PARTS. */
enum { MOST_PARTS = 128 };

static uint32_t each_of(uint64_t length) {
    return (uint32_t)ceil_div(length, POLY_THREADS * MOST_PARTS);
}

static uint64_t parts_of(const struct product_of_polys *p, uint64_t length) {
    return p->polys * ceil_div(length, (uint64_t)POLY_THREADS * each_of(length));
}

static void value(struct calc *c, const struct product_of_polys *p, struct point *t,
                  struct sequence *x) {
    const uint64_t parts = parts_of(p, x->length);
    /* wrap is 2^(32 n) / 2^(64 ceil(n / 2)) modulo the prime, where the coefficients have n
     * words */
    const uint64_t half = (t->q.m + 1) / 2, odd = x->n % 2;
    uint64_t wrap = 1;
    for (int i = 0; odd && i < 32; i++)
        wrap = modulus_mul(wrap, half, t->q);
    x->at = t->parts.at / 2 + t->used;
    x->parts = (uint32_t)(parts / p->polys);
    t->used += parts;
    if (calc_is_on(c))
        c->status =
            launch_poly_value(c->s, launch_row(parts), t->parts.mem, x->at, x->from.mem, x->from.at,
                              x->n, x->stride, x->pad, x->length, each_of(x->length), x->parts,
                              x->kind, x->most, wrap, t->x, t->q.one, t->q.m, t->q.minv, t->key);
}

/* Montgomery products divide by 2^64. Returns the factor, in Montgomery form, that cancels these
 * divisions in the evaluation of a polynomial with coefficients of n words and in `products`
 * products of values. */
static uint64_t factor_of(const struct point *t, uint32_t n, uint32_t products) {
    return modulus_power_of_words(2 * (((uint64_t)n + 1) / 2) + 2 * products, t->q);
}

/* Queues the comparison f a b = g x + h d. Here a, b, x and d are values of polynomials at the
 * random point; f, g and h are constants. Without b the left side is f a; without d the right side
 * is g x. */
static void compare(struct calc *c, const struct product_of_polys *p, const struct point *t,
                    const struct sequence *a, const struct sequence *b, const struct sequence *x,
                    const struct sequence *d) {
    const struct launch_groups groups = launch_row(ceil_div(p->polys, POLY_CHECK_THREADS));
    const uint64_t f =
        b ? modulus_mul(factor_of(t, a->n, 1),
                        residue_product(1, factor_of(t, b->n, 0), t->q.m, t->q.minv), t->q)
          : factor_of(t, a->n, 0);
    const uint64_t h = d ? modulus_mul(factor_of(t, d->n, 0), p->modulus % t->q.m, t->q) : 0;
    if (calc_is_on(c))
        c->status = launch_poly_check(
            c->s, groups, verdict_mem(c->s), verdict_pass(c->s, groups.x), t->parts.mem, a->at,
            a->parts, b ? b->at : 0, b ? b->parts : 0, x->at, x->parts, d ? d->at : 0,
            d ? d->parts : 0, p->polys, f, factor_of(t, x->n, 0), h, t->q.m, t->q.minv, t->key);
}

static struct sequence operand(const struct product_of_polys *p, const struct side *x) {
    return (struct sequence){.from = {.mem = x->mem},
                             .n = x->n,
                             .kind = p->is_signed ? POLY_SIGNED : POLY_ABSOLUTE,
                             .stride = x->n,
                             .pad = x->length * x->n,
                             .length = x->length};
}

/* Returns coefficients of the product w, from number `low`. Each has p->slot words. */
static struct sequence slots(const struct product_of_polys *p, struct number w, uint64_t low,
                             uint64_t length) {
    return (struct sequence){.from = number_part(w, low * p->slot, w.words),
                             .n = p->slot,
                             .stride = p->slot,
                             .pad = p->all.pad,
                             .length = length};
}

static void compare_all(struct calc *c, const struct product_of_polys *p, struct point *t,
                        struct number w, struct number q) {
    struct sequence u = operand(p, &p->u), v = operand(p, &p->v), r = operand(p, &p->r);
    struct sequence all = slots(p, w, 0, p->all.length), part = slots(p, w, p->low, p->r.length);
    struct sequence quotients = {
        .from = q, .n = 4, .stride = 4, .pad = 4 * p->r.length, .length = p->r.length};
    r.most = p->modulus;
    value(c, p, t, &u);
    value(c, p, t, &v);
    value(c, p, t, &r);
    if (p->is_signed) {
        compare(c, p, t, &u, &v, &r, NULL);
        return;
    }
    value(c, p, t, &all);
    value(c, p, t, &part);
    if (p->modulus)
        value(c, p, t, &quotients);
    compare(c, p, t, &u, &v, &all, NULL);
    compare(c, p, t, &part, NULL, &r, p->modulus ? &quotients : NULL);
}

/* Checks the result. w is the number that contains the product's coefficients; q has their
 * quotients by the modulus. */
static void check(struct calc *c, const struct product_of_polys *p, struct number w,
                  struct number q) {
    const struct check_modulus prime = prime_modulus();
    struct point t = {.q = prime, .x = random_word() % prime.m, .key = random_word()};
    t.parts = calc_take(c, 2 * (parts_of(p, p->u.length) + parts_of(p, p->v.length) +
                                3 * parts_of(p, p->r.length) + parts_of(p, p->all.length)));
    if (!calc_check_is_on(c))
        return;
    /* Begins a new series of launches. The driver cannot repeat the check's launches like those of
     * the product, because the check's arguments are always new. */
    calc_series(c);
    if (c->status == GPU_OK)
        c->status = verdict_begin(c->s);
    if (c->status == GPU_OK)
        c->status = kept_result(c->s, p->r.mem, 0, p->polys * p->r.length * p->r.n);
    compare_all(c, p, &t, w, q);
    if (c->status == GPU_OK)
        c->status = verdict_end(c->s);
}

/* ---- results */

static void take(struct calc *c, const struct product_of_polys *p, struct number w, struct number a,
                 struct number b) {
    const uint64_t words = p->polys * p->r.length * p->r.n;
    if (calc_is_on(c))
        c->status =
            launch_poly_take(c->s, launch_row(ceil_div(words, POLY_THREADS)), p->r.mem, 0, p->r.n,
                             p->r.length, words, w.mem, w.at, p->slot, p->all.pad, p->low,
                             p->is_signed ? POLY_SIGNED : POLY_ABSOLUTE, a.mem, a.at, b.mem, b.at);
}

/* Stores the coefficients' remainders modulo a limb. Returns their quotients. */
static struct number reduce(struct calc *c, const struct product_of_polys *p, struct number w) {
    const uint64_t count = p->polys * p->r.length;
    const int shift = __builtin_clzll(p->modulus);
    const uint64_t d = p->modulus << shift;
    const uint64_t v = (uint64_t)((((wide)~d << 64) | ~UINT64_C(0)) / d);
    const struct number q = calc_take(c, 4 * count);
    if (calc_is_on(c))
        c->status = launch_poly_reduce(c->s, launch_row(ceil_div(count, POLY_THREADS)), p->r.mem, 0,
                                       q.mem, q.at / 2, p->r.length, count, w.mem, w.at, p->slot,
                                       p->all.pad, p->low, d, v, (uint32_t)shift);
    return q;
}

static void work(struct calc *c, void *argument) {
    const struct product_of_polys *p = argument;
    struct number a, b, none = {.words = 0};
    if (c->status == GPU_OK && c->is_planning)
        c->status = selftest_poly(c->s);
    const struct number u = number_of(c, p, &p->u, &a);
    const struct number v = p->is_square ? (b = a, u) : number_of(c, p, &p->v, &b);
    const struct number w = calc_take(c, p->polys * p->all.pad);
    multiply(c, p, w, u, v);
    if (p->is_signed)
        calc_add(c, w, w, bias_of(c, p, p->all.length, p->r.mem));
    if (p->modulus)
        none = reduce(c, p, w);
    else
        take(c, p, w, a, b);
    check(c, p, w, none);
}

static enum gpu_status run(struct context *s, const struct job *j) {
    struct product_of_polys p = product_of(j);
    return calc_run(s, work, &p);
}

static size_t bytes(const struct job *j) {
    const struct product_of_polys p = product_of(j);
    return p.polys * p.all.pad * 4 * sizeof(uint32_t);
}

const struct recipe recipe_poly = {bytes, run, STATS_BATCH};
