/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums, shifts and decisions of device numbers, and the checks of what they came to. */
#include "kernels/check/key.h"
#include "kernels/check/residue.h"
#include "kernels/common/carry.h"
#include "kernels/common/tables.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/calc/calc.h"
#include "lib/calc/calc_head.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

#define NUMBER(x) (x).mem, (x).at, (x).words

void calc_add(struct calc *c, struct number r, struct number u, struct number v) {
    if (calc_is_on(c))
        c->status = number_add(c->s, r, u, v, 0, NULL);
}

void calc_sub(struct calc *c, struct number r, struct number u, struct number v) {
    if (calc_is_on(c))
        c->status = number_add(c->s, r, u, v, 1, NULL);
}

struct number calc_one(const struct calc *c) {
    return (struct number){c->s->slot[SLOT_TABLES].mem, TABLE_ONE, 1};
}

void calc_shift(struct calc *c, struct number r, struct number u, int64_t bits,
                bool is_complement) {
    uint64_t low = (uint64_t)bits % 32, skip = (uint64_t)((bits - (int64_t)low) / 32);
    calc_need(c, u);
    if (calc_is_on(c) && r.words > 0)
        c->status = launch_window(c->s, launch_row(ceil_div(r.words, CARRY_THREADS)), NUMBER(r),
                                  NUMBER(u), skip, (uint32_t)low, is_complement ? ~0u : 0u);
}

/* After a difference of `words` words: its flag, that nothing was borrowed, decides. */
static void choose(struct calc *c, struct number r, struct number u, struct number v,
                   uint64_t words, uint32_t demand, struct number kept) {
    uint64_t flag_at = ceil_div(words, CARRY_CHUNK), groups = ceil_div(r.words, CARRY_THREADS);
    if (calc_is_on(c))
        c->status =
            launch_choose(c->s, launch_row(groups ? groups : 1), NUMBER(r), NUMBER(u), NUMBER(v),
                          c->s->slot[SLOT_FLAGS].mem, flag_at, demand, kept.mem, kept.at);
}

static struct number next_flag(struct calc *c) {
    return (struct number){c->mem, CALC_FLAGS + c->flags++ % CALC_FLAGS_MOST, 1};
}

struct number calc_reduce(struct calc *c, struct number r, struct number u, struct number v) {
    uint64_t mark = calc_mark(c);
    struct number less = calc_take(c, u.words), flag = next_flag(c);
    calc_sub(c, less, u, v);
    choose(c, r, u, less, u.words, 0, flag);
    calc_drop(c, mark);
    return flag;
}

struct number calc_compare(struct calc *c, struct number u, struct number v) {
    return calc_reduce(c, number_part(u, 0, 0), u, v);
}

void calc_select(struct calc *c, struct number r, struct number flag, struct number a,
                 struct number b) {
    struct number again = next_flag(c);
    if (calc_is_on(c))
        c->status = launch_choose(c->s, launch_row(ceil_div(r.words, CARRY_THREADS)), NUMBER(r),
                                  NUMBER(a), NUMBER(b), flag.mem, flag.at, 0, again.mem, again.at);
}

void calc_demand_less(struct calc *c, struct number u, struct number v) {
    uint64_t mark = calc_mark(c);
    struct number less = calc_take(c, u.words), wrong = {c->answers, CALC_WRONG, 1};
    calc_sub(c, less, u, v);
    choose(c, number_part(less, 0, 0), u, less, u.words, 2, wrong);
    calc_drop(c, mark);
}

/* Numbers and how their residues are cut into parts. */
struct residues {
    struct number x[5];
    unsigned count, factor; /* x[factor] is the first one's, if there is that */
    uint64_t groups, steps;
};

#define RESIDUE_STEP_WORDS (RESIDUE_VECTOR * RESIDUE_THREADS)

/* Parts of the residues of four numbers, or of the fifth alone, to entry `to`. */
static enum gpu_status launch(struct calc *c, const struct residues *k, unsigned first,
                              unsigned count) {
    const struct number *x = k->x + first;
    const unsigned others = first ? 0 : 1;
    uint64_t to = CALC_PARTS / 2 + first * k->groups;
    return launch_residue(c->s, launch_grid(k->groups, count), NUMBER(x[0]), NUMBER(x[others]),
                          NUMBER(x[2 * others]), NUMBER(x[3 * others]), c->s->slot[SLOT_TABLES].mem,
                          tables_residue_at(), (uint32_t)k->steps, KEY_NONE, c->mem, to);
}

/* How the longest of k's numbers is cut; the factor from a part to the next, in Montgomery form. */
static uint64_t cut(const struct calc *c, struct residues *k) {
    uint64_t most = 1;
    for (unsigned i = 0; i < k->count; i++)
        most = k->x[i].words > most ? k->x[i].words : most;
    k->steps = ceil_div(ceil_div(most, RESIDUE_STEP_WORDS), CALC_PARTS_GROUPS);
    k->groups = ceil_div(most, k->steps * RESIDUE_STEP_WORDS);
    return modulus_power_of_words(k->steps * RESIDUE_STEP_WORDS, c->s->modulus);
}

/* x[0], times its factor, is x[1] x[2] + x[3]. */
static void demand(struct calc *c, struct residues *k) {
    gpu_mem tables = c->s->slot[SLOT_TABLES].mem;
    if (!calc_is_on(c) || mpgpu_conf.verify != VERIFY_DEVICE)
        return;
    uint64_t shift = cut(c, k);
    c->status = launch(c, k, 0, k->count < 4 ? k->count : 4);
    if (c->status == GPU_OK && k->count > 4)
        c->status = launch(c, k, 4, 1);
    if (c->status == GPU_OK)
        c->status =
            launch_equation(c->s, launch_row(1), c->mem, CALC_PARTS / 2, k->groups, k->count,
                            k->factor, shift, tables, tables_residue_at(), c->answers, CALC_WRONG);
}

void calc_demand_product(struct calc *c, struct number r, struct number u, struct number v,
                         struct number a) {
    unsigned count = a.words > 0 ? 4 : 3;
    demand(c, &(struct residues){.x = {r, u, v, a}, .count = count, .factor = count});
}

void calc_demand_reduced(struct calc *c, struct number x, struct number y, struct number q,
                         struct number d, struct number r) {
    bool is_square = number_same(x, y);
    demand(c, &(struct residues){
                  .x = {x, q, d, r, y}, .count = is_square ? 4 : 5, .factor = is_square ? 0 : 4});
}

void calc_demand_residue(struct calc *c, struct number x, uint64_t expected) {
    struct residues k = {.x = {x, x, x, x}, .count = 1};
    if (!calc_is_on(c) || mpgpu_conf.verify != VERIFY_DEVICE)
        return;
    uint64_t shift = cut(c, &k);
    c->status = launch(c, &k, 0, 1);
    if (c->status == GPU_OK)
        c->status = launch_expectation(c->s, launch_row(1), c->mem, CALC_PARTS / 2, k.groups, shift,
                                       expected, c->s->slot[SLOT_TABLES].mem, tables_residue_at(),
                                       c->answers, CALC_WRONG);
}

/* A copy of x with more words. */
static struct number wide(struct calc *c, struct number x, uint64_t words) {
    struct number copy = calc_take(c, words);
    calc_copy(c, copy, x);
    return copy;
}

bool calc_is_less(struct calc *c, struct number u, struct number v) {
    uint64_t words = (u.words > v.words ? u.words : v.words) + CALC_QUAD;
    struct number more = wide(c, u, words);
    uint32_t flags[2] = {0, 1};
    c->flags += c->flags % 2; /* both lie side by side */
    struct number not_less = calc_compare(c, u.words < v.words ? wide(c, u, words) : u, v);
    calc_add(c, more, more, calc_one(c));
    calc_compare(c, wide(c, v, words), more);
    calc_download_to_each(c, flags, not_less, 1);
    if (c->status == GPU_OK && (flags[0] ^ flags[1]) != 1)
        c->status = GPU_FAILED;
    return flags[1];
}
