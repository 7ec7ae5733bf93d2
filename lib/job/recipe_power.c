/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipes (functions that compute a job on the device) of powers, Fibonacci and Lucas numbers.
 * A power is computed by squaring, and by multiplying by the base for each 1 bit of the exponent.
 * Words that must be zero, given an upper bound of the power, are cut off. The check compares the
 * result's residue modulo a random number with a power of the base's residue, which the host
 * computes. So it also detects errors in the uploaded data. */
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_fibonacci.h"
#include "lib/device/modulus.h"
#include "lib/job/job.h"

/* The power to compute: 2^shift {base, base_limbs}^exponent, where shift < 64. The computation
 * begins with `start`, which is base^(exponent >> steps). The highest limbs of base and start are
 * not 0. */
struct power {
    const uint64_t *base, *start;
    uint64_t base_limbs, start_limbs, exponent;
    unsigned steps, shift;
};

/* ---- sizes */

/* An upper bound of a number, in the form top 2^exponent. `top` has TOP_BITS bits unless the number
 * is small. */
enum { TOP_BITS = 62 };
struct magnitude {
    uint64_t top, exponent;
};

static unsigned length(uint64_t x) {
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

static struct magnitude magnitude_of(unsigned __int128 top, uint64_t exponent) {
    unsigned high = length((uint64_t)(top >> 64));
    unsigned bits = high ? 64 + high : length((uint64_t)top);
    unsigned shift = bits > TOP_BITS ? bits - TOP_BITS : 0;
    return (struct magnitude){(uint64_t)(top >> shift) + (shift > 0), exponent + shift};
}

/* Returns an upper bound of a number of `limbs` limbs, computed from its highest limbs: x points to
 * the two highest limbs, or to the only limb. */
static struct magnitude magnitude_of_number(const uint64_t *x, uint64_t limbs) {
    unsigned __int128 top = limbs > 1 ? x[1] : x[0];
    if (limbs > 1)
        top = (top << 63 | x[0] >> 1) + 1;
    return magnitude_of(top, limbs > 1 ? 64 * (limbs - 2) + 1 : 0);
}

static uint64_t highest(uint64_t limbs) {
    return limbs > 1 ? 2 : 1;
}

static struct magnitude magnitude_mul(struct magnitude x, struct magnitude y) {
    return magnitude_of((unsigned __int128)x.top * y.top, x.exponent + y.exponent);
}

static uint64_t magnitude_bits(struct magnitude x) {
    return length(x.top) + x.exponent;
}

static bool bit_at(const struct power *p, unsigned step) {
    return p->exponent >> step & 1;
}

/* Returns the bit length of the result. x is an upper bound of the power at the start, `base` an
 * upper bound of the base. The length is at most two bits too large if the exponent is below
 * 2^50. */
static uint64_t bits_of(const struct power *p, struct magnitude x, struct magnitude base) {
    for (unsigned step = p->steps; step-- > 0;) {
        x = magnitude_mul(x, x);
        if (bit_at(p, step))
            x = magnitude_mul(x, base);
    }
    return magnitude_bits(x) + p->shift;
}

/* ---- the power */

/* The state of the computation: the power x so far, and two buffers used alternately for the next
 * product. */
struct chain {
    const struct power *p;
    struct number x, room[2], base;
    struct magnitude size, base_size;
    uint64_t limb, bits; /* limb: the base's lowest limb; bits: the result's bit length */
    unsigned at;
};

/* Sets k->x to the product r, cut to the bit length of the bound `size`. Selects the other buffer
 * for the next product. */
static void become(struct chain *k, struct number r, struct magnitude size) {
    k->size = size;
    k->x = number_part(r, 0, calc_words(magnitude_bits(size)));
    k->at ^= 1;
}

static void multiply(struct calc *c, struct chain *k, struct number y, struct magnitude size) {
    struct number r = number_part(k->room[k->at], 0, k->x.words + y.words);
    calc_mul(c, r, k->x, y);
    become(k, r, magnitude_mul(k->size, size));
}

static void multiply_by_limb(struct calc *c, struct chain *k) {
    struct magnitude size = magnitude_mul(k->size, k->base_size);
    struct number r = number_part(k->room[k->at], 0, calc_words(magnitude_bits(size)));
    calc_mul_1(c, r, k->x, k->limb);
    become(k, r, size);
}

static void multiply_by_base(struct calc *c, struct chain *k) {
    if (k->p->base_limbs == 1)
        multiply_by_limb(c, k);
    else
        multiply(c, k, k->base, k->base_size);
}

static struct number upload(struct calc *c, const uint64_t *x, uint64_t limbs) {
    return calc_upload(c, x, limbs, calc_words(64 * limbs));
}

static void begin(struct calc *c, const struct power *p, struct chain *k) {
    /* enough words for each product of the computation */
    uint64_t words = calc_words(k->bits) + 2 * CALC_QUAD;
    k->room[0] = calc_take(c, words);
    k->room[1] = calc_take(c, words);
    k->x = upload(c, p->start, p->start_limbs);
    if (p->base_limbs > 1)
        k->base = upload(c, p->base, p->base_limbs);
}

/* Returns the residue modulo q that the result must have. `base` is the base's residue. */
static uint64_t expected(const struct power *p, uint64_t base, struct check_modulus q) {
    uint64_t x = 1 % q.m;
    for (unsigned i = 64; i-- > 0;) {
        x = modulus_mul(x, x, q);
        if (bit_at(p, i))
            x = modulus_mul(x, base, q);
    }
    return modulus_mul(x, (UINT64_C(1) << p->shift) % q.m, q);
}

static struct magnitude measure_number(struct calc *c, const uint64_t *x, uint64_t limbs) {
    const uint64_t n = highest(limbs);
    uint64_t top[2] = {0};
    calc_read(c, top, x + limbs - n, n * sizeof *top);
    return magnitude_of_number(top, limbs);
}

/* Initialises *k with the lengths of the start, the base and the result, and with the base's lowest
 * limb. */
static bool measure(struct calc *c, const struct power *p, struct chain *k) {
    *k = (struct chain){.p = p,
                        .size = measure_number(c, p->start, p->start_limbs),
                        .base_size = measure_number(c, p->base, p->base_limbs)};
    k->bits = bits_of(p, k->size, k->base_size);
    return calc_read(c, &k->limb, p->base, sizeof k->limb);
}

/* Queues the check of the result r by its residue. */
static void check(struct calc *c, const struct power *p, struct number r) {
    uint64_t base;
    if (calc_check_is_on(c) && calc_read_residue(c, &base, p->base, p->base_limbs))
        calc_demand_residue(c, r, expected(p, base, c->s->modulus));
}

/* Computes the power. Returns it in one of the two buffers; it has calc_words(bits_of(...))
 * words. */
static struct number power(struct calc *c, const struct power *p) {
    struct chain k;
    if (!measure(c, p, &k))
        return calc_take(c, 0);
    begin(c, p, &k);
    for (unsigned step = p->steps; step-- > 0;) {
        multiply(c, &k, k.x, k.size);
        if (bit_at(p, step))
            multiply_by_base(c, &k);
    }
    struct number r = number_part(k.room[k.at], 0, calc_words(k.bits));
    calc_shift(c, r, k.x, -(int64_t)p->shift, false);
    check(c, p, r);
    return r;
}

/* ---- the jobs */

static struct power power_of(const struct job *j) {
    const struct job_ref *base = &j->u[JOB_BASE], *start = &j->u[JOB_START];
    return (struct power){.base = base->host,
                          .start = start->host,
                          .base_limbs = base->n,
                          .start_limbs = start->n,
                          .exponent = j->parameter[JOB_POWER],
                          .steps = (unsigned)j->parameter[JOB_STEPS],
                          .shift = (unsigned)j->parameter[JOB_SHIFT]};
}

uint64_t job_power_limbs(const struct job *j) {
    const struct power p = power_of(j);
    const uint64_t *start = p.start + p.start_limbs, *base = p.base + p.base_limbs;
    const uint64_t bits =
        bits_of(&p, magnitude_of_number(start - highest(p.start_limbs), p.start_limbs),
                magnitude_of_number(base - highest(p.base_limbs), p.base_limbs));
    return ceil_div(bits, 64);
}

bool job_fits_pow(const struct job *j) {
    const uint64_t steps = j->parameter[JOB_STEPS];
    return job_has(j, 2, 1) && steps >= 1 && steps < 64 && j->parameter[JOB_SHIFT] < 64 &&
           j->parameter[JOB_POWER] >> steps >= 1;
}

void recipe_pow(struct calc *c, struct job *j) {
    const struct power p = power_of(j);
    job_deliver(c, j, 0, power(c, &p));
}

static struct calc_fibonacci fibonacci_of(const struct job *j) {
    return (struct calc_fibonacci){.n = j->parameter[JOB_INDEX],
                                   .kind = j->parameter[JOB_KIND],
                                   .steps = (unsigned)j->parameter[JOB_STEPS],
                                   .start = j->u[0].host,
                                   .start_limbs = j->u[0].n};
}

uint64_t job_fibonacci_limbs(const struct job *j) {
    const struct calc_fibonacci f = fibonacci_of(j);
    return ceil_div(calc_fibonacci_result_bits(&f), 64);
}

/* Checks the job's lengths. The first operand has the two consecutive Fibonacci numbers from which
 * the computation starts. Neither may be longer than the number with index JOB_INDEX >>
 * JOB_STEPS. */
bool job_fits_fibonacci(const struct job *j) {
    const uint64_t n = j->parameter[JOB_INDEX], kind = j->parameter[JOB_KIND];
    return job_has(j, 1, 2) && n >= 2 && n >> 40 == 0 && j->parameter[JOB_STEPS] >= 1 &&
           j->parameter[JOB_STEPS] < 40 && n >> j->parameter[JOB_STEPS] >= 1 &&
           j->u[0].n <= ceil_div(calc_fibonacci_bits(n >> j->parameter[JOB_STEPS]), 64) &&
           j->u[0].count == 2 && kind <= CALC_FIBONACCI_LUCAS &&
           (kind != CALC_FIBONACCI_ONE || j->r[1].count == 0);
}

void recipe_fibonacci(struct calc *c, struct job *j) {
    const struct calc_fibonacci f = fibonacci_of(j);
    struct calc_fibonacci_pair r = calc_fibonacci(c, &f);
    job_deliver(c, j, 0, r.a);
    job_deliver(c, j, 1, r.b);
}
