/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums, shifts and decisions of device numbers. */
#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/calc/calc.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"

#define NUMBER(x) (x).mem, (x).at, (x).words

void calc_add(struct calc *c, struct number r, struct number u, struct number v) {
    if (calc_is_on_host(c))
        c->host->add(c, r, u, v, false);
    if (calc_is_on(c))
        c->status = number_add(c->s, r, u, v, 0, NULL);
}

void calc_sub(struct calc *c, struct number r, struct number u, struct number v) {
    if (calc_is_on_host(c))
        c->host->add(c, r, u, v, true);
    if (calc_is_on(c))
        c->status = number_add(c->s, r, u, v, 1, NULL);
}

void calc_shift(struct calc *c, struct number r, struct number u, int64_t bits,
                bool is_complement) {
    uint64_t low = (uint64_t)bits % 32, skip = (uint64_t)((bits - (int64_t)low) / 32);
    calc_need(c, u);
    if (calc_is_on_host(c) && r.words > 0)
        c->host->shift(c, r, u, bits, is_complement);
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

/* The host's are limbs. */
static struct number next_flag(struct calc *c) {
    uint64_t i = c->flags++ % CALC_FLAGS_MOST;
    return (struct number){c->mem, CALC_FLAGS + (c->host ? 2 * i : i), 1};
}

struct number calc_reduce(struct calc *c, struct number r, struct number u, struct number v) {
    uint64_t mark = calc_mark(c);
    struct number flag = next_flag(c);
    if (calc_is_on_host(c))
        c->host->reduce(c, r, flag, u, v);
    if (c->host)
        return flag;
    struct number less = calc_take(c, u.words);
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
    if (calc_is_on_host(c))
        calc_copy(c, r, *calc_limbs(c, flag) ? b : a);
    if (calc_is_on(c))
        c->status = launch_choose(c->s, launch_row(ceil_div(r.words, CARRY_THREADS)), NUMBER(r),
                                  NUMBER(a), NUMBER(b), flag.mem, flag.at, 0, again.mem, again.at);
}

void calc_demand_less(struct calc *c, struct number u, struct number v) {
    if (c->host)
        return;
    uint64_t mark = calc_mark(c);
    uint32_t demanded = 2;
    struct number less = calc_take(c, u.words), state = calc_check_state(c, &demanded);
    calc_sub(c, less, u, v);
    choose(c, number_part(less, 0, 0), u, less, u.words, demanded, state);
    calc_doubt(c, u);
    calc_doubt(c, v);
    calc_drop(c, mark);
}

/* A copy of x with more words. */
static struct number wide(struct calc *c, struct number x, uint64_t words) {
    struct number copy = calc_take(c, words);
    calc_copy(c, copy, x);
    return copy;
}

/* What the host has heard is demanded of other copies: u and v themselves have records. */
bool calc_is_less(struct calc *c, struct number u, struct number v) {
    uint64_t words = (u.words > v.words ? u.words : v.words) + CALC_QUAD;
    uint32_t flags[2] = {1, 0}; /* and the word behind it */
    calc_doubt(c, u);
    calc_doubt(c, v);
    calc_doubt(c, calc_one(c));
    calc_download_to_each(c, flags, calc_compare(c, u.words < v.words ? wide(c, u, words) : u, v),
                          1);
    if (flags[0] > 1 && c->status == GPU_OK)
        c->status = GPU_FAILED;
    if (c->host)
        return flags[0] == 0;
    struct number again = wide(c, u, words);
    if (flags[0] == 0) {
        calc_demand_less(c, again, v);
        return true;
    }
    calc_add(c, again, again, calc_one(c));
    calc_demand_less(c, wide(c, v, words), again);
    return false;
}
