/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of kernels/sums/window.cl and kernels/check/equation.cl. */
#include <stdlib.h>

#include "kernels/check/key.h"
#include "kernels/check/residue.h"
#include "kernels/common/carry.h"
#include "kernels/common/tables.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { WORDS = 1023, STEPS = 1 };

static uint32_t word_of(const uint32_t *x, uint64_t i) {
    return i < WORDS ? x[i] : 0;
}

/* The first `count` words of the result to the host. */
static enum gpu_status fetch(struct known_answer *t, size_t count, uint32_t **r) {
    *r = t->host + 2 * t->n;
    return transfer_down(t->s->transfer, &t->s->queue, *r, t->r.mem, 0, count * sizeof **r);
}

/* u 2^(-32 skip - bits), inverted or not, beside the host's. */
static enum gpu_status verify_shift(struct known_answer *t, uint64_t skip, uint32_t bits,
                                    uint32_t complement) {
    const size_t n = WORDS + 40;
    uint32_t *r;
    enum gpu_status status =
        launch_window(t->s, launch_row(ceil_div(n, CARRY_THREADS)), t->r.mem, t->r.at, n, t->u.mem,
                      t->u.at, t->u.words, skip, bits, complement);
    if (status == GPU_OK)
        status = fetch(t, n, &r);
    for (size_t i = 0; i < n && status == GPU_OK; i++) {
        uint64_t two = word_of(t->host, i + skip) | (uint64_t)word_of(t->host, i + skip + 1) << 32;
        if (r[i] != ((uint32_t)(two >> bits) ^ complement))
            status = known_answer_wrong(t->s, "shift", t->n);
    }
    return status;
}

/* A choice by bit 0 of word `at` of u: between u and v, the bit behind the result. */
static enum gpu_status verify_choice(struct known_answer *t, uint64_t at, uint32_t demand) {
    uint32_t *r, flag = t->host[at] & 1;
    enum gpu_status status =
        gpu_zero(&t->s->queue, t->r.mem, WORDS * sizeof(uint32_t), sizeof(uint32_t));
    if (status == GPU_OK)
        status = launch_choose(t->s, launch_row(ceil_div(WORDS, CARRY_THREADS)), t->r.mem, t->r.at,
                               WORDS, t->u.mem, t->u.at, t->u.words, t->v.mem, t->v.at, t->v.words,
                               t->u.mem, at, demand, t->r.mem, WORDS);
    if (status == GPU_OK)
        status = fetch(t, WORDS + 1, &r);
    uint32_t kept = demand ? flag != (demand & 1) : flag;
    for (size_t i = 0; i < WORDS && status == GPU_OK; i++)
        if (r[i] != t->host[flag ? t->n + i : i] || r[WORDS] != kept)
            status = known_answer_wrong(t->s, "choice", t->n);
    return status;
}

/* u = u 1, and u = u u, which is not so. */
static enum gpu_status verify_equation(struct known_answer *t, bool holds) {
    struct context *s = t->s;
    gpu_mem tables;
    enum gpu_status status = tables_get(s, &tables);
    struct number one = {tables, TABLE_ONE, 1}, v = holds ? one : t->u;
    const uint64_t group = STEPS * RESIDUE_VECTOR * RESIDUE_THREADS,
                   groups = ceil_div(WORDS, group);
    uint32_t *r;
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, t->r.mem, 0, sizeof(uint32_t));
    if (status == GPU_OK)
        status = launch_residue(s, launch_grid(groups, 3), t->u.mem, t->u.at, t->u.words, t->u.mem,
                                t->u.at, t->u.words, v.mem, v.at, v.words, v.mem, v.at, v.words,
                                tables, tables_residue_at(), STEPS, KEY_NONE, t->r.mem, 4);
    if (status == GPU_OK)
        status = launch_equation(s, launch_row(1), t->r.mem, 4, groups, 3, 3,
                                 modulus_power_of_words(group, s->modulus), tables,
                                 tables_residue_at(), t->r.mem, 0);
    if (status == GPU_OK)
        status = fetch(t, 1, &r);
    return status == GPU_OK && *r == holds ? known_answer_wrong(s, "equation", t->n) : status;
}

/* The residue of u, and one more than that. */
static enum gpu_status verify_expectation(struct known_answer *t, bool holds) {
    struct context *s = t->s;
    gpu_mem tables;
    enum gpu_status status = tables_get(s, &tables);
    const uint64_t group = STEPS * RESIDUE_VECTOR * RESIDUE_THREADS,
                   groups = ceil_div(WORDS, group);
    uint64_t expected = 0;
    uint32_t *r;
    for (size_t i = WORDS; i-- > 0;)
        expected = (uint64_t)(((unsigned __int128)expected << 32 | t->host[i]) % s->modulus.m);
    if (!holds)
        expected = (expected + 1) % s->modulus.m;
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, t->r.mem, 0, sizeof(uint32_t));
    if (status == GPU_OK)
        status =
            launch_residue(s, launch_grid(groups, 1), t->u.mem, t->u.at, t->u.words, t->u.mem,
                           t->u.at, t->u.words, t->u.mem, t->u.at, t->u.words, t->u.mem, t->u.at,
                           t->u.words, tables, tables_residue_at(), STEPS, KEY_NONE, t->r.mem, 4);
    if (status == GPU_OK)
        status = launch_expectation(s, launch_row(1), t->r.mem, 4, groups,
                                    modulus_power_of_words(group, s->modulus), expected, tables,
                                    tables_residue_at(), t->r.mem, 0);
    if (status == GPU_OK)
        status = fetch(t, 1, &r);
    return status == GPU_OK && *r == holds ? known_answer_wrong(s, "expectation", t->n) : status;
}

static enum gpu_status verify_window(struct context *s) {
    static const uint64_t skips[] = {0, 37, (uint64_t)-5, WORDS};
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, WORDS);
    for (uint32_t k = 0; k < 4 && status == GPU_OK; k++)
        status = verify_shift(&t, skips[k], 11 * k % 32, k & 1 ? ~0u : 0);
    for (uint32_t at = 0; at < 24 && status == GPU_OK; at++)
        status = verify_choice(&t, at, at % 3 ? 1 + at % 3 : 0);
    for (int holds = 0; holds < 2 && status == GPU_OK; holds++)
        status = verify_equation(&t, holds);
    for (int holds = 0; holds < 2 && status == GPU_OK; holds++)
        status = verify_expectation(&t, holds);
    free(t.host);
    return status;
}

enum gpu_status selftest_window(struct context *s) {
    enum gpu_status status = s->verified_window ? GPU_OK : verify_window(s);
    s->verified_window = status == GPU_OK;
    return status;
}
