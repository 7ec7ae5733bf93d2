/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the steps of a program over numbers (such as sums and products). numbers_fit has checked
 * the lengths that the steps rely on. */
#include "lib/job/numbers_steps.h"

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_form.h"
#include "lib/calc/calc_reciprocal.h"

static const struct number nothing;

static struct number take(struct calc *c, uint64_t count) {
    return calc_take(c, CALC_QUAD * count);
}

/* Returns 2^bits in `words` words. */
static struct number power_of_two(struct calc *c, uint64_t words, uint64_t bits) {
    struct number x = calc_take(c, words);
    calc_shift(c, x, calc_one(c), -(int64_t)bits, false);
    return x;
}

/* ---- functions for steps without a divisor */

static void add(struct calc *c, struct number r, struct number u, struct number v) {
    calc_copy(c, r, u);
    calc_add(c, r, r, v);
    calc_demand_product(c, r, u, calc_one(c), v);
}

static void sub(struct calc *c, struct number r, struct number u, struct number v) {
    const uint64_t bits = 32 * (r.words - CALC_QUAD);
    calc_copy(c, r, u);
    calc_add(c, r, r, power_of_two(c, r.words, bits));
    calc_sub(c, r, r, v);
    calc_demand_difference(c, r, u, v, bits);
}

/* Sets r = u v. u and v may have leading zeros. If u and v together have more words than r, the
 * product is first computed in temporary memory. */
static void mul(struct calc *c, struct number r, struct number u, struct number v) {
    uint64_t words = u.words + v.words;
    struct number full = words > r.words ? calc_take(c, words) : r;
    calc_mul(c, full, u, v);
    if (words > r.words)
        calc_copy(c, r, full);
    calc_demand_product(c, r, u, v, nothing);
}

static void up(struct calc *c, struct number r, struct number u, uint64_t bits) {
    calc_shift(c, r, u, -(int64_t)bits, false);
    calc_demand_shifted(c, r, u, bits);
}

static void down(struct calc *c, struct number r, struct number u, uint64_t bits) {
    const uint64_t quads = bits / CALC_QUAD_BITS + 1;
    struct number power = power_of_two(c, CALC_QUAD, bits % CALC_QUAD_BITS);
    struct number high = take(c, quads), low = take(c, quads);
    int64_t above = CALC_QUAD_BITS - (int64_t)(bits % CALC_QUAD_BITS);
    calc_shift(c, r, u, (int64_t)bits, false);
    calc_shift(c, high, u, -above, false);
    calc_shift(c, low, high, above, false);
    calc_demand_less(c, calc_quads(low, quads - 1, 1), power);
    calc_demand_parts(c, u, r, bits, low);
}

/* ---- functions for steps with a divisor */

/* Returns divisor i and its reciprocal, stored earlier or computed now. Does not retain their
 * transforms for later products, because a program may have several divisors. */
static struct calc_divisor divisor_of(struct calc *c, struct numbers_run *run, uint64_t i) {
    const struct number_divisor *d = &run->divisor[i];
    struct calc_divisor by = numbers_divisor(d->bits, d->quads);
    by.is_used_again = false;
    if (!run->is_made[i])
        calc_divisor_make(c, &by, run->at[d->variable], run->first_at[i]);
    if (d->mem.h == 0)
        return by;
    struct number kept = {d->mem, 0, numbers_divisor_words(&by)};
    struct number kept_d = calc_quads(kept, 0, by.n), kept_v = calc_quads(kept, by.n, by.k + 1);
    if (!run->is_made[i]) {
        calc_copy(c, kept_d, by.d);
        calc_copy(c, kept_v, by.by_v.x);
    }
    run->is_made[i] = true;
    by.d = kept_d;
    by.by_d = (struct calc_factor){.x = kept_d};
    by.by_v = (struct calc_factor){.x = kept_v};
    return by;
}

/* Divides x, a number of `bits` bits. Sets r to the remainder; r may have fewer quads (4 words)
 * than the shifted divisor. Returns the quotient. */
static struct number divide(struct calc *c, const struct calc_divisor *by, struct number r,
                            struct number x, uint64_t bits) {
    uint64_t all = numbers_dividend_quads(by, bits);
    struct number q = take(c, all - by->n), rest = take(c, all);
    calc_shift(c, rest, x, -by->shift, false);
    calc_divide(c, by, q, rest);
    calc_shift(c, r, calc_quads(rest, 0, by->n), by->shift, false);
    return q;
}

/* Divides x, the dividend of a step. Sets r to the remainder, and returns the quotient. A divisor k
 * 2^e - 1 or k 2^e + 1 needs no reciprocal (calc_form_reduce). */
static struct number divide_by(struct calc *c, struct numbers_run *run,
                               const struct number_step *step, struct number r, struct number x) {
    const struct number_divisor *d = &run->divisor[step->divisor];
    if (numbers_has_form(d, step->bits)) {
        const struct calc_form form = calc_form_of(d->form, d->bits);
        return calc_form_reduce(c, &form, r, x, step->bits, run->at[d->variable], d->bits, false);
    }
    struct calc_divisor by = divisor_of(c, run, step->divisor);
    return divide(c, &by, r, x, step->bits);
}

/* Makes the check verify that the remainder r is less than m, the value of the divisor d. */
static void demand_remainder(struct calc *c, const struct number_divisor *d, struct number r,
                             struct number m) {
    const struct calc_form form = calc_form_of(d->form, d->bits);
    if (calc_form_is_mersenne(&form))
        calc_demand_below_mersenne(c, r, d->bits);
    else
        calc_demand_less(c, r, m);
}

static void product(struct calc *c, struct numbers_run *run, const struct number_step *step) {
    const struct number_divisor *d = &run->divisor[step->divisor];
    struct number u = run->at[step->u], v = run->at[step->v], r = run->at[step->r];
    struct number m = run->at[d->variable];
    struct number x = calc_take(c, u.words + v.words), q;
    if (numbers_has_form(d, step->bits)) {
        const struct calc_form form = calc_form_of(d->form, d->bits);
        q = calc_form_mul(c, &form, r, x, step->bits, u, v, m, d->bits,
                          (enum calc_form_factors)step->shift);
    } else {
        calc_mul(c, x, u, v);
        q = divide_by(c, run, step, r, x);
    }
    demand_remainder(c, d, r, m);
    calc_demand_reduced(c, u, v, q, m, r);
}

static void rest(struct calc *c, struct numbers_run *run, const struct number_step *step) {
    struct number u = run->at[step->u], m = run->at[run->divisor[step->divisor].variable];
    struct number r = step->r == NUMBER_NONE ? calc_take(c, m.words) : run->at[step->r];
    struct number q = divide_by(c, run, step, r, u);
    if (step->q != NUMBER_NONE) {
        calc_copy(c, run->at[step->q], q);
        q = run->at[step->q];
    }
    demand_remainder(c, &run->divisor[step->divisor], r, m);
    calc_demand_rest(c, u, q, m, r);
}

void numbers_step(struct calc *c, struct numbers_run *run, const struct number_step *step) {
    struct number u = run->at[step->u];
    struct number r = step->r == NUMBER_NONE ? nothing : run->at[step->r];
    struct number v = step->v == NUMBER_NONE ? nothing : run->at[step->v];
    switch (step->kind) {
    case NUMBER_ADD:
        add(c, r, u, v);
        break;
    case NUMBER_SUB:
        sub(c, r, u, v);
        break;
    case NUMBER_MUL:
        mul(c, r, u, v);
        break;
    case NUMBER_UP:
        up(c, r, u, step->shift);
        break;
    case NUMBER_DOWN:
        down(c, r, u, step->shift);
        break;
    case NUMBER_PRODUCT:
        product(c, run, step);
        break;
    default:
        rest(c, run, step);
    }
}
