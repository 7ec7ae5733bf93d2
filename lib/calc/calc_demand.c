/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of composite operations: demands (equations that must hold), evaluated with recorded
 * residues. */
#include "kernels/check/chain.h"
#include "kernels/check/key.h"
#include "kernels/check/residue.h"
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_device.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

#define NUMBER(x) (x).mem, (x).at, (x).words

enum { RESIDUE_STEP_WORDS = RESIDUE_VECTOR * RESIDUE_THREADS };

/* ---- the residues that one launch computes */

struct taking {
    struct number x[EQUATION_NUMBERS];
    uint64_t taken, groups, steps;
    unsigned count;
};

static void take(struct calc *c, struct taking *t, struct number x, uint64_t entry) {
    if (t->count == EQUATION_NUMBERS) {
        c->status = GPU_FAILED; /* no equation has this many numbers */
        return;
    }
    t->taken += (entry << TAKEN_ENTRY(t->count)) + 1;
    t->x[t->count++] = x;
}

/* Launches the kernel that computes residues of parts of numbers, at most CALC_PARTS_GROUPS parts
 * of each. Returns the weight of a part relative to the part below it, in Montgomery form. */
static uint64_t launch_parts(struct calc *c, struct taking *t) {
    uint64_t most = 1;
    struct number x[EQUATION_NUMBERS];
    for (unsigned i = 0; i < EQUATION_NUMBERS; i++) {
        x[i] = t->count ? t->x[i < t->count ? i : 0] : (struct number){c->mem, 0, 0};
        most = x[i].words > most ? x[i].words : most;
    }
    t->steps = ceil_div(ceil_div(most, RESIDUE_STEP_WORDS), CALC_PARTS_GROUPS);
    t->groups = ceil_div(most, t->steps * RESIDUE_STEP_WORDS);
    if (calc_is_on(c) && t->count > 0)
        c->status = launch_residue(c->s, launch_grid(t->groups, t->count), NUMBER(x[0]),
                                   NUMBER(x[1]), NUMBER(x[2]), NUMBER(x[3]),
                                   c->s->slot[SLOT_TABLES].mem, tables_residue_at(),
                                   (uint32_t)t->steps, KEY_NONE, c->mem, CALC_PARTS / 2);
    return modulus_power_of_words(t->steps * RESIDUE_STEP_WORDS, c->s->modulus);
}

/* ---- equations */

/* Returns the code by which the kernel finds the residue of x, if it is already computed for this
 * equation; otherwise 0. */
static uint64_t code_taken(const struct taking *t, struct number x) {
    for (unsigned i = 0; i < t->count; i++)
        if (number_same(t->x[i], x))
            return i + 1;
    return 0;
}

/* Returns the code by which the kernel finds the residue of x: in its record, or computed now and
 * recorded. */
static uint64_t code_of(struct calc *c, struct taking *t, struct number x, bool is_fresh) {
    uint64_t code = code_taken(t, x);
    if (code > 0 || x.words == 0 || number_same(x, calc_one(c)))
        return code;
    struct calc_record *k = calc_record_of(c, x);
    if (k)
        calc_record_read(c, k);
    if (!k || c->status != GPU_OK)
        return 0;
    if (k->is_there && !is_fresh)
        return calc_record_entry(c, k);
    *k = (struct calc_record){.x = x, .is_there = true};
    take(c, t, x, calc_record_entry(c, k));
    return t->count;
}

void calc_device_demand(struct calc *c, const struct calc_equation *q) {
    struct taking t = {.count = 0};
    uint64_t operands = 0;
    /* First collects the numbers whose residue is recorded anew, because the equation may name the
     * same number in a second place. */
    for (unsigned fresh = 2; fresh-- > 0;)
        for (unsigned i = 0; i < EQUATION_TERMS; i++)
            if ((q->fresh >> i & 1) == fresh)
                operands |= code_of(c, &t, q->x[i], fresh) << EQUATION_BITS * i;
    uint64_t shift = launch_parts(c, &t), g = q->x[EQUATION_A].words > 0 ? q->g : 0;
    calc_check_bring(c);
    if (calc_is_on(c))
        c->status = launch_equation(
            c->s, launch_row(1), c->mem, CALC_PARTS / 2, t.groups, t.taken, shift, operands, q->e,
            q->f, g, q->h, c->s->slot[SLOT_TABLES].mem, tables_residue_at(), c->mem, c->check.at);
    calc_check_advance(c, chain_equation(operands, t.taken, q->e, q->f, g, q->h));
}

void calc_demand_difference(struct calc *c, struct number r, struct number u, struct number v,
                            uint64_t bits) {
    if (!calc_check_is_on(c))
        return;
    calc_device_demand(
        c, &(struct calc_equation){.x = {[EQUATION_R] = r, [EQUATION_U] = u, [EQUATION_A] = v},
                                   .e = 1,
                                   .f = 1,
                                   .g = c->s->modulus.m - 1,
                                   .h = modulus_residue_of_bits(bits, c->s->modulus),
                                   .fresh = CALC_FRESH(EQUATION_R)});
}

void calc_demand_shifted(struct calc *c, struct number r, struct number u, uint64_t bits) {
    if (!calc_check_is_on(c))
        return;
    calc_device_demand(c, &(struct calc_equation){.x = {[EQUATION_R] = r, [EQUATION_U] = u},
                                                  .e = 1,
                                                  .f = modulus_residue_of_bits(bits, c->s->modulus),
                                                  .fresh = CALC_FRESH(EQUATION_R)});
}

void calc_demand_parts(struct calc *c, struct number u, struct number r, uint64_t bits,
                       struct number low) {
    if (!calc_check_is_on(c))
        return;
    calc_device_demand(
        c, &(struct calc_equation){.x = {[EQUATION_R] = u, [EQUATION_U] = r, [EQUATION_A] = low},
                                   .e = 1,
                                   .f = modulus_residue_of_bits(bits, c->s->modulus),
                                   .g = 1,
                                   .fresh = CALC_FRESH(EQUATION_U) | CALC_FRESH(EQUATION_A)});
}

/* ---- the end */

/* Collects the next numbers that calc_doubt has marked, up to the limit of one launch. Returns
 * false if there are none. */
static bool take_doubtful(struct calc *c, struct taking *t) {
    *t = (struct taking){.count = 0};
    for (unsigned i = 0; i < c->check.count && t->count < EQUATION_NUMBERS; i++) {
        struct calc_record *k = &c->check.record[i];
        if (!k->is_doubtful)
            continue;
        calc_record_read(c, k);
        take(c, t, k->x, calc_record_entry(c, k));
        k->is_doubtful = false;
    }
    return t->count > 0 && calc_is_on(c);
}

void calc_device_check_now(struct calc *c) {
    struct taking t;
    while (calc_check_is_on(c) && take_doubtful(c, &t)) {
        uint64_t shift = launch_parts(c, &t);
        calc_check_bring(c);
        if (calc_is_on(c))
            c->status = launch_unchanged(c->s, launch_row(1), c->mem, CALC_PARTS / 2, t.groups,
                                         t.taken, shift, c->s->slot[SLOT_TABLES].mem,
                                         tables_residue_at(), c->mem, c->check.at);
        calc_check_advance(c, t.taken);
    }
}
