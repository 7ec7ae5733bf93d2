/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums, shifts and decisions of device numbers, and the checks of what they came to. */
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
                   uint64_t words, uint32_t demand, uint64_t kept_at) {
    uint64_t flag_at = ceil_div(words, CARRY_CHUNK), groups = ceil_div(r.words, CARRY_THREADS);
    if (calc_is_on(c))
        c->status =
            launch_choose(c->s, launch_row(groups ? groups : 1), NUMBER(r), NUMBER(u), NUMBER(v),
                          c->s->slot[SLOT_FLAGS].mem, flag_at, demand, c->mem, kept_at);
}

struct number calc_reduce(struct calc *c, struct number r, struct number u, struct number v) {
    uint64_t mark = calc_mark(c), kept_at = CALC_FLAGS + c->flags++ % CALC_FLAGS_MOST;
    struct number less = calc_take(c, u.words);
    calc_sub(c, less, u, v);
    choose(c, r, u, less, u.words, 0, kept_at);
    calc_drop(c, mark);
    return (struct number){c->mem, kept_at, 1};
}

void calc_demand_less(struct calc *c, struct number u, struct number v) {
    uint64_t mark = calc_mark(c);
    struct number less = calc_take(c, u.words);
    calc_sub(c, less, u, v);
    choose(c, number_part(less, 0, 0), u, less, u.words, 2, CALC_WRONG);
    calc_drop(c, mark);
}

/* How the longest of some numbers is cut for its residue. */
struct cut {
    uint64_t steps, groups, shift; /* the last: from a part to the next, in Montgomery form */
};

static struct cut cut_of(const struct context *s, uint64_t words) {
    const uint64_t step = RESIDUE_VECTOR * RESIDUE_THREADS;
    uint64_t steps = ceil_div(ceil_div(words, step), CALC_PARTS_GROUPS);
    return (struct cut){steps, ceil_div(words, steps * step),
                        modulus_power_of_words(steps * step, s->modulus)};
}

/* Parts of the residues of four numbers, x[0] the longest. */
static enum gpu_status residues(struct context *s, gpu_mem mem, const struct number *x,
                                unsigned count, const struct cut *by) {
    return launch_residue(s, launch_grid(by->groups, count), NUMBER(x[0]), NUMBER(x[1]),
                          NUMBER(x[2]), NUMBER(x[3]), s->slot[SLOT_TABLES].mem, tables_residue_at(),
                          (uint32_t)by->steps, mem, CALC_PARTS / 2);
}

void calc_demand_product(struct calc *c, struct number r, struct number u, struct number v,
                         struct number a) {
    const struct number x[] = {r, u, v, a};
    const unsigned count = a.words > 0 ? 4 : 3;
    struct context *s = c->s;
    if (!calc_is_on(c) || mpgpu_conf.verify != VERIFY_DEVICE)
        return;
    struct cut by = cut_of(s, r.words);
    c->status = residues(s, c->mem, x, count, &by);
    if (c->status == GPU_OK)
        c->status =
            launch_equation(s, launch_row(1), c->mem, CALC_PARTS / 2, by.groups, count, by.shift,
                            s->slot[SLOT_TABLES].mem, tables_residue_at(), c->mem, CALC_WRONG);
}

void calc_demand_residue(struct calc *c, struct number x, uint64_t expected) {
    const struct number all[] = {x, x, x, x};
    struct context *s = c->s;
    if (!calc_is_on(c) || mpgpu_conf.verify != VERIFY_DEVICE)
        return;
    struct cut by = cut_of(s, x.words);
    c->status = residues(s, c->mem, all, 1, &by);
    if (c->status == GPU_OK)
        c->status = launch_expectation(s, launch_row(1), c->mem, CALC_PARTS / 2, by.groups,
                                       by.shift, expected, s->slot[SLOT_TABLES].mem,
                                       tables_residue_at(), c->mem, CALC_WRONG);
}
