/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe (the function that computes a job on the device) of powers modulo m, by sliding
 * windows over the exponent.
 *
 * Each product is reduced modulo d = 2^s m by the reciprocal of d. s is such that d has three zero
 * bits above it. So powers below 2d need no correction after a reduction. Finally 2^s times the
 * last power is divided by d, which yields the power modulo m.
 *
 * For m = k 2^e - 1 or k 2^e + 1 (lib/calc/calc_form.h) a device computes modulo m itself, without
 * a reciprocal. All powers are then below m.
 *
 * The check verifies by residues that each product is x y = q d + r. It computes the residue of d
 * as 2^s times the residue of m, so an error in d is detected, too. The last power must also be
 * below m.
 *
 * GMP computes mpz_powm_sec, because its time must not depend on the operands. */
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/base/window.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_divide.h"
#include "lib/calc/calc_form.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/job/job.h"

/* The power to compute, as known to the host. */
struct powm {
    struct calc_divisor by; /* the result of calc_modulus_plan for the modulus's bits */
    /* the modulus's form k 2^e - 1 or k 2^e + 1; k = 0: another form, products are reduced by the
     * reciprocal */
    struct calc_form form;
    uint64_t modulus_bits;
    const uint64_t *exponent; /* greater than 1 */
    uint64_t bits;            /* bit length of the exponent */
    bool is_reduced;          /* the base b has no more bits than the modulus */
};

struct power {
    struct calc *c;
    const struct powm *p;
    /* window: bits of a window; entries: count of odd powers in the table; turn: the element of
     * `room` in use */
    unsigned window, entries, turn;
    /* x: the power so far; odd: the table of odd powers b, b^3, b^5 ... */
    struct number x, odd[WINDOW_POWERS];
    struct number product, room[2]; /* x is stored in room[turn], or is one of the odd powers */
    struct {
        bool is_due;
        struct number x, y, q, r;
    } demand; /* operands of the last product's check, if that check is not queued yet */
};

/* Returns about how many modular products a random exponent of `bits` bits needs. */
static uint64_t steps_of(uint64_t bits) {
    unsigned w = window_best(bits);
    return bits + bits / (w + 1) + ((uint64_t)1 << (w - 1)) + 2;
}

static struct number take(struct power *k, unsigned times) {
    return calc_take(k->c, times * CALC_QUAD * k->p->by.n);
}

/* Queues the check of the last product, unless it is queued already. Call it before a number of
 * this product is overwritten. */
static void make_demand(void *argument) {
    struct power *k = argument;
    if (k->demand.is_due)
        calc_demand_reduced(k->c, k->demand.x, k->demand.y, k->demand.q, k->p->by.d, k->demand.r);
    k->demand.is_due = false;
}

/* Sets r to the product of the numbers x and y modulo the shifted modulus (k->p->by.d). Returns the
 * quotient. Queues the last product's check first. */
static struct number reduced_product(struct power *k, struct number r, struct number x,
                                     struct number y) {
    struct calc *c = k->c;
    const struct powm *p = k->p;
    const uint64_t bits = p->modulus_bits;
    if (p->form.k > 0 && !c->pair)
        return calc_form_mul(c, &p->form, r, k->product, 2 * bits, x, y, p->by.d, bits,
                             CALC_FORM_RESIDUES);
    calc_mul(c, k->product, x, y);
    make_demand(k);
    return p->form.k > 0
               ? calc_form_reduce(c, &p->form, r, k->product, 2 * bits, p->by.d, bits, true)
               : calc_lazy_reduce(c, &p->by, r, k->product);
}

/* Computes r = x y modulo the shifted modulus d, where r overlaps neither x nor y. With two devices
 * the check of this product runs while halves of the next product are copied. With one device the
 * check follows at once. */
static void multiply(struct power *k, struct number r, struct number x, struct number y) {
    struct calc *c = k->c;
    uint64_t mark = calc_mark(c);
    k->demand.q = reduced_product(k, r, x, y);
    k->demand.x = x;
    k->demand.y = y;
    k->demand.r = r;
    k->demand.is_due = true;
    if (!c->pair)
        make_demand(k);
    calc_drop(c, mark);
}

/* Sets x = x y modulo d, the shifted modulus. Stores the product in that buffer of k->room that
 * does not contain x. */
static void multiply_by(struct power *k, struct number y) {
    struct number r = k->room[k->turn ^= 1];
    calc_series(k->c);
    multiply(k, r, k->x, y);
    k->x = r;
}

/* Returns how many products the power needs with windows of `window` bits. Sets *entries to the
 * count of odd powers in the table. */
static uint64_t count_steps(const struct powm *p, unsigned window, unsigned *entries) {
    uint64_t low, steps = 0;
    unsigned most = window_at(p->exponent, window, p->bits - 1, &low) / 2;
    for (uint64_t left = low; left > 0; left = low) {
        unsigned value = window_at(p->exponent, window, left - 1, &low);
        most = value / 2 > most ? value / 2 : most;
        steps += left - low + (value > 0);
    }
    *entries = most + 1;
    return steps + (most > 0 ? *entries : 0);
}

/* Chooses the window length with the fewest products for this exponent. Counts the products of each
 * length exactly: the table ends at the highest odd power that the exponent uses. */
static void choose_window(struct power *k) {
    uint64_t least = UINT64_MAX;
    for (unsigned w = 1; w <= WINDOW_MOST; w++) {
        unsigned entries;
        uint64_t steps = count_steps(k->p, w, &entries);
        if (steps >= least)
            continue;
        least = steps;
        k->window = w;
        k->entries = entries;
    }
}

static void make_table(struct power *k) {
    struct calc *c = k->c;
    unsigned entries = k->entries;
    for (unsigned i = 1; i < entries; i++)
        k->odd[i] = take(k, 1);
    k->x = k->odd[0];
    if (entries > 1)
        multiply_by(k, k->odd[0]);
    /* the first run, which only plans the memory, executes each kind of step once */
    for (unsigned i = 1; i < entries; i++)
        if (!c->is_planning || i == 1)
            multiply(k, k->odd[i], k->odd[i - 1], k->x);
}

/* Computes x, the power of the base b modulo the shifted modulus, from the table of odd powers of
 * b. The first run, which only plans the memory, executes only one step. */
static void power(struct power *k) {
    uint64_t low, left = k->p->bits; /* remaining bits */
    k->x = k->odd[window_at(k->p->exponent, k->window, left - 1, &low) / 2];
    for (left = low; left > 0 && k->c->status == GPU_OK; left = low) {
        unsigned value = window_at(k->p->exponent, k->window, left - 1, &low);
        for (; left > low; left--)
            multiply_by(k, k->x);
        if (value > 0)
            multiply_by(k, k->odd[value / 2]);
        if (k->c->is_planning)
            return;
    }
}

/* Returns b modulo the divisor by->d, which is the modulus shifted left. */
static struct number reduced(struct calc *c, const struct calc_divisor *by, struct number b) {
    struct number r = calc_take(c, CALC_QUAD * by->n);
    uint64_t mark = calc_mark(c), words = b.words > r.words ? b.words : r.words;
    struct number q = calc_take(c, words + CALC_QUAD - r.words),
                  rest = calc_take(c, words + CALC_QUAD);
    calc_copy(c, rest, b);
    calc_divide(c, by, q, rest);
    calc_copy(c, r, number_part(rest, 0, r.words));
    calc_demand_rest(c, b, q, by->d, r);
    calc_drop(c, mark);
    return r;
}

/* Returns b reduced to less than 2d, where d is the shifted modulus, in by.n quads (128 bits each).
 * A base with no more bits than the modulus needs no reduction. */
static struct number begin(struct calc *c, const struct powm *p, struct number b) {
    if (!p->is_reduced)
        return reduced(c, &p->by, b);
    struct number x = calc_take(c, CALC_QUAD * p->by.n);
    calc_copy(c, x, b);
    calc_know_shifted(c, x, b, 0);
    return x;
}

/* Returns x modulo m, the modulus. x is the last power, modulo the shifted modulus. */
static struct number finish(struct calc *c, const struct calc_divisor *by, struct number x,
                            struct number modulus) {
    struct number r = calc_take(c, x.words);
    uint64_t mark = calc_mark(c);
    struct number shifted = calc_take(c, x.words + CALC_QUAD), q = calc_take(c, CALC_QUAD);
    calc_shift(c, shifted, x, -by->shift, false);
    calc_divide(c, by, q, shifted);
    calc_shift(c, r, number_part(shifted, 0, x.words), by->shift, false);
    calc_demand_less(c, r, modulus);
    calc_demand_rest(c, x, q, modulus, r);
    calc_drop(c, mark);
    return r;
}

/* Returns b modulo m, the modulus, for a base b with no more bits than m: subtracting m once
 * suffices. */
static struct number begin_form(struct calc *c, struct number b, struct number modulus) {
    struct number x = calc_take(c, modulus.words);
    struct number q = calc_take(c, CALC_QUAD);
    calc_copy(c, q, calc_reduce(c, x, number_part(b, 0, modulus.words), modulus));
    calc_demand_rest(c, b, q, modulus, x);
    return x;
}

/* Returns b^exponent modulo `modulus`, in by.n quads (units of 128 bits). `first` is the first
 * approximation of the reciprocal of `modulus`. */
static struct number power_modulo(struct calc *c, struct powm *p, struct number b,
                                  struct number modulus, struct number first) {
    struct power k = {.c = c, .p = p};
    choose_window(&k);
    if (p->form.k > 0) {
        p->by.n = modulus.words / CALC_QUAD;
        p->by.d = modulus;
        calc_need(c, b);
        calc_need(c, modulus);
        k.odd[0] = begin_form(c, b, modulus);
    } else {
        calc_divisor_make(c, &p->by, modulus, first);
        calc_know_shifted(c, p->by.d, modulus, (uint64_t)p->by.shift);
        k.odd[0] = begin(c, p, b);
    }
    k.product = take(&k, 2);
    for (int i = 0; i < 2; i++)
        k.room[i] = take(&k, 1);
    c->meanwhile = make_demand;
    c->meanwhile_of = &k;
    make_table(&k);
    power(&k);
    c->meanwhile = NULL;
    make_demand(&k);
    if (p->form.k == 0)
        return finish(c, &p->by, k.x, modulus);
    calc_demand_less(c, k.x, modulus);
    return k.x;
}

/* ---- the job */

enum { MOST_MICROSECONDS = 4000000, STEP_MICROSECONDS = 120, STEP_LIMBS = 700 };
enum { MOST_EXPONENT = MOST_MICROSECONDS / STEP_MICROSECONDS / 64 }; /* limbs */

struct calc_divisor job_modulus(const struct job *j) {
    return calc_modulus_plan(j->parameter[JOB_MODULUS_BITS]);
}

bool job_fits_powm(const struct job *j) {
    const struct job_ref *m = &j->u[JOB_MODULUS];
    return job_has(j, 4, 1) && m->n >= 2 && job_is_length(j->parameter[JOB_MODULUS_BITS], m->n) &&
           j->parameter[JOB_EXPONENT_BITS] >= 2 &&
           job_is_length(j->parameter[JOB_EXPONENT_BITS], j->u[JOB_EXPONENT].n) &&
           (!j->parameter[JOB_IS_REDUCED] || j->u[JOB_BASE].n <= m->n) &&
           job_is_result(j, 0, m->n) &&
           j->u[JOB_FIRST_OF_MODULUS].n == calc_reciprocal_first_limbs(job_modulus(j).k);
}

/* Returns true if the device is expected to compute the power in at most MOST_MICROSECONDS. GMP
 * computes longer powers, since fork and exit must wait for the device. On an H200 a product takes
 * STEP_MICROSECONDS, plus one microsecond for each STEP_LIMBS limbs. */
bool job_powm_is_short(const struct job *j) {
    const uint64_t en = j->u[JOB_EXPONENT].n, mn = j->u[JOB_MODULUS].n;
    return en <= MOST_EXPONENT &&
           steps_of(64 * en) <= MOST_MICROSECONDS / (STEP_MICROSECONDS + mn / STEP_LIMBS);
}

/* Returns the exponent. If a device computes, first copies it from the program's memory to `to`,
 * because the program may release its memory when the device does not answer in time. */
static const uint64_t *read_exponent(struct calc *c, const struct job_ref *e, uint64_t *to) {
    if (c->host)
        return e->host;
    calc_read(c, to, e->host, e->n * sizeof *to);
    return to;
}

void recipe_powm(struct calc *c, struct job *j) {
    const struct job_ref *base = &j->u[JOB_BASE];
    uint64_t exponent[MOST_EXPONENT];
    struct powm p = {.by = job_modulus(j),
                     .exponent = read_exponent(c, &j->u[JOB_EXPONENT], exponent),
                     .bits = j->parameter[JOB_EXPONENT_BITS],
                     .modulus_bits = j->parameter[JOB_MODULUS_BITS],
                     .is_reduced = j->parameter[JOB_IS_REDUCED]};
    if (c->status != GPU_OK)
        return;
    if (!c->host && p.is_reduced)
        p.form = calc_form_of(j->parameter[JOB_FORM], p.modulus_bits);
    const uint64_t words = p.form.k > 0 ? calc_words(p.modulus_bits) : CALC_QUAD * p.by.n;
    struct number modulus = job_operand(c, &j->u[JOB_MODULUS], words);
    struct number b = job_operand(c, base, p.form.k > 0 ? words : calc_words(64 * base->n));
    struct number first = job_first(c, &j->u[JOB_FIRST_OF_MODULUS]);
    job_deliver(c, j, 0, power_modulo(c, &p, b, modulus, first));
}
