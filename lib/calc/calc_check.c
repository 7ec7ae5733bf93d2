/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of composite operations: it records residues of numbers, and demands equations between
 * them. The device evaluates each demand, and changes the check's state, a number that the host
 * predicts.
 *
 * The check's memory on the device (kernels/check/chain.h) begins with the state, whose first value
 * the host chooses. Counters and an entry for each recorded residue follow. The host's residues are
 * copied there from page-locked memory of the same layout, before the first demand that needs
 * them. */
#include "lib/calc/calc_check.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/random.h"
#include "lib/calc/calc_head.h"
#include "lib/device/answers.h"
#include "lib/device/limbs_residue.h"
#include "lib/transfer/far.h"

_Static_assert(CHECK_RECORDS + CALC_RECORDS_MOST <= EQUATION_MASK, "entries are numbered so");
_Static_assert(CHECK_RECORDS + CALC_RECORDS_MOST < ANSWERS_CHECK - 1, "and have room on the host");

bool calc_check_is_on(const struct calc *c) {
    return calc_is_on(c) && !c->host && mpgpu_conf.verify == VERIFY_DEVICE;
}

uint64_t *calc_check_host(const struct calc *c) {
    return c->s->answers.host + ANSWERS_MOST;
}

void calc_check_room(struct calc *c, uint64_t records) {
    if (records > c->check.room)
        c->check.room = records < CALC_RECORDS_MOST ? records : CALC_RECORDS_MOST;
}

struct calc_record *calc_record_find(const struct calc *c, struct number x) {
    struct calc_record *k = c->check.record;
    for (unsigned i = 0; i < c->check.count; i++, k++)
        if (k->x.at == x.at && k->x.mem.h == x.mem.h)
            return k;
    return NULL;
}

struct calc_record *calc_record_of(struct calc *c, struct number x) {
    struct calc_record *k = calc_record_find(c, x);
    if (!k && c->check.count < c->check.room)
        k = &c->check.record[c->check.count++];
    else if (!k)
        /* The computing run records more residues than the planning run counted: the two runs
         * differ. */
        c->status = GPU_FAILED;
    if (k && !number_same(k->x, x))
        *k = (struct calc_record){.x = x};
    return k;
}

uint64_t calc_record_entry(const struct calc *c, const struct calc_record *k) {
    return CHECK_RECORDS + (uint64_t)(k - c->check.record);
}

static void know(struct calc *c, struct calc_record *k, uint64_t residue) {
    k->residue = calc_check_host(c)[calc_record_entry(c, k)] = residue;
    k->host = NULL;
    k->is_there = k->is_of_host = k->is_pending = true;
}

bool calc_read_residue(struct calc *c, uint64_t *residue, const uint64_t *from, uint64_t limbs) {
    if (c->status == GPU_OK && far_is_address(from)) {
        if (!far_residue(far_here(), residue, from, limbs, c->s->modulus.m))
            c->status = GPU_LEFT;
        return c->status == GPU_OK;
    }
    const uint64_t *x = calc_enter(c, from, limbs * sizeof *x);
    if (!x)
        return false;
    *residue = limbs_residue(x, limbs, c->s->modulus);
    calc_leave(c);
    return true;
}

/* Computes an operand's residue from its limbs, which are in the program's memory. */
void calc_record_read(struct calc *c, struct calc_record *k) {
    const struct check_modulus q = c->s->modulus;
    uint64_t residue;
    if (k->host && calc_read_residue(c, &residue, k->host, k->limbs))
        know(c, k, modulus_mul(residue, modulus_residue_of_power(2 * k->zeros, q), q));
}

void calc_check_read(struct calc *c) {
    for (unsigned i = 0; i < c->check.count && calc_check_is_on(c); i++)
        calc_record_read(c, &c->check.record[i]);
}

void calc_operand_at(struct calc *c, struct number x, const void *host, uint64_t zeros,
                     uint64_t limbs) {
    struct calc_record *k = calc_check_is_on(c) ? calc_record_of(c, x) : NULL;
    if (k)
        *k = (struct calc_record){.x = x, .host = host, .zeros = zeros, .limbs = limbs};
}

void calc_know(struct calc *c, struct number x, uint64_t residue) {
    struct calc_record *k = calc_check_is_on(c) ? calc_record_of(c, x) : NULL;
    if (k)
        know(c, k, residue);
}

void calc_know_shifted(struct calc *c, struct number x, struct number u, uint64_t bits) {
    struct calc_record *k = calc_check_is_on(c) ? calc_record_find(c, u) : NULL;
    if (!calc_check_is_on(c))
        return;
    if (k)
        calc_record_read(c, k);
    if (k && k->is_of_host)
        calc_know(
            c, x,
            modulus_mul(k->residue, modulus_residue_of_bits(bits, c->s->modulus), c->s->modulus));
    else if (c->status == GPU_OK)
        c->status = GPU_FAILED;
}

void calc_forget(struct calc *c, struct number x) {
    struct calc_record *k = calc_record_find(c, x);
    if (k)
        *k = (struct calc_record){.x = k->x};
}

void calc_doubt(struct calc *c, struct number x) {
    if (number_same(x, calc_one(c)))
        calc_know(c, x, 1);
    struct calc_record *k = calc_check_is_on(c) ? calc_record_find(c, x) : NULL;
    if (k)
        k->is_doubtful = k->is_there || k->host;
}

/* ---- demands */

/* Makes the operation fail unless x[0] x[1] = x[2] x[3] + x[4] modulo the check's modulus. The
 * numbers are in the order of struct calc_equation. */
static void demand(struct calc *c, const struct number x[EQUATION_TERMS], unsigned fresh) {
    struct calc_equation q = {.e = 1, .f = 1, .g = 1, .fresh = fresh};
    memcpy(q.x, x, sizeof q.x);
    if (calc_check_is_on(c))
        c->engine->demand(c, &q);
}

void calc_demand_product(struct calc *c, struct number r, struct number u, struct number v,
                         struct number a) {
    demand(c, (struct number[EQUATION_TERMS]){r, {.words = 0}, u, v, a}, CALC_FRESH(EQUATION_R));
}

void calc_demand_rest(struct calc *c, struct number n, struct number u, struct number v,
                      struct number r) {
    demand(c, (struct number[EQUATION_TERMS]){n, {.words = 0}, u, v, r}, CALC_FRESH(EQUATION_A));
}

void calc_demand_reduced(struct calc *c, struct number x, struct number y, struct number q,
                         struct number d, struct number r) {
    demand(c, (struct number[EQUATION_TERMS]){x, y, q, d, r},
           CALC_FRESH(EQUATION_U) | CALC_FRESH(EQUATION_A));
}

void calc_demand_residue(struct calc *c, struct number x, uint64_t expected) {
    calc_know(c, x, expected);
    calc_doubt(c, x);
}

void calc_demand_less(struct calc *c, struct number u, struct number v) {
    if (!c->host)
        c->engine->demand_less(c, u, v);
}

void calc_demand_below_mersenne(struct calc *c, struct number u, uint64_t p) {
    if (!c->host)
        c->engine->demand_below_mersenne(c, u, p);
}

void calc_check_now(struct calc *c) {
    if (calc_check_is_on(c))
        c->engine->check_now(c);
}

/* ---- the state */

enum { END_ENTRIES = 2 }; /* what is downloaded: the check's state, and its two counters */

void calc_check_begin(struct calc *c) {
    struct calc_check *k = &c->check;
    k->record = calloc(k->room, sizeof *k->record);
    if (!k->record && c->status == GPU_OK)
        c->status = GPU_NOMEM;
    k->count = 0;
    k->state = random_word();
    k->counted = k->lesses = 0;
    k->has_begun = false;
}

static void put(struct calc *c, uint64_t from, uint64_t count) {
    if (calc_is_on(c))
        c->status = gpu_write(&c->s->queue, c->mem, (c->check.at + from) * sizeof(uint64_t),
                              calc_check_host(c) + from, count * sizeof(uint64_t));
}

void calc_check_bring(struct calc *c) {
    struct calc_check *k = &c->check;
    if (!k->has_begun && calc_is_on(c)) {
        calc_check_host(c)[CHECK_STATE] = k->state;
        calc_check_host(c)[CHECK_COUNTS] = 0;
        put(c, 0, CHECK_RECORDS);
    }
    k->has_begun = true;
    for (unsigned i = 0, end; i < k->count; i = end) {
        for (end = i; end < k->count && k->record[end].is_pending; end++)
            k->record[end].is_pending = false;
        if (end > i)
            put(c, CHECK_RECORDS + i, end - i);
        end += end == i;
    }
}

void calc_check_advance(struct calc *c, uint64_t demand) {
    c->check.state = chain_next(c->check.state, demand);
}

struct number calc_check_state(struct calc *c, uint32_t *demand) {
    calc_check_bring(c);
    *demand += 4 * ++c->check.lesses;
    calc_check_advance(c, *demand);
    return (struct number){c->mem, 2 * (c->check.at + CHECK_STATE), 2};
}

struct number calc_check_wrong(struct calc *c) {
    calc_check_bring(c);
    return (struct number){c->mem, 2 * (c->check.at + CHECK_COUNTS), 1};
}

struct number calc_check_count(struct calc *c, uint64_t count) {
    calc_check_bring(c);
    c->check.counted += (uint32_t)count;
    return (struct number){c->mem, 2 * (c->check.at + CHECK_COUNTS) + 1, 1};
}

/* Returns where the state is downloaded to at the end: host memory that no recorded residue
 * uses. */
static uint64_t *state_at_end(const struct calc *c) {
    return calc_check_host(c) + ANSWERS_CHECK - END_ENTRIES;
}

void calc_check_fetch(struct calc *c) {
    uint64_t *end = state_at_end(c);
    if (!c->check.has_begun || !calc_is_on(c))
        return;
    end[CHECK_STATE] = ~c->check.state;
    c->status = gpu_read(&c->s->queue, end, c->mem, c->check.at * sizeof(uint64_t),
                         END_ENTRIES * sizeof(uint64_t));
}

bool calc_check_holds(const struct calc *c) {
    const struct calc_check *k = &c->check;
    const uint64_t *end = state_at_end(c);
    return !k->has_begun || (end[CHECK_STATE] == k->state && end[CHECK_COUNTS] == k->counted << 32);
}

void calc_check_close(struct calc *c) {
    free(c->check.record);
    c->check.record = NULL;
    c->check.count = 0;
}
