/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Device numbers: functions that both engines (device and host) share, and functions that run an
 * operation on the host. */
#include "lib/calc/calc.h"

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"

enum { ALIGNMENT = 32 }; /* words in a line of the device's memory; each number begins at a line */

struct number calc_take(struct calc *c, uint64_t words) {
    struct number x = {c->mem, c->used, words};
    c->used += (words + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (c->used > c->most)
        c->most = c->used;
    if (!c->is_planning && c->used > c->words && c->status == GPU_OK)
        /* The computing run needs more memory than the planning run: the two runs differ. */
        c->status = GPU_FAILED;
    calc_forget(c, x);
    return x;
}

void calc_zero(struct calc *c, struct number r) {
    if (calc_is_on(c) && r.words > 0)
        c->engine->zero(c, r);
}

void calc_need(struct calc *c, struct number x) {
    if (calc_is_on(c) && !c->host)
        c->engine->need(c, x);
}

/* If two devices compute the operation, each downloads one half, so that both links are used. */
void calc_download(struct calc *c, void *host, struct number x, uint64_t limbs) {
    uint64_t cut = c->pair ? limbs / 2 : limbs, from = c->half == 0 ? 0 : cut;
    uint64_t end = c->half == 0 ? cut : limbs;
    if (end > from)
        calc_download_bytes(c, (uint64_t *)host + from, x, from * sizeof(uint64_t),
                            (end - from) * sizeof(uint64_t));
}

void calc_download_bytes(struct calc *c, void *host, struct number x, uint64_t from,
                         uint64_t bytes) {
    if (calc_is_on(c))
        c->engine->download(c, host, x, from, bytes);
}

/* ---- products */

void calc_mul(struct calc *c, struct number r, struct number u, struct number v) {
    struct number product = number_part(r, 0, u.words + v.words);
    c->engine->mul(c, product, u, v);
    calc_zero(c, number_part(r, product.words, r.words));
}

/* ---- sums, shifts, comparisons */

void calc_add(struct calc *c, struct number r, struct number u, struct number v) {
    if (calc_is_on(c))
        c->engine->add(c, r, u, v, false);
}

void calc_sub(struct calc *c, struct number r, struct number u, struct number v) {
    if (calc_is_on(c))
        c->engine->add(c, r, u, v, true);
}

void calc_shift(struct calc *c, struct number r, struct number u, int64_t bits,
                bool is_complement) {
    calc_need(c, u);
    if (calc_is_on(c) && r.words > 0)
        c->engine->shift(c, r, u, bits, is_complement);
}

struct number calc_next_flag(struct calc *c) {
    uint64_t i = c->flags++ % CALC_FLAGS_MOST;
    return (struct number){c->mem, CALC_FLAGS + 2 * i, 1};
}

struct number calc_reduce(struct calc *c, struct number r, struct number u, struct number v) {
    struct number flag = calc_next_flag(c);
    c->engine->reduce(c, r, flag, u, v);
    return flag;
}

struct number calc_compare(struct calc *c, struct number u, struct number v) {
    return calc_reduce(c, number_part(u, 0, 0), u, v);
}

/* Returns a copy of x, extended with zeros to `words` words. */
static struct number wide(struct calc *c, struct number x, uint64_t words) {
    struct number copy = calc_take(c, words);
    calc_copy(c, copy, x);
    return copy;
}

/* Compares u and v. The check verifies the answer on copies of u and v (calc_demand_less), because
 * the check might use recorded residues of u and v instead of the compared words. */
bool calc_is_less(struct calc *c, struct number u, struct number v) {
    uint64_t words = (u.words > v.words ? u.words : v.words) + CALC_QUAD;
    /* Downloads have whole limbs: flags[0] is the flag, flags[1] the word behind it. */
    uint32_t flags[2] = {1, 0};
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

/* ---- runs */

/* Ends the current series of launches. If the same series was issued before, the driver gets its
 * launches as one. */
void calc_series_end(struct calc *c) {
    enum gpu_status status = c->is_series ? gpu_series(&c->s->queue, false) : GPU_OK;
    c->status = c->status == GPU_OK ? status : c->status;
}

void calc_series(struct calc *c) {
    calc_series_end(c);
    if (c->is_series && c->status == GPU_OK)
        c->status = gpu_series(&c->s->queue, true);
}

uint64_t calc_plan_on_host(struct calc *c, const struct calc_engine *engine,
                           void (*work)(struct calc *c, void *argument), void *argument) {
    *c = (struct calc){.engine = engine,
                       .host = true,
                       .wraps = true,
                       .is_planning = true,
                       .one = {.words = 1},
                       .used = CALC_HEAD,
                       .most = CALC_HEAD};
    work(c, argument);
    c->words = c->most;
    return (c->words + 1) / 2;
}

enum gpu_status calc_run_on_host(struct calc *c, void (*work)(struct calc *c, void *argument),
                                 void *argument) {
    c->is_planning = false;
    c->used = CALC_HEAD;
    if (c->status == GPU_OK)
        *calc_limbs(c, c->one) = 1;
    if (c->status == GPU_OK)
        work(c, argument);
    return c->status;
}
