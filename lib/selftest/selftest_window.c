/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of kernels/sums/window.cl and kernels/check/equation.cl. */
#include <stdlib.h>
#include <string.h>

#include "kernels/check/chain.h"
#include "kernels/check/key.h"
#include "kernels/check/residue.h"
#include "kernels/common/carry.h"
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

/* A choice by bit 0 of word `at` of u: between u and v, the bit behind the result, or the state. */
static enum gpu_status verify_choice(struct known_answer *t, uint64_t at, uint32_t demand) {
    uint32_t *r, flag = t->host[at] & 1;
    enum gpu_status status =
        gpu_zero(&t->s->queue, t->r.mem, WORDS * sizeof(uint32_t), 2 * sizeof(uint32_t));
    if (status == GPU_OK)
        status = launch_choose(t->s, launch_row(ceil_div(WORDS, CARRY_THREADS)), t->r.mem, t->r.at,
                               WORDS, t->u.mem, t->u.at, t->u.words, t->v.mem, t->v.at, t->v.words,
                               t->u.mem, at, demand, t->r.mem, WORDS);
    if (status == GPU_OK)
        status = fetch(t, WORDS + 2, &r);
    uint64_t holds = demand && flag == (demand & 1) ? chain_next(0, demand) : 0;
    uint64_t kept = demand ? holds : flag;
    for (size_t i = 0; i < WORDS && status == GPU_OK; i++)
        if (r[i] != t->host[flag ? t->n + i : i] || r[WORDS] != (uint32_t)kept ||
            r[WORDS + 1] != kept >> 32)
            status = known_answer_wrong(t->s, "choice", t->n);
    return status;
}

/* In the result's memory, by entries of 64 bits: the check's, and parts. */
enum { PARTS_AT = 16, RECORD_U = CHECK_RECORDS + 1, RECORD_V, CHECK_ENTRIES };

struct check_test {
    struct known_answer *t;
    gpu_mem tables;
    uint64_t groups, shift, u, v; /* residues of the operands */
    uint64_t state;
};

static enum gpu_status begin_check(struct check_test *k) {
    struct context *s = k->t->s;
    const uint64_t group = STEPS * RESIDUE_VECTOR * RESIDUE_THREADS;
    enum gpu_status status = tables_get(s, &k->tables);
    k->groups = ceil_div(WORDS, group);
    k->shift = modulus_power_of_words(group, s->modulus);
    k->u = k->v = k->state = 0;
    for (size_t i = WORDS; i-- > 0;) {
        k->u = (uint64_t)(((unsigned __int128)k->u << 32 | k->t->host[i]) % s->modulus.m);
        k->v = (uint64_t)(((unsigned __int128)k->v << 32 | k->t->host[k->t->n + i]) % s->modulus.m);
    }
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, k->t->r.mem, 0, CHECK_ENTRIES * sizeof(uint64_t));
    return status;
}

/* Parts of x's residue and of y's. */
static enum gpu_status take(struct check_test *k, struct number x, struct number y) {
    return launch_residue(k->t->s, launch_grid(k->groups, 2), x.mem, x.at, x.words, y.mem, y.at,
                          y.words, x.mem, x.at, x.words, y.mem, y.at, y.words, k->tables,
                          tables_residue_at(), STEPS, KEY_NONE, k->t->r.mem, PARTS_AT);
}

static uint64_t places(uint64_t r, uint64_t w, uint64_t u, uint64_t v, uint64_t a) {
    return r << EQUATION_BITS * EQUATION_R | w << EQUATION_BITS * EQUATION_W |
           u << EQUATION_BITS * EQUATION_U | v << EQUATION_BITS * EQUATION_V |
           a << EQUATION_BITS * EQUATION_A;
}

static enum gpu_status equation(struct check_test *k, uint64_t taken, uint64_t operands, uint64_t e,
                                uint64_t f, uint64_t g, uint64_t h, bool holds) {
    if (holds)
        k->state = chain_next(k->state, chain_equation(operands, taken, e, f, g, h));
    return launch_equation(k->t->s, launch_row(1), k->t->r.mem, PARTS_AT, k->groups, taken,
                           k->shift, operands, e, f, g, h, k->tables, tables_residue_at(),
                           k->t->r.mem, 0);
}

static enum gpu_status unchanged(struct check_test *k, uint64_t taken, bool holds) {
    if (holds)
        k->state = chain_next(k->state, taken);
    return launch_unchanged(k->t->s, launch_row(1), k->t->r.mem, PARTS_AT, k->groups, taken,
                            k->shift, k->tables, tables_residue_at(), k->t->r.mem, 0);
}

/* 5 u v = 5 v u, both taken; u v = f v + u - f by their records, f being u's; and that u and v are
 * what was recorded; or with 1 more on one side, and u and v exchanged. */
static enum gpu_status verify_check(struct known_answer *t, bool holds) {
    struct check_test k = {.t = t};
    uint64_t both = 2 | (uint64_t)RECORD_U << TAKEN_ENTRY(0) | (uint64_t)RECORD_V << TAKEN_ENTRY(1);
    const uint64_t more = !holds;
    uint32_t *words;
    uint64_t r[CHECK_ENTRIES];
    enum gpu_status status = begin_check(&k);
    if (status == GPU_OK)
        status = take(&k, t->u, t->v);
    if (status == GPU_OK)
        status = equation(&k, both, places(1, 2, 2, 1, 0), 5, 5, 0, more, holds);
    if (status == GPU_OK)
        status = equation(&k, 0, places(RECORD_U, RECORD_V, RECORD_V, 0, RECORD_U), 1, k.u, 1,
                          (t->s->modulus.m - k.u + more) % t->s->modulus.m, holds);
    if (status == GPU_OK && !holds)
        status = take(&k, t->v, t->u);
    if (status == GPU_OK)
        status = unchanged(&k, both, holds);
    if (status == GPU_OK)
        status = fetch(t, 2 * CHECK_ENTRIES, &words);
    if (status == GPU_OK)
        memcpy(r, words, sizeof r);
    if (status == GPU_OK && (r[CHECK_STATE] != k.state || r[RECORD_U] != k.u || r[RECORD_V] != k.v))
        status = known_answer_wrong(t->s, "equation", t->n);
    return status;
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
        status = verify_check(&t, holds);
    free(t.host);
    return status;
}

enum gpu_status selftest_window(struct context *s) {
    enum gpu_status status = s->verified_window ? GPU_OK : verify_window(s);
    s->verified_window = status == GPU_OK;
    return status;
}
