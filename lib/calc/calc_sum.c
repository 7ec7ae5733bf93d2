/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums, shifts, comparisons and selections of device numbers. */
#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_device.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/selftest/selftest.h"

#define NUMBER(x) (x).mem, (x).at, (x).words

void calc_device_add(struct calc *c, struct number r, struct number u, struct number v,
                     bool subtract) {
    c->status = number_add(c->s, r, u, v, subtract, NULL);
}

void calc_device_shift(struct calc *c, struct number r, struct number u, int64_t bits,
                       bool is_complement) {
    uint64_t low = (uint64_t)bits % 32, skip = (uint64_t)((bits - (int64_t)low) / 32);
    c->status = launch_window(c->s, launch_row(ceil_div(r.words, CARRY_THREADS)), NUMBER(r),
                              NUMBER(u), skip, (uint32_t)low, is_complement ? ~0u : 0u);
}

/* Launches the kernel that selects between u and v by the flag of the latest difference, which had
 * `words` words. The flag is set if there was no borrow. */
static void choose(struct calc *c, struct number r, struct number u, struct number v,
                   uint64_t words, uint32_t demand, struct number kept) {
    uint64_t flag_at = ceil_div(words, CARRY_CHUNK), groups = ceil_div(r.words, CARRY_THREADS);
    if (calc_is_on(c))
        c->status =
            launch_choose(c->s, launch_row(groups ? groups : 1), NUMBER(r), NUMBER(u), NUMBER(v),
                          c->s->slot[SLOT_FLAGS].mem, flag_at, demand, kept.mem, kept.at);
}

void calc_device_reduce(struct calc *c, struct number r, struct number flag, struct number u,
                        struct number v) {
    uint64_t mark = calc_mark(c);
    struct number less = calc_take(c, u.words);
    calc_sub(c, less, u, v);
    choose(c, r, u, less, u.words, 0, flag);
    calc_drop(c, mark);
}

void calc_select(struct calc *c, struct number r, struct number flag, struct number a,
                 struct number b) {
    struct number again = calc_next_flag(c);
    if (calc_is_on(c))
        c->status = launch_choose(c->s, launch_row(ceil_div(r.words, CARRY_THREADS)), NUMBER(r),
                                  NUMBER(a), NUMBER(b), flag.mem, flag.at, 0, again.mem, again.at);
}

void calc_device_demand_less(struct calc *c, struct number u, struct number v) {
    uint64_t mark = calc_mark(c);
    uint32_t demanded = 2;
    struct number less = calc_take(c, u.words), state = calc_check_state(c, &demanded);
    calc_sub(c, less, u, v);
    choose(c, number_part(less, 0, 0), u, less, u.words, demanded, state);
    calc_doubt(c, u);
    calc_doubt(c, v);
    calc_drop(c, mark);
}

/* ---- functions for numbers modulo 2^p - 1 */

/* Tests the kernels, in the planning run. */
static void verify_mersenne(struct calc *c) {
    if (c->status == GPU_OK && c->is_planning)
        c->status = selftest_mersenne(c->s);
}

void calc_device_mersenne_reduce(struct calc *c, uint64_t p, struct number r, struct number q,
                                 struct number x) {
    verify_mersenne(c);
    if (calc_is_on(c))
        c->status = number_reduce_mersenne(c->s, r, q, x, p);
}

void calc_device_demand_below_mersenne(struct calc *c, struct number u, uint64_t p) {
    uint32_t demanded = 2;
    const struct number state = calc_check_state(c, &demanded);
    verify_mersenne(c);
    if (calc_is_on(c))
        c->status =
            launch_mersenne_less(c->s, launch_row(1), NUMBER(u), p, demanded, state.mem, state.at);
    calc_doubt(c, u);
}
