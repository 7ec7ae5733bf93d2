/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks programs over numbers (lists of steps such as sums and products) before they run, and
 * computes sizes from their tables. */
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_form.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/job/numbers.h"

/* The most words of a number. The limit ensures that bit lengths, and their sums over all
 * variables, fit in 64 bits. */
static const uint64_t most_words = UINT64_C(1) << 36;

struct checking {
    const struct number_program *k;
    /* for each variable: true if it has a value before the current step */
    bool has_value[NUMBERS_MOST_VARIABLES];
};

/* ---- divisors */

uint64_t numbers_divisor_words(const struct calc_divisor *by) {
    return CALC_QUAD * (by->n + by->k + 1);
}

/* Plans a divisor of `bits` bits. quads = 0 means a modulus: the by.n quads (4 words each) of the
 * plan then have at least one bit more than the modulus. So the product of two residues, shifted
 * left by by.shift bits, fits in 2 by.n quads. */
struct calc_divisor numbers_divisor(uint64_t bits, uint64_t quads) {
    struct calc_divisor by = {.n = bits / CALC_QUAD_BITS + 1};
    if (quads > 0)
        return calc_divisor_plan(bits, quads);
    by.k = by.n + 1;
    by.shift = (int64_t)(by.n * CALC_QUAD_BITS - bits);
    return by;
}

bool numbers_has_form(const struct number_divisor *d, uint64_t bits) {
    return d->quads == 0 && bits >= d->bits && bits <= 2 * (d->bits + CALC_FORM_SPARE) &&
           calc_form_of(d->form, d->bits).k > 0;
}

/* Returns the quads (4 words) of the shifted dividend. One extra zero bit at the top keeps the
 * dividend's highest quads below the divisor, whose highest bit is set. */
uint64_t numbers_dividend_quads(const struct calc_divisor *by, uint64_t bits) {
    uint64_t quads = ceil_div(bits + (uint64_t)by->shift + 1, CALC_QUAD_BITS);
    return quads > by->n ? quads : by->n + 1;
}

/* ---- tables */

static bool is_table(const struct job_ref *x, uint64_t limbs, uint64_t most) {
    return job_is_on_host(x) && x->n == limbs && x->count <= most;
}

bool job_fits_numbers(const struct job *j) {
    const struct job_ref *u = j->u;
    if (j->results > 0 || j->operands < 2 || j->operands > 4 ||
        !is_table(&u[NUMBERS_STEPS], NUMBER_STEP_LIMBS, NUMBERS_MOST_STEPS) ||
        !is_table(&u[NUMBERS_VARIABLES], NUMBER_VARIABLE_LIMBS, NUMBERS_MOST_VARIABLES) ||
        (j->operands > NUMBERS_DIVISORS &&
         !is_table(&u[NUMBERS_DIVISORS], NUMBER_DIVISOR_LIMBS, NUMBERS_MOST_STEPS)) ||
        (j->operands > NUMBERS_FIRSTS &&
         !(job_is_on_host(&u[NUMBERS_FIRSTS]) && u[NUMBERS_FIRSTS].count == 1)))
        return false;
    const struct number_program k = numbers_of(j);
    return numbers_fit(&k);
}

struct number_program numbers_of(const struct job *j) {
    const struct job_ref *u = j->u;
    struct number_program k = {.step = (const struct number_step *)u[NUMBERS_STEPS].host,
                               .variable =
                                   (const struct number_variable *)u[NUMBERS_VARIABLES].host,
                               .divisor = (const struct number_divisor *)u[NUMBERS_DIVISORS].host,
                               .steps = u[NUMBERS_STEPS].count,
                               .variables = u[NUMBERS_VARIABLES].count};
    if (j->operands > NUMBERS_DIVISORS)
        k.divisors = u[NUMBERS_DIVISORS].count;
    if (j->operands > NUMBERS_FIRSTS)
        k.firsts = u[NUMBERS_FIRSTS].n;
    return k;
}

/* ---- variables */

static bool is_variable(const struct number_variable *p) {
    const bool is_known = p->flags & NUMBER_IS_KNOWN;
    if (p->words == 0 || p->words % CALC_QUAD != 0 || p->words > most_words || p->flags > 3)
        return false;
    return is_known ? (p->mem.h != 0) != (p->host != NULL) : !(p->flags & NUMBER_HAS_RESIDUE);
}

/* Returns true if two ranges of host memory overlap and one of them is written. */
static bool overlap(const struct number_variable *a, const struct number_variable *b) {
    const uintptr_t p = (uintptr_t)a->host, q = (uintptr_t)b->host;
    const bool is_written = !(a->flags & b->flags & NUMBER_IS_KNOWN);
    return p && q && is_written && p < q + b->words * sizeof(uint32_t) &&
           q < p + a->words * sizeof(uint32_t);
}

static bool is_apart(const struct number_program *k, uint64_t i) {
    const struct number_variable *p = &k->variable[i];
    if (p->mem.h == 0 && !p->host)
        return true;
    for (uint64_t j = 0; j < i; j++)
        if ((p->mem.h && p->mem.h == k->variable[j].mem.h) || overlap(p, &k->variable[j]))
            return false;
    return true;
}

static bool are_places(struct checking *c) {
    for (uint64_t i = 0; i < c->k->variables; i++) {
        if (!is_variable(&c->k->variable[i]) || !is_apart(c->k, i))
            return false;
        c->has_value[i] = c->k->variable[i].flags & NUMBER_IS_KNOWN;
    }
    return true;
}

/* ---- checks of the table of divisors */

static bool has_first(const struct number_program *k, const struct number_divisor *d) {
    const struct calc_divisor by = numbers_divisor(d->bits, d->quads);
    const uint64_t limbs = calc_reciprocal_first_limbs(by.k);
    return d->first <= k->firsts && limbs <= k->firsts - d->first;
}

static bool is_divisor(const struct number_program *k, uint64_t i) {
    const struct number_divisor *d = &k->divisor[i];
    if (d->variable >= k->variables || d->bits == 0 || d->bits > 32 * most_words ||
        calc_words(d->bits) != k->variable[d->variable].words ||
        d->quads > most_words / CALC_QUAD || d->is_there > 1 || (d->is_there && d->mem.h == 0))
        return false;
    for (uint64_t j = 0; j < k->variables && d->mem.h; j++)
        if (k->variable[j].mem.h == d->mem.h)
            return false;
    for (uint64_t j = 0; j < i && d->mem.h; j++)
        if (k->divisor[j].mem.h == d->mem.h)
            return false;
    return d->is_there || d->first == NUMBER_NONE || has_first(k, d);
}

static bool are_divisors(const struct number_program *k) {
    for (uint64_t i = 0; i < k->divisors; i++)
        if (!is_divisor(k, i))
            return false;
    return true;
}

/* ---- steps */

static bool has_value(const struct checking *c, uint64_t i) {
    return i < c->k->variables && c->has_value[i];
}

/* Marks variable i as having a value. Returns false if it already has one,
 * because no step may write a variable twice. */
static bool set_value(struct checking *c, uint64_t i) {
    const bool is_free = i < c->k->variables && !c->has_value[i];
    if (is_free)
        c->has_value[i] = true;
    return is_free;
}

static uint64_t words_of(const struct checking *c, uint64_t i) {
    return i == NUMBER_NONE ? 0 : c->k->variable[i].words;
}

static bool has_two_operands(const struct number_step *s) {
    return s->kind == NUMBER_ADD || s->kind == NUMBER_SUB || s->kind == NUMBER_MUL ||
           s->kind == NUMBER_PRODUCT;
}

static bool divides(const struct number_step *s) {
    return s->kind == NUMBER_QUOTIENT || s->kind == NUMBER_REST;
}

static bool has_operands(const struct checking *c, const struct number_step *s) {
    const bool has_divisor = divides(s) || s->kind == NUMBER_PRODUCT;
    return s->kind > NUMBER_KNOWN && s->kind <= NUMBER_PRODUCT && has_value(c, s->u) &&
           (has_two_operands(s) ? has_value(c, s->v) : s->v == NUMBER_NONE) &&
           (!has_divisor ||
            (s->divisor < c->k->divisors && has_value(c, c->k->divisor[s->divisor].variable)));
}

static bool has_results(struct checking *c, const struct number_step *s) {
    if (!divides(s))
        return s->q == NUMBER_NONE && set_value(c, s->r);
    return (s->r != NUMBER_NONE || s->q != NUMBER_NONE) &&
           (s->r == NUMBER_NONE || set_value(c, s->r)) &&
           (s->q == NUMBER_NONE || set_value(c, s->q));
}

/* Returns true if the quotient and remainder of a step with a divisor have the required lengths.
 * `words` is the length of the dividend. */
static bool has_quotient(const struct checking *c, const struct number_step *s, uint64_t words) {
    const struct number_divisor *d = &c->k->divisor[s->divisor];
    const struct calc_divisor by = numbers_divisor(d->bits, d->quads);
    if (numbers_has_form(d, s->bits))
        return s->bits <= 32 * words && s->q == NUMBER_NONE &&
               words_of(c, s->r) == words_of(c, d->variable);
    return s->bits <= 32 * words && (d->is_there || d->first != NUMBER_NONE) &&
           (s->r == NUMBER_NONE || words_of(c, s->r) == words_of(c, d->variable)) &&
           (s->q == NUMBER_NONE ||
            words_of(c, s->q) >= CALC_QUAD * (numbers_dividend_quads(&by, s->bits) - by.n));
}

/* Returns true if the result's variable has the length that the functions of lib/calc write. */
static bool has_lengths(const struct checking *c, const struct number_step *s) {
    const uint64_t r = words_of(c, s->r), u = words_of(c, s->u), v = words_of(c, s->v);
    const uint64_t most = u > v ? u : v;
    if (s->bits > 32 * most_words)
        return false;
    switch (s->kind) {
    case NUMBER_ADD:
        return r >= most;
    case NUMBER_SUB:
        return r >= most + CALC_QUAD;
    case NUMBER_MUL:
        return true;
    case NUMBER_UP:
        return r >= u && s->shift < 32 * r;
    case NUMBER_DOWN:
        return r <= u && s->shift < 32 * u;
    default:
        return has_quotient(c, s, u + v);
    }
}

/* Returns true if the program's steps are possible in their order, and every variable has a value
 * at the end. */
static bool are_steps(struct checking *c) {
    for (uint64_t i = 0; i < c->k->steps; i++) {
        const struct number_step *s = &c->k->step[i];
        if (!has_operands(c, s) || !has_results(c, s) || !has_lengths(c, s))
            return false;
    }
    for (uint64_t i = 0; i < c->k->variables; i++)
        if (!c->has_value[i])
            return false;
    return true;
}

bool numbers_fit(const struct number_program *k) {
    struct checking c = {.k = k};
    return are_places(&c) && are_divisors(k) && are_steps(&c);
}
